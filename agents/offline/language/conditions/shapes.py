"""Conditions on geometries: the side of a parallel or meridian (`south of the equator`, `north of 60
degrees`, `in the western hemisphere`) and validity (`with invalid geometries`, `without geometry`)."""

from __future__ import annotations

from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import HEMISPHERES, MERIDIANS, PARALLELS
from agents.offline.meaning.conditions import GeometryFact, OnSide, Side

_FACTS = (
    (p.WITHOUT_SHAPE, GeometryFact("missing")),
    (p.INVALID_SHAPE, GeometryFact("invalid")),
    (p.VALID_SHAPE, GeometryFact("valid")),
    (p.EMPTY_SHAPE, GeometryFact("empty")),
)
_SIDES: dict[str, Side] = {"north": "north", "south": "south", "east": "east", "west": "west"}


def take_geometry(cursor: Cursor) -> GeometryFact | OnSide | None:
    """A condition on the geometry. Returns None without moving the cursor if none follows."""
    return next((fact for phrases, fact in _FACTS if cursor.take(phrases)), None) or _take_side(cursor)


def _take_side(cursor: Cursor) -> OnSide | None:
    start = cursor.at
    cursor.take("that lie", "which lie", "lie", "lies", "lying", "are", "is")
    cursor.take("wholly", "entirely")
    found = _hemisphere(cursor) or _beyond(cursor)
    if found is None:
        cursor.at = start
    return found


def _hemisphere(cursor: Cursor) -> OnSide | None:
    start = cursor.at
    side = _SIDES.get(cursor.word(2).removesuffix("ern"))
    if cursor.take("in the", "on the") and side is not None and cursor.take(*HEMISPHERES):
        return OnSide(side, 0.0, f"the {side}ern hemisphere")
    cursor.at = start
    return None


def _beyond(cursor: Cursor) -> OnSide | None:
    start = cursor.at
    cursor.take("to the")
    side = _SIDES.get(cursor.word()) if cursor.word(1) == "of" else None
    if side is not None:
        cursor.at += 2
    elif cursor.word() in ("above", "below") and any(cursor.sees(line, 1) for line in PARALLELS):
        side = "north" if cursor.word() == "above" else "south"
        cursor.at += 1
    else:
        return None
    lines = PARALLELS if side in ("north", "south") else MERIDIANS
    line = cursor.take(*lines)
    degrees = lines[line] if line is not None else _degrees(cursor, side)
    if degrees is None or abs(degrees) > (90 if lines is PARALLELS else 180):
        return None
    return OnSide(side, degrees, cursor.since(start).removeprefix("to the "))


def _degrees(cursor: Cursor, side: Side) -> float | None:
    """`60 degrees`, `latitude 60`, `60° N`, `45 S`; a number alone is not a latitude."""
    named = cursor.take("the latitude of", "latitude", "the longitude of", "longitude")
    number = cursor.take_number()
    unit = cursor.take("°", "degrees", "degree")
    ends = "ns" if side in ("north", "south") else "ew"
    letter = cursor.word()[:1] if cursor.word() in (*ends, *_SIDES) and cursor.word()[:1] in ends else ""
    cursor.at += bool(letter)
    if number is None or not (named or unit or letter):
        return None
    return -number.value if letter in ("s", "w") else number.value
