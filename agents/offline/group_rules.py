"""Rules for a figure of each group: `average elevation of airports per country`, `number of trees by species`.

The groups are the values of the rows' own column where they have one of that name, else the areas of another table in
which the rows lie.
"""

from __future__ import annotations

from typing import Any

from agents.domain import Table
from agents.offline import phrasebook as p
from agents.offline.features import Features
from agents.offline.step_pieces import Rule, StepPieces, counted
from agents.offline.steps import ColumnWords, Grouped, Step, step
from agents.offline.words import name_words


class GroupRules(StepPieces):
    def of_groups(self) -> tuple[Rule, ...]:
        return (self.grouped,)

    def grouped(self) -> Step | Grouped | None:
        cursor = self.cursor
        cursor.take(
            "show me",
            "show",
            "compute",
            "calculate",
            "find",
            "what is",
            "what are",
            "give me",
            "map",
            "list",
            "add",
        )
        cursor.take("the")
        counting = cursor.take("number of", "numbers of", "count of", "counts of") is not None
        start = cursor.at
        for tail in (False, True):
            cursor.at = start
            found = self._rows(counting, tail)
            if found is None:
                return None
            rows, column_end = found
            end = cursor.at
            aggregate = self._figure(counting, start, column_end, rows)
            cursor.at = end
            joiner = cursor.take(p.FOR_EACH) if aggregate is not None else None
            if aggregate is not None and joiner is not None:
                cursor.take("of the", "the", "of")
                begin = cursor.at
                inside = self._by_place(rows, aggregate) if joiner.startswith(("in", "within")) else None
                if inside is not None:
                    return inside
                cursor.at = begin
                return self._by_own_column(rows, aggregate) or self._by_place(rows, aggregate)
        return None

    def _rows(self, counting: bool, tail: bool) -> tuple[Features, int] | None:
        """What is grouped, and where its column ends; it is read first, for the columns of its table are meant."""
        cursor = self.cursor
        if counting:
            cursor.take("the", "all")
        elif self.aggregate(None) is None:
            return None
        column_end = cursor.at
        if not counting and not cursor.take("of the", "of", "for the", "for", "in the", "in", "among"):
            return None
        rows = self.given(tail=tail)
        cursor.take("that lie", "there are", "are there", "are")
        return (rows, column_end) if rows is not None and rows.mention is not None else None

    def _figure(self, counting: bool, start: int, end: int, rows: Features) -> dict[str, Any] | None:
        """The aggregate whose words are all of those from `start` to `end`."""
        if counting:
            return {"function": "count"}
        self.cursor.at = start
        found = self.aggregate(rows)
        return found if self.cursor.at == end else None

    def _by_own_column(self, rows: Features, aggregate: dict[str, Any]) -> Grouped | None:
        keys, used = self.cursor.keys()
        tables = self._tables(rows)
        if not keys or len(tables) != 1:
            return None
        of_table = self.vocabulary.match_table(keys)
        for length in range(len(keys), 0, -1):
            names = _named(tables[0], keys[:length], whole=of_table is not None and of_table.length >= length)
            if len(names) == 1 and used[length - 1]:
                self.cursor.at += used[length - 1]
                return Grouped(rows, names[0], aggregate)
        return None

    def _by_place(self, rows: Features, aggregate: dict[str, Any]) -> Step | None:
        areas = self.given(tail=False)
        if areas is None or areas.mention is None or areas.mention.guessed:
            return None
        column = aggregate.get("column")
        if isinstance(column, ColumnWords):
            aggregate = {**aggregate, "column": ColumnWords(column.text, "other")}
        wanted = counted([aggregate] if column is not None else [])
        return step(
            "spatial_join",
            areas,
            ("other", rows),
            predicate="intersects",
            **({"aggregates": wanted} if wanted else {}),
        )


def _named(table: Table, words: tuple[str, ...], *, whole: bool) -> list[str]:
    """The columns whose names are these words, or, if none is and not `whole`, have them in it."""
    columns = [column.name for column in table.columns if column.kind != "geometry"]
    exact = [name for name in columns if name_words(name) == words]
    if exact or whole:
        return exact
    return [name for name in columns if set(words) <= set(name_words(name))]
