"""Finds the parts of a request that the data has, in any wording: rows, values, columns, times, numbers, figures.

Offers are made from these parts, and nothing is carried out before a person clicks on one: so a single word of a value
(`predation` of “failed - predation”) is enough here, and what is between the parts is not read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agents.domain import Column, Table
from agents.offline.coverage import language_words
from agents.offline.language.conditions.flags import NO, YES, is_flag
from agents.offline.language.conditions.rules import Conditions
from agents.offline.language.conditions.times.days import take_period
from agents.offline.language.cursor import Cursor, cursor_of
from agents.offline.language.lexicon import STATISTICS, SUPERLATIVES
from agents.offline.language.nouns import take_column, take_mention
from agents.offline.language.vocabulary import Value, Vocabulary
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.conditions import Between, Compare, Condition, DatePart, OneOf, Quantity
from agents.offline.meaning.spellings import is_short_code

MIN_LETTERS = 4
"""Minimum length of a single word that means a value of several words."""
MAX_WITH_WORD = 4
"""Maximum number of values of a column with the same word: `elms` for three kinds of them."""
MAX_VALUE_WORDS = 4
MAX_TABLES = 3
"""Maximum number of tables with the same values that a request may mean."""
MAX_NOT = 3
"""Maximum number of words from a negation to the value that it denies."""
HOW_MANY = "how many"
_COUNTED = ("how many", "hw many", "how much", "number of", "count of", "count", "any")
_BY = word_set("by per each every")
_CHARTS = word_set("chart graph plot histogram pie bars")
_NOT = word_set(
    "not no without except excluding never isn't aren't wasn't weren't hide minus non neither nor"
)


@dataclass(slots=True)
class Parts:
    """What a request names of one table."""

    table: Table
    figure: str = ""
    """`how many`, a statistic or a superlative; else empty."""
    values: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Values by column, with `is`: `cause is`; or `cause is not`."""
    others: list[str] = field(default_factory=list)
    """Conditions on times, places and numbers, as written."""
    columns: list[str] = field(default_factory=list)
    group: str = ""
    """The column or the areas by which rows are grouped."""
    is_charted: bool = False
    counts_column: bool = False
    """`how many households`, of a column that counts them."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing but the table is named."""
        return not (self.values or self.others or self.columns or self.group)


class _Found(NamedTuple):
    """Tokens from `at` to `end` that mean a table, or a value of one of its columns."""

    at: int
    end: int
    table: Table
    column: str = ""
    value: str = ""


def parts_named(text: str, vocabulary: Vocabulary, default: Table | None) -> list[Parts]:
    """The parts of a request about each table that it may mean, at most MAX_TABLES; none if it names nothing of
    them. Raises Unreadable if the text is too long."""
    cursor = cursor_of(text)
    nouns, values = [*_nouns(cursor, vocabulary)], [*_values(cursor, vocabulary)]
    tables = _tables_meant(nouns, values) or ([default] if default is not None else [])
    found = [_parts(cursor, vocabulary, table, nouns, values) for table in tables[:MAX_TABLES]]
    return [each for each in found if not each.is_empty]


def _parts(
    cursor: Cursor, vocabulary: Vocabulary, table: Table, nouns: list[_Found], values: list[_Found]
) -> Parts:
    parts = Parts(table, _figure(cursor), is_charted=not _CHARTS.isdisjoint(cursor.words))
    taken: set[int] = set()
    named: set[tuple[int, int, str]] = set()
    for each in (one for one in (*nouns, *values) if one.table.id == table.id):
        places = (each.at, each.end, each.column)
        if taken.isdisjoint(range(each.at, each.end)) or places in named:
            taken.update(range(each.at, each.end))
            named.add(places)
            if each.column:
                _add_value(parts, each.column, each.value, cursor, each.at)
    areas = {each.at: each for each in nouns if each.table.id != table.id}
    at = 0
    while at < len(cursor.tokens):
        after_by = at > 0 and not _BY.isdisjoint(cursor.words[max(at - 2, 0) : at])
        if after_by and at in areas:
            parts.group, cursor.at = parts.group or areas[at].table.name.replace("_", " "), areas[at].end
        elif at in taken or not _take_part(parts, cursor, vocabulary, at, taken, after_by=after_by):
            cursor.at = at + 1
        at = max(cursor.at, at + 1)
    return parts


def _take_part(
    parts: Parts, cursor: Cursor, vocabulary: Vocabulary, at: int, taken: set[int], *, after_by: bool
) -> bool:
    """Read a condition or a column at a token, if there is one; `taken`: the tokens of values and of the table."""
    cursor.at = at
    mention = take_column(cursor, vocabulary, (parts.table,))
    column = parts.table.column(mention.columns[0]) if mention and len(mention.columns) == 1 else None
    end = cursor.at
    if column is not None and is_flag(column) and not after_by:
        _add_value(parts, column.name, _yes(column), cursor, at)
        return True
    condition = _condition(cursor, vocabulary, parts.table, at)
    if condition and taken.isdisjoint(range(at, cursor.at)):
        parts.others.append(condition)
        return True
    if column is None or mention is None:
        return False
    cursor.at = end
    if after_by:
        parts.group = parts.group or mention.text
    else:
        parts.columns.append(mention.text)
        before = " ".join(cursor.words[max(at - 2, 0) : at])
        is_number = column.kind in ("integer", "number")
        parts.counts_column = parts.counts_column or (is_number and before in ("how many", "how much"))
    return True


def _add_value(parts: Parts, column: str, value: str, cursor: Cursor, at: int) -> None:
    """Add a value, denied by a word right before it."""
    denied = not _NOT.isdisjoint(cursor.words[max(at - MAX_NOT, 0) : at])
    values = parts.values[f"{column.replace('_', ' ')} is{' not' if denied else ''}"]
    values += [value] if value not in values else []


def _nouns(cursor: Cursor, vocabulary: Vocabulary) -> Iterator[_Found]:
    """The tables that are named."""
    at = 0
    while at < len(cursor.tokens):
        cursor.at = at
        mention = take_mention(cursor, vocabulary)
        table = vocabulary.table(mention.tables[0]) if mention is not None and mention.tables else None
        if mention is not None and table is not None and not mention.pronoun:
            yield _Found(at, cursor.at, table)
        at = max(cursor.at, at + 1)


def _values(cursor: Cursor, vocabulary: Vocabulary) -> Iterator[_Found]:
    """The values that are named, by all their words or by one of them."""
    at = 0
    while at < len(cursor.tokens):
        cursor.at = at
        in_capitals = cursor.tokens[at].text.isupper()  # `in` is not India
        for words, end in cursor.runs(most=MAX_VALUE_WORDS):
            known = [each for each in _called(words, vocabulary) if in_capitals or not is_short_code(each[2])]
            if known:
                yield from (_Found(at, end, *each) for each in known)
                at = end
                break
        else:
            at += 1


def _called(words: Sequence[str], vocabulary: Vocabulary) -> Sequence[Value]:
    """Values with these words, else the few values of a column with a word that the language has not."""
    known = vocabulary.values_called(tuple(words))
    (word, *more) = words
    if known or more or len(word) < MIN_LETTERS or word in language_words():
        return known
    found: list[Value] = []
    for table in vocabulary.few_tables:
        for column in (each for each in table.columns if each.kind == "text"):
            having = [each for each in column.samples if word in name_words(each)]
            named = having if len(having) <= MAX_WITH_WORD else ()
            found += [(table, column.name, each) for each in named]
    return found


def _tables_meant(nouns: Sequence[_Found], values: Sequence[_Found]) -> list[Table]:
    """The first table that is named, unless values of others come before; else those with most of the values."""
    begin = nouns[0].at if nouns else None
    before = [each for each in values if begin is None or each.at < begin]
    if begin is not None and (not before or nouns[0].table.id in {each.table.id for each in before}):
        return [nouns[0].table]
    places: dict[str, set[int]] = defaultdict(set)
    tables = {each.table.id: each.table for each in before}
    for each in before:
        places[each.table.id].add(each.at)
    most = max(map(len, places.values()), default=0)
    return [table for name, table in tables.items() if len(places[name]) == most]


def _figure(cursor: Cursor) -> str:
    for at in range(len(cursor.tokens)):
        cursor.at = at
        if cursor.take(*_COUNTED):
            return HOW_MANY
        if (word := cursor.word()) in STATISTICS or word in SUPERLATIVES:
            return word
    return ""


def _condition(cursor: Cursor, vocabulary: Vocabulary, table: Table, at: int) -> str:
    """The words of a condition on a time, a place or a number that begins at a token; empty without one."""
    cursor.at = at
    found: Condition | None = take_period(cursor)
    if found is None:
        found = Conditions(cursor, vocabulary, (table,)).one()
    if found is None or cursor.at == at or not _is_grounded(found, cursor, vocabulary):
        return ""
    return cursor.since(at)


def _is_grounded(condition: Condition, cursor: Cursor, vocabulary: Vocabulary) -> bool:
    """Whether a condition is about the data: not a number of something unknown, nor an unknown place."""
    if isinstance(condition, OneOf):
        return condition.how == "in" and bool(vocabulary.values_called(name_words(condition.text)))
    if isinstance(condition, Compare) and condition.column is None and isinstance(condition.value, Quantity):
        following = cursor.word()
        return condition.measure == "time" or not following or following in language_words()
    return isinstance(condition, Compare | Between | DatePart)


def _yes(column: Column) -> str:
    """The value of a yes/no column that means yes."""
    return next((each for each in column.samples if each.casefold() in YES - NO), "yes")
