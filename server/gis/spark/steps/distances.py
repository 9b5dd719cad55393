"""Distances between points and lines or areas on Spark: within a distance, or the k nearest.

Boxes and corners choose pairs, of which more are chosen than are near; these are then measured along great circles.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Float, Select, Subquery, func, literal, select

from server.gis.operations.support.base import Geometry, Source
from server.gis.operations.support.earth.geodesy import is_of_points, lonlat
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.names import BOX, CORNER, DISTANCE, PARTS, RADIUS, REACH, VECTOR
from server.gis.spark.steps.neighbours import MARGIN_M, nearest_reach, orders, points

UNEVEN = 1.012
"""The nearest places on a sphere may be farther apart on the spheroid than others are, but by less than that."""


def shapes(source: Source, place: ColumnElement[Any]) -> Select[Any]:
    """The rows that have a shape, as `points` has them, with what distances are searched by: a `corner`, metres around
    it that hold the shape (`radius`), a `box`, and the `form` that is measured: a vector of points, else parts."""
    rows = points(
        place, lonlat(source), source.rows, [source.column(name) for name in source.table.key]
    ).subquery(f"of_{source.alias}")
    shape = rows.c["shape"]
    searched: tuple[ColumnElement[Any], ...]
    if is_of_points(source):
        searched = shape, literal(0.0, Float()), shape, _call(VECTOR, shape)
    else:
        searched = _call(CORNER, shape), _call(RADIUS, shape), _call(BOX, shape), _call(PARTS, shape)
    named = zip(("corner", "radius", "box", "form"), searched, strict=True)
    return select(rows.c.place, *(value.label(name) for name, value in named), *orders(rows))


def shape_pairs(
    source: Source,
    target: Source,
    places: tuple[ColumnElement[Any], ColumnElement[Any]],
    *,
    k: int = 0,
    within: float | None = None,
) -> Subquery:
    """Pairs of rows (`place`, `near`) with the metres between them (`metres`): all that are within a distance, else
    some among which the `k` nearest are. Raises NotOnSpark where neither source is of points."""
    if not (is_of_points(source) or is_of_points(target)):
        raise NotOnSpark(
            "a distance between two tables of lines or areas", "there it is measured from or to points only"
        )
    sources, targets = shapes(source, places[0]), shapes(target, places[1])
    here = _reaching(sources, targets, k) if within is None else _reaching_to(sources, within)
    there = targets.subquery("there")
    vector, parts = (here.c.form, there.c.form) if is_of_points(source) else (there.c.form, here.c.form)
    metres = getattr(func, DISTANCE)(vector, parts, type_=Float())
    area = _call(REACH, here.c.corner, here.c.reach)
    met = (
        select(here.c.place, there.c.place.label("near"), metres.label("metres"), *orders(there))
        .select_from(here.join(there, func.ST_Intersects(area, there.c.box)))
        .subquery("met")
    )
    if within is None:
        return met
    return select(met).where(met.c.metres <= literal(within, Float())).subquery("close")


def _reaching_to(sources: Select[Any], within: float) -> Subquery:
    """Rows with the metres around their corner in which all places within a distance of the shape are."""
    rows = sources.subquery("asking")
    reach = rows.c.radius + literal(within * UNEVEN + MARGIN_M, Float())
    return select(rows, reach.label("reach")).subquery("here")


def _reaching(sources: Select[Any], targets: Select[Any], k: int) -> Subquery:
    """The same for the k nearest, which are not farther than the farthest of any k corners."""
    rows, others = sources.subquery("asking"), targets.subquery("asked")
    corners = [select(each.c.place, each.c.corner.label("shape")) for each in (rows, others)]
    found = nearest_reach(corners[0], corners[1], k, itself=False)
    reach = rows.c.radius + found.c.reach * literal(UNEVEN, Float())
    joined = rows.join(found, found.c.place == rows.c.place)
    return select(rows, reach.label("reach")).select_from(joined).subquery("here_reaching")


def _call(name: str, *arguments: ColumnElement[Any]) -> ColumnElement[Any]:
    made: ColumnElement[Any] = getattr(func, name)(*arguments, type_=Geometry())
    return made
