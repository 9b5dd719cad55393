"""What the maps ask of charts: draw one, and tell which features its parts stand for. Raises GisError."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.charts import Chart, ChartData, ChartDraft
from agents.domain import Cql2
from agents.ports import Filter, TableRegistry
from server.gis.charts.boxes import box
from server.gis.charts.links import Features, Part, Window, features_in, parts_of
from server.gis.charts.question import Question, question
from server.gis.charts.scatter import scatter
from server.gis.charts.summaries import bar, histogram, line
from server.gis.charts.words import note_of, title_of
from server.gis.filters import normalize
from server.gis.query.guard import Guard

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
class Made:
    """A chart that has no id yet, and what it draws."""

    chart: Chart
    data: ChartData


class Charts:
    def __init__(
        self,
        engine: AsyncEngine,
        registry: TableRegistry,
        readable: Readable | None = None,
        *,
        seconds: float = 15.0,
        cost: float = 20_000_000.0,
    ) -> None:
        self._registry = registry
        self._readable = readable
        self._guard = Guard(engine, seconds, cost)

    async def draw(
        self, draft: ChartDraft, table_id: str, layer_filter: Cql2 | None = None, map_id: str | None = None
    ) -> Made:
        """The chart of a table, of the rows that pass both the layer's filter and the one that was asked for.

        With `map_id` the table must be one that this map may read.
        """
        tables = self._registry
        if map_id is not None and self._readable is not None:
            tables = await self._readable(map_id)
        table = tables.get(table_id)
        own = normalize(table, draft.filter)
        asked = question(table, draft, both(layer_filter, own))
        data, rows = await asyncio.gather(DRAWERS[asked.kind](self._guard, asked), self._count(asked))
        shown = shown_rows(data)
        usable = await self._usable(asked, data, rows, shown)
        chart = Chart(
            id="",
            kind=asked.kind,
            title=draft.title or title_of(asked, data),
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
            rows=rows,
            usable=usable,
            shown=shown,
            note=note_of(rows, usable, shown),
        )
        return Made(chart, data)

    async def features(
        self, chart: Chart, data: ChartData, parts: Sequence[Part], window: Window | None = None
    ) -> Features:
        return await features_in(self._guard, self._asked(chart), data, parts, window)

    async def parts(self, chart: Chart, data: ChartData, ids: Sequence[int]) -> list[tuple[Any, ...]]:
        return await parts_of(self._guard, self._asked(chart), data, ids)

    def _asked(self, chart: Chart) -> Question:
        """The question that the chart answered."""
        draft = ChartDraft(
            kind=chart.kind,
            x=chart.x,
            y=chart.y,
            color=chart.color,
            aggregate=chart.aggregate,
            bins=chart.bins,
        )
        return question(self._registry.get(chart.table), draft, both(chart.layer_filter, chart.filter))

    async def _count(self, asked: Question) -> int:
        row = await self._guard.row(asked.rows.add_columns(sa.func.count()), asked.table.id)
        return int(row[0]) if row else 0

    async def _usable(self, asked: Question, data: ChartData, rows: int, shown: int) -> int:
        """Points are few of many; of all else what can be drawn is drawn."""
        if data.points is None or shown == rows:
            return shown
        row = await self._guard.row(asked.usable.add_columns(sa.func.count()), asked.table.id)
        return int(row[0]) if row else shown


def both(first: Filter, second: Cql2 | None) -> Any:
    """Rows for which both hold."""
    if first is None or second is None:
        return second if first is None else first
    return {"op": "and", "args": [first, second]}


def shown_rows(data: ChartData) -> int:
    if data.points is not None:
        return len(data.points.x)
    return sum(map(sum, data.counts)) + sum(each.count for each in data.boxes if each is not None)
