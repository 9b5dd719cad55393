"""Lines through points in an order: tracks, routes, connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Label, func, null, select, type_coerce
from sqlalchemy.dialects.postgresql import aggregate_order_by

from agents.worded import Template
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.attributes.columns import free_name, ranged
from server.gis.operations.support.attributes.groups import group_columns
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Source,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.support.earth.antimeridian import HALF, is_known_not_to_cross
from server.gis.operations.support.earth.geodesy import (
    flat,
    geography,
    geometry,
    in_srid,
    lonlat,
    on_the_map,
    short_way,
)
from server.gis.operations.support.geometry.shapes import of_family

SINGLE_POINTS = Template(
    "op_single_points",
    "{n|one=# group of a single point makes|other=# groups of a single point make} no line and "
    "{n|one=is|other=are} left out.",
)
SHORT_WAY = Template("op_short_way", "Lines go the short way and are cut at the antimeridian.")

MAX_TURNS_AROUND_EARTH = 3
"""How often a line may go around the world and still be cut at every crossing."""


class LinesFromPointsArguments(Arguments):
    source: str = table_argument("The table of points.")
    order: str = column_argument("The column that orders the points along the line (a time, a number).")
    by: str | None = column_argument("One line for each value of this column.", default=None)


class LinesFromPoints(Operation[LinesFromPointsArguments]):
    """Lines through points in the order of a column; the short way across the antimeridian."""

    summary = "Connect points into lines in the order of a column, one line for each value of another."
    phrases = (
        (
            "(connect|join up|link) {source:bare} (into|to|as) (lines|line) [by {by}] (in order of|"
            "in the order of|ordered by|sorted by|along) {order} [by {by}]"
        ),
    )

    async def build(self, arguments: LinesFromPointsArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "point")
        order = source.column(ranged(source, arguments.order).name)
        groups = group_columns(source, *([] if arguments.by is None else [arguments.by]))
        taken = {group.name for group in groups}
        points, first, last, length = (
            free_name(name, taken) for name in ("points", "first", "last", "length_m")
        )
        turns = source.table.srid == WGS84
        single, crossing = await _found(source, order, groups, workspace, turns=turns)
        make = _across if crossing else _as_they_are
        placed, line, along = make(source, order, groups)
        if turns:
            line = on_the_map(line, MAX_TURNS_AROUND_EARTH) if crossing else func.ST_Multi(line)
        keys = [placed.c[f"g{number}"] for number in range(len(groups))]
        statement = (
            select(
                *(key.label(group.name) for key, group in zip(keys, groups, strict=True)),
                func.count().label(points),
                func.min(placed.c.place).label(first),
                func.max(placed.c.place).label(last),
                func.ST_Length(geography(along)).label(length),
                type_coerce(line, Geometry()).label(GEOMETRY),
            )
            .select_from(placed)
            .group_by(*keys)
            .having(func.count() > 1)
        )
        return Step(
            statement,
            geometry_type=source.declared_type("MultiLineString" if turns else "LineString"),
            srid=source.declared_srid,
            notes=(*([SINGLE_POINTS(n=single)] if single else []), *([SHORT_WAY()] if turns else [])),
            comments={length: "Length in metres, geodesic."},
        )


Made = tuple[FromClause, ColumnElement[Any], ColumnElement[Any]]
"""The points with their place in the order and their group, the line through them, and the line that is measured."""


def _counted(source: Source, order: ColumnElement[Any]) -> Sequence[ColumnElement[bool]]:
    """Conditions for the points that count: with a place, and a value to order them by."""
    return (geometry(source).is_not(None), order.is_not(None))


async def _found(
    source: Source,
    order: ColumnElement[Any],
    groups: Sequence[Label[Any]],
    workspace: Workspace,
    *,
    turns: bool,
) -> tuple[int, bool]:
    """How many groups have a single point, which makes no line; and whether a line may cross the antimeridian."""
    shape = lonlat(source) if turns and not is_known_not_to_cross(source, workspace) else null()
    sets = (
        select(
            func.count().label("points"),
            func.min(func.ST_XMin(shape)).label("west"),
            func.max(func.ST_XMax(shape)).label("east"),
        )
        .select_from(source.rows)
        .where(*_counted(source, order))
        .group_by(*(group.element for group in groups))
        .subquery("sets")
    )
    west, east = func.min(sets.c.west), func.max(sets.c.east)
    single, reach = await workspace.row(
        select(func.count().filter(sets.c.points == 1), func.greatest(east - west, east, -west))
    )
    return single, reach is not None and reach > HALF


def _shape(source: Source) -> ColumnElement[Any]:
    return geometry(source) if source.declared else flat(source)


def _as_they_are(source: Source, order: ColumnElement[Any], groups: Sequence[Label[Any]]) -> Made:
    """Lines through points as they are."""
    keys = [group.element.label(f"g{number}") for number, group in enumerate(groups)]
    placed = (
        select(*keys, order.label("place"), _shape(source).label("shape"))
        .select_from(source.rows)
        .where(*_counted(source, order))
        .subquery("placed")
    )
    line = func.ST_MakeLine(aggregate_order_by(placed.c["shape"], placed.c.place), type_=Geometry())
    along = func.ST_Force2D(line, type_=Geometry()) if source.declared and source.declared[1] else line
    return placed, line, in_srid(source, along, WGS84)


def _across(source: Source, order: ColumnElement[Any], groups: Sequence[Label[Any]]) -> Made:
    """Lines in longitude and latitude that go the short way, so that longitudes may exceed 180."""
    keys = [group.element.label(f"g{number}") for number, group in enumerate(groups)]
    window: dict[str, Any] = {"partition_by": [key.element for key in keys] or None, "order_by": order}
    numbered = (
        select(
            *keys,
            order.label("place"),
            _shape(source).label("shape"),
            lonlat(source).label("lonlat"),
            func.row_number().over(**window).label("number"),
        )
        .select_from(source.rows)
        .where(*_counted(source, order))
        .subquery("numbered")
    )
    by = [numbered.c[key.name] for key in keys] or None
    # Among mixed geometries there may be others than points.
    x = func.ST_XMin(numbered.c.lonlat)
    before = func.lag(x).over(partition_by=by, order_by=numbered.c.number)
    stepped = select(*numbered.c, short_way(before, x).label("turn")).subquery("stepped")
    by = [stepped.c[key.name] for key in keys] or None
    turned = func.sum(stepped.c.turn).over(partition_by=by, order_by=stepped.c.number)
    placed = select(*stepped.c, turned.label("turns")).subquery("placed")
    moved = func.ST_Translate(placed.c["shape"], 360.0 * placed.c.turns, 0.0)
    line, along = (
        func.ST_MakeLine(aggregate_order_by(shape, placed.c.number), type_=Geometry())
        for shape in (moved, placed.c.lonlat)
    )
    return placed, line, along
