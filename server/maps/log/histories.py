"""Caches the undo history of maps, so that only new events are read and folded."""

from __future__ import annotations

from collections import OrderedDict

from sqlalchemy.ext.asyncio import AsyncConnection

from server.maps.log.events import CHANGE_EVENTS
from server.maps.log.rows import as_event, events_of
from server.maps.log.tables import event_table
from server.maps.log.undo import History

MAX_CACHED_HISTORIES = 256


class Histories:
    """Cached histories are never changed: a later reading copies and advances one."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, History] = OrderedDict()

    async def at(self, connection: AsyncConnection, map_id: str, seq: int) -> History:
        """The history of all events up to `seq`, also if a newer one is cached."""
        kept = self._kept.get(map_id)
        if kept is not None and kept.seen == seq:
            self._kept.move_to_end(map_id)
            return kept
        history = kept.copy() if kept is not None and kept.seen < seq else History()
        query = events_of(map_id).where(event_table.c.type.in_(CHANGE_EVENTS))
        query = query.where(event_table.c.seq > history.seen, event_table.c.seq <= seq)
        for row in (await connection.execute(query.order_by(event_table.c.seq))).all():
            history.advance(as_event(row).typed())
        history.seen = seq
        self._keep(map_id, history)
        return history

    def forget(self) -> None:
        """Clear the cache: after an outage the database may have been restored from a backup."""
        self._kept.clear()

    def _keep(self, map_id: str, history: History) -> None:
        newest = self._kept.get(map_id)
        if newest is None or newest.seen < history.seen:
            self._kept[map_id] = history
            self._kept.move_to_end(map_id)
            if len(self._kept) > MAX_CACHED_HISTORIES:
                self._kept.popitem(last=False)
