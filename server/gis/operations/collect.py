"""Put features together into multi-part features without dissolving their borders."""

from __future__ import annotations

from sqlalchemy import func, select

from server.gis.operations.aggregates import COUNT_ONLY, Aggregate, aggregated
from server.gis.operations.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.columns import attribute
from server.gis.operations.geodesy import geometry
from server.gis.statements import exact


class CollectArguments(Arguments):
    source: str = table_argument("The table whose features are put together.")
    by: tuple[str, ...] = column_argument(
        "One multi-part feature for each value of these; none: one in all.", default=()
    )
    aggregates: tuple[Aggregate, ...] = COUNT_ONLY
    """What to compute of each group."""


class Collect(Operation[CollectArguments]):
    name = "collect"
    summary = (
        "Group features into multi-part features by columns, keeping inner borders (dissolve removes them)."
    )
    arguments = CollectArguments

    async def build(self, arguments: CollectArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        shape = geometry(source)
        groups = [source.column(attribute(source, name).name).label(exact(name)) for name in arguments.by]
        figures = aggregated(arguments.aggregates, source, {GEOMETRY, ROW_ID, *arguments.by}, shape)
        together = func.ST_Multi(func.ST_Collect(shape), type_=Geometry())
        statement = select(*groups, *figures, together.label(GEOMETRY)).select_from(source.rows)
        return Step(
            statement.group_by(*(group.element for group in groups)),
            geometry_type="Geometry",
            srid=source.table.srid,
        )
