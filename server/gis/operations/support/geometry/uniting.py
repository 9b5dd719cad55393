"""Unites many shapes in small steps that can be cancelled, because PostGIS does not check for cancellation while it
unites a set. Shapes are sorted along a space-filling curve (PostGIS's own order), neighbours are united, then pairs of
the results, and so on.

PostGIS works similarly with a set, and takes as long. Pairs, because of a set it takes all multi-part shapes apart and
begins again with the parts.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Label,
    ScalarSelect,
    Subquery,
    case,
    cast,
    func,
    literal_column,
    select,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import ARRAY

from server.gis.operations.support.base import Geometry

FIRST = 200
"""Number of shapes that are united in the first step."""
PAIRINGS = 10
"""Steps that unite two results each: enough for 200,000 shapes. The last one unites what remains of more."""


def united(shape: ColumnElement[Any], rows: FromClause) -> ScalarSelect[Any]:
    """The union of the shapes of all rows; null if there are none."""
    each = select(shape.label("shape")).select_from(rows).offset(0).subquery("each")
    place = func.row_number().over(order_by=each.c["shape"]).label("place")
    placed = select(each.c["shape"], place).subquery("placed")
    part = _part(placed, FIRST)
    some = func.ST_Union(placed.c["shape"], type_=Geometry()).label("shape")
    parts = select(some, part).group_by(part.element).subquery("first")
    for number in range(PAIRINGS):
        parts = _paired(parts, f"pairs{number + 1}")
    rest = select(_all(parts)).subquery("rest").c["shapes"]
    whole = case((func.cardinality(rest) == 1, rest[1]), else_=func.ST_Union(rest))
    return select(type_coerce(whole, Geometry())).scalar_subquery()


def _paired(parts: Subquery, name: str) -> Subquery:
    """The union of each two that follow each other."""
    part = _part(parts, 2)
    pairs = select(_all(parts), part).group_by(part.element).subquery(f"{name}_parts")
    two = pairs.c["shapes"]
    both = case((two[2].is_(None), two[1]), else_=func.ST_Union(two[1], two[2]))
    return select(type_coerce(both, Geometry()).label("shape"), pairs.c.place).subquery(name)


def _all(parts: Subquery) -> Label[Any]:
    shape = parts.c["shape"]
    return func.array_agg(shape, type_=ARRAY(Geometry())).filter(shape.is_not(None)).label("shapes")


def _part(parts: Subquery, together: int) -> Label[int]:
    return (cast(parts.c.place, BigInteger()) // literal_column(str(together), BigInteger())).label("place")
