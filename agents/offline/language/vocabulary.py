"""The words that the person's own data adds to the language: tables, layers on the map, columns.

Built from the live registry and the map for every request; the index of tables is kept until the registry's
version changes. All matching is on folded singular words, longest match first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from agents.core.model import ToolSpec
from agents.domain import Column, Layer, Table
from agents.offline.language.lexicon import MEASURE_OF_NOUN, MEASURES
from agents.offline.language.words import fold, misspelt, name_words, singular, word_set
from agents.ports import OperationInfo, TableRegistry
from agents.units import COLUMN_ENDINGS, UNITS

T = TypeVar("T")
Words = tuple[str, ...]

_LONGEST = 6
_FEW_TABLES = 500
_MOST_SAMPLED = 100
_MOST_MEANT = 50
"""Where a name means more tables than that, which one is asked before columns matter; those of the others are not
compared."""
RESULTS = "analysis"
"""The schema of analysis results. They are known by their ids only, and by their layers' names: each step of
an analysis adds one, and the words of a request must not change their meaning under way."""
_HEAD_ENDS = word_set("""
    of with in from for by at on per that which where and or as is are to the a an above below over
    under between
""")
UNIT_WORDS = {singular(word) for word in COLUMN_ENDINGS if UNITS[word].dimension != "time"} | {"deg"}
"""Units as words of a column's name. `year` is a measure there."""
_DULL = word_set("table data layer feature row column value number name type list of all each one")


@dataclass(frozen=True, slots=True)
class Match(Generic[T]):
    """The first `length` of the words given mean one of `found`."""

    length: int
    found: tuple[T, ...]
    guessed: bool = False


class TableIndex:
    """Tables by the words of their names, and failing that of their comments."""

    def __init__(self, tables: Sequence[Table], shared: TableIndex | None = None) -> None:
        """`shared` is the index of some of the tables, which is not made again."""
        self.tables = tables
        self.own = tuple([table for table in tables if table.schema_name != RESULTS])
        self.by_id = {table.id: table for table in tables}
        self._shared = shared
        self._exact: dict[Words, list[Table]] = defaultdict(list)
        self._by_word: dict[str, list[Table]] = defaultdict(list)
        self._by_comment: dict[str, list[Table]] = defaultdict(list)
        for table in tables if shared is None else [each for each in tables if each.id not in shared.by_id]:
            words = name_words(table.name)
            self._exact[name_words(table.id)].append(table)
            if table.schema_name == RESULTS:
                continue
            self._exact[words].append(table)
            for word in set(words):
                self._by_word[word].append(table)
            for word in set(_head(table.comment)) - _DULL:
                self._by_comment[word].append(table)

    @cached_property
    def by_value(self) -> Mapping[Words, Sequence[tuple[Table, str, str]]]:
        """The most common values of text columns by their words, with table and column; of few tables only."""
        found: dict[Words, list[tuple[Table, str, str]]] = defaultdict(list)
        for table in self.own if len(self.own) <= _MOST_SAMPLED else ():
            for column in table.columns:
                for sample in column.samples if column.kind == "text" else ():
                    found[name_words(sample)].append((table, column.name, sample))
        return found

    def match(self, words: Words) -> Match[Table] | None:
        """The longest run of words, from the first on, that names a table."""
        longest = min(_LONGEST, len(words))
        for length in range(longest, 0, -1):
            part = words[:length]
            found = {table.id: table for table in self._exactly(part)}
            if found:
                return Match(length, tuple(found.values()))
            if length > 1 and (holding := self._holding(part)):
                return Match(length, holding)
        single = words[:1]
        if single and single[0] not in _DULL and (holding := self._holding(single)):
            return Match(1, holding)
        if words and len(words[0]) > 2:
            commented = self._commented(words[0])
            if commented:
                return Match(1, tuple(commented))
        return None

    def _exactly(self, words: Words) -> Sequence[Table]:
        found = self._exact.get(words, ())
        return (*self._shared._exactly(words), *found) if self._shared is not None else found

    def _worded(self, word: str) -> Sequence[Table]:
        """Tables with this word in their names."""
        found = self._by_word.get(word, ())
        return (*self._shared._worded(word), *found) if self._shared is not None else found

    def _commented(self, word: str) -> Sequence[Table]:
        found = self._by_comment.get(word, ())
        return (*self._shared._commented(word), *found) if self._shared is not None else found

    def _holding(self, part: Words) -> tuple[Table, ...]:
        """Tables with these words in a row in their names."""
        rarest = min((self._worded(word) for word in part), key=len)
        if len(part) == 1:
            return tuple(rarest)
        return tuple(table for table in rarest if _contains(name_words(table.name), part))

    def guess(self, word: str) -> Match[Table] | None:
        """The table that a word is plainly a typing mistake of."""
        if len(self.tables) > 2000:
            return None
        right = misspelt(word, [*(self._shared._by_word if self._shared is not None else ()), *self._by_word])
        found = self.match((right,)) if right else None
        return Match(1, found.found, guessed=True) if found else None


_INDEXES: WeakKeyDictionary[TableRegistry, tuple[int, TableIndex]] = WeakKeyDictionary()
_SHARED: list[TableIndex] = []
"""The index of the tables that every map may read, as they were last asked for."""


def table_index(registry: TableRegistry) -> TableIndex:
    """The index of the names of a registry's tables, kept for each version of the registry."""
    kept = _INDEXES.get(registry)
    if kept is not None and kept[0] == registry.version:
        return kept[1]
    version, shared, tables = registry.version, registry.shared(), registry.tables()
    if not _SHARED or _SHARED[0].tables is not shared:
        _SHARED[:] = [TableIndex(shared)]
    index = _SHARED[0] if tables is shared else TableIndex(tables, _SHARED[0])
    _INDEXES[registry] = (version, index)
    return index


class Vocabulary:
    """Everything that can be named in one request."""

    def __init__(
        self,
        registry: TableRegistry,
        layers: Sequence[Layer],
        operations: Sequence[OperationInfo] = (),
        tools: Sequence[ToolSpec] = (),
    ) -> None:
        """`operations` are those that an analysis may have; their phrases and those of `tools` are part of the
        language."""
        self.operations = operations
        self.tools = tools
        self.index = table_index(registry)
        self.layers = tuple(layers)
        self._tables = self.index.by_id
        self._matched: dict[Words, Match[Table] | None] = {}

    @property
    def few_tables(self) -> tuple[Table, ...]:
        """All tables but results, where there are few enough to look through every column."""
        return self.index.own if len(self.index.own) <= _FEW_TABLES else ()

    def table(self, table_id: str) -> Table | None:
        return self._tables.get(table_id)

    def layer(self, layer_id: str) -> Layer | None:
        return next((layer for layer in self.layers if layer.id == layer_id), None)

    def match_table(self, words: Words) -> Match[Table] | None:
        """As the index; the same words are asked for at each way to read a request."""
        if words not in self._matched:
            self._matched[words] = self.index.match(words)
        return self._matched[words]

    def match_value(self, words: Words) -> tuple[Table, str, str] | None:
        """The one table, its column and value that the noun names: `oaks` are trees of the species `Oak`."""
        found = self.index.by_value.get(words, ())
        return found[0] if len(found) == 1 else None

    def match_layer(self, words: Words) -> Match[Layer] | None:
        """By the layer's own name or id, else by the name of its table."""
        for names in (self._own_names, self._table_names):
            best: dict[int, list[Layer]] = defaultdict(list)
            for layer in self.layers:
                length = max((_prefix(words, name) for name in names(layer)), default=0)
                if length:
                    best[length].append(layer)
            if best:
                length = max(best)
                return Match(length, tuple(best[length]))
        return None

    def match_column(self, tables: Sequence[Table], words: Words) -> Match[str] | None:
        """The longest run of words that names a column of any of the tables; the surest kind of match counts."""
        for length in range(min(_LONGEST, len(words)), 0, -1):
            found = columns_called(tables, words[:length])
            if found:
                return Match(length, tuple(found))
        return None

    @staticmethod
    def _own_names(layer: Layer) -> Iterable[Words]:
        return (name_words(layer.name), name_words(layer.id))

    def _table_names(self, layer: Layer) -> Iterable[Words]:
        if layer.table.startswith(f"{RESULTS}."):
            return ()
        table = self._tables.get(layer.table)
        name = table.name if table else layer.table.rsplit(".", 1)[-1]
        words = name_words(name)
        return (words, name_words(layer.table), *((word,) for word in words if word not in _DULL))


def columns_called(tables: Sequence[Table], words: Words) -> list[str]:
    """Names of columns that the words mean: whole name, name without unit, part of it, measure, comment."""
    described = {
        (column.name, column.kind, column.comment): column
        for table in tables[:_MOST_MEANT]
        for column in table.columns
        if column.kind != "geometry"
    }
    columns = list(described.values())
    for fits in (_is_name, _is_name_without_unit, _is_part_of_name, _is_measure, _is_in_comment):
        found = [column for column in columns if fits(column, words)]
        if found:
            return _closest(found)
    return []


def measure_columns(table: Table, measure: str) -> list[str]:
    """Numeric (or date) columns that hold a measure, in the order of the measure's own words; the best tier only."""
    wanted = ("integer", "number", "date", "timestamp") if measure == "time" else ("integer", "number")
    columns = [column for column in table.columns if column.kind in wanted and column.name not in table.key]
    for word in MEASURES.get(measure, ()):
        found = [column for column in columns if word in name_words(column.name)]
        if found:
            return _closest(found)
    return []


def _closest(columns: Sequence[Column]) -> list[str]:
    """Those whose names say least besides: `population` before `population_density`."""
    lengths = {
        column.name: len([w for w in name_words(column.name) if w not in UNIT_WORDS]) for column in columns
    }
    return _unique(column.name for column in columns if lengths[column.name] == min(lengths.values()))


def _is_name(column: Column, words: Words) -> bool:
    return name_words(column.name) == words


def _is_name_without_unit(column: Column, words: Words) -> bool:
    name = name_words(column.name)
    return len(name) > 1 and name[-1] in UNIT_WORDS and name[:-1] == words


def _is_part_of_name(column: Column, words: Words) -> bool:
    return _contains(name_words(column.name), words) and words[0] not in UNIT_WORDS


def _is_measure(column: Column, words: Words) -> bool:
    if len(words) != 1 or column.kind not in ("integer", "number", "date", "timestamp"):
        return False
    measure = MEASURE_OF_NOUN.get(words[0])
    return measure is not None and any(word in name_words(column.name) for word in MEASURES[measure])


def _is_in_comment(column: Column, words: Words) -> bool:
    return len(words[0]) > 2 and words[0] not in _DULL and _contains(_head(column.comment), words)


@lru_cache(maxsize=65536)
def _head(comment: str | None) -> Words:
    """The words of a comment up to its first preposition: `Airports of the world` -> airport."""
    head: list[str] = []
    for word in re.findall(r"[^\W_]+|[.,;:(]", fold(comment or ""))[:12]:
        if (word in _HEAD_ENDS or not word[0].isalnum()) and head:
            break
        if word not in _HEAD_ENDS and word[0].isalnum():
            head.extend(name_words(word))
    return tuple(head)


def _contains(name: Words, part: Words) -> bool:
    size = len(part)
    return any(name[at : at + size] == part for at in range(len(name) - size + 1))


def _prefix(words: Words, name: Words) -> int:
    return len(name) if name and words[: len(name)] == name else 0


def _unique(items: Iterable[T]) -> list[T]:
    found: list[T] = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
