"""A whole analysis in words: steps by the operations' own phrases and by the commands for several steps, in a chain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses import groups, hot_spots, latitudes, rankings, tabular, totals
from agents.offline.commands.analyses.rules import Context, Reading, Rule, Steps, operation_rules
from agents.offline.commands.requests import TemplateReader
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor, cursor_of
from agents.offline.language.grammar import Slot, verbs
from agents.offline.language.lexicon import ARTICLES, STARTS
from agents.offline.language.reading import Unreadable, several_meanings
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.features import Features
from agents.offline.meaning.steps import AnalysisStep, ColumnWords, Grouped
from agents.ports import OperationInfo

_COMMANDS = (groups, rankings, latitudes, totals, hot_spots, tabular)
_JOINERS = (", and then", ", then", "and then", "; then", "then", ", and", "and", ";", ",")
_STOPS = frozenset(("and", "then", ";", ","))
MAX_PARTS = 12


@dataclass(frozen=True, slots=True)
class LookWords:
    """How the result is to be drawn: by a column of it, which is not there yet."""

    column: ColumnWords
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """At least one part; each part after the first may read the result of the one before."""

    parts: tuple[AnalysisStep | Grouped, ...]
    look: LookWords | None = None

    @property
    def pronoun(self) -> str:
        """The word in the first part that stands for something said before the analysis, or nothing."""
        return next((each.text for each in features_of(self.parts[0]) if each.previous), "")

    @property
    def places(self) -> list[str]:
        """The names of places in it."""
        return [each.place for part in self.parts for each in features_of(part) if each.place]


def features_of(part: AnalysisStep | Grouped) -> Iterator[Features]:
    """The features that a step reads."""
    if isinstance(part, Grouped):
        yield part.source
    else:
        yield from (features for _name, features in part.inputs)


class Language:
    """The rules for analyses with these operations, and the words behind slots at which a value may end."""

    def __init__(self, operations: Sequence[OperationInfo]) -> None:
        self.operations = operations
        offered = {each.name for each in operations}
        commands = tuple(each for module in _COMMANDS for each in module.RULES) if offered else ()
        self.rules: tuple[Rule, ...] = (*commands, *operation_rules(operations))
        self.limits = frozenset(word for each in self.rules for word in each.template.words) | _PART_WORDS
        phrases = [each.template for each in self.rules if each.operation]
        first = {word for each in phrases for word in each.first_words}
        self.telling = frozenset(first) - STARTS - ARTICLES
        """Words that an operation's phrase begins with, and no other command."""
        self.verbs = frozenset(word for each in phrases for word in verbs(each.node)) - STARTS
        """Of those the ones that the rows follow at once: `buffer`, `dissolve`."""


_PART_WORDS = frozenset(("within", "of", "from", "to", "by", "in", "with", "per", "each", "and", "or"))
_COLUMN = Slot("column", "column")
_LANGUAGES: dict[tuple[str, ...], Language] = {}


def language_of(operations: Sequence[OperationInfo]) -> Language:
    """Compiled once for the same phrases."""
    key = tuple(f"{each.name} {phrase}" for each in operations for phrase in each.phrases)
    if key not in _LANGUAGES:
        _LANGUAGES.clear()
        _LANGUAGES[key] = Language(operations)
    return _LANGUAGES[key]


def read_analysis(text: str, vocabulary: Vocabulary, operations: Sequence[OperationInfo]) -> Chain | None:
    """The analysis that the whole text asks for, or None; also None for a text beyond the bounds of reading."""
    try:
        reader = AnalysisReader(cursor_of(text), vocabulary, None, operations)
        while reader.cursor.take(p.FLUFF):
            pass
        found = reader.chain()
    except Unreadable:
        return None
    return found if reader.cursor.done else None


@dataclass(frozen=True, slots=True)
class _Found:
    """Steps that are read up to the token `end`, and others that the same words mean at the same cost."""

    end: int
    cost: float
    steps: Steps
    rival: Steps | None = None


def _meant(steps: Steps) -> tuple[Any, ...]:
    """The steps without the words in which they were said."""
    return tuple(
        replace(each, said="", title="", source=_bare(each.source))
        if isinstance(each, Grouped)
        else replace(each, said="", title="", inputs=tuple((name, _bare(rows)) for name, rows in each.inputs))
        for each in steps
    )


def _bare(rows: Features) -> Features:
    mention = replace(rows.mention, text="") if rows.mention is not None else None
    return replace(rows, text="", mention=mention)


def _described(steps: Steps) -> str:
    last = steps[-1]
    return last.title or (last.operation.replace("_", " ") if isinstance(last, AnalysisStep) else last.said)


class AnalysisReader(TemplateReader):
    """Reads a chain of steps from a cursor on."""

    def __init__(
        self,
        cursor: Cursor,
        vocabulary: Vocabulary,
        default: Table | None,
        operations: Sequence[OperationInfo],
    ) -> None:
        self.language = language_of(operations)
        super().__init__(cursor, vocabulary, default, self.language.limits)

    def chain(self) -> Chain | None:
        """The steps at the start of the text; what follows them is left unread."""
        start = self.cursor.at
        self.tags.begin = start
        found = self._longest(start, chained=False, depth=0)
        if found is None:
            self.cursor.at = start
            return None
        if found.rival is not None:
            raise several_meanings(map(_described, (found.steps, found.rival)))
        self.cursor.at = found.end
        look = self._look()
        return Chain(found.steps, look)

    def _longest(self, at: int, *, chained: bool, depth: int) -> _Found | None:
        """The reading that goes furthest, and of those the cheapest; one that means something else is its rival."""
        best: _Found | None = None
        for reading in self._parts(at, chained=chained):
            end = self._ended(reading.end)
            if end is None:
                continue
            found = _Found(end, reading.cost, reading.steps)
            following = self._following(end) if depth < MAX_PARTS else None
            more = self._longest(following, chained=True, depth=depth + 1) if following is not None else None
            if more is not None and any(each.previous for each in features_of(more.steps[0])):
                rival = (*reading.steps, *more.rival) if more.rival is not None else None
                found = _Found(more.end, reading.cost + more.cost, (*reading.steps, *more.steps), rival)
            if best is None or (found.end, -found.cost) > (best.end, -best.cost):
                best = found
            elif (found.end, found.cost) == (best.end, best.cost) and _meant(found.steps) != _meant(
                best.steps
            ):
                best = replace(best, rival=found.steps)
        return best

    def _parts(self, at: int, *, chained: bool) -> list[Reading]:
        context = Context(self.vocabulary, self.tags.tables_of, chained)
        found: list[Reading] = []
        for rule in self.language.rules:
            for edge in self.chart.read(rule.template.node, at):
                if edge.end == at or self._ended(edge.end) is None:
                    continue
                steps = rule.build(dict(edge.bindings), context)
                if steps is not None:
                    said = self.text(at, edge.end).strip(" ?!.")
                    named = tuple(replace(each, said=said) for each in steps)
                    found.append(Reading(edge.end, edge.cost + rule.cost, named))
        return sorted(found, key=lambda each: (-each.end, each.cost))

    def _ended(self, at: int) -> int | None:
        """Where a part ends that is read up to `at`, closings included; None where more belongs to it."""
        cursor = self.cursor
        cursor.at = at
        while not (self._in_part and cursor.sees("on the map")) and (
            cursor.take(p.TAIL) or cursor.take("?", "!", ".")
        ):
            pass
        ends = cursor.done or cursor.word() in _STOPS or self._starts_look()
        return cursor.at if ends else None

    @property
    def _in_part(self) -> bool:
        """Whether the map shows a table in part, so that `on the map` means less than all of it."""
        return any(layer.filter is not None for layer in self.vocabulary.layers)

    def _following(self, at: int) -> int | None:
        cursor = self.cursor
        cursor.at = at
        if not cursor.take(*_JOINERS):
            return None
        while cursor.take(p.FLUFF):
            pass
        return cursor.at if not cursor.done else None

    def _starts_look(self) -> bool:
        return bool(
            self.cursor.sees("coloured by") or self.cursor.sees("colored by") or self.cursor.sees("sized by")
        )

    def _look(self) -> LookWords | None:
        """`..., coloured by elevation`, `... and size them by population`."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take(*_JOINERS)
        kind = None
        if cursor.take(p.COLOURED, p.COLOUR):
            cursor.take("them", "it", "the result")
            by = cursor.take("by the", "by their", "by its", "by", "according to")
        else:
            by = cursor.take("sized by", "size them by", "size it by", "scaled by")
            kind = "proportional"
        columns = self.tags.spans(_COLUMN, cursor.at) if by else ()
        for span in sorted(columns, key=lambda each: (-each.end, each.cost)):
            end = self._ended(span.end)
            if end is not None:
                cursor.at = end
                return LookWords(span.value, kind)
        cursor.at = start
        return None
