"""The pieces of a question about one table, found wherever they stand: rows, conditions, columns, groups, orders.

What they mean together, and whether that makes a question, is decided in `questions.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.assembly.fitting import fits, is_value
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.ranks import take_order
from agents.offline.language.cursor import Cursor
from agents.offline.language.grammar import Slot
from agents.offline.language.lexicon import STATISTICS
from agents.offline.language.nouns import take_count, take_unit
from agents.offline.language.subjects import Grammar
from agents.offline.language.tags import Tags
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import doers_of, name_words, word_set
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import ColumnMention, Compare, Mention, OneOf, Top
from agents.offline.meaning.features import Features
from agents.units import UNITS

MAX_COLUMN_WORDS, MAX_LIMITS = 5, 3
NOTHING_SAID, UNKNOWN_VALUE = 0.05, 2.0
"""Costs: of a word without a meaning of its own, and of one that is not a known value."""
_NOTHING = word_set("""
    the a an all our your their its we us me i you they there it is are was were be been do does did has have had get
    gets got hold holds contain contains record recorded receive received see saw what what's which who please tell give
    list find compute calculate determine return ? ! . , :
""")
"""Words and signs that say nothing by themselves in a question that is read piece by piece."""
_BEFORE_ROWS = word_set("of for in among across from on the all any our your these")
_BEFORE_COLUMN = word_set("of the all their its")
_LIMITS = word_set("""
    by per for in of each every with and as from on at does do did is are was were has have had highest lowest most
    least largest smallest oldest newest sorted ordered ranked top than that which who across , give show
""")
"""Where a value may end."""
_ROWS, _CONDITION = Slot("rows", "bare"), Slot("condition", "condition")
_AREAS = Slot("areas", "bare")


@dataclass(frozen=True, slots=True)
class Piece:
    """Tokens from `begin` to `end` with one meaning; `text` are its words."""

    kind: str
    begin: int
    end: int
    value: Any = None
    cost: float = 0.5
    text: str = ""


class TableTags(Tags):
    """Tags of a request that is read as one about a single table."""

    def __init__(self, cursor: Cursor, vocabulary: Vocabulary, table: Table) -> None:
        super().__init__(cursor, vocabulary, table, _LIMITS)
        self._roots = (table,)

    def _limited(self, at: int) -> Iterable[int]:
        """The end, and the next places where a value may end."""
        yield self._ends
        yield from [joint for joint in self._joints if joint > at][:MAX_LIMITS]


class PiecesOfTable:
    """The pieces of a request, read as a question about `table`."""

    def __init__(self, cursor: Cursor, vocabulary: Vocabulary, table: Table) -> None:
        self.cursor = cursor
        self.vocabulary = vocabulary
        self.table = table
        self.begin = cursor.at
        self._tags = TableTags(cursor, vocabulary, table)
        self._grammar = Grammar(cursor, vocabulary, table)
        self._readers = (
            self._meaning, self._rows, self._conditions, self._words, self._columns, self._groups, self._orders,
            self._tops, self._units, self._rates, self._spans_of_time, self._done, self._parts, self._whose,
        )  # fmt: skip

    def at(self, place: int) -> list[Piece]:
        """All pieces that begin at a token."""
        found: list[Piece] = []
        for reader in self._readers:
            self.cursor.at = place
            found += reader(place)
        if self.cursor.tokens[place].kind != "number" and self._word(place) in _NOTHING:
            found.append(Piece("nothing", place, place + 1, cost=NOTHING_SAID))
        return found

    def _word(self, place: int) -> str:
        self.cursor.at = place
        return self.cursor.word()

    def _past(self, place: int, words: frozenset[str]) -> int:
        while place < self.cursor.end - 1 and self._word(place) in words:
            place += 1
        return place

    def _piece(self, kind: str, begin: int, value: Any = None, cost: float = 0.5) -> Piece:
        return Piece(kind, begin, self.cursor.at, value, cost, self.cursor.since(begin))

    def _meaning(self, place: int) -> Iterable[Piece]:
        """`(meaning …)`, which tells apart what was asked about."""
        if self.cursor.take_meaning() is not None:
            yield self._piece("nothing", place, cost=0.0)

    # --- rows, columns, conditions ---------------------------------------------------------------------------

    def _rows(self, place: int) -> Iterable[Piece]:
        begin = self._past(place, _BEFORE_ROWS)
        for span in self._tags.spans(_ROWS, begin):
            rows: Features = span.value
            if rows.mention is None or rows.guessed or not self._is_of_table(rows.mention):
                continue
            meant = replace(rows, mention=replace(rows.mention, tables=(self.table.id,), layers=()))
            cost = 1.0 + (self._doubt(meant.where) if meant.where is not None else 0.0)
            self.cursor.at = span.end
            yield replace(self._piece("rows", place, meant, cost), text=meant.noun)

    def _is_of_table(self, mention: Mention) -> bool:
        return self.table.id in mention.tables

    def _conditions(self, place: int) -> Iterable[Piece]:
        begin = place + 1 if self._word(place) in ("is", "was") else place
        for span in self._tags.spans(_CONDITION, begin):
            self.cursor.at = span.end
            piece = self._piece("condition", place, span.value, 1.0 + span.cost + self._doubt(span.value))
            if fits(span.value, piece.text.lower(), self.table, self.vocabulary):
                yield piece
        self.cursor.at = begin
        # `organic`, a column of yes and no, as a property of the rows
        for column in list(self._columns_at(begin)) if begin > place else ():
            own = [self.table.column(name) for name in column.value.columns]
            if len(own) == 1 and own[0] is not None and own[0].kind == "boolean":
                yield replace(
                    column,
                    kind="condition",
                    begin=place,
                    value=Compare("=", True, column.value),
                    text=f"is {column.text}",
                )

    def _doubt(self, condition: Any) -> float:
        """What it costs that a text is not known as a value of the table."""
        known = not isinstance(condition, OneOf) or is_value(condition.text, self.vocabulary, self.table)
        return 0.0 if known else UNKNOWN_VALUE

    def _columns(self, place: int) -> Iterable[Piece]:
        begin = self._past(place, _BEFORE_COLUMN)
        yield from (replace(each, begin=place) for each in self._columns_at(begin))

    def _columns_at(self, place: int) -> Iterator[Piece]:
        """Every run of words that names columns, the longest first."""
        self.cursor.at = place
        words, used = self.cursor.keys(most=MAX_COLUMN_WORDS)
        for length in range(len(words), 0, -1):
            names = self.vocabulary.columns_called((self.table,), " ".join(words[:length]))
            if names and used[length - 1]:
                self.cursor.at = place + used[length - 1]
                text = self.cursor.since(place)
                yield self._piece("column", place, ColumnMention(text, names), 1.0)

    def _groups(self, place: int) -> Iterable[Piece]:
        """`by district`, `for each operator`: a column of the rows, areas in which they lie, or a time."""
        if self.cursor.take(p.OF_EACH) is None:
            return
        begin = self.cursor.at
        period = self.cursor.take_any(_PERIODS)
        if period:
            yield self._piece("group", place, _PERIODS[period])
        for column in list(self._columns_at(begin)):
            yield replace(column, kind="group", begin=place)
        for span in self._tags.spans(_AREAS, begin):
            areas: Features = span.value
            mention = areas.mention if areas.named and areas.where is None else None
            if mention is not None and not self._is_of_table(mention):
                self.cursor.at = span.end
                yield self._piece("group", place, areas, 2.0)

    # --- words with one meaning ------------------------------------------------------------------------------

    def _words(self, place: int) -> Iterable[Piece]:
        """Words that say what is asked for, and how the answer is to look."""
        for kind, phrases in _WORDS:
            self.cursor.at = place
            said = self.cursor.take(phrases)
            if said is not None:
                yield self._piece(kind, place, said)
        self.cursor.at = place
        what = STATISTICS.get(self.cursor.word())
        if what in _FIGURES:
            self.cursor.at += 1
            self.cursor.take("of", "number of")
            yield self._piece("figure", place, what)
        for what, adverbs in _ADVERBS.items():
            self.cursor.at = place
            if self.cursor.take(*adverbs):
                yield self._piece("figure", place, what)
        self.cursor.at = place
        if self.cursor.take("how many", "and how many", "total"):
            unit = take_unit(self.cursor)
            if unit is not None and unit.dimension in ("length", "area"):
                self.cursor.take("are they", "in total", "altogether")
                yield self._piece("measured", place, unit)
        self.cursor.at = place
        if self.cursor.take("and", "&"):
            yield self._piece("and", place, cost=0.0)

    def _orders(self, place: int) -> Iterable[Piece]:
        """`highest first`, `most expensive first`, `sorted by area descending`; the value is a ranking."""
        for descending, phrases in ((True, p.GREATEST_FIRST), (False, p.LEAST_FIRST)):
            self.cursor.at = place
            if self.cursor.take(phrases) is not None:
                yield self._piece("order", place, descending)
        self.cursor.at = place
        order = take_order(self.cursor)
        if order is not None:
            yield self._piece("order", place, order, 0.6)
        self.cursor.at = place
        self.cursor.take(",")
        if self.cursor.take(p.SORTED):
            for column in list(self._columns_at(self.cursor.at)):
                self.cursor.at = column.end
                descending = self.cursor.take(p.DESCENDING) is not None
                if not descending:
                    self.cursor.take(
                        "ascending", "asc", "increasing", "from low to high", "in ascending order"
                    )
                yield self._piece("order", place, Top(0, descending, column.value, word="sorted"))

    def _tops(self, place: int) -> Iterable[Piece]:
        """`the five largest`, `top 10`; `ten` before the rows is a number of them."""
        top = self._grammar.superlative()
        if top is not None and top.place == 1:
            yield self._piece("top", place, top)
        self.cursor.at = place
        count = take_count(self.cursor)
        if count:
            yield self._piece("number", place, count)

    def _units(self, place: int) -> Iterable[Piece]:
        """`in km`, `(in metres)`."""
        opened = self.cursor.take("(") is not None
        inside = self.cursor.take("in", "as") is not None
        unit = take_unit(self.cursor) if opened or inside else None
        if unit is not None and (not opened or self.cursor.take(")")):
            yield self._piece("unit", place, unit)

    def _rates(self, place: int) -> Iterable[Piece]:
        """`per square metre`, `per dwelling`."""
        if not self.cursor.take("per", "for each", "for every", "a", "/"):
            return
        begin = self.cursor.at
        unit = take_unit(self.cursor)
        if unit is not None and unit.dimension in ("area", "length"):
            yield self._piece("per", place, unit)
        yield from (
            replace(each, kind="per", begin=place)
            for each in self._columns_at(begin)
            if all(map(self._is_number, each.value.columns))
        )

    def _is_number(self, name: str) -> bool:
        column = self.table.column(name)
        return column is not None and is_number(column)

    def _spans_of_time(self, place: int) -> Iterable[Piece]:
        """`days between loss and closing`, of two columns of dates."""
        unit = take_unit(self.cursor)
        if unit is None:
            self.cursor.take("the")
            unit = UNITS["days"] if self.cursor.take("time", "period", "delay", "duration") else None
        if unit is None or unit.dimension != "time" or not self.cursor.take("between", "from"):
            return
        self.cursor.take("the")
        for first in list(self._dates_at(self.cursor.at)):
            self.cursor.at = first.end
            if not self.cursor.take("and", "to", "until"):
                continue
            self.cursor.take("the")
            for second in list(self._dates_at(self.cursor.at)):
                self.cursor.at = second.end
                yield self._piece("between", place, (unit, first.value, second.value), 1.0)

    def _dates_at(self, place: int) -> Iterator[Piece]:
        """Of the columns that are named, those of dates."""
        for piece in self._columns_at(place):
            own = [column for name in piece.value.columns if (column := self.table.column(name)) is not None]
            names = tuple([each.name for each in own if each.kind in ("date", "timestamp")])
            if len(names) == 1:
                yield replace(piece, value=ColumnMention(piece.text, names))

    def _parts(self, place: int) -> Iterable[Piece]:
        """`65 or older`, `under 18`: the column that counts the people of that age, such as `pop_65up`."""
        before = (
            self.cursor.take("aged", "over", "under", "older than", "younger than", "below", "above") or ""
        )
        number = self.cursor.take_number()
        after = self.cursor.take(*_AGES) if number is not None else None
        if number is None or not number.text.isdigit() or not (before or after):
            return
        younger = before in ("under", "younger than", "below") or (after or "").endswith(("younger", "under"))
        age = re.compile(
            rf"({_YOUNGER})_?{number.text}$|_{number.text}_?({_YOUNGER})\b"
            if younger
            else rf"({_OLDER})_?{number.text}$|(?<!\d){number.text}_?({_OLDER})\b"
        )
        names = tuple(each.name for each in self.table.columns if is_number(each) and age.search(each.name))
        if len(names) == 1:
            yield self._piece("part", place, ColumnMention(names[0], names))

    def _whose(self, place: int) -> Iterable[Piece]:
        """`which operator`, `in which three districts`: the groups of which the first ones are asked for."""
        if self.cursor.take(p.OF_WHICH) is None:
            return
        count = take_count(self.cursor)
        for column in list(self._columns_at(self.cursor.at)):
            yield replace(column, kind="whose", begin=place, value=(column.value, count))

    def _done(self, place: int) -> Iterable[Piece]:
        """`run` in `does each operator run`: what the one does whom a column names."""
        word = self._word(place).removesuffix("s")
        doers = doers_of(word) if len(word) > 2 else frozenset()
        texts = (each for each in self.table.columns if each.kind == "text")
        if doers and any(doers & set(name_words(each.name)) for each in texts):
            self.cursor.at = place + 1
            yield self._piece("does", place, doers)


_FIGURES = frozenset(("mean", "median", "sum", "minimum", "maximum"))
_ADVERBS = {
    "mean": ("on average", "in the mean", "on the average"),
    "sum": ("in total", "altogether", "in all", "overall", "combined", "in sum"),
}
_AGES = (
    "or older",
    "and older",
    "or over",
    "and over",
    "or more",
    "plus",
    "or younger",
    "and younger",
    "and under",
)
_OLDER, _YOUNGER = "up|plus|over|older|ge|gt", "under|younger|below|lt|le"
"""What such columns are called, as parts of patterns."""
_PERIODS = {
    **{name: name for name in ("year", "quarter", "month", "weekday", "day", "hour")},
    "calendar year": "year",
}
_WORDS = (
    ("count", p.COUNTED), ("amount", p.HOW_MUCH), ("share", p.SHARE), ("table", p.AS_TABLE), ("chart", p.AS_BARS),
    ("draw", p.DRAWN), ("most", p.MOST_OF), ("same", p.THE_SAME), ("with", p.WITH_THEIR), ("with share", p.WITH_SHARE),
)  # fmt: skip
