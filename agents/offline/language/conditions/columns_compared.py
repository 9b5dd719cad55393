"""Conditions that compare two columns of a row: `more pupils than capacity`, `that lost population since 2010`."""

from __future__ import annotations

from agents.offline.language.column_names import columns_called
from agents.offline.language.conditions.value_text import ValueRules, goes_on, take_comparator
from agents.offline.language.lexicon import COMPARATIVES
from agents.offline.language.name_costs import years_in
from agents.offline.language.nouns import are_counts, take_column
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import ColumnMention, Compare, Condition

_SINCE = ("between", "from", "since")


class ColumnsCompared(ValueRules):
    """The rules for two columns, over one cursor."""

    def more_than_another(self) -> Condition | None:
        """`more pupils than capacity`: one column of a row compared with another."""
        cursor, start = self.cursor, self.cursor.at
        compared = COMPARATIVES.get(cursor.word())
        cursor.at += 1
        column = take_column(cursor, self.vocabulary, self.tables) if compared is not None else None
        other = take_column(cursor, self.vocabulary, self.tables) if column and cursor.take("than") else None
        if compared is None or column is None or other is None or goes_on(cursor):
            cursor.at = start
            return None
        return Compare(compared[0], other, column)

    def beyond_a_column(self) -> Condition | None:
        """`over capacity`, of the only other column that counts: more pupils than capacity."""
        cursor = self.cursor
        cursor.take("that are", "which are", "are", "is")
        comparator = take_comparator(cursor)
        other = take_column(cursor, self.vocabulary, self.tables) if comparator is not None else None
        if comparator is None or other is None or goes_on(cursor) or len(self.tables) != 1:
            return None
        (table,) = self.tables
        counts = [
            each.name
            for each in table.columns
            if each.name not in table.key and are_counts((table,), (each.name,))
        ]
        own = next((name for name in counts if name not in other.columns), None)
        if own is None or len(counts) != 2 or len(other.columns) != 1 or other.columns[0] not in counts:
            return None
        return Compare(comparator[0], other, ColumnMention(own, (own,)))

    def between_years(self) -> Condition | None:
        """`that lost population between 2010 and 2020`, of columns `pop_2010` and `pop_2020`; `since 2010`: up to the
        last year that there is."""
        cursor = self.cursor
        cursor.take("that have", "that", "which have", "which", "have")
        op = {"lost": "<", "gained": ">"}.get(cursor.word(), "")
        cursor.at += 1
        begin = cursor.at
        while op and cursor.word() and cursor.word() not in _SINCE and cursor.at - begin < 3:
            cursor.at += 1
        measure = cursor.since(begin)
        since = cursor.take(*_SINCE) if op and measure else None
        first = cursor.take_number() if since is not None else None
        if since == "since":
            second = self._last_year(measure)
        else:
            ends = cursor.take_number() if first is not None and cursor.take("and", "to") else None
            second = ends.text if ends is not None else ""
        if first is None or not second:
            return None
        early, late = (self._of_year(measure, each) for each in (first.text, second))
        return Compare(op, early, late) if early is not None and late is not None else None

    def _last_year(self, measure: str) -> str:
        """The last year of which there is such a column."""
        years = {year for table in self.tables for each in table.columns for year in years_in(each.name)}
        return max((year for year in years if self._of_year(measure, year) is not None), default="")

    def _of_year(self, measure: str, year: str) -> ColumnMention | None:
        """The one column that has these words and the year in its name."""
        words = (*name_words(measure), year)
        names = {name for table in self.tables for name in columns_called((table,), words)}
        return ColumnMention(f"{measure} {year}", tuple(names)) if len(names) == 1 else None
