"""The columns of a table, compared with words. What was worked out once is kept, because a request is compared with
the same columns from each of its words on, and so is the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from agents.domain import Column
from agents.offline.language.names.comments import without_origin, wordings
from agents.offline.language.names.costs import PER_CURRENCY, are_initials_among, initials_in
from agents.offline.language.words import Words, name_words

MAX_WORDS_KEPT = 512
"""Per table; also the limit for runs of words."""
MAX_TABLES_KEPT = 256
NONE: Mapping[str, float] = MappingProxyType({})

Related = Callable[[str, str | None, str], bool]
"""Whether a word, beside others, can refer to a column of this name and comment."""
Cost = Callable[[str, str, str | None, Words], float | None]
"""The cost of matching a column, given by name, kind and comment, with words; None if they do not match."""


class ComparedColumns:
    """The columns of one table. Sets of columns are bits of an integer, one a wording of a comment."""

    def __init__(self, columns: Sequence[Column], is_related: Related, cost: Cost) -> None:
        self._is_related, self._cost = is_related, cost
        self._each = [
            (column.name, column.kind, comment)
            for column in columns
            if column.kind != "geometry"
            for comment in wordings(without_origin(column.comment))
        ]
        names = [name_words(column.name) for column in columns]
        self.single_words = frozenset(words[0] for words in names if len(words) == 1)
        """The names of columns that are one word."""
        self.all = (1 << len(self._each)) - 1
        self._prices = 0
        self._by_initials: dict[str, int] = {}
        self._by_word: dict[str, int] = {}
        for at, (name, _, _) in enumerate(self._each):
            self._prices |= (name_words(name)[:2] in PER_CURRENCY) << at
            for word in name_words(name):
                self._by_word[word] = self._by_word.get(word, 0) | 1 << at
            for letters in initials_in(name):
                self._by_initials[letters] = self._by_initials.get(letters, 0) | 1 << at
        self._related: dict[str, int] = {}
        self._costs: dict[Words, Mapping[str, float]] = {}

    def costs(self, words: Words) -> Mapping[str, float]:
        """The cost of each column that the words match."""
        found = self._costs.get(words)
        if found is None:
            if len(self._costs) >= MAX_WORDS_KEPT:
                self._costs.clear()
            found = self._costs[words] = self._compare(words) or NONE
        return found

    def _compare(self, words: Words) -> dict[str, float]:
        costs: dict[str, float] = {}
        left = self.candidates(words)
        while left:
            bit = left & -left
            left ^= bit
            name, kind, comment = self._each[bit.bit_length() - 1]
            cost = self._cost(name, kind, comment, words)
            if cost is not None and cost < costs.get(name, cost + 1):
                costs[name] = cost
        return costs

    def candidates(self, words: Words) -> int:
        """Quick check before the costs: each of several words must be related to the column, or be one of words
        whose initials are in its name, perhaps with the last word whole (`fclass`)."""
        if len(words) == 1:
            return self.all
        found = self.all
        for word in words:
            found &= self._related_to(word)
            if not found:
                break
        letters = "".join([word[0] for word in words])
        for initials, those in self._by_initials.items():
            if are_initials_among(initials, letters):
                found |= those
        return found | self._prices | self._by_word.get(f"{letters[:-1]}{words[-1]}", 0)

    def _related_to(self, word: str) -> int:
        found = self._related.get(word)
        if found is None:
            if len(self._related) >= MAX_WORDS_KEPT:
                self._related.clear()
            found = 0
            for at, (name, _, comment) in enumerate(self._each):
                found |= self._is_related(name, comment, word) << at
            self._related[word] = found
        return found


class KeptComparisons:
    """`ComparedColumns` by the identity of the columns; a table that changes gets new columns."""

    def __init__(self, is_related: Related, cost: Cost) -> None:
        self._is_related, self._cost = is_related, cost
        self._kept: dict[int, tuple[Sequence[Column], ComparedColumns]] = {}

    def of(self, columns: Sequence[Column]) -> ComparedColumns:
        """The comparison of these columns."""
        kept = self._kept.get(id(columns))
        if kept is None:
            if len(self._kept) >= MAX_TABLES_KEPT:
                self._kept.clear()
            # With the columns themselves, so that their identity is not reused.
            kept = self._kept[id(columns)] = (columns, ComparedColumns(columns, self._is_related, self._cost))
        return kept[1]
