"""Rows that share a name, such as the posts of a stop, how names distinguish them, and rows with several names."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from agents.domain import Place, Table
from agents.geo.place_names import CONTINENTS
from agents.offline.answers import refusals
from agents.offline.language.names.rows import are_pieces_of
from agents.offline.language.names.singulars import shown_singular
from agents.offline.language.words import fold, words_of_things
from agents.offline.meaning.scene import Refuse, Scene

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
