"""Shapes that PostGIS may be given, because others stop the database.

PostGIS 3.3 and GEOS 3.11 crash, or never come back and cannot be stopped, where a coordinate is not a number,
infinite or absurdly large (ST_Intersection, ST_Difference, ST_Buffer, ST_WrapX, ST_SimplifyPreserveTopology), and
where a part of a multi-part shape is empty (ST_PointOnSurface, ST_Contains, ST_Centroid of geography). A crash of one
connection restarts all of PostgreSQL. So what computes with stored shapes asks here first. To look at a shape's type,
box, length or perimeter, to write it as text or take it apart is harmless.

`kind` is what the column declares (`declared.declared_type`), which PostgreSQL enforces for every row.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from server.gis.expressions.declared_types import SIMPLE
from server.gis.expressions.identifiers import GEOMETRY, Expression

FARTHEST = "1e12"
"""Units of any reference system, which no place on the earth has; beyond, sums and squares lose all meaning."""
LONGEST = "1e18"
PARTS = {"MULTILINESTRING": 2, "MULTIPOLYGON": 3}
"""Kinds of several parts by the number that ST_CollectionExtract has for these."""


def reasonable(shape: Expression, kind: str) -> Expression:
    """Whether all coordinates of a shape are numbers that a place can have; null where there is no shape."""
    longest: Expression = sa.literal_column(LONGEST)
    farthest: Expression = sa.literal_column(FARTHEST)
    # Of a sum nothing is left where one of its terms is NaN, which PostgreSQL holds for greater than all numbers.
    if kind == "POINT":
        return sa.and_(
            sa.func.abs(sa.func.ST_X(shape)) <= farthest, sa.func.abs(sa.func.ST_Y(shape)) <= farthest
        )
    if kind in ("LINESTRING", "MULTILINESTRING"):
        return sa.and_(sa.func.ST_Length(shape) <= longest, _within(shape))
    if kind in ("POLYGON", "MULTIPOLYGON"):
        return sa.and_(sa.func.ST_Perimeter(shape) <= longest, _within(shape))
    text = sa.func.ST_AsText(sa.func.ST_Force2D(shape), sa.literal_column("0"))
    return sa.and_(text.op("!~*")(sa.literal_column("'nan|inf'")), _within(shape))


def _within(shape: Expression) -> Expression:
    """By the stored box, in one call. An empty shape has none, and is reasonable."""
    edges: list[Expression] = [sa.literal_column(f"{sign}{FARTHEST}") for sign in ("-", "-", "", "")]
    return sa.or_(sa.func.geometry_within(shape, sa.func.ST_MakeEnvelope(*edges)), sa.func.ST_IsEmpty(shape))


def has_empty_parts(shape: Expression, kind: str) -> Expression:
    """Whether a shape that is not empty has parts that are. Only of reasonable shapes."""
    if kind in PARTS:
        filled = sa.func.ST_CollectionExtract(shape, sa.literal_column(str(PARTS[kind])))
        return sa.func.ST_NumGeometries(shape) != sa.func.ST_NumGeometries(filled)
    if kind in SIMPLE and kind != "MULTIPOINT":
        return sa.false()
    text = sa.func.ST_AsText(shape, sa.literal_column("0"))
    return sa.and_(text.like(sa.literal_column("'%EMPTY%'")), sa.not_(sa.func.ST_IsEmpty(shape)))


def unsound(shape: Expression, kind: str) -> Expression:
    """Whether PostGIS must not be given a shape as it is."""
    fits = reasonable(shape, kind)
    return sa.case((sa.not_(fits), sa.true()), else_=has_empty_parts(shape, kind))


def computable(shape: Expression, kind: str) -> Expression:
    """The shape without its empty parts; null where its coordinates are no numbers that a place can have."""
    return sa.case((sa.not_(reasonable(shape, kind)), sa.null()), else_=without_gaps(shape, kind))


def without_gaps(shape: Expression, kind: str) -> Expression:
    """The shape without its empty parts. Only of reasonable shapes."""
    if kind in PARTS:
        return sa.func.ST_CollectionExtract(shape, sa.literal_column(str(PARTS[kind])), type_=GEOMETRY)
    if kind in SIMPLE and kind != "MULTIPOINT":
        return shape
    return sa.case((has_empty_parts(shape, kind), _filled(shape)), else_=shape)


def _filled(shape: Expression) -> Expression:
    """The parts that are not empty, collected again, to any depth."""
    part = (
        sa.func.ST_Dump(shape).table_valued("path", sa.column("geom", GEOMETRY)).render_derived(name="part")
    )
    together: Any = sa.func.ST_Collect(part.c.geom, type_=GEOMETRY)
    kept = (
        sa.select(
            sa.case(
                (
                    sa.func.GeometryType(shape) == sa.literal_column("'GEOMETRYCOLLECTION'"),
                    sa.func.ST_ForceCollection(together),
                ),
                else_=together,
            )
        )
        .select_from(part)
        .where(sa.not_(sa.func.ST_IsEmpty(part.c.geom)))
    )
    return kept.scalar_subquery()
