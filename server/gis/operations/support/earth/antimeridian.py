"""Shapes in longitude and latitude that lie on both sides of the antimeridian: the short way between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, select

from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import Geometry, Source, Workspace

HALF = 180.0
Shape = ColumnElement[Any]


def shifted(shape: Shape) -> Shape:
    """The shape with longitudes from 0 to 360."""
    return func.ST_ShiftLongitude(shape, type_=Geometry())


async def may_cross_antimeridian(
    shape: Shape, source: Source, workspace: Workspace, *, together: bool
) -> bool:
    """Whether all shapes `together`, else some of them, are narrower across the antimeridian than around the world."""
    if is_known_not_to_cross(source, workspace):
        return False
    around = _span(shape)
    if not together:
        (width,) = await workspace.row(select(around).select_from(source.rows))
        return bool(width is not None and width > HALF)
    width, across = await workspace.row(select(around, _span(shifted(shape))).select_from(source.rows))
    return bool(width is not None and width > HALF > across)


def is_known_not_to_cross(source: Source, workspace: Workspace) -> bool:
    """Whether the extent is known, and so narrow that nothing in it can be narrower across the antimeridian."""
    extent = workspace.extent(source) if source.declared_srid == WGS84 else None
    if extent is None or extent[0] is None:
        return False
    west, east = float(extent[0]), float(extent[2])
    return max(east - west, east, -west) <= HALF


def the_short_way(shapes: Shape, plain: Shape, around: Callable[[Shape], Shape]) -> Shape:
    """The aggregate `around` of shapes across the antimeridian, cut there, where that is the narrower one; else
    `plain`."""
    moved = around(shifted(shapes))
    cut = func.ST_CollectionHomogenize(func.ST_WrapX(moved, HALF, -2 * HALF), type_=Geometry())
    crossing = and_(_span(shapes) > HALF, _span(shifted(shapes)) < HALF)
    return case((crossing, cut), else_=plain)


def crosses(shape: Shape) -> ColumnElement[bool]:
    """Whether one shape has parts on both sides of the antimeridian, near to each other across it."""
    across = shifted(shape)
    return and_(
        func.ST_XMax(shape) - func.ST_XMin(shape) > HALF, func.ST_XMax(across) - func.ST_XMin(across) < HALF
    )


def _span(shapes: Shape) -> ColumnElement[float]:
    """How many degrees of longitude all shapes of a group take."""
    return func.max(func.ST_XMax(shapes)) - func.min(func.ST_XMin(shapes))
