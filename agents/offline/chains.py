"""A whole analysis in words: a spatial question or a step, and what is done with its result, joined by `then`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from agents.offline import phrasebook as p
from agents.offline.analyses import Around, CountedIn, Meeting, Near, Neighbours, Question, Questions
from agents.offline.cursor import cursor_of
from agents.offline.features import Features
from agents.offline.group_rules import GroupRules
from agents.offline.pair_rules import PairRules
from agents.offline.pattern_rules import PatternRules
from agents.offline.reading import Unreadable
from agents.offline.shape_rules import ShapeRules
from agents.offline.steps import ColumnWords, Grouped, Step
from agents.offline.table_rules import TableRules
from agents.offline.vocabulary import Vocabulary

Part = Question | Step | Grouped
_JOINERS = (", and then", ", then", "and then", "; then", "then", ", and", "and", ";", ",")


@dataclass(frozen=True, slots=True)
class LookWords:
    """How the result is to be drawn: by a column of it, which is not there yet."""

    column: ColumnWords
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """At least one part; each part after the first may read the result of the one before."""

    parts: tuple[Part, ...]
    look: LookWords | None = None

    @property
    def pronoun(self) -> str:
        """The word in the first part that stands for something said before the analysis, or nothing."""
        return next((each.text for each in features_of(self.parts[0]) if each.previous), "")

    @property
    def places(self) -> list[str]:
        """The names of places in it."""
        return [each.place for part in self.parts for each in features_of(part) if each.place]


def features_of(part: Part) -> Iterator[Features]:
    match part:
        case Step(_, inputs):
            yield from (features for _name, features in inputs)
        case Grouped(source):
            yield source
        case Near(source, other) | Meeting(source, other) | Neighbours(source, other):
            yield from (source, other)
        case Around(source):
            yield source
        case CountedIn(counted, areas):
            yield from (counted, areas)


def read_analysis(text: str, vocabulary: Vocabulary) -> Chain | None:
    """The analysis that the whole text asks for, or None; also None for a text beyond the bounds of reading."""
    try:
        reader = Chains(cursor_of(text), vocabulary)
        while reader.cursor.take(p.FLUFF):
            pass
        found = reader.chain()
    except Unreadable:
        return None
    return found if reader.cursor.done else None


class Chains(Questions, GroupRules, PairRules, PatternRules, ShapeRules, TableRules):
    def chain(self) -> Chain | None:
        """As many parts as there are; what follows and is none is left."""
        first = self._part()
        if first is None:
            return None
        parts = [first]
        while (following := self._following()) is not None:
            parts.append(following)
        look = self._look()
        self.chained = False
        return Chain(tuple(parts), look)

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
        self.chained = True
        column = self.column_words() if by else None
        if column is None or not self._ends():
            cursor.at = start
            return None
        return LookWords(column, kind)

    def _following(self) -> Part | None:
        start = self.cursor.at
        if not self.cursor.take(*_JOINERS):
            return None
        while self.cursor.take(p.FLUFF):
            pass
        self.chained = True
        found = self._part()
        if found is None or not any(features.previous for features in features_of(found)):
            self.cursor.at = start
            return None
        return found

    def _part(self) -> Part | None:
        """The question or step that reads up to an end; of several the one that reads most."""
        cursor, start = self.cursor, self.cursor.at
        best: tuple[int, Part] | None = None
        for rule in (
            *self.of_groups(),
            *self.of_pairs(),
            *self.of_patterns(),
            *self.of_shapes(),
            *self.of_tables(),
        ):
            cursor.at = start
            found = rule()
            if found is not None and self._ends() and (best is None or cursor.at > best[0]):
                said = cursor.since(start).strip(" ?!.")
                best = (cursor.at, replace(found, said=said) if isinstance(found, Step | Grouped) else found)
        cursor.at = start
        question = self.question()
        if question is not None and (best is None or cursor.at > best[0]):
            return question
        cursor.at = best[0] if best is not None else start
        return best[1] if best is not None else None

    def _ends(self) -> bool:
        """Whether a part may end here; closings that mean nothing are read over."""
        cursor = self.cursor
        while cursor.take(p.TAIL) or cursor.take("?", "!", "."):
            pass
        return cursor.done or cursor.word() in ("and", "then", ";", ",")
