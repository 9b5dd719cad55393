"""The words that the user's data adds to the language: tables, layers, columns, values.

Built from the registry and the map for each request; the table index is kept until the registry's version
changes. Matching uses folded singular words, longest match first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from agents.core.model import ToolSpec
from agents.domain import Layer, Table
from agents.offline.language.conditions.flags import tables_by_flag
from agents.offline.language.lexicon import names_alike, nouns_of_riders, synonyms_of
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.comments import DULL, codes_of, joint_name, same_states
from agents.offline.language.names.costs import (
    COUNTS,
    are_of_other_years,
    word_cost,
)
from agents.offline.language.names.rows import cost_of_rows, names_rows, nouns_of_rows
from agents.offline.language.reading import Unhashed
from agents.offline.language.words import fold, misspelt, name_words, naming_places, words_of_things
from agents.ports import OperationInfo, TableRegistry
from agents.result_rows import rows_of
from agents.shared_tables import KeptForShared, merged

T = TypeVar("T")
Words = tuple[str, ...]
Value = tuple[Table, str, str]
"""A value: its table, the name of its column, and the text."""

_LONGEST, _FEW_TABLES, _MOST_SAMPLED = 6, 500, 100
_PERIODS = frozenset(("year", "quarter", "month", "week"))
_MOST_COMPARED = 100
"""Maximum number of tables with the same noun whose further words are compared."""
RESULTS = "analysis"
"""Schema of analysis results, which are known only by id and by their layers' names: each step adds one, and the
words of a request must not change meaning in between."""


@dataclass(frozen=True, slots=True)
class Match(Generic[T]):
    """The first `length` words mean one of `found`."""

    length: int
    found: tuple[T, ...]
    guessed: bool = False


class TableIndex:
    """Tables by words of their names, else of their comments."""

    def __init__(self, tables: Sequence[Table], shared: TableIndex | None = None) -> None:
        """Index `tables` on top of the index `shared`."""
        self.by_id = {table.id: table for table in tables}
        self.own = tuple([table for table in tables if table.schema_name != RESULTS])
        if shared is not None:
            self.by_id = {**shared.by_id, **self.by_id}
            self.own = merged(shared.own, self.own)
        self._shared = shared
        self._exact: dict[Words, list[Table]] = defaultdict(list)
        self._by_noun: dict[str, dict[float, list[Table]]] = defaultdict(dict)
        for table in tables:
            self._exact[name_words(table.id)].append(table)
            if table.schema_name == RESULTS:
                continue
            for called in {words := name_words(table.name), ("".join(words),), joint_name(table.comment)}:
                self._exact[called].append(table)
            for noun, cost in nouns_of_rows(table).items():
                self._by_noun[noun].setdefault(cost, []).append(table)

    @cached_property
    def by_value(self) -> Mapping[Words, Sequence[Value]]:
        """Common values of text columns by their words; empty if there are many tables."""
        if self._shared is not None and self.own is self._shared.own:
            return self._shared.by_value
        found: dict[Words, list[Value]] = defaultdict(list)
        for table in self.own if len(self.own) <= _MOST_SAMPLED else ():
            for column in table.columns:
                for sample in column.samples if column.kind == "text" else ():
                    for words in {name_words(sample), *((noun,) for noun in nouns_of_riders(fold(sample)))}:
                        found[words].append((table, column.name, sample))
                for words, codes in codes_of(column).items():
                    found[words].append((table, column.name, codes[0]))
                for word, value in same_states(column).items():
                    found[(word,)].append((table, column.name, value))
        return found

    @cached_property
    def by_flag(self) -> Mapping[str, Sequence[Table]]:
        """Tables by nouns of their yes/no columns; empty if there are many tables."""
        if self._shared is not None and self.own is self._shared.own:
            return self._shared.by_flag
        return tables_by_flag(self.own if len(self.own) <= _FEW_TABLES else ())

    @cached_property
    def by_last_word(self) -> Mapping[str, Sequence[Value]]:
        """Values that name a kind, by their last word: `Bur oak` and `Red oak` by `oak`."""
        found: dict[str, list[Value]] = defaultdict(list)
        for each in (value for values in self.by_value.values() for value in values):
            if (noun := _last_word(each)) and names_rows(*each):
                found[noun].append(each)
        return found

    def match(self, words: Words) -> Match[Table] | None:
        """The longest run of words, from the first on, that names a table."""
        longest = min(_LONGEST, len(words))
        for length in range(longest, 0, -1):
            part = words[:length]
            found = {table.id: table for table in self._exactly(part)}
            if found:
                return Match(length, tuple(found.values()))
            meant = self._meant(part) if length > 1 or part[0] not in DULL else ()
            if meant:
                return Match(length, tuple(meant))
        return None

    def _meant(self, part: Words) -> Sequence[Table]:
        """The tables whose rows the words match at the lowest cost."""
        called = self._called(part[-1])
        if len(part) == 1:
            found = called[min(called)] if called else []
            named = [table for table in found if name_words(table.name)[-1] == part[0]]
            return named or found  # `surveys`, not `survey_sites`
        tables = [table for each in called.values() for table in each]
        costs = (
            [(cost_of_rows(table, part), table) for table in tables] if len(tables) <= _MOST_COMPARED else []
        )
        least = min((cost for cost, _ in costs if cost is not None), default=None)
        return [table for cost, table in costs if cost is not None and cost == least]

    def _exactly(self, words: Words) -> Sequence[Table]:
        found = self._exact.get(words, ())
        return (*self._shared._exactly(words), *found) if self._shared is not None else found

    def _called(self, noun: str) -> dict[float, list[Table]]:
        """Tables whose rows have this noun, by cost."""
        found = self._by_noun.get(noun, {})
        shared = self._shared._called(noun) if self._shared is not None else {}
        return {cost: [*shared.get(cost, ()), *found.get(cost, ())] for cost in {*shared, *found}}

    def others_called(self, noun: str, table: Table) -> Sequence[Table]:
        """Further tables with the noun in their names."""
        return [each for each in self._called(noun).get(0.0, ()) if each.id != table.id]

    def guess(self, word: str) -> Match[Table] | None:
        """The table whose name is a synonym of the word, or that the word clearly misspells."""
        if len(self.by_id) > 2000:
            return None
        same = {
            table.id: table
            for noun in synonyms_of(word)
            for table in self._called(noun).get(0.0, ())
            if noun != word and names_alike(words_of_things(table.name), noun)
        }
        if same:
            return Match(1, tuple(same.values()), guessed=True)
        known = [*(self._shared._by_noun if self._shared is not None else ()), *self._by_noun]
        right = misspelt(word, known)
        found = self.match((right,)) if right else None
        return Match(1, found.found, guessed=True) if found else None


def _last_word(value: Value) -> str:
    """The last word of a value of several words; else empty."""
    before, _, last = value[2].casefold().rpartition(" ")
    return last if before else ""


_INDEXES: WeakKeyDictionary[TableRegistry, tuple[int, TableIndex]] = WeakKeyDictionary()
_shared_index = KeptForShared(TableIndex)


def table_index(registry: TableRegistry) -> TableIndex:
    """The index of a registry's tables, cached per version of the registry."""
    kept = _INDEXES.get(registry)
    if kept is not None and kept[0] == registry.version:
        return kept[1]
    version, shared, own = registry.version, _shared_index(registry.shared()), registry.own()
    index = TableIndex(own, shared) if own else shared
    _INDEXES[registry] = (version, index)
    return index


class Vocabulary:
    """All names that one request can use."""

    def __init__(
        self,
        registry: TableRegistry,
        layers: Sequence[Layer],
        operations: Sequence[OperationInfo] = (),
        tools: Sequence[ToolSpec] = (),
    ) -> None:
        """`operations` are those available to analyses; their phrases and those of `tools` belong to the
        language."""
        self.operations = operations
        self.tools = tools
        self.index = table_index(registry)
        self.layers = tuple(layers)
        self._tables = self.index.by_id
        self._matched: dict[Words, Match[Table] | None] = {}
        self._layers_matched: dict[Words, Match[Layer] | None] = {}
        self._columns: dict[tuple[tuple[str, ...], Words], tuple[str, ...]] = {}
        self._values: dict[Words, list[Value]] = {}
        self.partial_nouns: set[str] = set()  # nouns that only some rows have

    @property
    def state(self) -> Unhashed:
        """All that reading an analysis depends on, besides the index; reading a command depends on tools, too."""
        values = [(each[0].id, *each[1:]) for found in self._values.values() for each in found]
        return Unhashed((self.layers, self.operations, values, set(self.partial_nouns)))

    @property
    def few_tables(self) -> tuple[Table, ...]:
        """All tables except results, if they are few enough to search every column."""
        return self.index.own if len(self.index.own) <= _FEW_TABLES else ()

    def table(self, table_id: str) -> Table | None:
        return self._tables.get(table_id)

    def tables(self, ids: Sequence[str]) -> tuple[Table, ...]:
        """The tables with these ids that exist."""
        return tuple([self._tables[table_id] for table_id in ids if table_id in self._tables])

    def layer(self, layer_id: str) -> Layer | None:
        return next((layer for layer in self.layers if layer.id == layer_id), None)

    def layers_with(self, tables: Sequence[str]) -> list[Layer]:
        """The layers of these tables, else the layers of results with rows of these tables."""
        own = [layer for layer in self.layers if layer.table in tables]
        results = {each.id for each in self._tables.values() if each.is_result and rows_of(each) in tables}
        return own or [layer for layer in self.layers if layer.table in results]

    def match_table(self, words: Words) -> Match[Table] | None:
        """Cached `TableIndex.match`."""
        if words not in self._matched:
            self._matched[words] = self.index.match(words)
        return self._matched[words] if self.partial_nouns.isdisjoint(words[:1]) else None

    def tables_called(self, text: str) -> tuple[Table, ...]:
        """The tables that a whole text names, without a typing mistake."""
        words = name_words(text)
        found = self.match_table(words)
        return found.found if found is not None and found.length == len(words) and not found.guessed else ()

    def match_value(self, words: Words, among: Collection[Table] = ()) -> Value | None:
        """The only table, column and value that the noun means, of these tables if one of them has rows of that kind:
        `oaks` are trees of the species `Oak`."""
        known = self.values_called(words)
        called = [each for each in known if each[0] in among and names_rows(*each)] or known
        found = [each for each in called if names_rows(*each)] or called  # not the city of Red Deer
        if len({table.id for table, _, _ in found}) > 1:
            return None
        names = [name_words(column) for _, column, _ in found]
        shortest = min(names, key=len, default=())  # prefers `crop` to `crop_prev`
        plain = [each for each, own in zip(found, names, strict=True) if own == shortest]
        is_sure = all(name[: len(shortest)] == shortest for name in names)
        return plain[0] if len(plain) == 1 and is_sure else None

    def match_group(self, *words: str) -> Value | None:
        """The only table and column with values that end with these words, and one of them: `oaks` are bur oaks and red
        oaks. None if a table, a value of it or a kind has this name."""
        noun = words[-1]
        looked_up = [each for values in self._values.values() for each in values if _last_word(each) == noun]
        found = [*self.index.by_last_word.get(noun, ()), *(each for each in looked_up if names_rows(*each))]
        found = [each for each in found if len(words) == 1 or name_words(each[2])[-len(words) :] == words]
        columns = {(table.id, column) for table, column, _ in found}
        tables = {table for table, _ in columns}
        values = [each for each in self.values_called(words) if not each[2].isupper()]
        called_so = any(each[0].id in tables or names_rows(*each) for each in values)
        return found[0] if len(columns) == 1 and not called_so and not self.match_table(words) else None

    def names_rows_by_value(self, words: Words) -> bool:
        """Whether a noun means the rows with a value, or with values that end with it: `hydrants` of fittings."""
        group = self.match_group(words[0]) if len(words) == 1 else None
        return group is not None or any(names_rows(*each) for each in self.values_called(words))

    def values_called(self, words: Words) -> Sequence[Value]:
        """Values with these words, also `water in the street` for “water in street”, that are common or looked up."""
        words = tuple([word for word in words if word != "the"]) if "the" in words[1:-1] else words
        return self.index.by_value.get(words, self._values.get(words, ()))

    def know_values(self, values: Iterable[Value]) -> None:
        """Add values that were looked up for the request, each once."""
        for value in values:
            known = self._values.setdefault(name_words(value[2]), [])
            known += [value] if value not in known else []

    def knowing(self, other: Vocabulary) -> Vocabulary:
        """This vocabulary with what was looked up for another one."""
        self._values, self.partial_nouns = other._values, other.partial_nouns
        return self

    @property
    def looked_up(self) -> frozenset[str]:
        """The words of values that were looked up."""
        return frozenset(word for words in self._values for word in words)

    def match_layer(self, words: Words) -> Match[Layer] | None:
        """Layers by their own name or id, else by their table's name."""
        if words not in self._layers_matched:
            self._layers_matched[words] = self._match_layer(words)
        return self._layers_matched[words]

    def _match_layer(self, words: Words) -> Match[Layer] | None:
        for names in (lambda layer: (name_words(layer.name), name_words(layer.id)), self._table_names):
            best: dict[int, list[Layer]] = defaultdict(list)
            for layer in self.layers:
                length = max((len(name) for name in names(layer) if words[: len(name)] == name), default=0)
                if length:
                    best[length].append(layer)
            if best:
                length = max(best)
                return Match(length, tuple(best[length]))
        return None

    def match_column(self, tables: Sequence[Table], words: Words) -> Match[str] | None:
        """The longest run of words that names a column of the tables; the best kind of match wins."""
        ids = tuple([table.id for table in tables])
        lengths = range(min(_LONGEST, len(words)), 0, -1)
        found = (
            (length, self._called(ids, tables, words[:length]))
            for length in lengths
            if not self._says_more(tables, words, length)
        )
        match = next((Match(length, names) for length, names in found if names), None)
        if match is None or are_of_other_years(match.found, words[match.length :]):
            return None
        return None if self._is_whole_value(ids, words[: match.length], match.found) else match

    def _is_whole_value(self, tables: Sequence[str], words: Words, columns: Sequence[str]) -> bool:
        """Whether several words are a value, and no column is called exactly so: `play structure`, not “Shade
        structure” of playgrounds."""
        is_value = len(words) > 1 and any(table.id in tables for table, _, _ in self.values_called(words))
        return is_value and words not in map(name_words, columns)

    def _says_more(self, tables: Sequence[Table], words: Words, length: int) -> bool:
        """Whether the run goes beyond a column: `last` of `checked last year`, `of schools` of `pupils of schools`."""
        *before, last = words[:length]
        if last in ("last", "this"):
            return bool(words[length : length + 1]) and words[length] in _PERIODS
        match = self.match_table((last,)) if before[-1:] == ["of"] else None
        return match is not None and not match.guessed and bool({*match.found} & {*tables})

    def columns_called(self, tables: Sequence[Table], text: str) -> tuple[str, ...]:
        """The columns of the tables that match all the words."""
        words = name_words(text)
        known = words and len(words) <= _LONGEST
        return self._called(tuple([table.id for table in tables]), tables, words) if known else ()

    def _called(self, ids: tuple[str, ...], tables: Sequence[Table], words: Words) -> tuple[str, ...]:
        """Cached look-up of columns by words."""
        key = (ids, words)
        if key not in self._columns:
            found = self._without_other_rows(tables, words, columns_called(tables, words))
            if not found and len(words) == 1 and self.match_table(words) is None:
                others = {(noun,) for noun in synonyms_of(words[0])}
                texts = {each.name: each for table in tables for each in table.columns if each.kind == "text"}
                found = [name for name in texts if name_words(name) in others]
            self._columns[key] = tuple(found)
        return self._columns[key]

    def _without_other_rows(self, tables: Sequence[Table], words: Words, found: list[str]) -> list[str]:
        """The columns, but none that its comment calls like another table and its name does not: `trees` are not “Tree
        canopy cover”, nor `ev chargers` the column `plan_ev_2030`; but `n_pup` counts “Pupils enrolled”."""
        match = self.match_table(words) if found else None
        if match is None or match.guessed or match.length < len(words) or {*match.found} & {*tables}:
            return found

        def names_all(own: Words) -> bool:
            return all(any(word_cost(each, word, several=True) is not None for each in own) for word in words)

        return [name for name in found if COUNTS & {*(own := name_words(name))} or names_all(own)]

    def show_part(self, tables: Collection[str]) -> bool:
        """Whether a layer shows only a part of one of the tables."""
        return any(each.table in tables and each.filter is not None for each in self.layers)

    def is_named(self, words: Words) -> bool:
        """Whether the words begin with the name of a table or of a layer."""
        return bool(words) and (self.match_table(words) is not None or self.match_layer(words) is not None)

    def _table_names(self, layer: Layer) -> Iterable[Words]:
        if layer.table.startswith(f"{RESULTS}."):
            return ()
        table = self._tables.get(layer.table)
        name = table.name if table else layer.table.rsplit(".", 1)[-1]
        words = name_words(name)
        nouns = (words[at] for at in sorted(naming_places(name)))
        return (words, name_words(layer.table), *((word,) for word in nouns if word not in DULL))
