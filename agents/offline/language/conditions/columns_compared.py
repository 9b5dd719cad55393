"""Conditions that compare two columns of a row: `more pupils than capacity`, `over capacity`."""

from __future__ import annotations

from dataclasses import replace

from agents.domain import Column
from agents.offline.language.conditions.times.changes import Changes
from agents.offline.language.conditions.value_text import goes_on, take_comparator
from agents.offline.language.lexicon import COMPARATIVES
from agents.offline.language.names.comments import DULL, HEAD_ENDS
from agents.offline.language.names.measured import distances_to
from agents.offline.language.nouns import are_counts, take_column, take_unit
from agents.offline.language.words import name_words, singular
from agents.offline.meaning.conditions import ColumnMention, Compare, Condition, NamedRow
from agents.units import UNITS


class ColumnsCompared(Changes):
    """Rules for comparing two columns."""

    def more_than_another(self) -> Condition | None:
        """`more pupils than capacity`: a column compared with another one, or with that of another row."""
        cursor, start = self.cursor, self.cursor.at
        compared = COMPARATIVES.get(cursor.word())
        cursor.at += 1
        if compared is not None and (row := self._more_than_a_row(compared[0])) is not None:
            return row
        column = take_column(cursor, self.vocabulary, self.tables) if compared is not None else None
        other = take_column(cursor, self.vocabulary, self.tables) if column and cursor.take("than") else None
        if compared is None or column is None or other is None or goes_on(cursor):
            cursor.at = start
            return None
        return Compare(compared[0], other, column)

    def _more_than_a_row(self, op: str) -> Compare | None:
        """`more people than Germany`, `larger than France but with fewer people`."""
        cursor, start = self.cursor, self.cursor.at
        column, measure = None, "people" if take_unit(cursor) == UNITS["people"] else ""
        if not measure:
            column = take_column(cursor, self.vocabulary, self.tables)
        row = None
        if column or measure:
            row = self.named_row() if cursor.take("than") else None if goes_on(cursor) else self._row_before()
        if row is None:
            cursor.at = start
            return None
        return Compare(op, row, column, measure)

    def named_row(self) -> NamedRow | None:
        """The row named after `than` (`Germany`): a capitalised name, unless of a column or table, or a known value."""
        cursor, token = self.cursor, self.cursor.token()
        words, _ = cursor.keys()
        is_name = token is not None and (token.text[:1].isupper() or self._begins_with_value(words))
        is_name = is_name and cursor.word(-1) == "than"
        if not is_name or self.vocabulary.is_named(words):
            return None
        start = cursor.at
        if take_column(cursor, self.vocabulary, self.tables) is not None:
            cursor.at = start
            return None
        return NamedRow(text) if (text := self.value_text()) else None

    def _row_before(self) -> NamedRow | None:
        """The row of the comparison before this one."""
        cursor, start = self.cursor, self.cursor.at
        for at in [each for each in range(start) if cursor.words[each] == "than"][-1:]:
            cursor.at = at + 1
            row = self.named_row() if at + 1 < start else None
            cursor.at, end = start, cursor.at
            return row if end <= start else None
        return None

    def _begins_with_value(self, words: tuple[str, ...]) -> bool:
        return any(self.vocabulary.values_called(words[:end]) for end in range(1, len(words) + 1))

    def beyond_a_column(self) -> Condition | None:
        """`over capacity`: a comparison of the only two columns of counts, or of those that count the same."""
        cursor = self.cursor
        cursor.take("that are", "which are", "are", "is")
        compared = self.with_other_column()
        other = compared.value if compared is not None else None
        if compared is None or not isinstance(other, ColumnMention) or len(self.tables) != 1:
            return None
        (table,) = self.tables
        counts = [
            each
            for each in table.columns
            if each.name not in table.key and are_counts((table,), (each.name,))
        ]
        limit = next((each for each in counts if (each.name,) == other.columns), None)
        others = [each for each in counts if each is not limit]
        if limit is not None and len(others) > 1:
            others = [each for each in others if _nouns_of(limit) & _nouns_of(each)]
        if limit is None or len(others) != 1:
            return None
        own = others[0].name
        return replace(compared, column=ColumnMention(own, (own,)))

    def own_distance(self) -> ColumnMention | None:
        """`from school` after a quantity: the column of the distance to what is named without an article."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take("away")
        is_from = cursor.take("from their", "from its", "from") and singular(cursor.word()) == cursor.word()
        words = ("distance", "to", *cursor.keys(most=1)[0])
        names = distances_to(self.tables, words) if is_from else []
        cursor.at = cursor.at + 1 if names else start
        return ColumnMention(cursor.since(start), tuple(names)) if names else None

    def with_other_column(self) -> Compare | None:
        """`dwellings > floors`: a comparison with another column of the row."""
        comparator = take_comparator(self.cursor)
        other = take_column(self.cursor, self.vocabulary, self.tables) if comparator is not None else None
        if comparator is None or other is None or goes_on(self.cursor):
            return None
        return Compare(comparator[0], other)


def _nouns_of(column: Column) -> frozenset[str]:
    """The words of a column's name and comment that may tell what it counts."""
    words = {*name_words(column.name), *name_words(column.comment or "")}
    return frozenset(words) - DULL - HEAD_ENDS
