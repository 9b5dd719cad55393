"""Which of several tables with the same noun are meant: those that have what is said of their rows.

`stations with pm10 above 30` are of the table that has such a column, `traffic stations` of the one with such a value.
Where several have it, or more than `MAX_READ` may have it, the person is asked. `wells of district 3` are all rows of a
table whose comment is “Groundwater wells of district 3”.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from agents.domain import Layer, Table
from agents.offline.answers import refusals
from agents.offline.language.column_names import columns_called
from agents.offline.language.words import comment_head, fold, name_words, singular
from agents.offline.meaning.conditions import (
    ColumnMention,
    Condition,
    Group,
    Mention,
    OneOf,
    all_of,
    parts_of,
)
from agents.offline.meaning.filters.resolver import to_cql2
from agents.offline.meaning.scene import Ask, Refuse, Scene, unless_refused
from agents.offline.meaning.spellings import unquoted
from agents.offline.meaning.steps import ColumnWords

T = TypeVar("T")
MAX_READ = 16
"""Tables whose values are looked up for one request: each look-up is a query."""
_OF_PLACES = ("in", "of")
_OF_ROWS = ("kind", "is", "named")
"""Values that rows have themselves. Where they lie tells nothing: no row of the right table may lie there."""


async def tables_meant(scene: Scene, mention: Mention, parts: Any, others: Sequence[Mention] = ()) -> Mention:
    """The mention with only those tables that have all columns and values in `parts`, and that lie where the `others`
    do, with which the rows have to do; unchanged where none has. `fen` in `area of fen` is not the name of a place, so
    it is a value of the rows."""
    options = scene.vocabulary.tables(mention.tables)
    if len(options) < 2:
        return mention
    near = scene.vocabulary.tables([each for other in others for each in other.tables])
    options = tuple(table for table in options if any(_meet(table, each) for each in near)) or options
    columns = [each for each in parts_of(parts) if isinstance(each, ColumnMention | ColumnWords)]
    fitting = [table for table in options if all(_has_column(table, each) for each in columns)]
    placed = [each for each in parts_of(parts) if isinstance(each, OneOf) and each.how in _OF_PLACES]
    fitting = [table for table in fitting if any(says_of_all(table, each) for each in placed)] or fitting
    values = [each for each in parts_of(parts) if isinstance(each, OneOf) and each.how in _OF_ROWS]
    for value in values if 1 < len(fitting) <= MAX_READ else ():
        fitting = [table for table in fitting if await _has_value(scene, table, value)]
    kinds = [replace(each, how="kind") for each in placed if each.how == "of" and each.text.islower()]
    for value in kinds if 1 < len(fitting) <= MAX_READ else ():
        fitting = [table for table in fitting if await _has_value(scene, table, value)] or fitting
    return replace(mention, tables=tuple(table.id for table in fitting)) if fitting else mention


def with_rows_spoken_of(scene: Scene, meant: Any) -> Any:
    """The intent, or a part of it, with `those cities` as the rows or the layer that were spoken of. Raises Refuse
    where there are none."""
    if isinstance(meant, Mention):
        return _spoken_of(scene, meant) if meant.is_those else meant
    if isinstance(meant, tuple):
        return tuple(with_rows_spoken_of(scene, each) for each in meant)
    if not is_dataclass(meant) or isinstance(meant, type):
        return meant
    parts = {each.name: getattr(meant, each.name) for each in fields(meant) if each.init}
    found = {name: with_rows_spoken_of(scene, part) for name, part in parts.items()}
    changed = {name: part for name, part in found.items() if part is not parts[name] and part != parts[name]}
    return replace(meant, **changed) if changed else meant


def steps_with_rows_spoken_of(scene: Scene, steps: Sequence[T]) -> tuple[T, ...]:
    """The steps of an analysis, the first one with rows that were spoken of before it. In a later one, `those cities`
    may be the result of a step before: raises Refuse."""
    for each in parts_of(steps[1:]):
        if isinstance(each, Mention) and each.is_those:
            raise _not_spoken_of(each)
    return (with_rows_spoken_of(scene, steps[0]), *steps[1:])


def _not_spoken_of(mention: Mention) -> Refuse:
    return Refuse(refusals.NOT_SPOKEN_OF(text=mention.text, word=mention.text.split()[0]))


def _spoken_of(scene: Scene, mention: Mention) -> Mention:
    """`them`, where the rows or the layer spoken of last are called so, else the only layer that is."""
    noun = singular(name_words(mention.text)[-1])

    def is_called_so(table: str, layer: Layer | None = None) -> bool:
        of_steps = layer is not None and noun in map(singular, comment_head(layer.name)[-1:])
        return table in mention.tables or of_steps or (layer is not None and layer.id in mention.layers)

    if scene.rows is not None and is_called_so(scene.rows.table):
        return Mention(mention.text, pronoun=True)
    last = scene.recent_layer() if scene.layers else None
    if scene.rows is None and last is not None and is_called_so(last.table, last):
        return Mention(mention.text, pronoun=True)
    layers = tuple(each.id for each in scene.layers if is_called_so(each.table, each))
    if len(layers) != 1:
        raise _not_spoken_of(mention)
    return Mention(mention.text, layers=layers)


async def with_tables_meant(scene: Scene, intent: T) -> T:
    """The intent about those tables that have what it says of them."""
    subject = getattr(intent, "subject", None)
    if not isinstance(subject, Mention):
        return intent
    meant = await tables_meant(scene, subject, intent)
    if meant is not subject:
        intent = replace(intent, subject=meant)  # type: ignore[type-var]
    (table, *others) = (*scene.vocabulary.tables(meant.tables), None)
    where = getattr(intent, "where", None)
    if table is None or others != [None] or where is None:
        return intent
    return replace(intent, where=await _unsaid(scene, table, where))  # type: ignore[type-var]


async def _unsaid(scene: Scene, table: Table, where: Condition) -> Condition | None:
    """The condition without what the table's comment says of all its rows and no column tells."""
    if isinstance(where, Group) and where.op == "and":
        return all_of(*[await _unsaid(scene, table, each) for each in where.parts])
    if not isinstance(where, OneOf) or not says_of_all(table, where):
        return where
    return where if await _has_value(scene, table, where) else None


def says_of_all(table: Table, value: OneOf) -> bool:
    """Whether the comment's first sentence ends with the place, or names nothing after it."""
    place = re.escape(fold(unquoted(value.text)))
    pattern = rf"\b(?:of|in|from|for|within) (?:the )?{place}\s*(?:[.;:(]|$)"
    return value.how in _OF_PLACES and re.search(pattern, fold(table.comment or "")) is not None


def _meet(table: Table, other: Table) -> bool:
    """Whether the boxes around two tables have something in common; those that are not known may."""
    if table.bounds is None or other.bounds is None:
        return True
    west, south, east, north = table.bounds
    left, bottom, right, top = other.bounds
    across = west > east or left > right  # of the antimeridian
    return (across or (west <= right and left <= east)) and south <= top and bottom <= north


def _has_column(table: Table, mention: ColumnMention | ColumnWords) -> bool:
    if isinstance(mention, ColumnWords):
        return bool(columns_called((table,), name_words(mention.text)))
    called = not mention.columns or any(table.column(name) for name in mention.columns)
    return called or bool(columns_called((table,), name_words(mention.text)))


async def _has_value(scene: Scene, table: Table, value: OneOf) -> bool:
    try:
        return await unless_refused(to_cql2(scene, table, value)) is not None
    except Ask:
        return True
