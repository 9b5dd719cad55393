"""Spatial filters: GeoJSON literals in longitude and latitude (EPSG:4326), transformed to the column's
coordinate system.

The literal is transformed and not the column, so that the spatial index is used. Geometries that cross the
antimeridian are cut there first; long edges are densified before they are projected."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import shapely
import sqlalchemy as sa
from shapely.geometry import MultiPolygon, box, mapping, shape
from shapely.geometry.base import BaseGeometry

from agents.worded import Template
from server.gis.errors import InvalidFilter
from server.gis.expressions.area_of_use import joins_antimeridian
from server.gis.expressions.declared_types import declared_kind
from server.gis.expressions.extents import wrapped
from server.gis.expressions.geometry_checks import unsound
from server.gis.expressions.geometry_types import Geography
from server.gis.expressions.identifiers import GEOMETRY, WGS84, Expression
from server.gis.filters.literals import bound
from server.gis.filters.repair import repaired
from server.gis.filters.terms import NUMBERS, Term

TAKES_DISTANCE = Template(
    "filter_takes_distance", "{op} takes a distance in metres: {op}(geometry, geometry, 1000)."
)
NEEDS_GEOMETRY = Template(
    "filter_needs_geometry", "{op} needs the geometry column of the table as one of its arguments."
)
BBOX = Template("filter_bbox", "A bbox is [west, south, east, north] in degrees.")
BBOX_NUMBERS = Template(
    "filter_bbox_numbers", "A bbox is four numbers: [west, south, east, north] in degrees."
)
BBOX_ORDER = Template(
    "filter_bbox_order", "A bbox is [west, south, east, north] in degrees, south below north."
)
EMPTY_GEOMETRY = Template("filter_empty_geometry", "The geometry in the filter is empty.")
MANY_POINTS = Template("filter_many_points", "The geometry has {n} points; at most {most} are allowed.")
INFINITE_COORDINATES = Template(
    "filter_infinite_coordinates", "The geometry has coordinates that are not finite numbers."
)
IN_DEGREES = Template(
    "filter_in_degrees", "Geometries in filters are in longitude and latitude (degrees, EPSG:4326)."
)
TAKES_GEOMETRIES = Template("filter_takes_geometries", "{op} takes geometries, {term} is not one.")
NO_GEOJSON = Template("filter_no_geojson", "This is not a valid GeoJSON geometry: {why}.")

MAX_NAME_CHARACTERS = 100
MAX_COORDINATES = 10_000
WEB_MERCATOR = 3857
WEB_MERCATOR_LATITUDE = 85.06
MAX_EDGE_DEG = 0.5
MAX_ADDED_POINTS = 50_000
"""Points that are added so that edges keep their course in another projection; edges of a longer outline are
divided more coarsely."""
SEAM = 0.001
"""Metres by which areas that were cut at the antimeridian grow around a pole, to leave no gap where they meet."""
SHORTEST_LATITUDE_DEGREE_M = 110_000.0
"""A little less than a degree of latitude measures anywhere (the shortest is at the equator)."""
MAX_DISTANCE_M = 20_100_000.0

_TYPES = (
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection",
)  # fmt: skip

RELATIONS: dict[str, Callable[..., Any]] = {
    "s_intersects": sa.func.ST_Intersects,
    "s_equals": sa.func.ST_Equals,
    "s_disjoint": sa.func.ST_Disjoint,
    "s_touches": sa.func.ST_Touches,
    "s_within": sa.func.ST_Within,
    "s_overlaps": sa.func.ST_Overlaps,
    "s_crosses": sa.func.ST_Crosses,
    "s_contains": sa.func.ST_Contains,
}
DISTANCE = "s_dwithin"
"""An extension of the standard: s_dwithin(geometry, geometry, metres), on the ellipsoid."""


def is_geometry(node: Mapping[str, Any]) -> bool:
    """Whether the node is GeoJSON or a bbox."""
    if "bbox" in node and len(node) == 1:
        return True
    return node.get("type") in (*_TYPES, "Feature", "FeatureCollection")


def geometry_literal(node: Mapping[str, Any]) -> Term:
    """GeoJSON, a Feature, or `{"bbox": [west, south, east, north]}`. A `name` of the geometry is kept for
    descriptions of the filter. Raises InvalidFilter."""
    if "bbox" in node and "type" not in node:
        west, south, east, north = _bbox(node["bbox"])
        boxes = [box(west, south, east, north)] if west <= east else [
            box(west, south, 180, north), box(-180, south, east, north)
        ]  # fmt: skip
        found: BaseGeometry = boxes[0] if len(boxes) == 1 else MultiPolygon(boxes)
        return Term("geometry", {"bbox": [west, south, east, north]}, value=found)
    found = _cut(repaired(_shape(node)))
    name = node.get("name")
    named = {"name": name[:MAX_NAME_CHARACTERS]} if isinstance(name, str) else {}
    return Term("geometry", {**_geojson(found), **named}, value=found)


def spatial_relation(op: str, left: Term, right: Term) -> Term:
    """A relation such as s_intersects; false for stored geometries that PostGIS cannot process safely. Raises
    InvalidFilter."""
    _check(op, left, right)
    srid = left.srid if not left.is_literal else right.srid
    a, b = in_system(left, srid), in_system(right, srid)
    sql: Expression = RELATIONS[op](a, b, type_=sa.Boolean)
    columns = [each for each in (left, right) if not each.is_literal]
    sound = [sa.not_(unsound(each.expression, declared_kind(each.column)[0])) for each in columns]
    sql = sa.case((sa.and_(*sound), sql))
    if op != "s_disjoint":
        # An index cannot evaluate a CASE, only boxes.
        sql = sa.and_(a.op("&&", is_comparison=True)(b), sql)
    return Term("boolean", {"op": op, "args": [left.json, right.json]}, sql)


def within_distance(left: Term, right: Term, metres: Term) -> Term:
    """Whether two geometries are at most `metres` apart on the ellipsoid. Raises InvalidFilter."""
    _check(DISTANCE, left, right)
    if metres.kind not in NUMBERS or metres.value is None or not 0 <= metres.value <= MAX_DISTANCE_M:
        raise InvalidFilter(TAKES_DISTANCE(op=DISTANCE))
    near: Expression = sa.func.ST_DWithin(
        _geography(left), _geography(right), bound(float(metres.value), sa.Double()), type_=sa.Boolean
    )
    for column, given in ((left, right), (right, left)):
        if given.is_literal and not column.is_literal:
            around = _search_box(given.value, float(metres.value))
            if around is not None:
                bounds = in_system(Term("geometry", None, value=around), column.srid)
                near = sa.and_(column.expression.op("&&", is_comparison=True)(bounds), near)
    return Term("boolean", {"op": DISTANCE, "args": [left.json, right.json, metres.json]}, near)


def _check(op: str, left: Term, right: Term) -> None:
    for term in (left, right):
        if term.kind != "geometry":
            raise InvalidFilter(TAKES_GEOMETRIES(op=op, term=term.label))
    if left.is_literal and right.is_literal:
        raise InvalidFilter(NEEDS_GEOMETRY(op=op))


def in_system(term: Term, srid: int) -> Expression:
    """The term in the column's coordinate system. Geometries without a known SRID are taken to be in EPSG:4326."""
    if term.is_literal:
        moved = _transformed(_parameter(_projectable(term.value, srid)), WGS84, srid)
        return sa.func.ST_Buffer(moved, SEAM, type_=GEOMETRY) if _has_seam(term.value, srid) else moved
    return _transformed(term.expression, term.srid, srid)


def _has_seam(geometry: BaseGeometry, srid: int) -> bool:
    """Whether the geometry ends at 180 degrees, in a coordinate system that continues beyond."""
    if geometry.geom_type not in ("Polygon", "MultiPolygon") or srid in (0, WGS84):
        return False
    west, _south, east, _north = geometry.bounds
    return (west == -180 or east == 180) and joins_antimeridian(srid)


def _transformed(geometry: Expression, source: int, target: int) -> Expression:
    if source == target:
        return geometry
    if 0 in (source, target) and WGS84 in (source, target):
        return sa.func.ST_SetSRID(geometry, target, type_=GEOMETRY)
    if source == 0:
        geometry = sa.func.ST_SetSRID(geometry, WGS84, type_=GEOMETRY)
    return sa.func.ST_Transform(geometry, target or WGS84, type_=GEOMETRY)


def _geography(term: Term) -> Expression:
    lonlat = in_system(term, WGS84)
    return sa.cast(lonlat, Geography())


def _parameter(geometry: BaseGeometry) -> Expression:
    return sa.func.ST_GeomFromWKB(bound(geometry.wkb, sa.LargeBinary()), WGS84, type_=GEOMETRY)


def _projectable(geometry: BaseGeometry, srid: int) -> BaseGeometry:
    if srid in (0, WGS84):
        return geometry
    if srid == WEB_MERCATOR and abs(shapely.bounds(geometry)[[1, 3]]).max() > WEB_MERCATOR_LATITUDE:
        geometry = geometry.intersection(box(-180, -WEB_MERCATOR_LATITUDE, 180, WEB_MERCATOR_LATITUDE))
    if geometry.geom_type in ("Point", "MultiPoint"):
        return geometry
    return shapely.segmentize(geometry, max(MAX_EDGE_DEG, geometry.length / MAX_ADDED_POINTS))


def _search_box(geometry: BaseGeometry, metres: float) -> BaseGeometry | None:
    """A box that contains everything within the distance; None near the poles and across the antimeridian."""
    west, south, east, north = geometry.bounds
    margin = metres / SHORTEST_LATITUDE_DEGREE_M
    farthest = max(abs(south), abs(north)) + margin
    if farthest > 85:
        return None
    sideways = margin / math.cos(math.radians(farthest))
    if west - sideways < -180 or east + sideways > 180:
        return None
    return box(west - sideways, south - margin, east + sideways, north + margin)


def _bbox(values: Any) -> tuple[float, float, float, float]:
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) not in (4, 6):
        raise InvalidFilter(BBOX())
    numbers = list(values) if len(values) == 4 else [values[0], values[1], values[3], values[4]]
    if not all(
        isinstance(each, int | float) and not isinstance(each, bool) and math.isfinite(each)
        for each in numbers
    ):
        raise InvalidFilter(BBOX_NUMBERS())
    west, south, east, north = (float(each) for each in numbers)
    if south > north or abs(south) > 90 or abs(north) > 90 or max(abs(west), abs(east)) > 360:
        raise InvalidFilter(BBOX_ORDER())
    if abs(east - west) >= 360:
        return -180.0, south, 180.0, north
    return wrapped(west), south, wrapped(east), north


def _shape(node: Mapping[str, Any]) -> BaseGeometry:
    if node.get("type") == "Feature" and isinstance(node.get("geometry"), Mapping):
        return _shape(node["geometry"])
    features = node.get("features")
    if node.get("type") == "FeatureCollection" and isinstance(features, list) and len(features) == 1:
        return _shape(features[0])
    try:
        found: BaseGeometry = shape(dict(node))
    except Exception as error:
        # For invalid coordinates shapely raises various exceptions of its C code and numpy.
        raise InvalidFilter(NO_GEOJSON(why=_cut_message(error))) from error
    if found.is_empty:
        raise InvalidFilter(EMPTY_GEOMETRY())
    coordinates = shapely.get_coordinates(found)
    if len(coordinates) > MAX_COORDINATES:
        raise InvalidFilter(MANY_POINTS(n=len(coordinates), most=MAX_COORDINATES))
    if not all(math.isfinite(each) for pair in coordinates for each in pair):
        raise InvalidFilter(INFINITE_COORDINATES())
    if abs(coordinates[:, 0]).max() > 540 or abs(coordinates[:, 1]).max() > 90:
        raise InvalidFilter(IN_DEGREES())
    return shapely.force_2d(found)


def _cut(geometry: BaseGeometry) -> BaseGeometry:
    """Parts beyond 180 degrees, as wrapping maps draw them, moved back and cut at the antimeridian."""
    west, _south, east, _north = geometry.bounds
    if west >= -180 and east <= 180:
        return geometry
    parts = []
    for turn in (-1, 0, 1):
        window = box(-180 + 360 * turn, -90, 180 + 360 * turn, 90)
        part = geometry.intersection(window)
        if not part.is_empty:
            parts.append(shapely.transform(part, lambda points, by=turn: points - [360 * by, 0]))
    return shapely.union_all(parts)


def _geojson(geometry: BaseGeometry) -> dict[str, Any]:
    found = mapping(geometry)
    if "geometries" in found:
        return {"type": found["type"], "geometries": [_geojson(part) for part in geometry.geoms]}
    return {"type": found["type"], "coordinates": _as_lists(found["coordinates"])}


def _as_lists(coordinates: Any) -> Any:
    if isinstance(coordinates, tuple | list):
        return [_as_lists(each) for each in coordinates]
    return float(coordinates)


def _cut_message(error: Exception) -> str:
    return str(error).splitlines()[0][:120].rstrip(".") if str(error) else type(error).__name__
