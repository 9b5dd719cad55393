"""Unite features that share a value, with aggregates of their attributes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import case, func, select

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


class DissolveArguments(Arguments):
    source: str = table_argument("The table to dissolve.")
    by: tuple[str, ...] = column_argument(
        "Rows that agree in these columns become one; none: all become one.", default=()
    )
    aggregates: tuple[Aggregate, ...] = COUNT_ONLY
    """What to compute of the attributes of each."""


class Dissolve(Operation[DissolveArguments]):
    name = "dissolve"
    summary = "Unite features that share the values of columns into one each, with counts, sums and the like."
    arguments = DissolveArguments

    async def build(self, arguments: DissolveArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        shape = geometry(source)
        groups = [source.column(attribute(source, name).name).label(exact(name)) for name in arguments.by]
        taken = {GEOMETRY, ROW_ID, *arguments.by}
        # Repaired only where it is needed: an invalid polygon would stop the whole union.
        sound = case((func.ST_IsValid(shape), shape), else_=func.ST_MakeValid(shape, type_=Geometry()))
        columns: list[Any] = [*groups, *aggregated(arguments.aggregates, source, taken, shape)]
        statement = (
            select(*columns, func.ST_Union(sound, type_=Geometry()).label(GEOMETRY))
            .select_from(source.rows)
            .group_by(*(group.element for group in groups))
        )
        return Step(
            statement,
            geometry_type="Geometry",
            srid=source.table.srid,
            notes=("Invalid shapes were repaired (ST_MakeValid) before they were united.",),
        )
