"""Box plots: quartiles, whiskers within 1.5 interquartile ranges (Tukey), and the farthest outliers."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from agents.charts import Axis, Box, ChartData
from server.gis.charts.axes import categories, place
from server.gis.charts.columns import number
from server.gis.charts.question import Question
from server.gis.expressions.identifiers import Expression
from server.gis.query.values import plain
from server.gis.statements.guard import Guard, Record
from server.gis.tiles.columns import feature_id

DEFAULT_BOXES = 12
MAX_OUTLIERS_SHOWN = 20
"""Outliers of a box that are shown individually."""


async def box(guard: Guard, asked: Question) -> ChartData:
    """The boxes, one per group or a single one."""
    assert asked.y is not None  # noqa: S101 - question.py sees to it
    table = asked.table
    value = number(table, asked.y)
    known = asked.usable
    axis = (
        None
        if asked.x is None
        else await categories(guard, table, known, asked.x, asked.bins or DEFAULT_BOXES)
    )
    group = place(table, axis).label("place")
    quartiles = sa.func.percentile_cont(sa.cast([0.25, 0.5, 0.75], ARRAY(sa.Double))).within_group(value)
    boxes = known.add_columns(group, sa.func.count(), quartiles).group_by(sa.literal_column("1"))
    found = await guard.rows(boxes, table.id)
    groups = [row for row in found if row[0] is not None]
    if not groups:
        return ChartData(x=axis)
    fenced = _fenced(asked, value, group, _fences(groups))
    whiskers = await guard.rows(_whiskers(fenced), table.id)
    far = await guard.rows(_farthest(fenced), table.id)
    return ChartData(x=axis, boxes=_boxes(axis, groups, whiskers, far))


def _fences(groups: list[Record]) -> sa.Values:
    """The range within which the whiskers of each index end."""
    rows = [
        (row[0], row[2][0] - 1.5 * (row[2][2] - row[2][0]), row[2][2] + 1.5 * (row[2][2] - row[2][0]))
        for row in groups
    ]
    columns = (sa.column("at", sa.Integer), sa.column("least", sa.Double), sa.column("most", sa.Double))
    return sa.values(*columns, name="fences").data(rows)


def _fenced(asked: Question, value: Expression, group: sa.Label[int], fences: sa.Values) -> sa.Subquery:
    """The values with their index and fences."""
    values = asked.usable.add_columns(value.label("value"), group, feature_id(asked.table).label("id"))
    known = values.subquery("known")
    return (
        sa.select(known.c.place, known.c.value, known.c.id, fences.c.least, fences.c.most)
        .join_from(known, fences, known.c.place == fences.c.at)
        .subquery("fenced")
    )


def _whiskers(f: sa.Subquery) -> sa.Select[tuple[int, float, float, int]]:
    inside = f.c.value.between(f.c.least, f.c.most)
    return sa.select(
        f.c.place,
        sa.func.min(f.c.value).filter(inside),
        sa.func.max(f.c.value).filter(inside),
        sa.func.count().filter(sa.not_(inside)),
    ).group_by(f.c.place)


def _farthest(f: sa.Subquery) -> sa.Select[tuple[int, float, int | None]]:
    distance = sa.func.greatest(f.c.least - f.c.value, f.c.value - f.c.most)
    rank = sa.func.row_number().over(partition_by=f.c.place, order_by=(distance.desc(), f.c.value, f.c.id))
    ranked = (
        sa.select(f.c.place, f.c.value, f.c.id, rank.label("rank"))
        .where(sa.not_(f.c.value.between(f.c.least, f.c.most)))
        .subquery("ranked")
    )
    return (
        sa.select(ranked.c.place, ranked.c.value, ranked.c.id)
        .where(ranked.c.rank <= MAX_OUTLIERS_SHOWN)
        .order_by(ranked.c.place, ranked.c.rank)
    )


def _boxes(
    axis: Axis | None, groups: list[Record], whiskers: Sequence[Record], far: Sequence[Record]
) -> tuple[Box | None, ...]:
    boxes: list[Box | None] = [None] * (axis.places if axis is not None else 1)
    ends = {row[0]: row[1:] for row in whiskers}
    for at, count, (first, median, third) in groups:
        low, high, beyond = ends.get(at, (first, third, 0))
        own = [row for row in far if row[0] == at]
        boxes[at] = Box(
            low=first if low is None else low,
            first=first,
            median=median,
            third=third,
            high=third if high is None else high,
            count=count,
            outliers=beyond,
            farthest=tuple(row[1] for row in own),
            ids=tuple(plain(row[2]) for row in own if row[2] is not None),
        )
    return tuple(boxes)
