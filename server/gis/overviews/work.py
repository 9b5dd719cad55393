"""When the overviews of a table are built, for the worker that also measures tables."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping

import asyncpg
import structlog

from agents.domain import Table
from server.database.engines import is_unavailable
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.ladder import Ladder, OverviewStore
from server.gis.profiles.versions import TableState

log = structlog.get_logger(__name__)

MAX_SUMMED = 8
"""Columns of a table that overviews have summaries of: each makes their rows 32 bytes wider."""
NUMBERS = ("integer", "number")
DROP_AFTER_S = 10.0
"""By then all servers draw from the new overviews, and the old ones can be dropped."""


class OverviewWork:
    """Implements `server.gis.profiles.worker.OverviewJob`."""

    session: Mapping[str, str] = SESSION

    def __init__(self, builder: OverviewBuilder, store: OverviewStore, rows: int) -> None:
        self._builder = builder
        self._store = store
        self._rows = rows

    async def is_due(
        self,
        table: Table,
        state: TableState,
        share: float,
        summed: Collection[str] = (),
        fresh: bool = False,
    ) -> bool:
        """Row-level security would be lost in overviews, so such tables have none. `summed` names the columns whose
        values are shown in cells."""
        if not state.version or not (state.can_be_sampled or state.is_view):
            return False
        if state.by_row or state.rows < self._rows:
            return False
        row = await self._store.row(state.relid, fresh)
        if row is None or (row.next_steps is not None and row.next_version == state.version):
            return True
        if row.error is not None:
            return row.next_version != state.version
        is_old = row.data_version != state.version or (
            row.ladder is not None and _lacks(row.ladder, table, summed)
        )
        return is_old and row.age_s >= row.seconds / share

    async def run(
        self,
        session: asyncpg.Connection,
        table: Table,
        state: TableState,
        share: float,
        summed: Collection[str] = (),
    ) -> bool:
        if not await self.is_due(table, state, share, summed, fresh=True):
            return False
        row = await self._store.row(state.relid)
        # Another server may show what is summed up already.
        others = row.ladder.summed if row and row.ladder and row.data_version == state.version else None
        wanted = _summable(table, [*summed, *(others or ())])
        try:
            done = await self._builder.build(session, table, state, wanted)
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


def _summable(table: Table, names: Iterable[str]) -> list[str]:
    """The first of these columns that can be summed up, as many as overviews have room for."""
    columns = [table.column(name) for name in dict.fromkeys(names)]
    numbers = [column.name for column in columns if column is not None and column.kind in NUMBERS]
    return numbers[:MAX_SUMMED]


def _lacks(ladder: Ladder, table: Table, summed: Collection[str]) -> bool:
    """Whether there is room for columns that are not summed up."""
    if ladder.summed is None:
        return True
    return len(ladder.summed) < MAX_SUMMED and not set(_summable(table, summed)) <= set(ladder.summed)
