"""Bands of numbers in words: `below 0, 0-500 and over 500 m`, `small (under 50k), large (50k and more)`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import TypeVar

from agents.offline.language.conditions.value_text import DASHES, take_comparator
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import NUMBER_WORDS
from agents.offline.language.nouns import take_quantity
from agents.offline.language.words import word_set
from agents.offline.meaning.conditions import Between, Compare, Condition, Group, Quantity
from agents.units import MAGNITUDES, Unit

T = TypeVar("T")
_MOST_LABEL_WORDS, _LEAST_BANDS = 3, 2
_NO_LABELS = NUMBER_WORDS.keys() | word_set("""
    are is was were of with by in the and or bands classes groups ranges brackets bins steps intervals band class group
    range bracket
""")
_JOINERS = (", and", ",", ";", "and", "versus", "vs")


@dataclass(frozen=True, slots=True)
class Band:
    """A range of numbers, without its column, and its words."""

    within: Compare | Between
    text: str
    named: bool = False
    """Whether words tell what the band is called: `small (under 50k)`."""

    @property
    def limits(self) -> list[Quantity]:
        """The numbers that the band lies between, below or above."""
        return _limits(self.within)


def take_bands(cursor: Cursor) -> tuple[Band, ...] | None:
    """At least two bands, which do not overlap. A last unit applies to all that have none."""
    start, found = cursor.at, list[Band]()
    while True:
        before = cursor.at
        if found and not cursor.take(*_JOINERS):
            break
        band = _take_band(cursor)
        if band is None:
            cursor.at = before
            break
        found.append(band)
    ends = sorted(map(_ends, found))
    if len(found) < _LEAST_BANDS or any(high > low for (_, high), (low, _) in pairwise(ends)):
        cursor.at = start
        return None  # bands do not overlap
    units = [each.unit for band in found for each in _limits(band.within) if each.unit is not None]
    return (
        tuple(replace(band, within=_in_unit(band.within, units[-1])) for band in found)
        if units
        else (*found,)
    )


def conditions_of(bands: tuple[Band, ...]) -> list[Condition]:
    """The condition of each band; where the next one begins at its end, the end belongs to that one."""
    made: list[Condition] = [each.within for each in bands]
    for at, (this, following) in enumerate(pairwise(each.within for each in bands)):
        low = following.low if isinstance(following, Between) else following.value
        begins = isinstance(following, Between) or following.op == ">="
        if (
            isinstance(this, Between)
            and begins
            and isinstance(low, Quantity)
            and low.value == _limits(this)[1].value
        ):
            made[at] = Group("and", (Compare(">=", this.low), Compare("<", this.high)))
    return made


def _take_band(cursor: Cursor) -> Band | None:
    begin = cursor.at
    for _ in range(_MOST_LABEL_WORDS):
        token = cursor.token()
        is_word = token is not None and token.kind == "word" and cursor.word() not in _NO_LABELS
        if not is_word or _begins_range(cursor):
            break
        cursor.at += 1
    named = cursor.at > begin
    opened = cursor.take("(", ":", "=") if named else None
    within = _take_range(cursor)
    if within is None or (opened == "(" and not cursor.take(")")):
        cursor.at = begin
        return None
    return Band(within, cursor.since(begin), named)


def _ends(band: Band) -> tuple[float, float]:
    """The limits in the same unit, without a limit infinite."""
    scaled = [each.value * (each.unit.factor if each.unit is not None else 1.0) for each in band.limits]
    if isinstance(band.within, Between):
        return scaled[0], scaled[1]
    return (-inf, scaled[0]) if band.within.op in ("<", "<=") else (scaled[0], inf)


def _begins_range(cursor: Cursor) -> bool:
    start = cursor.at
    found = cursor.take("between", "from") is not None or take_comparator(cursor) is not None
    cursor.at = start
    return found


def _take_range(cursor: Cursor) -> Compare | Between | None:
    is_between = cursor.take("between", "from") is not None
    compared = None if is_between else take_comparator(cursor)
    low = take_quantity(cursor)
    if low is None:
        return None
    if compared is not None:
        return Compare(compared[0], low)
    start = cursor.at
    joiners = ("and", "to", *DASHES) if is_between else ("to", "up to", *DASHES)
    high = take_quantity(cursor) if cursor.take(*joiners) else None
    if high is not None:
        return Between(_of_one_size(low, high), high)
    cursor.at = start
    if cursor.take("or more", "and more", "and above", "or above", "and over", "and up", "plus"):
        return Compare(">=", low)
    return Compare("<=", low) if cursor.take("or less", "and less", "and below", "or below") else None


def _of_one_size(low: Quantity, high: Quantity) -> Quantity:
    """The lower limit in the thousands or millions of the upper one: `50-250k`."""
    factors = sorted({each for each in MAGNITUDES.values() if each > 1}, reverse=True)
    factor = next((each for each in factors if high.value >= each), 1.0)
    is_short = (
        low.text.replace(".", "").isdecimal() and not high.text.replace(".", "").replace(",", "").isdecimal()
    )
    grown = low.value * factor
    return (
        replace(low, value=grown)
        if is_short and low.value < high.value / factor and grown < high.value
        else low
    )


def _limits(within: Compare | Between) -> list[Quantity]:
    values = (within.low, within.high) if isinstance(within, Between) else (within.value,)
    return [each for each in values if isinstance(each, Quantity)]


def _in_unit(within: Compare | Between, unit: Unit) -> Compare | Between:
    def full(value: T) -> T:
        return replace(value, unit=value.unit or unit) if isinstance(value, Quantity) else value

    if isinstance(within, Between):
        return replace(within, low=full(within.low), high=full(within.high))
    return replace(within, value=full(within.value))
