"""Styles of an analysis result: `…, coloured by elevation`, `… and label each of them by name and beds`.

Columns may be added by the steps, or be figures calculated for groups (`label each parish with its total
population`); both are resolved once the result exists.
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
from agents.offline.language.lexicon import RAMP_OF_COLOUR
from agents.offline.language.looks.colours import take_colour
from agents.offline.language.looks.rules import Looks, settled
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import Phrases, name_words, word_set
from agents.offline.meaning.conditions import ColumnMention
from agents.offline.meaning.intents import Look

_COLUMN, _FIGURE = Slot("column", "column"), Slot("figure", "figure")
_DRAW = word_set("draw show display map mark plot highlight put make give")
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
AS_MAP = Phrases("""
    (as|in|on|with) [a] (choropleth [map]|(shaded|thematic) map) | (choropleth [map]|thematic map)
    | [in|with] (graduated|graded|shaded) (colors|colours|shades) | [in|with] shades
""")


@dataclass(frozen=True, slots=True)
class ResultLook:
    """A style whose columns may be those of the result, and the figures of groups that it needs."""

    look: Look
    figures: tuple[Mapping[str, Any], ...] = ()
    is_map: bool = False
    """Whether a map is asked for: `…, as a choropleth`."""

    def of_groups(self) -> ResultLook:
        """The style of figures of groups, whose plain colour is a ramp: `airports per country in green`."""
        look = self.look
        if look.by or look.kind or look.values or look.ramp or look.color not in RAMP_OF_COLOUR:
            return self
        return replace(self, look=replace(look, color=None, ramp=RAMP_OF_COLOUR[look.color]))


class ResultLooks(Looks):
    """Rules for styles after an analysis.

    `spans` tags the words from a token on; `ends`: whether a request may end at a token; `grouped`: whether
    the result's rows are groups.
    """

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
        """All style words from here to an end of the request. `joined`: `and` or a comma precedes, so a verb
        may follow."""
        cursor = self.cursor
        look, is_map = Look(), False
        if not joined and self._names_colour():
            return None  # in `within 5 km of Ulm red` it is unclear what is red
        while not cursor.done:
            start = cursor.at
            if not look.empty or is_map:
                joined = cursor.take(", and", ",", "and") is not None
            more = self.commanded(look) if joined else None
            if more is None:
                cursor.at = start
                cursor.take(", and", ",", "and") if not look.empty or is_map else None
                more = self.add(look)
            if more is None:
                cursor.at = start
                joined |= cursor.take(", and", ",", "and") is not None
                if cursor.take(AS_MAP) or (joined and cursor.take("map it", "map them", "map")):
                    is_map, joined = True, False
                    continue
                cursor.at = start
                break
            look = more
            cursor.take(p.ON_THE_MAP)
        if not self.ends(cursor.at):
            return None
        return ResultLook(settled(look), tuple(self.figures), is_map)

    @property
    def pieces(self) -> tuple[Callable[[Look], Look | None], ...]:
        """All rules but `by elevation`, which would group the rows."""
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
        """Possible numbers of words of the object: `them`, `the result`, `each parish`."""
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
        """Words for rows of the result: from the names of its source tables and columns."""
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
        """A colour, unless the word is capitalised like a name: `within 50 km of Berlin in Orange`."""
        found = super().colour(look)
        before = self.cursor.token(-1)
        return found if before is not None and not before.text[:1].isupper() else None

    def column(self) -> ColumnMention | None:
        """A column that the result has or will have, `number of …`, or a figure of its groups."""
        cursor, start = self.cursor, self.cursor.at
        while cursor.take("the", "their", "its"):
            pass
        if cursor.take(
            "that count", "this count", "that number", "this number", "those counts", "those numbers"
        ):
            return ColumnMention("count", ("count",))
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
        """Whether steps may produce a column of this name, from words of their tables and of operations."""
        return self._nouns | _COMPUTED >= {*name_words(text)}

    def _figure(self) -> ColumnMention | None:
        """A figure of each group, as a named column: `total population`."""
        for span in sorted(self.spans(_FIGURE, self.cursor.at), key=lambda each: (each.cost, -each.end)):
            if not span.cost and self._may_end(span.end):
                self.cursor.at = span.end
                function, column = span.value["function"], span.value["column"]
                name = f"{function}_{'_'.join(column.text.lower().split())}"
                self.figures.append({**span.value, "name": name})
                return ColumnMention(name, (name,))
        return None

    def _noun(self) -> None:
        """Read the noun of the counted rows."""
        words, used = self.cursor.keys()
        table = self.vocabulary.match_table(words) if words else None
        if table is not None:
            self.cursor.at += used[table.length - 1]

    def _may_end(self, at: int) -> bool:
        """Whether a column's name may end here: at an end of the request, or before a word that begins no name."""
        tokens = self.cursor.tokens
        return self.ends(at) or (at < self.cursor.end and tokens[at].lower in _AFTER_COLUMN)


_AFTER_COLUMN = word_set("and in with using from as at , ; on")
