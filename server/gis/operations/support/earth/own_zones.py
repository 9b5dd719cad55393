"""Each shape in the UTM zone of its middle, for data that are too wide for one zone.

PostGIS keeps the projections of `spatial_ref_sys`, but sets up one that a text describes for every call; and an
equidistant one takes five times as long for a vertex."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, FromClause, Integer, case, cast, column, func, not_, select, table

from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import Geometry, Workspace, count_rows
from server.gis.operations.support.earth.geodesy import LONGEST_DEGREE_M
from server.gis.operations.support.earth.projections import EARTH_RADIUS, MAX_UTM_LATITUDE, UTM_SCALE

MAX_DISTANCE_M = 336_500.0
"""From the central meridian. A zone is 334 km wide on either side at the equator."""
ERROR = UTM_SCALE * (1 + (MAX_DISTANCE_M / EARTH_RADIUS) ** 2 / 2) - 1
"""Largest relative error of lengths: 0.099 %."""
NORTHERN, SOUTHERN, ZONES = 32600, 32700, 60
MAX_WIDER = 0.02
"""Part of the shapes that may be wider; each of them takes as long as hundreds of others."""


async def wider_shapes(rows: FromClause, shape: ColumnElement[Any], workspace: Workspace) -> int | None:
    """How many of the shapes (EPSG:4326) reach too far from the middle of their zone; None where there are too many of
    them, or PostGIS does not know all zones."""
    systems = table("spatial_ref_sys", column("srid", Integer()))
    is_zone = [systems.c.srid.between(first + 1, first + ZONES) for first in (NORTHERN, SOUTHERN)]
    if await count_rows(systems, workspace, is_zone[0] | is_zone[1]) < 2 * ZONES:
        return None
    wider, every = await workspace.row(
        select(func.count().filter(is_wider(shape)), func.count(shape)).select_from(rows)
    )
    return int(wider) if wider <= MAX_WIDER * every else None


def is_wider(shape: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a shape reaches too far from the central meridian of its zone, or to a pole; null for an empty one."""
    west, east, south, north = (
        corner(shape) for corner in (func.ST_XMin, func.ST_XMax, func.ST_YMin, func.ST_YMax)
    )
    central = _zone(shape) * 6 - 183
    away = func.greatest(func.abs(west - central), func.abs(east - central)) * LONGEST_DEGREE_M
    nearest = case((south * north < 0, 0.0), else_=func.least(func.abs(south), func.abs(north)))
    fits = (away * func.cos(func.radians(nearest)) <= MAX_DISTANCE_M) & (
        func.greatest(func.abs(south), func.abs(north)) <= MAX_UTM_LATITUDE
    )
    return not_(fits)


def in_own_zone(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """An EPSG:4326 geometry in the UTM zone of its middle, whose number it has."""
    is_south = func.ST_YMin(shape) + func.ST_YMax(shape) < 0
    srid = case((is_south, SOUTHERN), else_=NORTHERN) + cast(_zone(shape), Integer())
    return func.ST_Transform(shape, srid, type_=Geometry())


def from_own_zone(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """A shape in a UTM zone as a shape in EPSG:4326."""
    return func.ST_Transform(shape, WGS84, type_=Geometry())


def _zone(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    middle = (func.ST_XMin(shape) + func.ST_XMax(shape)) / 2
    return func.greatest(1, func.least(ZONES, func.floor((middle + 180) / 6) + 1))
