"""Searches tables by words: names, columns, comments, frequent values.

An in-process inverted index, weighted by field and by rarity of the word (idf of BM25), with prefixes and, for a word
that is not a prefix of any, the most similar known words. Because the index is in the process, a new table is found
immediately, PostgreSQL needs neither an extension nor a copy of its catalogue, and ranking 10,000 tables takes about
a millisecond."""

from __future__ import annotations

import heapq
import itertools
import math
import re
import sys
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache

from rapidfuzz import fuzz, process

from agents.domain import Table
from server.gis.catalog.gazetteer import singular

NAME, COMMENT, COLUMN, COLUMN_COMMENT, SCHEMA, SAMPLE = 8.0, 4.0, 3.0, 2.0, 1.0, 1.0
EXACT, PREFIX, SIMILAR = 1.0, 0.6, 0.5
MAX_PREFIX_MATCHES, MAX_SIMILAR_WORDS = 50, 8
MAX_UNKNOWN_WORDS = 20
"""Of a text, that are compared with all known words: each comparison takes as long as the vocabulary is large."""
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a all an and are as at by can for from give has have how i in is it its me my of on or please show
        that the their them there these this those to want was we what when where which who with you your
        map layer data table tables add colour color""",
    )
)


class SearchIndex:
    """An inverted index of tables. `put` is lazy; `catch_up` or the next search indexes."""

    def __init__(self) -> None:
        self._postings: dict[str, dict[str, float]] = defaultdict(dict)
        self._documents: dict[str, tuple[str, ...]] = {}
        self._vocabulary: list[str] | None = None
        self._waiting: dict[str, Table] = {}
        """Tables to be indexed by `catch_up`, at the latest before the next search."""

    def __len__(self) -> int:
        return len(self._documents.keys() | self._waiting.keys())

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
        for word, weight in weights.items():
            self._postings[word][table.id] = weight
        self._documents[table.id] = tuple(weights)
        self._vocabulary = None

    def remove(self, table_id: str) -> None:
        self._waiting.pop(table_id, None)
        self._remove(table_id)

    def _remove(self, table_id: str) -> None:
        for word in self._documents.pop(table_id, ()):
            del self._postings[word][table_id]
            if not self._postings[word]:
                del self._postings[word]
        self._vocabulary = None

    def search(self, text: str, limit: int, hidden: Set[str] = frozenset()) -> list[str]:
        """Ids of the best matches, best first, without the `hidden` ones. Empty for a text of stop words only."""
        self.catch_up()
        unknown = itertools.count(1)
        asked = [list(self._alike(word, unknown)) for word in dict.fromkeys(words(text))]
        asked.sort(key=lambda alike: sum(len(self._postings[known]) for known, _likeness in alike))
        scores: dict[str, float] = {}
        for alike in asked:
            # Rare words select the candidates; frequent words only order them.
            few = scores if len(scores) >= limit else None
            for table_id, score in self._scored(alike, few).items():
                if table_id not in hidden:
                    scores[table_id] = scores.get(table_id, 0.0) + score
        return heapq.nsmallest(
            limit, scores, key=lambda table_id: (-scores[table_id], len(table_id), table_id)
        )

    def _scored(
        self, alike: Iterable[tuple[str, float]], candidates: Mapping[str, float] | None
    ) -> dict[str, float]:
        """The best score of each table for one word of the query."""
        best: dict[str, float] = {}
        for known, likeness in alike:
            postings = self._postings[known]
            factor = likeness * math.log(1 + len(self._documents) / len(postings))
            if candidates is not None and len(candidates) < len(postings):
                found: Iterable[tuple[str, float]] = ((each, postings.get(each, 0.0)) for each in candidates)
            else:
                found = postings.items()
            for table_id, weight in found:
                if weight * factor > best.get(table_id, 0.0):
                    best[table_id] = weight * factor
        return best

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
        if word in self._postings or prefixed or len(word) < 4:
            return
        if next(unknown) <= MAX_UNKNOWN_WORDS:
            for known, ratio, _place in process.extract(
                word, vocabulary, scorer=fuzz.ratio, limit=MAX_SIMILAR_WORDS, score_cutoff=72
            ):
                yield known, SIMILAR * ratio / 100


def fused(rankings: Sequence[Sequence[str]], limit: int) -> list[str]:
    """One ranking of several, by reciprocal ranks (Cormack, Clarke and Büttcher 2009, k = 60); the first wins ties."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, table_id in enumerate(ranking):
            scores[table_id] = scores.get(table_id, 0.0) + 1 / (60 + place)
    return sorted(scores, key=lambda table_id: -scores[table_id])[:limit]


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
