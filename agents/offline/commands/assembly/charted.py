"""Charts, assembled from pieces in any order: `total value of residential parcels per district, as a bar chart`."""

from __future__ import annotations

from agents.offline.commands.assembly.asked import COUNT, Asked
from agents.offline.commands.charts import kind_named
from agents.offline.language.names.columns import times_of
from agents.offline.meaning import intents as i
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import ColumnMention

_OTHERS = (
    "per", "between", "unit", "top", "does", "number", "look", "same", "measured", "part", "whose", "change", "span",
    "whole", "compare",
)  # fmt: skip
"""Pieces that do not belong to a chart."""
_GROUPS = ("", "bar", "pie")
"""Kinds with a bar or slice per group; `chart` alone is one of them."""


def charted(asked: Asked) -> i.Intent | None:
    """The chart; None if the pieces do not form one of that kind."""
    kind = kind_named(asked.all("chart")[0].value)
    group = asked.one("group")
    if asked.has(*_OTHERS) or (asked.has("share") and kind != "pie"):
        return None
    if group is None:
        return _of_columns(asked, kind)
    figure = asked.figure()
    if isinstance(group.value, str):
        return _of_periods(asked, kind, group.value)
    name, columns = asked.group_column, asked.all("column")
    if figure is None or name is None or kind not in (*_GROUPS, "line"):
        return None
    by = ColumnMention(group.value.text, (name,))
    own = asked.table.column(name)
    if asked.has("order", "most") and not (
        kind in _GROUPS and asked.descends(asked.columns) and own is not None and own.kind == "text"
    ):
        return None  # bars of texts have that order anyway
    if figure == COUNT:
        return i.Chart(kind, asked.mention, (by,), where=asked.where) if asked.has("rows", "count") else None
    how = {"min": "minimum", "max": "maximum"}.get(figure["function"], figure["function"])
    return i.Chart(kind or "bar", asked.mention, (columns[0].value, by), how, where=asked.where)


def _of_periods(asked: Asked, kind: str, period: str) -> i.Intent | None:
    """The number of rows per year or month, by the named or the only date."""
    named = [name for each in asked.all("column") for name in each.value.columns]
    dates = [
        each.name
        for each in (times_of(asked.table) if not named else asked.table.columns)
        if each.kind in ("date", "timestamp") and (not named or each.name in named)
    ]
    others = asked.has("order", "most", "figure", "amount", "share") or not asked.has("rows")
    if len(dates) != 1 or len(asked.all("column")) > 1 or period not in ("year", "month") or others:
        return None
    if kind not in ("", "bar", "line"):
        return None
    text = asked.all("column")[0].value.text if named else dates[0]
    when = ColumnMention(text, (dates[0],))
    drawn = "line" if kind == "line" else "histogram"
    return i.Chart(drawn, asked.mention, (when,), where=asked.where, period=period)


def _of_columns(asked: Asked, kind: str) -> i.Intent | None:
    """`histogram of the rents`, `scatter plot of rent against floor area`: of numeric columns."""
    columns = [each.value for each in asked.all("column")]
    own = [asked.table.column(name) for each in columns for name in each.columns]
    wanted = {"histogram": 1, "scatter": 2, "box": 1}.get(kind)
    numbers = len(own) == len(columns) and all(each is not None and is_number(each) for each in own)
    if (
        len(columns) != wanted
        or not numbers
        or asked.has("order", "most", "figure", "amount", "count", "share")
    ):
        return None
    return i.Chart(kind, asked.mention, tuple(columns), where=asked.where)
