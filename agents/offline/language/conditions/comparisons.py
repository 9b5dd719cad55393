"""Comparisons: `above 2000 m`, `between 1 and 2 km`, `more than 50 % of the households are renters`."""

from __future__ import annotations

import re
from dataclasses import replace

from agents.domain import Table
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.columns_compared import ColumnsCompared
from agents.offline.language.conditions.explained_numbers import column_by_unit
from agents.offline.language.conditions.times.days import RANGE_JOINERS, take_day, take_days, take_last
from agents.offline.language.conditions.times.relative import take_age
from agents.offline.language.conditions.value_text import ends_value, goes_on, take_comparator
from agents.offline.language.lexicon import ADJECTIVES, AFTERWARDS, NUMBER_WORDS, SIDES
from agents.offline.language.names.columns import columns_called, fits_column
from agents.offline.language.names.costs import NUMBERS
from agents.offline.language.names.measured import ends_with_unit
from agents.offline.language.nouns import are_counts, take_column, take_quantity, take_unit
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    Condition,
    NamedRow,
    Quantity,
    joined,
)
from agents.offline.meaning.units import are_shares, column_unit, is_share
from agents.units import MAGNITUDES, Unit

MAX_UNIT_WORDS = 4
_DEPTHS = word_set("more less least most deeper shallower")
"""Words that compare depth below sea level: `more than 10 m below sea level`."""
_SMALL = word_set("mm cm in inch inches")
"""Quantities in these units before a noun mean its only column in that unit: `300 mm mains`."""
_HEIGHTS = word_set("lower below above higher exactly") | {">", "<", ">=", "<=", "=", "≥", "≤"}
"""Words that compare a height: `lower than 10 m below sea level`. `over` and `under` are ambiguous."""


def _below_sea_level(found: Compare | Between, words: set[str]) -> Compare | Between | None:
    """The comparison as a negative height: `more than 10 m below sea level`. None if ambiguous."""
    if isinstance(found, Between):
        low, high = _negative(found.low), _negative(found.high)
        return Between(high, low, None, "high") if low is not None and high is not None else None
    by_depth, below = bool(words & _DEPTHS), _negative(found.value)
    if below is None or by_depth == bool(words & _HEIGHTS):
        return None
    mirrored = {">": "<", "<": ">", ">=": "<=", "<=": ">="} if by_depth else {}
    return replace(found, op=mirrored.get(found.op, found.op), value=below, measure="high")


def _negative(value: object) -> Quantity | None:
    if not isinstance(value, Quantity) or value.value <= 0:
        return None
    return replace(value, value=-value.value, text=f"-{value.text}")


class Comparisons(ColumnsCompared):
    """Rules for comparisons."""

    def comparison(self, column: ColumnMention | None = None) -> Condition | None:
        """`above 2000 m`, `at least 5`, `between 1 and 2 km`, `2000 m or more`, optionally with the column or
        measure."""
        cursor, start = self.cursor, self.cursor.at
        link = cursor.take(*(_LINKS if column is None else ("is", "are", "was", "of", "lies")))
        value, lasts = cursor.at, link == "for" and cursor.word(-2) in _UNDECIDED
        found: Compare | Between | None = self._range() or self._compared(lasts) or self._afterwards(column)
        if found is None and column is not None:
            cursor.at = value
            found = self.with_other_column()
        if isinstance(found, Compare) and cursor.take(p.AGO):
            found = replace(found, measure="old") if isinstance(found.value, Quantity) else None
        if column is None and found is not None and (own := self.own_distance()) is not None:
            return replace(found, column=own)
        named_twice = column is not None and found is not None and found.column not in (None, column)
        if found is None or named_twice or (column is None and self._is_distance_to(found)):
            cursor.at = start
            return None
        if cursor.take("below sea level", "under sea level"):
            words = set(cursor.words[value : cursor.at - 3])
            deep = _below_sea_level(found, words) if column is None and found.column is None else None
            cursor.at = start if deep is None else cursor.at
            return deep
        own = self._own_unit(
            self.tables if column is None else (), column.columns if column is not None else ()
        )
        if column is not None:
            return replace(_in_own_unit(found, own), column=column)
        full = self._with_trailing_column(found)
        if own is not None and full is found and found.column is None:
            self.take_period(own)
            return replace(_in_own_unit(found, own), column=own)
        named = full.column if isinstance(full, Compare | Between) else None
        if named is not None and own is not None and set(named.columns) <= set(own.columns):
            return _in_own_unit(replace(found, column=named), own)  # `over 50 mg/l nitrate`
        return full

    def _own_unit(self, tables: tuple[Table, ...], names: tuple[str, ...]) -> ColumnMention | None:
        """Read the column's own unit: `mg/l` of `no3_mg_l`, `litres per minute` of “Flow in litres per minute”."""
        start = self.cursor.at
        sign = self.cursor.take("°") is not None
        words, used = self.cursor.keys(most=MAX_UNIT_WORDS)
        words, used = (("degree", *words), [0, *used]) if sign else (words, used)
        own = [each for each in self.columns if (tables or each.name in names) and each.kind in NUMBERS]
        for length in range(len(words), 0, -1):
            of = self.cursor.word(used[length - 1]) == "of"  # `50 mg of nitrate`
            part = words[:length] if used[length - 1] or sign else ()
            ends = [each.name for each in own if part and ends_with_unit(each, part, of=of)]
            if ends and not any(name_words(each.name) == part for each in own):
                self.cursor.at += used[length - 1]
                return ColumnMention(self.cursor.since(start), tuple(dict.fromkeys(ends)))
        self.cursor.at = start
        return None

    def _range(self) -> Between | None:
        cursor = self.cursor
        if cursor.take("between", "from") is None:
            return None
        days = take_days(cursor)
        if days is not None:
            return Between(*days)
        column = self._measured()
        low = take_day(cursor) or take_quantity(cursor)
        if low is None or cursor.take(*RANGE_JOINERS) is None:
            return None
        high = take_day(cursor) or take_quantity(cursor)
        if high is None:
            return None
        if isinstance(low, Quantity) and isinstance(high, Quantity):
            low, high = _of_one_kind(low, high)
        return Between(low, high, column)

    def _compared(self, lasts: bool = False) -> Compare | None:
        cursor = self.cursor
        comparator = take_comparator(cursor)
        if comparator is None:
            start = cursor.at
            by = cursor.take("by the end of", "by end of", "by")
            day = take_day(cursor) if by else None
            cursor.at = start if day is None else cursor.at
            return Compare("<=", day, measure="time") if day is not None else None
        op, measure, word = comparator
        if cursor.take("sea level", "mean sea level"):
            return Compare(op, Quantity(0.0, text="sea level"), measure="high")
        cursor.take("the year", "year")
        column = self._measured()
        last_day = word in ("since", "after") and take_last(cursor)
        age = None if last_day else take_age(cursor, sure=lasts or measure == "old")
        measure = "old" if lasts and age else measure
        value = last_day or age or take_day(cursor) or take_quantity(cursor) or self.named_row()
        if value is None or (isinstance(value, NamedRow) and measure in ("", "old", "time")):
            return None
        if word in ("after", "before", "since", "until", "till", "since before"):
            measure = "time"
        return Compare(op, value, column, measure, side=word if word in SIDES else "")

    def _measured(self) -> ColumnMention | None:
        """`between magnitude 4 and 5`: the column before the number."""
        start = self.cursor.at
        column = take_column(self.cursor, self.vocabulary, self.tables)
        token = self.cursor.token()
        if column is None or token is None or token.kind != "number":
            self.cursor.at = start
            return None
        return column

    def _afterwards(self, of: ColumnMention | None) -> Compare | None:
        """`2000 m or more`, `5 and above`, `630 kVA or more` of “Rated power, kVA”."""
        value, column = take_quantity(self.cursor), None
        if value is not None and value.unit is None:
            column = self._own_unit((), of.columns) if of else column_by_unit(self.cursor, self.tables)
        if value is None or self.cursor.take("or", "and") is None:
            return None
        word = self.cursor.take_any(AFTERWARDS)
        measure = "old" if word in ("older", "younger") else ""
        side = word if word in SIDES else ""
        return Compare(AFTERWARDS[word], value, of or column, measure, side=side) if word else None

    def _is_distance_to(self, found: Compare | Between) -> bool:
        """Whether the quantity is a distance (`more than 50 km from Berlin`), not an attribute."""
        if _is_percentage(found):
            return False
        if self.cursor.word() == "of":  # `4 feet of water`
            start = self.cursor.at
            self.cursor.at += 1
            column = take_column(self.cursor, self.vocabulary, self.tables)
            self.cursor.at = start
            return column is None
        return self.cursor.word() in ("from", "away", "around")

    def _with_trailing_column(self, found: Compare | Between) -> Condition:
        """The comparison with its column: `over 1 million in population`, `over 300 m high`."""
        cursor, start = self.cursor, self.cursor.at
        if (share := self._share_of(found)) is not None:
            return share
        is_part = cursor.take("of", "in") == "of" and _is_percentage(found)
        if cursor.word() in ("each", "every"):  # a group follows
            cursor.at = start
            return found
        measure = ADJECTIVES.get(cursor.word())
        if measure is not None:
            cursor.at += 1
            return replace(found, measure=measure)
        if cursor.take("above sea level", "a.s.l.", "asl"):
            return replace(found, measure="high")
        column = take_column(cursor, self.vocabulary, self.tables)
        if column is not None:
            self.take_period(column)
        kinds = {each.kind for each in self.columns if column is not None and each.name in column.columns}
        is_other = {"time": {"text"}, "": {"date"}}.get(found.measure) == kinds  # `under 150k sold to …`
        is_whole = column is not None and is_part and not are_shares(self.tables, column.columns)
        if column is None or is_whole or is_other or (goes_on(cursor) and not self._compares_next()):
            cursor.at = start  # in `30 % of households`, a column of households is the whole
            return found
        return replace(found, column=column)

    def take_period(self, column: ColumnMention) -> None:
        """Read a period that the column's name implies: `4000 riders a day` for `daily_riders`."""
        for words, period in PERIOD_WORDS.items():
            if period & {word for name in column.columns for word in name_words(name)}:
                self.cursor.take(*(f"{each} {words}" for each in ("a", "per", "each", "every")))
        for noun, phrases in _DAYS_OF_COLUMNS.items():
            if any(fits_column(table, name, (noun,)) for table in self.tables for name in column.columns):
                self.cursor.take(*phrases)

    def _share_of(self, found: Compare | Between) -> Condition | None:
        """`more than 50 % of the households are renters`, for a percentage column with these words."""
        cursor, start = self.cursor, self.cursor.at
        if not _is_percentage(found):
            return None
        words: list[str] = []
        cursor.take("of")
        while cursor.word() and cursor.word() not in ("and", "or", "but", ",", "then", "in", "with"):
            if cursor.word() not in ("the", "its", "their", "all", "are", "is", "?", "."):
                words += name_words(cursor.word())
            cursor.at += 1
        shares = (columns_called(self.tables, (*of, *words), is_share) for of in ((), ("share",)) if words)
        names = next(filter(None, shares), [])
        if len(names) != 1:
            cursor.at = start
            return None
        return replace(found, column=ColumnMention(" ".join(words), tuple(names)))

    def _compares_next(self) -> bool:
        """Whether another column with its comparison follows: `… 2 floors built after 1990`."""
        start = self.cursor.at
        column = take_column(self.cursor, self.vocabulary, self.tables)
        compares = column is not None and take_comparator(self.cursor) is not None
        self.cursor.at = start
        return compares

    def _amount_next(self) -> bool:
        """Whether an amount follows, not a text: `whose capital has more than 1 million people`."""
        start = self.cursor.at
        found = take_comparator(self.cursor) or self.cursor.take("the most", "the fewest", "the least")
        self.cursor.at = start
        return found is not None

    def lone_quantity(self) -> Quantity | None:
        """A number that does not begin a name (`10 Downing Street`)."""
        start = self.cursor.at
        quantity = take_quantity(self.cursor)
        if quantity is not None and self.cursor.word() and not ends_value(self.cursor):
            self.cursor.at = start
            return None
        return quantity

    def between_numbers(self, column: ColumnMention | None = None) -> Between | None:
        """`3 to 5`, `3-5`."""
        start = self.cursor.at
        low = take_quantity(self.cursor)
        high = take_quantity(self.cursor) if low is not None and self.cursor.take("to", "-", "–") else None
        if low is None or high is None:
            self.cursor.at = start
            return None
        return Between(*_of_one_kind(low, high), column)

    def sized(self, *, before: bool = False) -> Compare | None:
        """`6 m wide`, `one lane`: the value of a measure or count. `before` a noun also `2-lane`, and `100
        km/h` or `300 mm` of the only column in that unit; `500 m` could be a height or a length."""
        cursor = self.cursor
        cursor.take("that are", "which are", "are", "is")
        number, _, counted = cursor.word().partition("-")
        if counted and number in NUMBER_WORDS:
            names = columns_called(self.tables, name_words(counted)) if before else []
            column = ColumnMention(counted, tuple(names)) if names else None
            quantity: Quantity | None = Quantity(NUMBER_WORDS[number], text=number)
            cursor.at += 1
        else:
            quantity = take_quantity(cursor)
            if quantity is not None and quantity.unit is None and before and cursor.take("-"):
                quantity = replace(quantity, unit=take_unit(cursor))
            measure = (
                ADJECTIVES.get(cursor.word()) if quantity is not None and quantity.unit is not None else None
            )
            if measure is not None and measure not in ("old", "big"):
                cursor.at += 1
                return Compare("=", quantity, None, measure) if quantity is not None else None
            column = self._in_its_unit(quantity.unit) if before and quantity is not None else None
            if quantity is not None and quantity.unit is None:
                if before and (column := column_by_unit(self.cursor, self.tables)) is not None:
                    return Compare("=", quantity, column)
                column = take_column(cursor, self.vocabulary, self.tables)
        if quantity is None or column is None or (not before and goes_on(cursor)):
            return None
        is_amount = quantity.unit is not None or are_counts(self.tables, column.columns)
        return Compare("=", quantity, column) if is_amount else None

    def _in_its_unit(self, unit: Unit | None) -> ColumnMention | None:
        sizes = ("length", "area", "time")
        is_sure = unit is not None and (unit.dimension not in sizes or unit.symbol in _SMALL)
        own = [each for each in self.columns if is_sure and column_unit(each) == unit]
        return ColumnMention(own[0].name, (own[0].name,)) if len(own) == 1 else None

    def numbers(self, first: Quantity | None) -> list[Quantity]:
        """`5`, `5 or 7`, `5, 6 and 7`: the last unit applies to numbers without one."""
        found = [first] if first is not None else []
        while found:
            start = self.cursor.at
            joiner = self.cursor.take(", or", ", and", "or", "and", ",")
            more = take_quantity(self.cursor) if joiner is not None else None
            if more is None or not (joiner != "," or ends_value(self.cursor)):
                self.cursor.at = start
                break
            found.append(more)
        return [replace(each, unit=each.unit or found[-1].unit) for each in found]


_LINKS = (
    "that are", "which are", "that lie", "lying", "lie", "lies", "sitting", "located",
    "situated", "are", "is", "for", "sold for",
)  # fmt: skip
_UNDECIDED = word_set("open outstanding pending unresolved waiting")
"""States that began with the row: `pending for more than 6 months`."""


def _in_own_unit(found: Compare | Between, own: ColumnMention | None) -> Compare | Between:
    """The comparison with the words of the column's own unit, so that they are converted with it."""
    if own is None or not isinstance(found, Compare) or not isinstance(found.value, Quantity):
        return found
    text = found.value.text if found.value.unit is not None else f"{found.value.text} {own.text}"
    return replace(found, value=replace(found.value, text=text))


def _is_percentage(found: Compare | Between) -> bool:
    value = found.value if isinstance(found, Compare) else found.low
    return isinstance(value, Quantity) and value.unit is not None and value.unit.dimension == "share"


_DAYS_OF_COLUMNS = {
    "weekday": ("on a weekday", "on weekdays", "each weekday", "per weekday"),
    "weekend": ("on a weekend", "on weekends", "at weekends", "at the weekend"),
}
"""Phrases implied by a column for such days: `200 boardings on a weekday`."""
PERIOD_WORDS = {
    "day": frozenset(("daily", "day", "adt", "aadt")),
    "year": frozenset(("annual", "yearly", "year")),
    "hour": frozenset(("hourly", "hour")),
}
"""Words in column names that imply a period such as `a day`."""


def _of_one_kind(low: Quantity, high: Quantity) -> tuple[Quantity, Quantity]:
    """The bounds with a common unit: `500 to 1500 ft`, `200k to 1m` (a million, not a metre)."""
    if _IN_THOUSANDS.fullmatch(low.text) and _IN_MILLIONS.fullmatch(high.text):
        return low, replace(high, value=high.value * 1e6, unit=low.unit)
    low = _of_one_magnitude(low, high)
    return replace(low, unit=low.unit or high.unit), replace(high, unit=high.unit or low.unit)


_IN_THOUSANDS, _IN_MILLIONS = (re.compile(rf"[\d.,]+ ?{each}", re.IGNORECASE) for each in "km")


def _of_one_magnitude(low: Quantity, high: Quantity) -> Quantity:
    """The lower bound with the upper one's magnitude: `1 and 5 million`, not `500000 and 1 million`."""
    factors = [MAGNITUDES.get(word) for word in high.text.lower().split()]
    factor = next((each for each in factors if each is not None), None)
    if factor is None or not low.text.replace(".", "").isdigit() or low.value > high.value / factor:
        return low
    return replace(low, value=low.value * factor)


def any_of(numbers: list[Quantity], column: ColumnMention) -> Condition:
    """The condition that a column equals one of the numbers."""
    return joined("or", [Compare("=", each, column) for each in numbers])
