"""Rows with their shapes in a local projection, transformed together.

PostGIS keeps projections that a number names, but sets one up that a text describes anew for every call, which takes a
third of a millisecond. So shapes are collected, transformed in one call, and taken apart again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Integer, Label, cast, column, func, select, table
from sqlalchemy.dialects.postgresql import aggregate_order_by

from server.gis.operations.base import Geometry, Prepared, Source, Workspace
from server.gis.operations.projections import Projection

TOGETHER = 100
"""Shapes in one call: enough that the call costs nothing, few enough that finding one among them does not."""


def flattened(
    source: Source,
    projection: Projection,
    shape: ColumnElement[Any],
    columns: Sequence[Label[Any]],
    workspace: Workspace,
    name: str = "flat",
) -> tuple[Prepared, FromClause]:
    """A temporary table with `shape` (EPSG:4326) in the projection, called `name`, and then the columns; its alias.

    Rows without a shape, or with an empty one, are left out.
    """
    numbered = (
        select((func.row_number().over() - 1).label("place"), shape.label("round"), *columns)
        .select_from(source.rows)
        .where(func.coalesce(func.ST_IsEmpty(shape), True).is_(False))
        .cte("numbered")
    )
    sheet = func.div(numbered.c.place, TOGETHER)
    together = func.ST_Collect(aggregate_order_by(numbered.c.round, numbered.c.place), type_=Geometry())
    sheets = (
        select(sheet.label("sheet"), projection.apply(together).label("shapes")).group_by(sheet).cte("sheets")
    )
    flat = func.ST_GeometryN(
        sheets.c.shapes, cast(numbered.c.place % TOGETHER, Integer()) + 1, type_=Geometry()
    )
    prepared = Prepared(
        workspace.temporary(name),
        select(flat.label(name), *(numbered.c[each.name] for each in columns)).select_from(
            numbered.join(sheets, sheets.c.sheet == sheet)
        ),
    )
    rows = table(prepared.name, column(name, Geometry()), *(column(each.name, each.type) for each in columns))
    return prepared, rows.alias(name)
