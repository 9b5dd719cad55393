"""The bounds of a set of geometries in longitude and latitude (EPSG:4326), also across the antimeridian.

The box is computed in the coordinate system of the data and then transformed with densified edges, so that it
costs one pass over stored boxes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from geoalchemy2.types import GeometryDump

from agents.domain import Bounds
from server.gis.expressions.identifiers import GEOMETRY, WGS84, Expression

HALF = 180.0
WITHOUT_PARTS = frozenset({"POINT", "LINESTRING", "POLYGON"})
Query = sa.Select[*tuple[Any, ...]]


def box_columns(box: Expression, srid: int) -> list[Expression]:
    """`west, south, east, north` in degrees of a box2d in the given SRID (0 is taken to be EPSG:4326)."""
    if srid not in (0, WGS84):
        outline = sa.func.ST_SetSRID(sa.cast(box, GEOMETRY), srid)
        size = sa.func.greatest(
            sa.func.ST_XMax(box) - sa.func.ST_XMin(box), sa.func.ST_YMax(box) - sa.func.ST_YMin(box)
        )
        step = sa.func.coalesce(sa.func.nullif(size, 0), 1) / 16
        box = sa.func.ST_Transform(sa.func.ST_Segmentize(outline, step), WGS84)
    return [
        sa.func.ST_XMin(box).label("west"),
        sa.func.ST_YMin(box).label("south"),
        sa.func.ST_XMax(box).label("east"),
        sa.func.ST_YMax(box).label("north"),
    ]


def extent_of(source: Query, geometry: Expression, srid: int) -> Query:
    """The box of all rows of `source`, a query that filters and selects no columns yet."""
    boxed = source.add_columns(sa.func.ST_Extent(geometry).label("box")).subquery("extent")
    return sa.select(*box_columns(boxed.c.box, srid))


def parts_of(source: Query, lonlat: Expression, geometry_type: str | None = None) -> Query:
    """West and east of the whole with longitudes from 0 to 360, for a plain box that spans the world.

    Each part of a multi-geometry counts separately: a country cut at the antimeridian has parts on both sides.
    Geometries of a declared single-part type are not dumped: the planner expects a thousand parts per row.
    """
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
    turn = sa.case((west < 0, 360), else_=0)
    return sa.select(
        sa.func.min(west + turn).label("west"), sa.func.max(east + turn).label("east")
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
