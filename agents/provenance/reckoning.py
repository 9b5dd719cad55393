"""Numbers that an answer reckoned from results: shares, sums, differences, ratios, averages, rates.

Among many numbers chance finds a pair for any share. So only numbers that the answer itself speaks of are tried:
those that it writes, those of rows that it names, a few counts of the turn, and sums over a whole column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from agents.provenance.context import Context
from agents.provenance.evidence import CELL, VALUE, Fact
from agents.provenance.measures import Said, measure_of
from agents.provenance.numerals import Numeral, Reading
from agents.provenance.vocabulary import APART, AVERAGE, LESS, MORE, TIMES, TOGETHER

MOST_SCALARS = 4
"""So many counts and statistics of a turn are tried though the answer does not write them."""
MOST_OPERANDS = 40
_TIMES = re.compile(rf"[ \t-]?(?:{TIMES})", re.IGNORECASE)
_MORE = re.compile(rf"[ \t*_]*(?:{MORE}|{LESS})\b", re.IGNORECASE)
_CUES = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for name, words in (
        ("apart", APART),
        ("together", TOGETHER),
        ("average", AVERAGE),
        ("more", f"{MORE}|{LESS}"),
    )
}

Agrees = Callable[[Reading, float], bool]


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A value with how it comes about: `24 ÷ 200 = 12 %`. `fact` is the first of its parts."""

    value: float
    note: str
    fact: Fact


class Reckoner:
    """The numbers of one answer that others can be reckoned from."""

    def __init__(
        self, facts: Sequence[Fact], context: Context, numerals: Sequence[Numeral], agrees: Agrees
    ) -> None:
        self._context = context
        self._agrees = agrees
        mentioned = context.mentioned()
        readings = [each.readings[0] for each in numerals if not each.percent]
        scalars = {fact.value: fact for fact in facts if fact.rank == VALUE}
        cells = [fact for fact in facts if fact.rank == CELL and fact.name]
        if len(scalars) > MOST_SCALARS:
            scalars = {value: fact for value, fact in scalars.items() if self._is_written(value, readings)}
        spoken = [
            fact
            for fact in cells
            if mentioned.intersection(fact.labels) or self._is_written(fact.value, readings)
        ]
        self._columns = list(_columns(cells))
        kept = {(fact.name, fact.value): fact for fact in (*scalars.values(), *spoken[:MOST_OPERANDS])}
        totals = [
            replace(each.fact, value=each.value, row=None, labels=())
            for each in self._columns
            if "Σ" in each.note
        ]
        self._operands = list(kept.values())
        self._wholes = [*self._operands, *totals[:4]]
        """What a part can be a share of, the sum of a column, too."""

    def found(self, numeral: Numeral, said: Said) -> tuple[Reckoned, bool] | None:
        """The first reckoning that gives the number, and whether it is the only one."""
        found: list[Reckoned] = []
        for each in self._tried(numeral, said):
            if any(
                self._agrees(reading, each.value) for reading in numeral.readings if not reading.converted
            ):
                found.append(each)
        if not found:
            return None
        return found[0], len({each.note for each in found}) == 1

    def _is_written(self, value: float, readings: Sequence[Reading]) -> bool:
        return any(self._agrees(reading, value) for reading in readings)

    def _tried(self, numeral: Numeral, said: Said) -> Iterator[Reckoned]:
        words = self._context.words(numeral)
        after = self._context.text[numeral.end :]
        pairs = [pair for pair in permutations(self._operands, 2) if _comparable(*pair)]
        if numeral.percent:
            if not _MORE.match(after):
                shares = [(a, b) for a in self._operands for b in self._wholes if _comparable(a, b)]
                yield from _shares(shares)
                if _CUES["apart"].search(words):
                    yield from _rests(shares)
            if _CUES["more"].search(words):
                yield from _changes(pairs)
            return
        if _TIMES.match(after):
            yield from (
                Reckoned(a.value / b.value, f"{shown(a.value)} ÷ {shown(b.value)}", a)
                for a, b in pairs
                if b.value
            )
            return
        if said.is_rate:
            yield from self._rates()
            return
        exact = _figures_of(numeral) >= 4
        if exact or _CUES["together"].search(words):
            yield from self._sums(numeral, pairs)
        if exact or _CUES["average"].search(words):
            yield from (each for each in self._columns if "Σ" not in each.note)
        if exact or _CUES["apart"].search(words):
            for a, b in pairs:
                if a.value > b.value:
                    yield Reckoned(a.value - b.value, f"{shown(a.value)} − {shown(b.value)}", a)

    def _sums(self, numeral: Numeral, pairs: Sequence[tuple[Fact, Fact]]) -> Iterator[Reckoned]:
        named = self._context.in_segment(numeral)
        columns: dict[tuple[str, str], dict[object, Fact]] = {}
        for fact in self._operands:
            if fact.labels and named.intersection(fact.labels):
                columns.setdefault((fact.group, fact.name), {})[fact.row or fact.labels] = fact
        for rows in columns.values():
            if len(rows) > 2:
                values = [fact.value for fact in rows.values()]
                yield Reckoned(sum(values), " + ".join(map(shown, values)), next(iter(rows.values())))
        for a, b in pairs:
            if a.value >= b.value:
                yield Reckoned(a.value + b.value, f"{shown(a.value)} + {shown(b.value)}", a)
        yield from (each for each in self._columns if "Σ" in each.note)

    def _rates(self) -> Iterator[Reckoned]:
        """So much of one column for each of another, in one row."""
        for a, b in permutations(self._operands, 2):
            if a.group and a.group == b.group and a.labels == b.labels and a.name != b.name and b.value:
                yield Reckoned(a.value / b.value, f"{shown(a.value)} ÷ {shown(b.value)}", a)


def shown(value: float) -> str:
    return f"{value:,.6g}" if value % 1 else f"{value:,.0f}"


def _shares(pairs: Sequence[tuple[Fact, Fact]]) -> Iterator[Reckoned]:
    for a, b in pairs:
        if 0 < a.value < b.value:
            share = 100 * a.value / b.value
            yield Reckoned(share, f"{shown(a.value)} ÷ {shown(b.value)} = {share:.4g} %", a)


def _rests(pairs: Sequence[tuple[Fact, Fact]]) -> Iterator[Reckoned]:
    for a, b in pairs:
        if 0 < a.value < b.value:
            rest = 100 - 100 * a.value / b.value
            yield Reckoned(rest, f"1 − {shown(a.value)} ÷ {shown(b.value)} = {rest:.4g} %", a)


def _changes(pairs: Sequence[tuple[Fact, Fact]]) -> Iterator[Reckoned]:
    for a, b in pairs:
        if a.value > 0 and b.value > 0 and a.value != b.value:
            change = abs(100 * (a.value / b.value - 1))
            yield Reckoned(change, f"{shown(a.value)} ÷ {shown(b.value)} − 1 = {change:.4g} %", a)


def _comparable(a: Fact, b: Fact) -> bool:
    """Two counts, or two values of one column or of one measure."""
    if a.name == b.name and a.column == b.column:
        return True
    one, other = measure_of(a), measure_of(b)
    if one is not None and other is not None:
        return one == other
    return one is None and other is None and bool(a.column) and a.column == b.column


def _columns(cells: Sequence[Fact]) -> Iterator[Reckoned]:
    """Sum and mean of each column of each list of rows."""
    lists: dict[tuple[str, str], list[Fact]] = {}
    for fact in cells:
        lists.setdefault((fact.group, fact.name), []).append(fact)
    for (_, name), facts in lists.items():
        if len(facts) > 1:
            total = sum(fact.value for fact in facts)
            yield Reckoned(total, f"Σ {name} ({len(facts)}) = {shown(total)}", facts[0])
            mean = total / len(facts)
            yield Reckoned(mean, f"⌀ {name} ({len(facts)}) = {shown(mean)}", facts[0])


def _figures_of(numeral: Numeral) -> int:
    """Significant figures, as they are written."""
    digits = re.sub(r"\D", "", numeral.text).lstrip("0")
    return len(digits.rstrip("0")) if numeral.value % 1 == 0 else len(digits)
