"""Tools that create and remove charts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Annotated, Any

from agents.chart_rows import columns_of, rows_of
from agents.charts import MAX_BINS, Aggregate, Chart, ChartData, ChartDraft, ChartKind, Period
from agents.core import Param, Result, tool
from agents.domain import Table
from agents.geo import choices
from agents.geo.tools import FILTERS_SCHEMA, GeoTools, read_filter
from agents.geo.wording.chart_titles import chart_title
from agents.geo.wording.phrases import filter_words, number
from agents.worded import Template, Worded

CHART = Template("tool_chart", "Chart: {title} ({rows|one=# row|other=# rows})")
REMOVED_CHART = Template("tool_removed_chart", "Removed the chart {title}")

MAX_ROWS_FOR_MODEL = 40
"""Rows of a chart that a model gets; `MAX_POINTS_FOR_MODEL` for scatter plots."""
MAX_POINTS_FOR_MODEL = 5
_ADDITIVE = (
    "pop", "count", "total", "area", "amount", "sales", "number", "gdp", "capacity", "people", "visits", "length",
)  # fmt: skip
"""Parts of the names of columns whose values can be added up."""


def only_number(agent: ChartTools, arguments: Mapping[str, Any]) -> str | None:
    """The only numeric column that the chart can show."""
    table = agent.charted_table(str(arguments.get("data")))
    found = [] if table is None else choices.numeric_columns(table)
    return found[0] if len(found) == 1 else None


def main_x(agent: ChartTools, arguments: Mapping[str, Any]) -> str | None:
    """The default for x: for a histogram, the only numeric column."""
    return only_number(agent, arguments) if arguments.get("kind") == "histogram" else None


def main_y(agent: ChartTools, arguments: Mapping[str, Any]) -> str | None:
    """The default for y: for a box plot, the only numeric column."""
    return only_number(agent, arguments) if arguments.get("kind") == "box" else None


def usual_aggregate(agent: ChartTools, arguments: Mapping[str, Any]) -> str | None:
    """`sum` for columns that can be added up, such as people; `mean` for others, such as heights."""
    if arguments.get("kind") not in ("bar", "line") or not arguments.get("y"):
        return None
    name = str(arguments["y"]).lower()
    bar = arguments["kind"] == "bar"
    return "sum" if bar and any(word in name for word in _ADDITIVE) and "density" not in name else "mean"


def chart_ids(agent: ChartTools) -> list[str]:
    """The ids of the charts on the map."""
    return [chart.id for chart in agent.map.charts()]


def only_chart(agent: ChartTools) -> str | None:
    """The only chart on the map, if there is exactly one."""
    charts = agent.map.charts()
    return charts[0].id if len(charts) == 1 else None


class ChartTools(GeoTools):
    """Tools for charts; a mixin of GeoAgent."""

    @tool(params={"filters": FILTERS_SCHEMA})
    async def make_chart(
        self,
        kind: ChartKind,
        data: Annotated[str, Param(resolve=choices.only_layer)],
        x: Annotated[str | None, Param(resolve=main_x)] = None,
        y: Annotated[str | None, Param(resolve=main_y)] = None,
        color: str | None = None,
        aggregate: Annotated[Aggregate | None, Param(resolve=usual_aggregate)] = None,
        filters: dict[str, Any] | str | None = None,
        bins: Annotated[int, Param(minimum=2, maximum=MAX_BINS)] | None = None,
        period: Period | None = None,
        title: str | None = None,
    ) -> Result:
        """Draw a chart of a layer or of a whole table. The result holds the numbers that are drawn.

        Args:
            data: A layer or a table.
            x: Groups of bar and box, number or time of line, else a number.
            y: A number; bar and line aggregate it, or count rows.
            color: A column of few values to split by.
            period: Of a time as x of line and histogram, in place of bins.
        """
        draft = ChartDraft(
            kind=kind, **self.chart_subject(data), filter=read_filter(filters), x=x, y=y, color=color,
            aggregate=aggregate, bins=bins, period=period, title=title,
        )  # fmt: skip
        chart, drawn = await self.map.add_chart(draft)
        return Result(
            chart_facts(chart, drawn), summary=CHART(title=chart_title(chart), rows=number(chart.rows))
        )

    @tool(sequential=True, needs_choice=True)
    async def remove_chart(self, chart: Annotated[str, Param(enum=chart_ids, resolve=only_chart)]) -> Result:
        """Take a chart away."""
        gone = await self.map.remove_chart(chart)
        left = [each.title for each in self.map.charts()]
        return Result(
            {"removed": chart_title(gone), "charts": left}, summary=REMOVED_CHART(title=chart_title(gone))
        )

    def chart_subject(self, data: str) -> dict[str, str]:
        """The part of a draft that says what the chart is of."""
        if any(layer.id == data for layer in self.map.layers()):
            return {"layer_id": data}
        return {"table": self.table(data).id}

    def charted_table(self, data: str) -> Table | None:
        """The table of a layer or table id, as tools take it in `data`; None if it is unknown."""
        subject = {layer.id: layer.table for layer in self.map.layers()}.get(data, data)
        return self.catalogue().by_id.get(subject)


def chart_facts(chart: Chart, data: ChartData) -> dict[str, Any]:
    """What the model gets about a chart: its numbers as rows."""
    most = MAX_POINTS_FOR_MODEL if data.points is not None else MAX_ROWS_FOR_MODEL
    rows = [row for row in islice(rows_of(chart, data), 500) if data.points is not None or any(row[-2:])]
    facts: dict[str, Any] = {
        "chart_id": chart.id,
        "kind": chart.kind,
        "title": chart_title(chart),
        "table": chart.table,
        "rows": chart.rows,
        "columns": columns_of(chart, data),
        "drawn": rows[:most],
    }
    if len(rows) > most:
        facts["not_listed"] = f"the first {most} of what is drawn"
    kept = [each for each in (chart.layer_filter, chart.filter) if each is not None]
    if kept:
        facts["filter_words"] = filter_words({"op": "and", "args": kept} if len(kept) > 1 else kept[0])
    if chart.note:
        facts["note"] = Worded(chart.note, chart.wording)
    if chart.rows == 0:
        facts["empty"] = "No row passes the filter: the chart shows nothing. Say that."
    return facts
