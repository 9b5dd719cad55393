"""Estimates how many pairs of features a spatial join will find, before it runs. The planner cannot: it assumes that
every spatial search finds a ten-thousandth of the table, at any distance.

So a random sample of a thousand rows of each side is compared by bounding boxes, and the count is scaled up. Steps
with so few rows that even all pairs are cheap are not estimated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import CTE, ColumnElement, Float, cast, func, literal, select

from server.gis.expressions.identifiers import relation
from server.gis.operations.support.base import Geometry, Pairs, Source
from server.gis.operations.support.earth.geodesy import LONGEST_DEGREE_M, geometry, lonlat
from server.gis.operations.support.geometry.validity import has_shape

DRAWN = 1_000
"""Rows of each side that are compared: enough to distinguish a hundred pairs a row from a hundred thousand."""
CLOSEST_TO_POLE = 0.02
"""Lower bound of the cosine of the latitude, for the length of a degree of longitude."""

Shape = Callable[[Source], ColumnElement[Any]]


def pairs_within(source: Source, other: Source, distance: float, *, kept: bool = False) -> Pairs:
    """Pairs of features of two tables that are at most `distance` metres apart."""
    here = _boxes(source, "here", 1, lonlat, distance / LONGEST_DEGREE_M)
    return _compared(source, other, here, _boxes(other, "there", 2, lonlat), distance, kept)


def pairs_meeting(source: Source, other: Source, *, kept: bool = False) -> Pairs:
    """Pairs of features that may have a place in common, in the reference system of the other."""
    srid = other.table.srid

    def shape(drawn: Source) -> ColumnElement[Any]:
        own = geometry(drawn)
        return own if 0 in (srid, drawn.declared_srid) else func.ST_Transform(own, srid, type_=Geometry())

    return _compared(
        source, other, _boxes(source, "here", 1, shape), _boxes(other, "there", 2, shape), None, kept
    )


def _compared(
    source: Source, other: Source, here: CTE, there: CTE, distance: float | None, kept: bool
) -> Pairs:
    near = (
        (here.c.south <= there.c.north)
        & (there.c.south <= here.c.north)
        & (here.c.west <= there.c.east)
        & (there.c.west <= here.c.east)
    )
    found = select(func.count()).select_from(here.join(there, near)).scalar_subquery()
    rows = [cast(max(1, each.table.row_estimate), Float()) for each in (source, other)]
    drawn = [select(func.count()).select_from(each).scalar_subquery() for each in (here, there)]
    scales = [
        func.greatest(whole / func.nullif(part, 0), 1.0) for whole, part in zip(rows, drawn, strict=True)
    ]
    most = float(source.table.row_estimate) * other.table.row_estimate
    return Pairs(most, select(cast(found, Float()) * scales[0] * scales[1]), distance, kept)


def _boxes(source: Source, name: str, seed: int, of: Shape, reach: float = 0.0) -> CTE:
    """Some rows' bounding boxes as four numbers, wider by `reach` degrees of latitude."""
    drawn = _drawn(source, name, seed)
    shape = of(drawn)
    sides = [getattr(func, f"ST_{side}")(shape, type_=Float()) for side in ("XMin", "YMin", "XMax", "YMax")]
    west, south, east, north = sides
    turns = reach / func.greatest(func.cos(func.radians((south + north) / 2)), CLOSEST_TO_POLE)
    wider = (west - turns, south - reach, east + turns, north + reach) if reach else sides
    statement = (
        select(
            *(
                side.label(called)
                for side, called in zip(wider, ("west", "south", "east", "north"), strict=True)
            )
        )
        .select_from(drawn.rows)
        .where(has_shape(shape))
        .limit(2 * DRAWN)
    )
    return statement.cte(f"{name}_boxes")


def _drawn(source: Source, name: str, seed: int) -> Source:
    """Rows sampled individually, because neighbouring rows of a table are often neighbours on the earth. A view
    cannot be sampled, so its first rows are used."""
    table = relation(source.table)
    share = 100.0 * DRAWN / max(1, source.table.row_estimate)
    if source.address is None or share >= 100.0:
        return Source(source.table, table.alias(name), name)
    some = table.tablesample(func.bernoulli(literal(share)), name=name, seed=literal(seed))
    return Source(source.table, some, name)
