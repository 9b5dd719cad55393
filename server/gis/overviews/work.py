"""When the overviews of a table are built, for the worker that also measures tables."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence

import asyncpg
import structlog
from cachetools import TTLCache

from agents.domain import Table
from server.database.engines import is_unavailable
from server.gis.errors import GisError
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.dense.tiles import lacks_dense_bands
from server.gis.overviews.ladder import OverviewRow, OverviewStore
from server.gis.overviews.stored import fail
from server.gis.overviews.summaries import FilteredRows, Need, Summary
from server.gis.profiles.versions import TableState

log = structlog.get_logger(__name__)

MAX_SUMMARIES = 8
"""Limit for a table: each makes the rows of its overviews up to 32 bytes wider."""
REPORT_S = 60.0
IDLE_S = 180.0
"""Overviews that no open map has needed for this time give their place to those that one needs."""
NO_ROOM_S = 600.0
"""Seconds before it is tried again."""
MOST_FAILING = 1 / 50
"""Share of the time for builds that fail: half an hour a day. There may be more room or memory by then."""
DROP_AFTER_S = 10.0
"""By then all servers draw from the new overviews, and the old ones can be dropped."""


class OverviewWork:
    """Implements `server.gis.profiles.worker.OverviewJob`."""

    session: Mapping[str, str] = SESSION

    def __init__(self, builder: OverviewBuilder, store: OverviewStore, rows: int, filters: int = 4) -> None:
        """`rows` is the size from which on a table has overviews, `filters` how many of its filters have their own."""
        self._builder = builder
        self._store = store
        self._rows = rows
        self._filters = filters
        self._failed: set[tuple[int, Need]] = set()
        """Tables and filters that could not be computed for some row."""
        self._replaced: dict[int, float] = {}
        """Tables whose former overviews can be dropped, and when."""
        self._without_room: TTLCache[tuple[int, Need], bool] = TTLCache(1000, NO_ROOM_S)

    async def is_due(
        self, table: Table, state: TableState, share: float, needs: Collection[Need] = (), fresh: bool = False
    ) -> bool:
        """Whether overviews must be built or renewed; tables with row-level security have none, for it would be
        lost in them. `needs` are those of layers on maps."""
        if not self._builder.can_build(table) or not state.version:
            return False
        rows = state.rows if table.lake is None else table.lake.rows
        if not (state.can_be_sampled or state.is_view) or state.by_row or rows < self._rows:
            return False
        row = await self._store.row(state.relid, fresh)
        if row is not None and any(row.idle_s(need) > REPORT_S for need in needs):
            await self._store.report(state.relid, needs)
        return self._is_whole_due(row, table, state, share, needs) or (
            self._filtered_due(row, table, state, share, needs) is not None
        )

    async def run(
        self,
        session: asyncpg.Connection,
        table: Table,
        state: TableState,
        share: float,
        needs: Collection[Need] = (),
    ) -> bool:
        """Build or renew the overviews of a table if that is due; returns whether anything was done. `share` is the
        fraction of time that the work may take, 0 to 1."""
        if not await self.is_due(table, state, share, needs, fresh=True):
            return False
        row = await self._store.row(state.relid)
        rows = None
        if not self._is_whole_due(row, table, state, share, needs):
            rows = self._filtered_due(row, table, state, share, needs)
        wanted = self._summaries(row, table, state, needs)
        started = time.monotonic()
        try:
            if row is not None and rows is not None:
                dropped = _least_needed(row, rows)[self._filters - 1 :]
                done = await self._builder.build_filtered(session, table, state, rows, dropped)
                if not done:
                    self._without_room[state.relid, rows] = True
                    return False
            elif await self._builder.renew(session, table, state, wanted, self._renewable(row, table, state)):
                return True
            else:
                done = await self._builder.build(session, table, state, wanted)
        except Exception as error:
            # Errors of every kind: without a record, the same table would be tried again and again, before larger ones.
            if _is_passing(error) or session.is_closed():
                raise
            seconds = time.monotonic() - started
            await self._note_fault(session, table, state, [rows] if rows else wanted, error, seconds)
            return False
        if done and row is not None and row.ladder is not None:
            self._replaced[state.relid] = time.monotonic() + DROP_AFTER_S
        else:
            await self._builder.drop_old(session, state.relid)
        return done

    async def _note_fault(
        self,
        session: asyncpg.Connection,
        table: Table,
        state: TableState,
        needs: Sequence[Need],
        error: Exception,
        seconds: float,
    ) -> None:
        fault = str(error)[:500] or type(error).__name__
        is_expected = isinstance(error, asyncpg.PostgresError | asyncpg.InterfaceError | GisError)
        log.info("overviews could not be built", table=table.id, error=fault, exc_info=not is_expected)
        filtered = {(state.relid, each) for each in needs if each.filter is not None}
        if filtered:
            # A filter may fail for some row, which must not leave the table without overviews.
            self._failed |= filtered
        else:
            await fail(session, state, fault, seconds)

    def _is_whole_due(
        self, row: OverviewRow | None, table: Table, state: TableState, share: float, needs: Collection[Need]
    ) -> bool:
        """Whether the overviews of all rows have to be built or renewed."""
        if row is None or (row.next_steps is not None and row.next_version == state.version):
            return True
        if row.error is not None:
            is_old_fault = row.age_s > max(NO_ROOM_S, row.seconds / MOST_FAILING)
            return row.next_version != state.version or is_old_fault
        is_old = row.data_version != state.version or _lacks(row, self._possible(table, state, needs))
        is_old = is_old or (row.ladder is not None and lacks_dense_bands(table, row.ladder))
        return is_old and row.age_s >= row.seconds / share

    def _filtered_due(
        self, row: OverviewRow | None, table: Table, state: TableState, share: float, needs: Collection[Need]
    ) -> FilteredRows | None:
        """The first filter whose rows have no overviews, or those of other data."""
        if row is None or row.ladder is None:
            return None
        has_place = len(row.filtered) < self._filters or any(
            _idle_s(row, name) > IDLE_S for name in row.filtered
        )
        for need in dict.fromkeys(needs):
            if not isinstance(need, FilteredRows) or (state.relid, need) in self._without_room:
                continue
            known = row.filtered.get(need.filter)
            if known is None:
                is_due = has_place
            else:
                is_due = known.data_version != state.version
                is_due = is_due and row.read_at - known.built_at >= known.seconds / share
            if is_due and self._can_compute(table, state, need):
                return need
        return None

    def _renewable(self, row: OverviewRow | None, table: Table, state: TableState) -> list[str]:
        """The filters whose overviews open maps need."""
        if row is None:
            return []
        return [
            name
            for name in row.filtered
            if _idle_s(row, name) <= IDLE_S and self._can_compute(table, state, FilteredRows(filter=name))
        ]

    def _summaries(
        self, row: OverviewRow | None, table: Table, state: TableState, needs: Collection[Need]
    ) -> list[Summary]:
        """What overviews are built with: first what they know and another server may need, then what is needed here,
        last what else they know of the same data."""
        known = (row.ladder.summaries or ()) if row is not None and row.ladder is not None else ()
        used = [each for each in known if row is not None and row.idle_s(each) <= IDLE_S]
        others = known if row is not None and row.data_version == state.version else ()
        return self._possible(table, state, [*used, *needs, *others])[:MAX_SUMMARIES]

    def _possible(self, table: Table, state: TableState, needs: Iterable[Need]) -> list[Summary]:
        """The summaries that can be computed."""
        return [
            each
            for each in dict.fromkeys(needs)
            if isinstance(each, Summary) and self._can_compute(table, state, each)
        ]

    def _can_compute(self, table: Table, state: TableState, need: Need) -> bool:
        return (state.relid, need) not in self._failed and self._builder.can_compute(table, need)

    async def outdated(self) -> list[int]:
        """The oids of tables whose old overviews can be dropped."""
        return [*await self._store.dropped(), *self.replaced()]

    def replaced(self) -> list[int]:
        """Tables with overviews that no server draws from any more since newer ones took their place."""
        return [relid for relid, since in self._replaced.items() if since <= time.monotonic()]

    async def drop(self, session: asyncpg.Connection, relid: int) -> None:
        """Drop the overviews of a dropped table, or replaced ones of another."""
        self._replaced.pop(relid, None)
        if relid in await self._store.dropped():
            await self._builder.drop(session, relid)
        else:
            await self._builder.drop_old(session, relid)


def _is_passing(error: Exception) -> bool:
    """Whether the database was unavailable or busy, which says nothing about the table. A full disk or a time
    limit does."""
    if isinstance(error, OSError):
        return isinstance(error, ConnectionError)
    if isinstance(error, GisError):
        return error.code in ("unavailable", "busy")
    return is_unavailable(error)


def _lacks(row: OverviewRow, summed: Sequence[Summary]) -> bool:
    """Whether overviews miss what is needed, and have a place for it."""
    if row.ladder is None:
        return False
    known = row.ladder.summaries
    if known is None:
        return True
    if set(summed) <= set(known):
        return False
    return len(known) < MAX_SUMMARIES or any(row.idle_s(each) > IDLE_S for each in known)


def _idle_s(row: OverviewRow, filter: str) -> float:
    return row.idle_s(FilteredRows(filter=filter))


def _least_needed(row: OverviewRow, rows: FilteredRows) -> list[str]:
    """The filters besides that of `rows`, those needed last first."""
    others = [name for name in row.filtered if name != rows.filter]
    return sorted(others, key=lambda name: _idle_s(row, name))
