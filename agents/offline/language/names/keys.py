"""Columns that number the rows of a table, and those by which the rows of two tables belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agents.domain import Column, Table
from agents.offline.language.words import name_words, word_set, words_of_things

_NUMBERING = word_set("no nr num number id code cd")
_NUMBERS = ("integer", "number")


class Link(NamedTuple):
    """Rows of two tables belong together where the column `own` of the first equals `other` of the second."""

    own: str
    other: str
    refers: bool
    """Each row of the first has one of the second at most; else it is the other way round."""
    declared: bool
    """By a foreign key; else by the columns' names alone."""
    named: bool = False
    """By the name of the rows, in a column that is called as they are: `country` of airports."""


def is_key_name(name: str) -> bool:
    """Whether a column of this name numbers the rows: `plan_no`."""
    return not _NUMBERING.isdisjoint(name_words(name))


def shared_key(table: Table, others: Sequence[Table]) -> list[str]:
    """The only column whose values number rows of other tables: `incidents per line`, by `line_no`. That is a foreign
    key, else the only number or code of theirs that this table has, too."""
    ids = {other.id for other in others}
    declared = list(dict.fromkeys(own for own, id, _ in table.references if id in ids))
    own = [each.name for each in table.columns if is_key_name(each.name) and each.name not in table.key]
    found = declared or [name for name in own if any(_numbers_rows(name, other) for other in others)]
    return found if len(found) == 1 else []


def _numbers_rows(name: str, table: Table) -> bool:
    """Whether a column of the table numbers its rows, and not what another column names: `country_code`."""
    about = tuple(word for word in name_words(name) if word not in _NUMBERING)
    named = any(name_words(each.name) == about and each.kind == "text" for each in table.columns)
    return table.column(name) is not None and not named


def links(table: Table, other: Table, known: Sequence[Table]) -> list[Link]:
    """The ways in which rows of two tables may belong together: foreign keys, else columns with the name of a key,
    else the column that has the rows' names.
    `known`: all tables that a name such as `reserve_id` may be about."""
    table, other = _stored(table, known), _stored(other, known)
    if table.id == other.id:
        return []
    declared = [Link(own, theirs, True, True) for own, id, theirs in table.references if id == other.id]
    declared += [Link(theirs, own, False, True) for own, id, theirs in other.references if id == table.id]
    if declared:
        return declared
    alike = [
        *(Link(own, theirs, True, False) for own, theirs in _named_alike(table, other, known)),
        *(Link(theirs, own, False, False) for own, theirs in _named_alike(other, table, known)),
    ]
    return alike or [
        *(Link(own, theirs, True, False, True) for own, theirs in _named_by_noun(table, other)),
        *(Link(theirs, own, False, False, True) for own, theirs in _named_by_noun(other, table)),
    ]


def _stored(table: Table, known: Sequence[Table]) -> Table:
    """The table whose rows a result has: the only one of which it has all columns. Others stand for themselves."""
    own = {each.name for each in table.columns}
    made_of = [
        each
        for each in (known if table.is_result else ())
        if not each.is_result and own.issuperset(c.name for c in each.columns if c.kind != "geometry")
    ]
    return made_of[0] if len(made_of) == 1 else table


def _named_alike(table: Table, other: Table, known: Sequence[Table]) -> Iterator[tuple[str, str]]:
    """Columns of the table that have the name of a key of the other one, or its noun before the number."""
    for column in table.columns:
        *about, last = name_words(column.name)
        own = other.column(column.name)
        if not about or column.kind not in ("text", *_NUMBERS):
            continue
        if own is not None:
            if _are_of_one_kind(column, own) and (is_key_name(column.name) or other.key == (column.name,)):
                yield column.name, column.name
        elif last in _NUMBERING:
            numbered = [each.id for each in known if _numbered_by(each, about) is not None]
            key = _numbered_by(other, about)
            if numbered == [other.id] and key is not None and _are_of_one_kind(column, key):
                yield column.name, key.name


def _named_by_noun(table: Table, other: Table) -> Iterator[tuple[str, str]]:
    """The column with the noun of the other table, which holds the names of its rows: `country` of airports."""
    noun = words_of_things(other.name)
    full = (*noun, "name")
    texts = [(each.name, name_words(each.name)) for each in other.columns if each.kind == "text"]
    names = [name for name, words in texts if words in (("name",), full)]
    for column in table.columns:
        if column.kind == "text" and len(names) == 1 and name_words(column.name) in (noun, full):
            yield column.name, names[0]


def _numbered_by(table: Table, noun: Sequence[str]) -> Column | None:
    """The key of a table with this noun if it is a bare number: `id` of `marine_reserve`, for `reserve_id`."""
    is_called = (*name_words(table.name),)[-len(noun) :] == (*noun,)
    key = table.column(table.key[0]) if is_called and len(table.key) == 1 else None
    return key if key is not None and _NUMBERING.issuperset(name_words(key.name)) else None


def _are_of_one_kind(one: Column, other: Column) -> bool:
    return one.kind == other.kind or {one.kind, other.kind} <= {*_NUMBERS}
