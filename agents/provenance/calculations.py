"""Numbers that an answer calculated from results: shares, sums, differences, ratios, averages, rates.

Among many numbers some pair gives any share by chance. So operands are limited to numbers that the answer
mentions: those it contains, those of rows it names, a few counts of the turn, and sums over a whole column. Only
what these do not give is calculated from results of earlier turns, too: the newest of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from agents.provenance.context import Context
from agents.provenance.evidence import CELL, CONTENT, COUNTS, EARLIER_TURN_RANK, NOTE, VALUE, Fact
from agents.provenance.measures import UnitPhrase, fits_unit, measure_of
from agents.provenance.numerals import Numeral, Reading
from agents.provenance.vocabulary import APART, AVERAGE, LESS, MORE, RATIO, TIMES, TOGETHER

MAX_SCALARS = 4
"""Counts and statistics of a turn, and the newest of earlier turns, that are operands even if the answer does not
contain them."""
MAX_LISTS = 2
"""Newest calls of earlier turns whose rows are operands."""
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
        ("ratio", RATIO),
    )
}

Agrees = Callable[[Reading, float], bool]


@dataclass(frozen=True, slots=True)
class Calculation:
    """A value and its derivation: `24 ÷ 200 = 12 %`. `fact` is the first operand, whose unit the value has, if any."""

    value: float
    note: str
    fact: Fact
    has_unit: bool = False


@dataclass(frozen=True, slots=True)
class Operands:
    """What is calculated with. `columns` are sums and means of lists; `wholes` are denominators of shares."""

    numbers: Sequence[Fact]
    wholes: Sequence[Fact]
    columns: Sequence[Calculation]

    def pairs(self) -> list[tuple[Fact, Fact]]:
        """All ordered pairs of comparable numbers, for differences and ratios."""
        return [pair for pair in permutations(self.numbers, 2) if _comparable(*pair)]


class CalculationSearch:
    """The operands from which numbers of one answer can be calculated. `asked` is the user's last message."""

    def __init__(
        self,
        facts: Sequence[Fact],
        context: Context,
        numerals: Sequence[Numeral],
        agrees: Agrees,
        asked: str = "",
    ) -> None:
        self._context = context
        self._agrees = agrees
        self._asked = asked
        self._mentioned = context.mentioned()
        self._readings = [each.readings[0] for each in numerals if not each.percent]
        now = [fact for fact in facts if fact.rank < EARLIER_TURN_RANK]
        earlier = [fact for fact in reversed(facts) if fact.rank >= EARLIER_TURN_RANK]
        self._now = self._operands(self._scalars(now, None), now)
        self._ever = None if not earlier else self._with_earlier(now, earlier)

    def _with_earlier(self, now: Sequence[Fact], earlier: Sequence[Fact]) -> Operands:
        calls = list(dict.fromkeys(fact.source.call_id for fact in earlier if _is_cell(fact)))
        near = [fact for fact in earlier if fact.source.call_id in calls[:MAX_LISTS]]
        scalars = [*self._scalars(now, None), *self._scalars(earlier, MAX_SCALARS)]
        return self._operands(scalars, [*now, *near])

    def _scalars(self, facts: Sequence[Fact], newest: int | None) -> list[Fact]:
        """Counts and statistics; of many the `newest` (the first), or the first counts of all rows of this turn, and
        those that the answer contains or names."""
        scalars = {fact.value: fact for fact in reversed(facts) if _is_scalar(fact)}
        first = list(scalars.values())[::-1]
        if len(first) <= MAX_SCALARS:
            return first
        of_all = [fact for fact in first if fact.is_count and not fact.labels][:MAX_SCALARS]
        kept = of_all if newest is None else first[:newest]
        return [*kept, *(fact for fact in first if fact not in kept and self._is_spoken(fact))]

    def _operands(self, scalars: Sequence[Fact], facts: Sequence[Fact]) -> Operands:
        cells = [fact for fact in facts if _is_cell(fact)]
        spoken = [fact for fact in cells if self._is_spoken(fact)]
        columns = list(_columns(cells))
        kept = {(fact.name, fact.value, fact.group): fact for fact in (*scalars, *spoken[:MAX_OPERANDS])}
        totals = [
            replace(each.fact, value=each.value, row=None, labels=()) for each in columns if "Σ" in each.note
        ]
        numbers = list(kept.values())
        return Operands(numbers, [*numbers, *totals[:4]], columns)

    def found(self, numeral: Numeral, phrase: UnitPhrase) -> tuple[Calculation, bool] | None:
        """The first calculation that gives the number, and whether it is the only one."""
        for operands in (self._now, self._ever):
            if operands is None:
                continue
            found = [
                each for each in self._tried(numeral, phrase, operands) if self._is(numeral, phrase, each)
            ]
            if found:
                return found[0], len({each.note for each in found}) == 1
        return None

    def _is(self, numeral: Numeral, phrase: UnitPhrase, tried: Calculation) -> bool:
        """Whether the number says what was calculated, in the unit that it states."""
        unit = phrase.measure is not None and phrase.measure.kind in ("length", "area") and tried.has_unit
        measure = measure_of(tried.fact)
        return any(
            self._agrees(reading, tried.value)
            for reading in numeral.readings
            if (not reading.converted or (unit and measure is not None))
            and (not unit or fits_unit(phrase, measure, reading, tried.fact))
        )

    def _is_spoken(self, fact: Fact) -> bool:
        """Whether the answer contains the number, or names its row."""
        return bool(self._mentioned.intersection(fact.labels)) or any(
            self._agrees(reading, fact.value) for reading in self._readings
        )

    def _says(self, numeral: Numeral, cue: str) -> bool:
        """Whether the sentence or the question has a word for a way of calculating."""
        return bool(_CUES[cue].search(self._context.words(numeral)) or _CUES[cue].search(self._asked))

    def _tried(self, numeral: Numeral, phrase: UnitPhrase, operands: Operands) -> Iterator[Calculation]:
        after = self._context.text[numeral.end :]
        pairs = operands.pairs()
        if numeral.percent:
            yield from self._percentages(numeral, after, operands, pairs)
            return
        if _TIMES.match(after) or self._says(numeral, "ratio"):
            yield from (_quotient(a, b) for a, b in pairs if b.value)
            if _TIMES.match(after):
                return
        if phrase.is_rate:
            yield from _rates(operands.numbers)
            return
        exact = _figures_of(numeral) >= 4
        if exact or self._says(numeral, "together"):
            yield from self._sums(numeral, operands, pairs)
        if exact or self._says(numeral, "average"):
            yield from (each for each in operands.columns if "Σ" not in each.note)
        if exact or self._says(numeral, "apart"):
            for a, b in pairs:
                if a.value > b.value:
                    note = f"{format_value(a.value)} − {format_value(b.value)}"
                    yield Calculation(a.value - b.value, note, a, has_unit=True)

    def _percentages(
        self, numeral: Numeral, after: str, operands: Operands, pairs: Sequence[tuple[Fact, Fact]]
    ) -> Iterator[Calculation]:
        if not _MORE.match(after):
            shares = [(a, b) for a in operands.numbers for b in operands.wholes if _comparable(a, b)]
            yield from _shares(shares)
            if self._says(numeral, "apart"):
                yield from _shares(shares, rest=True)
        if self._says(numeral, "more"):
            yield from _changes(pairs)

    def _sums(
        self, numeral: Numeral, operands: Operands, pairs: Sequence[tuple[Fact, Fact]]
    ) -> Iterator[Calculation]:
        named = self._context.in_segment(numeral)
        columns: dict[tuple[str, str], dict[object, Fact]] = {}
        for fact in operands.numbers:
            if fact.labels and named.intersection(fact.labels):
                columns.setdefault((fact.group, fact.name), {})[fact.row or fact.labels] = fact
        counts = [fact for fact in operands.numbers if fact.is_count]
        for rows in (*(list(each.values()) for each in columns.values()), counts):
            if len(rows) > 2:
                values = [fact.value for fact in rows]
                yield Calculation(sum(values), " + ".join(map(format_value, values)), rows[0], has_unit=True)
        for a, b in pairs:
            if a.value >= b.value:
                note = f"{format_value(a.value)} + {format_value(b.value)}"
                yield Calculation(a.value + b.value, note, a, has_unit=True)
        yield from (each for each in operands.columns if "Σ" in each.note)


def _is_scalar(fact: Fact) -> bool:
    """A value of a query, a count of rows in another result, or a whole number in a note of a query."""
    if fact.name == NOTE:
        return fact.value.is_integer()
    return fact.rank % EARLIER_TURN_RANK == VALUE or (fact.is_count and fact.name in COUNTS)


def _is_cell(fact: Fact) -> bool:
    """A value of a row. Of earlier turns only what models saw of it is kept, without the query's own record."""
    of_query = fact.rank % EARLIER_TURN_RANK == CELL
    seen = fact.rank == EARLIER_TURN_RANK + CONTENT and fact.labels != () and not fact.is_count
    return fact.name != "" and (of_query or seen)


def _rates(numbers: Sequence[Fact]) -> Iterator[Calculation]:
    """Ratios of two columns of one row, which two results may have, and of two counts."""
    for a, b in permutations(numbers, 2):
        of_row = a.group and b.group and a.labels == b.labels and a.name != b.name
        one_row = of_row and (a.group == b.group or a.labels)
        if b.value and (one_row or (a.is_count and b.is_count)):
            yield _quotient(a, b)


def _quotient(a: Fact, b: Fact) -> Calculation:
    return Calculation(a.value / b.value, f"{format_value(a.value)} ÷ {format_value(b.value)}", a)


def format_value(value: float) -> str:
    """The value with thousands separators, decimals to six significant digits."""
    return f"{value:,.6g}" if value % 1 else f"{value:,.0f}"


def _shares(pairs: Sequence[tuple[Fact, Fact]], rest: bool = False) -> Iterator[Calculation]:
    """Shares in percent, or what they leave of the whole."""
    for a, b in pairs:
        if 0 < a.value < b.value:
            share = 100 * a.value / b.value
            share, before = (100 - share, "1 − ") if rest else (share, "")
            yield Calculation(share, f"{before}{_quotient(a, b).note} = {share:.4g} %", a)


def _changes(pairs: Sequence[tuple[Fact, Fact]]) -> Iterator[Calculation]:
    for a, b in pairs:
        if a.value > 0 and b.value > 0 and a.value != b.value:
            change = abs(100 * (a.value / b.value - 1))
            yield Calculation(change, f"{_quotient(a, b).note} − 1 = {change:.4g} %", a)


def _comparable(a: Fact, b: Fact) -> bool:
    """Whether both are counts, or values of one column or measure. Notes are about counts."""
    if NOTE in (a.name, b.name):
        return all(each.name == NOTE or each.is_count for each in (a, b))
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
            note = f"Σ {name} ({len(facts)}) = {format_value(total)}"
            yield Calculation(total, note, facts[0], has_unit=True)
            mean = total / len(facts)
            note = f"⌀ {name} ({len(facts)}) = {format_value(mean)}"
            yield Calculation(mean, note, facts[0], has_unit=True)


def _figures_of(numeral: Numeral) -> int:
    """Number of significant digits as written."""
    digits = re.sub(r"\D", "", numeral.text).lstrip("0")
    return len(digits.rstrip("0")) if numeral.value % 1 == 0 else len(digits)
