"""How columns relate to verbs: the date of an action, or a number that was given."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.domain import Column, Table
from agents.offline.language.lexicon import ABBREVIATIONS
from agents.offline.language.names.comments import comment_head
from agents.offline.language.words import are_forms, doers_of, english, fold, name_words, word_set
from agents.offline.meaning.units import column_unit

_MIN_STEM = 3
"""Minimum length of a value that a participle may come from."""
_YEARS = word_set("year yr")
_OF_DATES = word_set("date day dt time at of on the when was")
"""Words in comments of dates that carry no further meaning."""


def is_empty_where_not(column: Column, done: str) -> bool:
    """Whether the column's comment says “empty where never counted”, or “empty = not counted”."""
    denied = _EMPTY_WHERE.search(column.comment or "")
    return denied is not None and done in name_words(denied[1])


_EMPTY_WHERE = re.compile(r"(?i)\bempty (?:where|when|if|=) ((?:not|never)\b[^;.]*)")


_ONLY_WHERE = re.compile(r"(?i)\bonly (?:where|when|if) ((?!not\b|never\b)[^;.,()]*)")


def words_where_held(column: Column) -> tuple[str, ...]:
    """The words of the column's comment for the rows that have a value: `airlines fly` of “only where airlines fly”."""
    held = _ONLY_WHERE.search(column.comment or "")
    return tuple(fold(held[1]).split()) if held is not None else ()


def is_given_by(column: Column, done: str) -> bool:
    """Whether a number results from the action: `cond_rating` for `rated`; not a year or quantity with a unit."""
    words = (*name_words(column.name), *comment_head(column.comment))
    is_year = _YEARS & {*words, *name_words(column.comment or "")}
    if column.kind not in ("integer", "number") or is_year or column_unit(column) is not None:
        return False
    return any(are_forms(done, each) or done in ABBREVIATIONS.get(each, ()) for each in words)


def records(column: Column, done: str) -> bool:
    """Whether a column records the action: `last_insp` or “Date of the last inspection” for `inspected`."""
    own = name_words(column.name)
    words = (*own, *name_words(column.comment or ""))
    return any(are_forms(done, each) for word in words for each in (word, *ABBREVIATIONS.get(word, ())))


def records_only_action(column: Column, done: str) -> bool:
    """Whether a column records only this action: “Closed or restricted since” records two."""
    words = (name_words(column.comment or ""), name_words(column.name))
    content = next((own for each in words if (own := set(each) - _OF_DATES)), set())
    return bool(content) and all(
        are_forms(done, each) or done in ABBREVIATIONS.get(each, ()) for each in content
    )


def columns_of_doers(tables: Sequence[Table], verb: str) -> list[str]:
    """The columns that are called like the agent of a verb: `winner` for `won`."""
    stem = english().irregular.get(verb, verb.removesuffix("ed"))
    doers = doers_of(stem) if len(stem) >= _MIN_STEM else frozenset()
    own = (each.name for table in tables for each in table.columns)
    return [name for name in dict.fromkeys(own) if set(name_words(name)) <= doers]


def outcome_of(tables: Sequence[Table], done: str) -> tuple[str, str] | None:
    """The only column and value that match the verb (`Fail` for `failed`), unless a column is named after the verb.
    `used` is not the country `US`."""
    stems = {stem for ending in ("ed", "d") if len(stem := done.removesuffix(ending)) >= _MIN_STEM}
    own = [each for table in tables for each in table.columns]
    found = {(c.name, value) for c in own if c.kind == "text" for value in c.samples if fold(value) in stems}
    is_other = any(are_forms(done, word) for each in own for word in name_words(each.name))
    return found.pop() if len(found) == 1 and not is_other else None
