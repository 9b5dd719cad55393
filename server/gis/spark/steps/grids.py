"""Grids on Spark: points are counted in cells there, and PostGIS draws the cells."""

from __future__ import annotations

import math

from sqlalchemy import func, select

from server.gis.operations.grid import (
    GridArguments,
    aggregated_attributes,
    cell_counts,
    extent_on_plane,
    laid_out,
)
from server.gis.operations.support.attributes.rates import with_rates
from server.gis.operations.support.base import Step, Workspace
from server.gis.operations.support.earth.azimuthal import (
    ECCENTRICITY2,
    SEMI_MAJOR,
    Azimuthal,
    Number,
    authalic,
    number,
)
from server.gis.operations.support.earth.geodesy import geometry
from server.gis.operations.support.earth.projections import (
    NumberedProjection,
    Projection,
    WorldEqualArea,
    equal_area,
)
from server.gis.operations.support.geometry.lattice import Lattice
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.spark import fault_texts as texts
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.steps.halves import Halves
from server.gis.spark.steps.places import centred_rows


def plane_coordinates(shape: Number, projection: Projection) -> tuple[Number, Number]:
    """X and Y in metres of an EPSG:4326 point. Raises NotOnSpark."""
    if isinstance(projection, WorldEqualArea):
        return _cylindrical(shape, math.radians(30.0))
    if isinstance(projection, NumberedProjection):
        flat = projection.apply(shape)
        return func.ST_X(flat), func.ST_Y(flat)
    azimuthal = Azimuthal.of(projection)
    if azimuthal is None:
        raise NotOnSpark("grid", texts.CELLS())
    return azimuthal.coordinates(shape)


def _cylindrical(shape: Number, standard: float) -> tuple[Number, Number]:
    """Equal-area cylinder, true at a latitude in radians."""
    k = math.cos(standard) / math.sqrt(1 - ECCENTRICITY2 * math.sin(standard) ** 2)
    x = func.ST_X(shape) * number(math.pi / 180 * SEMI_MAJOR * k)
    return x, authalic(shape) * number(SEMI_MAJOR / (2 * k))


async def gridded(arguments: GridArguments, workspace: Workspace, _step: Step) -> Halves:
    """The rows of the operation `grid`, for Sedona. Raises NotOnSpark for empty cells around a lake table."""
    source = workspace.source(arguments.source)
    if arguments.empty and source.table.lake is not None:
        raise NotOnSpark("grid", texts.EMPTY_CELLS())
    arguments = await with_rates(arguments, source, workspace)
    projection = await equal_area(source, workspace)
    lattice = Lattice(arguments.shape, arguments.size, projection)
    over = await extent_on_plane(source, lattice, workspace) if arguments.empty else None
    attributes = list(aggregated_attributes(arguments, source).values())
    centred = centred_rows(source, attributes, has_shape(geometry(source))).subquery("centred")
    x, y = plane_coordinates(centred.c.spot, projection)
    spots = select(x.label("x"), y.label("y"), *(centred.c[label.name] for label in attributes)).subquery(
        "spots"
    )
    counted = cell_counts(arguments, source, lattice, spots.c.x, spots.c.y, spots)
    return Halves(
        counted, {"i": "integer", "j": "integer"}, lambda rows: laid_out(arguments, lattice, rows, over)[1]
    )
