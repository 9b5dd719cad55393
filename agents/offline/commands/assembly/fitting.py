"""Checks whether a condition makes sense for a table, and whether a text is a known value."""

from __future__ import annotations

from typing import Any

from agents.domain import Table
from agents.offline.language.conditions.explained_numbers import explains_number
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, word_set
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
            return has_verb and (
                column is None or (len(column.columns) == 1 and _are_of_kind(table, column, "text"))
            )
        case _:
            return True


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


def is_neutral(word: str, vocabulary: Vocabulary, table: Table) -> bool:
    """Whether a word has no meaning in a question about the table; `live` has one if it is the state of mains."""
    return word in _NEUTRAL_WORDS and not (len(word) > _SHORTEST and is_value(word, vocabulary, table))


_SHORTEST = 3
"""Maximum length of words that are never values: articles, pronouns and forms of `be`."""


def _unit_of(condition: Compare | Between) -> Any:
    value = condition.value if isinstance(condition, Compare) else condition.low
    return value.unit if isinstance(value, Quantity) else None
