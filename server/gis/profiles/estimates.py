"""Statistics of a column that need no pass over a large table: from its profile, else from a sample of its pages.

The sample is what ANALYZE would take: some tens of thousands of rows from pages all over the table. Counts are scaled
to the size of the table, so all of them are estimates and must be shown as such."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.sql.util import ClauseAdapter

from agents.domain import Bounds, Column, Cql2, Table
from server.gis.errors import faults_about
from server.gis.expressions import extents
from server.gis.expressions.identifiers import Expression, geometry_of, relation
from server.gis.filters import compile_filter
from server.gis.profiles.profile import TableProfile
from server.gis.profiles.versions import TableState
from server.gis.statements.guard import explained
from server.gis.styles.statistics import Category, ColumnStatistics, Distribution, Frequencies

LARGE_ROWS = 1_000_000
"""From this many rows on, a layer is first added with estimates: counting takes longer than users accept to wait."""
SAMPLED_PAGES = 600
SAMPLED_ROWS = 50_000
"""Rows of a view that are read for its statistics."""
COUNTED_COST = 100_000.0
"""Cost by the planner: rows of a filter or a view that cost no more are counted at once, in less than a second."""
MIN_PASSING = 30
"""Rows of a sample that must pass a filter for an estimate of how many of the table do."""
PAGE_BYTES = 8192


class EstimatedStatistics(ColumnStatistics):
    """As ColumnStatistics, of a sample, with all counts scaled to `rows`: those of the table, or of a filter's part."""

    def __init__(
        self,
        reader: AsyncEngine,
        table: Table,
        state: TableState,
        profile: TableProfile | None,
        column: Column,
        *,
        filter: Cql2 | None = None,
        rows: int | None = None,
    ) -> None:
        super().__init__(reader, table, filter, column)
        self._rows = (state.rows if profile is None else profile.rows) if rows is None else rows
        is_known = profile is not None and filter is None
        self._known = profile.columns.get(column.name) if is_known and profile is not None else None
        self._sample = sampled(table, state, self._where)
        self._adapter = ClauseAdapter(self._sample)

    async def distribution(self) -> Distribution:
        """Scaled to all rows: from the profile if it has a sketch, else from a sample."""
        if self._known is not None and self._known.sketch:
            return self._known.distribution(self._rows)
        found = await super().distribution()
        scale = self._rows / max(1, found.rows)
        values = min(self._rows, round(found.values * scale))
        return Distribution(self._rows, values, found.minimum, found.maximum, found.sample)

    async def class_counts(self, breaks: Sequence[float]) -> list[int]:
        """Scaled to all rows."""
        counts = await super().class_counts(breaks)
        spread = await self.distribution()
        scale = spread.values / max(1, sum(counts))
        return [round(count * scale) for count in counts]

    async def frequencies(self, limit: int) -> Frequencies:
        """Scaled to all rows: from the profile if it knows them, else from a sample."""
        if self._known is not None and (self._known.top or self._known.nulls == self._rows):
            return self._known.frequencies(self._rows, limit)
        return self._scaled(await super().frequencies(limit))

    async def counted(self, values: Sequence[Category]) -> Frequencies:
        """Scaled to all rows."""
        return self._scaled(await super().counted(values))

    def _scaled(self, found: Frequencies) -> Frequencies:
        seen = sum(count for _, count in found.top) + found.other_rows + found.nulls
        scale = self._rows / max(1, seen)
        top = tuple((value, round(count * scale)) for value, count in found.top)
        return Frequencies(
            top, round(found.other_rows * scale), found.other_values, round(found.nulls * scale)
        )

    def _note(self, query: sa.Select[*tuple[Any, ...]], values: dict[str, Any]) -> None:
        """Numbers of a sample are not evidence for an answer."""

    async def _all(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[Any]:
        return await super()._all(cast("Any", self._adapter.traverse(query)))


def sampled(table: Table, state: TableState, where: Expression | None = None) -> sa.FromClause:
    """Some hundreds of pages of the table, the same ones each time; of a view, its first rows that pass `where`."""
    if state.is_view:
        first = sa.select(relation(table)).where(sa.true() if where is None else where)
        return first.limit(SAMPLED_ROWS).subquery("sample")
    percent = min(100.0, 100.0 * SAMPLED_PAGES * PAGE_BYTES / max(1, state.bytes))
    return sa.tablesample(
        relation(table), sa.func.system(percent), name="sample", seed=sa.literal_column("1")
    )


async def estimated_rows(reader: AsyncEngine, table: Table, state: TableState) -> int:
    """Rows in the sampled pages, scaled to all pages. Pages without rows, as updates leave them, count as well: the
    planner knows how many were read."""
    query = sa.select().select_from(sampled(table, state))
    with faults_about(table.id):
        async with reader.connect() as connection:
            node = await explained(connection, query, measured=True)
    rows, pages = int(node["Actual Rows"]), node["Shared Hit Blocks"] + node["Shared Read Blocks"]
    return state.rows if not pages else max(rows, round(rows / pages * state.bytes / PAGE_BYTES))


@dataclass(frozen=True)
class EstimatedPart:
    """How many rows a layer shows, and about where they are."""

    rows: int
    bounds: Bounds | None


async def estimated_part(
    reader: AsyncEngine, table: Table, state: TableState, filter: Cql2 | None
) -> EstimatedPart | None:
    """The rows of a view, or those of a large table that pass a filter. None where counting them takes no time, or
    where too few rows of a sample pass."""
    condition = compile_filter(table, filter)
    where: Expression = sa.true() if condition is None else condition
    with faults_about(table.id):
        async with reader.connect() as connection:
            plan = await explained(connection, sa.select().select_from(relation(table)).where(where))
            if plan["Total Cost"] <= COUNTED_COST:
                return None
            source = sampled(table, state, where)
            adapter = ClauseAdapter(source)
            if state.is_view:
                shape = adapter.traverse(geometry_of(table))
                box = extents.extent_of(sa.select().select_from(source), shape, table.srid)
                is_whole = filter is None and table.bounds is not None
                bounds = table.bounds if is_whole else extents.bounds((await connection.execute(box)).one())
                return EstimatedPart(round(plan["Plan Rows"]), bounds)
            passing = sa.func.count().filter(adapter.traverse(where))
            counts = sa.select(sa.func.count(), passing).select_from(source)
            rows, passed = (await connection.execute(counts)).one()
    if passed < MIN_PASSING:
        return None
    total = await estimated_rows(reader, table, state)
    return EstimatedPart(round(total * passed / rows), table.bounds)
