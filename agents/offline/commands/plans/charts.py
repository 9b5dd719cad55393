"""Calls for charts: from the columns, rows and figures that a request names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.domain import Column, Cql2, Layer, Table
from agents.offline.answers import refusals
from agents.offline.commands.plans.drawing import ROLES, top_rows
from agents.offline.conversation.memory import Rows
from agents.offline.language.figures import adds_up
from agents.offline.language.names.dates import times_of
from agents.offline.meaning import intents as i
from agents.offline.meaning.columns import holds_years, is_number, named_column, number_columns, top_column
from agents.offline.meaning.conditions import ColumnMention, Mention
from agents.offline.meaning.cql2 import combined
from agents.offline.meaning.filters.resolver import to_cql2
from agents.offline.meaning.row_names import has_row_names, name_column
from agents.offline.meaning.scene import Calls, Refuse, Scene
from agents.result_rows import rows_of


async def chart(scene: Scene, intent: i.Chart) -> Calls:
    """Call `make_chart`. Raises Ask or Refuse."""
    mention = intent.subject
    if mention.text == "it" and scene.rows is not None and scene.rows.table in mention.tables:
        mention = Mention("it", pronoun=True)  # no rows are named: those of the question before
    is_again = mention.pronoun and (not intent.columns or mention.text == "the chart")
    if is_again and scene.rows is not None and scene.rows.charted:
        return _drawn_again(scene, intent, scene.rows)
    asked = scene.undrawn(mention) or scene.narrowed(mention)
    shown = asked is None and (mention.pronoun or bool(mention.layers))
    layer = scene.layer_of(mention) if shown else None
    table = scene.table(layer.table) if layer is not None else scene.table_of(mention)
    columns = [named_column(scene, table, each) for each in intent.columns]
    is_counted = len(columns) == 1 and intent.kind != "histogram" and not intent.how
    are_figures = layer is not None and table.is_result and not rows_of(table) and is_counted
    if layer is not None and intent.top is None and (not columns or are_figures):
        columns = _drawn_columns(layer, table)  # nobody counts the groups of figures
    filters = asked.filter if asked is not None else None
    if intent.where is not None:
        filters = combined("and", filters, await to_cql2(scene, table, intent.where))
    if intent.top is not None:
        ranked = columns[0] if columns else top_column(scene, table, intent.top)
        return await _of_the_first(scene, intent, table, ranked, filters)
    if intent.kind in ("bar", "pie") and len(columns) == 1 and is_measure(columns[0]):
        columns += await names_of_few(scene, table, layer.filter if layer is not None else None, filters)
    if not columns:
        raise Refuse(refusals.NOTHING_TO_CHART(layer=table.title), refusals.SAY_CHART())
    is_summed = bool(intent.how) and len(columns) > 1 and not intent.kind and is_number(columns[-1])
    kind = "bar" if intent.kind == "pie" or is_summed else intent.kind or _kind(columns)
    is_figure = len(columns) == 1 and is_number(columns[0]) and not holds_years(columns[0])
    times = times_of(table) if kind == "line" and is_figure else []
    columns += times if len(times) == 1 else []
    if kind == "line" and columns[-1].kind in ("text", "boolean"):
        kind = "bar"  # lines do not connect groups; the answer says so
    arguments: dict[str, Any] = {"kind": kind, "data": layer.id if layer is not None else table.id}
    arguments |= _roles(kind, columns)
    if intent.color is not None:
        arguments["color"] = named_column(scene, table, intent.color).name
    shows_figure = layer is not None and layer.style.kind == "graduated" and any(map(is_number, columns[:1]))
    if layer is not None and not intent.columns and table.is_result and (shows_figure or not rows_of(table)):
        arguments["title"] = layer.name  # each group has one figure, so nothing is summed
    adds_up = intent.kind == "pie" or (
        not table.is_result and _adds_up(table, intent.columns) and not is_number(columns[-1])
    )
    how = intent.how or ("sum" if adds_up else "")  # the slices of a pie add up to the whole
    if how and "y" in arguments and kind in ("bar", "line"):
        arguments["aggregate"] = how
    if filters is not None:
        arguments["filters"] = filters
    if intent.period:
        arguments["period"] = intent.period
    if intent.bins is not None:
        arguments["bins"] = intent.bins
    return [("make_chart", arguments)]


def _drawn_again(scene: Scene, intent: i.Chart, rows: Rows) -> Calls:
    """Call `make_chart` for the latest chart, as another kind, of another number, or with a series for each value of a
    column."""
    chart = scene.agent.map.charts()[-1]
    table = scene.table(chart.table)
    arguments = {each: getattr(chart, each) for each in ROLES if getattr(chart, each) is not None}
    kind = {"pie": "bar", "": chart.kind}.get(intent.kind, intent.kind)
    along = table.column(chart.x or "")
    is_time = along is not None and along.kind in ("date", "timestamp")
    if kind == "bar" and chart.kind in ("histogram", "line") and is_time:
        kind = "histogram"
    if kind == "line" and along is not None and along.kind in ("text", "boolean"):
        kind = "bar"  # lines do not connect groups; the answer says so
    fits = {"histogram", "line"} if is_time else {"bar", "line"}
    if kind != chart.kind and (
        not {kind, chart.kind} <= fits or (kind == "histogram" and chart.y is not None)
    ):
        raise Refuse(refusals.OTHER_CHART(kind=intent.kind))
    if intent.color is not None:
        arguments["color"] = named_column(scene, table, intent.color).name
    for measured in (named_column(scene, table, each) for each in intent.columns):
        role = "y" if chart.y is not None else "x"
        before = table.column(arguments[role])
        if before is None or is_number(before) != is_number(measured):
            raise Refuse(refusals.OTHER_CHART(kind=measured.name))
        arguments[role] = measured.name
    if chart.titled and intent.color is None and not intent.columns:
        arguments["title"] = chart.title
    filters = {"filters": rows.filter} if rows.filter is not None else {}
    return [("make_chart", {**arguments, "kind": kind, "data": rows.table, **filters})]


def _adds_up(table: Table, columns: Sequence[ColumnMention]) -> bool:
    """Whether the values of a group are summed: `households by zone`, `budget by funder`."""
    first = columns[0] if len(columns) > 1 else None
    return first is not None and adds_up(table, first.columns, first.text)


def _drawn_columns(layer: Layer, table: Table) -> list[Column]:
    """The columns that a layer shows: its categories, or its numbers by the names of rows."""
    shown, named = table.column(layer.style.column or ""), name_column(table)
    if shown is None and table.is_result and len(figures := number_columns(table)) == 1:
        shown = figures[0]  # equal counts have no colours
    if shown is not None and named is None and table.is_result and is_number(shown):
        others = {shown.name, "count", table.geometry_column, *table.key}
        groups = [each for each in table.columns if each.name not in others]
        named = groups[0] if len(groups) == 1 else None  # `flow by diameter`
    if shown is None or (named is None and is_number(shown)):
        raise Refuse(refusals.NOTHING_TO_CHART(layer=layer.name), refusals.SAY_CHART())
    return [shown, named] if is_number(shown) and named is not None else [shown]


async def _of_the_first(
    scene: Scene, intent: i.Chart, table: Table, column: Column, where: Cql2 | None
) -> Calls:
    """`the population of the ten biggest cities`: one bar per row."""
    named = name_column(table)
    if named is None or not is_number(column) or intent.kind not in ("", "bar", "pie"):
        raise Refuse(refusals.RANKED_BARS())
    assert intent.top is not None  # noqa: S101  checked by the caller; for the type checker
    found = await top_rows(scene, table, where, intent.top)
    if isinstance(found, list):
        return found
    arguments = {"kind": "bar", "data": table.id, "x": named.name, "y": column.name, "aggregate": "sum"}
    return [("make_chart", {**arguments, "filters": found})]


async def remove_chart(scene: Scene, intent: i.RemoveChart) -> Calls:
    """Call `remove_chart` for the latest chart."""
    charts = scene.agent.map.charts()
    if not charts:
        raise Refuse(refusals.NO_CHARTS())
    return [("remove_chart", {"chart": charts[-1].id})]


def _kind(columns: list[Column]) -> str:
    """The kind of chart for the columns: histogram for one number, scatter plot for two, line over time, bars for
    groups."""
    last = columns[-1]
    if last.kind in ("date", "timestamp"):
        return "line"
    if not is_number(last):
        return "bar"
    return "histogram" if len(columns) == 1 else "scatter"


def _roles(kind: str, columns: list[Column]) -> dict[str, str]:
    """Chart arguments for the columns: the first is drawn along the second. The tool refuses what does not fit."""
    first, *rest = [column.name for column in columns]
    if rest:
        return {"x": rest[0], "y": first} if kind != "histogram" else {"x": first, "color": rest[0]}
    return {"y": first} if kind == "box" else {"x": first}


PLANS = {"Chart": chart, "RemoveChart": remove_chart}


MAX_BARS_OF_ROWS = 30
"""Maximum number of rows with a bar each."""
_MANY_NUMBERS = 50
"""Integers with a wider range are not classes such as lanes or priorities."""


async def names_of_few(scene: Scene, table: Table, shown: Cql2 | None, where: Cql2 | None) -> list[Column]:
    """The column with the rows' names, if they are few enough for a bar each; else empty."""
    named = name_column(table)
    rows = combined("and", shown, where) if where is not None else shown
    is_named = named is not None and has_row_names(table)
    few = is_named and await scene.data.count(table.id, rows) <= MAX_BARS_OF_ROWS
    return [named] if named is not None and few else []


def is_measure(column: Column) -> bool:
    """Whether the values of a column seldom repeat."""
    low, high = column.minimum, column.maximum
    spans = isinstance(low, int | float) and isinstance(high, int | float) and high - low > _MANY_NUMBERS
    return is_number(column) and not holds_years(column) and (column.kind == "number" or spans)
