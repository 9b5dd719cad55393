"""The exact bounds of a table, in its own reference system and in EPSG:4326.

They are computed from coordinates: PostGIS rounds its stored boxes, and a transformed box is larger than the extent of
the transformed geometries. If that is too expensive, the catalogue's estimate is returned with `exact: false`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from agents.domain import Table
from server.gis.errors import GisError
from server.gis.expressions import extents
from server.gis.expressions.area_of_use import poles
from server.gis.expressions.declared_types import SIMPLE, declared_type, has_only_points
from server.gis.expressions.geometry_checks import computable
from server.gis.expressions.identifiers import GEOMETRY, WGS84, Expression, geometry_of, lonlat_of, relation
from server.gis.statements.guard import Guard

LONLAT_NAME = "EPSG:4326"
EDGE_PARTS = 128
"""Into how many parts an edge as long as the table is divided, before it becomes longitude and latitude."""


async def table_bounds(guard: Guard, table: Table) -> Mapping[str, Any]:
    """`bounds` and `bounds_lonlat`, each `{crs, box, exact}`; the second is left out if both are the same."""
    if table.geometry_column is None or table.bounds is None:
        return {}
    source = sa.select().select_from(relation(table))
    found: dict[str, Any] = {}
    if table.srid not in (0, WGS84):
        crs = await crs_name(guard, table.srid)
        try:
            row = await guard.row(source.add_columns(*_edges(geometry_of(table))), table.id)
            found["bounds"] = {"crs": crs, "box": _box(row), "exact": True}
        except GisError:
            found["bounds"] = {"crs": crs, "box": None, "exact": False}
    own = found["bounds"]["box"] if found else None
    try:
        row = await guard.row(source.add_columns(*_edges(_dense_lonlat(table, own))), table.id)
        box = extents.bounds(row)
        pole = None if own is None or box is None else await _pole_inside(guard, table, own)
        if box is not None and pole is not None:
            box = (-extents.HALF, min(box[1], pole), extents.HALF, max(box[3], pole))
        elif box is not None and extents.spans_the_world(box):
            turned = _turned(source, table, own)
            box = extents.across(box, (await guard.rows(turned, table.id, gate=False))[0])
        lonlat = {"crs": LONLAT_NAME, "box": list(box) if box else None, "exact": True}
    except GisError:
        lonlat = {"crs": LONLAT_NAME, "box": list(table.bounds), "exact": False}
    found["bounds_lonlat" if found else "bounds"] = lonlat
    return found


async def crs_name(guard: Guard, srid: int) -> str:
    """The name of a reference system, as `EPSG:27700`; `SRID:n` if it is unknown."""
    query = sa.select(
        sa.literal_column("auth_name", sa.Text), sa.literal_column("auth_srid", sa.Integer)
    ).select_from(sa.table("spatial_ref_sys"))
    row = await guard.row(query.where(sa.literal_column("srid", sa.Integer) == srid), "spatial_ref_sys")
    return f"{row[0]}:{row[1]}" if row and row[0] else f"SRID:{srid}"


def _turned(source: extents.Query, table: Table, own: Sequence[float] | None) -> extents.Query:
    """West and east of all rows with longitudes from 0 to 360. Where the table is not in longitude and latitude, edges
    across the antimeridian go on there."""
    if own is None:
        return extents.parts_of(source, lonlat_of(table), table.geometry_type)
    west, east = extents.turned_sides(_dense_lonlat(table, own))
    return source.add_columns(sa.func.min(west), sa.func.max(east))


def _dense_lonlat(table: Table, box: Sequence[float] | None) -> Expression:
    """The geometry in longitude and latitude, with corners along long edges: those of a projection are curves
    there, and reach farther than their ends."""
    size = 0.0 if box is None else max(box[2] - box[0], box[3] - box[1])
    if size <= 0 or has_only_points(table):
        return lonlat_of(table)
    geometry = geometry_of(table)
    dense: Expression = sa.func.ST_Segmentize(geometry, size / EDGE_PARTS, type_=GEOMETRY)
    if declared_type(table)[0] not in SIMPLE:
        # Arcs and surfaces cannot be divided like this.
        dense = sa.case((sa.func.GeometryType(geometry).in_(sorted(SIMPLE)), dense), else_=geometry)
    if box is not None and _poles_within(table.srid, box):
        # The rim of a hole may be nearer to a pole than the outer ring, which is all that a box is made of.
        dense = sa.func.ST_Points(dense, type_=GEOMETRY)
    return sa.func.ST_Transform(dense, WGS84, type_=GEOMETRY)


def _poles_within(srid: int, box: Sequence[float]) -> list[tuple[float, float, float]]:
    return [each for each in poles(srid) if box[0] < each[0] < box[2] and box[1] < each[1] < box[3]]


async def _pole_inside(guard: Guard, table: Table, box: Sequence[float]) -> float | None:
    """The latitude of the pole that a shape surrounds, so that all longitudes belong to the table."""
    kind = declared_type(table)[0]
    if kind in ("POINT", "MULTIPOINT", "LINESTRING", "MULTILINESTRING"):
        return None
    geometry = geometry_of(table)
    for x, y, latitude in _poles_within(table.srid, box):
        point = sa.func.ST_SetSRID(sa.func.ST_MakePoint(x, y), table.srid, type_=GEOMETRY)
        around = sa.and_(
            geometry.op("&&")(point),
            sa.func.GeometryType(geometry).in_(["POLYGON", "MULTIPOLYGON"]),
            sa.func.ST_Contains(computable(geometry, kind), point),
        )
        if await guard.rows(
            sa.select(sa.literal(1)).select_from(relation(table)).where(around).limit(1), table.id
        ):
            return latitude
    return None


def _edges(geometry: Expression) -> list[Expression]:
    """West, south, east, north. `box3d` is computed from coordinates, while a box2d may be the rounded stored one."""
    box, least, most = sa.func.box3d(geometry), sa.func.min, sa.func.max
    southwest = (least(sa.func.ST_XMin(box)), least(sa.func.ST_YMin(box)))
    return [*southwest, most(sa.func.ST_XMax(box)), most(sa.func.ST_YMax(box))]


def _box(row: Sequence[Any] | None) -> list[float] | None:
    if row is None or any(value is None or not math.isfinite(value) for value in row):
        return None
    return [float(value) for value in row]
