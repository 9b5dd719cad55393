"""Measures the disk space of a running step from another connection, because a statement cannot measure itself.

Tables of a transaction are not visible in the catalogue before it ends; but its locks are, and a new table's file is
named after its number. `DiskWatch` checks these files, and the temporary ones of sorts and hashes, twice a second,
and cancels a statement that exceeds the available space. The database's directory is not listed: with 10,000 tables
it has 50,000 files.

Only a superuser (as in the private cluster) may read file sizes, or a role with grants on `pg_ls_dir(text, boolean,
boolean)` and `pg_stat_file(text, boolean)`. Elsewhere a step is measured between its statements only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import structlog
from sqlalchemy import BigInteger, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.worded import Template
from server.database.engines import single_reads
from server.gis.analysis.budget import readable_bytes
from server.gis.errors import TooExpensive

FULL = Template(
    "step_full",
    "{step} was stopped: it takes {size} and more, and there is room for {room} on this map. Drop "
    "results that are not needed, filter the inputs, or aggregate first.",
)
TEMPORARY = Template(
    "step_temporary",
    "{step} was stopped: on the way to its result it needs {size} of temporary space and more, and "
    "{most} are allowed. Filter the inputs to fewer rows or a smaller area first.",
)

log = structlog.get_logger(__name__)

CHECK_INTERVAL_S = 0.5
SEGMENT_BYTES = 1024**3
"""PostgreSQL splits the file of a table after each gigabyte."""

_DISK_USE = text(
    r"""
    WITH home AS (SELECT regexp_replace(pg_relation_filepath('geoagent.analysis'), '/[^/]+$', '') AS path),
    fresh AS (
        -- Files of temporary tables begin with the number of their backend, as virtual transactions do.
        SELECT DISTINCT relation::text AS number, 't' || split_part(virtualtransaction, '/', 1) || '_' AS prefix
        FROM pg_locks
        WHERE pid = :pid AND locktype = 'relation'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND NOT EXISTS (SELECT FROM pg_class WHERE pg_class.oid = relation)
    ),
    made AS (
        SELECT path || '/' || kind.prefix || number || segment.suffix AS file,
               kind.prefix <> '' OR coalesce(number = ANY (CAST(:prepared AS text[])), true) AS passing
        FROM home, fresh, LATERAL (VALUES (''), (fresh.prefix)) AS kind (prefix),
            LATERAL (SELECT CASE WHEN n = 0 THEN '' ELSE '.' || n END AS suffix
                     FROM generate_series(0, CAST(:segments AS int)) AS n) AS segment
    ),
    sorted AS (
        SELECT 'base/pgsql_tmp/' || name AS file FROM pg_ls_dir('base/pgsql_tmp', true, false) AS name
        WHERE name ~ ('^pgsql_tmp(' || (
            SELECT string_agg(pid::text, '|') FROM pg_stat_activity WHERE :pid IN (pid, leader_pid)
        ) || ')[.]')
    ),
    shared AS (
        SELECT file || '/' || name AS file FROM sorted, pg_ls_dir(file, true, false) AS name
        WHERE file LIKE '%.fileset'
    ),
    every AS (
        SELECT file, passing FROM made UNION ALL SELECT file, true FROM sorted UNION ALL SELECT file, true FROM shared
    ),
    sized AS (SELECT passing, (pg_stat_file(file, true)).size FROM every)
    SELECT coalesce(sum(size) FILTER (WHERE NOT passing), 0)::bigint AS result,
           coalesce(sum(size) FILTER (WHERE passing), 0)::bigint AS passing
    FROM sized
    """
).columns(result=BigInteger(), passing=BigInteger())


@dataclass(frozen=True)
class DiskUse:
    """Bytes of what a step has stored so far, and of temporary tables and files on the way there."""

    result: int
    passing: int


async def disk_use(connection: AsyncConnection, pid: int, most: int, prepared: list[str] | None) -> DiskUse:
    """Space used by the transaction that runs in the PostgreSQL process `pid`. Tables and indexes with the
    numbers `prepared` are intermediate ones; with None, all are.

    A table larger than `most` bytes counts with at least `most`. Needs the right to read PostgreSQL's file
    information."""
    segments = most // SEGMENT_BYTES + 1
    found = (
        await connection.execute(_DISK_USE, {"pid": pid, "segments": segments, "prepared": prepared})
    ).one()
    return DiskUse(found.result, found.passing)


def room_error(title: str, size: int, room: int) -> TooExpensive:
    """The error for a step whose result does not fit into the space of its map; sizes in bytes."""
    return TooExpensive(FULL(step=title, size=readable_bytes(size), room=readable_bytes(max(0, room))))


def temporary_space_error(title: str, size: int, allowed: int) -> TooExpensive:
    """The error for a step that needs more temporary space than is allowed; sizes in bytes."""
    return TooExpensive(TEMPORARY(step=title, size=readable_bytes(size), most=readable_bytes(allowed)))


class DiskWatch:
    """`async with` it within the transaction of a step. What is stored may take `room`, what is on the way `allowed`
    bytes; else the statement that runs is cancelled, and leaving the block raises TooExpensive. `stored` is called
    with how much the result takes."""

    def __init__(
        self,
        title: str,
        owner: AsyncEngine | None,
        pid: int,
        room: int,
        allowed: int,
        stored: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._title = title
        self._owner = owner
        self._pid = pid
        self._room = room
        self._allowed = allowed
        self._stored = stored
        self._over = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._prepared: list[str] | None = []
        self.fault: TooExpensive | None = None

    async def __aenter__(self) -> Self:
        if self._owner is not None:
            self._watcher = asyncio.create_task(self._watch(self._owner))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._watcher is not None:
            # Wait for its end: it must cancel a statement of this transaction, not of the connection's next one.
            await asyncio.gather(self._watcher, return_exceptions=True)
        if self.fault is not None and not isinstance(error, asyncio.CancelledError):
            raise self.fault from error

    @asynccontextmanager
    async def preparing(self, connection: AsyncConnection) -> AsyncIterator[None]:
        """What the step creates on its connection within the block serves the result only."""
        self._prepared = None
        yield
        self._prepared = list((await connection.execute(_LOCKED)).scalars())

    async def sees(self) -> bool:
        """Whether PostgreSQL shows what the step takes."""
        if self._owner is None:
            return False
        try:
            async with single_reads(self._owner) as connection:
                await disk_use(connection, self._pid, self._room, self._prepared)
        except (SQLAlchemyError, OSError):
            return False
        return True

    async def _watch(self, owner: AsyncEngine) -> None:
        while not await self._is_over(CHECK_INTERVAL_S):
            try:
                async with single_reads(owner) as connection:
                    most = max(self._room, self._allowed)
                    found = await disk_use(connection, self._pid, most, self._prepared)
                    self._stored(found.result)
                    self.fault = self._judged(found)
                    if self.fault is not None:
                        await connection.execute(_CANCEL, {"pid": self._pid})
            except (SQLAlchemyError, OSError) as error:
                log.debug("the disk that a step takes is not seen", step=self._title, error=str(error)[:200])
                return

    def _judged(self, found: DiskUse) -> TooExpensive | None:
        # Temporary space is named first: it is used before the result, and until the statement ends.
        if found.passing > self._allowed:
            return temporary_space_error(self._title, found.passing, self._allowed)
        if found.result > self._room:
            return room_error(self._title, found.result, self._room)
        return self.fault

    async def _is_over(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._over.wait()
        except TimeoutError:
            return False
        return True


_LOCKED = text("SELECT relation::text FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'")
_CANCEL = text("SELECT pg_cancel_backend(:pid)")
