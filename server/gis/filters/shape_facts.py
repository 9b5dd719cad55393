"""Facts about a geometry in filters, an extension of the standard: its type, whether it is empty or valid.

`geometry_type(geom) = 'MultiPolygon'`, `is_valid(geom)`, `NOT is_empty(geom)`. Rows without a geometry meet none of
them."""

from __future__ import annotations

import sqlalchemy as sa

from agents.worded import Template
from server.gis.errors import InvalidFilter
from server.gis.expressions.declared_types import declared_kind
from server.gis.expressions.geometry_checks import unsound
from server.gis.expressions.geometry_types import Geography
from server.gis.expressions.identifiers import GEOMETRY
from server.gis.filters.terms import Term

TAKES_GEOMETRY = Template(
    "filter_takes_geometry", "{op} takes the geometry column of the table, {term} is not one."
)

SHAPE_FACTS = ("geometry_type", "is_empty", "is_valid")


def shape_fact(name: str, term: Term) -> Term:
    """The type as text without regard to case, or a condition. Raises InvalidFilter unless it is a stored geometry."""
    if term.kind != "geometry" or term.is_literal:
        raise InvalidFilter(TAKES_GEOMETRY(op=name, term=term.label))
    json = {"op": name, "args": [term.json]}
    shape = term.expression
    if isinstance(shape.type, Geography):
        shape = sa.cast(shape, GEOMETRY)
    if name == "geometry_type":
        kind = sa.func.lower(sa.func.GeometryType(shape), type_=sa.Text())
        return Term("text", json, kind, type=sa.Text(), folds=("casei",))
    if name == "is_empty":
        return Term("boolean", json, sa.func.ST_IsEmpty(shape, type_=sa.Boolean), type=sa.Boolean())
    # PostGIS crashes on some shapes; these count as invalid without asking it.
    is_unsound = unsound(shape, declared_kind(term.column)[0])
    valid = sa.case((is_unsound, sa.false()), else_=sa.func.ST_IsValid(shape, type_=sa.Boolean))
    return Term("boolean", json, valid, type=sa.Boolean())
