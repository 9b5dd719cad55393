"""Rows with their shapes in a local projection, transformed together.

PostGIS keeps projections that a number names, but sets one up that a text describes again for every call, which takes a
third of a millisecond. So shapes are collected, transformed in one call, and taken apart again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Integer,
    Label,
    Select,
    cast,
    column,
    func,
    null,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by

from server.gis.operations.support.attributes.columns import free_name
from server.gis.operations.support.base import Geometry, Prepared, Workspace
from server.gis.operations.support.earth.azimuthal import Azimuthal
from server.gis.operations.support.earth.projections import Projection
from server.gis.operations.support.geometry.validity import has_no_shape, has_shape

TOGETHER = 100
"""Shapes in one call: enough that the call costs nothing, few enough that finding one among them does not."""


def in_plane(
    rows: FromClause,
    projection: Projection,
    shape: ColumnElement[Any],
    columns: Sequence[Label[Any]],
    workspace: Workspace,
    name: str,
    *,
    are_points: bool = False,
) -> tuple[tuple[Prepared, ...], FromClause]:
    """The rows with `shape` (EPSG:4326) in the projection, called `name`, and then the columns; without rows that have
    no shape. The temporary table that this needs comes first."""
    azimuthal = Azimuthal.of(projection) if are_points else None
    if azimuthal is not None:
        return (), azimuthal.placed(rows, shape, columns, name)
    if projection.is_set_up_once:
        # The shape is used many times by some steps; PostgreSQL would compute it again for each.
        found = select(projection.apply(shape).label(name), *columns).select_from(rows)
        return (), found.where(has_shape(shape)).offset(0).subquery(name)
    prepared, made = transformed(rows, projection.apply, shape, columns, workspace, name)
    return (prepared,), made


def transformed(
    rows: FromClause,
    transform: Callable[[ColumnElement[Any]], ColumnElement[Any]],
    shape: ColumnElement[Any],
    columns: Sequence[Label[Any]],
    workspace: Workspace,
    name: str,
    *,
    keep: bool = False,
    of_one_part: bool = False,
) -> tuple[Prepared, FromClause]:
    """A temporary table with the transformed `shape`, called `name`, and then the columns; and its alias. Rows without
    a shape are left out, or with `keep` stay, with null. Shapes `of_one_part` are taken apart in one go."""
    taken = {each.name for each in columns}
    number, before = free_name("number", taken), free_name("before", taken)
    numbered = (
        select((func.row_number().over() - 1).label(number), shape.label(before), *columns)
        .select_from(rows)
        .where(has_shape(shape))
        .cte("numbered")
    )
    place = numbered.c[number]
    sheet = func.div(place, TOGETHER)
    together = func.ST_Collect(aggregate_order_by(numbered.c[before], place), type_=Geometry())
    sheets = select(sheet.label("sheet"), transform(together).label("shapes")).group_by(sheet).cte("sheets")
    kept = [numbered.c[each.name] for each in columns]
    found: Select[Any]
    if of_one_part:
        part = func.ST_Dump(sheets.c.shapes).table_valued(
            column("path", ARRAY(Integer())), column("geom", Geometry()), name="part"
        )
        number_of = cast(sheets.c.sheet * TOGETHER, BigInteger()) + part.c.path[1] - 1
        parts = select(number_of.label("place"), part.c.geom.label("geom")).select_from(
            sheets.join(part, true())
        )
        apart = parts.cte("parts")
        joined = numbered.join(apart, apart.c.place == place)
        found = select(apart.c.geom.label(name), *kept).select_from(joined).order_by(place)
    else:
        flat = func.ST_GeometryN(sheets.c.shapes, cast(place % TOGETHER, Integer()) + 1, type_=Geometry())
        joined = numbered.join(sheets, sheets.c.sheet == sheet)
        found = select(flat.label(name), *kept).select_from(joined).order_by(place)
    if keep:
        nothing = cast(null(), Geometry()).label(name)
        left_out = select(nothing, *columns).select_from(rows).where(has_no_shape(shape))
        found = select(select(found.subquery("in_order")).union_all(left_out).subquery("all_rows"))
    prepared = Prepared(workspace.temporary(name), found)
    return prepared, prepared.rows.alias(name)
