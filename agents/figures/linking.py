"""The numbers of an answer, each with the source that it agrees with, or with none.

A number agrees with a fact that rounds to it: 2.5 million with 2,498,103, 12 % with 0.1234, 205 km with 205474.3
metres. Numbers that the user gave are nobody's claim and are left alone; so are those of calls and of names.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from agents.core.messages import Message
from agents.figures.evidence import CELL, VALUE, Evidence, Fact, Source, evidence
from agents.figures.numerals import Numeral, Reading, numerals

MOST_FIGURES = 500
MOST_SCALARS = 12
"""Of so many numbers, shares, sums and differences are tried; among more of them chance would find some."""
MOST_NAMED = 20
_REST = re.compile(r"\s+(?:more|others?)\b")
"""As in: Shanghai, Beijing and 48 more."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of the answer: its characters from `start` to `end`. Without a source it was found in no result.

    `row` is a value of the source's key column, where the number is of that row. `note` is how it was reckoned
    from several: `7,895 ÷ 28,298`.
    """

    start: int
    end: int
    text: str
    source: Source | None = None
    row: Any = None
    note: str = ""


def linked(
    text: str, messages: Sequence[Message], written: Collection[str] = (), names: Iterable[str] = ()
) -> list[Figure]:
    """The figures of an answer to a conversation, in order. `names` are texts whose digits are no figures."""
    found = evidence(messages, written)
    book = Book(found)
    spans = list(_spans(text, {*names, *found.names}))
    figures: list[Figure] = []
    for numeral in numerals(text):
        if any(start <= numeral.start and numeral.end <= end for start, end in spans):
            continue
        figure = book.figure(numeral, is_rest=bool(_REST.match(text, numeral.end)))
        if figure is not None and (figure.source is None or len(figures) < MOST_FIGURES):
            figures.append(figure)
    return figures


class Book:
    """Facts by value."""

    def __init__(self, found: Evidence) -> None:
        self._found = found
        self._facts = sorted(found.facts, key=lambda fact: fact.value)
        self._values = [fact.value for fact in self._facts]
        self._reckoned = list(_reckoned(found.facts))

    def figure(self, numeral: Numeral, is_rest: bool = False) -> Figure | None:
        """None for a number that is no claim. `is_rest`: it says how many more there are than were named."""
        if self._given(numeral, self._found.said):
            return None
        figure = Figure(numeral.start, numeral.end, numeral.text)
        fact = self._best(numeral.readings) or self._best(list(_coarser(numeral)))
        if fact is not None:
            return replace(figure, source=fact.source, row=fact.row)
        for reckoned, note, is_share in self._reckoned:
            if is_share == numeral.percent and any(
                _agrees(reading, reckoned.value) for reading in numeral.readings if not reading.converted
            ):
                return replace(figure, source=reckoned.source, note=note)
        if is_rest and (whole := self._whole(numeral.value)) is not None:
            note = f"{_said(whole)} − {whole.value - numeral.value:,.0f}"
            return replace(figure, source=whole.source, note=note)
        if numeral.like_year or self._given(numeral, self._found.known):
            return None
        return figure

    def _best(self, readings: Sequence[Reading]) -> Fact | None:
        """The best fact that a reading agrees with: direct before converted, then by rank, then the nearest."""
        best: tuple[tuple[bool, int, float], Fact] | None = None
        for reading in readings:
            for fact in self._near(reading):
                if reading.doubtful and fact.value.is_integer():
                    continue
                order = (reading.converted, fact.rank, abs(fact.value - reading.value))
                if best is None or order < best[0]:
                    best = (order, fact)
        return None if best is None else best[1]

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


def _reckoned(facts: Sequence[Fact]) -> Iterator[tuple[Fact, str, bool]]:
    """Shares in percent, sums and differences of the few numbers that this turn asked for."""
    scalars = [fact for fact in facts if fact.rank == VALUE]
    cells = [fact for fact in facts if fact.rank == CELL and fact.name]
    pool = {fact.value: fact for fact in (*cells, *scalars)}
    if len(pool) > MOST_SCALARS:
        pool = {fact.value: fact for fact in scalars}
    if len(pool) > MOST_SCALARS:
        return
    for one, other in permutations(pool.values(), 2):
        if 0 < one.value < other.value:
            yield replace(one, value=100 * one.value / other.value), f"{_said(one)} ÷ {_said(other)}", True
            if one.value >= 100:
                yield replace(other, value=other.value - one.value), f"{_said(other)} − {_said(one)}", False
                yield replace(other, value=other.value + one.value), f"{_said(other)} + {_said(one)}", False


def _said(fact: Fact) -> str:
    return f"{fact.value:,.6g}" if fact.value % 1 else f"{fact.value:,.0f}"


def _spans(text: str, names: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Where names with digits stand in the text, perhaps with Markdown's backslashes in them."""
    bare = text.replace("\\", "")
    for name in names:
        if name in bare and any(sign.isdigit() for sign in name) and any(sign.isalpha() for sign in name):
            pattern = r"\\?".join(re.escape(sign) for sign in name)
            yield from (match.span() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text))
