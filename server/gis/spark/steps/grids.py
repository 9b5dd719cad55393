"""Grids on Spark: points are counted in cells there, and PostGIS draws the cells."""

from __future__ import annotations

from sqlalchemy import func, select

from server.gis.operations.grid import GridArguments, cell_counts, laid_out
from server.gis.operations.support.attributes.columns import carried
from server.gis.operations.support.base import Step, Workspace
from server.gis.operations.support.earth.geodesy import lonlat
from server.gis.operations.support.earth.projections import equal_area
from server.gis.operations.support.geometry.lattice import Lattice
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.steps.halves import Halves
from server.gis.spark.steps.planes import plane_coordinates


async def gridded(arguments: GridArguments, workspace: Workspace, _step: Step) -> Halves:
    """The rows of the operation `grid`, for Sedona. Raises NotOnSpark for lines and areas, and for empty cells."""
    source = workspace.source(arguments.source)
    if (source.table.geometry_type or "").upper() != "POINT":
        raise NotOnSpark(
            "grid", "centres of gravity of lines and areas are not ported; take their centroids first"
        )
    if arguments.empty:
        raise NotOnSpark("grid", "cells without features are not ported")
    projection = await equal_area(source, workspace)
    lattice = Lattice(arguments.shape, arguments.size, projection)
    shape = lonlat(source)
    x, y = plane_coordinates(shape, projection)
    attributes = [label.element.label(f"a{n}") for n, label in enumerate(carried(source))]
    spots = (
        select(x.label("x"), y.label("y"), *attributes)
        .select_from(source.rows)
        .where(func.coalesce(func.ST_IsEmpty(shape), True).is_(False))
        .subquery("spots")
    )
    counted = cell_counts(arguments, source, lattice, spots.c.x, spots.c.y, spots)
    return Halves(counted, {"i": "integer", "j": "integer"}, lambda rows: laid_out(arguments, lattice, rows))
