"""What the overlays share: sound shapes, one reference system, and parts of the dimension that was put in."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, case, func, select

from server.gis.errors import InvalidQuestion
from server.gis.operations.base import Geometry, Source
from server.gis.operations.geodesy import geometry
from server.gis.statements import WGS84

DIMENSIONS = {"point": 1, "line": 2, "polygon": 3}
"""As ST_CollectionExtract numbers them."""

PLANAR_NOTE = "Overlaid in the plane of EPSG:{srid}; edges are straight in those coordinates, not geodesic."


def sound(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """Repaired only where it is invalid, because one invalid polygon would stop the whole overlay."""
    return case((func.ST_IsValid(shape), shape), else_=func.ST_MakeValid(shape, type_=Geometry()))


def in_system(source: Source, srid: int) -> ColumnElement[Any]:
    """The sound geometry in a reference system. Raises InvalidQuestion where the table has none."""
    shape = sound(geometry(source))
    if source.table.srid == srid:
        return shape
    if source.table.srid == 0 or srid == 0:
        raise InvalidQuestion(
            f"The coordinates of {source.table.id} have no reference system (SRID 0). "
            "Set it with UpdateGeometrySRID, then ask again."
        )
    return func.ST_Transform(shape, srid, type_=Geometry())


def same_dimension(shape: ColumnElement[Any], source: Source) -> ColumnElement[Any]:
    """Only the parts of the source's own dimension: where polygons touch, lines and points are no result."""
    dimension = DIMENSIONS.get(source.family)
    if dimension is None:
        return shape
    return func.ST_Multi(func.ST_CollectionExtract(shape, dimension), type_=Geometry())


def multi_type(source: Source) -> str:
    """The type of what `same_dimension` gives."""
    return {"point": "MultiPoint", "line": "MultiLineString", "polygon": "MultiPolygon"}.get(
        source.family, "Geometry"
    )


def united(source: Source, srid: int, touching: ColumnElement[Any]) -> ColumnElement[Any]:
    """The union of the rows of `source` that meet a shape, as a scalar subquery; null where none do."""
    shape = in_system(source, srid)
    return (
        select(func.ST_Union(shape, type_=Geometry()))
        .select_from(source.rows)
        .where(func.ST_Intersects(_searched(source, shape, srid), touching))
        .scalar_subquery()
    )


def _searched(source: Source, shape: ColumnElement[Any], srid: int) -> ColumnElement[Any]:
    """The bare column where it is in the right system, so that its index serves."""
    return geometry(source) if source.table.srid == srid else shape


def note(srid: int) -> str:
    unit = " (degrees)" if srid == WGS84 else ""
    return PLANAR_NOTE.format(srid=f"{srid}{unit}")
