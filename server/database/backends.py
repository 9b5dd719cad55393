"""Ends PostgreSQL backends that keep working after their client has disconnected.

Closing a connection does not stop its statement: within one call PostGIS checks neither limits nor cancellation. So
the slot of a connection that was lost in the middle of a statement returns to its lane only when its backend has
ended, which is terminated after `GRACE_S`. The check briefly uses one connection of a server, outside of all lanes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime

import asyncpg
import structlog

from server.background import end_tasks

log = structlog.get_logger(__name__)

GRACE_S = 5.0
"""Time for a statement to end after it was cancelled."""
CHECK_INTERVAL_S = 0.5
ANSWER_TIMEOUT_S = 5.0

_BACKENDS = (
    "SELECT pid, backend_start, state = 'active' AS works FROM pg_stat_activity WHERE pid = ANY($1::int[])"
)
_TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND state = 'active'"

Connect = Callable[[], Awaitable[asyncpg.Connection]]


@dataclass
class Lost:
    """A backend whose connection was closed in the middle of a statement."""

    pid: int
    ended: Callable[[], None]
    since: float = field(default_factory=time.monotonic)
    started: datetime | None = None
    """Distinguishes it from a later backend with the same pid."""
    is_logged: bool = False
    """Whether the log says that it is terminated: some ignore that for many seconds."""


class Backends:
    """The lost backends of one role. `slot` is shared by all roles of a server: one connection at a time."""

    def __init__(self, connect: Connect, slot: asyncio.Semaphore) -> None:
        self._connect = connect
        self._slot = slot
        self._lost: list[Lost] = []
        self._watch: asyncio.Task[None] | None = None
        self._is_closed = False

    def release_after(self, pid: int, release: Callable[[], None]) -> None:
        """Call `release` when the backend has ended or PostgreSQL no longer answers; immediately after `close`."""
        if self._is_closed:
            release()
            return
        self._lost.append(Lost(pid, release))
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._watched())

    async def terminate(self, pid: int) -> bool:
        """End a backend that works. False where it does not, or where PostgreSQL does not answer."""
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S), self._session() as session:
                return bool(await session.fetchval(_TERMINATE, pid))
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return False

    async def close(self) -> None:
        """Stop watching."""
        self._is_closed = True
        await end_tasks(self._watch)

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[asyncpg.Connection]:
        async with self._slot:
            session = await self._connect()
            try:
                yield session
            finally:
                session.terminate()

    async def _watched(self) -> None:
        try:
            while self._lost:
                async with asyncio.timeout(ANSWER_TIMEOUT_S), self._session() as session:
                    await self._check(session)
                if self._lost:
                    await asyncio.sleep(CHECK_INTERVAL_S)
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            # An unreachable database has no backends, and its slots are useless.
            log.info("backends could not be checked", error=type(error).__name__)
        finally:
            for each in self._lost:
                each.ended()
            self._lost.clear()

    async def _check(self, session: asyncpg.Connection) -> None:
        lost = list(self._lost)
        rows = await session.fetch(_BACKENDS, [each.pid for each in lost])
        working = {row["pid"]: row["backend_start"] for row in rows if row["works"]}
        for each in lost:
            started = working.get(each.pid)
            each.started = each.started or started
            if started is None or started != each.started:
                self._lost.remove(each)
                each.ended()
            elif time.monotonic() - each.since > GRACE_S:
                if not each.is_logged:
                    log.warning(
                        "a statement went on without its client; its backend is terminated", pid=each.pid
                    )
                each.is_logged = True
                await session.execute("SELECT pg_terminate_backend($1)", each.pid)
