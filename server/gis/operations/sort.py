"""All rows, numbered by rank of a column."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import func, select

from server.gis.operations.support.attributes.columns import (
    attribute_columns,
    comparable,
    free_name,
    geometry_out,
    real,
)
from server.gis.operations.support.base import (
    Arguments,
    Operation,
    Step,
    Workspace,
    column_argument,
    table_argument,
)


class SortArguments(Arguments):
    source: str = table_argument("The table to sort.")
    by: str = column_argument("The column that ranks the rows.")
    ascending: Annotated[bool, Field(description="Smallest first.")] = False


class Sort(Operation[SortArguments]):
    """All rows with their rank in the order of a column; rows with the same value share a rank."""

    summary = (
        "Rank all rows by a column: column `rank` is 1 for the largest (or smallest); ties share a rank."
    )
    traits = frozenset({"keeps_geometry", "tabular"})
    checks_geometries = False
    phrases = (
        (
            "<then> (sort|order) {source:bare} by {by} [descending|desc|decreasing|from high to low|"
            "in descending order]"
        ),
        "<then> (sorted|ordered|ranked) by {by} [descending|desc|decreasing]",
        "<then> (sorted|ordered|ranked) by {by} (ascending|increasing|from low to high) -> ascending",
        "<then> (sort|order) {source:bare} by {by} (ascending|rising|smallest first) -> ascending",
    )

    async def build(self, arguments: SortArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        known = comparable(source, arguments.by)
        by = real(source.column(known.name), known)
        order = (by.asc() if arguments.ascending else by.desc()).nulls_last()
        own = attribute_columns(source)
        rank = free_name("rank", {label.name for label in own})
        statement = (
            select(*own, func.rank().over(order_by=order).label(rank), *geometry_out(source))
            .select_from(source.rows)
            .order_by(order)
        )
        return Step.keeping(
            source,
            statement,
            comments={rank: f"Rank by {arguments.by}; rows without a value or with NaN come last."},
        )
