"""A pool of SQLAlchemy connections that belongs to a lane, and gives back to PostgreSQL what it does not use."""

from __future__ import annotations

import asyncio
import time
from typing import Any, cast

import structlog
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import AsyncAdaptedQueuePool, ConnectionPoolEntry
from sqlalchemy.util import await_, greenlet_spawn
from sqlalchemy.util.queue import Empty

from server.database.backends import Backends
from server.database.lanes import Lane

log = structlog.get_logger(__name__)

IDLE_S = 60.0
"""Seconds after which an idle connection is closed."""
IDLE_CHECK_S = 10.0


LOST_PID = "lost_pid"
"""Key for the process id of a backend whose connection was closed while it was in use."""


class LanePool(AsyncAdaptedQueuePool):
    """Every checkout first waits for a slot of the lane, so the pool itself is never exhausted. The slot of a
    connection that was lost in use is free when its backend has stopped."""

    lane: Lane
    backends: Backends

    def _do_get(self) -> ConnectionPoolEntry:
        holder = await_(self.lane.enter())
        try:
            record = super()._do_get()
        except BaseException:
            self.lane.leave(holder)
            raise
        _notes(record)["holder"] = holder
        _notes(record).pop(LOST_PID, None)
        return record

    def _do_return_conn(self, record: ConnectionPoolEntry) -> None:
        _notes(record)["idle_since"] = time.monotonic()
        holder = _notes(record).pop("holder", None)
        lost = _notes(record).pop(LOST_PID, None)
        is_lost = record.dbapi_connection is None and lost is not None
        try:
            super()._do_return_conn(record)
        finally:
            if holder is not None and is_lost:
                self.backends.release_after(lost, lambda: self.lane.leave(holder))
            elif holder is not None:
                self.lane.leave(holder)

    def recreate(self) -> LanePool:
        """An empty pool on the same lane; SQLAlchemy calls it from `Engine.dispose`."""
        pool = cast("LanePool", super().recreate())
        pool.lane = self.lane
        pool.backends = self.backends
        return pool

    def close_idle(self, seconds: float) -> None:
        """Close connections that were idle for this time. To be called by `greenlet_spawn`."""
        limit = time.monotonic() - seconds
        idle: list[ConnectionPoolEntry] = []
        while True:
            try:
                idle.append(self._pool.get_nowait())
            except Empty:
                break
        for record in reversed(idle):
            if _notes(record)["idle_since"] > limit:
                self._pool.put_nowait(record)
        for record in idle:
            if _notes(record)["idle_since"] <= limit:
                self._dec_overflow()
                record.invalidate()


def enter_lane(engine: AsyncEngine, lane: Lane, backends: Backends) -> None:
    """Let an engine with a LanePool take its connections by a lane; `backends` are those of its role."""
    pool = pool_of(engine)
    pool.lane, pool.backends = lane, backends
    event.listen(engine.sync_engine, "invalidate", _note_loss)


def _note_loss(adapted: Any, record: Any, _error: BaseException | None) -> None:
    driver = None if adapted is None else adapted.driver_connection
    if driver is not None and not driver.is_closed():
        _notes(record)[LOST_PID] = driver.get_server_pid()


def _notes(record: ConnectionPoolEntry) -> dict[str, Any]:
    return cast("dict[str, Any]", record.record_info)


def pool_of(engine: AsyncEngine) -> LanePool:
    """The pool of an engine that has a lane."""
    return cast("LanePool", engine.pool)


def replace_connections(engine: AsyncEngine) -> None:
    """Invalidate all connections of an engine: each is replaced before its next use. Running statements continue."""
    engine.pool._invalidate_time = time.time()


async def close_idle_connections(*engines: AsyncEngine) -> None:
    """Runs until it is cancelled."""
    while True:
        await asyncio.sleep(IDLE_CHECK_S)
        for engine in engines:
            try:
                await greenlet_spawn(pool_of(engine).close_idle, IDLE_S)
            except Exception as error:
                log.warning("idle connections could not be closed", error=type(error).__name__)
