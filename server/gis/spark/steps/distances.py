"""Distances to lines and areas on Spark: within a distance, or the k nearest.

Boxes choose pairs, of which more are chosen than are near; these are then measured along great circles. For the
nearest, the distances to those whose corners are near say how far to look."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Float, Select, Subquery, and_, func, literal, select

from server.gis.operations.support.base import Geometry, Source
from server.gis.operations.support.earth.geodesy import is_of_points, lonlat
from server.gis.spark.names import BETWEEN, BOX, CORNER, DISTANCE, PARTS, RADIUS, REACH, VECTOR
from server.gis.spark.steps.neighbours import MARGIN_M, nearest_reach, orders, points


def shapes(source: Source, place: ColumnElement[Any]) -> Select[Any]:
    """The rows that have a shape, as `points` has them, with what distances are searched by: a corner (`shape`), metres
    around it that hold the shape (`radius`), a `box`, and the `form` that is measured: a vector of points, else
    parts."""
    order = [source.column(name) for name in source.table.key]
    rows = points(place, lonlat(source), source.rows, order).subquery(f"of_{source.alias}")
    shape = rows.c["shape"]
    searched: tuple[ColumnElement[Any], ...]
    if is_of_points(source):
        searched = shape, literal(0.0, Float()), shape, _call(VECTOR, shape)
    else:
        searched = _call(CORNER, shape), _call(RADIUS, shape), _call(BOX, shape), _call(PARTS, shape)
    named = zip(("shape", "radius", "box", "form"), searched, strict=True)
    return select(rows.c.place, *(value.label(name) for name, value in named), *orders(rows))


def shape_pairs(
    source: Source,
    target: Source,
    places: tuple[ColumnElement[Any], ColumnElement[Any]],
    *,
    k: int = 0,
    within: float | None = None,
    itself: bool = False,
) -> Subquery:
    """Pairs of rows (`place`, `near`) with the metres between them (`metres`): all that are within a distance, else
    some among which the `k` nearest are. A row is not its own neighbour where `itself` says that both are of one table.
    """

    def distance(here: Subquery, there: Subquery) -> ColumnElement[Any]:
        first, second = (there, here) if is_of_points(target) else (here, there)
        name = DISTANCE if is_of_points(source) or is_of_points(target) else BETWEEN
        metres: ColumnElement[Any] = getattr(func, name)(first.c.form, second.c.form, type_=Float())
        return metres

    sources, targets = shapes(source, places[0]), shapes(target, places[1])
    there = targets.subquery("there")
    if within is None:
        here = nearest_reach(sources, targets, k + 1 if itself else k, distance)
        reach: ColumnElement[Any] = here.c.reach
    else:
        here, reach = sources.subquery("here"), literal(within + MARGIN_M, Float())
    near: ColumnElement[bool] = func.ST_Intersects(
        _call(REACH, here.c["shape"], here.c.radius + reach), there.c.box
    )
    if itself:
        near = and_(near, here.c.place != there.c.place)
    met = (
        select(
            here.c.place, there.c.place.label("near"), distance(here, there).label("metres"), *orders(there)
        )
        .select_from(here.join(there, near))
        .subquery("met")
    )
    if within is None:
        return met
    return select(met).where(met.c.metres <= literal(within, Float())).subquery("close")


def _call(name: str, *arguments: ColumnElement[Any]) -> ColumnElement[Any]:
    made: ColumnElement[Any] = getattr(func, name)(*arguments, type_=Geometry())
    return made
