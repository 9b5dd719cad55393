"""Draws charts and finds the features behind their parts. Methods raise GisError."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from agents.charts import Chart, ChartData, ChartDraft, draft_of
from agents.domain import Cql2, LakeSource
from agents.geo.wording.chart_titles import chart_title
from agents.ports import TableRegistry
from agents.worded import Template, joined, wording_of
from server.gis.charts.boxes import box
from server.gis.charts.links import Features, Part, Window, features_in, parts_of
from server.gis.charts.question import Question, question
from server.gis.charts.scatter import scatter
from server.gis.charts.summaries import bar, histogram, line
from server.gis.filters import both, normalize
from server.gis.statements.guard import Guard

NO_ROW = Template("chart_no_row", "No row passes the filter.")
ONLY = Template("chart_only", "Only {sample}")
CHOSEN = Template("chart_chosen", "{n} of {total} rows, evenly chosen")
NO_VALUE = Template("chart_no_value", "{n} of {total} rows {n|one=has|other=have} no value")


def note_of(rows: int, usable: int, shown: int, lake: LakeSource | None = None) -> str:
    """A note on rows that are not drawn: `usable` rows have all values that a point needs; `shown` of them are
    drawn."""
    if rows == 0:
        return NO_ROW()
    parts = [ONLY(sample=lake.words)] if lake is not None and lake.is_sampled else []
    if shown < usable:
        parts.append(CHOSEN(n=shown, total=usable))
    if usable < rows:
        parts.append(NO_VALUE(n=rows - usable, total=rows))
    return joined("; ", parts)


DRAWERS: dict[str, Callable[[Guard, Question], Awaitable[ChartData]]] = {
    "bar": bar,
    "line": line,
    "histogram": histogram,
    "scatter": scatter,
    "box": box,
}


Readable = Callable[[str], Awaitable[TableRegistry]]
"""The tables that a map may read."""


@dataclass(frozen=True)
class ComputedChart:
    """A chart without an id, and its data."""

    chart: Chart
    data: ChartData


class Charts:
    """Reads as `engine`'s role, each statement within the limits of `Guard`."""

    def __init__(
        self,
        engine: AsyncEngine,
        registry: TableRegistry,
        readable: Readable | None = None,
    ) -> None:
        self._registry = registry
        self._readable = readable
        self._guard = Guard(engine)

    async def draw(
        self, draft: ChartDraft, table_id: str, layer_filter: Cql2 | None = None, map_id: str | None = None
    ) -> ComputedChart:
        """The chart of the rows that pass both the layer's filter and the draft's.

        With `map_id` the table must be readable for that map."""
        tables = self._registry
        if map_id is not None and self._readable is not None:
            tables = await self._readable(map_id)
        table = tables.get(table_id)
        own = normalize(table, draft.filter)
        asked = question(table, draft, both(layer_filter, own))
        counting = self._guard.count(asked.rows, table.id)
        data, rows = await asyncio.gather(DRAWERS[asked.kind](self._guard, asked), counting)
        usable = shown = shown_rows(data)
        if (
            data.points is not None and shown < rows
        ):  # only scatter plots show fewer than have all needed values
            usable = await self._guard.count(asked.usable, table.id)
        note = note_of(rows, usable, shown, table.lake)
        chart = Chart(
            id="",
            kind=asked.kind,
            title=draft.title or "",
            titled=bool(draft.title),
            table=table.id,
            layer_id=draft.layer_id,
            layer_filter=layer_filter,
            filter=own,
            x=asked.x.name if asked.x else None,
            y=asked.y.name if asked.y else None,
            color=asked.color.name if asked.color else None,
            aggregate=asked.aggregate,
            bins=asked.bins,
            period=asked.period,
            rows=rows,
            usable=usable,
            shown=shown,
            note=note,
            wording=wording_of(note),
        )
        return ComputedChart(chart.model_copy(update={"title": str(chart_title(chart))}), data)

    async def features(
        self, chart: Chart, data: ChartData, parts: Sequence[Part], window: Window | None = None
    ) -> Features:
        """The rows that parts of the chart represent, as far as they are in `window`."""
        return await features_in(self._guard, self._asked(chart), data, parts, window)

    async def parts(self, chart: Chart, data: ChartData, ids: Sequence[int]) -> list[tuple[Any, ...]]:
        """The parts of the chart that rows with these ids belong to."""
        return await parts_of(self._guard, self._asked(chart), data, ids)

    def _asked(self, chart: Chart) -> Question:
        """The question that the chart answers."""
        filter = both(chart.layer_filter, chart.filter)
        return question(self._registry.get(chart.table), draft_of(chart), filter)


def shown_rows(data: ChartData) -> int:
    """The number of rows that the chart shows."""
    if data.points is not None:
        return len(data.points.x)
    return sum(map(sum, data.counts)) + sum(each.count for each in data.boxes if each is not None)
