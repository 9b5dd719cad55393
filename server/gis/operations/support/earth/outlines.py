"""Shapes as they are measured: repaired, and with corners where long straight edges of a plane bend on the earth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, Float, case, func, select

from server.gis.expressions.area_of_use import metres_per_unit
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import Geometry, Source
from server.gis.operations.support.earth.geodesy import flat, in_srid, lonlat, sound_flat, sound_lonlat

MAX_EDGE_M = 20_000.0
"""Up to this length, the way on the earth of an edge that is straight in the plane is not computed."""
MAX_OUTLINE_M = 1e9
"""Longer outlines get no more corners: they would become too many."""


def measured_by(
    source: Source, measure: Callable[[ColumnElement[Any]], ColumnElement[float]]
) -> ColumnElement[Any]:
    """What `measure` gives of the outline of each row, in EPSG:4326. Raises InvalidQuestion without a reference
    system. Areas that cross themselves are repaired, or one side of the crossing would be taken from the other."""
    shape = lonlat(source)
    unit = metres_per_unit(source.declared_srid) if source.declared_srid else None
    repairs = not source.is_valid and source.family not in ("point", "line")
    if source.declared_srid == WGS84 and not repairs:
        return measure(shape)
    if unit is None or source.family == "point":
        outline = sound_lonlat(source) if repairs else shape
    else:
        plain = sound_flat(source) if repairs else flat(source)
        # The corners are computed from the shape mentioned several times.
        own = select(plain.label("shape")).offset(0).correlate(source.rows).subquery("plain")
        dense = with_corners(own.c["shape"], MAX_EDGE_M / unit, MAX_OUTLINE_M / unit)
        outline = in_srid(source, select(dense).scalar_subquery(), WGS84)
    made = select(outline.label("shape")).offset(0).correlate(source.rows).subquery("outline")
    return select(measure(made.c["shape"])).scalar_subquery()


def with_corners(shape: ColumnElement[Any], edge: float, outline: float) -> ColumnElement[Any]:
    """The shape without edges longer than `edge`, unless it is longer than `outline` itself."""
    sides = (func.ST_XMax(shape) - func.ST_XMin(shape), func.ST_YMax(shape) - func.ST_YMin(shape))
    is_small = func.greatest(*sides, type_=Float()) < edge / 2
    total = func.ST_Length(shape, type_=Float()) + func.ST_Perimeter(shape, type_=Float())
    return case(
        (is_small, shape), (total < outline, func.ST_Segmentize(shape, edge, type_=Geometry())), else_=shape
    )
