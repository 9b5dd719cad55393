"""Finds the rows that a number can be about: those whose names occur near it in its sentence, line or cell."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from agents.provenance.numerals import Numeral

_ENDS = re.compile(r"\n+|[.!?;:؟؛](?=\s)")
_OF = re.compile(
    r"\W*(?:[\w²³%]+\W+){0,2}(?:in|for|of|at|from|by|on|near|im|für|bei|von|à|en|de|au|في)\s+(?:the\s+|der\s+)?\W*",
    re.IGNORECASE,
)
MAX_LABELS = 5_000


@dataclass(frozen=True, slots=True)
class Mention:
    """An occurrence of a row's name in the text."""

    start: int
    end: int
    label: str


class Context:
    """The sentences and lines of a text with the names in them; `labels` are the names of result rows."""

    def __init__(self, text: str, numerals: Sequence[Numeral], labels: Iterable[str]) -> None:
        self.text = text
        self._numerals = numerals
        self._ends = [found.end() for found in _ENDS.finditer(text) if not _is_introduction(text, found)]
        self._mentions = _mentions(text, labels)

    def segment(self, numeral: Numeral) -> tuple[int, int]:
        """Start and end of the sentence, line or table row that contains the number."""
        place = bisect_right(self._ends, numeral.start)
        start = self._ends[place - 1] if place else 0
        return start, self._ends[place] if place < len(self._ends) else len(self.text)

    def words(self, numeral: Numeral) -> str:
        """The segment of the number in lower case."""
        start, end = self.segment(numeral)
        return self.text[start:end].lower()

    def has_any_word(self, numeral: Numeral, words: Collection[str]) -> bool:
        """Whether the segment of the number has one of these words, which are in lower case."""
        return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", self.words(numeral)) for word in words)

    def mentioned(self) -> frozenset[str]:
        """All names in the text."""
        return frozenset(mention.label for mention in self._mentions)

    def in_segment(self, numeral: Numeral) -> frozenset[str]:
        """All names in the sentence."""
        start, end = self.segment(numeral)
        return frozenset(each.label for each in self._mentions if start <= each.start < end)

    def beside(self, numeral: Numeral) -> frozenset[str]:
        """The names that the number can belong to; empty if its sentence contains no names.

        In a sentence that begins with a name, numbers follow their names (`Lima has 8, Cusco 3`), unless a name
        follows the number with a preposition such as `in`. Otherwise both are possible."""
        start, end = self.segment(numeral)
        mentions = [each for each in self._mentions if start <= each.start < end]
        if not mentions:
            return frozenset()
        others = [each for each in self._numerals if start <= each.start < end]
        before = _run([each for each in mentions if each.end <= numeral.start][::-1], others)
        after = _run([each for each in mentions if each.start >= numeral.end], others)
        follows = not any(numeral.end <= each.start < after[0].start for each in others) if after else False
        names_first = mentions[0].start < min(each.start for each in others)
        if (
            names_first
            and before
            and not (follows and _OF.fullmatch(self.text[numeral.end : after[0].start]))
        ):
            return frozenset(each.label for each in before)
        return frozenset(each.label for each in (*before, *(after if follows or not before else ())))


def _run(mentions: Sequence[Mention], numerals: Sequence[Numeral]) -> list[Mention]:
    """The nearest names, up to the first number between them."""
    run: list[Mention] = []
    for each in mentions:
        if run:
            low, high = sorted((run[-1].start, each.start))
            if any(low < numeral.start < high for numeral in numerals):
                break
        run.append(each)
    return run


def _mentions(text: str, labels: Iterable[str]) -> list[Mention]:
    """Names that occur as whole words; of overlapping names the longer one."""
    found: list[Mention] = []
    for label in dict.fromkeys(labels):
        if label in text and any(sign.isalpha() for sign in label):
            for match in re.finditer(rf"(?<!\w){re.escape(label)}(?!\w)", text):
                found.append(Mention(match.start(), match.end(), label))
    found.sort(key=lambda each: (each.start, -each.end))
    kept: list[Mention] = []
    for each in found:
        if not kept or each.end > kept[-1].end:
            kept.append(each)
    return kept


def _is_introduction(text: str, end: re.Match[str]) -> bool:
    """A colon after a name belongs to the name: `Lima: 8`; the same holds for the period of an abbreviation."""
    return end.group() == ":" or (
        end.group() == "." and text[max(0, end.start() - 2) : end.start()].istitle()
    )
