"""Figures per period: `permits issued per year`, `which month had the most incidents?`, `pings per zone per hour`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Column, Table
from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.groups import (
    BY_PLACE,
    HOW_MANY_OF_THEM,
    by_own_column,
    by_place,
    of_them,
)
from agents.offline.commands.analyses.rules import Build, Context, Rules, Steps, rule
from agents.offline.language.conditions.comparisons import PERIOD_WORDS
from agents.offline.language.names.dates import times_of
from agents.offline.language.names.periods import holds_hours
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import holds_years
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    Condition,
    Empty,
    Negation,
    all_of,
    at_date,
    parts_of,
)
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.filters.times import dates_of_state, state_words
from agents.offline.meaning.steps import (
    ANY_TIME,
    AddedColumn,
    AnalysisStep,
    ColumnWords,
    Grouped,
    LateCondition,
    first_groups_step,
    is_least,
    step,
)
from agents.units import Unit

_COUNT = {"function": "count"}

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBERED_DAYS = {str(number): name for number, name in enumerate(_WEEKDAYS, 1)}
_FORMATS = {"year": "YYYY", "month": "YYYY-MM", "day": "YYYY-MM-DD"}
"""Formats that keep months and days of different years apart."""
_NAMES = {"day of the week": "weekday", "hour of the day": "hour"}
_PERIOD = "period=(decade|year|quarter|month|day|weekday|day of the week|hour|hour of the day)"
_WHEN = "[(that were|that are|were|was|are|have been)] [{when:column} [for]]"
_PER = (
    f"{_WHEN} (per|by|for each|for every|in each|in every|each|every|a|of each) {_PERIOD}"
    " [of {when:column}] [{more:condition}]"
)
_FIGURE = (
    "(<what> {figure:figure} (of|for|in|among) {source:rows}"
    "|<what> [the] (number of|numbers of|count of) [all] {source:rows}"
    "|(how many|count) {source:rows} [are there|were there|there are|there were]|[<what>] {source:bare})"
)
RULES = Rules()
on = RULES.on


def _changes(period: str, date: str, *, of_years: bool = False) -> list[dict[str, Any]]:
    """Changes that add a text column for the period from a date or time; `of_years`: decades from integer years."""
    column = ColumnWords(date)
    if period == "decade":
        years = {"function": "cast", "column": column, "to": "text", "name": period}
        zero = {
            "function": "replace",
            "column": AddedColumn(period),
            "find": r"\d$",
            "pattern": True,
            "value": "0s",
        }
        return [{**years, "format": _FORMATS["year"]} if not of_years else years, zero]
    if period == "quarter":
        parts = [AddedColumn("year_of_quarter"), AddedColumn("number_of_quarter")]
        return [
            {"function": "date_part", "column": column, "part": "year", "name": "year_of_quarter"},
            {"function": "date_part", "column": column, "part": "quarter", "name": "number_of_quarter"},
            {"function": "concatenate", "columns": parts, "separator": "-Q", "name": period},
            {"function": "drop", "columns": parts},
        ]
    if period in _FORMATS:
        return [
            {"function": "cast", "column": column, "to": "text", "format": _FORMATS[period], "name": period}
        ]
    part = {"function": "date_part", "column": column, "part": period, "name": period}
    if period == "hour":
        return [part, {"function": "pad", "column": AddedColumn(period), "length": 2}]
    return [part, {"function": "map", "column": AddedColumn(period), "values": _NUMBERED_DAYS}]


@on(f"{_FIGURE} {_PER}")
def by_period(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """The `figure` of the rows `source`, or their count, per period of their table's only date."""
    rows: Features = bindings["source"]
    table = context.table(rows)
    if table is None or rows.guessed:
        return None
    rows = replace(rows, where=all_of(rows.where, bindings.get("within"), bindings.get("more")))
    if "how" not in bindings and _compares_per(bindings["period"], rows):
        return None
    figure = bindings.get("figure", _COUNT)
    period = _NAMES.get(bindings["period"], bindings["period"])
    what = (
        "Number"
        if figure["function"] == "count"
        else f"{FIGURE_NAMES[figure['function']]} {figure['column'].text}"
    )
    title = f"{what} of {rows.noun} per {period}"
    named = bindings.get("when")
    of_columns = context.vocabulary.columns_called((table,), named.text) if named is not None else None
    times = columns_of_period(table, period, of_columns, rows.where)
    hours = [each.name for each in table.columns if holds_hours(each)]
    has_times = any(each.kind == "timestamp" for each in table.columns)
    if period == "hour" and not has_times and len(hours) == 1 and named is None:
        return (Grouped(rows, hours[0], figure, title=title),)
    if times is None or (period == "hour" and not has_times):
        return None
    names, is_year = times
    if is_year and period == "year":
        return (Grouped(rows, names[0], figure, title=title),)
    if table.column(period) is not None:
        return None
    date = ANY_TIME if len(names) > 1 else names[0]
    if named is not None and rows.where is not None:
        rows = replace(rows, where=at_date(rows.where, ColumnMention(date, (date,))))
    changes = _changes(period, date, of_years=is_year)
    dated = step("columns", rows, changes=changes)
    return (dated, Grouped(RESULT, period, figure, title=title))


def columns_of_period(
    table: Table, period: str, named: Sequence[str] | None, where: Condition | None = None
) -> tuple[Sequence[str], bool] | None:
    """The dates that a period may be of, several if it is unclear which, or the column of years (True) for years and
    decades; None if the table has none. `named`: the columns that the request names for it, else those of `where`
    (`stops installed since 2015 per year`)."""
    if named is None:
        named = _dates_of(table, where) or None
    times = times_of(table) if named is None else _named_columns(table, named)
    dates = [each.name for each in times if each.kind in ("date", "timestamp")]
    of_all_rows = named is None and len(times) == 1 and not times[0].nullable
    years = _year_columns(table, named) if period in ("year", "decade") and not of_all_rows else []
    if period == "decade" and years and dates:
        return None  # it could be either
    if len(years) == 1 and len(dates) < 2:
        return years, True
    is_unclear = named is None and len(dates) > 1 and len(dates) == len(times)
    return (dates, False) if is_unclear or len(dates) == 1 else None


@on(f"{_FIGURE} (per|by|for each|for every|of each|of every) {{when:column}} [{{more:condition}}]")
def _by_date(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`by application year`: by the year of a date column."""
    when, table = bindings["when"], context.table(bindings["source"])
    period = next((each for each in name_words(when.text) if each in ("year", "quarter", "month")), "")
    names = context.vocabulary.columns_called((table,), when.text) if table is not None and period else ()
    kinds = {each.kind for each in table.columns if each.name in names} if table is not None else set()
    if kinds and kinds <= {"date", "timestamp"}:
        return by_period({**bindings, "period": period}, context)
    return None


def _compares_per(period: str, rows: Features) -> bool:
    """Whether `a day` is part of a comparison: `more than 400 riders a day`, for `daily_riders`."""
    compared = [each for each in parts_of(rows.where) if isinstance(each, Compare | Between)]
    names = {name for each in compared if each.column is not None for name in each.column.columns}
    return any(PERIOD_WORDS.get(period, frozenset()) & set(name_words(name)) for name in names)


def _dates_of(table: Table, where: Condition | None) -> list[str]:
    """The columns of dates and years that a condition compares, or else of the state that it names."""
    compared = [each.column for each in parts_of(where) if isinstance(each, Compare | Between)]
    names = {name for each in compared if each is not None for name in each.columns}
    found = [
        each.name
        for each in table.columns
        if each.name in names and (each.kind in ("date", "timestamp") or holds_years(each))
    ]
    return found or [each.name for each in dates_of_state(table, state_words(where))]


def _named_columns(table: Table, names: Sequence[str] | None) -> list[Column]:
    return [each for each in table.columns if names is None or each.name in names]


def _year_columns(table: Table, names: Sequence[str] | None) -> list[str]:
    """Integer columns that hold years."""
    return [
        each.name for each in _named_columns(table, names) if each.kind == "integer" and holds_years(each)
    ]


@on(f"(which|what) {_PERIOD} (is|was) [the] how=(busiest|quietest) (for|of|in terms of) {{source:rows}}")
@on(f"[<what>|(which|what)] [the] how=(busiest|quietest) {_PERIOD} (for|of|by|in terms of) {{source:rows}}")
@on(
    f"(which|what|in which|in what|on which|on what) {_PERIOD} [of {{when:column}}] [{{within:condition}}]"
    " (had|has|have|were|are there|were there|saw|did) [the]"
    f" how=(most|fewest|least) {{source:rows}} {_WHEN} [{{more:condition}}]"
)
def _period_with_most(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which month had the most incidents?`"""
    found = by_period(bindings, context)
    most = "fewest" if is_least(bindings["how"]) else "most"
    period = _NAMES.get(bindings["period"], bindings["period"])
    ranked = first_groups_step(period, most, bindings["source"].noun, "count")
    if not found or len(found) == 1:
        is_column = period == "hour" and bindings["how"] not in ("busiest", "quietest")  # read as one
        return (*found, ranked) if found and not is_column else None
    # rows without a date belong to no period
    dated = Negation(Empty(ColumnMention(period, (period,))))
    return (
        *found,
        step("filter", RESULT, title=f"Those with a {period}", filter=LateCondition(dated)),
        ranked,
    )


FUNCTIONS = {"hours": "per_hour", "days": "per_day", "years": "per_year"}
"""Functions that count rows per unit of time."""


def _in_time(build: Build) -> Build:
    """The same for the number of rows per `period`, by their table's only date or time."""

    def built(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        rows: Features = bindings["source"]
        period: Unit = bindings["period"]
        table = context.table(rows)
        times = [each.name for each in times_of(table)] if table else []
        if period.symbol not in FUNCTIONS or len(times) != 1:
            return None
        figure = {"function": FUNCTIONS[period.symbol], "column": ColumnWords(times[0])}
        made = build({**bindings, "figure": figure}, context)
        if made is None:
            return None
        title = f"{rows.heading} per {period.symbol.removesuffix('s')} {_group_words(made[0])}"
        return (*made[:-1], replace(made[-1], title=title))

    return built


def _group_words(part: AnalysisStep | Grouped) -> str:
    if isinstance(part, Grouped):
        return f"by {part.by}"
    return f"in each {dict(part.inputs)['source'].text.removeprefix('the ')}"


_HOW_MANY = (
    "(how many|<what> [the] [average|mean] number of|<what> [the] (average|mean) (count|counts) of|count)"
)
_THERE = "[are there|were there|there are|there were]"
_PER_TIME = "(per|a|an|each|every|in a|in an) {period:unit}"
_GROUPS = (
    ("(by|per|for each|for every|in each|in every|each|of each|grouped by) {by:column}", by_own_column, 0.0),
    ("<for_each> [of] {areas:bare}", by_place, BY_PLACE),
)
_RATES = tuple(
    rule(f"{words} [on average]", _in_time(build), cost - 2.0)
    for groups, build, cost in _GROUPS
    for words in (
        f"{_HOW_MANY} {{source:rows}} {_THERE} {groups} {_THERE} [,] [on average] [,] {_PER_TIME}",
        f"{_HOW_MANY} {{source:rows}} {_THERE} [on average] {_PER_TIME} [,] [on average] {groups}",
        f"[<what>] {{source:bare}} {_PER_TIME} [,] [on average] {groups}",
    )
)

RULES += (
    *_RATES,
    rule(f"{HOW_MANY_OF_THEM} {_PER}", of_them(by_period)),
)
