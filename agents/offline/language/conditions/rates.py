"""Columns of rates and distances that a request compares: in `more than 8 buses per hour`, `per` begins no groups, and
`2 km from school` may be a column."""

from __future__ import annotations

from agents.offline.language.conditions.value_text import take_comparator
from agents.offline.language.cursor import Cursor
from agents.offline.language.names.measured import distances_to
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, singular
from agents.offline.meaning.units import unit_named

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


def compares_own_distance(cursor: Cursor, vocabulary: Vocabulary) -> bool:
    """Whether rows that have the distance to something as a column are compared by it: `pupils more than 2 km from
    school`; `from a school` is measured on the map."""
    words = cursor.words[cursor.at : cursor.end]
    for at in (at for at in range(2, len(words) - 1) if words[at] == "from"):
        unit = unit_named(words[at - 1 - (words[at - 1] == "away")])
        noun = words[at + 1 + (words[at + 1] in ("their", "its") and at + 2 < len(words))]
        named = {*name_words(" ".join(words[:at]))}
        tables = [each for each in vocabulary.few_tables if named & {*name_words(each.name)}]
        is_one = unit is not None and unit[0].dimension == "length" and singular(noun) == noun
        if is_one and distances_to(tables, ("distance", "to", *name_words(noun))):
            return True
    return False
