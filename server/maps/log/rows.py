"""Converts rows of the log to domain objects, on a connection that the caller holds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Row, Select, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.domain import Layer
from server.maps.faults import unknown_map
from server.maps.log.events import Event
from server.maps.log.tables import event_table, layer_table, map_table


@asynccontextmanager
async def reading(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection on which all queries see the same snapshot (REPEATABLE READ)."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection


def events_of(map_id: str) -> Select[Any]:
    """The query for all events of a map, unordered."""
    return select(event_table).where(event_table.c.map_id == map_id)


def as_event(row: Row[Any]) -> Event:
    """A row of the event table as an `Event`."""
    return Event(row.map_id, row.seq, row.type, row.turn_id, row.at, row.payload)


async def seq_of(connection: AsyncConnection, map_id: str) -> int:
    """The number of the newest event. Raises RequestFault `unknown_map`."""
    found = await connection.execute(select(map_table.c.seq).where(map_table.c.id == map_id))
    seq: int | None = found.scalar_one_or_none()
    if seq is None:
        raise unknown_map(map_id)
    return seq


async def layers_of(connection: AsyncConnection, map_id: str) -> tuple[Layer, ...]:
    """The stored layers, bottom first."""
    query = select(layer_table.c.document).where(layer_table.c.map_id == map_id)
    return as_layers((await connection.execute(query)).scalars())


def as_layers(documents: Iterable[Any]) -> tuple[Layer, ...]:
    """The stored documents as layers, bottom first."""
    layers = (Layer.model_validate(document, extra="ignore") for document in documents)
    return tuple(sorted(layers, key=lambda it: it.order))
