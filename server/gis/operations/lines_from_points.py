"""Lines through points in an order: tracks, routes, connections."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

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
from server.gis.operations.columns import free_name, ranged
from server.gis.operations.geodesy import flat, geography, geometry, lonlat
from server.gis.operations.groups import group_columns
from server.gis.operations.shapes import of_family


class LinesFromPointsArguments(Arguments):
    source: str = table_argument("The table of points.")
    order: str = column_argument("The column that orders the points along the line (a time, a number).")
    by: str | None = column_argument("One line for each value of this column.", default=None)


class LinesFromPoints(Operation[LinesFromPointsArguments]):
    name = "lines_from_points"
    summary = "Connect points into lines in the order of a column, one line for each value of another."
    arguments = LinesFromPointsArguments

    async def build(self, arguments: LinesFromPointsArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "point")
        order = source.column(ranged(source, arguments.order).name)
        groups = group_columns(source, *([] if arguments.by is None else [arguments.by]))
        taken = {group.name for group in groups}
        points, first, last, length = (
            free_name(name, taken) for name in ("points", "first", "last", "length_m")
        )
        shape = geometry(source) if source.declared else flat(source)
        line = func.ST_MakeLine(aggregate_order_by(shape, order), type_=Geometry())
        along = func.ST_Length(geography(func.ST_MakeLine(aggregate_order_by(lonlat(source), order))))
        statement = (
            select(
                *groups,
                func.count().label(points),
                func.min(order).label(first),
                func.max(order).label(last),
                along.label(length),
                line.label(GEOMETRY),
            )
            .select_from(source.rows)
            .where(geometry(source).is_not(None), order.is_not(None))
            .group_by(*(group.element for group in groups))
            .having(func.count() > 1)
        )
        return Step(
            statement,
            geometry_type=source.stored_type("LineString"),
            srid=source.stored_srid,
            notes=("Groups of a single point make no line and are left out.",),
            comments={length: "Length in metres, geodesic."},
        )
