"""The rows with the largest or smallest values of a column, of all rows or of each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import ColumnElement, and_, false, func, or_, select

from agents.worded import Template
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
    Source,
    Step,
    Workspace,
    column_argument,
    count_rows,
    table_argument,
)

IN_NO_GROUP = Template(
    "op_in_no_group",
    "{n|one=# row|other=# rows} without a value of {columns} {n|one=is|other=are} in no group and left out.",
)


class TopArguments(Arguments):
    source: str = table_argument("The table to take rows from.")
    by: str = column_argument("The column that ranks the rows.")
    n: Annotated[int, Field(ge=1, le=1_000_000, description="How many rows.")] = 10
    per: tuple[str, ...] = column_argument(
        "Columns of groups: the n rows of each group. Rows without a group are left out.", default=()
    )
    skip: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000,
            description="Of these, how many of the first to leave out: 1 of 2 for the second.",
        ),
    ] = 0
    smallest: Annotated[bool, Field(description="The smallest values instead of the largest.")] = False
    ties: Annotated[bool, Field(description="Also the rows that share the last one's value.")] = False


class Top(Operation[TopArguments]):
    """The rows with the highest or lowest values of a column."""

    summary = (
        "The n rows with the largest (or smallest) values of a column, of all or of each group (`per`); empty values"
        " never count."
    )
    traits = frozenset({"keeps_geometry", "ranks", "tabular"})
    checks_geometries = False

    async def build(self, arguments: TopArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        known = comparable(source, arguments.by)
        by = source.column(known.name)
        ties = _key(source)
        order = by.asc() if arguments.smallest else by.desc()
        is_known = real(by, known).is_not(None)
        if arguments.per or arguments.skip:
            return await _of_each(arguments, source, workspace, is_known, order)
        statement = (
            select(*attribute_columns(source), *geometry_out(source))
            .select_from(source.rows)
            .where(is_known)
            .order_by(order, *ties)
        )
        if not arguments.ties:
            return Step.keeping(source, statement.limit(arguments.n))
        ranked = select(by).where(is_known).order_by(order).limit(1).offset(arguments.n - 1)
        last = ranked.correlate(None).scalar_subquery()
        within = by <= last if arguments.smallest else by >= last
        return Step.keeping(source, statement.where(or_(within, last.is_(None))))


def _key(source: Source) -> Sequence[ColumnElement[Any]]:
    """The key, which breaks ties, so that the same question always has the same answer."""
    return [source.column(name) for name in source.table.key]


async def _of_each(
    arguments: TopArguments,
    source: Source,
    workspace: Workspace,
    is_known: ColumnElement[bool],
    order: ColumnElement[Any],
) -> Step:
    """The first rows of each group, or of all; equal values have the same place where ties are kept."""
    groups = [source.column(comparable(source, name).name) for name in arguments.per]
    place = (
        func.rank().over(partition_by=groups, order_by=order)
        if arguments.ties
        else func.row_number().over(partition_by=groups, order_by=[order, *_key(source)])
    )
    labels = [*attribute_columns(source), *geometry_out(source)]
    name = free_name("place", {label.name for label in labels})
    ranked = (
        select(*labels, place.label(name))
        .select_from(source.rows)
        .where(and_(is_known, *(group.is_not(None) for group in groups)))
        .subquery("ranked")
    )
    within = ranked.c[name].between(arguments.skip + 1, arguments.n)
    kept = select(*(ranked.c[label.name] for label in labels)).where(within)
    what = ", ".join(arguments.per)
    apart = or_(false(), *(group.is_(None) for group in groups))
    left_out = await count_rows(source.rows, workspace, apart)
    notes = (IN_NO_GROUP(n=left_out, columns=what),) if left_out else ()
    return Step.keeping(source, kept, notes=notes)
