"""Tiles that PostgreSQL cannot stop drawing: within a single call, PostGIS checks neither limits nor cancellation.

A backend that still runs `GRACE_S` after its cancellation, while PostgreSQL answers others immediately, is
terminated, which takes effect when the call returns. Until the backend is gone its place stays taken: the server
never has more backends than it is allowed. The table with its filter counts as too complex at that zoom until
then and for some time after: its tiles contain a note that says so."""

from __future__ import annotations

import asyncio
import gzip
import time

import asyncpg
import structlog

from agents.domain import Table
from agents.worded import Template
from server.background import end_tasks
from server.gis.errors import GisError
from server.gis.tiles.queue import Drawn, TileQueue, TileRequest

TOO_COMPLEX = Template("tile_too_complex", "{table} is too complex to draw at zoom {zoom}.")

log = structlog.get_logger(__name__)

GRACE_S = 5.0
CHECK_INTERVAL_S = 0.5
CONFIRM_S = 2.0
"""Time for which PostgreSQL must have answered promptly, without a break, before a tile is called too complex: a
database that is frozen or overloaded stops nothing in time."""
PROMPT_S = 1.0
FORGET_AFTER_S = 600.0
"""Seconds after which a table is tried again; it also is when it has changed."""

_NOTE = (
    "SELECT ST_AsMVT(note, '_meta', 4096, 'place')"
    " FROM (SELECT ST_MakePoint(2048, 2048) AS place, true AS too_complex) AS note"
)
_IS_THERE = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND application_name = 'geoagent'"
_WORKS = f"{_IS_THERE} AND state = 'active'"


class TooComplex(GisError):
    """The table cannot be drawn at this zoom in reasonable time."""

    code = "too_large"


class Overruns:
    """Gives the connections of tiles back, and remembers what has tiles that did not end."""

    def __init__(self, pool: asyncpg.Pool, queue: TileQueue) -> None:
        self._pool = pool
        self._queue = queue
        self._marked: dict[tuple[Drawn, int], tuple[Table, float]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.note = b""
        """The compressed tile that replaces those of a table that is too complex."""

    def is_too_complex(self, table: Table, drawn: Drawn, zoom: int) -> bool:
        """Whether the query of such a tile recently ran far beyond its timeout; forgotten after a while, and when the
        table changes."""
        marked = self._marked.get((drawn, zoom))
        if marked is None:
            return False
        then, until = marked
        if time.monotonic() < until and then == table:
            return True
        del self._marked[drawn, zoom]
        return False

    def give_back(self, connection: asyncpg.Connection, request: TileRequest, table: Table) -> None:
        """Return a connection on which a tile was cancelled, and its place once PostgreSQL has stopped."""
        task = asyncio.create_task(self._give_back(connection, request, table))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End all background tasks."""
        await end_tasks(*self._tasks)

    async def _give_back(self, connection: asyncpg.Connection, request: TileRequest, table: Table) -> None:
        pid = connection.get_server_pid()
        try:
            await self._pool.release(connection, timeout=GRACE_S)
        except TimeoutError:
            await self._end(pid, request, table)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            log.info("a connection was lost with its tile", error=type(error).__name__)
        finally:
            self._queue.leave(request)

    async def _end(self, pid: int, request: TileRequest, table: Table) -> None:
        try:
            async with self._pool.acquire() as other:
                if not await self._goes_on(other, pid):
                    return
                log.warning(
                    "the statement of a tile goes on after it was cancelled",
                    table=table.id,
                    zoom=request.zoom,
                    pid=pid,
                )
                await other.execute("SELECT pg_terminate_backend($1)", pid)
                packed = gzip.compress(await other.fetchval(_NOTE), mtime=0)
            self.note = packed
            self._mark(request, table)
            while await self._pool.fetchval(_IS_THERE, pid):  # noqa: ASYNC110 - PostgreSQL has no event for it
                await asyncio.sleep(CHECK_INTERVAL_S)
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            log.warning("a backend could not be ended", pid=pid, error=type(error).__name__)
        # Counted from now, not from its beginning.
        if (request.drawn, request.zoom) in self._marked:
            self._mark(request, table)

    async def _goes_on(self, other: asyncpg.Connection, pid: int) -> bool:
        """Whether the backend works on although PostgreSQL has time for others; False once it has stopped."""
        prompt_since = time.monotonic()
        while True:
            asked = time.monotonic()
            if not await other.fetchval(_WORKS, pid):
                return False
            now = time.monotonic()
            if now - asked > PROMPT_S:
                prompt_since = now
            elif now - prompt_since >= CONFIRM_S:
                return True
            await asyncio.sleep(CHECK_INTERVAL_S)

    def _mark(self, request: TileRequest, table: Table) -> None:
        self._marked[request.drawn, request.zoom] = (table, time.monotonic() + FORGET_AFTER_S)
        too_complex = TooComplex(TOO_COMPLEX(table=table.id, zoom=str(request.zoom)))
        self._queue.refuse(
            lambda other: (other.drawn, other.zoom) == (request.drawn, request.zoom), too_complex
        )
