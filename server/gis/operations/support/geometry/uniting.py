"""Unites many shapes in small steps that can be cancelled, because PostGIS does not check for cancellation while it
unites a set. Shapes are sorted along a space-filling curve (PostGIS's own order), neighbours are united, then the
results, and so on.

PostGIS works similarly with a set; for shapes that touch, this takes no longer and gives the same result.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    ScalarSelect,
    Subquery,
    cast,
    func,
    literal_column,
    select,
)

from server.gis.operations.support.base import Geometry

FIRST, FURTHER = 200, 16
"""Number of shapes that are united in the first step, and of results in later steps."""


def united(shape: ColumnElement[Any], rows: FromClause) -> ScalarSelect[Any]:
    """The union of the shapes of all rows; null if there are none."""
    each = select(shape.label("shape")).select_from(rows).offset(0).subquery("each")
    place = func.row_number().over(order_by=each.c["shape"]).label("place")
    parts = _step(select(each.c["shape"], place).subquery("placed"), FIRST, "first")
    for name in ("second", "third"):
        parts = _step(parts, FURTHER, name)
    return select(func.ST_Union(parts.c["shape"], type_=Geometry())).scalar_subquery()


def _step(parts: Subquery, together: int, name: str) -> Subquery:
    part = (cast(parts.c.place, BigInteger()) // literal_column(str(together), BigInteger())).label("place")
    some = func.ST_Union(parts.c["shape"], type_=Geometry()).label("shape")
    return select(some, part).group_by(part.element).subquery(name)
