"""Filters on geometries: validity, location, and what is drawn, selected or in view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.domain import Bounds, Cql2, Focus, Table
from agents.offline.answers import refusals
from agents.offline.meaning.conditions import EarthLine, InFocus, NearSpot, OnSide, Spot
from agents.offline.meaning.cql2 import equals, property_of
from agents.offline.meaning.filters.boxes import is_in
from agents.offline.meaning.filters.other_tables import joined
from agents.offline.meaning.places import place_meant
from agents.offline.meaning.scene import Refuse, Scene

ON_LINE_DEG = 1e-9
"""A point within this distance of a parallel or meridian is on it."""
LINE_STEP_DEG = 1.0
"""Distance between the vertices of a parallel, which is not a geodesic: an error of at most 100 m."""


def of_shape(table: Table, fact: str) -> Cql2:
    """Rows whose geometry is valid, invalid, empty or missing. Raises Refuse for a table without geometry."""
    if table.geometry_column is None:
        raise Refuse(refusals.NO_GEOMETRIES(table=table.title))
    own = property_of(table.geometry_column)
    if fact == "missing":
        return {"op": "isNull", "args": [own]}
    asked: Cql2 = {"op": "is_empty" if fact == "empty" else "is_valid", "args": [own]}
    return {"op": "not", "args": [asked]} if fact == "invalid" else asked


async def on_side(scene: Scene, table: Table, condition: OnSide) -> Cql2:
    """Features entirely on one side of a line, or of a place; those that cross it are on neither side. Raises Ask or
    Refuse."""
    if table.geometry_column is None:
        raise Refuse(refusals.NO_GEOMETRY(table=table.title))
    if condition.place:
        place = await place_meant(scene, condition.place)
        edges = dict(zip(("west", "south", "east", "north"), place.bounds, strict=True))
        if place.bounds[0] > place.bounds[2] and condition.side in ("east", "west"):
            raise Refuse(refusals.NO_SIDE(place=condition.place))
        condition = replace(condition, degrees=edges[condition.side], place="")
    west, south, east, north = -180.0, -90.0, 180.0, 90.0
    # Points at a pole or the antimeridian are on the area's edge and count; those on the line do not.
    is_points = table.geometry_family == "point"
    beside = ON_LINE_DEG if is_points else 0.0
    match condition.side:
        case "north":
            south = condition.degrees + beside
        case "south":
            north = condition.degrees - beside
        case "east":
            west = condition.degrees + beside
        case "west":
            east = condition.degrees - beside
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    name = condition.text if "hemisphere" in condition.text else f"the part of the earth {condition.text}"
    area = {"type": "Polygon", "coordinates": [ring], "name": name}
    return {
        "op": "s_intersects" if is_points else "s_within",
        "args": [property_of(table.geometry_column), area],
    }


async def near_spot(scene: Scene, table: Table, condition: NearSpot) -> Cql2:
    """Features within a distance on the ellipsoid. If the order of coordinates is unknown, uses the one that
    has rows. Raises Refuse for a table without geometry."""
    if isinstance(condition.of, EarthLine):
        return _within(table, _line(condition.of), condition.metres)
    around = [
        _within(table, {"type": "Point", "coordinates": [*each]}, condition.metres)
        for each in positions(condition.of, (table.bounds,))
    ]
    for each in around if len(around) > 1 else ():
        if await scene.data.count(table.id, each):
            return each
    return around[0]


def _within(table: Table, shape: Cql2, metres: float) -> Cql2:
    if table.geometry_column is None:
        raise Refuse(refusals.NO_GEOMETRY(table=table.title))
    own = property_of(table.geometry_column)
    if metres:
        return {"op": "s_dwithin", "args": [own, shape, metres]}
    return {"op": "s_intersects", "args": [own, shape]}


def positions(spot: Spot, extents: Sequence[Bounds | None]) -> list[tuple[float, float]]:
    """Possible (longitude, latitude) pairs of a spot.

    In the stated order; otherwise in the order that falls into one of the extents, or in both, latitude first.
    """
    latitude_first, longitude_first = (spot.second, spot.first), (spot.first, spot.second)
    if spot.order:
        return [latitude_first if spot.order == "latitude" else longitude_first]
    orders = [latitude_first, longitude_first]
    return [each for each in orders if any(box is not None and is_in(each, box) for box in extents)] or orders


def _line(line: EarthLine) -> Cql2:
    if line.kind == "meridian":
        corners = [[line.degrees, latitude] for latitude in (-90.0, 0.0, 90.0)]
    else:
        step = LINE_STEP_DEG if line.degrees else 90.0  # the equator is a geodesic
        corners = [[number * step - 180.0, line.degrees] for number in range(int(360 / step) + 1)]
    return {"type": "LineString", "coordinates": corners, "name": line.text}


async def in_focus(scene: Scene, table: Table, condition: InFocus) -> Cql2:
    """Features in the selection, the drawn area, the view or a box. Raises Refuse if there is no such thing."""
    what, focus = condition.what, scene.focus or Focus()
    focus = focus if condition.box is None else Focus(bounds=condition.box)
    has_area = focus.area is not None
    if what == "selected" or (focus.feature_ids and (what == "here" or (what == "area" and not has_area))):
        return await _selected(scene, table, focus)
    if table.geometry_column is None:
        raise Refuse(refusals.NO_GEOMETRY(table=table.title))
    own = property_of(table.geometry_column)
    if has_area and (what != "view" or focus.bounds is None):
        return {"op": "s_intersects", "args": [own, focus.area]}
    if focus.bounds is not None:
        return {"op": "s_intersects", "args": [own, {"bbox": list(focus.bounds)}]}
    raise Refuse(refusals.NO_VIEW(), refusals.MOVE_OR_DRAW())


async def _selected(scene: Scene, table: Table, focus: Focus) -> Cql2:
    """The selected features, or the rows related to them by a shared column."""
    if not focus.feature_ids:
        raise Refuse(refusals.NOTHING_SELECTED(), refusals.CLICK_TO_SELECT())
    layer = scene.vocabulary.layer(focus.layer_id or "")
    if layer is None:
        raise Refuse(
            refusals.LAYER_GONE(),
            refusals.SELECT_AGAIN(),
        )
    other = scene.table(layer.table)
    if len(other.key) == 1:
        chosen = equals(other.key[0], list(focus.feature_ids))
        found = chosen if other.id == table.id else await joined(scene, table, other, chosen)
        if found is not None:
            return found
    raise Refuse(
        refusals.OTHER_SELECTION(layer=layer.name, table=table.title),
        refusals.WITHOUT_SELECTION(),
    )
