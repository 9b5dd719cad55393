"""Filters on dates, times and years: whole days, months and decades, and recurring months, weekdays and hours."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from agents.domain import Column, Cql2, Table
from agents.offline.answers import refusals
from agents.offline.language.conditions.times.days import WEEKDAYS
from agents.offline.language.conditions.times.in_force import times_lasting
from agents.offline.language.conditions.times.relative import months_before
from agents.offline.language.lexicon import DECIDED, DECISION
from agents.offline.language.names.dates import is_called_after, times_of
from agents.offline.language.names.periods import holds_hours
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import holds_years, is_point_in_time, when_column
from agents.offline.meaning.conditions import (
    IN_FORCE,
    Between,
    ColumnMention,
    Compare,
    Condition,
    DatePart,
    Day,
    OneOf,
    Operand,
    Quantity,
    is_bare_time,
    parts_of,
)
from agents.offline.meaning.cql2 import columns_in, equals, is_null, negated, property_of
from agents.offline.meaning.row_names import text_columns
from agents.offline.meaning.scene import Refuse, Scene
from agents.offline.meaning.stored_values import stored_values
from agents.offline.meaning.units import is_year
from agents.units import Unit


def of_every_year(scene: Scene, table: Table, condition: DatePart) -> Cql2:
    """Dates or times whose month, weekday or hour is one of some numbers. Raises Refuse for the hour of a date, unless
    a column holds hours of the day."""
    mention, times = condition.column, [each.name for each in times_of(table) if each.kind == "timestamp"]
    if condition.part == "hour" and mention is None and times:
        mention = ColumnMention("the time", tuple(times))
    hours = [each.name for each in table.columns if holds_hours(each)]
    if condition.part == "hour" and mention is None and len(hours) == 1:
        return equals(hours[0], condition.numbers)
    column = when_column(scene, table, mention)
    if condition.part == "hour" and column.kind != "timestamp":
        raise Refuse(refusals.NO_TIMES(column=column.name, table=table.title))
    part: Cql2 = {"op": condition.part, "args": [property_of(column.name)]}
    if len(condition.numbers) == 1:
        return {"op": "=", "args": [part, condition.numbers[0]]}
    return {"op": "in", "args": [part, list(condition.numbers)]}


def _ago(column: Column, age: Quantity, unit: Unit) -> Day | Quantity:
    """The day, or for a column of years the year, that was so long ago. Raises Refuse for other units."""
    today, months = datetime.date.today(), _MONTHS.get(unit.symbol)
    if unit.dimension != "time" or not 0 <= age.value * unit.factor <= _MAX_AGE_DAYS:
        raise Refuse(refusals.IS_AGE(column=column.name, text=age.text), refusals.SAY_YEAR())
    whole = months_before(today, round(age.value * months)) if months is not None else None
    day = whole or today - datetime.timedelta(days=age.value * unit.factor)
    if column.kind in ("date", "timestamp"):
        return Day(day.isoformat())
    return Quantity(float(day.year), text=str(day.year))


_MONTHS = {"months": 1, "years": 12}
_MAX_AGE_DAYS = 365_000


async def weekdays_named(scene: Scene, table: Table, condition: DatePart) -> Cql2 | None:
    """The rows of weekdays that a text column has as `Mon` or `Monday`, in a table without dates."""
    if condition.part != "weekday" or condition.column is not None or times_of(table):
        return None
    days = [name for name, own in WEEKDAYS.items() if len(own) == 1 and own[0] in condition.numbers]
    names = [name for day in days for name in (day, day[:3])]
    stored = await stored_values(scene, table, text_columns(table), names)
    return equals(*next(iter(stored.items()))) if len(stored) == 1 else None


def earlier(column: Column, condition: Compare) -> Compare:
    """`older than 1950`, for years and dates: before it; `older than 50 years`: before that many years ago. Raises
    Refuse for a number that is neither."""
    value = condition.value
    if isinstance(value, Quantity) and value.unit is not None:
        condition = replace(condition, value=_ago(column, value, value.unit))
    elif isinstance(value, Quantity) and not is_year(value.value):
        raise Refuse(refusals.IS_AGE(column=column.name, text=value.text), refusals.SAY_YEAR())
    mirrored = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
    return replace(condition, op=mirrored.get(condition.op, condition.op), measure="time")


def in_decade(table: Table, column: Column, op: str, decade: Day) -> Cql2:
    """`built in the 1970s`, for a column of years."""
    if not holds_years(column):
        raise Refuse(refusals.NO_YEARS(column=column.name, table=table.title))
    first = int(decade.text[:4])
    own = property_of(column.name)
    if op in ("=", "<>"):
        within: Cql2 = {"op": "between", "args": [own, first, first + 9]}
        return within if op == "=" else negated(within)
    return {"op": op, "args": [own, first + 9 if op in (">", "<=") else first]}


def at_edge(column: Column, op: str, value: Operand) -> tuple[str, Operand]:
    """The operator and value of a comparison with the start or end of a year.

    `before the end of 2021` and `after the start of 2021` include the whole year. Columns of years are
    compared with the year. Raises Refuse for a date `at the end` of a year.
    """
    if not isinstance(value, Day) or not value.edge or (op in ("=", "<>") and holds_years(column)):
        return op, value
    if op in ("=", "<>"):
        text = f"the {value.edge} of {value.text[:4]}"
        raise Refuse(refusals.NO_DATE(column=column.name, text=text), refusals.SAY_DATE())
    op = op.removesuffix("=") + ("=" if (op[0] == "<") == (value.edge == "end") else "")
    return op, _year_of(value) if holds_years(column) else value


def _year_of(day: Day, added: int = 0) -> Quantity:
    year = int(day.text[:4]) + added
    return Quantity(float(year), text=str(year))


def in_years(column: Column, condition: Between) -> tuple[Operand, Operand]:
    """The bounds as years, for a column of years: `in the last 10 years`, `between the start of 1990 and the
    end of 2000`."""
    low, high = condition.low, condition.high
    if not holds_years(column):
        return low, high
    if isinstance(low, Day) and isinstance(high, Day) and not low.edge and low.text[4:] == high.text[4:]:
        return _year_of(low), _year_of(high)
    return (
        _year_of(low, low.edge == "end") if isinstance(low, Day) and low.edge else low,
        _year_of(high, -(high.edge == "start")) if isinstance(high, Day) and high.edge else high,
    )


def at_time(column: Column, op: str, value: Operand) -> Cql2:
    """A comparison with a day or whole year: `after 2010` begins with 2011."""
    first, following = _span(column, value)
    own = property_of(column.name)
    if op in ("=", "<>"):
        within: Cql2 = {
            "op": "and",
            "args": [
                {"op": ">=", "args": [own, _moment(column, first)]},
                {"op": "<", "args": [own, _moment(column, following)]},
            ],
        }
        return within if op == "=" else negated(within)
    edge = following if op in (">", "<=") else first
    return {"op": ">=" if op in (">", ">=") else "<", "args": [own, _moment(column, edge)]}


def _span(column: Column, value: Operand) -> tuple[datetime.date, datetime.date]:
    """The first day of a day, month, decade or year, and the first day after it. Raises Refuse for other values."""
    if isinstance(value, Day):
        return _days(value.text)
    if (
        isinstance(value, Quantity)
        and value.unit is None
        and value.value.is_integer()
        and is_year(value.value)
    ):
        year = int(value.value)
        return datetime.date(year, 1, 1), datetime.date(year + 1, 1, 1)
    text = value.text if isinstance(value, Quantity) else str(value)
    raise Refuse(refusals.NO_DATE(column=column.name, text=text), refusals.SAY_DATE())


def _days(text: str) -> tuple[datetime.date, datetime.date]:
    """The first day of a day, month or decade, and the first day after it."""
    if text.endswith("s"):
        decade = int(text[:4])
        return datetime.date(decade, 1, 1), datetime.date(decade + 10, 1, 1)
    if len(text) == len("2019-05"):
        first = datetime.date.fromisoformat(f"{text}-01")
        return first, (first + datetime.timedelta(days=31)).replace(day=1)
    day = datetime.date.fromisoformat(text)
    return day, day + datetime.timedelta(days=1)


def _moment(column: Column, day: datetime.date) -> Cql2:
    return (
        {"date": day.isoformat()} if column.kind == "date" else {"timestamp": f"{day.isoformat()}T00:00:00Z"}
    )


def in_force(table: Table, condition: Compare) -> Cql2 | None:
    """Rows that had begun by the end of a period and had not ended before it, for `active in May 2019` and for a day
    without a column; None for other conditions. An empty end date means that a row has not ended."""
    value, is_asked = condition.value, condition.measure == IN_FORCE
    on_day = (
        condition.op == "=" and condition.column is None and isinstance(value, Day) and len(value.text) == 10
    )
    lasting = times_lasting(table) if is_asked or on_day else None
    if lasting is None:
        if is_asked:
            raise Refuse(refusals.NOT_LASTING(table=table.title), refusals.SAY_DATE())
        return None
    begun, ended = (column for name in lasting if (column := table.column(name)) is not None)
    not_ended: Cql2 = is_null(ended.name)
    return {
        "op": "and",
        "args": [
            at_time(begun, "<=", value),
            {"op": "or", "args": [at_time(ended, ">=", value), not_ended]},
        ],
    }


def state_words(where: Any) -> set[str]:
    """The words for states in conditions: `expired`."""
    kinds = (each for each in parts_of(where) if isinstance(each, OneOf) and each.how in ("kind", "is"))
    return {word for each in kinds for word in name_words(each.text) if word.endswith("ed")}


def dates_of_state(table: Table, states: Collection[str]) -> list[Column]:
    """The dates and years that are called after a state, or after the decision that brings it about: `dec_dt`, or
    “Date of decision, empty while pending”."""
    words = {*states, *(DECISION if DECIDED.intersection(states) else ())}
    dates = [each for each in table.columns if is_point_in_time(each)]
    named = [each for each in dates if any(is_called_after(each, word) for word in words)]
    return named or [
        c for c in dates if words.intersection(name_words(re.split(r"[,;.(]", c.comment or "")[0]))
    ]


def date_taken(table: Table, where: Condition, found: Cql2) -> list[str]:
    """`2024 (raised_dt)`: the time of a condition without a column, and the one of several dates that was taken."""
    dates = {each.name for each in table.columns if each.kind in ("date", "timestamp")}
    used, times = dates.intersection(columns_in(found)), [c for c in parts_of(where) if is_bare_time(c)]
    (said,) = times if len(times) == len(used) == 1 and len(dates) > 1 else (None,)
    if not isinstance(said, Compare) or not isinstance(said.value, Quantity | Day):
        return []
    return [f"{said.value.text} ({next(iter(used))})"]
