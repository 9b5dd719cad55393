"""Buffers on Spark: the same pieces, projections and corners as in PostGIS, by another text."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, func, select

from server.gis.operations.buffer import BufferArguments, area_left, multi_part, radius_of
from server.gis.operations.support.attributes.columns import named_attributes
from server.gis.operations.support.base import GEOMETRY, Geometry, Source, Step, Workspace
from server.gis.operations.support.earth.geodesy import lonlat
from server.gis.operations.support.geometry.validity import present_shape, sound
from server.gis.spark.names import BUFFER


def buffered(arguments: BufferArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """The rows of the operation `buffer`, for Sedona."""
    source = workspace.source(arguments.source)
    inward = arguments.distance is not None and arguments.distance < 0
    positive = arguments.model_copy(update={"distance": -(arguments.distance or 0)}) if inward else arguments
    shape = sound(lonlat(source)) if inward else lonlat(source)
    given = _given(source, shape, radius_of(positive, source))
    made = _around(given.c["shape"], given.c.radius)
    if inward:
        border = func.ST_Boundary(given.c["shape"], type_=Geometry())
        given = select(given, _around(border, given.c.radius).label("strip")).subquery("stripped")
        made = multi_part(area_left(given.c["shape"], given.c.strip))
    if not arguments.dissolve:
        return select(*named_attributes(source, given), made.label(GEOMETRY)).select_from(given)
    each = select(given.c["shape"], given.c.radius, made.label("area")).subquery("each")
    features = func.count(present_shape(each.c["shape"])).filter(each.c.radius.is_not(None))
    united = func.ST_Multi(func.ST_Union(each.c.area, type_=Geometry()), type_=Geometry())
    return select(features.label("features"), united.label(GEOMETRY)).having(func.count() > 0)


def _given(source: Source, shape: ColumnElement[Any], radius: ColumnElement[Any]) -> Subquery:
    """The shapes in a subquery, so that they are not transformed again wherever they are named."""
    chosen = select(*source.numbered, shape.label("shape"), radius.label("radius"))
    return chosen.select_from(source.rows).subquery("given")


def _around(shape: ColumnElement[Any], radius: ColumnElement[Any]) -> ColumnElement[Any]:
    area: ColumnElement[Any] = getattr(func, BUFFER)(shape, radius, type_=Geometry())
    return area
