"""Numbers that an answer calculated from results: shares, sums, differences, ratios, averages, rates.

Among many numbers some pair gives any share by chance. So operands are limited to numbers that the answer
mentions: those it contains, those of rows it names, a few counts of the turn, and sums over a whole column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from agents.provenance.context import Context
from agents.provenance.evidence import CELL, VALUE, Fact
from agents.provenance.measures import UnitPhrase, measure_of
from agents.provenance.numerals import Numeral, Reading
from agents.provenance.vocabulary import APART, AVERAGE, LESS, MORE, TIMES, TOGETHER

MAX_SCALARS = 4
"""Up to so many counts and statistics of a turn are operands even if the answer does not contain them."""
MAX_OPERANDS = 40
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
class Calculation:
    """A value and its derivation: `24 ÷ 200 = 12 %`. `fact` is the first operand."""

    value: float
    note: str
    fact: Fact


class CalculationSearch:
    """The operands from which numbers of one answer can be calculated."""

    def __init__(
        self, facts: Sequence[Fact], context: Context, numerals: Sequence[Numeral], agrees: Agrees
    ) -> None:
        self._context = context
        self._agrees = agrees
        mentioned = context.mentioned()
        readings = [each.readings[0] for each in numerals if not each.percent]
        scalars = {fact.value: fact for fact in facts if fact.rank == VALUE}
        cells = [fact for fact in facts if fact.rank == CELL and fact.name]
        if len(scalars) > MAX_SCALARS:
            scalars = {value: fact for value, fact in scalars.items() if self._is_written(value, readings)}
        spoken = [
            fact
            for fact in cells
            if mentioned.intersection(fact.labels) or self._is_written(fact.value, readings)
        ]
        self._columns = list(_columns(cells))
        kept = {(fact.name, fact.value): fact for fact in (*scalars.values(), *spoken[:MAX_OPERANDS])}
        totals = [
            replace(each.fact, value=each.value, row=None, labels=())
            for each in self._columns
            if "Σ" in each.note
        ]
        self._operands = list(kept.values())
        self._wholes = [*self._operands, *totals[:4]]
        """Denominators of shares, including sums of columns."""

    def found(self, numeral: Numeral, phrase: UnitPhrase) -> tuple[Calculation, bool] | None:
        """The first calculation that gives the number, and whether it is the only one."""
        found: list[Calculation] = []
        for each in self._tried(numeral, phrase):
            if any(
                self._agrees(reading, each.value) for reading in numeral.readings if not reading.converted
            ):
                found.append(each)
        if not found:
            return None
        return found[0], len({each.note for each in found}) == 1

    def _is_written(self, value: float, readings: Sequence[Reading]) -> bool:
        return any(self._agrees(reading, value) for reading in readings)

    def _tried(self, numeral: Numeral, phrase: UnitPhrase) -> Iterator[Calculation]:
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
                Calculation(a.value / b.value, f"{format_value(a.value)} ÷ {format_value(b.value)}", a)
                for a, b in pairs
                if b.value
            )
            return
        if phrase.is_rate:
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
                    yield Calculation(
                        a.value - b.value, f"{format_value(a.value)} − {format_value(b.value)}", a
                    )

    def _sums(self, numeral: Numeral, pairs: Sequence[tuple[Fact, Fact]]) -> Iterator[Calculation]:
        named = self._context.in_segment(numeral)
        columns: dict[tuple[str, str], dict[object, Fact]] = {}
        for fact in self._operands:
            if fact.labels and named.intersection(fact.labels):
                columns.setdefault((fact.group, fact.name), {})[fact.row or fact.labels] = fact
        for rows in columns.values():
            if len(rows) > 2:
                values = [fact.value for fact in rows.values()]
                yield Calculation(
                    sum(values), " + ".join(map(format_value, values)), next(iter(rows.values()))
                )
        for a, b in pairs:
            if a.value >= b.value:
                yield Calculation(a.value + b.value, f"{format_value(a.value)} + {format_value(b.value)}", a)
        yield from (each for each in self._columns if "Σ" in each.note)

    def _rates(self) -> Iterator[Calculation]:
        """Ratios of two columns in one row."""
        for a, b in permutations(self._operands, 2):
            if a.group and a.group == b.group and a.labels == b.labels and a.name != b.name and b.value:
                yield Calculation(a.value / b.value, f"{format_value(a.value)} ÷ {format_value(b.value)}", a)


def format_value(value: float) -> str:
    """The value with thousands separators, decimals to six significant digits."""
    return f"{value:,.6g}" if value % 1 else f"{value:,.0f}"


def _shares(pairs: Sequence[tuple[Fact, Fact]]) -> Iterator[Calculation]:
    for a, b in pairs:
        if 0 < a.value < b.value:
            share = 100 * a.value / b.value
            yield Calculation(share, f"{format_value(a.value)} ÷ {format_value(b.value)} = {share:.4g} %", a)


def _rests(pairs: Sequence[tuple[Fact, Fact]]) -> Iterator[Calculation]:
    for a, b in pairs:
        if 0 < a.value < b.value:
            rest = 100 - 100 * a.value / b.value
            yield Calculation(
                rest, f"1 − {format_value(a.value)} ÷ {format_value(b.value)} = {rest:.4g} %", a
            )


def _changes(pairs: Sequence[tuple[Fact, Fact]]) -> Iterator[Calculation]:
    for a, b in pairs:
        if a.value > 0 and b.value > 0 and a.value != b.value:
            change = abs(100 * (a.value / b.value - 1))
            yield Calculation(
                change, f"{format_value(a.value)} ÷ {format_value(b.value)} − 1 = {change:.4g} %", a
            )


def _comparable(a: Fact, b: Fact) -> bool:
    """Whether both are counts, or values of one column or measure."""
    if a.name == b.name and a.column == b.column:
        return True
    one, other = measure_of(a), measure_of(b)
    if one is not None and other is not None:
        return one == other
    return one is None and other is None and bool(a.column) and a.column == b.column


def _columns(cells: Sequence[Fact]) -> Iterator[Calculation]:
    """Sum and mean of each column of each list of rows."""
    lists: dict[tuple[str, str], list[Fact]] = {}
    for fact in cells:
        lists.setdefault((fact.group, fact.name), []).append(fact)
    for (_, name), facts in lists.items():
        if len(facts) > 1:
            total = sum(fact.value for fact in facts)
            yield Calculation(total, f"Σ {name} ({len(facts)}) = {format_value(total)}", facts[0])
            mean = total / len(facts)
            yield Calculation(mean, f"⌀ {name} ({len(facts)}) = {format_value(mean)}", facts[0])


def _figures_of(numeral: Numeral) -> int:
    """Number of significant digits as written."""
    digits = re.sub(r"\D", "", numeral.text).lstrip("0")
    return len(digits.rstrip("0")) if numeral.value % 1 == 0 else len(digits)
