"""Conditions in words of what was done, and by whom: `owned by the city`, `rejected`, `that nobody operates`."""

from __future__ import annotations

from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.comparisons import Comparisons, goes_on
from agents.offline.language.nouns import take_column
from agents.offline.language.words import doers_of, fold, name_words, singular
from agents.offline.meaning.conditions import ColumnMention, Condition, Empty, Negation, OneOf


class DoneBy(Comparisons):
    """The rules for what was done, over one cursor."""

    def done_by(self) -> Condition | None:
        """`owned by the city`: the value of a column `owner`."""
        cursor = self.cursor
        cursor.take("that are", "which are", "that is", "which is", "are", "is")
        word = cursor.word()
        doers = doers_of(word.removesuffix("ed")) | doers_of(word.removesuffix("d"))
        if not (word.endswith("ed") or word == "run") or cursor.word(1) != "by":
            return None
        names = self._columns_of(doers)
        cursor.at += 2
        text = self.value_text() if names else ""
        return OneOf(text, ColumnMention(word, tuple(dict.fromkeys(names))), "is") if text else None

    def participle(self) -> Condition | None:
        """`permits rejected in 2020`: a value after the noun that is written as what was done."""
        word = self.cursor.word()
        names = {
            column for table, column, _ in self.vocabulary.values_called((word,)) if table in self.tables
        }
        if not word.endswith("ed") or len(names) != 1:
            return None
        self.cursor.at += 1
        (name,) = names
        return OneOf(word, ColumnMention(name, (name,)), "is")

    def _columns_of(self, words: frozenset[str]) -> list[str]:
        """The columns with one of the words in their names."""
        return [c.name for table in self.tables for c in table.columns if words & set(name_words(c.name))]

    def done_by_nobody(self) -> Condition | None:
        """`that nobody operates`: no value of a column `operator`."""
        cursor = self.cursor
        cursor.take("that", "which")
        if not cursor.take("nobody", "no one", "no-one"):
            return None
        names = tuple(dict.fromkeys(self._columns_of(doers_of(singular(cursor.word())))))
        if len(names) != 1:
            return None
        cursor.at += 1
        return Empty(ColumnMention(cursor.word(-1), names))

    def by_someone(self) -> Condition | None:
        """`sightings by C. Wolf`: a name with a capital that no column is called."""
        cursor = self.cursor
        token = cursor.token(1)
        if cursor.word() != "by" or token is None or token.kind != "word" or not token.text[:1].isupper():
            return None
        cursor.at += 1
        start = cursor.at
        if take_column(cursor, self.vocabulary, self.tables) is not None:
            return None
        cursor.at = start
        text = self.value_text()
        return OneOf(text, how="kind") if text else None

    def made_of(self) -> Condition | None:
        """`paved with asphalt`: the value of a column `surface`."""
        if not self.cursor.take(p.MADE_OF):
            return None
        names = {
            c.name for table in self.tables for c in table.columns if p.MATERIALS & set(name_words(c.name))
        }
        text = self.value_text() if names else ""
        return OneOf(text, ColumnMention("material", tuple(names)), "is") if text else None

    def done_to(self, column: ColumnMention, negative: bool) -> Condition | None:
        """`that cross a river`, of a column `crosses`."""
        name = column.columns[0]
        is_verb = len(column.columns) == 1 and name_words(name) != tuple(fold(name).split("_"))
        text = self.value_text() if is_verb and self.is_text(column) else ""
        one = text.removeprefix("the ").removeprefix("a ").removeprefix("an ")
        known = (
            {
                fold(each)
                for table in self.tables
                if (own := table.column(name)) is not None
                for each in own.samples
            }
            if one
            else set()
        )
        if fold(one) not in known:
            return None
        found = OneOf(one, column, "is")
        return Negation(found) if negative else found

    def is_text(self, column: ColumnMention) -> bool:
        """Whether it is a column of texts."""
        found = [own for table in self.tables if (own := table.column(column.columns[0])) is not None]
        return bool(found) and all(own.kind == "text" for own in found)

    def named_by_column(self) -> Condition | None:
        """`in tariff zone A`, `in the time zone Asia/Tokyo`: a column of texts, and a value of it as a name."""
        start = self.cursor.at
        none = self.cursor.take("no") is not None
        column = take_column(self.cursor, self.vocabulary, self.tables)
        if none:
            if column is not None and not goes_on(self.cursor):
                return Empty(column)
            self.cursor.at = start
            return None
        token = self.cursor.token()
        is_name = token is not None and (token.kind == "string" or token.text[:1].isupper())
        if column is not None and is_name and self.is_text(column):
            text = self.value_text()
            if text:
                return OneOf(text, column, "is")
        self.cursor.at = start
        return None
