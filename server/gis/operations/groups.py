"""Rows that agree in columns become one: what the grouping operations have in common."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Label, Select, select

from server.gis.operations.aggregates import COUNT_ONLY, Aggregate, aggregated
from server.gis.operations.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    Source,
    column_argument,
    table_argument,
)
from server.gis.operations.columns import attribute
from server.gis.statements import exact


class GroupArguments(Arguments):
    source: str = table_argument("The table whose rows are grouped.")
    by: tuple[str, ...] = column_argument(
        "Rows that agree in these columns become one; none: all become one.", default=()
    )
    aggregates: tuple[Aggregate, ...] = COUNT_ONLY
    """What to compute of each group."""


def grouped(
    arguments: GroupArguments, source: Source, rows: ColumnElement[Any], *shapes: Label[Any]
) -> Select[Any]:
    """One row a group, in the order of the groups: their values, the aggregates, then `shapes`.

    `rows` is not null in each row that counts.
    """
    groups = group_columns(source, *arguments.by)
    figures = aggregated(arguments.aggregates, source, {GEOMETRY, ROW_ID, *arguments.by}, rows)
    values = [group.element for group in groups]
    return select(*groups, *figures, *shapes).select_from(source.rows).group_by(*values).order_by(*values)


def group_columns(source: Source, *names: str) -> list[Label[Any]]:
    """The columns to group by, as they are named in the result. Raises UnknownColumn with the nearest names."""
    return [source.column(attribute(source, name).name).label(exact(name)) for name in names]
