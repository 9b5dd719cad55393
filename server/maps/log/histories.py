"""Caches the undo history of maps, so that only new events are read and folded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from cachetools import LRUCache
from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from server.maps.log.events import CHANGE_EVENTS, Event
from server.maps.log.rows import as_event
from server.maps.log.tables import event_table
from server.maps.log.undo import History

MAX_CACHED_WEIGHT = 20_000
"""Limit for all cached histories together, each map counted as one more."""
EVENTS_PER_PAGE = 200
"""A long log is read in pages, between which others get their turn."""
PAGE_BYTES = 512 * 1024
"""Size of the events of a page, as they are stored: filters may be large. A page has at least one event."""
_SIZE = func.pg_column_size(event_table.c.payload).label("size")
_PAGE = (
    select(event_table, _SIZE, func.sum(_SIZE).over(order_by=event_table.c.seq).label("up_to"))
    .where(
        event_table.c.map_id == bindparam("map_id"),
        event_table.c.type.in_(CHANGE_EVENTS),
        event_table.c.seq > bindparam("seen"),
        event_table.c.seq <= bindparam("newest"),
    )
    .order_by(event_table.c.seq)
    .limit(bindparam("most"))
    .subquery()
)
CHANGES = select(_PAGE).where(_PAGE.c.up_to - _PAGE.c.size < PAGE_BYTES).order_by(_PAGE.c.seq)
"""The first changes of a map after `seen`, up to `newest`."""


async def pages_of_changes(
    connection: AsyncConnection, map_id: str, seen: int, newest: int
) -> AsyncIterator[list[Event]]:
    """The changes of a map after `seen`, up to `newest`, at most `EVENTS_PER_PAGE` and about `PAGE_BYTES` at once."""
    while seen < newest:
        bounds = {"map_id": map_id, "seen": seen, "newest": newest, "most": EVENTS_PER_PAGE}
        rows = (await connection.execute(CHANGES, bounds)).all()
        if rows:
            yield [as_event(row) for row in rows]
        if not rows or (len(rows) < EVENTS_PER_PAGE and rows[-1].up_to < PAGE_BYTES):
            return
        seen = rows[-1].seq


class Histories:
    """Cached histories are never changed: a later reading copies and advances one."""

    def __init__(self) -> None:
        self._cache: LRUCache[str, History] = LRUCache(MAX_CACHED_WEIGHT, getsizeof=lambda it: 1 + it.weight)

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
        history = kept.copy()
        async for changes in pages_of_changes(connection, map_id, kept.seen, seq):
            for change in changes:
                history.advance(change.typed())
        history.seen = seq
        self._keep(map_id, history)
        return history

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
        if (newest is None or newest.seen < history.seen) and history.weight < MAX_CACHED_WEIGHT:
            self._cache[map_id] = history
