"""Pieces for measures: `in km`, `per square metre`, `days between loss and closing`, `growth`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.assembly.piece import PAYMENT, Piece
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.times.changes import FALLEN, RISEN
from agents.offline.language.conditions.times.in_force import times_lasting, times_taken, times_until
from agents.offline.language.conditions.verbs import columns_of_doers, records
from agents.offline.language.cursor import Cursor
from agents.offline.language.grammar import Slot
from agents.offline.language.lexicon import STATISTICS, spelt_out
from agents.offline.language.names.comments import comment_words
from agents.offline.language.names.costs import UNIT_WORDS, are_of_other_years
from agents.offline.language.names.periods import of_age
from agents.offline.language.nouns import MAX_COLUMN_WORDS, skip_hint, take_amount, take_unit
from agents.offline.language.table_tags import TableTags
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import (
    Phrases,
    are_forms,
    doers_of,
    fold,
    is_participle,
    name_words,
    participle_of,
    word_set,
)
from agents.offline.meaning.columns import is_number, is_point_in_time
from agents.offline.meaning.conditions import ColumnMention, Empty, Negation, OneOf, at_date
from agents.offline.meaning.units import column_unit
from agents.units import UNITS, Unit

CONDITION = Slot("condition", "condition")


@dataclass(frozen=True, slots=True)
class Change:
    """A change; `rises`: its direction, if stated; `column`: its column, if in the same piece."""

    rises: bool | None
    column: ColumnMention | None = None
    in_percent: bool = False


@dataclass(frozen=True, slots=True)
class Per:
    """The divisor of totals: a unit or column, times `amount`."""

    of: Unit | ColumnMention
    amount: float = 1.0


class MeasuredPieces:
    """Pieces for measures, about one table."""

    cursor: Cursor
    vocabulary: Vocabulary
    table: Table
    _tags: TableTags

    def _word(self, place: int) -> str:
        self.cursor.at = place
        return self.cursor.word()

    def _piece(self, kind: str, begin: int, value: Any = None, cost: float = 0.5) -> Piece:
        return Piece(kind, begin, self.cursor.at, value, cost, self.cursor.since(begin))

    def _columns_at(self, place: int) -> Iterator[Piece]:
        """Every run of words that names columns, longest first."""
        self.cursor.at = place
        following, _ = self.cursor.keys(most=MAX_COLUMN_WORDS)
        for words, end in self.cursor.runs(most=MAX_COLUMN_WORDS):
            if len(words) > 1 and words[-1] in _JOINING:
                continue
            names = self.vocabulary.columns_called((self.table,), " ".join(words))
            if names and not are_of_other_years(names, following[len(words) :]):
                self.cursor.at = end
                text = self.cursor.since(place)
                skip_hint(self.cursor, (self.table,), names)
                yield self._piece("column", place, ColumnMention(text, names), 1.0)

    def _columns_of_some_time(self, place: int) -> Iterator[Piece]:
        """`24 h rain`, `24h rain` of “Rain in the 24 h to 9 am”."""
        unit, token = self._word(place + 1), self.cursor.token(-1)
        if token is None or token.kind != "number" or not unit.isalpha():
            return
        said = re.compile(rf"\b{re.escape(token.text)}[ -]?{unit[0]}", re.IGNORECASE)
        for each in self._columns_at(place + 2):
            own = [self.table.column(name) for name in each.value.columns]
            if all(one is not None and said.search(one.comment or "") for one in own):
                yield replace(each, begin=place)

    def _who(self, place: int) -> Iterable[Piece]:
        """`won them` in `and who won them?`: the column of the agent."""
        word = self.cursor.word()
        if place == 0 or self._word(place - 1) != "who":
            return
        names = tuple(columns_of_doers((self.table,), word))
        self.cursor.at = place + 1
        self.cursor.take("it", "them", "these", "those", "there", "each of them", "each")
        if len(names) == 1:
            yield self._piece("column", place, ColumnMention(word, names), 1.0)

    def _done(self, place: int) -> Iterable[Piece]:
        """`run` in `does each operator run`: the action of an agent with a column."""
        word = self._word(place).removesuffix("s")
        doers = doers_of(word) if len(word) > 2 else frozenset()
        texts = (each for each in self.table.columns if each.kind == "text")
        if doers and any(doers & set(name_words(each.name)) for each in texts):
            self.cursor.at = place + 1
            yield self._piece("does", place, doers)

    def _did(self, place: int) -> Iterable[Piece]:
        """`repair in 2024` of `how many leaks did Kier repair in 2024`: by the only date of the action."""
        verb = self.cursor.word()
        if "did" not in self.cursor.words[:place] or not verb.isalpha():
            return
        done = participle_of(verb)
        dates = [each.name for each in self.table.columns if is_point_in_time(each) and records(each, done)]
        if len(dates) != 1:
            return
        column = ColumnMention(verb, (dates[0],))
        self.cursor.at = place + 1
        yield self._piece("condition", place, Negation(Empty(column)))
        for span in list(self._tags.spans(CONDITION, place + 1)):
            dated = at_date(span.value, column)
            if dated != span.value:
                self.cursor.at = span.end
                yield self._piece("condition", place, dated)

    def _units(self, place: int) -> Iterable[Piece]:
        """`in km`, `(in metres)`, `absolute and in percent`."""
        is_both = self.cursor.take(", absolute and", ", absolutely and", "absolute and") is not None
        opened = self.cursor.take("(") is not None
        inside = self.cursor.take("in", "as") is not None
        unit = take_unit(self.cursor) if opened or inside else None
        if is_both and unit is not None and unit.dimension != "share":
            return
        if unit is not None and (not opened or self.cursor.take(")")):
            yield self._piece("unit", place, unit)

    def _rates(self, place: int) -> Iterable[Piece]:
        """`per square metre`, `per dwelling`, `per 100,000 residents`, `ratio of damage to losses`."""
        to = "to" if "ratio" in self.cursor.words[:place] else "/"
        if not self.cursor.take("per", "for each", "for every", "a", "/", to):
            return
        begin = self.cursor.at
        unit = take_unit(self.cursor)
        if unit is not None and unit.dimension in ("area", "length"):
            yield self._piece("per", place, Per(unit))
        self.cursor.at = begin
        amount = take_amount(self.cursor)
        for each in self._columns_at(self.cursor.at):
            if all(map(self._is_number, each.value.columns)):
                yield replace(each, kind="per", begin=place, value=Per(each.value, amount))

    def _changes(self, place: int) -> Iterable[Piece]:
        """`increase in`, `grew`, `percent change of`; `by population growth`, `grew most in population`."""
        if self.cursor.take("in"):
            for column in list(self._columns_at(self.cursor.at)):
                if all(map(self._is_number, column.value.columns)):
                    yield replace(column, begin=place)
            self.cursor.at = place
        if self.cursor.take("by"):
            for column in list(self._columns_at(self.cursor.at)):
                self.cursor.at = column.end
                yield from self._change(place, column.value)
            self.cursor.at = place + 1
        yield from self._change(place, None)

    def _change(self, place: int, column: ColumnMention | None) -> Iterable[Piece]:
        in_percent = self.cursor.take(p.PERCENT) is not None
        begin = self.cursor.at
        for rises, phrases in ((True, RISEN), (False, FALLEN), (None, p.CHANGED)):
            self.cursor.at = begin
            if self.cursor.take(phrases):
                self.cursor.take("in", "of")
                yield self._piece("change", place, Change(rises, column, in_percent), 1.0)

    def _spans_of_years(self, place: int) -> Iterable[Piece]:
        """`from 2010 to 2020`, `2010-2020`."""
        self.cursor.take("from", "between", "since")
        first = self.cursor.take_number()
        if first is None or not self.cursor.take("to", "and", "until", "-", "–"):
            return
        second = self.cursor.take_number()
        if second is not None and all(
            len(each.text) == 4 and each.text.isdigit() for each in (first, second)
        ):
            yield self._piece("span", place, (first.text, second.text))

    def _is_number(self, name: str) -> bool:
        column = self.table.column(name)
        return column is not None and is_number(column)

    def _spans_of_time(self, place: int) -> Iterable[Piece]:
        """`days between loss and closing`, `how long it takes on average from application to issue`: between two date
        columns."""
        unit = UNITS["days"] if self.cursor.take(HOW_LONG) else None
        if unit is None:
            self.cursor.take("number of", "how many")
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

    def _durations(self, place: int) -> Iterable[Piece]:
        """`how long did … last`, `how long do repairs take`, `the average length … in days`: between the start and end
        date."""
        words = self.cursor.words
        takes = "long" in words and not {"take", "took"}.isdisjoint(words)
        lasting = times_taken(self.table) if takes else times_lasting(self.table)
        if lasting is None:
            return
        is_last = "long" in words[:place] and self.cursor.take("take", "took", "last", "lasted")
        if is_last:
            yield self._piece("nothing", place, cost=0.0)
        elif self.cursor.take(HOW_LONG_DID) or self.cursor.take(DURATION):
            first, last = (ColumnMention(each, (each,)) for each in lasting)
            yield self._piece("between", place, (UNITS["days"], first, last), 1.0)

    def _times_until(self, place: int) -> Iterable[Piece]:
        """`how long does it take us to repair`, `repair time`, `how long does it take before a leak is
        repaired`: from the first date to that of the repair."""
        if self.cursor.take(HOW_LONG) and _ENDS & {*self.cursor.words[self.cursor.at :]}:
            yield self._piece("nothing", place, cost=0.0)
        self.cursor.at = place
        if self.cursor.word() in _ENDS:
            verbs = [at for at in range(place, self.cursor.end) if self.cursor.words[at] in _IS]
            if verbs and verbs[0] - place <= _MOST_BETWEEN and verbs[0] + 1 < self.cursor.end:
                dates = times_until(self.table, self.cursor.words[verbs[0] + 1])
                self.cursor.at = verbs[0] + 2
                if dates is not None:
                    first, last = (ColumnMention(each, (each,)) for each in dates)
                    yield self._piece("between", place, (UNITS["days"], first, last), 1.0)
            return
        if self.cursor.take(HOW_LONG, TIME_TO):
            self.cursor.take("us", "them", "you")
            is_time = self.cursor.take("to", "until") is not None
            done, self.cursor.at = self.cursor.word(), self.cursor.at + 1
        else:
            done, self.cursor.at = self.cursor.word(), self.cursor.at + 1
            is_time = self.cursor.take("time", "times", "duration") is not None
        if is_time and (dates := times_until(self.table, done)) is not None:
            first, last = (ColumnMention(each, (each,)) for each in dates)
            yield self._piece("between", place, (UNITS["days"], first, last), 1.0)

    def _value_rates(self, place: int) -> Iterable[Piece]:
        """`fail rate`: the share of the rows with the only value of which the word is a form."""
        at = place - (self._word(place) == "rate")
        if at < 0 or self._word(at + 1) != "rate":
            return
        word = self._word(at)
        values = {
            (each.name, value)
            for each in self.table.columns
            if each.kind == "text"
            for value in each.samples
            if " " not in value and are_forms(fold(value), word)
        }
        if len(values) != 1:
            return
        ((name, value),) = values
        self.cursor.at = place + 1
        if at < place:
            yield self._piece("share", place)
        else:
            yield self._piece("condition", place, OneOf(f'"{value}"', ColumnMention(name, (name,)), "is"))

    def _dates_at(self, place: int) -> Iterator[Piece]:
        """The date columns among those named."""
        dates = {each.name: each for each in self.table.columns if each.kind in ("date", "timestamp")}
        found = False
        for piece in self._columns_at(place):
            names = tuple([name for name in piece.value.columns if name in dates])
            if len(names) == 1:
                found = True
                yield replace(piece, value=ColumnMention(piece.text, names))
        word = self._word(place)  # `decision` of `dec_dt`, “Date of decision”
        named = [
            name for name, each in dates.items() if word in spelt_out(name) | comment_words(each.comment)
        ]
        if not found and len(named) == 1:
            self.cursor.at = place + 1
            yield self._piece("column", place, ColumnMention(word, (named[0],)), 1.0)

    def _parts(self, place: int) -> Iterable[Piece]:
        """`65 or older`, `under 18`: the column with the people of that age, such as `pop_65up`."""
        before = (
            self.cursor.take("aged", "over", "under", "older than", "younger than", "below", "above") or ""
        )
        number = self.cursor.take_number()
        after = self.cursor.take(*_AGES) if number is not None else None
        if number is None or not number.text.isdigit() or not (before or after):
            return
        younger = before in ("under", "younger than", "below") or (after or "").endswith(("younger", "under"))
        names = of_age(self.table, number.text, younger=younger)
        if len(names) == 1:
            yield self._piece("part", place, ColumnMention(names[0], names))

    def _paid(self, place: int) -> Iterable[Piece]:
        """`we're paying`: the only column of payments; and `per year`, which such a column may imply."""
        phrase = self.cursor.take(PAID) or ""
        if phrase.endswith((" on", " for")):
            yield from self._paid_for(place)
        verb = phrase.removesuffix(" on").removesuffix(" for").split(" ")[-1]
        if phrase and all(verb not in name_words(each.name) for each in self.table.columns):
            names = tuple(each.name for each in self.table.columns if is_number(each) and _is_paid(each.name))
            if len(names) == 1:
                paid = self._piece("column", place, ColumnMention(names[0], names), PAID_COST)
                yield replace(paid, text=PAYMENT)
        yield from self._amount_in_state(place)
        self.cursor.at = place
        if self.cursor.take(A_YEAR):
            yield self._piece("yearly", place, cost=1.5)

    def _amount_in_state(self, place: int) -> Iterable[Piece]:
        """`total paid out`: the only amount of money, of the rows with the value `Paid`."""
        word, before = self._word(place), STATISTICS.get(self._word(place - 1)) if place else None
        own = [each for each in self.vocabulary.values_called((word,)) if each[0] == self.table]
        units = {each.name: column_unit(each) for each in self.table.columns if is_number(each)}
        money = [name for name, unit in units.items() if unit is not None and unit.dimension == "currency"]
        if before in ("sum", "mean", "median") and len(own) == len(money) == 1 and is_participle(word):
            self.cursor.at = place + 1
            self.cursor.take("out")
            amount = self._piece("column", place, ColumnMention(money[0], (money[0],)), 1.0)
            column = ColumnMention(own[0][1], (own[0][1],))
            yield replace(amount, where=OneOf(f'"{own[0][2]}"', column, "is"))

    def _paid_for(self, place: int) -> Iterable[Piece]:
        """`spend on repairs`: the only column of payments for this, such as `repair_cost_eur`."""
        self.cursor.take("the")
        what = self.cursor.word()
        own = [(each, name_words(each.name)) for each in self.table.columns if is_number(each)]
        names = tuple(
            each.name
            for each, words in own
            if what and _PAID & set(words) and any(are_forms(what, word) for word in set(words) - _PAID)
        )
        begin = self.cursor.at
        if len(names) == 1:
            self.cursor.at += 1
            yield replace(self._piece("column", place, ColumnMention(names[0], names), 1.0), text=PAYMENT)
        self.cursor.at = begin


def _is_paid(name: str) -> bool:
    """Whether a column's name consists of a payment, its unit and a year."""
    return len(_PAID & set(words := name_words(name))) == 1 and set(words) <= _PAID | UNIT_WORDS | _YEARLY


PAID = Phrases("""
    (we're|we are|are we|they're|are they|they are) (paying|spending) [on|for]
    | [do|did] (we|they) (pay|paid|spend|spent) [on|for] | (was|were|is|has been) (paid|spent) (on|for)
""")
PAID_COST = 0.2
"""Less than that of a column called `spend`."""
HOW_LONG = Phrases("""
    (how long|how many days) (does it take|it takes|did it take|it took|does it usually take) [on average]
""")
_JOINING = word_set("of for per by and")
"""Words that a column's name does not end with."""
_ENDS, _IS = word_set("before until till"), word_set("is are was were gets get got")
_MOST_BETWEEN = 5
"""Maximum number of words before the verb in `before a complaint is closed`."""
TIME_TO = Phrases("[the] [number of] (time|days) [(taken|needed|required|it takes|it took)]")
DURATION = Phrases("length | duration[s]")
HOW_LONG_DID = Phrases("how long (did|do|does)")
A_YEAR = Phrases("per year | a year | each year | annually | yearly")
_PAID = word_set("cost costs fee fees paid pay payment price spent spending amount")
_YEARLY = word_set("yr year annual yearly")
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
