"""The area that a set of features spans: convex, or concave as tight as asked."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import func, select

from server.gis.operations.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.columns import free_name
from server.gis.operations.geodesy import geometry, lonlat
from server.gis.operations.groups import group_columns
from server.gis.operations.validity import there
from server.gis.statements import WGS84


class HullArguments(Arguments):
    source: str = table_argument("The table whose features are enclosed.")
    by: str | None = column_argument(
        "One hull for each value of this column; without it one for all.", default=None
    )
    concave: Annotated[float, Field(gt=0, le=1)] | None = None
    """For a concave hull: 1 is convex, towards 0 ever tighter."""


class Hull(Operation[HullArguments]):
    name = "hull"
    summary = (
        "The convex (or with concave=0..1 concave) hull around all features, or around each group of them."
    )
    arguments = HullArguments

    async def build(self, arguments: HullArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        together = func.ST_Collect(lonlat(source), type_=Geometry())
        hull = (
            func.ST_ConvexHull(together, type_=Geometry())
            if arguments.concave is None
            else func.ST_ConcaveHull(together, arguments.concave, type_=Geometry())
        )
        groups = group_columns(source, *([] if arguments.by is None else [arguments.by]))
        count = free_name("features", {group.name for group in groups})
        statement = select(
            *groups, func.count(there(geometry(source))).label(count), hull.label(GEOMETRY)
        ).select_from(source.rows)
        return Step(
            statement.group_by(*[group.element for group in groups]).having(func.count() > 0),
            geometry_type="Geometry",
            srid=WGS84,
            notes=("Hull in longitude and latitude; its sides are straight on the map, not geodesic.",),
            comments={count: "How many features are enclosed: rows with a geometry."},
        )
