"""Reads maps: their events, and their layers and charts now or as of an earlier event. Takes no locks."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, func, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Layer
from server.database.engines import single_reads
from server.maps.faults import unknown_map
from server.maps.log.checkpoints import checkpoint_before
from server.maps.log.events import Event
from server.maps.log.histories import Histories, pages_of_changes
from server.maps.log.replay import MapState, replay
from server.maps.log.rows import as_event, as_layers, events_of, seq_of
from server.maps.log.tables import event_table, layer_table, map_table
from server.maps.log.undo import History

MAX_VERSION = 2**62


class MapReader:
    """Read access to the event log. Methods that need the map raise RequestFault `unknown_map`."""

    def __init__(self, engine: AsyncEngine, histories: Histories) -> None:
        self._engine = engine
        self._histories = histories

    async def seq(self, map_id: str) -> int:
        """The number of the newest event."""
        async with single_reads(self._engine) as connection:
            return await seq_of(connection, map_id)

    async def read(self, map_id: str, after_seq: int, limit: int | None = None) -> list[Event]:
        """Up to `limit` events after `after_seq`, in order; none for an unknown map."""
        query = events_of(map_id).where(event_table.c.seq > after_seq).order_by(event_table.c.seq)
        return await self._events(query if limit is None else query.limit(limit))

    async def read_window(self, map_id: str, after_seq: int, limit: int, most_bytes: int) -> list[Event]:
        """As `read`, but no more events than have about this size as stored, and at least one."""
        size = func.pg_column_size(event_table.c.payload)
        before = (func.sum(size).over(order_by=event_table.c.seq) - size).label("before")
        query = events_of(map_id).add_columns(before).where(event_table.c.seq > after_seq)
        first = query.order_by(event_table.c.seq).limit(limit).subquery()
        return await self._events(select(first).where(first.c.before < most_bytes).order_by(first.c.seq))

    async def read_latest(self, map_id: str, names: Collection[str], limit: int) -> list[Event]:
        """The last events with these names, in order."""
        query = events_of(map_id).where(event_table.c.type.in_(names))
        return (await self._events(query.order_by(event_table.c.seq.desc()).limit(limit)))[::-1]

    async def read_turn(self, map_id: str, turn_id: str) -> list[Event]:
        """All events of a turn, in order."""
        query = events_of(map_id).where(event_table.c.turn_id == turn_id)
        return await self._events(query.order_by(event_table.c.seq))

    async def state(self, map_id: str) -> MapState:
        """The stored layers and the charts as of the newest event."""
        stored = (
            select(map_table.c.seq, layer_table.c.document)
            .outerjoin_from(map_table, layer_table, layer_table.c.map_id == map_table.c.id)
            .where(map_table.c.id == map_id)
        )
        async with single_reads(self._engine) as connection:
            rows = (await connection.execute(stored)).all()
            if not rows:
                raise unknown_map(map_id)
            seq = rows[0].seq
            # The log only grows: a later statement finds the same events up to this one.
            history = await self._histories.at(connection, map_id, seq)
        layers = as_layers(row.document for row in rows if row.document is not None)
        return MapState(seq, layers, history.state.charts)

    async def state_at(self, map_id: str, seq: int) -> MapState:
        """The map as it was after the event `seq`, from the nearest checkpoint before it and the log since."""
        async with single_reads(self._engine) as connection:
            state = await checkpoint_before(connection, map_id, seq)
            async for changes in pages_of_changes(connection, map_id, state.seq, seq):
                state = replay((change.typed() for change in changes), state)
        return state

    async def history(self, map_id: str) -> History:
        """The map's undo history as of now."""
        async with single_reads(self._engine) as connection:
            return await self._histories.at(connection, map_id, await seq_of(connection, map_id))

    async def current_layer(self, map_id: str, layer_id: str) -> Layer | None:
        """The layer as it is now. Raises RequestFault `unknown_map`."""
        query = select(layer_table.c.document).where(
            layer_table.c.map_id == map_id, layer_table.c.layer_id == layer_id
        )
        layer = await self._layer(query)
        if layer is None:
            await self.seq(map_id)
        return layer

    async def layer(self, map_id: str, layer_id: str, version: int) -> Layer | None:
        """The layer as it was announced with this version; None if it never was."""
        if not 0 < version < MAX_VERSION:
            return None
        query = (
            select(event_table.c.payload["layer"])
            .where(event_table.c.map_id == map_id, event_table.c.type.in_(["layer_added", "layer_updated"]))
            .where(text("payload #>> '{layer,id}' = :layer_id"))
            .where(text("(payload #>> '{layer,version}')::bigint = :version"))
            .limit(1)
        )
        return await self._layer(query, layer_id=layer_id, version=version)

    async def _events(self, query: Select[Any]) -> list[Event]:
        async with single_reads(self._engine) as connection:
            return [as_event(row) for row in await connection.execute(query)]

    async def _layer(self, query: Select[Any], **values: Any) -> Layer | None:
        async with single_reads(self._engine) as connection:
            document = (await connection.execute(query, values)).scalar_one_or_none()
        return None if document is None else Layer.model_validate(document, extra="ignore")
