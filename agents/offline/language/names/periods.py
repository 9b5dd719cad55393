"""Columns of figures of a year, per period or for some age: `daily boardings` and `boardings a day` for “Average per
weekday”, `65 or older` of `pop_65up`, `under 18s` of `pop_u18`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from agents.domain import Column, Table
from agents.offline.language.names.costs import NUMBERS, years_in
from agents.offline.language.words import Words, fold, name_words

PERIODS_OF_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annual": "year",
}
_JOINERS = frozenset(("a", "an", "per", "each", "every"))


def without_period(words: Words) -> tuple[Words, str]:
    """The words without the period that a figure is of, and that period; empty if they name none."""
    if len(words) > 1 and words[0] in PERIODS_OF_ADVERBS:
        return words[1:], PERIODS_OF_ADVERBS[words[0]]
    if len(words) > 2 and words[-2] in _JOINERS and words[-1] in PERIODS_OF_ADVERBS.values():
        return words[:-2], words[-1]
    return (), ""


def per(period: str, fits: Callable[[Column], bool] | None) -> Callable[[Column], bool]:
    """A test for numbers whose name or comment says that they are per period: `weekday` and `daily` for a day; and
    that pass another test."""

    def is_per(column: Column) -> bool:
        own = (*name_words(column.name), *name_words(column.comment or ""))
        says_so = any(each.endswith(period) or PERIODS_OF_ADVERBS.get(each) == period for each in own)
        return says_so and column.kind in ("integer", "number") and (fits is None or fits(column))

    return is_per


def of_year_in_comment(
    tables: Sequence[Table], words: Words, called: Callable[[Words], Sequence[str]]
) -> list[str]:
    """The columns of a year that only their comments tell: `boardings 2025` of “boardings, working day 2025”.
    `called`: the columns that words without a year name."""
    year = next((each for each in (words[-1], words[0]) if len(words) > 1 and each in years_in(each)), "")
    rest = tuple(word for word in words if word != year and not (word in _OF_YEAR and words[-1] == year))
    own = [(each.name, each.comment or "") for table in tables for each in table.columns]
    if not (year and rest) or any(name_words(name) == words for name, _ in own):
        return []  # `pop_2023` is called so itself
    names = called(rest)
    return [
        name for name in names if any(name == each and year in years_in(comment) for each, comment in own)
    ]


def newest(names: Sequence[str]) -> list[str]:
    """The column of the last year, of columns that differ only by a year: `pop_2024` of `pop_2018` and `pop_2024`."""
    years = {name: found[0] for name in names if (found := _YEAR.findall(name))}
    are_alike = len({_YEAR.sub("", name) for name in names}) == 1 and len(years) == len(names)
    return [max(years, key=lambda each: years[each])] if are_alike else [*names]


_YEAR = re.compile(r"(?:19|20)\d\d(?!\d)")
_OF_YEAR = frozenset(("in", "of", "for"))


MOST_YEARS = 120
"""The greatest number that is taken for an age."""
_OLDER, _YOUNGER = "up|plus|over|older|ge|gt|o|p", "under|younger|below|lt|le|u"
"""Words in names of such columns, as parts of patterns."""
_AGE = re.compile(
    r"(?:(?:aged?|people|persons?|residents?|share|percentage|percent|of|the) )*"
    r"(?:(?:(?P<younger>under|younger than|below)|over|older than|above) )?"
    r"(?P<age>\d\d?)(?: ?s)?(?: (?:years|year olds))?"
    r"(?P<after> (?:and|or) (?:under|younger|over|older|more)| plus|\+)?",
    re.IGNORECASE,
)


def of_age(table: Table, age: str, *, younger: bool) -> tuple[str, ...]:
    """The columns with the people younger or older than an age."""
    words = _YOUNGER if younger else _OLDER
    own = re.compile(rf"(?:^|_)(?:{words})_?{age}$|(?<!\d){age}_?(?:{words})\b", re.IGNORECASE)
    return tuple(each.name for each in table.columns if each.kind in NUMBERS and own.search(each.name))


def of_age_in_words(table: Table, text: str) -> tuple[str, ...]:
    """The same for an age in words: `under 18s`; none for other words."""
    said = _AGE.fullmatch(text)
    if said is None or not (said["younger"] or said["after"] or not said[0][0].isdigit()):
        return ()
    younger = bool(said["younger"]) or (said["after"] or "").endswith(("under", "younger"))
    return of_age(table, said["age"], younger=younger)


def holds_hours(column: Column) -> bool:
    """Whether a column holds hours of the day: `acc_hr`, “Hour of the day”, not numbers of `hours`."""
    is_named = re.search(r"(?:^|_)(?:hour|hr)(?:_of_day)?$", column.name, re.IGNORECASE) is not None
    is_said = re.search(r"(?i)\bhour of (?:the )?day\b", column.comment or "") is not None
    ends = [each for each in (column.minimum, column.maximum) if isinstance(each, int | float)]
    return (is_named or is_said) and len(ends) == 2 and 0 <= ends[0] <= ends[1] <= _LAST_HOUR


_LAST_HOUR = 24


def counts_years(column: Column) -> bool:
    """Whether a column numbers the years of something, such as “Year of study”, and is no year of the calendar."""
    is_small = isinstance(column.maximum, int | float) and column.maximum < _FIRST_YEAR
    return is_small and fold(column.comment or "").startswith("year of ")


def dates_of_birth(table: Table) -> list[Column]:
    """The dates that tell how old somebody is."""
    return [c for c in table.columns if c.kind == "date" and _BIRTH.intersection(name_words(c.name))]


_FIRST_YEAR = 1000
_BIRTH = frozenset(("birth", "birthday", "birthdate", "born", "dob"))


def of_people_aged(tables: Sequence[Table], words: Words) -> list[str]:
    """The columns that `residents over 65` or `share of people under 18` mean: shares only where they are asked for."""
    if _SHARES.isdisjoint(words) and _PEOPLE.isdisjoint(words):
        return []
    is_share = not _SHARES.isdisjoint(words)
    found = (name for table in tables for name in of_age_in_words(table, " ".join(words)))
    return [name for name in found if is_share != _SHARES.isdisjoint(name_words(name))]


def share_of_age(words: Words, used: Sequence[int]) -> tuple[Words, Sequence[int]]:
    """The words behind `%`, and how many tokens they took: `over 65` is a share of people."""
    is_age = words[:1] in (("over",), ("under",), ("above",), ("below",))
    return (("share", *words), (0, *used)) if is_age else (words, used)


def is_age_of_people(column: Column, said: str, number: float) -> bool:
    """Whether the number of `people over 65` is an age, which no column with a number of people tells."""
    are_people = not _PEOPLE.isdisjoint(name_words(said)[-1:])
    most = column.maximum if isinstance(column.maximum, int | float) else None
    return are_people and number <= MOST_YEARS and (most is None or most > 10 * MOST_YEARS)


_PEOPLE = frozenset(("person", "resident", "inhabitant"))
_SHARES = frozenset(("share", "percentage", "percent", "pct", "perc"))
