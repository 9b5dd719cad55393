"""Overlays on Spark: pairs are found by a join, what meets a row is united, and the row is cut by that."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, func, select

from server.gis.operations.clip import ClipArguments
from server.gis.operations.difference import DifferenceArguments
from server.gis.operations.dissolve import DissolveArguments
from server.gis.operations.support.attributes.columns import attribute_columns
from server.gis.operations.support.attributes.groups import grouped
from server.gis.operations.support.attributes.rates import with_rates
from server.gis.operations.support.base import GEOMETRY, Geometry, Step, Workspace
from server.gis.operations.support.earth.geodesy import flat, geometry
from server.gis.operations.support.geometry.overlays import in_system, same_dimension
from server.gis.operations.support.geometry.repairs import kept, multi
from server.gis.operations.support.geometry.validity import has_shape, present_shape, sound
from server.gis.spark.steps.places import row_of


def clipped(arguments: ClipArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """The rows of the operation `clip`, for Sedona."""
    return _cut(arguments.source, arguments.mask, workspace, keeps=True)


def reduced(arguments: DifferenceArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """The rows of the operation `difference`, for Sedona."""
    return _cut(arguments.source, arguments.other, workspace, keeps=False)


async def dissolved(arguments: DissolveArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """The rows of the operation `dissolve`, for Sedona."""
    source = workspace.source(arguments.source)
    arguments = await with_rates(arguments, source, workspace)
    shape: ColumnElement[Any] = func.ST_Union(kept(sound(flat(source)), source), type_=Geometry())
    return grouped(arguments, source, present_shape(geometry(source)), multi(shape, source).label(GEOMETRY))


def _cut(name: str, other_name: str, workspace: Workspace, *, keeps: bool) -> Select[Any]:
    """What lies inside of the areas (`keeps`), or outside of them; rows of which nothing is left go."""
    source, met, other = workspace.source(name), workspace.source(name), workspace.source(other_name)
    srid = source.table.srid
    theirs = in_system(other, srid)
    areas = (
        select(row_of(met).label("place"), func.ST_Union(theirs, type_=Geometry()).label("shape"))
        .select_from(met.rows.join(other.rows, func.ST_Intersects(geometry(met), theirs)))
        .group_by(row_of(met))
        .subquery("areas")
    )
    own = in_system(source, srid)
    if keeps:
        left = func.ST_Intersection(own, areas.c["shape"], type_=Geometry())
    else:
        left = func.coalesce(func.ST_Difference(own, areas.c["shape"]), own, type_=Geometry())
    cut = (
        select(*attribute_columns(source), same_dimension(left, source).label(GEOMETRY))
        .select_from(source.rows.join(areas, areas.c.place == row_of(source), isouter=not keeps))
        .subquery("cut")
    )
    return select(cut).where(has_shape(cut.c[GEOMETRY]))
