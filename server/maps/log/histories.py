"""Caches the undo history of maps, so that only new events are read and folded."""

from __future__ import annotations

from cachetools import LRUCache
from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from server.maps.log.events import CHANGE_EVENTS
from server.maps.log.rows import as_event
from server.maps.log.tables import event_table
from server.maps.log.undo import History

MAX_CACHED_HISTORIES = 256
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
        self._cache: LRUCache[str, History] = LRUCache(MAX_CACHED_HISTORIES)

    async def at(self, connection: AsyncConnection, map_id: str, seq: int) -> History:
        """The history of all events up to `seq`, also if a newer one is cached."""
        kept = self._cache.get(map_id)
        if kept is not None and kept.seen == seq:
            return kept
        history = kept.copy() if kept is not None and kept.seen < seq else History()
        bounds = {"map_id": map_id, "seen": history.seen, "newest": seq}
        for row in (await connection.execute(CHANGES, bounds)).all():
            history.advance(as_event(row).typed())
        history.seen = seq
        self._keep(map_id, history)
        return history

    def forget(self) -> None:
        """Clear the cache: after an outage the database may have been restored from a backup."""
        self._cache.clear()

    def _keep(self, map_id: str, history: History) -> None:
        newest = self._cache.get(map_id)
        if newest is None or newest.seen < history.seen:
            self._cache[map_id] = history
