"""Shapes that PostGIS can compute with, and whether there is one."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, true

from server.gis.operations.support.base import Geometry


def sound(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """Repaired only where it is invalid, because one invalid polygon would stop a whole step."""
    return case((func.ST_IsValid(shape), shape), else_=func.ST_MakeValid(shape, type_=Geometry()))


def present_shape(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """Not null in each row with a shape, for counting; empty shapes count as missing."""
    return func.nullif(func.ST_IsEmpty(shape), true())


def has_shape(shape: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a row has a shape; empty shapes count as missing."""
    return func.ST_IsEmpty(shape).is_(False)


def has_no_shape(shape: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a row has no shape; empty shapes count as missing."""
    return func.ST_IsEmpty(shape).is_not(False)


def with_extent(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """An area whose corners are all at one place is that point: PostGIS cannot follow an outline without length."""
    nothing = and_(func.ST_Dimension(shape) == 2, func.ST_Perimeter(shape) == 0)
    return case((nothing, func.ST_Centroid(shape, type_=Geometry())), else_=shape)
