"""Finds the pieces of a question about one table: rows, conditions, columns, groups, orders.

`questions.py` decides what they mean together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses.groups import are_other_groups, has_elsewhere
from agents.offline.commands.assembly.charted import chart_pieces, follows_chart
from agents.offline.commands.assembly.compared import BEFORE_ROWS, ComparedPieces
from agents.offline.commands.assembly.fitting import columns_of, fits, is_neutral, is_value
from agents.offline.commands.assembly.measured import CONDITION
from agents.offline.commands.assembly.piece import MAX_VALUE_WORDS, Piece
from agents.offline.commands.assembly.shown import look_pieces
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.ranks import take_order, takes_descending
from agents.offline.language.conditions.rules import Conditions
from agents.offline.language.cursor import Cursor
from agents.offline.language.grammar import Slot
from agents.offline.language.lexicon import STATISTICS
from agents.offline.language.names.dates import times_of
from agents.offline.language.names.kinds import take_country
from agents.offline.language.names.periods import PERIODS_OF_ADVERBS
from agents.offline.language.names.rows import are_pieces_of
from agents.offline.language.nouns import take_count, take_unit
from agents.offline.language.subjects import Grammar
from agents.offline.language.table_tags import LIMITS, TableTags
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import Phrases, is_participle, name_words, singular, word_set
from agents.offline.meaning.alike_places import PLACES
from agents.offline.meaning.conditions import (
    ColumnMention,
    Compare,
    Mention,
    Negation,
    OneOf,
    Quantity,
    Top,
    joined,
)
from agents.offline.meaning.features import Features
from agents.offline.meaning.row_names import is_code, name_column
from agents.offline.meaning.steps import ColumnWords

NEUTRAL_WORD, UNKNOWN_VALUE = 0.05, 2.0
REPETITION, VALUE_ALONE = 1.5, 2.5
"""Costs of words without meaning, unknown values, repetitions, and bare values."""
_WITH_THE = re.compile(r"with (?:the|their|its)\b", re.IGNORECASE)
_BEFORE_COLUMN = word_set("of the all their its")
_ROWS, _AREAS = Slot("rows", "bare"), Slot("areas", "bare")


class PiecesOfTable(ComparedPieces):
    """The pieces of a request, read as a question about `table`."""

    def __init__(
        self, cursor: Cursor, vocabulary: Vocabulary, table: Table, *, pronouns: bool = False
    ) -> None:
        """`pronouns`: pronouns mean the rows of the previous question."""
        self.cursor = cursor
        self.vocabulary = vocabulary
        self.table = table
        self._pronouns = pronouns
        self._tags = TableTags(cursor, vocabulary, table)
        self._grammar = Grammar(cursor, vocabulary, table)
        self._readers = (
            self._meaning, self._rows, self._conditions, self._words, self._columns, self._groups,
            self._several_groups, self._orders, self._tops, self._units, self._rates, self._value_rates,
            self._spans_of_time, self._durations, self._times_until, self._spans_of_years, self._changes,
            self._compared, self._wholes, self._done, self._who, self._paid, self._parts, self._whose,
            lambda _: look_pieces(cursor, vocabulary, table), partial(chart_pieces, cursor), self._splits,
            self._adverbs_of_time, self._them, self._values, self._did, self._columns_of_years,
            self._columns_compared, self._years_listed, self._groups_kept,
        )  # fmt: skip

    def at(self, place: int) -> list[Piece]:
        """All pieces that begin at a token."""
        found = list[Piece]()
        for reader in self._readers:
            self.cursor.at = place
            found += reader(place)
        is_word = self.cursor.tokens[place].kind != "number"
        if is_word and is_neutral(self._word(place), self.vocabulary, self.table):
            column = any(each.kind == "column" and each.end == place + 1 for each in found)
            found.append(Piece("nothing", place, place + 1, cost=REPETITION if column else NEUTRAL_WORD))
        limited = [each for each in found if each.kind in ("condition", "rows")]
        only = [each for each in limited if self._word(each.end) == "only"]  # `night shift only`
        return found + [replace(each, end=each.end + 1) for each in only]

    def _meaning(self, place: int) -> Iterable[Piece]:
        """`(meaning …)`, a choice among several meanings, and polite words."""
        if self.cursor.take_meaning() is not None:
            yield self._piece("nothing", place, cost=0.0)
        if " " in (self.cursor.take(p.FLUFF) or "") or self.cursor.take(
            "according to", "based on", "came in"
        ):
            yield self._piece("nothing", place, cost=0.0)
        self.cursor.at = place
        if place and is_participle(self.cursor.words[place - 1]) and self.cursor.take("by"):
            yield self._piece("nothing", place)  # `customers affected by outages`
        self.cursor.at = place
        ends = self.cursor.take("only please", "only pls", "only", "pls")  # `red foxes only, …`
        if ends and (self.cursor.done or self.cursor.word() in (",", "-", "–", ":")):
            yield self._piece("nothing", place, cost=0.0)

    # --- rows, columns, conditions ---------------------------------------------------------------------------

    def _rows(self, place: int) -> Iterable[Piece]:
        self.cursor.take("only the")  # `…, only the active routes`
        begin = self._past(self.cursor.at, BEFORE_ROWS)
        for span in self._tags.spans(_ROWS, begin):
            rows: Features = span.value
            if rows.mention is None or rows.guessed or rows.drawn or self.table.id not in rows.mention.tables:
                continue
            self.cursor.at = span.end
            are_these = not {"these", "those"}.isdisjoint(self.cursor.words[place:begin])
            text = self.cursor.since(begin - 1) if are_these else rows.mention.text
            mention = replace(rows.mention, text=text, tables=(self.table.id,), layers=(), pronoun=are_these)
            cost = 1.0 + (self._doubt(rows.where) if rows.where is not None else 0.0)
            yield replace(self._piece("rows", place, replace(rows, mention=mention), cost), text=rows.noun)
            if rows.where is None:
                yield self._piece("them", place, cost=REPETITION)  # `open leak jobs …, of these jobs`

    def _them(self, place: int) -> Iterable[Piece]:
        """A reference to rows mentioned before."""
        if self.cursor.take(p.OF_THEM):
            text = self.cursor.since(place)
            rows = Features(Mention(text, pronoun=True), text=text)
            yield (
                self._piece("rows", place, rows, 1.0)
                if self._pronouns
                else self._piece("them", place, cost=0.1)
            )

    def _conditions(self, place: int) -> Iterable[Piece]:
        """Conditions, also two alternatives for one column: `last flushed before 2023 or never flushed`."""
        for first in list(self._single_conditions(place)):
            yield first
            self.cursor.at = first.end
            if self.cursor.take("or", ", or") is None:
                continue
            for second in list(self._single_conditions(self.cursor.at)):
                if columns_of(first.value) and columns_of(first.value) == columns_of(second.value):
                    either, cost = joined("or", [first.value, second.value]), first.cost + second.cost
                    text = f"{first.text} or {second.text}"
                    yield replace(first, end=second.end, value=either, cost=cost, text=text)

    def _single_conditions(self, place: int) -> Iterable[Piece]:
        begin = place + 1 if self._word(place) in ("is", "was") else place
        is_listed = bool(place) and (self._word(place - 1) == "list" or "table" in self.cursor.words[:place])
        for span in self._tags.spans(CONDITION, begin):
            if is_listed and isinstance(span.value, Negation):
                continue
            self.cursor.at = span.end
            cost = 1.0 + span.cost + self._doubt(span.value)
            if isinstance(span.value, Negation) and _WITH_THE.match(self.cursor.since(begin)):
                cost += VALUE_ALONE  # `…, largest first, with the country` more likely names a column to list
            piece = self._piece("condition", place, span.value, cost)
            if fits(span.value, piece.text.lower(), self.table, self.vocabulary):
                yield piece
        self.cursor.at = place
        conditions = Conditions(self.cursor, self.vocabulary, (self.table,))
        numbered = conditions.has_or_is(numbers_only=True)
        if numbered is not None:  # `grade 4 or 5`
            yield self._piece("condition", place, numbered, VALUE_ALONE)
        yield from self._left_out(place)
        # `organic`, a boolean column, as a property of the rows; `no rehabilitation year`
        no = self._word(begin) == "no"
        for column in list(self._columns_at(begin + no)) if begin + no > place else ():
            own = [self.table.column(name) for name in column.value.columns]
            is_flag = len(own) == 1 and own[0] is not None and own[0].kind == "boolean"
            if no or is_flag:
                value = conditions.lacks(column.value) if no else Compare("=", True, column.value)
                text = f"{'with no' if no else 'is'} {column.text}"
                yield replace(column, kind="condition", begin=place, value=value, text=text)

    def _left_out(self, place: int) -> Iterable[Piece]:
        """`leaving out all countries below 1000 km²`."""
        self.cursor.at = place
        if self.cursor.take(p.NOT) is None:
            return
        for rows in list(self._tags.spans(_ROWS, self._past(self.cursor.at, BEFORE_ROWS))):
            if rows.value.where is None and rows.value.mention and self.table.id in rows.value.mention.tables:
                for span in list(self._tags.spans(CONDITION, rows.end)):
                    self.cursor.at = span.end
                    yield self._piece("condition", place, Negation(span.value), 1.0 + span.cost)

    def _values(self, place: int) -> Iterable[Piece]:
        """Words that are a known value (`third party`, `South America`), or a year of the rows' date (`2023`)."""
        self.cursor.take("for")  # `the average price for salvage logging`
        begin = self.cursor.at
        for words, end in self.cursor.runs(most=MAX_VALUE_WORDS):
            known = self.vocabulary.values_called(words)
            columns = {column for table, column, _ in known if table == self.table}
            is_word = len(words) == 1 and words[0] in LIMITS and self.cursor.tokens[begin].text.islower()
            if columns and not is_word:  # `in`, which may be a code
                self.cursor.at = end
                text = self.cursor.since(begin)
                named = [ColumnMention(each, (each,)) for each in columns]
                in_place = text[:1].isupper() and any({*name_words(each)} & PLACES[0] for each in columns)
                several = OneOf(text, how="in" if in_place else "kind")  # Peru is no city in Indiana
                value = OneOf(text, named[0], "is") if len(named) == 1 else several
                yield self._piece("condition", place, value, VALUE_ALONE)
                if len(named) == 1 and singular(self.cursor.word()) in name_words(named[0].text):
                    self.cursor.at += 1  # `the east crew`
                    yield self._piece("condition", place, value, 1.0)
        self.cursor.at = place
        self.cursor.take("for", "of", "during", "in")
        year = self.cursor.take_number()
        if year is not None and year.text.isdigit() and len(year.text) == 4 and times_of(self.table):
            in_year = Compare("=", Quantity(year.value, text=year.text), measure="time")
            yield self._piece("condition", place, in_year, VALUE_ALONE)

    def _doubt(self, condition: Any) -> float:
        """The cost of a text that is not a known value of the table."""
        known = not isinstance(condition, OneOf) or is_value(condition.text, self.vocabulary, self.table)
        return 0.0 if known else UNKNOWN_VALUE

    def _columns(self, place: int) -> Iterable[Piece]:
        begin = self._past(place, _BEFORE_COLUMN)
        found = [*self._columns_at(begin), *self._columns_of_some_time(begin)]
        yield from (replace(each, begin=place) for each in found)

    def _groups(self, place: int) -> Iterable[Piece]:
        """`by district`, `for each operator`, `block wise`: a column of the rows, areas around them, or a period."""
        is_group = self.cursor.take(p.OF_EACH) is not None
        is_other = self.cursor.sees("number of") if is_group else "wise" not in self.cursor.words
        if is_other:
            return
        for each in list(self._groups_called(place, self.cursor.at)):
            self.cursor.at = each.end
            if self.cursor.take("wise"):
                yield replace(each, end=self.cursor.at, text=self.cursor.since(place))
            elif is_group:
                yield each

    def _groups_called(self, place: int, begin: int) -> Iterable[Piece]:
        """What the words from `begin` on may be as a group that begins at `place`."""
        self.cursor.at = begin
        if period := self.cursor.take_any(_PERIODS):
            yield self._piece("group", place, _PERIODS[period])
        for column in list(self._columns_at(begin)):
            if not are_other_groups(self.table, column.value.columns, column.text, self.vocabulary):
                yield replace(column, kind="group", begin=place)
        self.cursor.at = begin
        if (kind := take_country(self.cursor)) is not None:  # `of each Canadian province`
            for column in list(self._columns_at(begin + 1)):
                yield replace(column, kind="group", begin=place, where=kind, cost=UNKNOWN_VALUE + 1.0)
        for span in self._tags.spans(_AREAS, begin):
            areas: Features = span.value
            mention = areas.mention if areas.named and areas.where is None else None
            if mention is not None and self.table.id not in mention.tables:
                self.cursor.at = span.end
                yield self._piece("group", place, areas, 2.0)
        self.cursor.at = begin
        for words, end in self.cursor.runs(most=MAX_VALUE_WORDS):
            if has_elsewhere(self.table, words, self.vocabulary):
                self.cursor.at = end  # `police sector`, a column of areas
                yield self._piece("group", place, ColumnWords(self.cursor.since(begin)), 2.0)

    def _several_groups(self, place: int) -> Iterable[Piece]:
        """`by type and year`: two columns, or a column and a period."""
        for first in list(self._groups(place)):
            self.cursor.at = first.end
            is_one = first.where is not None or isinstance(first.value, Features | ColumnWords)
            if is_one or not self.cursor.take(
                "and by", "and per", ", and", "and", ",", "for each", "for every", "in each", "in every"
            ):
                continue
            begin = self.cursor.at
            if period := self.cursor.take_any(_PERIODS):
                value = (first.value, _PERIODS[period])
                yield self._piece("groups", place, value, first.cost)
            for column in list(self._columns_at(begin)):
                self.cursor.at = column.end
                yield self._piece("groups", place, (first.value, column.value), first.cost + column.cost)

    def _wholes(self, place: int) -> Iterable[Piece]:
        """`as a percentage of total population`."""
        if self.cursor.take(p.AS_SHARE_OF):
            for column in list(self._columns_at(self.cursor.at)):
                yield replace(column, kind="whole", begin=place)

    # --- words with one meaning ------------------------------------------------------------------------------

    def _words(self, place: int) -> Iterable[Piece]:
        """Words for the kind of question and the form of the answer."""
        for kind, phrases in _WORDS:
            self.cursor.at = place
            phrase = self.cursor.take(phrases)
            if phrase is not None:
                yield self._piece(kind, place, phrase)
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
        is_first = not place or follows_chart(self.cursor, place)  # `hectares of each habitat`
        self.cursor.at = place
        if self.cursor.take("how many", "and how many", "total") or is_first:
            unit = take_unit(self.cursor)
            if unit is not None and unit.dimension in ("length", "area"):
                self.cursor.take("are they", "in total", "altogether")
                yield self._piece("measured", place, unit)
        self.cursor.at = place
        if self.cursor.take("and", "&"):
            yield self._piece("and", place, cost=0.0)

    def _orders(self, place: int) -> Iterable[Piece]:
        """`highest first`, `most expensive first`, `sorted by area descending`."""
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
                descending = takes_descending(self.cursor, (self.table,), column.value)
                yield self._piece("order", place, Top(0, descending, column.value, word="sorted"))

    def _tops(self, place: int) -> Iterable[Piece]:
        """`the five largest`, `top 10`, `, first 10`; a number before the rows counts them."""
        top = self._grammar.superlative()
        if top is not None and top.place == 1:
            yield self._piece("top", place, top)
        self.cursor.at = place
        is_end = self.cursor.word(-1) == "," and self.cursor.take("the first", "first")
        if is_end and (first := take_count(self.cursor)):
            yield self._piece("top", place, Top(first))
        self.cursor.at = place
        if count := take_count(self.cursor):
            yield self._piece("number", place, count)

    def _whose(self, place: int) -> Iterable[Piece]:
        """`which operator`, `in which three districts`: the groups to rank."""
        if self.cursor.take(p.OF_WHICH) is None:
            return
        count = take_count(self.cursor)
        if singular(self.cursor.word()) in self.vocabulary.index.by_flag:
            return  # rows: `which capitals`
        own = self.vocabulary.match_table(self.cursor.keys()[0])
        are_rows, name = own is not None and self.table in own.found, name_column(self.table)
        names = (name.name,) if name is not None else ()
        kind = take_country(self.cursor)
        for column in list(self._columns_at(self.cursor.at)):
            called = name_words(column.text)
            are_one = are_rows and not are_pieces_of(self.table, called)
            own_names = (*names, *(each for each in column.value.columns if is_code(each)))
            if are_one and any(
                each in own_names or name_words(each) == called for each in column.value.columns
            ):
                continue  # `which constituencies`: each row is one
            text = f"{kind.text} {column.text}" if kind is not None else column.text
            yield replace(
                column, kind="whose", begin=place, value=(column.value, count), where=kind, text=text
            )

    def _adverbs_of_time(self, place: int) -> Iterable[Piece]:
        """`monthly incidents`: the number of rows per period."""
        adverb = self.cursor.take(p.ADVERBS_OF_TIME)
        if adverb is not None and not is_value(adverb, self.vocabulary, self.table):
            are_counted = self.cursor.word() in ("number", "count") or any(
                each.kind == "rows" and each.value.where is None for each in self._rows(self.cursor.at)
            )
            self.cursor.at = place + 1
            if are_counted:
                yield self._piece("group", place, PERIODS_OF_ADVERBS[adverb])


_FIGURES = word_set("mean median sum minimum maximum")
_ADVERBS = {
    "mean": ("on average", "in the mean", "on the average"),
    "sum": ("in total", "altogether", "in all", "overall", "combined", "in sum"),
}
_PERIODS = {name: name for name in ("decade", "year", "quarter", "month", "weekday", "day", "hour")}
_PERIODS["calendar year"] = "year"
_WORDS = (
    ("count", p.COUNTED), ("amount", p.HOW_MUCH), ("share", p.SHARE), ("table", p.AS_TABLE), ("ask", p.ASKED_FOR),
    ("draw", p.DRAWN), ("most", p.MOST_OF), ("same", p.THE_SAME), ("with", p.WITH_THEIR), ("with share", p.WITH_SHARE),
    ("compare", p.COMPARE), ("ratio", Phrases("ratio of [the]")),
)  # fmt: skip
