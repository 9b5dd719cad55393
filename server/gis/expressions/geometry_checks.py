"""Checks of stored geometries before PostGIS computes with them, because some crash or hang the database.

PostGIS 3.3 with GEOS 3.11 crashes or cannot be interrupted if a coordinate is NaN, infinite or absurdly large
(ST_Intersection, ST_Difference, ST_Buffer, ST_WrapX, ST_SimplifyPreserveTopology), or if a part of a multi-part
geometry is empty (ST_PointOnSurface, ST_Contains, ST_Centroid of geography). A crash of one connection restarts all of
PostgreSQL. Reading a geometry's type, box, length or perimeter, writing it as text and taking it apart are safe.

`kind` is the column's declared type (`declared_types.declared_type`), which PostgreSQL enforces for every row."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from agents.domain import Table
from server.gis.expressions.area_of_use import is_geographic, joins_antimeridian
from server.gis.expressions.declared_types import SIMPLE, has_only_points
from server.gis.expressions.identifiers import GEOMETRY, Expression

MAX_COORDINATE = "1e12"
"""In units of any reference system; no coordinate on the earth exceeds it, and sums and squares of larger ones lose
precision."""
MAX_LENGTH = "1e18"
ALL_AROUND = 359.999
"""Degrees of longitude. A shorter edge may cross the antimeridian the other way."""
ALONG_PARALLELS = 1.0
"""Degrees between the points that an edge around the earth is given."""
PARTS = {"MULTILINESTRING": 2, "MULTIPOLYGON": 3}
"""Multi-part types, and their type numbers in ST_CollectionExtract."""


def reasonable(shape: Expression, kind: str) -> Expression:
    """Whether all coordinates are finite and at most `MAX_COORDINATE`; NULL without a geometry."""
    longest: Expression = sa.literal_column(MAX_LENGTH)
    farthest: Expression = sa.literal_column(MAX_COORDINATE)
    # A sum with a NaN is NaN, which PostgreSQL treats as greater than all numbers.
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


def jumps(shape: Expression) -> Expression:
    """Whether a shape in longitude and latitude has an edge that spans more than 180 degrees, which means that it
    crosses the antimeridian or encloses a pole without being cut. Edges along a pole do not count."""
    edge = sa.func.ST_DumpSegments(shape).table_valued("path", sa.column("geom", GEOMETRY), name="edge")
    ends = [end(edge.c.geom) for end in (sa.func.ST_StartPoint, sa.func.ST_EndPoint)]
    first, last = (sa.func.ST_X(end) for end in ends)
    polar = sa.and_(*(sa.func.abs(sa.func.ST_Y(end)) > sa.literal_column("89.999") for end in ends))
    half: Expression = sa.literal_column("180")
    torn = sa.exists(
        sa.select(sa.literal_column("1"))
        .select_from(edge)
        .where(sa.func.abs(first - last) > half, sa.not_(polar))
    )
    return sa.case((sa.func.ST_XMax(shape) - sa.func.ST_XMin(shape) > half, torn), else_=sa.false())


def _within(shape: Expression) -> Expression:
    """Whether the stored box is within the limits; an empty geometry has no box and passes."""
    edges: list[Expression] = [sa.literal_column(f"{sign}{MAX_COORDINATE}") for sign in ("-", "-", "", "")]
    return sa.or_(sa.func.geometry_within(shape, sa.func.ST_MakeEnvelope(*edges)), sa.func.ST_IsEmpty(shape))


def has_empty_parts(shape: Expression, kind: str) -> Expression:
    """Whether a non-empty geometry has empty parts. Only for reasonable geometries."""
    if kind in PARTS:
        filled = sa.func.ST_CollectionExtract(shape, sa.literal_column(str(PARTS[kind])))
        return sa.func.ST_NumGeometries(shape) != sa.func.ST_NumGeometries(filled)
    if kind in SIMPLE and kind != "MULTIPOINT":
        return sa.false()
    text = sa.func.ST_AsText(shape, sa.literal_column("0"))
    return sa.and_(text.like(sa.literal_column("'%EMPTY%'")), sa.not_(sa.func.ST_IsEmpty(shape)))


def unsound(shape: Expression, kind: str) -> Expression:
    """Whether PostGIS must not compute with a geometry as it is."""
    fits = reasonable(shape, kind)
    return sa.case((sa.not_(fits), sa.true()), else_=has_empty_parts(shape, kind))


def unsound_and_invalid(shape: Expression, kind: str) -> tuple[Expression, Expression]:
    """Whether a geometry is unsound, and whether it is invalid, as which all that are unsound count. Neither where
    there is no geometry."""
    is_unsound = sa.func.coalesce(unsound(shape, kind), sa.false())
    # ST_IsValid must not be called with unsound geometries.
    return is_unsound, sa.case((is_unsound, sa.true()), else_=sa.not_(sa.func.ST_IsValid(shape)))


def computable(shape: Expression, kind: str) -> Expression:
    """The geometry without empty parts; NULL if its coordinates are not reasonable."""
    return sa.case((sa.not_(reasonable(shape, kind)), sa.null()), else_=without_gaps(shape, kind))


def without_gaps(shape: Expression, kind: str) -> Expression:
    """The geometry without empty parts. Only for reasonable geometries."""
    if kind in PARTS:
        return sa.func.ST_CollectionExtract(shape, sa.literal_column(str(PARTS[kind])), type_=GEOMETRY)
    if kind in SIMPLE and kind != "MULTIPOINT":
        return shape
    return sa.case((has_empty_parts(shape, kind), _filled(shape)), else_=shape)


def _filled(shape: Expression) -> Expression:
    """The non-empty parts, at any depth, collected again."""
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


def transformed(shape: Expression, table: Table, to: int) -> Expression:
    """The shape of a row of the table in another reference system. An edge around the earth, as polar caps have from
    180° W to 180° E, is given points where both of its ends become the same place, for the cap would have no area. What
    then runs along the antimeridian and back is taken off."""
    moved: Expression = sa.func.ST_Transform(shape, to, type_=GEOMETRY)
    if has_only_points(table) or not is_geographic(table.srid) or not joins_antimeridian(to):
        return moved
    width = sa.func.ST_XMax(shape) - sa.func.ST_XMin(shape)
    height = sa.func.ST_YMax(shape) - sa.func.ST_YMin(shape)
    # Others, and those that are not on the earth, would get points without end.
    is_around = sa.and_(width.between(ALL_AROUND, 2 * ALL_AROUND), height <= ALL_AROUND)
    has_edge = sa.func.ST_NPoints(sa.func.ST_Segmentize(shape, ALL_AROUND)) > sa.func.ST_NPoints(shape)
    bent = sa.func.ST_Transform(sa.func.ST_Segmentize(shape, ALONG_PARALLELS), to)
    whole = sa.func.ST_MakeValid(bent, "method=structure", type_=GEOMETRY)
    return sa.case((sa.not_(is_around), moved), (has_edge, whole), else_=moved)
