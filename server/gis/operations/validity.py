"""Shapes that PostGIS can compute with."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, case, func

from server.gis.operations.base import Geometry


def sound(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """Repaired only where it is invalid, because one invalid polygon would stop a whole step."""
    return case((func.ST_IsValid(shape), shape), else_=func.ST_MakeValid(shape, type_=Geometry()))
