"""Periods relative to today: `last year`, `in the last 30 days`, `since last month`."""

from __future__ import annotations

import datetime
from dataclasses import replace

from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.nouns import take_count
from agents.offline.meaning.conditions import Between, ColumnMention, Compare, Day, Quantity
from agents.units import Unit

ONE_DAY = datetime.timedelta(days=1)
MAX_PERIODS = 1000
"""Maximum number of periods back from today."""
_DAYS = {"day": 1, "week": 7}
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}


_AGES = {
    "day": Unit("days", "time", 1.0), "week": Unit("weeks", "time", 7.0), "month": Unit("months", "time", 30.44),
    "year": Unit("years", "time", 365.25),
}  # fmt: skip


def take_age(cursor: Cursor, *, sure: bool) -> Quantity | None:
    """`6 months`, `a year`; unless `sure`, before `ago` or `old`."""
    start = cursor.at
    count = 1 if cursor.take("a", "an") else take_count(cursor)
    unit = _AGES.get(cursor.word().removesuffix("s")) if count is not None else None
    cursor.at += 1
    if count is None or unit is None or not (sure or cursor.word() in ("ago", "old")):
        cursor.at = start
        return None
    return Quantity(float(count), unit, cursor.since(start))


def take_relative_days(cursor: Cursor, column: ColumnMention | None = None) -> Compare | Between | None:
    """A condition relative to today, on `column` or the row's date. Returns None without moving the cursor if
    none follows."""
    start = cursor.at
    cursor.take("in", "during", "from", "within", "over", "of", "for")
    is_span = (
        cursor.take("the") is not None
    )  # `in the last year` is relative to today, `last year` is a calendar year
    which = cursor.take(p.RELATIVE)
    if which is None:
        cursor.at = start
        return None
    count = take_count(cursor) if which in ("last", "past", "next") else None
    if count is None and (which == "past" or (which in ("last", "next") and is_span)):
        count = 1
    noun = cursor.word().removesuffix("s") if which in ("last", "past", "this", "next") else ""
    today = datetime.date.today()
    if which in ("today", "yesterday"):
        day = today - datetime.timedelta(days=which == "yesterday")
        return Compare("=", Day(day.isoformat()), column, "time")
    is_later = which == "next"
    if (
        (is_later and column is None)
        or noun not in (*_DAYS, *_MONTHS_OF)
        or (count is not None and not 0 < count <= MAX_PERIODS)
    ):
        cursor.at = start
        return None
    cursor.at += 1
    if count is not None:
        back = -count if is_later else count
        first = months_before(today, back * _MONTHS_OF[noun]) if noun in _MONTHS_OF else None
        first = first or today - datetime.timedelta(days=back * _DAYS.get(noun, 0))
        days = sorted((first, today))
        return Between(Day(days[0].isoformat()), Day(days[1].isoformat()), column, "time")
    back = {"this": 0, "next": -1}.get(which, 1)
    if noun == "year":
        year = today.year - back
        return Compare("=", Quantity(float(year), text=str(year)), column, "time")
    first, last = _calendar_span(today, noun, back=back)
    return Between(Day(first.isoformat()), Day(last.isoformat()), column, "time")


_BOUNDS = {"since": ">=", "before": "<", "after": ">", "until": "<="}


def take_since_days(cursor: Cursor, column: ColumnMention | None) -> Compare | None:
    """`since last year`, `before this month`: from the first day of the period on, or before it."""
    start, op = cursor.at, _BOUNDS.get(cursor.word(), "")
    cursor.at += 1
    found = take_relative_days(cursor, column) if op else None
    if found is None:
        cursor.at = start
        return None
    if isinstance(found, Compare):
        return replace(found, op=op)
    return Compare(op, found.low if op in (">=", "<") else found.high, column, "time")


def months_before(day: datetime.date, months: int) -> datetime.date | None:
    """The same day some months earlier, or the last day of that month."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    if year < 1:
        return None
    following = datetime.date(year + (month == 11), month % 12 + 2 if month < 11 else 1, 1)
    return min(datetime.date(year, month + 1, 1) + datetime.timedelta(days=day.day - 1), following - ONE_DAY)


def _calendar_span(today: datetime.date, noun: str, *, back: int) -> tuple[datetime.date, datetime.date]:
    """The first and last day of this calendar week, month or quarter, or of one so many before."""
    if noun in _DAYS:
        days = _DAYS[noun]
        first = today - datetime.timedelta(days=today.weekday() % days + back * days)
        return first, first + datetime.timedelta(days=days - 1)
    months = _MONTHS_OF[noun]
    at = (today.year * 12 + today.month - 1) // months * months - back * months
    first, following = (datetime.date(each // 12, each % 12 + 1, 1) for each in (at, at + months))
    return first, following - ONE_DAY
