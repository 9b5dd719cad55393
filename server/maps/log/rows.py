"""Converts rows of the log to domain objects, on a connection that the caller holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Row, Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Layer
from server.maps.faults import unknown_map
from server.maps.log.events import Event
from server.maps.log.tables import event_table, map_table


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


def as_layers(documents: Iterable[Any]) -> tuple[Layer, ...]:
    """The stored documents as layers, bottom first."""
    layers = (Layer.model_validate(document, extra="ignore") for document in documents)
    return tuple(sorted(layers, key=lambda it: it.order))
