"""Lines through points in an order: tracks, routes, connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Label, func, select
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
    count_rows,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import (
    flat,
    geography,
    geometry,
    lonlat,
    on_the_map,
    short_way,
)
from server.gis.operations.support.geometry.shapes import of_family

SINGLE_POINTS = Template("op_single_points", "{n} groups of a single point make no line and are left out.")
SHORT_WAY = Template("op_short_way", "Lines go the short way and are cut at the antimeridian.")

MAX_TURNS_AROUND_EARTH = 3
"""How often a line may go around the world and still be cut at every crossing."""


class LinesFromPointsArguments(Arguments):
    source: str = table_argument("The table of points.")
    order: str = column_argument("The column that orders the points along the line (a time, a number).")
    by: str | None = column_argument("One line for each value of this column.", default=None)


class LinesFromPoints(Operation[LinesFromPointsArguments]):
    """Lines through points in the order of a column; the short way across the antimeridian."""

    name = "lines_from_points"
    summary = "Connect points into lines in the order of a column, one line for each value of another."
    arguments = LinesFromPointsArguments
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
        shape = geometry(source) if source.declared else flat(source)
        turns = source.table.srid == WGS84
        placed, line_of = _placed(source, shape, order, groups, turns=turns)
        along = func.ST_Length(
            geography(func.ST_MakeLine(aggregate_order_by(placed.c.lonlat, placed.c.number)))
        )
        line = line_of if not turns else on_the_map(line_of, MAX_TURNS_AROUND_EARTH)
        keys = [placed.c[f"g{number}"] for number in range(len(groups))]
        statement = (
            select(
                *(key.label(group.name) for key, group in zip(keys, groups, strict=True)),
                func.count().label(points),
                func.min(placed.c.place).label(first),
                func.max(placed.c.place).label(last),
                along.label(length),
                line.label(GEOMETRY),
            )
            .select_from(placed)
            .group_by(*keys)
            .having(func.count() > 1)
        )
        return Step(
            statement,
            geometry_type=source.declared_type("MultiLineString" if turns else "LineString"),
            srid=source.declared_srid,
            notes=(
                *await _alone(placed, keys, workspace),
                *([SHORT_WAY()] if turns else []),
            ),
            comments={length: "Length in metres, geodesic."},
        )


async def _alone(
    placed: FromClause, keys: Sequence[ColumnElement[Any]], workspace: Workspace
) -> tuple[str, ...]:
    """How many groups have a single point, which makes no line."""
    single = (
        select(func.count().label("points"))
        .select_from(placed)
        .group_by(*keys)
        .having(func.count() == 1)
        .subquery("single")
    )
    count = await count_rows(single, workspace)
    return (SINGLE_POINTS(n=count),) if count else ()


def _placed(
    source: Source,
    shape: ColumnElement[Any],
    order: ColumnElement[Any],
    groups: Sequence[Label[Any]],
    *,
    turns: bool,
) -> tuple[FromClause, ColumnElement[Any]]:
    """The points with their position along the line, and the line; with `turns`, its longitudes may exceed 180."""
    keys = [group.element.label(f"g{number}") for number, group in enumerate(groups)]
    window: dict[str, Any] = {"partition_by": [key.element for key in keys] or None, "order_by": order}
    numbered = (
        select(
            *keys,
            order.label("place"),
            shape.label("shape"),
            lonlat(source).label("lonlat"),
            func.row_number().over(**window).label("number"),
        )
        .select_from(source.rows)
        .where(geometry(source).is_not(None), order.is_not(None))
        .subquery("numbered")
    )
    if not turns:
        return numbered, func.ST_MakeLine(
            aggregate_order_by(numbered.c["shape"], numbered.c.number), type_=Geometry()
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
    return placed, func.ST_MakeLine(aggregate_order_by(moved, placed.c.number), type_=Geometry())
