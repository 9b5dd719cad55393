"""Commands read by templates: each module has its templates, their meanings and plans.

A reading ends where a command may end; the longest wins, and the cheapest of equally long ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from agents.domain import Table
from agents.offline.language.chart import Chart, TemplateIndex
from agents.offline.language.cursor import Cursor
from agents.offline.language.grammar import Template, compiled, words_of_templates
from agents.offline.language.lexicon import COLOURS
from agents.offline.language.parts import PARTS
from agents.offline.language.reading import Ambiguous
from agents.offline.language.tags import Tags
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import Mention, parts_of, without_wording
from agents.offline.meaning.individuals import with_all_people
from agents.offline.meaning.intents import Intent, UseTool
from agents.offline.meaning.scene import chosen_option

T = TypeVar("T")
Means = Callable[[Mapping[str, Any], Vocabulary], Intent | None]
M = TypeVar("M", bound=Means)


@dataclass(frozen=True, slots=True)
class Command:
    """A template; `means` makes the intent from a reading's bindings, or None if they make no sense."""

    template: Template
    means: Means
    cost: float = 0.0


def command(text: str, means: Means, cost: float = 0.0) -> Command:
    """A command with a template; higher costs make it less likely."""
    return Command(compiled(text), means, cost)


class Commands(list[Command]):
    """The commands of a module."""

    def on(self, *texts: str, cost: float = 0.0) -> Callable[[M], M]:
        """Adds a command for each template, which means what the decorated function makes of it."""

        def added(means: M) -> M:
            self.extend(command(text, means, cost) for text in texts)
            return means

        return added


def tables_of(mention: Mention | None, vocabulary: Vocabulary) -> tuple[Table, ...]:
    """The mentioned tables, directly or by layers; for `them`, or None, those on the map."""
    shown = [
        each.table
        for each in vocabulary.layers
        if mention is None or mention.pronoun or each.id in mention.layers
    ]
    return vocabulary.tables([*dict.fromkeys([*(mention.tables if mention is not None else ()), *shown])])


def mentions_having(words: Sequence[str], vocabulary: Vocabulary) -> Iterator[tuple[Mention, list[Table]]]:
    """The tables with columns called so, best first: those on the map, then any.

    The result of an analysis with a single row, such as a ring around a city, comes last.
    """
    shown = [
        table for each in reversed(vocabulary.layers) if (table := vocabulary.table(each.table)) is not None
    ]
    single = [table for table in shown if table.is_result and table.row_estimate == 1]
    for tables in ([table for table in shown if table not in single], vocabulary.few_tables, single):
        having = [
            table for table in tables if all(vocabulary.columns_called((table,), each) for each in words)
        ]
        columns = [name for each in words for name in vocabulary.columns_called(having, each)]
        having = list({table.id: table for table in with_all_people(having, columns)}.values())
        if having:
            ids = tuple(table.id for table in having)
            layers = tuple(layer.id for layer in vocabulary.layers if layer.table in ids)
            yield Mention("it", ids, layers), having


def row_column(vocabulary: Vocabulary, row: str, column: str) -> tuple[Table, str] | None:
    """The table whose rows have this name, and its only numeric column of that name."""
    found = vocabulary.tables_called(row)
    if len(found) != 1:
        return None
    (table,) = found
    called = vocabulary.columns_called((table,), column)
    names = [each.name for each in table.columns if each.name in called and is_number(each)]
    return (table, names[0]) if len(names) == 1 else None


def by_distinct_name(meanings: Sequence[T], *namings: Callable[[T], str]) -> dict[str, T]:
    """The meanings by name, using the first naming that tells them all apart."""
    for name in namings:
        named = {" ".join(re.sub(r"[()]", " ", name(each)).split()): each for each in meanings}
        if len(named) == len(meanings):
            break
    return named


def _described(intent: Intent) -> str:
    name = intent.tool if isinstance(intent, UseTool) else type(intent).__name__
    return name.replace("_", " ").lower()


def _in_full(intent: Intent) -> str:
    held = (
        str(each)
        for each in parts_of(intent)
        if isinstance(each, str | int | float) and not isinstance(each, bool) and each != 0
    )
    words = dict.fromkeys((_described(intent), *held))
    return " ".join(" ".join(re.findall(r"\w+", each)) for each in words)


class TemplateReader:
    """Reads templates from a cursor; `limits` are template words before which a value may end."""

    def __init__(
        self, cursor: Cursor, vocabulary: Vocabulary, default: Table | None, limits: frozenset[str]
    ) -> None:
        start = cursor.at
        self.cursor = cursor
        self.vocabulary = vocabulary
        self.tags = Tags(cursor, vocabulary, default, limits)
        cursor.at = start
        self.chart = Chart(cursor.words, self.tags.spans, PARTS, self.text)

    def text(self, start: int, end: int) -> str:
        """The original text between two tokens."""
        before, self.cursor.at = self.cursor.at, end
        text = self.cursor.since(start)
        self.cursor.at = before
        return text

    def chosen(self, meanings: Mapping[str, T]) -> T:
        """The only meaning, or the one that the request chooses. Raises Ambiguous."""
        name = next(iter(meanings)) if len(meanings) == 1 else chosen_option([*meanings], self.cursor.meant)
        if name is None:
            raise Ambiguous(meanings)
        return meanings[name]


class CommandSet:
    """Commands that are read together, with their precomputed limits and index."""

    def __init__(self, commands: Sequence[Command]) -> None:
        self.limits = words_of_templates(tuple([each.template.text for each in commands])) | COLOURS
        self.by_word = TemplateIndex(((each.template.node, each) for each in commands), PARTS)


class CommandReader(TemplateReader):
    """Reads one command from a cursor."""

    def __init__(
        self, cursor: Cursor, vocabulary: Vocabulary, default: Table | None, commands: CommandSet
    ) -> None:
        super().__init__(cursor, vocabulary, default, commands.limits)
        self.commands = commands.by_word.readable(frozenset(cursor.words))

    def read(self, may_end: Callable[[], bool]) -> Intent | None:
        """The command that begins here, with the cursor behind it; calls `may_end` with the cursor at each possible
        end.

        Raises Ambiguous, with the cursor behind the words, if two commands are equally likely.
        """
        start = self.cursor.at
        found: list[tuple[int, float, Intent]] = []
        for each in self.commands:
            for edge in self.chart.read_whole(each.template.node, start):
                self.cursor.at = edge.end
                if edge.end > start and may_end():
                    intent = each.means(dict(edge.bindings), self.vocabulary)
                    if intent is not None:
                        found.append((-edge.end, edge.cost + each.cost, intent))
        if not found:
            self.cursor.at = start
            return None
        best = min(found, key=lambda reading: reading[:2])
        self.cursor.at = -best[0]
        meanings: list[Intent] = []
        for place, cost, intent in found:
            if (place, cost) == best[:2] and without_wording(intent) not in map(without_wording, meanings):
                meanings.append(intent)
        return self.chosen(by_distinct_name(meanings, _described, _in_full))


def with_layer_names(text: str, vocabulary: Vocabulary) -> str:
    """The text for titles, with names instead of ids of layers."""
    for layer in vocabulary.layers:
        by_id = rf"(?:the )?layer [`\"]?{re.escape(layer.id)}\b[`\"]?"
        text = re.sub(by_id, lambda _, name=layer.name: name, text)  # type: ignore[misc]
    return text
