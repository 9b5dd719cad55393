"""The rows with the largest or smallest values of a column."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import or_, select

from server.gis.operations.support.attributes.columns import carried, comparable, geometry_out, real
from server.gis.operations.support.base import (
    Arguments,
    Operation,
    Step,
    Workspace,
    column_argument,
    table_argument,
)


class TopArguments(Arguments):
    source: str = table_argument("The table to take rows from.")
    by: str = column_argument("The column that ranks the rows.")
    n: Annotated[int, Field(ge=1, le=1_000_000, description="How many rows.")] = 10
    smallest: Annotated[bool, Field(description="The smallest values instead of the largest.")] = False
    ties: Annotated[bool, Field(description="Also the rows that share the last one's value.")] = False


class Top(Operation[TopArguments]):
    """The rows with the highest or lowest values of a column."""

    name = "top"
    summary = "The n rows with the largest (or smallest) values of a column; empty values never count."
    arguments = TopArguments
    traits = frozenset({"keeps_geometry"})
    computes = False

    async def build(self, arguments: TopArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        known = comparable(source, arguments.by)
        by = source.column(known.name)
        # The key breaks ties, so that the same question always has the same answer.
        ties = [source.column(name) for name in source.table.key]
        order = by.asc() if arguments.smallest else by.desc()
        is_known = real(by, known).is_not(None)
        statement = (
            select(*carried(source), *geometry_out(source))
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
