"""Charts, assembled from pieces in any order: `total value of residential parcels per district, as a bar chart`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from agents.offline.commands.analyses.periods import columns_of_period
from agents.offline.commands.analyses.rules import Context
from agents.offline.commands.assembly.asked import COUNT, Asked
from agents.offline.commands.assembly.computed import with_size, without_dates
from agents.offline.commands.assembly.groups import grouped
from agents.offline.commands.assembly.piece import Piece
from agents.offline.commands.charts import kind_named
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.names.dates import times_of
from agents.offline.meaning import intents as i
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import ColumnMention, at_date
from agents.offline.meaning.steps import ANY_TIME, Grouped
from agents.offline.meaning.units import column_unit

_OTHERS = (
    "per", "between", "top", "does", "number", "look", "same", "measured", "part", "whose", "change", "span",
    "whole", "compare",
)  # fmt: skip
"""Pieces that do not belong to a chart."""
_GROUPS = ("", "bar", "pie")
"""Kinds with a bar or slice per group; `chart` alone is one of them."""
_PERIODS = ("year", "month")
_HOW = {"min": "minimum", "max": "maximum"}


def chart_pieces(cursor: Cursor, place: int) -> Iterable[Piece]:
    """`as a pie chart`, `line chart of`, `as a line`; `over time`."""
    cursor.at = place
    if cursor.take(p.OVER_TIME):
        yield Piece("over time", place, cursor.at, text=cursor.since(place))
    cursor.at = place
    cursor.take(",")
    is_form = cursor.take("as", "in", "on", p.MAKE_ME) is not None
    is_form = cursor.take("a", "an", "the") is not None and is_form
    kind = (
        cursor.take(p.CHARTS) or cursor.take(p.RELATED) or (cursor.take("line", "bar") if is_form else None)
    )
    if kind is not None:
        cursor.take("of", "with", "showing", "for", "please", "pls")
        yield Piece("chart", place, cursor.at, kind, 0.5, cursor.since(place))


def follows_chart(cursor: Cursor, place: int) -> bool:
    """Whether the request begins with words for a chart, up to a token: `bar chart of`."""
    cursor.at = 0
    cursor.take(p.MAKE_ME)
    begin = cursor.at if cursor.at < place else 0
    return any(each.kind == "chart" and each.end == place for each in chart_pieces(cursor, begin))


def charted(asked: Asked) -> i.Intent | None:
    """The chart; None if the pieces do not form one of that kind."""
    kind = kind_named(asked.all("chart")[0].value)
    if asked.has("measured"):
        asked = with_size(asked)
    is_pair = asked.has("both") and (kind != "scatter" or asked.has("group", "groups", "over time"))
    if is_pair or asked.has(*_OTHERS) or (asked.has("share") and kind != "pie") or not _is_in_own_unit(asked):
        return None
    if (split := asked.one("split")) is not None:
        return _split(asked.without("split"), kind, split.value)
    if asked.has("over time"):
        return _over_time(asked, kind) if not asked.has("group", "groups") else None
    if asked.has("groups"):
        return _of_pairs(asked, kind)
    group = asked.one("group")
    if group is None:
        return _of_columns(asked, kind)
    if group.where is not None:
        return None
    if isinstance(group.value, str):
        return _of_periods(asked, kind, group.value)
    figure, name, columns = asked.figure(), asked.group_column, asked.all("column")
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
    return i.Chart(kind or "bar", asked.mention, (columns[0].value, by), _how(figure), where=asked.where)


def charted_groups(asked: Asked, context: Context) -> i.Analyse | None:
    """A bar chart of groups whose figures take an analysis: in another unit, or totals per period."""
    kind = asked.all("chart")[0].value
    steps = grouped(asked.without("chart"), context) if kind_named(kind) in ("", "bar") else None
    last = steps[-1] if steps else None
    is_figure = isinstance(last, Grouped) or (last is not None and last.operation == "calculate")
    return i.Analyse("", is_read=True, steps=steps, chart=kind) if steps and is_figure else None


def _how(figure: dict[str, Any]) -> str:
    function: str = figure["function"]
    return _HOW.get(function, function)


def _is_in_own_unit(asked: Asked) -> bool:
    """Whether the figure is drawn in the unit that the request names, if it names one."""
    unit, columns = asked.one("unit"), [asked.table.column(name) for name in asked.columns]
    return unit is None or all(each is not None and column_unit(each) == unit.value for each in columns)


def _of_pairs(asked: Asked, kind: str) -> i.Intent | None:
    """`incidents per month and cause`: a series for each value of the second column."""
    groups = asked.all("groups")[0]
    first, second = groups.value[::-1] if isinstance(groups.value[1], str) else groups.value
    if groups.where is not None or isinstance(second, str):
        return None
    one = replace(groups, kind="group", value=first)
    return _split(
        replace(asked, pieces=tuple(one if each is groups else each for each in asked.pieces)), kind, second
    )


def _split(asked: Asked, kind: str, by: ColumnMention) -> i.Intent | None:
    """The chart with a series for each value of a column."""
    own = asked.table.column(asked.own_column(by) or "")
    found = charted(asked) if own is not None and own.kind in ("text", "boolean") else None
    if own is None or not isinstance(found, i.Chart) or kind == "pie" or found.color is not None:
        return None
    return replace(found, color=ColumnMention(by.text, (own.name,)))


def _of_periods(asked: Asked, kind: str, period: str) -> i.Intent | None:
    """A figure or the number of rows per year or month, by the named or the only date or column of years."""
    others, whens = without_dates(asked)
    figure = others.figure()
    if len(whens) > 1 or figure is None or period not in _PERIODS or kind not in ("", "bar", "line"):
        return None
    if asked.has("order", "most", "amount", "share") or (figure == COUNT and not asked.has("rows", "count")):
        return None
    named = whens[0].value.columns if whens else None
    times = columns_of_period(asked.table, period, named, asked.where)
    if times is None:
        return None
    names, are_years = times
    text = whens[0].value.text if whens else names[0] if len(names) == 1 else ANY_TIME
    when, of = ColumnMention(text, tuple(names)), () if figure == COUNT else (_column(asked, figure),)
    how = "" if figure == COUNT else _how(figure)
    if are_years:
        return i.Chart(kind or "bar", asked.mention, (*of, when), how, where=asked.where)
    where = at_date(asked.where, when) if asked.where is not None else None
    if of and kind == "bar":
        return None  # bars along time only count
    drawn = "line" if of or kind == "line" else "histogram"
    return i.Chart(drawn, asked.mention, (*of, when), how, where=where, period=period)


def _over_time(asked: Asked, kind: str) -> i.Intent | None:
    """`abalone over time at Tinderbox, chart`: a line of the rows or of a column along their only date."""
    named, columns, times = asked.one("figure"), asked.all("column"), times_of(asked.table)
    numbers = all(asked.is_figure(name) for each in columns for name in each.value.columns)
    is_counted = not columns and named is None and asked.has("rows")
    if len(times) != 1 or not (is_counted or (numbers and len(columns) == 1)) or kind not in ("", "line"):
        return None
    if asked.has("order", "most", "amount", "share") or (asked.has("count", "unit") and not is_counted):
        return None
    when = ColumnMention(times[0].name, (times[0].name,))
    of, how = [each.value for each in columns], named.value if named is not None else ""
    where = at_date(asked.where, when) if asked.where is not None else None
    return i.Chart("line", asked.mention, (*of, when), how, where=where)


def _column(asked: Asked, figure: dict[str, Any]) -> ColumnMention:
    text = figure["column"].text
    found: ColumnMention = next(each.value for each in asked.all("column") if each.value.text == text)
    return found


def _of_columns(asked: Asked, kind: str) -> i.Intent | None:
    """`histogram of the rents`, `scatter plot of rent against floor area`: of numeric columns."""
    columns = [each.value for each in asked.all("column")]
    if (both := asked.one("both")) is not None and kind == "scatter":
        columns += [ColumnMention(each, (each,)) for each in both.value.columns]
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
