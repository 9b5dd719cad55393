"""Statistics of a column that need no pass over a large table: from its profile, else from a sample of its pages.

The sample is what ANALYZE would take: some tens of thousands of rows from pages all over the table. Counts are scaled
to the size of the table, so all of them are estimates and must be shown as such.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.sql.util import ClauseAdapter

from agents.domain import Column, Table
from server.gis.errors import translated
from server.gis.expressions.identifiers import Expression, relation
from server.gis.profiles.profile import TableProfile
from server.gis.profiles.versions import TableState
from server.gis.query.guard import Explain
from server.gis.styles.statistics import Category, ColumnStatistics, Distribution, Frequencies

LARGE_ROWS = 1_000_000
"""From this many rows on, a layer is first added with estimates: counting takes longer than users accept to wait."""
SAMPLED_PAGES = 600
PAGE_BYTES = 8192


class EstimatedStatistics(ColumnStatistics):
    """As ColumnStatistics without a filter, of a sample, with all counts scaled to `state.rows`."""

    def __init__(
        self,
        reader: AsyncEngine,
        table: Table,
        state: TableState,
        profile: TableProfile | None,
        column: Column,
    ) -> None:
        super().__init__(reader, table, None, column)
        self._rows = state.rows if profile is None else profile.rows
        self._known = None if profile is None else profile.columns.get(column.name)
        self._sample = sampled(table, state)
        self._adapter = ClauseAdapter(self._sample)

    async def distribution(self) -> Distribution:
        if self._known is not None and self._known.sketch:
            return self._known.distribution(self._rows)
        found = await super().distribution()
        scale = self._rows / max(1, found.rows)
        values = min(self._rows, round(found.values * scale))
        return Distribution(self._rows, values, found.minimum, found.maximum, found.sample)

    async def class_counts(self, breaks: Sequence[float]) -> list[int]:
        counts = await super().class_counts(breaks)
        spread = await self.distribution()
        scale = spread.values / max(1, sum(counts))
        return [round(count * scale) for count in counts]

    async def frequencies(self, limit: int) -> Frequencies:
        if self._known is not None and (self._known.top or self._known.nulls == self._rows):
            return self._known.frequencies(self._rows, limit)
        return self._scaled(await super().frequencies(limit))

    async def counted(self, values: Sequence[Category]) -> Frequencies:
        return self._scaled(await super().counted(values))

    def _scaled(self, found: Frequencies) -> Frequencies:
        seen = sum(count for _, count in found.top) + found.other_rows + found.nulls
        scale = self._rows / max(1, seen)
        top = tuple((value, round(count * scale)) for value, count in found.top)
        return Frequencies(
            top, round(found.other_rows * scale), found.other_values, round(found.nulls * scale)
        )

    def _note(self, query: sa.Select[*tuple[Any, ...]], values: dict[str, Any]) -> None:
        """Numbers of a sample are no evidence for an answer."""

    async def _all(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[Any]:
        adapted = cast("Expression", self._adapter.traverse(query))
        try:
            async with self._reader.connect() as connection:
                return (await connection.execute(cast("Any", adapted))).all()
        except SQLAlchemyError as error:
            translated(error, self._table.id)


def sampled(table: Table, state: TableState) -> sa.TableSample:
    """Some hundreds of pages of the table, the same ones each time."""
    percent = min(100.0, 100.0 * SAMPLED_PAGES * PAGE_BYTES / max(1, state.bytes))
    return sa.tablesample(
        relation(table), sa.func.system(percent), name="sample", seed=sa.literal_column("1")
    )


async def estimated_rows(reader: AsyncEngine, table: Table, state: TableState) -> int:
    """Rows in the sampled pages, scaled to all pages. Pages without rows, as updates leave them, count as well: the
    planner knows how many were read."""
    query = sa.select().select_from(sampled(table, state))
    try:
        async with reader.connect() as connection:
            plan = (await connection.execute(Explain(query, measured=True))).scalar_one()
    except SQLAlchemyError as error:
        translated(error, table.id)
    node = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
    rows, pages = int(node["Actual Rows"]), node["Shared Hit Blocks"] + node["Shared Read Blocks"]
    return state.rows if not pages else max(rows, round(rows / pages * state.bytes / PAGE_BYTES))
