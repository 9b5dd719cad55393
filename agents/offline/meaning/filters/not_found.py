"""Refusals of values that no row has, with the nearest ones."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Column, Table
from agents.geo.wording.phrases import listed
from agents.offline.answers import refusals
from agents.offline.language.words import fold, nearest
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.scene import Refuse, Scene, unless_failed
from agents.offline.meaning.spellings import place_forms
from agents.offline.meaning.stored_values import stored_values

MAX_PLACES = 5
"""Similar names of places that are compared with a value that no row has."""


async def no_value(scene: Scene, table: Table, column: Column, text: str) -> Refuse:
    """A refusal with the nearest values of the column."""
    values = await _values_of(scene, table, column)
    close = nearest(text, values, 3)
    examples = close or values[:5]
    hint = refusals.EXAMPLES(values=", ".join(examples)) if examples else ""
    reason = refusals.NO_ROW_AS(table=table.title, text=text, column=column.name)
    return Refuse(reason, hint, wrong=text, names=close)


async def nowhere(scene: Scene, table: Table, columns: Sequence[Column], text: str) -> Refuse:
    """A refusal with the nearest values of all columns, and names of places, to correct a typing mistake."""
    values = [item for column in columns[:4] for item in await _values_of(scene, table, column)]
    places = await unless_failed(scene.data.find_place(text, limit=MAX_PLACES))
    values += [each.name for each in places.places] if places is not None else []
    others = [each for each in dict.fromkeys(values) if len(each) > 3 and fold(each) != fold(text)]
    close = nearest(text, others, 3, score=75)
    hint = refusals.DID_YOU_MEAN(names=listed(close, "or")) if close else ""
    own = name_column(table)
    if own is not None and own not in columns and await stored_values(scene, table, [own], place_forms(text)):
        hint = refusals.IS_NAME(table=table.name.replace("_", " "), text=text)
    if not hint and columns:
        hint = refusals.LOOKED_IN(columns=", ".join(column.name for column in columns[:8]))
    return Refuse(refusals.NO_ROW_VALUE(table=table.title, text=text), hint, wrong=text, names=close)


async def _values_of(scene: Scene, table: Table, column: Column) -> list[str]:
    stats = await unless_failed(scene.data.stats(table.id, column.name)) or {}
    values = [str(entry["value"]) for entry in stats.get("top", ()) if entry.get("value") is not None]
    return values or list(column.samples)
