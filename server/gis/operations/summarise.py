"""A table of figures: rows grouped by columns, without geometry."""

from __future__ import annotations

from sqlalchemy import literal, select

from server.gis.operations.aggregates import COUNT_ONLY, Aggregate, aggregated
from server.gis.operations.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    Operation,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.columns import attribute
from server.gis.statements import exact


class SummariseArguments(Arguments):
    source: str = table_argument("The table to summarise.")
    by: tuple[str, ...] = column_argument("The columns to group by; none for one row over all.", default=())
    aggregates: tuple[Aggregate, ...] = COUNT_ONLY
    """What to compute of each group."""


class Summarise(Operation[SummariseArguments]):
    name = "summarise"
    summary = (
        "Group rows by columns and count, sum, average, or take percentiles; the result has no geometry."
    )
    arguments = SummariseArguments

    async def build(self, arguments: SummariseArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        groups = [source.column(attribute(source, name).name).label(exact(name)) for name in arguments.by]
        taken = {GEOMETRY, ROW_ID, *arguments.by}
        statement = (
            select(*groups, *aggregated(arguments.aggregates, source, taken, literal(1)))
            .select_from(source.rows)
            .group_by(*(group.element for group in groups))
            .order_by(*(group.element for group in groups))
        )
        return Step(statement)
