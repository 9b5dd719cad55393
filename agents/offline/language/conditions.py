"""Rules for conditions: `above 2000 m`, `in Germany or France`, `with population over 1 million`, `not closed`.

A piece that would need a spatial operation (`within 50 km of …`) is left alone, for the analyst.
"""

from __future__ import annotations

from dataclasses import replace

from agents.domain import Table
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import ADJECTIVES, AFTERWARDS, COMPARATIVES, METHODS
from agents.offline.language.nouns import (
    take_colour,
    take_column,
    take_day,
    take_quantity,
    take_ramp,
)
from agents.offline.language.shape_words import take_shape_fact
from agents.offline.language.value_text import ValueRules, ends_value, take_comparator
from agents.offline.language.words import doers_of, name_words
from agents.offline.meaning.flags import is_flag
from agents.offline.meaning.intents import (
    Between,
    ColumnMention,
    Compare,
    Condition,
    Empty,
    Group,
    InFocus,
    Matches,
    Negation,
    OneOf,
    Operand,
    Quantity,
)
from agents.offline.meaning.units import column_unit, unit_named
from agents.units import MAGNITUDES


class Conditions(ValueRules):
    """The rules for conditions over one cursor."""

    def all(self) -> Condition | None:
        """Conditions side by side or joined by and, or, but, commas; `and` binds tighter."""
        first = self.one()
        if first is None:
            return None
        groups: list[list[Condition]] = [[first]]
        while True:
            start = self.cursor.at
            joiner = self.cursor.take("and", "but", "or", ",")
            if joiner == "," and self.cursor.take("and", "or"):
                joiner = self.cursor.word(-1) or joiner
            following = self.one()
            if following is None:
                self.cursor.at = start
                break
            if joiner == "or":
                groups.append([following])
            else:
                groups[-1].append(following)
        return joined("or", [joined("and", group) for group in groups])

    def one(self) -> Condition | None:
        cursor, start = self.cursor, self.cursor.at
        if cursor.take(p.EVERYWHERE):
            cursor.at = start
            return None
        for rule in (
            self.shaped,
            self.negated,
            self.focus,
            self.lettered,
            self.named,
            self.done_by,
            self.with_column,
            self.by_column,
            self.comparison,
            self.place,
        ):
            found = rule()
            if found is not None:
                return found
            cursor.at = start
        if (
            cursor.take(p.LINKS)
            or (cursor.take("the") and cursor.take("ones"))
            or cursor.take("ones", "those")
        ):
            inner = self.one() or self.kind()
            if inner is not None:
                return inner
        cursor.at = start
        return None

    def shaped(self) -> Condition | None:
        return take_shape_fact(self.cursor)

    def negated(self) -> Condition | None:
        cursor = self.cursor
        cursor.take("that are", "which are", "that do", "which do", "are", "is")
        if cursor.take(p.WITHOUT):
            column = take_column(cursor, self.vocabulary, self.tables)
            if column is not None and not _goes_on(cursor):
                return Compare("=", False, column) if self._is_flag(column) else Empty(column)
            inner = self.one() or self.kind()
            return Negation(inner) if inner is not None else None
        if cursor.take("neither"):
            text = self.value_text()
            return Negation(OneOf(text.replace(" nor ", " or "), how="kind")) if " nor " in text else None
        taken = cursor.take(p.NOT)
        if taken is None:
            return None
        if taken.startswith("outside"):
            text = self.value_text()
            return Negation(OneOf(text)) if text else None
        inner = self.one() or self.kind()
        return Negation(inner) if inner is not None else None

    def focus(self) -> Condition | None:
        self.cursor.take("that are", "which are", "that lie")
        start = self.cursor.at
        self.cursor.take("the")
        if self.cursor.take(p.SELECTED):
            self.cursor.take("ones", "features", "one")
            return InFocus("selected")
        self.cursor.at = start
        if self.cursor.take(p.HERE):
            return InFocus("here")
        if self.cursor.take(p.IN_AREA):
            return InFocus("area")
        return InFocus("view") if self.cursor.take(p.IN_VIEW) else None

    def lettered(self) -> Condition | None:
        """`starting with the letter B`: the name."""
        self.cursor.take("that", "which", "whose name", "whose names")
        if not self.cursor.take(
            "starting with the letter", "start with the letter", "starts with the letter"
        ):
            return None
        token = self.cursor.token()
        if token is None or len(token.text) != 1:
            return None
        self.cursor.at += 1
        return Matches("starts", token.text)

    def named(self) -> Condition | None:
        if self.cursor.take(p.NAMED):
            text = self.value_text()
            if text:
                return OneOf(text, how="named")
        return None

    def done_by(self) -> Condition | None:
        """`owned by the city`: the value of a column `owner`."""
        cursor = self.cursor
        cursor.take("that are", "which are", "that is", "which is", "are", "is")
        word = cursor.word()
        doers = doers_of(word.removesuffix("ed")) | doers_of(word.removesuffix("d"))
        if not word.endswith("ed") or cursor.word(1) != "by":
            return None
        names = [c.name for table in self.tables for c in table.columns if doers & set(name_words(c.name))]
        cursor.at += 2
        text = self.value_text() if names else ""
        return OneOf(text, ColumnMention(word, tuple(dict.fromkeys(names))), "is") if text else None

    def with_column(self) -> Condition | None:
        """`with a population over 1 million`, `whose name contains …`, `with an iata code`, `with 6 lanes`."""
        cursor = self.cursor
        opener = cursor.take(p.WITH)
        if opener is None:
            return None
        cursor.take("a", "an", "the", "their", "its", "some")
        start = cursor.at
        for rule in (self.by_column, self.comparison):
            found = rule()
            if found is not None:
                return found
            cursor.at = start
        if opener in ("with", "having", "have", "has", "that have", "which have"):
            return self._more_than_another() or self._counted() or self._has_or_is()
        return None

    def _more_than_another(self) -> Condition | None:
        """`more pupils than capacity`: one column of a row compared with another."""
        cursor, start = self.cursor, self.cursor.at
        compared = COMPARATIVES.get(cursor.word())
        cursor.at += 1
        column = take_column(cursor, self.vocabulary, self.tables) if compared is not None else None
        other = take_column(cursor, self.vocabulary, self.tables) if column and cursor.take("than") else None
        if compared is None or column is None or other is None or _goes_on(cursor):
            cursor.at = start
            return None
        return Compare(compared[0], other, column)

    def _counted(self) -> Condition | None:
        """`with 6 lanes`."""
        start = self.cursor.at
        numbers = self._numbers(take_quantity(self.cursor))
        column = take_column(self.cursor, self.vocabulary, self.tables) if numbers else None
        if column is not None and not _goes_on(self.cursor):
            return _any_of(numbers, column)
        self.cursor.at = start
        return None

    def _has_or_is(self) -> Condition | None:
        """`with an iata code` has one; `with country Germany` has that one."""
        column = take_column(self.cursor, self.vocabulary, self.tables)
        if column is None:
            return None
        numbers = self._numbers(self._lone_quantity())
        if numbers:
            return _any_of(numbers, column)
        if not _goes_on(self.cursor):
            return self._has(column)
        if self.cursor.word() in ("is", "of", "=", ">", "<"):
            return None
        text = self.value_text()
        return OneOf(text, column, "is") if text else None

    def _numbers(self, first: Quantity | None) -> list[Quantity]:
        """`5`, `5 or 7`, `5, 6 and 7`: the last one's unit serves those without."""
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

    def _has(self, column: ColumnMention) -> Condition:
        return Compare("=", True, column) if self._is_flag(column) else Negation(Empty(column))

    def _is_flag(self, column: ColumnMention) -> bool:
        found = [own for table in self.tables if (own := table.column(column.columns[0])) is not None]
        return bool(found) and all(map(is_flag, found))

    def by_column(self) -> Condition | None:
        """A column, then what is asked of it."""
        cursor = self.cursor
        column = take_column(cursor, self.vocabulary, self.tables)
        if column is None:
            return None
        if cursor.take(p.FILLED):
            return Negation(Empty(column))
        if cursor.take(p.EMPTY):
            return Empty(column)
        negative = cursor.take("does not", "do not", "doesn't", "don't", "not") is not None
        for how, phrases in (("contains", p.CONTAINS), ("starts", p.STARTS), ("ends", p.ENDS)):
            if cursor.take(phrases):
                text = self.value_text()
                if text:
                    matches = Matches(how, text, column)  # type: ignore[arg-type]  # how is one of the three
                    return Negation(matches) if negative else matches
                return None
        comparison = self.comparison(column)
        if comparison is not None:
            return Negation(comparison) if negative else comparison
        return self._equal(column, negative)

    def _equal(self, column: ColumnMention, negative: bool) -> Condition | None:
        cursor = self.cursor
        start = cursor.at
        if cursor.take("in the", "during the", "in", "during"):
            decade = take_day(cursor)
            if decade is not None:
                return Negation(Compare("=", decade, column)) if negative else Compare("=", decade, column)
            cursor.at = start
        listed = cursor.word() == "in" and (after := cursor.token(1)) is not None and after.kind != "word"
        if cursor.take(p.IS) is None and not (listed and cursor.take("in")):
            return None
        if cursor.take("not", "neither"):
            negative = not negative
        if cursor.take("true", "yes"):
            return Compare("=", not negative, column)
        if cursor.take("false", "no"):
            return Compare("=", negative, column)
        comparison = self.comparison(column)
        value: Operand | None = None
        if comparison is None:
            value = take_day(cursor)
            numbers = self._numbers(self._lone_quantity()) if value is None else []
            comparison = _any_of(numbers, column) if numbers else None
        if value is not None:
            comparison = Compare("=", value, column)
        if comparison is None:
            opened = cursor.take("(") is not None
            text = self.value_text()
            comparison = OneOf(text, column, "is") if text and (not opened or cursor.take(")")) else None
        if comparison is None:
            cursor.at = start
            return None
        return Negation(comparison) if negative else comparison

    def _lone_quantity(self) -> Quantity | None:
        """A number that is not the beginning of a name (`10 Downing Street`)."""
        start = self.cursor.at
        quantity = take_quantity(self.cursor)
        if quantity is not None and self.cursor.word() and not ends_value(self.cursor):
            self.cursor.at = start
            return None
        return quantity

    def comparison(self, column: ColumnMention | None = None) -> Condition | None:
        """`above 2000 m`, `at least 5`, `between 1 and 2 km`, `2000 m or more`, then perhaps the column or measure."""
        cursor, start = self.cursor, self.cursor.at
        if column is None:
            cursor.take("that are", "which are", "that lie", "lying", "located", "situated", "are", "is")
        else:
            cursor.take("is", "are", "was", "of", "lies")
        value = cursor.at
        found: Compare | Between | None = self._range() or self._compared() or self._afterwards()
        if found is None and column is not None:
            cursor.at = value
            found = self._with_other_column()
        named_twice = column is not None and found is not None and found.column not in (None, column)
        if found is None or named_twice or (column is None and self._is_distance_to(found)):
            cursor.at = start
            return None
        own = self._own_unit(
            self.tables if column is None else (), column.columns if column is not None else ()
        )
        if column is not None:
            return replace(found, column=column)
        full = self._with_trailing_column(found)
        if own is not None and full is found and found.column is None:
            self._take_period(own)
            return replace(found, column=own)
        return full

    def _own_unit(self, tables: tuple[Table, ...], names: tuple[str, ...]) -> ColumnMention | None:
        """Past `mg/l`, of a column that is called `no3_mg_l`: it is the column's own unit."""
        words, used = self.cursor.keys(most=2)
        own = [*names, *(column.name for table in tables for column in table.columns)]
        for length in range(len(words), 0, -1):
            ends = [
                name for name in own if name_words(name)[1:][-length:] == words[:length] and used[length - 1]
            ]
            if ends and not any(name_words(name) == words[:length] for name in own):
                start = self.cursor.at
                self.cursor.at += used[length - 1]
                return ColumnMention(self.cursor.since(start), tuple(dict.fromkeys(ends)))
        return None

    def _range(self) -> Between | None:
        cursor = self.cursor
        if cursor.take("between", "from") is None:
            return None
        column = self._measured()
        low = take_day(cursor) or take_quantity(cursor)
        if low is None or cursor.take("and", "to", "-", "–", "until") is None:
            return None
        high = take_day(cursor) or take_quantity(cursor)
        if high is None:
            return None
        if isinstance(low, Quantity) and isinstance(high, Quantity):
            low = replace(_of_one_magnitude(low, high), unit=low.unit or high.unit)
            high = replace(high, unit=high.unit or low.unit)
        return Between(low, high, column)

    def _compared(self) -> Compare | None:
        cursor = self.cursor
        comparator = take_comparator(cursor)
        if comparator is None:
            return None
        op, measure, word = comparator
        if cursor.take("sea level", "mean sea level"):
            return Compare(op, Quantity(0.0, text="sea level"), measure="high")
        cursor.take("the year", "year")
        column = self._measured()
        value = take_day(cursor) or take_quantity(cursor)
        if value is None:
            return None
        if word in ("after", "before", "since", "until", "till"):
            measure = "time"
        return Compare(op, value, column, measure)

    def _with_other_column(self) -> Compare | None:
        """`dwellings > floors`: the values of another column of the same row."""
        comparator = take_comparator(self.cursor)
        other = take_column(self.cursor, self.vocabulary, self.tables) if comparator is not None else None
        if comparator is None or other is None or _goes_on(self.cursor):
            return None
        return Compare(comparator[0], other)

    def _measured(self) -> ColumnMention | None:
        """`between magnitude 4 and 5`: the column in front of the number."""
        start = self.cursor.at
        column = take_column(self.cursor, self.vocabulary, self.tables)
        token = self.cursor.token()
        if column is None or token is None or token.kind != "number":
            self.cursor.at = start
            return None
        return column

    def _afterwards(self) -> Compare | None:
        """`2000 m or more`, `5 and above`."""
        value = take_quantity(self.cursor)
        if value is None or self.cursor.take("or", "and") is None:
            return None
        word = self.cursor.take_any(AFTERWARDS)
        measure = "old" if word in ("older", "younger") else ""
        return Compare(AFTERWARDS[word], value, measure=measure) if word else None

    def _is_distance_to(self, found: Compare | Between) -> bool:
        """`more than 50 km from Berlin` is no attribute of anything."""
        value = found.value if isinstance(found, Compare) else found.low
        if isinstance(value, Quantity) and value.unit is not None and value.unit.dimension == "share":
            return False
        return self.cursor.word() in ("from", "of", "away", "around")

    def _with_trailing_column(self, found: Compare | Between) -> Condition:
        """`over 1 million in population`, `above 2000 m elevation`, `over 300 m high`."""
        cursor, start = self.cursor, self.cursor.at
        if (share := self._share_of(found)) is not None:
            return share
        cursor.take("of", "in")
        measure = ADJECTIVES.get(cursor.word())
        if measure is not None:
            cursor.at += 1
            return replace(found, measure=measure)
        if cursor.take("above sea level", "a.s.l.", "asl"):
            return replace(found, measure="high")
        column = take_column(cursor, self.vocabulary, self.tables)
        if column is not None:
            self._take_period(column)
        if column is None or (_goes_on(cursor) and not self._compares_next()):
            cursor.at = start
            return found
        return replace(found, column=column)

    def _take_period(self, column: ColumnMention) -> None:
        """`4000 riders a day`, of a column that is called `daily_riders`."""
        for words, period in _PERIODS.items():
            if period & {word for name in column.columns for word in name_words(name)}:
                self.cursor.take(*(f"{each} {words}" for each in ("a", "per", "each", "every")))

    def _share_of(self, found: Compare | Between) -> Condition | None:
        """`more than 50 % of the households are renters`, of a column in percent whose comment has those words."""
        cursor, start = self.cursor, self.cursor.at
        value = found.value if isinstance(found, Compare) else found.low
        if not isinstance(value, Quantity) or value.unit is None or value.unit.dimension != "share":
            return None
        said: list[str] = []
        cursor.take("of")
        while cursor.word() and cursor.word() not in ("and", "or", "but", ",", "then", "in", "with"):
            if cursor.word() not in ("the", "its", "their", "all", "are", "is", "?", "."):
                said += name_words(cursor.word())
            cursor.at += 1
        names = [
            column.name
            for table in self.tables
            for column in table.columns
            if said
            and (unit := column_unit(column)) is not None
            and unit.dimension == "share"
            and set(said) <= {*name_words(column.name), *name_words(column.comment or "")}
        ]
        if len(names) != 1:
            cursor.at = start
            return None
        return replace(found, column=ColumnMention(" ".join(said), tuple(names)))

    def _compares_next(self) -> bool:
        """`… 2 floors built after 1990`: whether the next column and its comparison follow."""
        start = self.cursor.at
        column = take_column(self.cursor, self.vocabulary, self.tables)
        compares = column is not None and take_comparator(self.cursor) is not None
        self.cursor.at = start
        return compares

    def place(self) -> Condition | None:
        """`in Germany`, `from Peru or Chile`; not `in red`, `in viridis`, `within 50 km of`, `in 7 classes`."""
        cursor = self.cursor
        cursor.take("that are", "which are", "that lie", "lying", "located", "situated", "are", "is")
        if cursor.take("of type", "of kind", "of class", "of category", "of the type", "of the kind"):
            return self.kind()
        opener = cursor.take(p.IN)
        if opener is None:
            return None
        begin = cursor.at
        token = cursor.token()
        if token is None or token.kind == "number":
            return self._year(opener)
        # `in Blue` is a colour; `in “Blue”` is not, and a colour that goes on (`in Orange County`) is a name.
        if token.kind == "word" and (take_colour(cursor) or take_ramp(cursor)) and ends_value(cursor):
            return None
        cursor.at = begin
        unit = unit_named(cursor.word(), cursor.word(1)) if opener == "in" else None
        if unit is not None and cursor.token(unit[1]) is None:
            return None  # of the answer
        if cursor.word() in METHODS or cursor.sees("total") or cursor.sees("general"):
            return None
        day = take_day(cursor)
        if day is not None:
            return Compare("=", day, measure="time")
        cursor.take(p.PLACE_NOUNS)
        text = self.value_text()
        return (self._of_column(text) or OneOf(text)) if text else None

    def _of_column(self, text: str) -> OneOf | None:
        """`in poor condition`: a value, then the column that it is a value of."""
        value, _, last = text.rpartition(" ")
        names = {
            column.name
            for table in self.tables
            for column in table.columns
            if column.kind == "text" and name_words(column.name) == name_words(last)
        }
        if not value or len(names) != 1 or last[:1].isupper():
            return None
        return OneOf(value, ColumnMention(last, tuple(names)), "is")

    def _year(self, opener: str) -> Condition | None:
        """`in 2019`: of a date column the whole year."""
        token = self.cursor.take_number()
        if (
            opener not in ("in", "from", "of")
            or token is None
            or not token.text.isdigit()
            or len(token.text) != 4
        ):
            return None
        if not ends_value(self.cursor):
            return None
        return Compare("=", Quantity(token.value, text=token.text), measure="time")

    def kind(self) -> Condition | None:
        """A bare value: `large`, `closed` (the ones that are …)."""
        self.cursor.take("the", "a", "an", "of type", "of kind")
        text = self.value_text()
        return OneOf(text, how="kind") if text and not _VERBS & set(text.lower().split()) else None


_PERIODS = {
    "day": frozenset(("daily", "day", "adt", "aadt")),
    "year": frozenset(("annual", "yearly", "year")),
    "hour": frozenset(("hourly", "hour")),
}
"""What `a day` says again of a column."""
_VERBS = frozenset(("has", "have", "had", "does", "do", "did"))
"""No value of a column: a sentence that was not understood."""


def _of_one_magnitude(low: Quantity, high: Quantity) -> Quantity:
    """`between 1 and 5 million` begins at a million."""
    said = [MAGNITUDES.get(word) for word in high.text.lower().split()]
    factor = next((each for each in said if each is not None), None)
    if factor is None or not low.text.replace(".", "").isdigit() or low.value >= factor:
        return low
    return replace(low, value=low.value * factor)


def _any_of(numbers: list[Quantity], column: ColumnMention) -> Condition:
    return joined("or", [Compare("=", each, column) for each in numbers])


def joined(op: str, parts: list[Condition]) -> Condition:
    """The conditions as one: themselves, or a group."""
    return parts[0] if len(parts) == 1 else Group("or" if op == "or" else "and", tuple(parts))


def _goes_on(cursor: Cursor) -> bool:
    """Whether the words after a column say more than that there is one."""
    return cursor.word() in ("of", "is", "=", ">", "<") or (bool(cursor.word()) and not ends_value(cursor))
