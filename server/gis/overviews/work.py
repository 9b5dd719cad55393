"""When the overviews of a table are built, for the worker that also measures tables."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping

import asyncpg
import structlog

from agents.domain import Table
from server.database.engines import is_unavailable
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.ladder import OverviewRow, OverviewStore
from server.gis.overviews.summaries import Summary
from server.gis.profiles.versions import TableState

log = structlog.get_logger(__name__)

MAX_SUMMARIES = 8
"""Of a table: each makes the rows of its overviews up to 32 bytes wider."""
KEPT_FULL_S = 600.0
"""So long overviews with as many stay, though others are needed: two servers may need more together."""
DROP_AFTER_S = 10.0
"""By then all servers draw from the new overviews, and the old ones can be dropped."""


class OverviewWork:
    """Implements `server.gis.profiles.worker.OverviewJob`."""

    session: Mapping[str, str] = SESSION

    def __init__(self, builder: OverviewBuilder, store: OverviewStore, rows: int) -> None:
        self._builder = builder
        self._store = store
        self._rows = rows
        self._failed: set[tuple[int, Summary]] = set()
        """Of filters that could not be computed for some row."""

    async def is_due(
        self,
        table: Table,
        state: TableState,
        share: float,
        summed: Collection[Summary] = (),
        fresh: bool = False,
    ) -> bool:
        """Row-level security would be lost in overviews, so such tables have none. `summed` is what cells on maps
        are computed from."""
        if not state.version or not (state.can_be_sampled or state.is_view):
            return False
        if state.by_row or state.rows < self._rows:
            return False
        row = await self._store.row(state.relid, fresh)
        if row is None or (row.next_steps is not None and row.next_version == state.version):
            return True
        if row.error is not None:
            return row.next_version != state.version
        is_old = row.data_version != state.version or _lacks(row, self._summable(table, state, summed))
        return is_old and row.age_s >= row.seconds / share

    async def run(
        self,
        session: asyncpg.Connection,
        table: Table,
        state: TableState,
        share: float,
        summed: Collection[Summary] = (),
    ) -> bool:
        if not await self.is_due(table, state, share, summed, fresh=True):
            return False
        row = await self._store.row(state.relid)
        # Another server may show what is summed up already.
        others = row.ladder.summaries if row and row.ladder and row.data_version == state.version else None
        wanted = self._summable(table, state, [*summed, *(others or ())])
        try:
            if await self._builder.renew(session, table, state, wanted):
                return True
            done = await self._builder.build(session, table, state, wanted)
        except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            if is_unavailable(error) or session.is_closed():
                raise
            log.info("overviews could not be built", table=table.id, error=str(error)[:300])
            filtered = {(state.relid, each) for each in wanted if each.filter is not None}
            if filtered:
                # A filter may fail for some row, which must not leave the table without overviews.
                self._failed |= filtered
                return False
            await self._builder.fail(session, state, str(error)[:500])
            return False
        if done:
            await asyncio.sleep(DROP_AFTER_S)
        await self._builder.drop_old(session, state)
        return done

    def _summable(self, table: Table, state: TableState, summed: Iterable[Summary]) -> list[Summary]:
        """The first of these that can be computed, as many as overviews have room for."""
        possible = [
            each
            for each in dict.fromkeys(summed)
            if (state.relid, each) not in self._failed and each.is_possible(table)
        ]
        return possible[:MAX_SUMMARIES]

    async def dropped(self) -> list[int]:
        return await self._store.dropped()

    async def drop(self, session: asyncpg.Connection, relid: int) -> None:
        await self._builder.drop(session, relid)


def _lacks(row: OverviewRow, summed: Collection[Summary]) -> bool:
    """Whether overviews miss what is needed, and have room for it or had time to serve others."""
    if row.ladder is None:
        return False
    known = row.ladder.summaries
    if known is None:
        return True
    return (len(known) < MAX_SUMMARIES or row.age_s > KEPT_FULL_S) and not set(summed) <= set(known)
