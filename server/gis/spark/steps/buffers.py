"""Buffers on Spark: with the projections and corners of PostGIS, by another text."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, func, select

from server.gis.operations.buffer import BufferArguments, radius_of
from server.gis.operations.support.attributes.columns import carried
from server.gis.operations.support.base import GEOMETRY, Geometry, Step, Workspace
from server.gis.operations.support.earth.geodesy import lonlat
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.names import POINT_BUFFER


def buffered(arguments: BufferArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """The rows of the operation `buffer`, for Sedona: of points. Raises NotOnSpark."""
    source = workspace.source(arguments.source)
    if (source.table.geometry_type or "").upper() != "POINT":
        raise NotOnSpark("buffer", "buffers of lines and areas are not ported, only those of points")
    if arguments.dissolve:
        raise NotOnSpark("buffer", "buffers are united in a step of their own there (dissolve)")
    own = carried(source)
    attributes = [label.element.label(f"a{n}") for n, label in enumerate(own)]
    shape, radius = lonlat(source).label("shape"), radius_of(arguments, source).label("radius")
    # In a subquery, so that the shape is not transformed again wherever it is named.
    given = select(*attributes, shape, radius).select_from(source.rows).subquery("given")
    made: ColumnElement[Any] = getattr(func, POINT_BUFFER)(given.c["shape"], given.c.radius, type_=Geometry())
    kept = [given.c[f"a{n}"].label(label.name) for n, label in enumerate(own)]
    return select(*kept, made.label(GEOMETRY)).select_from(given)
