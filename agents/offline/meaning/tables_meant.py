"""Chooses among tables with the same noun: those with the columns and values that the request mentions.

`stations with pm10 above 30` means the table with such a column, `traffic stations` the one with such a
value. If several qualify, or more than `MAX_READ` would have to be read, the user is asked. `wells of
district 3` means all rows of a table whose comment is “Groundwater wells of district 3”.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from agents.domain import Layer, Table
from agents.geo.wording.phrases import MAX_LISTED, listed
from agents.offline.answers import refusals
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.comments import comment_head
from agents.offline.language.words import fold, name_words, singular
from agents.offline.meaning.conditions import (
    ColumnMention,
    Condition,
    Group,
    Mention,
    OneOf,
    all_of,
    parts_of,
)
from agents.offline.meaning.features import Features
from agents.offline.meaning.filters.resolver import to_cql2
from agents.offline.meaning.scene import Ask, Refuse, Scene, unless_refused
from agents.offline.meaning.spellings import unquoted
from agents.offline.meaning.steps import ColumnWords, Grouped

T = TypeVar("T")
MAX_READ = 16
"""Maximum number of tables queried for values in one request."""
_OF_PLACES = ("in", "of")
_OF_ROWS = ("kind", "is", "named")
"""Conditions on values of the rows themselves. Locations do not distinguish tables: the right one may have no
row there."""


async def tables_meant(scene: Scene, mention: Mention, parts: Any, others: Sequence[Mention] = ()) -> Mention:
    """The mention reduced to tables with all columns and values in `parts`, and that overlap the tables of `others`.

    Unchanged if none qualifies. `fen` in `area of fen` is read as a value of the rows, not as a place.
    """
    options = scene.vocabulary.tables(mention.tables)
    if len(options) < 2:
        return mention
    near = scene.vocabulary.tables([each for other in others for each in other.tables])
    options = tuple(table for table in options if any(_overlap(table, each) for each in near)) or options
    columns = [each for each in parts_of(parts) if isinstance(each, ColumnMention | ColumnWords)]
    fitting = [table for table in options if all(_has_column(table, each) for each in columns)]
    placed = [each for each in parts_of(parts) if isinstance(each, OneOf) and each.how in _OF_PLACES]
    fitting = [
        table for table in fitting if any(is_stated_for_all(table, each) for each in placed)
    ] or fitting
    values = [each for each in parts_of(parts) if isinstance(each, OneOf) and each.how in _OF_ROWS]
    for value in values if 1 < len(fitting) <= MAX_READ else ():
        fitting = [table for table in fitting if await _has_value(scene, table, value)]
    if not fitting and (named := next((each for each in values if each.how == "named"), None)) is not None:
        raise Refuse(refusals.NO_PLACE(text=unquoted(named.text)))
    kinds = [replace(each, how="kind") for each in placed if each.how == "of" and each.text.islower()]
    for value in kinds if 1 < len(fitting) <= MAX_READ else ():
        fitting = [table for table in fitting if await _has_value(scene, table, value)] or fitting
    return replace(mention, tables=tuple(table.id for table in fitting)) if fitting else mention


def with_rows_spoken_of(scene: Scene, meant: Any) -> Any:
    """The intent, or a part of it, with `those cities` replaced by the rows or layer mentioned before. Raises
    Refuse if there are none."""
    if isinstance(meant, Mention):
        return _resolve_those(scene, meant) if meant.is_those else meant
    if isinstance(meant, tuple):
        return tuple(with_rows_spoken_of(scene, each) for each in meant)
    if not is_dataclass(meant) or isinstance(meant, type):
        return meant
    parts = {each.name: getattr(meant, each.name) for each in fields(meant) if each.init}
    found = {name: with_rows_spoken_of(scene, part) for name, part in parts.items()}
    changed = {name: part for name, part in found.items() if part is not parts[name] and part != parts[name]}
    return replace(meant, **changed) if changed else meant


def refuse_partly_done(scene: Scene, meant: Any) -> None:
    """Raise Refuse for `them` after a request of which only a part was carried out: the other part may be meant."""
    if not scene.partly:
        return
    said = [each for each in parts_of(meant) if isinstance(each, Mention) and each.pronoun]
    unclear = [each.text for each in said if not each.is_those]
    of_first = parts_of(getattr(meant, "steps", ())[:1])
    unclear += [each.text or "them" for each in of_first if isinstance(each, Features) and each.previous]
    text = next((each for each in unclear if each.lower() not in _ONE), "")
    if text:
        there = listed([f"“{layer.name}”" for layer in scene.layers], most=MAX_LISTED)
        raise Refuse(refusals.PARTLY_DONE(text=text), refusals.LAYERS_ARE(names=there) if there else "")


_ONE = ("it", "this", "that")
"""Pronouns of one thing: the layer mentioned last."""


def refuse_unnamed_rows(scene: Scene, meant: Any) -> None:
    """Raise Refuse for a figure or colours that name no rows (`total length`, `and number of households`, `colour by
    level`, `total length per area`) after a request that was not carried out: it is about its rows, not about all."""
    steps = getattr(meant, "steps", ())
    is_one = any(isinstance(each, Features) and each.text.lower() in _ONE for each in parts_of(steps))
    if scene.unanswered and is_one and scene.layers and scene.recent_layer().count != 1:
        raise Refuse(refusals.ROWS_UNCLEAR())  # `within 30 miles of it`, of the one that was to be chosen
    first = next(iter(steps), None)
    of_groups = first.source.mention if isinstance(first, Grouped) else None
    if scene.unanswered and of_groups is not None and of_groups.text.lower() not in scene.unanswered:
        example = f"{scene.unanswered.strip(' ?!.')} of {of_groups.text}"
        raise Refuse(refusals.ROWS_UNCLEAR(), refusals.SAY_EXAMPLE(example=example))
    look = getattr(meant, "look", None)
    subject, column = getattr(meant, "subject", None), getattr(meant, "column", look.by if look else None)
    if not scene.unanswered or not isinstance(subject, Mention) or not isinstance(column, ColumnMention):
        return
    goes_on = scene.unanswered.startswith("and ") and subject.text.lower() not in scene.unanswered
    is_unnamed = subject.text == column.text or goes_on
    if is_unnamed and subject.tables and getattr(meant, "where", None) is None:
        table = scene.table(subject.tables[0]).name.replace("_", " ")
        what = getattr(meant, "what", "")
        figure = {"sum": "total", "mean": "average"}.get(what, what)
        example = f"{figure} {column.text} of {table}" if what else f"show {table} by {column.text}"
        example = refusals.SAY_EXAMPLE(example=example)
        raise Refuse(refusals.ROWS_UNCLEAR(), example)


def with_unnamed_rows(scene: Scene, meant: Any) -> Any:
    """The intent about the rows spoken of, if it is a figure that names no rows (`how many customers were affected`)
    and they are rows of its table."""
    subject, column = getattr(meant, "subject", None), getattr(meant, "column", None)
    if (
        not isinstance(subject, Mention)
        or not isinstance(column, ColumnMention)
        or subject.text != column.text
    ):
        return meant
    if scene.rows is not None and (not subject.tables or scene.rows.table in subject.tables):
        return replace(meant, subject=Mention("it", pronoun=True))
    # The layer mentioned last, or the one before that if the last is made of it by an analysis.
    recent = [layer for each in scene.recent[:2] if (layer := scene.vocabulary.layer(each)) is not None]
    layer = next((each for each in recent if each.table in subject.tables), None)
    if scene.rows is not None or layer is None:
        return meant
    return replace(meant, subject=Mention(subject.text, layers=(layer.id,)))


def steps_with_rows_spoken_of(scene: Scene, steps: Sequence[T]) -> tuple[T, ...]:
    """The steps of an analysis, with `those cities` replaced in the first one. Raises Refuse if a later step
    has it: it could mean an earlier step's result."""
    for each in parts_of(steps[1:]):
        if isinstance(each, Mention) and each.is_those:
            raise _not_mentioned_before(each)
    return (with_rows_spoken_of(scene, steps[0]), *steps[1:])


def _not_mentioned_before(mention: Mention) -> Refuse:
    return Refuse(refusals.NOT_SPOKEN_OF(text=mention.text, word=mention.text.split()[0]))


def _resolve_those(scene: Scene, mention: Mention) -> Mention:
    """The rows or layer mentioned last, if the noun fits; else the only layer that fits. Raises Refuse."""
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
        raise _not_mentioned_before(mention)
    return Mention(mention.text, layers=layers)


async def with_tables_meant(scene: Scene, intent: T) -> T:
    """The intent with its subject reduced to the tables that fit what it says."""
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
    return replace(intent, where=await _without_stated_places(scene, table, where))  # type: ignore[type-var]


async def _without_stated_places(scene: Scene, table: Table, where: Condition) -> Condition | None:
    """The condition without locations that the table's comment states for all rows and no column holds."""
    if isinstance(where, Group) and where.op == "and":
        return all_of(*[await _without_stated_places(scene, table, each) for each in where.parts])
    if not isinstance(where, OneOf) or not is_stated_for_all(table, where):
        return where
    return where if await _has_value(scene, table, where) else None


def is_stated_for_all(table: Table, value: OneOf) -> bool:
    """Whether the first sentence of the table's comment ends with this place."""
    place = re.escape(fold(unquoted(value.text)))
    pattern = rf"\b(?:of|in|from|for|within) (?:the )?{place}\s*(?:[.;:(]|$)"
    return value.how in _OF_PLACES and re.search(pattern, fold(table.comment or "")) is not None


def _overlap(table: Table, other: Table) -> bool:
    """Whether the extents of two tables overlap; true if one is unknown."""
    if table.bounds is None or other.bounds is None:
        return True
    west, south, east, north = table.bounds
    left, bottom, right, top = other.bounds
    across = west > east or left > right  # crosses the antimeridian
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
