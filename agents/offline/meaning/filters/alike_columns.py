"""Values that several columns may have, or that a column has as numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from agents.domain import Cql2, Table
from agents.offline.answers import refusals
from agents.offline.language.conditions.explained_numbers import (
    code_explained,
    greatest_is_worst,
    number_explained,
    numbers_explained,
)
from agents.offline.language.names.rows import columns_alike
from agents.offline.language.words import name_words
from agents.offline.meaning.scene import Refuse, Scene
from agents.offline.meaning.stored_values import columns_in, equals, stored_values

_OR_WORSE = re.compile(r"(.+?),? (?:or|and) (better|worse)", re.IGNORECASE)
_NOT = frozenset(("no", "not", "non", "never", "without"))


async def in_any_alike(scene: Scene, table: Table, name: str, values: Sequence[Any]) -> Cql2:
    """The rows with one of the values in this column or in one for the same thing: `accidents with a pedestrian`."""
    found = [equals(name, values)]
    for column in columns_alike(table, name):
        stored = await stored_values(scene, table, [column], [str(each) for each in values])
        found += [equals(column.name, own) for own in stored.values()]
    return found[0] if len(found) == 1 else {"op": "or", "args": found}


def without_or_worse(text: str) -> str | None:
    """`bad condition` of `bad condition or worse`; else None."""
    found = _OR_WORSE.fullmatch(text)
    return found[1] if found is not None else None


def or_worse(table: Table, least: Cql2, text: str) -> Cql2:
    """The rows from a value on, of numbers on a scale that the comment explains: `bad condition or worse`. Raises
    Refuse."""
    column = next((table.column(name) for name in columns_in(least)), None)
    upwards = greatest_is_worst(column.comment) if column is not None and column.kind == "integer" else None
    if upwards is None or least["op"] != "=":
        raise Refuse(refusals.NO_ROW_VALUE(table=table.title, text=text))
    return {"op": ">=" if upwards is text.lower().endswith("worse") else "<=", "args": least["args"]}


def by_explanation(table: Table, text: str) -> Cql2 | None:
    """The rows with the number or code that a comment explains so."""
    if (number := number_explained(table.columns, text)) is not None:
        return equals(number[0], [number[1]])
    if (code := code_explained(table.columns, text)) is not None:
        return equals(code[0], [code[1]])
    return numbers_with(table, text)


def numbers_with(table: Table, text: str) -> Cql2 | None:
    """The rows with the numbers whose explanations begin with these words, if one column has any: `urgent` of
    “1 = urgent”, `in the dark` of “3 = dark with lighting, 4 = dark without”."""
    words = name_words(text.removeprefix("the "))
    found = {
        column.name: numbers
        for column in table.columns
        if column.kind == "integer"
        and (
            numbers := [
                number
                for explained, number in numbers_explained(column.comment).items()
                if words and explained[: len(words)] == words and not _NOT & {*explained[:1]}
            ]
        )
    }
    return equals(*next(iter(found.items()))) if len(found) == 1 else None
