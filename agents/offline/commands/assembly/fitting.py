"""Which tables a question may be about, and whether a condition makes sense for one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import Any

from agents.domain import Table
from agents.offline.commands.assembly.piece import MAX_VALUE_WORDS
from agents.offline.language.conditions.explained_numbers import explains_number
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import STATISTICS
from agents.offline.language.names.columns import (
    columns_called,
    fact_columns,
    measure_columns,
    of_some_people,
)
from agents.offline.language.names.costs import years_in
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import is_plural, name_words, word_set
from agents.offline.meaning import intents as i
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    Group,
    Matches,
    Negation,
    OneOf,
    Quantity,
)
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.spellings import split_values
from agents.shared_tables import KeptForShared

MAX_TABLES, MAX_OTHERS, MAX_BY_VALUE = 4, 3, 2
"""Maximum numbers of tables: named, found by words for their columns, found by their values."""
_OF_FIGURES = frozenset((*STATISTICS, "per", "by", "year", "month", "day", "number"))
"""Words of figures, which name no table."""
FEWEST_WORDS = 2
"""Minimum number of words for columns of a table that is not named."""
_NEUTRAL_WORDS = word_set("""
    the a an all our your their its we us me i you they there it is are was were be been do does did has have had get
    gets got hold holds contain contains record recorded receive received see saw what what's which who please tell give
    list find compute calculate determine return then still already currently world
    world's lives live living ? ! . , : ; - – —
""")
"""Words and signs without meaning in a question that is read by pieces."""


def fits(condition: Any, text: str, table: Table, vocabulary: Vocabulary) -> bool:
    """Whether a condition is plausible: text columns are compared with texts, numbers with numbers.

    Names of other rows (`in tracts`) and columns (`in population`) are not values.
    """
    if {"each", "every"} & set(text.split()):
        return False  # a group
    match condition:
        case Negation(inner):
            return fits(inner, text, table, vocabulary)
        case Group(_, parts):
            return all(fits(each, text, table, vocabulary) for each in parts)
        case Compare(value=bool()):
            return True
        case Compare(column=None, measure=measure) | Between(column=None, measure=measure):
            is_known = measure in ("", "time") or measure_columns(table, measure)
            return bool(is_known) or _unit_of(condition) is not None
        case Compare(column=column) | Between(column=column):
            return _are_of_kind(table, column, "integer", "number", "date", "timestamp")
        case OneOf(column=None):
            words = name_words(condition.text)
            if columns_called((table,), words) and not is_value(condition.text, vocabulary, table):
                return False
            other = vocabulary.match_table(words) if words else None
            return other is None or other.guessed or other.length < len(words)
        case OneOf(column=column):
            return _are_of_kind(table, column, "text", "boolean") or _is_explained(table, condition)
        case Matches(how, _, column):
            has_verb = how != "contains" or any(
                word in text for word in ("contain", "includ", "match", "like")
            )
            is_text = column is None or (len(column.columns) == 1 and _are_of_kind(table, column, "text"))
            return has_verb and is_text and (column is None or not _are_other_rows(column, table, vocabulary))
        case _:
            return True


def _are_other_rows(column: ColumnMention, table: Table, vocabulary: Vocabulary) -> bool:
    """Whether a plural is the noun of another table's rows: `cities ending in burg`, beside a column `city`."""
    called = vocabulary.tables_called(column.text) if is_plural(column.text) else ()
    return bool(called) and table not in called


def columns_of(condition: Any) -> tuple[str, ...]:
    """The columns that a condition names; empty if none."""
    if isinstance(condition, Negation):
        return columns_of(condition.inner)
    column = getattr(condition, "column", None)
    return column.columns if isinstance(column, ColumnMention) else ()


def _are_of_kind(table: Table, mention: ColumnMention | None, *kinds: str) -> bool:
    """Whether all columns of a mention are of these kinds."""
    own = [table.column(name) for name in mention.columns] if mention is not None else []
    return all(each is not None and each.kind in kinds for each in own)


def _is_explained(table: Table, condition: OneOf) -> bool:
    """Whether comments explain the numbers of the values: `high confidence` of “confidence 1 low, 2 medium, 3
    high”."""
    own = [table.column(name) for name in condition.column.columns] if condition.column is not None else []
    return all(each is not None and explains_number(each, condition.text) for each in own)


def is_value(text: str, vocabulary: Vocabulary, table: Table | None = None) -> bool:
    """Whether a text is a known value, of this table if given."""
    known = vocabulary.values_called(name_words(text.removeprefix("the ")))
    return any(table is None or own.id == table.id for own, _, _ in known)


def are_values(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a text is a known value or the word of a flag (`capital`), or each item of a list is: `kenya and
    tanzania`."""
    is_known = is_value(text, vocabulary) or " ".join(name_words(text)) in vocabulary.index.by_flag
    return is_known or all(is_value(each, vocabulary) for each in split_values(text))


def is_neutral(word: str, vocabulary: Vocabulary, table: Table) -> bool:
    """Whether a word has no meaning in a question about the table; `live` has one if it is the state of mains, and is
    not said of people who were warned."""
    if word in _LIVE and any(of_some_people(each) for each in table.columns):
        return False
    return word in _NEUTRAL_WORDS and not (len(word) > _SHORTEST and is_value(word, vocabulary, table))


_LIVE = word_set("live lives living")
_SHORTEST = 3
"""Maximum length of words that are never values: articles, pronouns and forms of `be`."""


def _unit_of(condition: Compare | Between) -> Any:
    value = condition.value if isinstance(condition, Compare) else condition.low
    return value.unit if isinstance(value, Quantity) else None


def named_tables(cursor: Cursor, vocabulary: Vocabulary, start: int) -> list[Table]:
    """The tables whose rows the request names."""
    found: dict[str, Table] = {}
    for at in range(start, cursor.end):
        cursor.at = at
        words, _ = cursor.keys()
        match = vocabulary.match_table(words) if words else None
        for table in match.found if match is not None and not match.guessed else ():
            found.setdefault(table.id, table)
    return [*found.values()][:MAX_TABLES]


def likely_tables(cursor: Cursor, vocabulary: Vocabulary, start: int) -> list[Table]:
    """Tables that the request may be about: with most words for their columns, and with values of theirs."""
    words = {
        word for token in cursor.tokens[start : cursor.end] for word in name_words(token.text)
    } - _OF_FIGURES
    with_words = _by_column_word(vocabulary.few_tables)
    named = Counter(table for word in words for table in with_words.get(word, ()))
    having: Counter[str] = Counter()
    for at in range(start, cursor.end):
        cursor.at = at
        keys, _ = cursor.keys(most=MAX_VALUE_WORDS)
        for length in range(1, len(keys) + 1):
            tables = {each.id for each, _, _ in vocabulary.values_called(keys[:length])}
            having.update(dict.fromkeys(tables, length + 1))
    ranked = [_first_tables(named, MAX_OTHERS), _first_tables(having, MAX_BY_VALUE)]
    chosen = dict.fromkeys(each for names in ranked for each in names)
    return [table for table in map(vocabulary.table, chosen) if table is not None]


def _first_tables(scores: Mapping[str, int], most: int) -> list[str]:
    likely = [each for each in scores if scores[each] >= FEWEST_WORDS or len(scores) == 1]
    return sorted(likely, key=lambda each: (-scores[each], each))[:most]


@KeptForShared
def _by_column_word(tables: Sequence[Table]) -> Mapping[str, Set[str]]:
    """Ids of tables by the words of the names and comments of their columns."""
    found: dict[str, set[str]] = defaultdict(set)
    for table in tables:
        for column in table.columns:
            for word in (*name_words(column.name), *name_words(column.comment or "")):
                found[word].add(table.id)
    return found


def compares_areas(meant: i.Count, vocabulary: Vocabulary) -> bool:
    """Whether the rows are counted in two places that only another table names."""
    both = [each for each in (meant.where, meant.versus) if isinstance(each, OneOf) and each.column is None]
    known = [
        {table.id for table, _, _ in vocabulary.values_called(name_words(each.text))}
        for each in both
        if meant.versus is not None
    ]
    return len(known) == 2 and all(each and each.isdisjoint(meant.subject.tables) for each in known)


def names_no_fact(meant: i.Lookup, vocabulary: Vocabulary) -> bool:
    """Whether no table has a column for the fact."""
    return not any(fact_columns(table, meant.words) for table in vocabulary.few_tables)


def may_be_groups(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a text ends with a year, or is a value of columns that neither hold names of rows nor are called after
    other rows (the `country` of cities, beside countries)."""
    known = {each[:2] for each in vocabulary.values_called(name_words(text))}
    names = {(table, name.name) for table, _ in known if (name := name_column(table)) is not None}
    called = [(table, vocabulary.match_table(name_words(column))) for table, column in known]
    refers = any({*match.found} - {table} for table, match in called if match is not None)
    return bool(years_in(text.split()[-1])) or (bool(known) and known.isdisjoint(names) and not refers)


def is_of_others(text: str, meant: Any, vocabulary: Vocabulary) -> bool:
    """Whether a text is a value of other tables only: `inspections of restaurants`."""
    subject = getattr(meant, "subject", None)
    tables = subject.tables if subject is not None else ()
    known = {each.id for each, _, _ in vocabulary.values_called(name_words(text.removeprefix("the ")))}
    return text[:1].islower() and bool(tables) and bool(known) and known.isdisjoint(tables)
