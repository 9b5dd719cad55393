"""The geometry type that a column's declaration guarantees for every row, and how curves become lines."""

from __future__ import annotations

import re
from collections.abc import Iterable

import sqlalchemy as sa

from agents.domain import Column, Table
from server.gis.expressions.identifiers import Expression

SIMPLE = frozenset({"POINT", "MULTIPOINT", "LINESTRING", "MULTILINESTRING", "POLYGON", "MULTIPOLYGON"})
DIMENSIONS = {0: "", 1: "M", 2: "Z", 3: "ZM"}
"""By `ST_ZMFlag`."""


def declared_type(table: Table) -> tuple[str, str]:
    """`("MULTIPOLYGON", "Z")` for `geometry(MultiPolygonZ,4326)`; `("GEOMETRY", "")` without a declaration."""
    return declared_kind(table.column(table.geometry_column or ""))


def declared_kind(column: Column | None) -> tuple[str, str]:
    """The same for one geometry column."""
    found = re.search(r"\((\w+?)(ZM|Z|M)?[,)]", column.sql_type if column else "")
    if found is None:
        return "GEOMETRY", ""
    return found.group(1).upper(), found.group(2) or ""


def has_only_points(table: Table) -> bool:
    """Whether every row is declared to be a point, or several of them."""
    return declared_type(table)[0] in ("POINT", "MULTIPOINT")


def common_type(found: Iterable[str]) -> str:
    """One type for all: the only one, the multi type of a single type and its multi type, else GEOMETRY."""
    kinds = {kind.upper() for kind in found if kind}
    if len(kinds) == 1:
        return kinds.pop()
    singles = {kind.removeprefix("MULTI") for kind in kinds}
    return f"MULTI{singles.pop()}" if len(singles) == 1 else "GEOMETRY"


def may_be_curved(table: Table) -> bool:
    """Whether rows may be curves or triangulated surfaces, which most formats cannot represent."""
    return declared_type(table)[0] not in SIMPLE


def straight(geometry: Expression) -> Expression:
    """Curves as lines, triangulated surfaces as polygons."""
    face = sa.func.ST_Dump(geometry).table_valued("geom", name="face")
    faces = sa.select(sa.func.ST_Collect(sa.func.ST_MakePolygon(sa.func.ST_ExteriorRing(face.c.geom))))
    kind = sa.func.GeometryType(geometry)
    return sa.case(
        (kind.in_(["TIN", "POLYHEDRALSURFACE", "TRIANGLE"]), faces.select_from(face).scalar_subquery()),
        (sa.func.ST_HasArc(geometry), sa.func.ST_CurveToLine(geometry)),
        else_=geometry,
    )
