"""Which servers are alive. Each holds a session advisory lock, which PostgreSQL releases when the server ends.

Every `BEAT_INTERVAL_S` the connection with the lock reads the locks of other servers, and listeners are called. A
lost connection is opened again; after `kill -9` there is nothing to clean up."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable

import asyncpg
import structlog

from server.background import end_tasks

log = structlog.get_logger(__name__)

LOCK_CLASS = 0x6E0A
BEAT_INTERVAL_S = 2.0
RECONNECT_DELAYS_S = (0.1, 0.25, 0.5, 1.0)
KEEPALIVE_SETTINGS = {
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}

ALIVE = (
    "SELECT objid::bigint AS number FROM pg_locks WHERE locktype = 'advisory' AND granted"  # noqa: S608 - a constant
    f" AND objsubid = 2 AND classid = {LOCK_CLASS} AND database ="
    " (SELECT oid FROM pg_database WHERE datname = current_database())"
)
"""The lock numbers of the servers that are alive."""

Beat = Callable[[frozenset[str]], Awaitable[None]]


class Liveness:
    """`id` identifies this server while its process runs. `on_beat` is called with the ids of the servers that are
    alive."""

    def __init__(self, url: str, on_beat: Beat | None = None, beat: float = BEAT_INTERVAL_S) -> None:
        self._url = url
        self._number = secrets.randbelow(2**31)
        self._connection: asyncpg.Connection | None = None
        self._task: asyncio.Task[None] | None = None
        self._beat = beat
        self.on_beat = on_beat
        self.alive: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """The name of this server among those on the database."""
        return server_name(self._number)

    @property
    def has_peers(self) -> bool:
        """Whether other servers use the database."""
        return bool(self.alive - {self.id})

    def expect(self, server_id: str) -> None:
        """Count a server that has just announced itself as alive; the next beat confirms it."""
        self.alive |= {server_id}

    async def start(self) -> None:
        """Take a number, and begin to watch which servers are alive."""
        await self._connect()
        await self._read_alive()
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Give the number back."""
        await end_tasks(self._task)
        if self._connection is not None and not self._connection.is_closed():
            self._connection.terminate()

    async def _connect(self) -> None:
        settings = {"application_name": f"geoagent {self.id}", **KEEPALIVE_SETTINGS}
        connection = await asyncpg.connect(self._url, timeout=10, server_settings=settings)
        # Two servers with the same random number of 31 bits would wait for each other here.
        await connection.execute("SELECT pg_advisory_lock($1, $2)", LOCK_CLASS, self._number, timeout=10)
        self._connection = connection

    async def _read_alive(self) -> None:
        assert self._connection is not None  # noqa: S101 - set by _connect
        rows = await self._connection.fetch(ALIVE, timeout=10)
        self.alive = frozenset(server_name(row["number"]) for row in rows)

    async def _run(self) -> None:
        attempt = 0
        while True:
            try:
                if self._connection is None or self._connection.is_closed():
                    await self._connect()
                    log.info("the database can be reached again", server=self.id)
                await self._read_alive()
                attempt = 0
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                if attempt == 0:
                    log.warning("the database cannot be reached", server=self.id, error=type(error).__name__)
                if self._connection is not None:
                    self._connection.terminate()
                    self._connection = None
                await asyncio.sleep(RECONNECT_DELAYS_S[min(attempt, len(RECONNECT_DELAYS_S) - 1)])
                attempt += 1
                continue
            await self._notify()
            await asyncio.sleep(self._beat)

    async def _notify(self) -> None:
        if self.on_beat is None:
            return
        try:
            await self.on_beat(self.alive)
        except Exception:
            log.exception("a listener of the liveness beat failed", server=self.id)


def server_name(number: int) -> str:
    """The id of the server with this lock number."""
    return f"server_{number:08x}"
