"""Searches tables by words: names, columns, comments, frequent values.

An in-process inverted index, weighted by field and by rarity of the word (idf of BM25), with prefixes and, for a word
that is not a prefix of any, the most similar known words. Because the index is in the process, a new table is found
immediately, PostgreSQL needs neither an extension nor a copy of its catalogue, and ranking 10,000 tables takes a tenth
of a millisecond (words that no table has take two, the first time)."""

from __future__ import annotations

import itertools
import math
import re
import sys
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

import numpy
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from agents.domain import Table
from server.gis.catalog.gazetteer import singular

NAME, COMMENT, COLUMN, COLUMN_COMMENT, SCHEMA, SAMPLE = 8.0, 4.0, 3.0, 2.0, 1.0, 1.0
EXACT, PREFIX, SIMILAR = 1.0, 0.6, 0.5
MAX_PREFIX_MATCHES, MAX_SIMILAR_WORDS = 50, 8
MAX_UNKNOWN_WORDS = 20
"""Unknown words of a text that are compared with all known ones; the time of each grows with the vocabulary."""
MAX_UNKNOWN_WORDS_KEPT = 1000
"""Words whose similar words are cached: most requests have words such as `find`."""
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a all an and are as at by can for from give has have how i in is it its me my of on or please show
        that the their them there these this those to want was we what when where which who with you your
        map layer data table tables add colour color""",
    )
)


class Postings:
    """The tables that have one word, by number, with the weight of the word in each."""

    __slots__ = ("_arrays", "_weights")

    def __init__(self) -> None:
        self._weights: dict[int, float] = {}
        self._arrays: tuple[NDArray[numpy.int64], NDArray[numpy.float64]] | None = None

    def __len__(self) -> int:
        return len(self._weights)

    def put(self, number: int, weight: float) -> None:
        """Set the weight of a document."""
        self._weights[number] = weight
        self._arrays = None

    def remove(self, number: int) -> None:
        """Remove a document. Raises KeyError if it is not there."""
        del self._weights[number]
        self._arrays = None

    @property
    def arrays(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.float64]]:
        """Numbers of tables and weights."""
        if self._arrays is None:
            count = len(self._weights)
            self._arrays = (
                numpy.fromiter(self._weights, numpy.int64, count),
                numpy.fromiter(self._weights.values(), numpy.float64, count),
            )
        return self._arrays


class SearchIndex:
    """An inverted index of tables. `put` is lazy; `catch_up` or the next search indexes."""

    def __init__(self) -> None:
        self._postings: dict[str, Postings] = defaultdict(Postings)
        self._numbers: dict[str, int] = {}
        """The number of each indexed table."""
        self._documents: list[tuple[str, tuple[str, ...]]] = []
        """Id and words of each table by its number; empty for a number that is free."""
        self._free: list[int] = []
        self._waiting: dict[str, Table] = {}
        """Tables to be indexed by `catch_up`, at the latest before the next search."""
        self._forget_order()

    def _forget_order(self) -> None:
        """Drop what was computed from the indexed words and tables, because they change."""
        self._vocabulary: list[str] | None = None
        self._order: Order | None = None
        self._similar: dict[str, list[tuple[str, float]]] = {}

    def __len__(self) -> int:
        return len(self._numbers.keys() | self._waiting.keys())

    def put(self, table: Table) -> None:
        """Add a table, or replace it."""
        self._waiting[table.id] = table

    def catch_up(self, limit: int | None = None) -> None:
        """Index waiting tables, at most `limit`."""
        for table_id in list(itertools.islice(self._waiting, limit)):
            self._index(self._waiting.pop(table_id))

    def _index(self, table: Table) -> None:
        self._remove(table.id)
        weights: dict[str, float] = {}
        for word, weight in _weighted(table):
            weights[word] = max(weight, weights.get(word, 0.0))
        document = (table.id, tuple(weights))
        if self._free:
            number = self._free.pop()
            self._documents[number] = document
        else:
            number = len(self._documents)
            self._documents.append(document)
        self._numbers[table.id] = number
        for word, weight in weights.items():
            self._postings[word].put(number, weight)
        self._forget_order()

    def remove(self, table_id: str) -> None:
        """Remove a table from the index."""
        self._waiting.pop(table_id, None)
        self._remove(table_id)

    def _remove(self, table_id: str) -> None:
        number = self._numbers.pop(table_id, None)
        if number is None:
            return
        for word in self._documents[number][1]:
            self._postings[word].remove(number)
            if not self._postings[word]:
                del self._postings[word]
        self._documents[number] = ("", ())
        self._free.append(number)
        self._forget_order()

    def search(self, text: str, hidden: Set[str] = frozenset()) -> Matches:
        """All matches without the `hidden` tables; none for a text of stop words only."""
        self.catch_up()
        unknown = itertools.count(1)
        scores = numpy.zeros(len(self._documents))
        for word in dict.fromkeys(words(text)):
            scores += self._scored(self._alike(word, unknown))
        scores[[self._numbers[each] for each in hidden if each in self._numbers]] = 0.0
        return Matches(self, scores, self._ordered())

    def _scored(self, alike: Iterable[tuple[str, float]]) -> NDArray[numpy.float64]:
        """The best score of each table for one word of the query."""
        best = numpy.zeros(len(self._documents))
        for known, likeness in alike:
            numbers, weights = self._postings[known].arrays
            factor = likeness * math.log(1 + len(self._numbers) / len(numbers))
            best[numbers] = numpy.maximum(best[numbers], weights * factor)
        return best

    def _ordered(self) -> Order:
        if self._order is None:
            ids = sorted(self._numbers)
            ids.sort(key=len)
            numbers = numpy.fromiter(map(self._numbers.__getitem__, ids), numpy.int64, len(ids))
            places = numpy.zeros(len(self._documents), numpy.int64)
            places[numbers] = numpy.arange(len(ids))
            self._order = Order(numbers, places)
        return self._order

    def id_of(self, number: int) -> str:
        """The table's id."""
        return self._documents[number][0]

    def number_of(self, table_id: str) -> int | None:
        """The number of a table; None if it is not indexed."""
        return self._numbers.get(table_id)

    def _alike(self, word: str, unknown: Iterator[int]) -> Iterator[tuple[str, float]]:
        """Known words that match a word of the query, with their weights. `unknown` counts the words that are
        compared with all known ones."""
        if word in self._postings:
            yield word, EXACT
        if self._vocabulary is None:
            self._vocabulary = sorted(self._postings)
        vocabulary = self._vocabulary
        prefixed = False
        if len(word) >= 3:
            start = bisect_left(vocabulary, word)
            for known in vocabulary[start : start + MAX_PREFIX_MATCHES]:
                if not known.startswith(word):
                    break
                if known != word:
                    prefixed = True
                    yield known, PREFIX
        # A number is not a misspelling of a similar one.
        if word in self._postings or prefixed or len(word) < 4 or word.isdecimal():
            return
        if next(unknown) > MAX_UNKNOWN_WORDS:
            return
        if word not in self._similar:
            if len(self._similar) >= MAX_UNKNOWN_WORDS_KEPT:
                self._similar.clear()
            similar = process.extract(
                word, vocabulary, scorer=fuzz.ratio, limit=MAX_SIMILAR_WORDS, score_cutoff=72
            )
            self._similar[word] = [(known, SIMILAR * ratio / 100) for known, ratio, _place in similar]
        yield from self._similar[word]


@dataclass(frozen=True)
class Order:
    """The order of tables with the same score: by the length of the id, then by the id."""

    numbers: NDArray[numpy.int64]
    """The tables in this order."""
    places: NDArray[numpy.int64]
    """The place of each table, by its number."""


class Matches:
    """The tables that match a text; only as many as are asked for are sorted. Valid until the index
    changes."""

    def __init__(self, index: SearchIndex, scores: NDArray[numpy.float64], order: Order) -> None:
        """`scores` of all tables by their numbers; 0 of those that do not match."""
        self._index = index
        self._order = order
        self._scores = scores[order.numbers]

    def __len__(self) -> int:
        return int(numpy.count_nonzero(self._scores))

    def best(self, limit: int) -> list[str]:
        """Ids of the best ones, best first."""
        scores = self._scores
        if len(self) > limit:
            # Sorted, because a partition takes twenty times as long where thousands have the same score.
            least = numpy.sort(scores)[-limit]
            better, equal = numpy.flatnonzero(scores > least), numpy.flatnonzero(scores == least)
            found = numpy.concatenate((better, equal[: limit - len(better)]))
        else:
            found = numpy.flatnonzero(scores)
        found = found[numpy.argsort(-scores[found], kind="stable")]
        return [self._index.id_of(number) for number in self._order.numbers[found].tolist()]

    def place(self, table_id: str) -> int | None:
        """The place of a table in the order of all matches, from 0; None if it is not among them."""
        number = self._index.number_of(table_id)
        if number is None:
            return None
        at = self._order.places[number]
        score = self._scores[at]
        if not score:
            return None
        before = numpy.count_nonzero(self._scores > score) + numpy.count_nonzero(self._scores[:at] == score)
        return int(before)

    def fused(self, alike: Sequence[str], limit: int) -> list[str]:
        """The best of these matches and of another ranking, by reciprocal ranks (Cormack, Clarke and Büttcher 2009,
        k = 60); these win ties."""
        found = self.best(limit)
        if not alike:
            return found
        places = dict(zip(found, range(limit), strict=False))
        # No other match beyond the limit can be among the best, whatever the limit.
        places |= {each: place for each in alike if (place := self.place(each)) is not None}
        scores = {each: 1 / (60 + place) for each, place in places.items()}
        for place, each in enumerate(alike):
            scores[each] = scores.get(each, 0.0) + 1 / (60 + place)
        return sorted(scores, key=lambda each: (-scores[each], places.get(each, len(self))))[:limit]


def words_of(table: Table) -> Hashable:
    """Everything that a table is found by; the index need not change while it is equal."""
    columns = tuple((column.name, column.comment, column.samples) for column in table.columns)
    return table.id, table.comment, columns


def _weighted(table: Table) -> Iterator[tuple[str, float]]:
    yield from _each(table.name, NAME)
    yield from _each(table.schema_name, SCHEMA)
    yield from _each(table.comment, COMMENT)
    for column in table.columns:
        yield from _each(column.name, COLUMN)
        yield from _each(column.comment, COLUMN_COMMENT)
        if column.kind == "text":
            for sample in column.samples:
                yield from _each(sample, SAMPLE)


def _each(text: str | None, weight: float) -> Iterator[tuple[str, float]]:
    return ((word, weight) for word in words(text or ""))


@lru_cache(maxsize=50_000)
def words(text: str) -> tuple[str, ...]:
    """Lower-case words without accents and plural endings: `CityRoads_2020` gives `city`, `road`, `2020`."""
    spaced = re.sub(r"(?<=[a-zà-ÿ0-9])(?=[A-Z])", " ", text)
    flat = unicodedata.normalize("NFKD", spaced)
    flat = "".join(character for character in flat if not unicodedata.combining(character)).lower()
    found = re.findall(r"[^\W_]+", flat)
    return tuple(sys.intern(singular(word)) for word in found if word not in STOP_WORDS)
