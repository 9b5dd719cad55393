"""Measures tables in use in the background, one at a time.

Several servers on a database share the work: the server with the advisory lock of a table measures it, and all read
the result. Between two pieces of work it rests as long as the allowed share of time demands."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Protocol

import asyncpg
import structlog
from sqlalchemy.exc import SQLAlchemyError

from agents.core.errors import ToolFailed
from agents.domain import Table
from server.background import end_tasks
from server.database.engines import Database, is_unavailable
from server.database.lanes import working_for
from server.gis.overviews.summaries import Need
from server.gis.profiles.measure import measured
from server.gis.profiles.profile import ProfileStore
from server.gis.profiles.versions import UNKNOWN, DataVersions, TableState

log = structlog.get_logger(__name__)

LOCK = 0x6E0A01
"""First key of the advisory locks; the second one is the oid of the table."""
SWEEP_S = 60.0


class OverviewJob(Protocol):
    """Builds the overviews of a table, where that is due."""

    session: Mapping[str, str]
    """Settings of the session that builds."""

    async def is_due(
        self, table: Table, state: TableState, share: float, needs: Collection[Need] = ()
    ) -> bool:
        """Whether overviews must be built or renewed. `needs` are those of layers on maps."""

    async def run(
        self,
        session: asyncpg.Connection,
        table: Table,
        state: TableState,
        share: float,
        needs: Collection[Need] = (),
    ) -> bool:
        """Build or renew overviews if that is due; returns whether anything was done. See `OverviewWork.run`."""

    async def outdated(self) -> list[int]:
        """Tables, by oid, with overviews to drop: all those of a dropped table, and those that newer ones replaced."""

    async def drop(self, session: asyncpg.Connection, relid: int) -> None:
        """Drop such overviews. The session holds the table's lock."""


class TableWorker(ABC):
    """Works on the tables that `want` names, in the background; `start` before use, `close` at the end."""

    def __init__(self, database: Database, versions: DataVersions, share: float) -> None:
        """`share` is the fraction of time, 0 to 1, that the work may take; 0 turns it off."""
        self._database = database
        self._versions = versions
        self._share = share
        self._wanted: dict[str, Table] = {}
        self._needs: Mapping[str, Collection[Need]] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the background task, unless the share of time is 0."""
        if self._share > 0:
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """End the background task."""
        await end_tasks(self._task)

    def want(self, tables: Iterable[Table], needs: Mapping[str, Collection[Need]] | None = None) -> None:
        """Work on these, where it is due; replaces what was wanted before. `needs` are, by table, those of its
        layers."""
        self._wanted = {table.id: table for table in tables}
        self._needs = needs or {}
        self._wake.set()

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._round()
            except (
                SQLAlchemyError,
                asyncpg.PostgresError,
                asyncpg.InterfaceError,
                OSError,
                ToolFailed,
            ) as error:
                await self._failed(error)
            except Exception as error:
                log.exception("work on tables failed")
                await self._failed(error)

    @abstractmethod
    async def _round(self) -> None:
        """Work on what is wanted. Requests that arrive during a piece of work are considered after it."""

    @abstractmethod
    async def _failed(self, error: Exception) -> None:
        """Called where a round has ended with an error."""


class ProfileWorker(TableWorker):
    """Measures tables, and builds their overviews."""

    def __init__(
        self,
        database: Database,
        versions: DataVersions,
        store: ProfileStore,
        share: float = 0.5,
        overviews: OverviewJob | None = None,
    ) -> None:
        super().__init__(database, versions, share)
        self._store = store
        self._overviews = overviews
        self._swept = 0.0
        self.measured = 0
        self.failed = 0
        self.built = 0
        self.busy_s = 0.0

    @property
    def waiting(self) -> int:
        """Tables that are queued."""
        return len(self._wanted)

    async def _failed(self, error: Exception) -> None:
        log.info("tables could not be profiled", away=is_unavailable(error), error=str(error)[:300])

    async def _round(self) -> None:
        """Work on small tables first, so that they do not wait for large ones that others have opened."""
        if time.monotonic() - self._swept > SWEEP_S:
            self._swept = time.monotonic()
            await self._store.sweep()
        if self._overviews is not None:
            await self._drop_overviews(self._overviews)
        states = await self._versions.read(tuple(self._wanted.values()))
        for table in sorted(self._wanted.values(), key=lambda each: states.get(each.id, UNKNOWN).bytes):
            state = states.get(table.id)
            # Without overviews a large table shows a sample, so they come first.
            if (
                state is not None
                and self._overviews is not None
                and await self._overviews.is_due(table, state, self._share, self._needs.get(table.id, ()))
            ):
                await self._build(self._overviews, table, state)
                if self._wake.is_set():
                    return
            if state is not None and await self._is_due(state):
                await self._measure(table, state)
                if self._wake.is_set():
                    return

    async def _drop_overviews(self, overviews: OverviewJob) -> None:
        """Drop overviews that are not drawn from any more, unless another server builds overviews of the table."""
        for relid in await overviews.outdated():
            async with self._database.owner_session({}) as session:
                if await session.fetchval("SELECT pg_try_advisory_lock($1, $2)", LOCK, signed(relid)):
                    await overviews.drop(session, relid)

    async def _build(self, overviews: OverviewJob, table: Table, state: TableState) -> None:
        async with self._database.owner_session(overviews.session) as session:
            if not await session.fetchval("SELECT pg_try_advisory_lock($1, $2)", LOCK, signed(state.relid)):
                return
            started = time.monotonic()
            self.built += await overviews.run(
                session, table, state, self._share, self._needs.get(table.id, ())
            )
            seconds = time.monotonic() - started
        await self._rest(seconds)

    async def _is_due(self, state: TableState, fresh: bool = False) -> bool:
        if not state.version:
            return False
        row = await self._store.row(state.relid, fresh)
        if row is None:
            return True
        return row.data_version != state.version and row.age_s >= row.seconds / self._share

    async def _measure(self, table: Table, state: TableState) -> None:
        async with self._database.owner_session({}) as session:
            if not await session.fetchval("SELECT pg_try_advisory_lock($1, $2)", LOCK, signed(state.relid)):
                return
            # Another server may have measured it in the meantime.
            if not await self._is_due(state, fresh=True):
                return
            started = time.monotonic()
            profile, fault = None, None
            try:
                with working_for(f"profile {table.id}"):
                    profile = await measured(
                        self._database.profiler, table, state.version, partial(self._layout, table)
                    )
                self.measured += 1
            except Exception as error:
                # Errors of every kind: without a record, the same table would be tried again and again, first.
                if is_unavailable(error):
                    raise
                fault = str(getattr(error, "orig", error))[:500] or type(error).__name__
                self.failed += 1
                expected = isinstance(error, SQLAlchemyError | ToolFailed)
                log.info("a table could not be profiled", table=table.id, error=fault, exc_info=not expected)
            seconds = time.monotonic() - started
            await self._store.write(state.relid, state.version, profile, fault, seconds)
        await self._rest(seconds)

    async def _rest(self, seconds: float) -> None:
        """Pause after so many seconds of work, so that the share of time is kept."""
        self.busy_s += seconds
        await asyncio.sleep(seconds * (1 / self._share - 1))

    async def _layout(self, table: Table) -> str:
        return (await self._versions.of(table, max_age=0)).layout


def signed(oid: int) -> int:
    """Advisory locks take signed integers, and oids are unsigned."""
    return oid - 2**32 if oid >= 2**31 else oid
