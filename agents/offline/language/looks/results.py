"""How the result of an analysis is to look: `…, coloured by elevation`, `… and label each of them by name and beds`.

Its columns may be ones that the steps add, and of groups figures that are worked out for it (`label each parish with
its total population`); both are resolved when the result is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from agents.domain import Table
from agents.offline.language import phrasebook as p
from agents.offline.language.chart import Span
from agents.offline.language.cursor import Cursor
from agents.offline.language.grammar import Slot
from agents.offline.language.looks.colours import take_colour
from agents.offline.language.looks.rules import Looks, settled
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.conditions import ColumnMention
from agents.offline.meaning.intents import Look

_COLUMN, _FIGURE = Slot("column", "column"), Slot("figure", "figure")
_DRAW = word_set("draw show display map plot highlight put make give")
_COLOUR = word_set("colour color shade paint fill tint style")
_LABEL = word_set("label annotate caption")
_SIZE = word_set("size scale")
_WITH = ("with", "by", "using", "from", "showing", "as")
_ROWS = word_set("row one area shape place feature result group line point buffer polygon zone piece of them")
_COMPUTED = word_set("""
    area perimeter length distance bearing direction elevation height count number share percent percentage ratio rate
    density rank cluster class value weight score z p total sum mean average median minimum maximum min max per from to
    in m m2 km km2 ha
""")
MAX_NOUN_WORDS = 3


@dataclass(frozen=True, slots=True)
class ResultLook:
    """A look whose columns may be those of the result, and figures of its groups that it takes besides."""

    look: Look
    figures: tuple[Mapping[str, Any], ...] = ()


class ResultLooks(Looks):
    """The rules for looks behind an analysis. `spans` tags the words from a token on; `ends` tells whether a request
    may end at a token; `grouped`, whether the rows of the result are groups."""

    def __init__(
        self,
        cursor: Cursor,
        vocabulary: Vocabulary,
        tables: tuple[Table, ...],
        spans: Callable[[Slot, int], Sequence[Span]],
        ends: Callable[[int], bool],
        *,
        grouped: bool,
    ) -> None:
        super().__init__(cursor, vocabulary, tables)
        self.spans = spans
        self.ends = ends
        self.grouped = grouped
        self.figures: list[Mapping[str, Any]] = []

    def take(self, *, joined: bool) -> ResultLook | None:
        """All words about the look from here to an end of the request, with the cursor behind it. `joined`: `and`
        or a comma went before, so that a verb may follow."""
        cursor = self.cursor
        look = Look()
        if not joined and self._names_colour():
            return None  # `within 5 km of Ulm red` says of nothing that it is red
        while not cursor.done:
            start = cursor.at
            if not look.empty:
                joined = cursor.take(", and", ",", "and") is not None
            more = self.commanded(look) if joined else None
            if more is None:
                cursor.at = start
                cursor.take(", and", ",", "and") if not look.empty else None
                more = self.add(look)
            if more is None:
                cursor.at = start
                break
            look = more
            cursor.take(p.ON_THE_MAP)
        if not self.ends(cursor.at):
            return None
        return ResultLook(settled(look), tuple(self.figures))

    @property
    def pieces(self) -> tuple[Callable[[Look], Look | None], ...]:
        """Without `by elevation`, which parts the rows into groups."""
        return tuple(each for each in super().pieces if each != self.by)

    def _names_colour(self) -> bool:
        start = self.cursor.at
        found = take_colour(self.cursor) is not None
        self.cursor.at = start
        return found

    def commanded(self, look: Look) -> Look | None:
        """`label them with name`, `colour each of them by area`, `draw the result in blue`."""
        cursor = self.cursor
        verb = cursor.word()
        if verb not in _DRAW | _COLOUR | _LABEL | _SIZE:
            return None
        cursor.at += 1
        start = cursor.at
        for length in self._objects():
            cursor.at = start + length
            found = self._with_verb(verb, look)
            if found is not None:
                return settled(found)
        return None

    def _objects(self) -> list[int]:
        """How many words `them`, `the result`, `each parish` may take."""
        cursor, start = self.cursor, self.cursor.at
        if cursor.take(p.RESULT, "the result", "the features"):
            taken = cursor.at - start
            cursor.at = start
            return [taken]
        if cursor.word() not in ("each", "every", "the", "all"):
            return [0]
        words = name_words(" ".join(cursor.words[start + 1 : start + 1 + MAX_NOUN_WORDS]))
        known = next((at for at, word in enumerate(words) if word not in self._nouns), len(words))
        return list(range(2, known + 2))

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """Words for rows of the result: those of the names of the tables and columns that it is made of."""
        names = [
            name for table in self.tables for name in (table.name, *(each.name for each in table.columns))
        ]
        comments = [table.comment or "" for table in self.tables]
        return _ROWS.union(*(name_words(each) for each in (*names, *comments)))

    def _with_verb(self, verb: str, look: Look) -> Look | None:
        cursor = self.cursor
        if verb in _LABEL:
            cursor.take(*_WITH)
            return self.labelled(look)
        if verb in _SIZE:
            sized = self.by(look)
            return None if sized is None else replace(sized, kind="proportional")
        cursor.take(p.ON_THE_MAP)
        if verb in _COLOUR:
            return self.by(look) or self.ramp(look) or self.colour(look)
        return self.add(look) or (look if not look.empty or self.ends(cursor.at) else None)

    def colour(self, look: Look) -> Look | None:
        """A word with a capital is a name: `within 50 km of Berlin in Orange`."""
        found = super().colour(look)
        before = self.cursor.token(-1)
        return found if before is not None and not before.text[:1].isupper() else None

    def column(self) -> ColumnMention | None:
        cursor, start = self.cursor, self.cursor.at
        while cursor.take("the", "their", "its"):
            pass
        if cursor.take("number of", "count of"):
            self._noun()
            return ColumnMention("count", ("count",))
        figure = self._figure() if self.grouped else None
        if figure is not None:
            return figure
        cursor.at = start
        known = super().column()
        if known is not None:
            return known
        cursor.at = start
        for span in sorted(self.spans(_COLUMN, start), key=lambda each: -each.end):
            if self._may_end(span.end) and self._may_name(span.value.text):
                cursor.at = span.end
                return ColumnMention(span.value.text)
        return None

    def _may_name(self, text: str) -> bool:
        """Whether steps may make a column of this name: of words of their tables, and of what operations compute."""
        return self._nouns | _COMPUTED >= {*name_words(text)}

    def _figure(self) -> ColumnMention | None:
        """A figure of each group under a name of its own: `total population`."""
        for span in sorted(self.spans(_FIGURE, self.cursor.at), key=lambda each: (each.cost, -each.end)):
            if not span.cost and self._may_end(span.end):
                self.cursor.at = span.end
                function, column = span.value["function"], span.value["column"]
                name = f"{function}_{'_'.join(column.text.lower().split())}"
                self.figures.append({**span.value, "name": name})
                return ColumnMention(name, (name,))
        return None

    def _noun(self) -> None:
        """Past the rows that are counted."""
        words, used = self.cursor.keys()
        table = self.vocabulary.match_table(words) if words else None
        if table is not None:
            self.cursor.at += used[table.length - 1]

    def _may_end(self, at: int) -> bool:
        """Whether a column's name may end here: the request does, or a word follows that no name begins with."""
        tokens = self.cursor.tokens
        return self.ends(at) or (at < self.cursor.end and tokens[at].lower in _AFTER_COLUMN)


_AFTER_COLUMN = word_set("and in with using from as at , ; on")
