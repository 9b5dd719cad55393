"""Conditions on geometries: distances from coordinates, parallels or meridians (`within 5 km of 53.69, -6.44`, `less
than 100 km from the equator`), features at a point (`containing 53.69, -6.44`), the side of a line (`south of the
equator`, `in the western hemisphere`) and validity (`with invalid geometries`)."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Bounds
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import HEMISPHERES, MERIDIANS, PARALLELS
from agents.offline.language.nouns import take_quantity
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import Phrases
from agents.offline.meaning.conditions import (
    EarthLine,
    GeometryFact,
    Group,
    NearSpot,
    Negation,
    OnSide,
    Order,
    Side,
    Spot,
)

_EVERYWHERE = Phrases("""
    in (the|our|my|your) (database|dataset|data) | (in|of) the world | in [all] the [whole] world | on earth | worldwide
    | globally
""")
_IN_WHOLE = Phrases("in the [whole|entire] (state|country|county|region|province)")
_CLOSER = Phrases("""
    within [a] [radius|distance] [of] | less than | closer than | nearer than | up to | at most | (not|no) more than
    | (not|no) (farther|further) than | in a (radius|distance) of
""")
_FARTHER = Phrases("more than | (farther|further) than | over | at least | outside [a] [radius] [of]")
_FROM = Phrases("of | from | around | [far] away from | to | (radius|distance) (of|around|from)")
_COVERING = Phrases(
    "[that|which] (contain|contains|cover|covers|include|includes) | containing | covering | including"
    " | [[that|which] (is|are|lies)] at"
)
_CROSSING = Phrases(
    "[that|which] [are] (cross|crosses|crossing|crossed by|touch|touches|touching|on|lie on|lies on|lying on"
    "|straddling)"
)
_SPOT = Phrases("[the] (point|position|location|spot|coordinate|coordinates|place) [at]")
_LATITUDE, _LONGITUDE = Phrases("lat | latitude"), Phrases("lon | lng | long | longitude")
_POLES = {"n": 1.0, "north": 1.0, "s": -1.0, "south": -1.0}
_EAST_WEST = {"e": 1.0, "east": 1.0, "w": -1.0, "west": -1.0}


def take_near_spot(cursor: Cursor) -> NearSpot | Negation | Group | None:
    """A condition on the distance to a point or line. Returns None without moving the cursor if none follows."""
    start = cursor.at
    if cursor.take(_COVERING) and (spot := take_spot(cursor)) is not None:
        return NearSpot(0.0, spot, cursor.since(start))
    cursor.at = start
    if cursor.take(_CROSSING) and (line := take_line(cursor)) is not None:
        end, text = cursor.at, cursor.since(start)
        around = _around(line, _whole_degrees(cursor)) if cursor.take(_GIVE_OR_TAKE) else None
        cursor.at = cursor.at if around is not None else end
        return around or NearSpot(0.0, line, text)
    cursor.at = start
    cursor.take(
        "that lie", "which lie", "that are", "which are", "lie", "lies", "lying", "located", "are", "is"
    )
    begin = cursor.at
    closer = cursor.take(_CLOSER) is not None
    farther = not closer and cursor.take(_FARTHER) is not None
    measured = cursor.at
    degrees = _whole_degrees(cursor) if closer else 0.0
    line = take_line(cursor) if degrees and cursor.take(_FROM) else None
    if line is not None:
        return _around(line, degrees)
    cursor.at = measured
    distance = take_quantity(cursor)
    if distance is not None and distance.unit is not None and distance.unit.dimension == "length":
        cursor.take("away", "far")
        of = (take_spot(cursor) or take_line(cursor)) if cursor.take(_FROM) else None
        if of is not None:
            text = cursor.since(begin)
            near = NearSpot(distance.value * distance.unit.factor, of, text)
            return Negation(near) if farther else near
    cursor.at = start
    return None


_GIVE_OR_TAKE = Phrases("[,] (give or take|plus or minus|plus minus|±)")


def _whole_degrees(cursor: Cursor) -> float:
    """`one degree`, `5°`; 0 for others."""
    number = take_quantity(cursor)
    is_angle = number is not None and number.unit is None and cursor.take("°", "degrees", "degree")
    return number.value if number is not None and is_angle else 0.0


def _around(line: EarthLine, degrees: float) -> Group | None:
    """What lies at most so many degrees from a parallel or meridian; None without degrees."""
    if not degrees:
        return None
    sides: tuple[Side, Side] = ("north", "south") if line.kind == "parallel" else ("east", "west")
    noun = "latitude" if line.kind == "parallel" else "longitude"
    edges = zip(sides, (line.degrees - degrees, line.degrees + degrees), strict=True)
    return Group("and", tuple(OnSide(side, at, f"{side} of {noun} {at:g}") for side, at in edges))


def take_spot(cursor: Cursor) -> Spot | None:
    """`53.69, -6.44`, `53.69 N 6.44 W`, `lat 53.69 lon -6.44`, `POINT(-6.44 53.69)`; two bare integers do not
    count. Returns None without moving the cursor if no coordinates follow."""
    start = cursor.at
    is_text = cursor.word() == "point" and cursor.word(1) == "(" and cursor.word(3) != ","
    cursor.take(_SPOT)
    bracket = cursor.take("(", "[")
    parts = (_coordinate(cursor), _coordinate(cursor) if cursor.take(",", ";", "and", "/") else None)
    if parts[0] is not None and parts[1] is None:
        parts = (parts[0], _coordinate(cursor))
    order = _order(parts, is_text=is_text)
    if order is None or (bracket and not cursor.take(")", "]")):
        cursor.at = start
        return None
    first, second = (each[0] for each in parts if each is not None)
    return Spot(first, second, order, cursor.since(start))


def take_box(cursor: Cursor) -> Bounds | None:
    """`5, 45, 11, 48`, `5,45 to 11,48 (lon,lat)`: west, south, east, north. Returns None without moving the cursor
    if no box follows."""
    start = cursor.at
    cursor.take("[", "(")
    edges: list[float] = []
    while len(edges) < len(_EDGES) and (number := cursor.take_number()) is not None:
        edges.append(number.value)
        cursor.take(",", ";", "to", "and", "-", "–")
    cursor.take("]", ")")
    if len(edges) != len(_EDGES):
        cursor.at = start
        return None
    first, second, third, fourth = edges
    begin = cursor.at
    bracket = cursor.take("(")
    swapped = cursor.take(NORTH_FIRST)
    if not (swapped or cursor.take(EAST_FIRST)) or (bracket and not cursor.take(")")):
        cursor.at = begin
    return (second, first, fourth, third) if swapped else (first, second, third, fourth)


EAST_FIRST = Phrases("(lon|lng|longitude) [,|and] (lat|latitude) | lon/lat | lng/lat")
NORTH_FIRST = Phrases("(lat|latitude) [,|and] (lon|lng|longitude) | lat/lon | lat/lng")
_EDGES = ("west", "south", "east", "north")
_Coordinate = tuple[float, Order, bool]
"""Degrees, which coordinate it is (empty if unknown), and whether it has a decimal point or degree sign."""


def _coordinate(cursor: Cursor) -> _Coordinate | None:
    which: Order = "latitude" if cursor.take(_LATITUDE) else "longitude" if cursor.take(_LONGITUDE) else ""
    cursor.take("=", ":", "of")
    number = cursor.take_number()
    if number is None:
        return None
    degrees = cursor.take("°", "degrees", "degree", "deg") is not None
    value, letter = number.value, cursor.word()
    if not which and letter in (*_POLES, *_EAST_WEST):
        which = "latitude" if letter in _POLES else "longitude"
        value *= _POLES.get(letter) or _EAST_WEST[letter]
        cursor.at += 1
    return value, which, degrees or "." in number.text


def _order(parts: Sequence[_Coordinate | None], *, is_text: bool) -> Order | None:
    """Which coordinate comes first, empty if unknown; None if these are not coordinates."""
    if parts[0] is None or parts[1] is None:
        return None
    (first, one, exact), (second, other, also_exact) = parts[0], parts[1]
    if max(abs(first), abs(second)) > 180 or min(abs(first), abs(second)) > 90:
        return None
    if one or other:
        if one == other:
            return None
        return one or ("longitude" if other == "latitude" else "latitude")
    if not (exact or also_exact):
        return None
    if is_text or abs(first) > 90:
        return "longitude"
    return "latitude" if abs(second) > 90 else ""


def take_line(cursor: Cursor) -> EarthLine | None:
    """A parallel or meridian by its name. Returns None and leaves the cursor in place if none follows."""
    if (parallel := cursor.take(*PARALLELS)) is not None:
        return EarthLine("parallel", PARALLELS[parallel], parallel)
    meridian = cursor.take(*MERIDIANS)
    return EarthLine("meridian", MERIDIANS[meridian], meridian) if meridian is not None else None


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
    if cursor.take("in the", "on the", "of the") and side is not None and cursor.take(*HEMISPHERES):
        return OnSide(side, 0.0, f"the {side}ern hemisphere")
    cursor.at = start
    return None


def _beyond(cursor: Cursor) -> OnSide | None:
    start = cursor.at
    is_inside = not cursor.take("to the") and cursor.word(-1) in ("the", "in")  # `in the south of Italy`
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
    place = _place_name(cursor) if degrees is None and not is_inside else ""
    if (degrees is None and not place) or abs(degrees or 0.0) > (90 if lines is PARALLELS else 180):
        return None
    return OnSide(side, degrees or 0.0, cursor.since(start).removeprefix("to the "), place)


def _place_name(cursor: Cursor) -> str:
    """The capitalised words from here on: `Berlin`, `Lake Geneva`."""
    start = cursor.at
    while (token := cursor.token()) is not None and token.kind == "word" and token.text[:1].isupper():
        cursor.at += 1
    return cursor.since(start) if cursor.at > start else ""


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


def take_everywhere(cursor: Cursor, vocabulary: Vocabulary) -> bool:
    """Read words for all rows: `in the world`, or `in the state` where no table or column has that name."""
    start = cursor.at
    if cursor.take(_EVERYWHERE):
        return True
    if cursor.take(_IN_WHOLE) and cursor.word() != "of" and cursor.tokens[cursor.at - 1].text.islower():
        noun = cursor.word(-1)
        tables = vocabulary.few_tables
        if vocabulary.match_table((noun,)) is None and not vocabulary.columns_called(tables, noun):
            return True
    cursor.at = start
    return False
