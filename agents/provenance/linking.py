"""Links the numbers of an answer to the results that they agree with.

A number agrees with a fact that rounds to it and that the surrounding words permit: 2.5 million people with a
population of 2,498,103, 12 % with a share of 0.1234, 205 km with a distance_m of 205474.3, and next to the name of a
row only with values of that row. Numbers of the user, of calls and in names are not claims and are skipped."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from agents.core.messages import Message, UserMessage
from agents.provenance.calculations import CalculationSearch, format_value
from agents.provenance.context import MAX_LABELS, Context
from agents.provenance.evidence import CELL, TEXT, VALUE, Evidence, Fact, Source, evidence, is_name, years_in
from agents.provenance.measures import Nouns, UnitPhrase, fits_unit, is_about, measure_of
from agents.provenance.numerals import Numeral, Reading, numerals, values_in
from agents.provenance.table_words import TableWords
from agents.provenance.vocabulary import NO_CLAIM

MAX_FIGURES = 500
MAX_NAMED_ROWS = 20
MAX_COUNTS_FOR_BARE_NUMBER = 4
"""Counts in a turn up to which a bare small number may refer to one."""
_REST = re.compile(r"\s+(?:more|others?)\b")
"""As in: Shanghai, Beijing and 48 more."""
_WORD = re.compile(r"\w+")
_NO_CLAIM = re.compile(rf"\b(?:{NO_CLAIM})[ \t*_]+$", re.IGNORECASE)

How = Literal["stated", "rounded", "reckoned", "likely"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of the answer, at characters `start` to `end`. Without a source it was found in no result.

    `row` is the value of the source's key column, if the number is of one row. `how` it was found: as in a result,
    rounded or in another unit, calculated from several, or only likely, because it equals a number of a result but the
    words do not say that it is that number. `note` is the exact value or the calculation: `7,895 ÷ 28,298`."""

    start: int
    end: int
    text: str
    source: Source | None = None
    row: Any = None
    note: str = ""
    how: How = "stated"


def link_figures(
    text: str,
    messages: Sequence[Message],
    written: Collection[str] = (),
    names: Iterable[str] = (),
    tables: Sequence[TableWords] = (),
    context_text: str = "",
) -> list[Figure]:
    """The figures of an answer to a conversation, in order.

    `written` names tools whose results a model wrote, `names` texts whose digits are not figures, and `tables`
    the tables that the answer may mention. Numbers in `context_text`, which the model got besides the
    conversation, may be repeated."""
    found = evidence(messages, written)
    found.known.update(values_in(context_text))
    found.years.update(years_in(context_text))
    words = set(_WORD.findall(text.replace("\\", "")))
    named = (table_id for each in tables for table_id in each.ids_with_digits(words))
    spans = list(_spans(text, {*names, *found.names, *named}))
    claims = [
        numeral
        for numeral in numerals(text)
        if not any(start <= numeral.start and numeral.end <= end for start, end in spans)
    ]
    asked = next((item.text for item in reversed(messages) if isinstance(item, UserMessage)), "")
    book = FactIndex(found, text, claims, Nouns(tables), asked)
    figures: list[Figure] = []
    for numeral in claims:
        figure = book.figure(numeral)
        if figure is not None and (figure.source is None or len(figures) < MAX_FIGURES):
            figures.append(figure)
    return figures


@dataclass(frozen=True, slots=True)
class _Match:
    """A fact that a number agrees with, and how well the surrounding words fit."""

    fact: Fact
    converted: bool
    supported: bool
    distance: float

    @property
    def order(self) -> tuple[bool, bool, int, float]:
        return (self.converted, not self.supported, self.fact.rank, self.distance)


class FactIndex:
    """The facts sorted by value, for the numbers of one text."""

    def __init__(
        self, found: Evidence, text: str, claims: Sequence[Numeral], nouns: Nouns, asked: str
    ) -> None:
        self._found = found
        self._text = text
        self._nouns = nouns
        self._asked = asked.lower()
        self._facts = sorted(found.facts, key=lambda fact: fact.value)
        self._values = [fact.value for fact in self._facts]
        labels = dict.fromkeys(label for fact in found.facts for label in fact.labels)
        self._context = Context(text, claims, list(labels)[:MAX_LABELS])
        self._rows: dict[tuple[str, str], set[str]] = {}
        for fact in found.facts:
            self._rows.setdefault((fact.group, fact.name), set()).update(fact.labels)
        self._few_counts = (
            len({fact.value for fact in found.facts if fact.rank == VALUE}) <= MAX_COUNTS_FOR_BARE_NUMBER
        )
        self._calculations = CalculationSearch(found.facts, self._context, claims, _agrees, self._asked)

    def figure(self, numeral: Numeral) -> Figure | None:
        """The figure of a number; None if it is not a claim."""
        if self._matches_any(numeral, self._found.user_numbers):
            return None
        phrase = self._nouns.after(self._text, numeral)
        figure = Figure(numeral.start, numeral.end, numeral.text)
        match = self._best(numeral, phrase, numeral.readings) or self._best(
            numeral, phrase, list(_coarser(numeral))
        )
        if match is not None and not (numeral.in_words and not match.supported):
            return _of_match(figure, match)
        if numeral.like_year and numeral.value in self._found.years:
            return None
        calculated = self._calculations.found(numeral, phrase)
        if calculated is not None:
            (value, is_only) = calculated
            how: How = "reckoned" if is_only else "likely"
            return replace(figure, source=value.fact.source, note=value.note, how=how)
        if numeral.in_words:
            return figure if self._claims(numeral, phrase) else None
        whole = self._whole(numeral.value) if _REST.match(self._text, numeral.end) else None
        if whole is not None:
            note = f"{format_value(whole.value)} − {whole.value - numeral.value:,.0f}"
            return replace(figure, source=whole.source, note=note, how="reckoned")
        return None if self._matches_any(numeral, self._found.known) else figure

    def _claims(self, numeral: Numeral, phrase: UnitPhrase) -> bool:
        """Whether a spelled-out number states a quantity of rows."""
        counts = phrase.noun != "" or phrase.measure is not None
        return (
            counts
            and not _NO_CLAIM.search(self._text[: numeral.start])
            and not self._matches_any(numeral, self._found.known)
        )

    def _best(self, numeral: Numeral, phrase: UnitPhrase, readings: Sequence[Reading]) -> _Match | None:
        """The best fact: direct before converted, then supported by the words, then by rank, then the nearest."""
        matches = [match for reading in readings for match in self._agreeing(numeral, phrase, reading)]
        return min(matches, key=lambda match: match.order, default=None)

    def _agreeing(self, numeral: Numeral, phrase: UnitPhrase, reading: Reading) -> Iterator[_Match]:
        for fact in self._near(reading):
            if reading.doubtful and fact.value.is_integer():
                continue
            if (
                numeral.leaning
                and reading.step >= 1
                and (fact.value - reading.value) * numeral.leaning < -0.5
            ):
                continue
            if not self._allowed(numeral, phrase, reading, fact):
                continue
            supported = self._supported(numeral, phrase, fact)
            yield _Match(fact, reading.converted, supported, abs(fact.value - reading.value))

    def _allowed(self, numeral: Numeral, phrase: UnitPhrase, reading: Reading, fact: Fact) -> bool:
        """Whether nothing near the number contradicts the fact."""
        measure = measure_of(fact)
        if numeral.like_year and (measure is not None and measure.kind != "year"):
            return False
        if phrase.measure is not None and not fits_unit(phrase, measure, reading, fact):
            return False
        if fact.beside and not self._context.has_any_word(numeral, fact.beside):
            return False
        beside = self._context.beside(numeral) if fact.labels else frozenset()
        if beside and not beside.intersection(fact.labels):
            return not beside.intersection(self._rows[fact.group, fact.name])
        return True

    def _supported(self, numeral: Numeral, phrase: UnitPhrase, fact: Fact) -> bool:
        """Whether more than the value connects the number with the fact."""
        if not _is_weak(numeral):
            return True
        if fact.rank % 4 == TEXT and not fact.is_count:
            return True  # a tool's text states it
        if phrase.noun:
            return is_about(fact, phrase.noun)
        if fact.labels and self._context.beside(numeral).intersection(fact.labels):
            return True
        measure = measure_of(fact)
        if phrase.measure is not None and measure is not None:
            return True
        if fact.is_count and fact.rank % 4 != TEXT and fact.name:
            following = re.match(r"[ *_]*(\w+)", self._text[numeral.end :])
            if following is not None and following[1] == fact.name:
                return True  # 62 rows
        words = f"{self._context.words(numeral)} {self._asked}"
        spoken = {
            part for part in re.split(r"[^a-z]+", f"{fact.name} {fact.column}".lower()) if len(part) > 3
        }
        if any(part in words for part in spoken - {"name", "count", "rows"}):
            return True
        return fact.is_count and fact.rank in (VALUE, CELL) and self._few_counts and not phrase.other_noun

    def _whole(self, rest: float) -> Fact | None:
        """A count from which so many remain after a few rows were named."""
        counts = [
            fact for fact in self._facts if fact.rank == VALUE and 0 < fact.value - rest <= MAX_NAMED_ROWS
        ]
        return min(counts, key=lambda fact: fact.value, default=None)

    def _near(self, reading: Reading) -> Iterator[Fact]:
        slack = _slack(reading)
        index = bisect_left(self._values, reading.value - slack)
        while index < len(self._values) and self._values[index] <= reading.value + slack:
            yield self._facts[index]
            index += 1

    def _matches_any(self, numeral: Numeral, given: set[float]) -> bool:
        direct = [reading for reading in numeral.readings if not reading.converted]
        return any(_agrees(reading, value) for value in given for reading in direct)


def _of_match(figure: Figure, match: _Match) -> Figure:
    """The figure with its source, and with the exact value if the text has another."""
    fact = match.fact
    how: How = "stated"
    note = ""
    if match.converted or match.distance > abs(fact.value) * 1e-9:
        how = "rounded"
        note = f"{fact.column or fact.name} {format_value(fact.value)}".strip()
    return replace(
        figure, source=fact.source, row=fact.row, how=how if match.supported else "likely", note=note
    )


def _is_weak(numeral: Numeral) -> bool:
    """Whether the number has so few digits that it may match by chance: 7, 12 %, 300."""
    digits = re.sub(r"\D", "", numeral.text).strip("0")
    return len(digits) <= 2


def _slack(reading: Reading) -> float:
    """Half of the last written place, plus a tolerance for floating point."""
    return reading.step / 2 + abs(reading.value) * 1e-9


def _agrees(reading: Reading, value: float) -> bool:
    return abs(reading.value - value) <= _slack(reading)


def _coarser(numeral: Numeral) -> Iterator[Reading]:
    """Integers that end in zeros as rounded to these (28,000 for 28,298), keeping two digits at least."""
    for reading in numeral.readings:
        value = abs(reading.value)
        if reading.step < 1 or value < 100 or value % 10 or not (numeral.hedged or value >= 10_000):
            continue
        step = reading.step
        while value % (step * 10) == 0 and value / (step * 10) >= 10:
            step *= 10
        if step > reading.step:
            yield replace(reading, step=step * 2 if numeral.hedged else step)


def _spans(text: str, names: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Occurrences of names and codes that contain digits, also with Markdown's backslashes in them."""
    bare = text.replace("\\", "")
    for name in names:
        if name in bare and is_name(name):
            pattern = r"\\?".join(re.escape(sign) for sign in name)
            yield from (match.span() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text))
