"""Colours of single values, as the table stores them: `fatal in red, the rest in grey`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Column, Cql2, Table
from agents.geo.styling.colours import colour_name
from agents.geo.styling.ramps import DEFAULT_QUALITATIVE, QUALITATIVE
from agents.offline.answers import refusals
from agents.offline.language.conditions.explained_numbers import numbers_explained
from agents.offline.language.conditions.flags import NO, YES, answers, flag_values, is_flag_named
from agents.offline.language.words import fold, name_words, word_set
from agents.offline.meaning.columns import is_number, named_column
from agents.offline.meaning.conditions import ColumnMention
from agents.offline.meaning.cql2 import conjuncts
from agents.offline.meaning.intents import Look
from agents.offline.meaning.row_names import name_column, text_columns
from agents.offline.meaning.scene import Refuse, Scene
from agents.offline.meaning.spellings import adjective_forms
from agents.offline.meaning.stored_values import stored_values

GREYS = frozenset(("grey", "gray", "lightgrey", "lightgray", "darkgrey", "darkgray"))
"""Colours accepted for values without a colour of their own, which are drawn in grey."""


async def with_stored_values(scene: Scene, table: Table, look: Look, where: Cql2 | None = None) -> Look:
    """The style with values as stored and their column. `where`: the rows' filter, whose values may be told apart.
    Raises Refuse if no column has all values."""
    if look.apart:
        return replace(look, apart=False, by=_told_apart(table, where))
    if not look.values:
        return look
    named = [(words, color) for words, color in look.values if words.lower() not in _OTHERS]
    others = [color for words, color in look.values if words.lower() in _OTHERS]
    if not named:
        raise Refuse(refusals.OTHERS_COLOUR())
    flags = [each for each in table.columns if each.kind == "boolean"]
    columns = [*text_columns(table), *flags] if look.by is None else [named_column(scene, table, look.by)]
    missing = named[0][0]
    for column in columns:
        found: list[tuple[Any, str]] = []
        for words, color in named:
            stored = await _stored(scene, table, column, words)
            found += [(each, color) for each in stored]
            if not stored:
                missing = words
                break
        else:
            mention = ColumnMention(column.name, (column.name,))
            coloured = [color for color in others if color not in GREYS]
            if coloured and not answers(column):
                raise Refuse(refusals.OTHERS_COLOUR())
            found += [(each, color) for color in coloured for each in flag_values(column, False)]
            is_drawn = look.by is not None or named[0][1] in GREYS  # `closed ones in grey`
            free = _other_colours(column, found) if is_drawn and len(look.values) == 1 else ()
            return replace(look, by=mention, values=(*found, *free))
    looked = refusals.LOOKED_IN(columns=", ".join(column.name for column in columns[:8]))
    raise Refuse(refusals.NO_ROW_VALUE(table=table.title, text=missing), looked)


def _told_apart(table: Table, where: Cql2 | None) -> ColumnMention:
    """The column of which a filter allows several values: `cities of France and Spain in different colours`."""
    lists = [each["args"][0]["property"] for each in conjuncts(where) if each["op"] == "in"]
    named = name_column(table) if table.is_result else None
    lists = (
        [named.name] if named is not None and not lists else lists
    )  # `dissolve by …, colour each one differently`
    if len(lists) != 1:
        raise Refuse(refusals.COLOURS_OF_WHAT(), refusals.SAY_BY(table=table.title))
    return ColumnMention(lists[0], (lists[0],))


def _other_colours(column: Column, chosen: Sequence[tuple[Any, str]]) -> Sequence[tuple[Any, str]]:
    """Colours for the other common values of a column: `by condition, red for very bad`."""
    taken = {colour_name(color) for _, color in chosen}
    taken |= {"vermilion"} if "red" in taken else set()  # hardly to be told apart
    free = [each for each in QUALITATIVE[DEFAULT_QUALITATIVE] if colour_name(each) not in taken]
    others = [each for each in column.samples if each not in {value for value, _ in chosen}]
    return tuple(zip(others, free, strict=False))


_OTHERS = word_set("rest other others else") | {"the rest", "the others", "all others", "everything else"}


async def _stored(scene: Scene, table: Table, column: Column, words: str) -> Sequence[Any]:
    if answers(column) and is_flag_named(column, name_words(words)):
        return flag_values(column, True)  # `new builds in red`
    if column.kind == "boolean":
        return flag_values(column, fold(words) in YES) if fold(words) in YES | NO else []
    if is_number(column):
        explained = numbers_explained(column.comment).get(name_words(words))
        if words.replace(".", "", 1).isdigit():
            return [float(words)]
        return [] if explained is None else [explained]
    found = await stored_values(scene, table, [column], adjective_forms(words))
    return found.get(column.name, [])
