"""Caches the undo history of maps, so that only new events are read and folded."""

from __future__ import annotations

from collections.abc import Sequence

from cachetools import LRUCache
from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from server.maps.log.events import CHANGE_EVENTS, Event
from server.maps.log.rows import as_event
from server.maps.log.tables import event_table
from server.maps.log.undo import History

MAX_CACHED_STEPS = 20_000
"""In all cached histories together, each map counted as one more: a step takes some kilobytes."""
CHANGES = (
    select(event_table)
    .where(
        event_table.c.map_id == bindparam("map_id"),
        event_table.c.type.in_(CHANGE_EVENTS),
        event_table.c.seq > bindparam("seen"),
        event_table.c.seq <= bindparam("newest"),
    )
    .order_by(event_table.c.seq)
)
"""The changes of a map after `seen`, up to `newest`."""


class Histories:
    """Cached histories are never changed: a later reading copies and advances one."""

    def __init__(self) -> None:
        self._cache: LRUCache[str, History] = LRUCache(MAX_CACHED_STEPS, getsizeof=lambda it: 1 + it.steps)

    def cached(self, map_id: str) -> History:
        """The newest history that is cached, or an empty one."""
        return self._cache.get(map_id) or History()

    async def at(self, connection: AsyncConnection, map_id: str, seq: int) -> History:
        """The history of all events up to `seq`, also if a newer one is cached."""
        kept = self.cached(map_id)
        if kept.seen == seq:
            return kept
        if kept.seen > seq:
            kept = History()
        bounds = {"map_id": map_id, "seen": kept.seen, "newest": seq}
        rows = (await connection.execute(CHANGES, bounds)).all()
        return self.advanced(map_id, kept, [as_event(row) for row in rows], seq)

    def advanced(self, map_id: str, kept: History, changes: Sequence[Event], seq: int) -> History:
        """The history up to `seq`, from a cached one and the changes after it."""
        if kept.seen == seq:
            return kept
        history = kept.copy()
        for change in changes:
            history.advance(change.typed())
        history.seen = seq
        self._keep(map_id, history)
        return history

    def committed(self, map_id: str, before: int, events: Sequence[Event]) -> None:
        """Continue a history that was cached up to `before` with what this server has just written."""
        kept = self._cache.get(map_id)
        if kept is not None and kept.seen == before and events:
            changes = [event for event in events if event.name in CHANGE_EVENTS]
            self.advanced(map_id, kept, changes, events[-1].seq)

    def forget(self) -> None:
        """Clear the cache: after an outage the database may have been restored from a backup."""
        self._cache.clear()

    def _keep(self, map_id: str, history: History) -> None:
        newest = self._cache.get(map_id)
        if (newest is None or newest.seen < history.seen) and history.steps < MAX_CACHED_STEPS:
            self._cache[map_id] = history
