"""The triangles between neighbouring points."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Integer, cast, func, literal_column, select

from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import lonlat
from server.gis.operations.support.earth.projections import local_equidistant, utm_zone
from server.gis.operations.support.geometry.shapes import of_family


class DelaunayArguments(Arguments):
    source: str = table_argument("The table of points.")


class Delaunay(Operation[DelaunayArguments]):
    """Delaunay triangles of points, found in a local projection."""

    summary = "Connect neighbouring points into triangles (Delaunay triangulation)."
    reads_extent = True
    phrases = ("<open> (delaunay [triangles|triangulation]|triangulation) [<of_each> {source}]",)

    async def build(self, arguments: DelaunayArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "point")
        projection = await utm_zone(source, workspace) or await local_equidistant(source, workspace)
        together = projection.apply(func.ST_Collect(lonlat(source), type_=Geometry()))
        net: ColumnElement[Any] = func.ST_DelaunayTriangles(together, type_=Geometry())
        triangle = literal_column("triangle.geom", Geometry())
        area = projection.back_areas(triangle)
        if projection.seam is None:
            # All at once: PostGIS sets up a projection like this for every call.
            net, area = projection.back(net), triangle
        triangles = select(net).select_from(source.rows).scalar_subquery()
        statement = select(
            cast(func.row_number().over(), Integer()).label("triangle"),
            func.ST_Multi(area, type_=Geometry()).label(GEOMETRY),
        ).select_from(func.ST_Dump(triangles).alias("triangle"))
        return Step(statement, geometry_type="MultiPolygon", srid=WGS84, method=(projection.note,))
