"""Bring columns of another table to rows that share a value."""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import ColumnElement, Text, cast, func, select

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
from server.gis.operations.columns import attribute, carried, comparable, free_name, geometry_out
from server.gis.statements import exact


class JoinByAttributeArguments(Arguments):
    source: str = table_argument("The table whose rows are kept.")
    other: str = table_argument("The table whose columns are brought.")
    key: str = column_argument("The column of the source that must agree.")
    other_key: str = column_argument("The column of the other table that must agree.", of="other")
    columns: tuple[str, ...] = column_argument("Which columns to bring; none: all.", of="other", default=())
    rows: Literal["all", "matched"] = "all"
    """all: rows without a partner stay, with empty columns; matched: they go."""


class JoinByAttribute(Operation[JoinByAttributeArguments]):
    name = "join_by_attribute"
    summary = (
        "Add the columns of another table where a key agrees (a text key ignores case and outer spaces)."
    )
    arguments = JoinByAttributeArguments

    async def build(self, arguments: JoinByAttributeArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        mine = comparable(source, arguments.key)
        theirs = comparable(other, arguments.other_key)
        left, right = source.column(mine.name), other.column(theirs.name)
        numbers = {"integer", "number"}
        if (mine.kind != theirs.kind and not {mine.kind, theirs.kind} <= numbers) or mine.kind == "text":
            left, right = _plain(left), _plain(right)
        names = arguments.columns or [each.name for each in other.attributes if each.name != theirs.name]
        own = carried(source)
        taken = {GEOMETRY, ROW_ID, *(label.name for label in own)}
        brought = []
        for name in names:
            free = free_name(attribute(other, name).name, taken)
            taken.add(free)
            brought.append(other.column(name).label(exact(free)))
        joined = source.rows.join(other.rows, left == right, isouter=arguments.rows == "all")
        return Step.keeping(
            source,
            select(*own, *brought, *geometry_out(source)).select_from(joined),
        )


def _plain(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.lower(func.btrim(cast(column, Text())))
