"""For each point the area that is nearer to it than to any other."""

from __future__ import annotations

from sqlalchemy import column, func, literal_column, select, table

from server.gis.operations.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Prepared,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.columns import carried
from server.gis.operations.geodesy import lonlat
from server.gis.operations.projections import local_equidistant
from server.gis.operations.shapes import of_family
from server.gis.statements import WGS84


class VoronoiArguments(Arguments):
    source: str = table_argument("The table of points.")


class Voronoi(Operation[VoronoiArguments]):
    name = "voronoi"
    summary = "Divide the land around points into the area nearest to each (Voronoi or Thiessen polygons)."
    arguments = VoronoiArguments

    async def build(self, arguments: VoronoiArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "point")
        projection = await local_equidistant(source, workspace)
        point = projection.apply(lonlat(source))
        together = select(func.ST_Collect(point)).select_from(source.rows).scalar_subquery()
        cell = literal_column("cell.geom", Geometry())
        # A table of its own, because its spatial index is what finds the cell of a point.
        prepared = Prepared(
            workspace.temporary("cells"),
            select(cell.label("shape")).select_from(
                func.ST_Dump(func.ST_VoronoiPolygons(together)).alias("cell")
            ),
            (("gist", "shape"),),
        )
        cells = table(prepared.name, column("shape", Geometry())).alias("cells")
        whole = func.ST_Multi(projection.back_areas(cells.c["shape"]), type_=Geometry())
        statement = select(*carried(source), whole.label(GEOMETRY)).select_from(
            source.rows.join(cells, func.ST_Intersects(point, cells.c["shape"]))
        )
        return Step(
            statement,
            geometry_type="MultiPolygon",
            srid=WGS84,
            prepare=(prepared,),
            notes=(projection.note, "Points at the same place share one cell, each with a row of its own."),
        )
