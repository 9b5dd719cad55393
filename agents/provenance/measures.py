"""The measure of a number: from its unit or noun in the text, and from the name of its column in a result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from agents.provenance.evidence import COUNTS, Fact
from agents.provenance.numerals import Numeral, Reading
from agents.provenance.table_words import TableWords, name_of, stem
from agents.provenance.vocabulary import CLAUSES, COLUMN_UNITS, DIMENSIONS, FUNCTION_WORDS, PEOPLE

_WORDS_AFTER = re.compile(r"(?:[*_]*\s+[*_]*[^\W\d_][\w'’-]*){1,3}")
_PER = re.compile(
    r"\s*(?:/|per\b|pro\b|je\b|par\b|por\b)|\s*[\w²]+\s*(?:/|per\b|pro\b|par\b|por\b)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Measure:
    """`kind` is length, area, people, count, share, year or other; `factor` converts to metres or square metres."""

    kind: str
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class UnitPhrase:
    """The meaning of the words after a number: its unit, or the noun for the rows that it counts."""

    measure: Measure | None = None
    noun: str = ""
    """A noun for rows of a known table."""
    other_noun: bool = False
    """Another noun follows: gates, pilots."""
    is_rate: bool = False
    """A ratio: so much per something."""


class Nouns:
    """The nouns for rows of the tables: `airports`, `airport`."""

    def __init__(self, tables: Sequence[TableWords]) -> None:
        self._tables = tables

    def after(self, text: str, numeral: Numeral) -> UnitPhrase:
        """The unit phrase after a number of the text."""
        rest = text[numeral.end : numeral.end + 60]
        is_rate = bool(_PER.match(rest))
        if numeral.percent:
            return UnitPhrase(Measure("share"), is_rate=is_rate)
        dimension = DIMENSIONS.get(numeral.unit)
        if dimension is not None:
            return UnitPhrase(Measure("other") if is_rate else Measure(*dimension), is_rate=is_rate)
        words = _WORDS_AFTER.match(rest)
        found = [] if words is None else [word.strip("*_'’").lower() for word in words.group().split()]
        found = list(takewhile(lambda word: word not in _CLAUSES, found))
        for word in found:
            if word in _PEOPLE:
                return UnitPhrase(Measure("other" if is_rate else "people"), is_rate=is_rate)
        names = [any(stem(word) in each.stems for each in self._tables) for word in found]
        if True in names:
            first = names.index(True)
            last = (
                first + len(list(takewhile(bool, names[first:]))) - 1
            )  # of “city facilities” the facilities
            return UnitPhrase(Measure("count"), noun=stem(found[last]), is_rate=is_rate)
        return UnitPhrase(other_noun=bool(found) and found[0] not in _FUNCTION_WORDS, is_rate=is_rate)


def measure_of(fact: Fact) -> Measure | None:
    """The measure of a fact from the name of its column or value; None if unknown."""
    if fact.is_count:
        return Measure("count")
    for name in (fact.column, fact.name):
        words = [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
        for unit in (" ".join(words[-2:]), *words[-1:]):
            if unit in COLUMN_UNITS:
                return Measure(*COLUMN_UNITS[unit])
    return None


def is_about(fact: Fact, noun: str) -> bool:
    """Whether the fact counts rows that the noun names, or its query reads them."""
    if fact.is_count and fact.name not in ("", "rows") and fact.name not in COUNTS:
        return stem(fact.name.lower()) == noun  # how long some list of the result is
    source = fact.source
    source_text = " ".join(
        (fact.name, fact.column, source.table or "", source.summary, source.sql or "")
    ).lower()
    return re.search(rf"(?<![a-z]){re.escape(noun)}", source_text) is not None


def names_table(fact: Fact, words: Iterable[str]) -> bool:
    """Whether one of the words names the table of the fact's source."""
    table = name_of(fact.source.table or "")
    return any(stem(word) in {stem(part) for part in table.split()} for word in words)


def fits_unit(phrase: UnitPhrase, measure: Measure | None, reading: Reading, fact: Fact) -> bool:
    """Whether a fact has the unit that the text states, or counts the rows that it names."""
    wanted = phrase.measure
    if wanted is None:
        return True
    if phrase.noun:
        if measure is None or measure.kind in ("count", "year"):
            return is_about(fact, phrase.noun)
        return False
    if measure is None:
        return True
    if wanted.kind == "people" and measure.kind == "count":
        return names_table(fact, _PEOPLE_NOUNS)
    if wanted.kind == "share" and reading.converted:
        return measure.kind == "share"
    if wanted.kind != measure.kind:
        return False
    if wanted.kind not in ("length", "area"):
        return True
    return abs(reading.factor * measure.factor / wanted.factor - 1) < 1e-6


_PEOPLE = frozenset(word.lower() for word in PEOPLE)
_PEOPLE_NOUNS = tuple(_PEOPLE)
_FUNCTION_WORDS = frozenset(FUNCTION_WORDS)
_CLAUSES = frozenset(CLAUSES)
