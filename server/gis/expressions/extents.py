"""The bounds of a set of geometries in longitude and latitude (EPSG:4326), also across the antimeridian.

The box is computed in the coordinate system of the data and then transformed with densified edges, so that it
costs one pass over stored boxes. Around a pole its edges do not bound it: the pole, or the place of the box nearest to
it, counts as well."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from geoalchemy2.types import GeometryDump

from agents.domain import Bounds
from server.gis.expressions.area_of_use import poles
from server.gis.expressions.identifiers import GEOMETRY, WGS84, Expression

HALF = 180.0
EDGE_PARTS = 64
"""Into how many parts the longer edge of a box is divided before it is transformed."""
KEPT_DECIMALS = 9
"""Decimals of degrees where a shape is moved across the antimeridian: a tenth of a millimetre."""
WITHOUT_PARTS = frozenset({"POINT", "LINESTRING", "POLYGON"})
Query = sa.Select[*tuple[Any, ...]]


def box_columns(box: Expression, srid: int) -> list[Expression]:
    """`west, south, east, north` in degrees of a box2d in the given SRID (0 is taken to be EPSG:4326)."""
    if srid in (0, WGS84):
        return _edges(box)
    outline = sa.func.ST_SetSRID(sa.cast(box, GEOMETRY), srid, type_=GEOMETRY)
    size = sa.func.greatest(
        sa.func.ST_XMax(box) - sa.func.ST_XMin(box), sa.func.ST_YMax(box) - sa.func.ST_YMin(box)
    )
    step = sa.func.coalesce(sa.func.nullif(size, 0), 1) / EDGE_PARTS
    corners = sa.func.ST_Points(sa.func.ST_Segmentize(outline, step), type_=GEOMETRY)
    around = []
    for x, y, latitude in poles(srid):
        pole = sa.func.ST_SetSRID(sa.func.ST_MakePoint(x, y), srid, type_=GEOMETRY)
        nearest = sa.func.ST_ClosestPoint(outline, pole, type_=GEOMETRY)
        corners = sa.func.ST_Collect(corners, nearest, type_=GEOMETRY)
        around.append((_is_within(box, x, y), latitude))
    return _edges(sa.func.ST_Transform(corners, WGS84), around)


def _is_within(box: Expression, x: float, y: float) -> sa.ColumnElement[bool]:
    return sa.and_(
        sa.func.ST_XMin(box) < x, sa.func.ST_XMax(box) > x, sa.func.ST_YMin(box) < y, sa.func.ST_YMax(box) > y
    )


def _edges(
    lonlat: Expression, around: Sequence[tuple[sa.ColumnElement[bool], float]] | None = None
) -> list[Expression]:
    """The edges of a box, or of points on the outline of a projected one. With a pole inside, all longitudes
    belong to the box, and the pole itself."""
    west: Expression
    east: Expression
    south: Expression = sa.func.ST_YMin(lonlat)
    north: Expression = sa.func.ST_YMax(lonlat)
    west, east = _sides(lonlat) if around is not None else (sa.func.ST_XMin(lonlat), sa.func.ST_XMax(lonlat))
    for is_inside, latitude in around or ():
        west, east = sa.case((is_inside, -HALF), else_=west), sa.case((is_inside, HALF), else_=east)
        if latitude > 0:
            north = sa.case((is_inside, latitude), else_=north)
        else:
            south = sa.case((is_inside, latitude), else_=south)
    return [west.label("west"), south.label("south"), east.label("east"), north.label("north")]


def _sides(points: Expression) -> tuple[Expression, Expression]:
    """West and east of points that follow each other closely; west > east where they cross the antimeridian."""
    west, east = sa.func.ST_XMin(points), sa.func.ST_XMax(points)
    turned_west, turned_east = turned_sides(points)
    is_across = sa.and_(east - west > HALF, turned_east - turned_west < HALF)
    return sa.case((is_across, turned_west), else_=west), sa.case(
        (is_across, _wrapped(turned_east)), else_=east
    )


def _wrapped(longitude: Expression) -> Expression:
    return sa.case((longitude > HALF, longitude - 360), else_=longitude)


def turned_sides(lonlat: Expression) -> tuple[Expression, Expression]:
    """West and east of a shape with longitudes from 0 to 360."""
    turned = shifted(lonlat)
    return sa.func.ST_XMin(turned), sa.func.ST_XMax(turned)


def shifted(lonlat: Expression) -> Expression:
    """A shape with longitudes from 0 to 360."""
    return sa.func.ST_ShiftLongitude(quantized(lonlat), type_=GEOMETRY)


def quantized(lonlat: Expression) -> Expression:
    """Coordinates without the 6e-11 degrees by which longitudes of PROJ may be beyond 180."""
    return sa.func.ST_QuantizeCoordinates(lonlat, KEPT_DECIMALS, type_=GEOMETRY)


def extent_of(source: Query, geometry: Expression, srid: int) -> Query:
    """The box of all rows of `source`, a query that filters and selects no columns yet."""
    boxed = source.add_columns(sa.func.ST_Extent(geometry).label("box")).subquery("extent")
    return sa.select(*box_columns(boxed.c.box, srid))


def parts_of(source: Query, lonlat: Expression, geometry_type: str | None = None) -> Query:
    """West and east of the whole with longitudes from 0 to 360, for a plain box that spans the world.

    Each part of a multi-geometry counts separately: a country cut at the antimeridian has parts on both sides.
    Geometries of a declared single-part type are not dumped: the planner expects a thousand parts per row."""
    geometry: Expression
    if (geometry_type or "").upper().rstrip("ZM") in WITHOUT_PARTS:
        parts = source.add_columns(lonlat.label("part")).subquery("whole")
        geometry = sa.literal_column("whole.part", GEOMETRY)
    else:
        parts = source.add_columns(sa.func.ST_Dump(lonlat, type_=GeometryDump()).label("dump")).subquery(
            "dumped"
        )
        geometry = sa.literal_column("(dumped.dump).geom", GEOMETRY)
    west, east = sa.func.ST_XMin(geometry), sa.func.ST_XMax(geometry)
    shift = sa.case((west < 0, 360), else_=0)
    return sa.select(
        sa.func.min(west + shift).label("west"), sa.func.max(east + shift).label("east")
    ).select_from(parts)


def bounds(row: Sequence[Any] | None) -> Bounds | None:
    """A box row as bounds; None if it is empty or not finite."""
    if row is None or any(value is None or not math.isfinite(value) for value in row[:4]):
        return None
    west, south, east, north = (float(value) for value in row[:4])
    return (
        max(-HALF, min(HALF, west)),
        max(-90.0, min(90.0, south)),
        max(-HALF, min(HALF, east)),
        max(-90.0, min(90.0, north)),
    )


def spans_the_world(found: Bounds | None) -> bool:
    """Whether the box is so wide that it may be a narrow extent across the antimeridian."""
    return found is not None and found[2] - found[0] > HALF


def across(found: Bounds, turned: Sequence[Any] | None) -> Bounds:
    """The plain box, or the one from `parts_of` where that is less than half of the world: data on all continents would
    otherwise be shown around whichever ocean has the widest gap."""
    if turned is None or any(value is None or not math.isfinite(value) for value in turned[:2]):
        return found
    west, east = float(turned[0]), float(turned[1])
    if east - west >= min(HALF, found[2] - found[0]):
        return found
    return (wrapped(west), found[1], wrapped(east), found[3])


def wrapped(longitude: float) -> float:
    """A longitude of -540 to 540 degrees as one of -180 to 180."""
    if longitude > HALF:
        return longitude - 360
    return longitude + 360 if longitude < -HALF else longitude
