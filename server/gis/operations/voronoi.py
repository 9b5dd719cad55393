"""For each point the area that is nearer to it than to any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, column, distinct, func, select

from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support import methods
from server.gis.operations.support.attributes.columns import attribute_columns, free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    CountedNotes,
    Geometry,
    Operation,
    Prepared,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import lonlat
from server.gis.operations.support.earth.local_projection import transformed
from server.gis.operations.support.earth.projections import Projection, local_equidistant, utm_zone
from server.gis.operations.support.geometry.shapes import of_family
from server.gis.operations.support.geometry.validity import has_shape

SHARED_CELL = Template(
    "op_shared_cell",
    "{n|one=# point is at the place of another one and shares its cell|other=# points are at the place of others and "
    "share their cells}.",
)
NO_CELL = Template("op_no_cell", "{rows} without a geometry: no cell.")


EDGE_M = 0.001


class VoronoiArguments(Arguments):
    source: str = table_argument("The table of points.")


class Voronoi(Operation[VoronoiArguments]):
    """Voronoi cells of points, found in a local projection."""

    summary = "Divide the land around points into the area nearest to each (Voronoi or Thiessen polygons)."
    traits = frozenset({"makes_areas"})
    reads_extent = True
    phrases = (
        "<open> (voronoi [polygons|cells|diagram|areas|regions|catchments|catchment areas]|thiessen polygons)"
        " [<of_each> {source}]",
    )

    async def build(self, arguments: VoronoiArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "point")
        projection = await utm_zone(source, workspace) or await local_equidistant(source, workspace)
        prepared, rows, own, site = _sites(source, projection, workspace)
        cells = _cells(source, projection, workspace)
        found = cells.rows.alias("cells")
        statement = select(*own, func.ST_Multi(found.c.area, type_=Geometry()).label(GEOMETRY)).select_from(
            rows.join(found, func.ST_Intersects(site, found.c["shape"]))
        )
        return Step(
            statement,
            geometry_type="MultiPolygon",
            srid=WGS84,
            prepare=(*prepared, cells),
            method=(projection.note,),
            counted=_counted(source, cells),
        )


def _sites(
    source: Source, projection: Projection, workspace: Workspace
) -> tuple[tuple[Prepared, ...], FromClause, Sequence[ColumnElement[Any]], ColumnElement[Any]]:
    """What to prepare, the rows, their attributes, and where each is on the plane."""
    own = attribute_columns(source)
    if projection.is_set_up_once:
        # Computed where cells are looked for, so that PostgreSQL does both in several processes.
        return (), source.rows, own, projection.apply(lonlat(source))
    name = free_name("site", {GEOMETRY, *(label.name for label in own)})
    points, rows = transformed(source.rows, projection.apply, lonlat(source), own, workspace, name)
    return (points,), rows, [rows.c[label.name] for label in own], rows.c[name]


def _counted(source: Source, cells: Prepared) -> CountedNotes:
    """Points that share a cell or have none, and cells that end at the edge of the diagram."""
    drawn = cells.rows
    edge = select(func.ST_Boundary(func.ST_Extent(drawn.c["shape"]).cast(Geometry()))).scalar_subquery()
    made_of = select(func.count()).select_from(drawn)
    shape = lonlat(source)
    numbers = (
        func.count(),
        func.count().filter(has_shape(shape)),
        func.count(distinct(shape)).filter(has_shape(shape)),
        made_of.scalar_subquery(),
        made_of.where(func.ST_Distance(drawn.c["shape"], edge) < EDGE_M).scalar_subquery(),
    )

    def notes(rows: int, placed: int, sites: int, made: int, outer: int) -> list[str]:
        texts: list[str] = [methods.EDGE_CELLS(n=outer, total=made)]
        if placed > sites:
            texts.append(SHARED_CELL(n=placed - sites))
        if rows > placed:
            texts.append(NO_CELL(rows=count_of(rows - placed, "row")))
        return texts

    return CountedNotes(lambda _made: select(*numbers).select_from(source.rows), notes)


def _cells(source: Source, projection: Projection, workspace: Workspace) -> Prepared:
    """Every cell as `shape` of the plane, with the spatial index that finds the cell of a point, and as `area`."""
    together = projection.apply(func.ST_Collect(lonlat(source), type_=Geometry()))
    diagram = select(func.ST_VoronoiPolygons(together).label("cells")).select_from(source.rows).cte("diagram")
    cell = func.ST_Dump(diagram.c.cells).table_valued(
        "path", column("geom", Geometry()), name="cell", joins_implicitly=True
    )
    made_of: FromClause = cell
    area = projection.back_areas(cell.c.geom)
    if projection.seam is None and not projection.is_set_up_once:
        # All at once: PostGIS sets up a projection like this for every call.
        back = func.ST_Dump(projection.back(diagram.c.cells))
        turned = back.table_valued("path", column("geom", Geometry()), name="turned", joins_implicitly=True)
        made_of, area = cell.join(turned, turned.c.path == cell.c.path), turned.c.geom
    statement = select(cell.c.geom.label("shape"), area.label("area")).select_from(diagram, made_of)
    return Prepared(workspace.temporary("cells"), statement, (("gist", "shape"),))
