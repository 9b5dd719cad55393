"""Pairs of points that are near each other, measured on the spheroid: within a distance, or the k nearest.

Sedona's kNN join is fast on a plane only (on the globe it compares all pairs), where the order differs from that on the
spheroid, most of all near the antimeridian. So it only says how far to look for each point, as the k nearest are not
farther than the farthest of any k; all points within that distance are measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Float, FromClause, Select, Subquery, and_, case, func, literal, select

from server.gis.operations.support.base import Geometry
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.spark.names import REACH

HALF_EARTH_M = 20_004_000.0
"""More than any distance on the spheroid."""
MARGIN_M = 0.001
"""Difference in rounding between distances in a join and in a column."""
MAX_LATITUDE = 89.9
"""Latitude in degrees at which the plane of the kNN join ends."""


def points(
    place: ColumnElement[Any],
    shape: ColumnElement[Any],
    rows: FromClause,
    order: Sequence[ColumnElement[Any]] = (),
) -> Select[Any]:
    """The input of the searches: what tells rows apart (`place`), and their points in EPSG:4326 (`shape`). Of equal
    distances, the first by `order` is the nearest. Without empty shapes, on which Sedona's joins fail."""
    ordered = [value.label(f"order{number}") for number, value in enumerate(order)]
    return (
        select(place.label("place"), shape.label("shape"), *ordered).select_from(rows).where(has_shape(shape))
    )


def pairs_within(sources: Select[Any], targets: Select[Any], metres: float, *, itself: bool) -> Subquery:
    """All pairs of `points` (`place`, `near`) up to a distance apart, with that (`metres`).

    With `itself` both are of the same rows, and a row is not its own neighbour."""
    reach = literal(metres, Float())
    return _pairs(sources.subquery("here"), targets.subquery("there"), reach, itself=itself)


def nearest_pairs(sources: Select[Any], targets: Select[Any], k: int, *, itself: bool) -> Subquery:
    """Pairs among which the k nearest of the second `points` to each of the first are, as `pairs_within` has them."""
    reaching = nearest_reach(sources, targets, k + 1 if itself else k, _between_points)
    return _pairs(reaching, targets.subquery("there"), reaching.c.reach, itself=itself)


def nearest_reach(
    sources: Select[Any],
    targets: Select[Any],
    k: int,
    distance: Callable[[Subquery, Subquery], ColumnElement[Any]],
) -> Subquery:
    """The first rows, with metres (`reach`) within which k of the second ones are: those whose points (`shape`) are the
    nearest on a plane, as far as `distance` has them."""
    here, there = _on_plane(sources, "asked"), _on_plane(targets, "asked_for")
    own = [func.any_value(column).label(column.name) for column in here.c if column.name != "place"]
    farthest, number = func.max(distance(here, there)).label("metres"), func.count().label("found")
    found = (
        select(here.c.place, *own, farthest, number)
        .select_from(here.join(there, func.ST_KNN(here.c.spot, there.c.spot, k, False)))
        .group_by(here.c.place)
        .subquery("found")
    )
    reach = case((found.c["found"] >= k, found.c.metres + literal(MARGIN_M, Float())), else_=HALF_EARTH_M)
    kept = [found.c[column.name] for column in here.c if column.name != "spot"]
    return select(*kept, reach.label("reach")).subquery("here")


def _between_points(here: Subquery, there: Subquery) -> ColumnElement[Any]:
    metres: ColumnElement[Any] = func.ST_DistanceSpheroid(here.c["shape"], there.c["shape"], type_=Float())
    return metres


def ranked(pairs: Subquery, k: int) -> Subquery:
    """The k nearest of each place."""
    order = [pairs.c.metres, *orders(pairs), pairs.c.near]
    rank = func.row_number().over(partition_by=pairs.c.place, order_by=order).label("rank")
    ranks = select(pairs, rank).subquery("ranked")
    return select(ranks).where(ranks.c["rank"] <= k).subquery("nearest")


def _on_plane(rows: Select[Any], name: str) -> Subquery:
    """Rows with the `spot` of their point in Mercator's projection, in degrees: it keeps shapes, so what is near there
    is near on the globe in any direction."""
    given = rows.subquery(f"{name}_given")
    latitude = func.greatest(func.least(func.ST_Y(given.c["shape"]), MAX_LATITUDE), -MAX_LATITUDE)
    sine = func.sin(latitude * literal(math.pi / 180, Float()), type_=Float())
    one = literal(1.0, Float())
    north = func.ln((one + sine) / (one - sine), type_=Float()) * literal(90 / math.pi, Float())
    spot = func.ST_Point(func.ST_X(given.c["shape"]), north)
    return select(*given.c, spot.label("spot")).subquery(name)


def within(
    here: ColumnElement[Any], there: ColumnElement[Any], reach: ColumnElement[Any]
) -> ColumnElement[bool]:
    """Whether two points (EPSG:4326) are at most so many metres apart, as the condition of a join.

    Written so that Sedona joins by the area of `REACH`, and not by the distance."""
    area = getattr(func, REACH)(here, reach, type_=Geometry())
    left = reach - func.ST_DistanceSpheroid(here, there, type_=Float())
    return and_(func.ST_Intersects(area, there), left >= literal(0.0, Float()))


def _pairs(here: Subquery, there: Subquery, reach: ColumnElement[Any], *, itself: bool) -> Subquery:
    near = within(here.c["shape"], there.c["shape"], reach)
    if itself:
        near = and_(near, here.c.place != there.c.place)
    away = _between_points(here, there).label("metres")
    pair = (here.c.place, there.c.place.label("near"), away, *orders(there))
    return select(*pair).select_from(here.join(there, near)).subquery("met")


def orders(rows: Subquery) -> list[ColumnElement[Any]]:
    """The order of rows at equal distances."""
    return [column for column in rows.c if column.name.startswith("order")]
