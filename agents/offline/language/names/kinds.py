"""Nouns for the different values of a column, each counted once: `time zones` of cities, `species` of birds; and kinds
of places in a country."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.domain import Table
from agents.geo.place_names import other_names
from agents.offline.language.chart import Span
from agents.offline.language.cursor import Cursor
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import place_of, singular
from agents.offline.meaning.conditions import Mention, OneOf
from agents.offline.meaning.features import Features
from agents.offline.meaning.row_names import is_code
from agents.offline.meaning.steps import ColumnWords

MAX_KIND_WORDS = 3
_SAME_IN_PLURAL = frozenset(("species", "genera", "series"))


def kinds_counted(at: int, cursor: Cursor, vocabulary: Vocabulary, named: Sequence[Table]) -> Iterator[Span]:
    """The rows with the column, of the `named` tables if they have it, and the number of its different values."""
    cursor.at = at
    is_said = cursor.take("different", "distinct", "unique") is not None
    begin = cursor.at
    for words, end in cursor.runs(most=MAX_KIND_WORDS):
        last = cursor.tokens[end - 1].lower
        rows = vocabulary.match_table(words)
        if rows is not None and rows.length == len(words) and not rows.guessed:
            return
        if not (is_said or last in _SAME_IN_PLURAL or singular(last) != last):
            continue
        cursor.at = end
        text = cursor.since(begin)
        having = [each for each in vocabulary.few_tables if _has_kinds(each, text, vocabulary)]
        having = [each for each in having if each in named] or having
        if having:
            rows_meant = Features(Mention(text, tuple(table.id for table in having)), text=text)
            yield Span(end, (rows_meant, {"function": "distinct", "column": ColumnWords(text)}))
            return


def _has_kinds(table: Table, text: str, vocabulary: Vocabulary) -> bool:
    """Whether a single text column of the table has this name, and is no number or code of each row."""
    names = vocabulary.columns_called((table,), text)
    column = table.column(names[0]) if len(names) == 1 else None
    is_text = column is not None and column.kind == "text"
    return is_text and names[0] not in table.key and not is_code(names[0])


def take_country(cursor: Cursor) -> OneOf | None:
    """The adjective or initials of a country before what it has: `which Canadian province`, `per US state`."""
    token, word = cursor.token(), cursor.word()
    is_place = token is not None and (place_of(word) or (token.text.isupper() and other_names(token.text)))
    if token is None or not token.text[:1].isupper() or not is_place:
        return None
    cursor.at += 1
    return OneOf(token.text, how="kind")
