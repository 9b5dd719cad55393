"""Dates: days, months and decades (`May 2019`), and recurring parts of a year, week or day (`in January`, `on
weekends`)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable

from agents.offline.language.conditions.times.relative import take_relative_days, take_since_days
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import MONTHS
from agents.offline.language.tokens import Token
from agents.offline.language.words import Phrases, word_set
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    DatePart,
    Day,
    Quantity,
)
from agents.offline.meaning.units import is_year

_AM = Phrases("a.m . | a.m | am | in the morning")
_PM = Phrases("p.m . | p.m | pm | in the (afternoon|evening)")
HALVES = word_set("a.m am p.m pm o'clock morning afternoon evening h hours")
"""Words for halves of a day."""
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAYS: dict[str, tuple[int, ...]] = {
    **{name: (number,) for number, name in enumerate(_WEEKDAYS, 1)},
    "weekend": (6, 7), "weekday": (1, 2, 3, 4, 5), "workday": (1, 2, 3, 4, 5),
}  # fmt: skip
"""ISO weekday numbers by word; plurals are accepted too."""
RANGE_JOINERS = ("and", "to", "-", "–", "until")
_THROUGH = ("to", "-", "–", "until", "through")
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First months of the meteorological seasons, three months each."""
QUARTERS = {"q1": 1, "q2": 4, "q3": 7, "q4": 10}
"""First months of the quarters of a calendar year."""
_BEFORE_MONTH = word_set("in of during between from to until and or ,")


def _take_range(cursor: Cursor, column: ColumnMention | None) -> Between | None:
    """`1 Jun - 31 Aug 2024`, `1 May 2023 - 3 June 2024`, `2018-2020`, `in May and June 2024`."""
    if (years := _take_years(cursor)) is not None:
        return Between(*years, column, "time")
    start = cursor.at
    if cursor.take("in", "during", "for") and (days := take_days(cursor)) and _are_months_in_a_row(*days):
        return Between(*days, column, "time")
    cursor.at = start
    days = take_days(cursor)
    if days is None and (first := take_day(cursor)) is not None and cursor.take(*_THROUGH):
        last = take_day(cursor)
        days = (first, last) if last is not None else None
    if days is None or "and" in cursor.words[start : cursor.at]:
        cursor.at = start
        return None
    return Between(*days, column, "time")


def _are_months_in_a_row(first: Day, last: Day) -> bool:
    """Whether both are months, and the last follows the first in the same year."""
    (year, *month), (last_year, *last_month) = first.text.split("-"), last.text.split("-")
    are_months = len(month) == len(last_month) == 1
    return are_months and year == last_year and int(last_month[0]) == int(month[0]) + 1


def _take_years(cursor: Cursor) -> tuple[Quantity, Quantity] | None:
    """`2018-2020`, `in 2018 - 2020`, `for 2018–2020`: whole years."""
    start = cursor.at
    cursor.take("in", "during", "for", "from", "of", "over", "between", "the years")
    first = cursor.take_number()
    last = cursor.take_number() if first is not None and cursor.take("-", "–") else None
    if first is None or last is None or not all(_is_year(each.text) for each in (first, last)):
        cursor.at = start
        return None
    return Quantity(first.value, text=first.text), Quantity(last.value, text=last.text)


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and is_year(int(text))


def take_date_part(cursor: Cursor, column: ColumnMention | None = None) -> DatePart | None:
    """`on weekends`, `on Mondays and Fridays`, `in January`, `from June to August`, `June to August`. Returns
    None without moving the cursor if none follows."""
    start = cursor.at
    if cursor.take("on", "during", "at") is not None:
        days = _take_list(cursor, _weekdays)
        if days:
            return DatePart("weekday", days, column)
        cursor.at = start
    opener = cursor.take("in the month of", "in the months of", "in", "during", "between", "from")
    if opener in ("in", "during"):
        cursor.take("the")
        first = _season(cursor)
        after = cursor.token(1)
        if first is not None and (after is None or after.kind != "number"):
            cursor.at += 1
            return DatePart("month", tuple((first + n - 1) % 12 + 1 for n in range(3)), column)
        cursor.at -= cursor.word(-1) == "the"
    months, is_range = _take_list(cursor, _month), opener in ("between", "from")
    joined = len(months) == 1 and cursor.take(*_UP_TO_MONTH, *(("and",) if is_range else ())) is not None
    last = _month(cursor) if joined else months[1:] if is_range else ()
    if months and last:
        count = (last[-1] - months[0]) % 12 + 1
        return DatePart("month", tuple((months[0] + n - 1) % 12 + 1 for n in range(count)), column)
    if months and opener is not None and not joined and not is_range:
        return DatePart("month", months, column)
    cursor.at = start
    return None


_UP_TO_MONTH = ("to", "until", "till", "through", "-", "–")


def take_period(cursor: Cursor, column: ColumnMention | None = None) -> Compare | Between | DatePart | None:
    """Any condition on time: relative to today, a date range, a part of one year, or a recurring part."""
    return (
        take_relative_days(cursor, column)
        or take_since_days(cursor, column)
        or _take_range(cursor, column)
        or take_part_of_year(cursor, column)
        or take_date_part(cursor, column)
        or take_hours(cursor, column)
    )


def take_hours(cursor: Cursor, column: ColumnMention | None = None) -> DatePart | None:
    """`between 6 and 9 am`, `from 22:00 to 6:00`, `after 10 pm`, `at 8 am`: whole hours, excluding the last. None
    otherwise."""
    start = cursor.at
    word = cursor.take("between", "from", "after", "since", "before", "until", "at")
    first, end = _hour(cursor), None
    if word in ("between", "from"):
        end = _hour(cursor) if first is not None and cursor.take(*RANGE_JOINERS) else None
        if first is not None and end is not None and not first[1]:
            on_clock = ":" in cursor.words[start : cursor.at]  # `6 to 22:00`
            first = (first[0], True) if on_clock else _hour_before(first[0], end)
    elif first is not None and word == "at":
        end = (first[0] + 1, first[1])
    elif first is not None:
        end = (24, True) if word in ("after", "since") else first
        first = first if word in ("after", "since") else (0, first[1])
    if word is None or first is None or end is None or not (first[1] and end[1]) or first[0] == end[0]:
        cursor.at = start
        return None
    return DatePart("hour", tuple((first[0] + n) % 24 for n in range((end[0] - first[0]) % 24 or 24)), column)


def _hour_before(hour: int, end: tuple[int, bool]) -> tuple[int, bool] | None:
    """The start hour in the half of the day stated only for the end: `6 and 9 am`; in the other half if that
    is earlier: `11 and 1 pm`."""
    if hour > 12 or hour % 12 == end[0] % 12:
        return None
    same = hour % 12 + 12 * (end[0] >= 12)
    return (same if same < end[0] else (same + 12) % 24, end[1])


def _hour(cursor: Cursor) -> tuple[int, bool] | None:
    """A whole hour, and whether the half of the day is known: `9 am`, `21:00`; None for 9:30."""
    number = cursor.take_number()
    if number is None or not number.text.isdigit() or len(number.text) > 2 or number.value > 24:
        return None
    hour = int(number.value)
    if cursor.word() == ":" and (minutes := cursor.token(1)) is not None and minutes.text == "00":
        cursor.at += 2
        cursor.take("h", "hours", "o'clock")
        return (hour, True)
    cursor.take("o'clock")
    if cursor.take(_AM):
        half = "am"
    elif cursor.take(_PM):
        half = "pm"
    else:
        return (hour, False)
    return (hour % 12 + 12 * (half == "pm"), True) if 1 <= hour <= 12 else None


def weekdays_of(word: str) -> tuple[int, ...]:
    """The ISO weekday numbers that a word means; empty for other words."""
    return WEEKDAYS.get(word.removesuffix("s"), ())


def _take_list(cursor: Cursor, take: Callable[[Cursor], tuple[int, ...]]) -> tuple[int, ...]:
    found: list[int] = []
    while True:
        start = cursor.at
        joined_on = cursor.take("and", "or", ",") is not None if found else True
        more = take(cursor) if joined_on else ()
        if not more:
            cursor.at = start
            return tuple(dict.fromkeys(found))
        found += more


def _weekdays(cursor: Cursor) -> tuple[int, ...]:
    start = cursor.at
    cursor.take("a", "the", "any")
    days = WEEKDAYS["workday"] if cursor.take("working days") else weekdays_of(cursor.word())
    if days and cursor.word(-1) != "days":
        cursor.at += 1
    elif not days:
        cursor.at = start
    return days


def _month(cursor: Cursor) -> tuple[int, ...]:
    """A month in any year; `may` in small letters only counts after a preposition or another month."""
    token, month = cursor.token(), MONTHS.get(cursor.word())
    after = cursor.token(1)
    if token is None or month is None or (after is not None and after.kind == "number"):
        return ()
    if token.text == "may" and cursor.word(-1) not in _BEFORE_MONTH:
        return ()
    cursor.at += 1
    return (month,)


def _season(cursor: Cursor) -> int | None:
    """The first month of a season in lower case: `Fall River` and `Spring` are places."""
    token = cursor.token()
    return SEASONS.get(token.text) if token is not None else None


def take_day(cursor: Cursor) -> Day | None:
    """`2019-05-01`, `1 May 2019`, the month `May 2019`, the decade `the 1980s`; a year alone is a number."""
    token = cursor.token()
    if token is None:
        return None
    parts = [cursor.token(ahead) for ahead in range(1, 5)]
    if token.kind == "number" and token.text.isdigit() and len(token.text) == 4 and all(parts):
        dash, month, dash_too, day = (part.text for part in parts if part is not None)
        if dash == dash_too == "-" and _real_date(int(token.text), month, day):
            cursor.at += 5
            return Day(f"{token.text}-{int(month):02d}-{int(day):02d}")
    return _spelt_day(cursor) or _end_of_year(cursor) or _decade(cursor)


def take_last(cursor: Cursor) -> Day | None:
    """`1 November`, `November 10th`: the last such day up to today. Returns None without moving the cursor if none
    follows, or a year does."""
    start = cursor.at
    cursor.take("the")
    month = MONTHS.get(cursor.word())
    cursor.at += month is not None
    day = cursor.take_number()
    cursor.at += cursor.word() in _ORDINAL
    if month is None and day is not None:
        cursor.take("of")
        month = MONTHS.get(cursor.word())
        cursor.at += month is not None
    today, following = datetime.date.today(), cursor.token(1 if cursor.word() == "," else 0)
    if month is not None and day is not None and (following is None or following.kind != "number"):
        year = today.year - (f"{month:02d}-{day.text:>02}" > today.isoformat()[5:])
        if (found := _day_of(str(year), month, day)) is not None:
            return found
    cursor.at = start
    return None


def _end_of_year(cursor: Cursor) -> Day | None:
    """`the start of 2020`, `the end of 2021`."""
    start = cursor.at
    which = cursor.take(
        "the start of", "the beginning of", "the end of", "start of", "beginning of", "end of"
    )
    year = cursor.take_number() if which is not None else None
    if which is None or year is None or not (len(year.text) == 4 and year.text.isdigit()):
        cursor.at = start
        return None
    return Day(f"{year.text}-12-31", "end") if "end" in which else Day(f"{year.text}-01-01", "start")


def take_part_of_year(cursor: Cursor, column: ColumnMention | None = None) -> Between | None:
    """`in spring 2021`, `in the first half of 2021`, `in Q2 2021`, `in the second quarter of 2021`. Winter
    spans two years and is not read. Returns None without moving the cursor if none follows."""
    start = cursor.at
    cursor.take("in", "during", "from", "of")
    cursor.take("the")
    count, first = 3, _season(cursor)
    if first is not None:
        cursor.at += 1
    elif (quarter := cursor.take(*QUARTERS)) is not None:
        first = QUARTERS[quarter]
    elif (which := cursor.take("first", "second", "third", "fourth", "last")) is not None:
        count = {"half": 6, "quarter": 3}.get(cursor.word(), 0)
        cursor.at += 1
        at = (
            ("first", "second", "third", "fourth").index(which)
            if which != "last"
            else 12 // max(count, 1) - 1
        )
        first = 1 + at * count if count and (at + 1) * count <= 12 else None
    cursor.take("of", "in")
    year = cursor.take_number() if first is not None else None
    if first is None or year is None or len(year.text) != 4 or not year.text.isdigit() or first == 12:
        cursor.at = start
        return None
    low, high = (f"{year.text}-{month:02d}" for month in (first, first + count - 1))
    return Between(Day(low), Day(high), column, "time")


def take_days(cursor: Cursor) -> tuple[Day, Day] | None:
    """`March and June 2021`, `3 March to 5 June 2021`, `March 3 to June 5, 2021`: one year for both. Returns None
    without moving the cursor if none follows."""
    start = cursor.at
    number = cursor.take_number() if cursor.word(1) in MONTHS else None
    month = MONTHS.get(cursor.word())
    cursor.at += month is not None
    number = number or (_day_behind_month(cursor) if month is not None else None)
    last = take_day(cursor) if month is not None and cursor.take(*RANGE_JOINERS) else None
    first = _day_of(last.text[:4], month, number) if last is not None and month is not None else None
    if first is None or last is None or len(first.text) != len(last.text) or first.text >= last.text:
        cursor.at = start
        return None
    return first, last


def _spelt_day(cursor: Cursor) -> Day | None:
    start = cursor.at
    day = cursor.take_number() if MONTHS.keys() & {cursor.word(1), cursor.word(2)} else None
    cursor.at += cursor.word() in _ORDINAL and day is not None
    month = MONTHS.get(cursor.word())
    if month is not None:
        cursor.at += 1
        day = day or _day_behind_month(cursor)  # `June 1st, 2020`, `Jun 1 2020`
        cursor.take(",")
        year = cursor.take_number()
        if year is not None and len(year.text) == 4 and year.text.isdigit():
            found = _day_of(year.text, month, day)
            if found is not None:
                return found
    cursor.at = start
    return None


def _day_behind_month(cursor: Cursor) -> Token | None:
    """The day after the name of a month: a number of at most two digits."""
    token = cursor.token()
    day = cursor.take_number() if token is not None and len(token.text) < 3 else None
    cursor.at += cursor.word() in _ORDINAL and day is not None
    return day


_ORDINAL = ("st", "nd", "rd", "th")


def _day_of(year: str, month: int, day: Token | None) -> Day | None:
    """The day in a year and month, or the whole month; None for an invalid date."""
    if day is None:
        return Day(f"{year}-{month:02d}") if int(year) > 0 else None
    if not day.text.isdigit() or not _real_date(int(year), str(month), day.text):
        return None
    return Day(f"{year}-{month:02d}-{int(day.text):02d}")


def _decade(cursor: Cursor) -> Day | None:
    start = cursor.at
    cursor.take("the")
    year, ending = cursor.take_number(), cursor.token()
    is_decade = year is not None and re.fullmatch(r"[1-9]\d\d0", year.text) is not None
    if year is not None and is_decade and ending is not None and ending.glued and ending.lower == "s":
        cursor.at += 1
        return Day(f"{year.text}s")
    cursor.at = start
    return None


def _real_date(year: int, month: str, day: str) -> bool:
    try:
        datetime.date(year, int(month), int(day))
    except ValueError:
        return False
    return True
