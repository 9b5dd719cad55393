"""Which servers live. Each holds a session advisory lock, so PostgreSQL itself knows when one is gone.

The connection that holds the lock also beats: every `BEAT` seconds it asks who else holds one, and tells the
listeners. If it is lost it is made again; after `kill -9` nothing is left to clean up.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable

import asyncpg
import structlog

log = structlog.get_logger(__name__)

LOCK_CLASS = 0x6E0A
BEAT = 2.0
BACKOFF = (0.1, 0.25, 0.5, 1.0)
GONE_PEERS_ARE_NOTICED = {
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}

Beat = Callable[[frozenset[str]], Awaitable[None]]


class Liveness:
    """`id` names this server for as long as the process lives. `on_beat` hears who is alive."""

    def __init__(self, url: str, on_beat: Beat | None = None, beat: float = BEAT) -> None:
        self._url = url
        self._number = secrets.randbelow(2**31)
        self._connection: asyncpg.Connection | None = None
        self._task: asyncio.Task[None] | None = None
        self._beat = beat
        self.on_beat = on_beat
        self.alive: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        return server_name(self._number)

    @property
    def has_peers(self) -> bool:
        return bool(self.alive - {self.id})

    def expect(self, server_id: str) -> None:
        """Another server said hello; the next beat will see it."""
        self.alive |= {server_id}

    async def start(self) -> None:
        await self._connect()
        await self._look()
        self._task = asyncio.create_task(self._keep())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._connection is not None and not self._connection.is_closed():
            self._connection.terminate()

    async def _connect(self) -> None:
        settings = {"application_name": f"geoagent {self.id}", **GONE_PEERS_ARE_NOTICED}
        connection = await asyncpg.connect(self._url, timeout=10, server_settings=settings)
        # The same number twice would need two servers to draw it at once out of two thousand million.
        await connection.execute("SELECT pg_advisory_lock($1, $2)", LOCK_CLASS, self._number, timeout=10)
        self._connection = connection

    async def _look(self) -> None:
        assert self._connection is not None  # noqa: S101 - set by _connect
        rows = await self._connection.fetch(
            "SELECT objid::bigint AS number FROM pg_locks WHERE locktype = 'advisory' AND granted"
            " AND objsubid = 2 AND classid = $1 AND database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database())",
            LOCK_CLASS,
            timeout=10,
        )
        self.alive = frozenset(server_name(row["number"]) for row in rows)

    async def _keep(self) -> None:
        attempt = 0
        while True:
            try:
                if self._connection is None or self._connection.is_closed():
                    await self._connect()
                    log.info("the database is back", server=self.id)
                await self._look()
                attempt = 0
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                if attempt == 0:
                    log.warning("the database is away", server=self.id, error=type(error).__name__)
                if self._connection is not None:
                    self._connection.terminate()
                    self._connection = None
                await asyncio.sleep(BACKOFF[min(attempt, len(BACKOFF) - 1)])
                attempt += 1
                continue
            await self._tell()
            await asyncio.sleep(self._beat)

    async def _tell(self) -> None:
        if self.on_beat is None:
            return
        try:
            await self.on_beat(self.alive)
        except Exception:
            log.exception("a beat failed", server=self.id)


def server_name(number: int) -> str:
    return f"server_{number:08x}"
