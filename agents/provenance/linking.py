"""The numbers of an answer, each with the source that it agrees with, or with none.

A number agrees with a fact that rounds to it and that the words around it allow: 2.5 million people with a population
of 2,498,103, 12 % with a share of 0.1234, 205 km with a distance_m of 205474.3, and beside the name of a row only with
what stands in that row. Numbers that the user gave are nobody's claim and are left alone; so are those of calls and
of names.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from agents.core.messages import Message, UserMessage
from agents.provenance.context import MOST_LABELS, Context
from agents.provenance.evidence import CELL, TEXT, VALUE, Evidence, Fact, Source, evidence, years_in
from agents.provenance.measures import PEOPLE_NOUNS, Measure, Nouns, Said, is_about, measure_of, names_table
from agents.provenance.numerals import Numeral, Reading, numerals, values_in
from agents.provenance.reckoning import Reckoner, shown
from agents.provenance.vocabulary import NO_CLAIM

MOST_FIGURES = 500
MOST_NAMED = 20
FEW_COUNTS = 4
"""Of so many counts of a turn a bare small number can be meant to be one."""
_REST = re.compile(r"\s+(?:more|others?)\b")
"""As in: Shanghai, Beijing and 48 more."""
_NO_CLAIM = re.compile(rf"\b(?:{NO_CLAIM})[ \t*_]+$", re.IGNORECASE)

How = Literal["stated", "rounded", "reckoned", "likely"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of the answer: its characters from `start` to `end`. Without a source it was found in no result.

    `row` is a value of the source's key column, where the number is of that row. `how` it was found: as it stands, by
    rounding or in another unit, reckoned from several, or only likely, because it agrees with a number of the result
    and nothing else in the words ties it to that. `note` is the exact value, or how it was reckoned: `7,895 ÷ 28,298`.
    """

    start: int
    end: int
    text: str
    source: Source | None = None
    row: Any = None
    note: str = ""
    how: How = "stated"


def linked(
    text: str,
    messages: Sequence[Message],
    written: Collection[str] = (),
    names: Iterable[str] = (),
    tables: Iterable[str] = (),
    told: str = "",
) -> list[Figure]:
    """The figures of an answer to a conversation, in order. `written` are tools whose results a model wrote, `names`
    texts whose digits are no figures, `tables` the ids of those whose rows may be spoken of, and `told` what the model
    was told besides, whose numbers it may repeat.
    """
    found = evidence(messages, written)
    found.known.update(values_in(told))
    found.years.update(years_in(told))
    spans = list(_spans(text, {*names, *found.names}))
    claims = [
        numeral
        for numeral in numerals(text)
        if not any(start <= numeral.start and numeral.end <= end for start, end in spans)
    ]
    asked = next((item.text for item in reversed(messages) if isinstance(item, UserMessage)), "")
    book = Book(found, text, claims, Nouns(tables), asked)
    figures: list[Figure] = []
    for numeral in claims:
        figure = book.figure(numeral)
        if figure is not None and (figure.source is None or len(figures) < MOST_FIGURES):
            figures.append(figure)
    return figures


@dataclass(frozen=True, slots=True)
class _Match:
    """A fact that a numeral agrees with, and how well the words around it fit."""

    fact: Fact
    converted: bool
    supported: bool
    distance: float

    @property
    def order(self) -> tuple[bool, bool, int, float]:
        return (self.converted, not self.supported, self.fact.rank, self.distance)


class Book:
    """Facts by value, for the numerals of one text."""

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
        self._context = Context(text, claims, list(labels)[:MOST_LABELS])
        self._rows: dict[tuple[str, str], set[str]] = {}
        for fact in found.facts:
            self._rows.setdefault((fact.group, fact.name), set()).update(fact.labels)
        self._few_counts = len({fact.value for fact in found.facts if fact.rank == VALUE}) <= FEW_COUNTS
        self._reckoner = Reckoner(found.facts, self._context, claims, _agrees)

    def figure(self, numeral: Numeral) -> Figure | None:
        """None for a number that is no claim."""
        if self._given(numeral, self._found.said):
            return None
        said = self._nouns.after(self._text, numeral)
        figure = Figure(numeral.start, numeral.end, numeral.text)
        match = self._best(numeral, said, numeral.readings) or self._best(
            numeral, said, list(_coarser(numeral))
        )
        if match is not None and not (numeral.in_words and not match.supported):
            return _of_match(figure, numeral, match)
        if numeral.like_year and numeral.value in self._found.years:
            return None
        reckoned = self._reckoner.found(numeral, said)
        if reckoned is not None:
            (value, is_only) = reckoned
            how: How = "reckoned" if is_only else "likely"
            return replace(figure, source=value.fact.source, note=value.note, how=how)
        if numeral.in_words:
            return figure if self._claims(numeral, said) else None
        whole = self._whole(numeral.value) if _REST.match(self._text, numeral.end) else None
        if whole is not None:
            note = f"{shown(whole.value)} − {whole.value - numeral.value:,.0f}"
            return replace(figure, source=whole.source, note=note, how="reckoned")
        return None if self._given(numeral, self._found.known) else figure

    def _claims(self, numeral: Numeral, said: Said) -> bool:
        """Whether a number in words says how many rows there are, and not which ones were spoken of."""
        counts = said.noun != "" or said.measure is not None
        return (
            counts
            and not _NO_CLAIM.search(self._text[: numeral.start])
            and not self._given(numeral, self._found.known)
        )

    def _best(self, numeral: Numeral, said: Said, readings: Sequence[Reading]) -> _Match | None:
        """The best fact: direct before converted, then what the words speak of, then by rank, then the nearest."""
        matches = [match for reading in readings for match in self._agreeing(numeral, said, reading)]
        return min(matches, key=lambda match: match.order, default=None)

    def _agreeing(self, numeral: Numeral, said: Said, reading: Reading) -> Iterator[_Match]:
        for fact in self._near(reading):
            if reading.doubtful and fact.value.is_integer():
                continue
            if (
                numeral.leaning
                and reading.step >= 1
                and (fact.value - reading.value) * numeral.leaning < -0.5
            ):
                continue
            if not self._allowed(numeral, said, reading, fact):
                continue
            supported = self._supported(numeral, said, fact)
            yield _Match(fact, reading.converted, supported, abs(fact.value - reading.value))

    def _allowed(self, numeral: Numeral, said: Said, reading: Reading, fact: Fact) -> bool:
        """Whether nothing around the numeral speaks against the fact."""
        measure = measure_of(fact)
        if numeral.like_year and (measure is not None and measure.kind != "year"):
            return False
        if said.measure is not None and not _fits(said, measure, reading, fact):
            return False
        beside = self._context.beside(numeral) if fact.labels else frozenset()
        if beside and not beside.intersection(fact.labels):
            return not beside.intersection(self._rows[fact.group, fact.name])
        return True

    def _supported(self, numeral: Numeral, said: Said, fact: Fact) -> bool:
        """Whether more than the value ties the numeral to the fact."""
        if not _is_weak(numeral):
            return True
        if fact.rank % 4 == TEXT and not fact.is_count:
            return True  # words of a tool say it so
        if said.noun:
            return is_about(fact, said.noun)
        if fact.labels and self._context.beside(numeral).intersection(fact.labels):
            return True
        measure = measure_of(fact)
        if said.measure is not None and measure is not None:
            return True
        words = f"{self._context.words(numeral)} {self._asked}"
        spoken = {
            part for part in re.split(r"[^a-z]+", f"{fact.name} {fact.column}".lower()) if len(part) > 3
        }
        if any(part in words for part in spoken - {"name", "count", "rows"}):
            return True
        return fact.is_count and fact.rank in (VALUE, CELL) and self._few_counts and not said.other_noun

    def _whole(self, rest: float) -> Fact | None:
        """A count of which so many are left when a few have been named."""
        counts = [fact for fact in self._facts if fact.rank == VALUE and 0 < fact.value - rest <= MOST_NAMED]
        return min(counts, key=lambda fact: fact.value, default=None)

    def _near(self, reading: Reading) -> Iterator[Fact]:
        slack = _slack(reading)
        index = bisect_left(self._values, reading.value - slack)
        while index < len(self._values) and self._values[index] <= reading.value + slack:
            yield self._facts[index]
            index += 1

    def _given(self, numeral: Numeral, given: set[float]) -> bool:
        direct = [reading for reading in numeral.readings if not reading.converted]
        return any(_agrees(reading, value) for value in given for reading in direct)


def _of_match(figure: Figure, numeral: Numeral, match: _Match) -> Figure:
    """The figure with its source, and with the exact value where the text has another."""
    fact = match.fact
    how: How = "stated"
    note = ""
    if match.converted or match.distance > abs(fact.value) * 1e-9:
        how = "rounded"
        note = f"{fact.column or fact.name} {shown(fact.value)}".strip()
    return replace(
        figure, source=fact.source, row=fact.row, how=how if match.supported else "likely", note=note
    )


def _fits(said: Said, measure: Measure | None, reading: Reading, fact: Fact) -> bool:
    """Whether a fact is in the unit that the text says, or of the rows that it names."""
    wanted = said.measure
    if wanted is None:
        return True
    if said.noun:
        if measure is None or measure.kind in ("count", "year"):
            return is_about(fact, said.noun)
        return False
    if measure is None:
        return True
    if wanted.kind == "people" and measure.kind == "count":
        return names_table(fact, PEOPLE_NOUNS)
    if wanted.kind == "share" and reading.converted:
        return measure.kind == "share"
    if wanted.kind != measure.kind:
        return False
    if wanted.kind not in ("length", "area"):
        return True
    return abs(reading.factor * measure.factor / wanted.factor - 1) < 1e-6


def _is_weak(numeral: Numeral) -> bool:
    """Of few figures, so that chance finds one like it: 7, 12 %, 300."""
    digits = re.sub(r"\D", "", numeral.text).strip("0")
    return len(digits) <= 2


def _slack(reading: Reading) -> float:
    """Half of the last written place, and a little for what floating point leaves."""
    return reading.step / 2 + abs(reading.value) * 1e-9


def _agrees(reading: Reading, value: float) -> bool:
    return abs(reading.value - value) <= _slack(reading)


def _coarser(numeral: Numeral) -> Iterator[Reading]:
    """Of whole numbers that end in zeros: as if rounded to them (28,000 for 28,298), two figures at least."""
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
    """Where names with digits stand in the text, perhaps with Markdown's backslashes in them."""
    bare = text.replace("\\", "")
    for name in names:
        if name in bare and any(sign.isdigit() for sign in name) and any(sign.isalpha() for sign in name):
            pattern = r"\\?".join(re.escape(sign) for sign in name)
            yield from (match.span() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text))
