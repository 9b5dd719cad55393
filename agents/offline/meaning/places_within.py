"""Places of one name in several wider ones, by a table's own columns: `in Paris, Texas`, and which `in Paris` means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.domain import Column, Cql2, Table
from agents.offline.answers import refusals
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.place_meant import MAX_OFFERED, place_meant
from agents.offline.meaning.scene import Ask, Refuse, Scene
from agents.offline.meaning.spellings import place_forms
from agents.offline.meaning.stored_values import equals, stored_values

PLACES = (
    word_set("country nation continent"),
    word_set("state region province territory subregion land bundesland admin canton zone"),
    word_set("county department district kreis commune municipality"),
    word_set("city town place location borough area"),
)
"""Columns that say where something is, wide ones first: `in Peru` is the country, not the town in Indiana."""


async def place_within(scene: Scene, table: Table, columns: Sequence[Column], text: str) -> Cql2 | None:
    """`Paris, Texas`: the rows of a place that lie in the wider one after the comma. None where the words are no such
    pair. Raises Refuse where no row lies in both."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or {"and", "or"} & set(text.lower().split()):
        return None
    found = [await stored_values(scene, table, columns, place_forms(part)) for part in parts]
    narrow, wide = (next((each for each in columns if each.name in stored), None) for stored in found)
    if narrow is None or wide is None or _width(wide) >= _width(narrow):
        return None
    both = _both(equals(narrow.name, found[0][narrow.name]), equals(wide.name, found[1][wide.name]))
    if not await scene.data.count(table.id, both):
        raise Refuse(refusals.NO_ROW_VALUE(table=table.title, text=text))
    return both


async def one_place(
    scene: Scene, table: Table, columns: Sequence[Column], name: str, values: list[Any]
) -> Cql2:
    """The rows with these values of a column. Where they lie in several wider places, those in that of the best known
    place of that name; raises Ask where none is known best."""
    own = equals(name, values)
    column = next(each for each in columns if each.name == name)
    for wider in columns:
        if _width(wider) >= _width(column) or _width(column) == len(PLACES):
            continue
        top = (await scene.data.stats(table.id, wider.name, own)).get("top", ())
        where = [str(each["value"]) for each in top if each.get("value") is not None]
        if len(where) > 1:
            options = {f"{values[0]}, {each}": each for each in where[:MAX_OFFERED]}
            known = await _best_known(scene, str(values[0]), where)
            chosen = known or options[_asked(scene, str(values[0]), list(options))]
            return _both(own, equals(wider.name, [chosen]))
    return own


async def _best_known(scene: Scene, name: str, where: Sequence[str]) -> str | None:
    """The wider place in which the best known place of that name lies."""
    try:
        place = await place_meant(scene, name)
    except (Ask, Refuse):
        return None
    within = [part.strip() for part in place.detail.split(",")]
    return next((each for each in where if each in within), None)


def _asked(scene: Scene, name: str, options: Sequence[str]) -> str:
    question = refusals.WHICH_PLACE(name=name, places="; ".join(options[:-1]), last=options[-1])
    return scene.choose(options, question, name)


def _both(one: Cql2, other: Cql2) -> Cql2:
    return {"op": "and", "args": [one, other]}


def is_wide(column: Column) -> bool:
    """Whether it says in which country or region a row is."""
    return _width(column) < 2


def _width(column: Column) -> int:
    """Where its kind of place is among PLACES: `land` and `land_name` are one, `land_use` is not."""
    words = name_words(column.name)
    noun = words[-2] if len(words) > 1 and words[-1] in ("name", "code") else words[-1]
    return next((place for place, likely in enumerate(PLACES) if noun in likely), len(PLACES))
