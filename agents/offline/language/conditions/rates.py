"""Columns of rates that a request compares: in `more than 8 buses per hour`, `per` begins no groups."""

from __future__ import annotations

from agents.offline.language.conditions.value_text import take_comparator
from agents.offline.language.cursor import Cursor
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words

MAX_WORDS_BEFORE, MAX_WORDS_AFTER = 3, 2
"""Maximum numbers of words of such a column before and after `per`."""


def compares_rate(cursor: Cursor, vocabulary: Vocabulary) -> bool:
    """Whether a column named like `buses per hour` is compared: `… have buses per hour over 8`."""
    start, words = cursor.at, cursor.words
    tables = vocabulary.few_tables
    try:
        for at in (at for at in range(start + 1, cursor.end - 2) if words[at] == "per"):
            for after in range(1, MAX_WORDS_AFTER + 1):
                cursor.at = at + 1 + after
                if take_comparator(cursor) is None:
                    continue
                names = [
                    name_words(" ".join(words[at - before : at + 1 + after]))
                    for before in range(1, MAX_WORDS_BEFORE + 1)
                ]
                return any(
                    vocabulary.columns_called((table,), " ".join(each)) for table in tables for each in names
                )
        return False
    finally:
        cursor.at = start
