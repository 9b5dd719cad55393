"""The answer to a question about figures of a column."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

from agents.domain import Table
from agents.geo.wording.phrases import count_of, number, value
from agents.offline.answers import texts
from agents.offline.answers.wording import Facts, plain, sampled_words, sentences, where_words
from agents.offline.meaning.columns import asks_for_age
from agents.offline.meaning.intents import Command, Lookup, Statistic
from agents.units import Unit
from agents.worded import joined


def statistics_words(
    facts: Facts, command: Command | None, table: Table | None, measured: Callable[..., str]
) -> str:
    """The requested figure of a column, or all figures. `measured` formats a value of the column."""
    intent = command.intent if command is not None else None
    asked = intent if isinstance(intent, Statistic) else None
    what = asked.what if asked is not None else "sum" if isinstance(intent, Lookup) else "all"
    unit = intent.unit if isinstance(intent, Statistic | Lookup) else None
    stats = facts["stats"]
    name = plain(table.title if table is not None else str(facts["table"]))
    about = {"column": f"`{facts['column']}`", "name": name, "where": where_words(facts)}
    known = stats.get("count", 0) - stats.get("nulls", 0) - stats.get("not_finite", 0)
    if not known:
        return texts.NO_VALUE(**about)
    if what == "rate" and unit is not None:
        return rate_words(count=known, ends=(stats["minimum"], stats["maximum"]), unit=unit, **about)
    about["basis"] = basis_words(known, stats.get("nulls", 0))
    if what in texts.FIGURES and stats.get(what) is not None:
        found = measured(stats[what], unit)
        age = age_words(asked, stats[what], table)
        return sentences(texts.FIGURES[what](value=found, **about), age, sampled_words(stats))
    if what == "values" or stats.get("mean") is None:
        different = count_of(stats.get("distinct", 0), "different value")
        common = texts.MOST_COMMON(values=common_words(stats.get("top", ())[:10]))
        return sentences(texts.DISTINCT(different=different, **about), common, sampled_words(stats))
    ends = {
        slot: measured(stats[figure])
        for slot, figure in (
            ("low", "minimum"),
            ("high", "maximum"),
            ("mean", "mean"),
            ("median", "median"),
        )
    }
    return sentences(texts.ALL_FIGURES(**about, **ends), sampled_words(stats))


def age_words(asked: Statistic | None, year: float, table: Table | None) -> str:
    """For a mean or median of years that was asked for as an age: how long ago that is."""
    column = table.column(asked.column.columns[0]) if asked and table and asked.column.columns else None
    if asked is None or column is None or not asks_for_age(asked.column.text, column):
        return ""
    now = datetime.date.today().year
    return texts.YEARS_AGO(n=round(now - year), year=str(now))


def basis_words(known: int, empty: int) -> str:
    """The number of values behind a figure: `(117 values, 3 empty)`."""
    count = count_of(known, "value")
    return (
        texts.VALUES_MISSING(count=count, empty=number(empty)) if empty else texts.VALUES_KNOWN(count=count)
    )


def common_words(entries: Sequence[Facts]) -> str:
    """Values with their numbers of rows."""
    return joined(
        ", ",
        (joined("", (plain(value(each["value"])), " (", number(each["count"]), ")")) for each in entries),
    )


def rate_words(name: str, where: str, column: str, count: int, ends: tuple[Any, Any], unit: Unit) -> str:
    """The mean number of rows per year, day or hour between the first and last time; for dates, including the last
    day."""
    first, last = (datetime.datetime.fromisoformat(str(each)) for each in ends)
    days = (last - first).total_seconds() / 86_400 + (len(str(ends[1])) <= len("2020-01-01"))
    low, high = (plain(value(each)) for each in ends)
    span = texts.SPAN_OF_TIME(
        low=low, high=high, column=column, count=count_of(count, "value"), name=name, where=where
    )
    one = unit.symbol.removesuffix("s")
    if not days:
        return texts.ONE_TIME(span=span, unit=one)
    return texts.RATE(span=span, rate=number(count * unit.factor / days), unit=one)
