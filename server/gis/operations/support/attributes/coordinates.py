"""Pairs of numeric columns that hold coordinates."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Float, and_, cast, func, literal, or_, select

from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.operations.support.attributes.columns import number
from server.gis.operations.support.base import Source, Workspace

NO_DEGREES = Template(
    "op_no_degrees",
    "{n|one=# row|other=# rows} of {table} {n|one=is|other=are} not longitudes and latitudes (x in "
    "-180..180, y in -90..90).{hint}",
)
EXCHANGED = Template("op_exchanged", " x and y look exchanged.")

Pair = tuple[ColumnElement[Any], ColumnElement[Any]]


def coordinates(source: Source, x: str, y: str) -> Pair:
    """The values of two columns. Raises InvalidQuestion where they are not numbers."""
    return cast(number(source, x), Float()), cast(number(source, y), Float())


async def check_degrees(source: Source, workspace: Workspace, pair: Pair, advice: str = "") -> None:
    """Raise InvalidQuestion where rows have no longitude and latitude in these columns."""
    x, y = pair
    outside = or_(func.abs(x) > literal(180.0), func.abs(y) > literal(90.0))
    wrong, swapped = await workspace.row(
        select(
            func.count().filter(outside),
            func.count().filter(and_(func.abs(y) > literal(90.0), func.abs(x) <= literal(90.0))),
        ).select_from(source.rows)
    )
    if wrong:
        hint = EXCHANGED() if swapped == wrong else advice
        raise InvalidQuestion(NO_DEGREES(n=wrong, table=source.table.id, hint=hint))
