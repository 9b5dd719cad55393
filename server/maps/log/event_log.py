"""The event log: the only code that creates maps and writes events, their numbers and stored layers.

`writing` is one transaction that holds the map's row lock. Events recorded in it get numbers without gaps, and
the layers and the NOTIFY to other servers are committed together with them. `reader` and `snapshots` read
without locks. View links are written by `server.maps.access`, turns by `server.maps.turns.queue`."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from sqlalchemy import bindparam, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from server.database.lanes import known_visitor
from server.maps.faults import TurnLost, unknown_map
from server.maps.log.checkpoints import newest_checkpoint
from server.maps.log.events import Change, Event
from server.maps.log.histories import Histories
from server.maps.log.reader import MapReader
from server.maps.log.snapshots import Snapshots
from server.maps.log.tables import map_table, turn_table
from server.maps.log.writer import DataTags, MapWriter
from server.maps.rates import WrittenBytes

Listener = Callable[[str, Sequence[Event]], None]
LOCKED_MAP = (
    select(map_table.c.seq, newest_checkpoint().label("checkpoint"))
    .where(map_table.c.id == bindparam("map_id"))
    .with_for_update()
)


class EventLog:
    """Creates maps and appends events to them. `listeners` are called after each commit of this server."""

    def __init__(
        self,
        engine: AsyncEngine,
        data_tags: DataTags = lambda table_id: "",
        written: WrittenBytes | None = None,
    ) -> None:
        """`written` bounds what people write by hand; without it nothing does."""
        self._engine = engine
        self._data_tags = data_tags
        self._written = written or WrittenBytes()
        self._histories = Histories()
        self.reader = MapReader(engine, self._histories)
        self.snapshots = Snapshots(engine, self._histories)
        self.listeners: list[Listener] = []
        """Called with map id and new events after each commit of this server; the other servers learn by NOTIFY.
        Called without events if it is unknown whether the commit succeeded."""
        self.committing: set[str] = set()
        """Maps whose listeners are about to be called."""

    async def create(self) -> str:
        """A new, empty map. Its id is a random token of 128 bits; anyone who knows it may change the map."""
        map_id = secrets.token_urlsafe(16)
        async with self._engine.begin() as connection:
            await connection.execute(insert(map_table).values(id=map_id))
        return map_id

    async def append(self, map_id: str, changes: Sequence[Change], turn_id: str | None = None) -> list[Event]:
        """Record changes in one transaction; returns their events."""
        async with self.writing(map_id, turn_id) as writer:
            for change in changes:
                await writer.record(change)
        return writer.events

    @asynccontextmanager
    async def writing(
        self, map_id: str, turn_id: str | None = None, server_id: str | None = None
    ) -> AsyncIterator[MapWriter]:
        """A transaction that locks the map. Raises RequestFault `unknown_map`, and with `server_id` TurnLost unless
        that server runs the turn."""
        committed: Sequence[Event] = ()
        try:
            async with self._engine.begin() as connection:
                row = (await connection.execute(LOCKED_MAP, {"map_id": map_id})).one_or_none()
                if row is None:
                    raise unknown_map(map_id)
                seq = row.seq
                if server_id is not None:
                    await self._check_holder(connection, turn_id, server_id)
                writer = MapWriter(connection, map_id, turn_id, seq, self._histories, self._data_tags)
                yield writer
                if turn_id is None:
                    self._written.take(known_visitor(), writer.size())
                if await writer.flush(row.checkpoint):
                    self.committing.add(map_id)
            committed = writer.events
            self._histories.committed(map_id, seq, committed)
        finally:
            if committed or map_id in self.committing:
                self.committing.discard(map_id)
                for listener in self.listeners:
                    listener(map_id, committed)

    def forget(self) -> None:
        """Clear the caches: after an outage the database may have been restored from a backup."""
        self._histories.forget()
        self.snapshots.forget()

    async def _check_holder(self, connection: AsyncConnection, turn_id: str | None, server_id: str) -> None:
        # A separate query: one that also locks the map would see turns as of before it got the lock.
        query = select(func.count()).where(
            turn_table.c.id == turn_id, turn_table.c.status == "running", turn_table.c.server_id == server_id
        )
        if (await connection.execute(query)).scalar_one() == 0:
            raise TurnLost(turn_id)
