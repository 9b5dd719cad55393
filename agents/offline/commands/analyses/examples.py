"""Example requests for one that was not read: the nearest phrases, with the user's own rows."""

from __future__ import annotations

from agents.domain import Table
from agents.offline.commands.analyses.analysis import AnalysisReader, Language, language_of
from agents.offline.language.cursor import cursor_of
from agents.offline.language.grammar import (
    NOTHING,
    Capture,
    Choice,
    Node,
    Part,
    Sequence_,
    Slot,
    Word,
    nodes_of,
)
from agents.offline.language.lexicon import ARTICLES
from agents.offline.language.names.singulars import shown_singular
from agents.offline.language.parts import PARTS
from agents.offline.language.reading import Unreadable
from agents.offline.language.tags import KINDS
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, name_words, word_set
from agents.offline.meaning.columns import number_columns, spoken_name
from agents.offline.meaning.features import Features
from agents.offline.meaning.filters.other_tables import GROUPS
from agents.offline.meaning.row_names import name_column, text_columns

MAX_EXAMPLES = 3
_FEW_WORDS = 4
"""In a longer request, two words of a phrase must occur: `count by type of measure` measures nothing."""
_OF_ONE = word_set("each every")
"""Words before a singular."""
COORDINATES = {"x": word_set("x lon lng longitude"), "y": word_set("y lat latitude")}
_LENGTH, _COUNT, _LENGTHS, _SURFACE, _SYSTEM = "5 km", "10", "1, 5 and 10 km", "20 ha", "EPSG:3857"


def nearest_examples(goal: str, vocabulary: Vocabulary) -> list[str]:
    """Valid requests for the operations mentioned in the goal, about the rows that it names."""
    try:
        cursor = cursor_of(goal)
    except Unreadable:
        return []
    language = language_of(vocabulary.operations)
    asked = {fold(token.text) for token in cursor.tokens}
    words = _Words(AnalysisReader(cursor, vocabulary, None, vocabulary.operations))
    found = [words.fill(node) for node in _nearest(language, asked)]
    return list(dict.fromkeys(each for each in found if each))[:MAX_EXAMPLES]


def _nearest(language: Language, asked: set[str]) -> list[Node]:
    """For each operation mentioned, its phrase with the most slots and common words."""
    best: dict[str, tuple[tuple[int, int], Node]] = {}
    enough = 1 if len(asked) <= _FEW_WORDS else 2
    for rule in language.rules:
        common = rule.template.words & asked - ARTICLES
        if (
            rule.operation
            and rule.template.first_words & language.operation_words & asked
            and len(common) >= enough
        ):
            shared = (len(rule.template.slots), len(common))
            key = rule.operation
            if key not in best or shared > best[key][0]:
                best[key] = (shared, rule.template.node)
    return [node for _, node in sorted(best.values(), key=lambda each: each[0], reverse=True)]


def _names_rows(node: Node) -> bool:
    return any(isinstance(each, Slot) and each.kind in KINDS for each in nodes_of(node))


class _Words:
    """Fills a template with rows that a request names, and with their columns."""

    def __init__(self, reader: AnalysisReader) -> None:
        bare = Slot("source", "bare")
        found = [span.value for at in range(reader.cursor.end) for span in reader.tags.spans(bare, at)]
        named = [
            each
            for each in found
            if each.mention is not None and each.where is None and not each.mention.guessed
        ]
        drawable = [table for table in reader.vocabulary.index.own if table.geometry_column is not None]
        own = reader.tags.tables_of(named[0].mention) if named else drawable
        self.table: Table | None = own[0] if own else None
        known = {id_ for each in named for id_ in self._ids(reader, each)}
        spoken = [table.name.replace("_", " ") for table in drawable if table.id not in known]
        own_words = {each.mention.tables: each.text.removeprefix("of the ") for each in reversed(named)}
        self.rows = [*reversed(own_words.values()), *spoken]
        self._inputs = 0
        self._columns: list[str] = []
        self._before: str | None = ""
        """The word or value before the current slot."""

    @staticmethod
    def _ids(reader: AnalysisReader, features: Features) -> list[str]:
        return [table.id for table in reader.tags.tables_of(features.mention)]

    def fill(self, node: Node) -> str:
        """The template in words; empty if the tables lack something for a slot."""
        self._inputs, self._columns = 0, []
        pieces = self._pieces(node)
        return " ".join(piece for piece in pieces if piece) if None not in pieces else ""

    def _pieces(self, node: Node) -> list[str | None]:
        match node:
            case Word(text):
                self._before = text
                return [text]
            case Slot(name, kind):
                return [_SYSTEM if name == "srid" else self._slot(name, kind)]
            case Capture(_, inner):
                return self._pieces(inner)
            case Part(name):
                return self._pieces(PARTS[name])
            case Choice(options):
                if NOTHING in options and not _names_rows(options[0]):
                    return []
                return self._pieces(options[0])
            case Sequence_(items):
                return [piece for item in items for piece in self._pieces(item)]

    def _slot(self, name: str, kind: str) -> str | None:
        if kind in KINDS or kind == "meant":
            self._inputs += 1
            return self._named(self.rows[self._inputs - 1]) if self._inputs <= len(self.rows) else None
        if kind in ("column", "columns"):
            return self._column(name.rpartition("_")[2], numbers=kind == "column")
        self._before = {
            "length": _LENGTH, "surface": _SURFACE, "lengths": _LENGTHS, "count": _COUNT, "then": "",
        }.get(kind)  # fmt: skip
        return self._before

    def _named(self, rows: str) -> str:
        before, space, noun = rows.removeprefix("the ").rpartition(" ")
        if self._before in _OF_ONE:
            return shown_singular(f"{before}{space}{noun}")
        return f"{before}{space}{noun}" if self._before == _COUNT else rows

    def _column(self, slot: str, *, numbers: bool) -> str | None:
        """A column that the phrase does not have yet."""
        table = self.table
        if table is None:
            return None
        if slot in COORDINATES:
            fitting = [each for each in table.columns if COORDINATES[slot] & set(name_words(each.name))]
        elif numbers:
            fitting = number_columns(table)
        else:
            fitting = [each for each in text_columns(table) if each != name_column(table)]
        columns = [each.name for each in fitting if each.name not in self._columns]
        if not columns:
            return None
        shortest = min(columns, key=lambda name: (not GROUPS & set(name_words(name)), len(name)))
        self._columns.append(shortest)
        return spoken_name(table, shortest)
