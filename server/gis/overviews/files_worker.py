"""Builds the overviews of lake tables in the background, one at a time for all servers on the database.

Apart from the worker for other tables (`server.gis.profiles.worker`), because reading files takes minutes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterable, Mapping

import structlog

from agents.domain import Table
from server.database.engines import Database
from server.gis.overviews.summaries import Need
from server.gis.overviews.work import OverviewWork
from server.gis.profiles.versions import DataVersions
from server.gis.profiles.worker import LOCK, TableWorker, signed

log = structlog.get_logger(__name__)

ONE_AT_A_TIME = 0
"""Second key of the advisory lock of the server that builds; no table has this oid."""
RETRY_S = 30.0
"""Pause after Spark was needed for something else, or could not be reached."""


class LakeOverviewWorker(TableWorker):
    """Builds the overviews of those of the wanted tables that are lake tables."""

    def __init__(self, database: Database, versions: DataVersions, work: OverviewWork, share: float) -> None:
        super().__init__(database, versions, share)
        self._work = work

    def want(self, tables: Iterable[Table], needs: Mapping[str, Collection[Need]] | None = None) -> None:
        """Queue those of the tables that are lake tables."""
        super().want((table for table in tables if table.lake is not None), needs)

    async def _failed(self, error: Exception) -> None:
        log.info("overviews of lake tables are postponed", error=str(error)[:300])
        await asyncio.sleep(RETRY_S)

    async def _round(self) -> None:
        """Small tables first."""
        for relid in self._work.replaced():
            async with self._database.owner_session(self._work.session) as session:
                if await session.fetchval("SELECT pg_try_advisory_lock($1, $2)", LOCK, signed(relid)):
                    await self._work.drop(session, relid)
        states = await self._versions.read(tuple(self._wanted.values()))
        for table in sorted(self._wanted.values(), key=lambda each: each.lake.bytes if each.lake else 0):
            state, needs = states.get(table.id), self._needs.get(table.id, ())
            if state is None or not await self._work.is_due(table, state, self._share, needs):
                continue
            async with self._database.owner_session(self._work.session) as session:
                keys = (ONE_AT_A_TIME, signed(state.relid))
                if all(
                    [await session.fetchval("SELECT pg_try_advisory_lock($1, $2)", LOCK, k) for k in keys]
                ):
                    started = time.monotonic()
                    if await self._work.run(session, table, state, self._share, needs):
                        seconds = round(time.monotonic() - started, 1)
                        log.info("overviews of a lake table are built", table=table.id, seconds=seconds)
            return
