"""Rows that agree in columns become one: what the grouping operations have in common."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Label, Select, func, select, true

from server.gis.expressions.identifiers import exact
from server.gis.operations.support.attributes.aggregates import COUNT_ONLY, Aggregate, aggregated
from server.gis.operations.support.attributes.columns import comparable, free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    Source,
    column_argument,
    table_argument,
)
from server.gis.operations.support.palettes import shaded


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

    `rows` is not null in each row that counts. Of no rows at all there are figures (a count of 0), but no shape."""
    groups = group_columns(source, *arguments.by)
    taken = {GEOMETRY, ROW_ID, *(group.name for group in groups)}
    figures = aggregated(arguments.aggregates, source, taken, rows)
    values = [group.element for group in groups]
    statement = (
        select(*groups, *figures, *shapes).select_from(source.rows).group_by(*values).order_by(*values)
    )
    return statement.having(func.count() > 0) if shapes else statement


def shown(arguments: GroupArguments, source: Source) -> dict[str, Any] | None:
    """The style of the groups: the first figure that was asked for, else a colour for each group."""
    groups = [group.name for group in group_columns(source, *arguments.by)]
    if arguments.aggregates != COUNT_ONLY:
        taken = {GEOMETRY, ROW_ID, *groups}
        return shaded(aggregated(arguments.aggregates, source, taken, true())[0].name)
    return {"kind": "categorical", "column": groups[0]} if groups else None


def group_columns(source: Source, *names: str) -> list[Label[Any]]:
    """The columns to group by, each once, renamed where a name is reserved.

    Raises UnknownColumn with the nearest names, InvalidQuestion where values cannot be compared."""
    used = {GEOMETRY, ROW_ID}
    labels: list[Label[Any]] = []
    for name in dict.fromkeys(names):
        free = free_name(comparable(source, name).name, used)
        used.add(free)
        labels.append(source.column(name).label(exact(free)))
    return labels
