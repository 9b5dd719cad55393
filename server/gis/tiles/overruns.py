"""Tiles that PostgreSQL does not stop drawing: within a single call, PostGIS hears neither limits nor cancels.

What runs on for `GRACE_S` after it was cancelled is terminated, which takes effect when the call returns. Until the
backend is gone its turn stays taken, so that the server never has more backends than it is allowed. The table
counts as too complex at that zoom meanwhile and for a while after: its tiles are a note that says so.
"""

from __future__ import annotations

import asyncio
import gzip
import time

import asyncpg
import structlog

from agents.domain import Table
from server.gis.errors import GisError
from server.gis.tiles.queue import TileQueue, Turn

log = structlog.get_logger(__name__)

GRACE_S = 5.0
CHECK_INTERVAL_S = 1.0
FORGET_AFTER_S = 600.0
"""After so long a table may be tried again, as it may when it has changed."""

_NOTE = (
    "SELECT ST_AsMVT(note, '_meta', 4096, 'place')"
    " FROM (SELECT ST_MakePoint(2048, 2048) AS place, true AS too_complex) AS note"
)
_IS_THERE = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND application_name = 'geoagent'"


class TooComplex(GisError):
    """The table cannot be drawn at this zoom in any time that somebody would wait."""

    code = "too_large"


class Overruns:
    """Gives the connections of tiles back, and remembers tables whose tiles did not end."""

    def __init__(self, pool: asyncpg.Pool, queue: TileQueue) -> None:
        self._pool = pool
        self._queue = queue
        self._marked: dict[tuple[str, int], tuple[Table, float]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.note = b""
        """The tile, compressed, that stands for those of a table that is too complex."""

    def is_too_complex(self, table: Table, zoom: int) -> bool:
        marked = self._marked.get((table.id, zoom))
        if marked is None:
            return False
        then, until = marked
        if time.monotonic() < until and then == table:
            return True
        del self._marked[table.id, zoom]
        return False

    def give_back(self, connection: asyncpg.Connection, turn: Turn, table: Table) -> None:
        """Return a connection on which a tile was cancelled, and its turn once PostgreSQL has stopped."""
        task = asyncio.create_task(self._give_back(connection, turn, table))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _give_back(self, connection: asyncpg.Connection, turn: Turn, table: Table) -> None:
        pid = connection.get_server_pid()
        try:
            await self._pool.release(connection, timeout=GRACE_S)
        except TimeoutError:
            await self._end(pid, turn, table)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            log.info("a connection was lost with its tile", error=type(error).__name__)
        finally:
            self._queue.leave(turn)

    async def _end(self, pid: int, turn: Turn, table: Table) -> None:
        log.warning("a tile does not end", table=table.id, zoom=turn.zoom, pid=pid)
        try:
            async with self._pool.acquire() as other:
                await other.execute("SELECT pg_terminate_backend($1)", pid)
                packed = gzip.compress(await other.fetchval(_NOTE), mtime=0)
            self.note = packed
            self._mark(table, turn.zoom)
            while await self._pool.fetchval(_IS_THERE, pid):  # noqa: ASYNC110 - PostgreSQL has no event for it
                await asyncio.sleep(CHECK_INTERVAL_S)
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            log.warning("a backend could not be ended", pid=pid, error=type(error).__name__)
        # From now on, not from when it began.
        if (table.id, turn.zoom) in self._marked:
            self._mark(table, turn.zoom)

    def _mark(self, table: Table, zoom: int) -> None:
        self._marked[table.id, zoom] = (table, time.monotonic() + FORGET_AFTER_S)
        too_complex = TooComplex(f"{table.id} is too complex to draw at zoom {zoom}.")
        self._queue.refuse(lambda turn: (turn.table_id, turn.zoom) == (table.id, zoom), too_complex)
