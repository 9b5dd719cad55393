"""Rows that share a name, such as the posts of a stop, rows with several names, and what tells namesakes apart: the
wider place that a row is in."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from agents.domain import Column, Cql2, Place, Table
from agents.geo.place_names import CONTINENTS
from agents.offline.answers import refusals
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.rows import are_pieces_of
from agents.offline.language.names.singulars import shown_singular
from agents.offline.language.words import fold, name_words, word_set, words_of_things
from agents.offline.meaning.cql2 import equals
from agents.offline.meaning.row_names import text_columns
from agents.offline.meaning.scene import Refuse, Scene
from agents.offline.meaning.spellings import place_forms
from agents.offline.meaning.stored_values import stored_values

MAX_NEAR = 3
"""Maximum number of names offered."""
MAX_APART_KM = 1.0
"""Maximum height and width of the extent of rows that are one place."""
MAX_ROAD_KM = 20.0
"""The same of the segments of one road; roads farther apart that share a name are in different towns."""
_KM_PER_DEGREE = 111.2
_JOINT_NAMES = re.compile(r"\s*[&/+]\s*|\s+(?:and|und|et|y|e|en)\s+")


class SameNames(Refuse):
    """Several places whose names do not tell them apart."""

    def __init__(self, places: Sequence[Place], reason: str, alternative: str) -> None:
        super().__init__(reason, alternative)
        self.places = places


def not_there(scene: Scene, text: str, alike: Sequence[str], elsewhere: Sequence[Place]) -> Refuse:
    """The refusal of a place that is not found. `elsewhere`: places of that name, but not in the part of the world
    after the comma."""
    near = list(dict.fromkeys(map(full_name, elsewhere) if elsewhere else alike))[:MAX_NEAR]
    if elsewhere:
        name, _, where = text.strip('"').partition(",")
        why = refusals.NO_PLACE_THERE(name=name.strip(), where=where.strip())
        return Refuse(why, refusals.THERE_ARE(names="; ".join(near)), wrong=text, names=near)
    hint = refusals.NEAREST(names=", ".join(near)) if near else refusals.THERE_ARE(names=scene.some_tables())
    return Refuse(refusals.NO_PLACE(text=text), hint, wrong=text, names=near)


def are_one_place(places: Sequence[Place], table: Table) -> bool:
    """Whether all places are rows of the table with the same name that lie close together; the segments of a road may
    be farther apart."""
    apart = MAX_ROAD_KM if are_pieces_of(table, words_of_things(table.name)) else MAX_APART_KM
    same = len({(each.table, each.name.casefold()) for each in places}) == 1
    latitudes, longitudes = [each.latitude for each in places], [each.longitude for each in places]
    height = (max(latitudes) - min(latitudes)) * _KM_PER_DEGREE
    width = (max(longitudes) - min(longitudes)) * _KM_PER_DEGREE * math.cos(math.radians(latitudes[0]))
    return same and max(height, width) <= apart


def without_repeated(places: Sequence[Place]) -> list[Place]:
    """The places of tables that have their name once, if there are any: a reef, and not the surveys of it."""
    names = Counter((each.table, fold(each.name)) for each in places)
    return [each for each in places if names[each.table, fold(each.name)] == 1] or [*places]


def is_one_of_joint(place: Place, text: str, scene: Scene) -> bool:
    """Whether an area has several names, of which `text` is one: `Headingley` of “Headingley & Hyde Park”."""
    names = _JOINT_NAMES.split(fold(place.name))
    return len(names) > 1 and fold(text) in names and scene.table(place.table).geometry_family == "polygon"


def full_name(place: Place) -> str:
    """A place's name with its location if known: `Paris, France`; else with its kind."""
    parts = [part.strip() for part in place.detail.split(",")]
    where = ", ".join(part for part in parts if part and part not in CONTINENTS)
    noun = place.table.rpartition(".")[2].replace("_", " ").lower()
    kind = noun if shown_singular(noun) == noun else place.kind
    return f"{place.name}, {where}" if where else f"{place.name} ({kind})"


PLACES = (
    word_set("country nation continent"),
    word_set("state region province territory subregion land bundesland admin canton zone"),
    word_set("county department district kreis commune municipality"),
    word_set("city town place location borough area parish ward"),
)
"""Words in columns that give locations, widest first: `in Peru` means the country, not the town in Indiana."""
_OF_KIND = re.compile(
    rf"(?i)(?:the )?(?:(?P<wide>(?!the\b)[^\s,]+) )?(?P<kind>{'|'.join(sorted(set().union(*PLACES)))})"
    r" (?:of )?(?P<name>[^,]+)"
)


async def place_within(scene: Scene, table: Table, columns: Sequence[Column], text: str) -> Cql2 | None:
    """The rows of `Paris, Texas`, `the US state of Georgia`: a place within a wider one, or of the named kind. None if
    `text` is no such place.

    Raises Refuse if no row is in both.
    """
    parts, of_kind = [part.strip() for part in text.split(",")], _OF_KIND.fullmatch(text)
    if of_kind is not None:
        parts = [of_kind["name"], of_kind["wide"] or ""]
    if len(parts) != 2 or {"and", "or"} & set(text.lower().split()):
        return None
    called = columns_called((table,), name_words(of_kind["kind"])) if of_kind is not None else []
    kinds = [each for each in columns if of_kind is None or each.name in called]
    narrow = await _stored_in_each(scene, table, kinds, parts[0])
    if of_kind is not None and not parts[1]:
        return equals(*next(iter(narrow.items()))) if len(narrow) == 1 else None
    wide = await _stored_in_each(scene, table, columns, parts[1]) if narrow else {}
    widths = {each.name: width_of_place(each) for each in columns}
    pairs = [(own, other) for other in wide for own in narrow if widths[other] < widths[own]]
    for own, other in pairs:
        both: Cql2 = {"op": "and", "args": [equals(own, narrow[own]), equals(other, wide[other])]}
        if await scene.data.count(table.id, both):
            return both
    if pairs:
        raise Refuse(refusals.NO_ROW_VALUE(table=table.title, text=text))
    return None


async def _stored_in_each(
    scene: Scene, table: Table, columns: Sequence[Column], text: str
) -> dict[str, list[Any]]:
    """The values of each column that may be the place of this name: Georgia is a country and a state."""
    found: dict[str, list[Any]] = {}
    for column in columns:
        found |= await stored_values(scene, table, [column], place_forms(text))
    return found


def wide_columns(table: Table) -> list[str]:
    """The columns of text that give the country or region of a row, countries first."""
    return [each.name for width in (0, 1) for each in text_columns(table) if width_of_place(each) == width]


def width_of_place(column: Column) -> int:
    """Index in PLACES of the kind of place in a column: `land` and `land_name` have one, `land_use` has none."""
    if column.samples and all(each.islower() for each in column.samples):
        return len(PLACES)  # `conservation_state` holds no names
    words = name_words(column.name)
    noun = words[-2] if len(words) > 1 and words[-1] in ("name", "code") else words[-1]
    return next((place for place, likely in enumerate(PLACES) if noun in likely), len(PLACES))
