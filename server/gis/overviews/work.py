"""When the overviews of a table are built, for the worker that also measures tables."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import asyncpg
import structlog

from agents.domain import Table
from server.database.engines import is_unavailable
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.ladder import OverviewStore
from server.gis.profiles.versions import TableState

log = structlog.get_logger(__name__)

DROP_AFTER_S = 10.0
"""By then all servers draw from the new overviews, and the old ones can be dropped."""


class OverviewWork:
    """Implements `server.gis.profiles.worker.OverviewJob`."""

    session: Mapping[str, str] = SESSION

    def __init__(self, builder: OverviewBuilder, store: OverviewStore, rows: int) -> None:
        self._builder = builder
        self._store = store
        self._rows = rows

    async def is_due(self, state: TableState, share: float, fresh: bool = False) -> bool:
        """Row-level security would be lost in overviews, so such tables have none."""
        if not state.version or not (state.can_be_sampled or state.is_view):
            return False
        if state.by_row or state.rows < self._rows:
            return False
        row = await self._store.row(state.relid, fresh)
        if row is None or (row.next_steps is not None and row.next_version == state.version):
            return True
        if row.error is not None:
            return row.next_version != state.version
        is_old = row.data_version != state.version or (row.ladder is not None and not row.ladder.cells)
        return is_old and row.age_s >= row.seconds / share

    async def run(self, session: asyncpg.Connection, table: Table, state: TableState, share: float) -> bool:
        if not await self.is_due(state, share, fresh=True):
            return False
        try:
            done = await self._builder.build(session, table, state)
        except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            if is_unavailable(error) or session.is_closed():
                raise
            log.info("overviews could not be built", table=table.id, error=str(error)[:300])
            await self._builder.fail(session, state, str(error)[:500])
            return False
        if done:
            await asyncio.sleep(DROP_AFTER_S)
        await self._builder.drop_old(session, state)
        return done

    async def dropped(self) -> list[int]:
        return await self._store.dropped()

    async def drop(self, session: asyncpg.Connection, relid: int) -> None:
        await self._builder.drop(session, relid)
