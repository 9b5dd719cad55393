"""Shapes that PostGIS can compute with, and whether there is one."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, case, func, true

from server.gis.operations.base import Geometry


def sound(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """Repaired only where it is invalid, because one invalid polygon would stop a whole step."""
    return case((func.ST_IsValid(shape), shape), else_=func.ST_MakeValid(shape, type_=Geometry()))


def there(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """Not null in each row that has a shape, so that it can be counted: null and empty shapes are none."""
    return func.nullif(func.ST_IsEmpty(shape), true())
