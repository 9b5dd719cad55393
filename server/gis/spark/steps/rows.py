"""Operations on Spark that treat each row alone."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, func, literal, select

from server.gis.expressions.identifiers import WGS84
from server.gis.operations.measure import Measure, MeasureArguments
from server.gis.operations.reproject import ReprojectArguments, crossing
from server.gis.operations.sample import SampleArguments
from server.gis.operations.simplify import SimplifyArguments, of_kind, plane_of
from server.gis.operations.support.attributes.columns import attribute_columns, geometry_out
from server.gis.operations.support.base import GEOMETRY, Step, Workspace
from server.gis.operations.support.earth.geodesy import lonlat
from server.gis.spark import fault_texts as texts
from server.gis.spark import names
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.steps.places import row_of


def measured(arguments: MeasureArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """The rows of `measure`, for Sedona, which cannot add corners along long edges."""
    source = workspace.source(arguments.source)
    shape = lonlat(source)
    return Measure().measured(arguments, source, lambda measure: measure(shape)).select


def sampled(arguments: SampleArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """The rows of `sample`, by another hash than in PostGIS: the same seed gives the same rows on Spark, and
    others there."""
    source = workspace.source(arguments.source)
    keys = [source.column(name) for name in source.table.key] or [row_of(source)]
    order = func.xxhash64(*keys, literal(arguments.seed))
    return (
        select(*attribute_columns(source), *geometry_out(source))
        .select_from(source.rows)
        .order_by(order, *keys)
        .limit(arguments.n)
    )


async def simplified(arguments: SimplifyArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """The rows of the operation `simplify`, for Sedona: lines only. Raises NotOnSpark."""
    source = workspace.source(arguments.source)
    if source.family != "line":
        raise NotOnSpark("simplify", texts.BORDERS())
    plane = await plane_of(source, arguments.tolerance, workspace)
    line = plane.back(plane.simplified(plane.apply(lonlat(source))))
    shape = of_kind(line, source.table.geometry_type or "Geometry")
    return select(*attribute_columns(source), shape.label(GEOMETRY)).select_from(source.rows)


async def reprojected(arguments: ReprojectArguments, workspace: Workspace, step: Step) -> Select[Any]:
    """The statement of PostGIS, where no shape has to be cut. Of a lake table, PostGIS knows a sample, so each row is
    looked at. Raises NotOnSpark."""
    source = workspace.source(arguments.source)
    if arguments.srid != WGS84 or source.declared_srid in (0, WGS84) or source.family == "point":
        return step.select
    if await crossing(source, workspace):
        raise NotOnSpark("reproject", texts.ANTIMERIDIAN())
    if source.table.lake is None:
        return step.select
    moved = step.select.subquery("moved")
    whole = getattr(func, names.WHOLE)
    return select(
        *(whole(each).label(each.name) if each.name == GEOMETRY else each for each in moved.c)
    ).select_from(moved)
