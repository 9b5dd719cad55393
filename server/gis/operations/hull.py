"""The area that a set of features spans: convex, or concave as tight as asked."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import BigInteger, ColumnElement, cast, column, func, literal_column, select

from agents.worded import joined
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support import methods
from server.gis.operations.support.attributes.columns import free_name
from server.gis.operations.support.attributes.groups import group_columns
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.support.earth.antimeridian import may_cross_antimeridian, the_short_way
from server.gis.operations.support.earth.geodesy import geometry, in_own_plane
from server.gis.operations.support.geometry.validity import present_shape

TOGETHER = 1_000
"""Features of which the hull is taken at once."""


class HullArguments(Arguments):
    source: str = table_argument("The table whose features are enclosed.")
    by: str | None = column_argument(
        "One hull for each value of this column; without it one for all.", default=None
    )
    concave: Annotated[float, Field(gt=0, le=1)] | None = None
    """For a concave hull: 1 is convex, towards 0 ever tighter."""


class Hull(Operation[HullArguments]):
    """Convex or concave hulls, computed in the plane of the table's own reference system."""

    summary = (
        "The convex (or with concave=0..1 concave) hull around all features, or around each group of them."
    )
    traits = frozenset({"makes_areas"})
    phrases = (
        "<open> [convex] hull[s] [<of_each> {source:any} [(by|for each|of each|per) {by}]]",
        "<open> concave hull[s] [<of_each> {source:any} [(by|for each|of each|per) {by}]] -> concave=0.3",
    )

    async def build(self, arguments: HullArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        by = () if arguments.by is None else (arguments.by,)
        groups = group_columns(source, *by)
        count = free_name("features", {group.name for group in groups})
        figure = func.count(present_shape(geometry(source))).label(count)
        shape, srid = in_own_plane(source)
        concave = arguments.concave

        def around(shapes: ColumnElement[Any]) -> ColumnElement[Any]:
            if concave is not None:
                # Of points: around areas without extent, and collections with empty parts, ST_ConcaveHull crashes.
                corners = func.ST_Points(func.ST_Collect(shapes))
                return func.ST_ConcaveHull(corners, concave, type_=Geometry())
            return convex(shapes) if by else convex_in_steps(shapes)

        hull = around(shape)
        method = methods.HULL(srid=str(srid))
        if srid == WGS84 and await may_cross_antimeridian(shape, source, workspace, together=not by):
            hull = the_short_way(shape, hull, around)
            method = joined(" ", (method, methods.HULL_ACROSS()))
        statement = select(*groups, figure, hull.label(GEOMETRY)).select_from(source.rows)
        return Step(
            statement.group_by(*[group.element for group in groups]).having(func.count() > 0),
            geometry_type="Geometry",
            srid=srid,
            method=(method,),
            comments={count: "How many features are enclosed: rows with a geometry."},
        )


def convex(shapes: ColumnElement[Any]) -> ColumnElement[Any]:
    """The convex hull of all shapes of a group."""
    return func.ST_ConvexHull(func.ST_Collect(shapes, type_=Geometry()), type_=Geometry())


def convex_in_steps(shapes: ColumnElement[Any]) -> ColumnElement[Any]:
    """The hull of hulls: the same, three times as fast for many, and it can be stopped in between."""
    gathered = func.unnest(func.array_agg(shapes)).table_valued(
        column("shape", Geometry()), with_ordinality="place"
    )
    placed = gathered.render_derived(name="placed")
    part = cast(placed.c.place, BigInteger()) // literal_column(str(TOGETHER), BigInteger())
    hulls = select(convex(placed.c["shape"]).label("shape")).group_by(part).subquery("hulls")
    return select(convex(hulls.c["shape"])).scalar_subquery()
