"""Scatter plots: every point of a small table, a reproducible even sample of a large one."""

from __future__ import annotations

import sqlalchemy as sa

from agents.charts import ChartData, Points
from agents.domain import Table
from server.gis.charts.axes import place
from server.gis.charts.columns import TIMES, measured
from server.gis.charts.question import Question
from server.gis.charts.summaries import series_of
from server.gis.expressions.identifiers import Expression, column_of, relation
from server.gis.query.values import plain
from server.gis.statements.guard import Guard
from server.gis.tiles.columns import feature_id, feature_key

MAX_POINTS = 5_000
SIGNIFICANT_DIGITS = 7
"""Significant digits of a coordinate: finer than a pixel of any screen."""


async def scatter(guard: Guard, asked: Question) -> ChartData:
    """The points, at most `MAX_POINTS`."""
    assert asked.x is not None and asked.y is not None  # noqa: S101, PT018 - question.py sees to it
    table = asked.table
    series = await series_of(guard, table, asked.usable, asked.color)
    statement = asked.usable.add_columns(
        measured(table, asked.x), measured(table, asked.y), place(table, series), feature_id(table)
    )
    if series is not None:
        statement = statement.where(place(table, series).is_not(None))
    found = await guard.rows(statement.order_by(*_evenly(table)).limit(MAX_POINTS), table.id)
    is_time = asked.x.kind in TIMES
    points = Points(
        x=tuple(row[0] if is_time else _short(row[0]) for row in found),
        y=tuple(_short(row[1]) for row in found),
        series=tuple(row[2] for row in found) if series is not None else (),
        ids=tuple(plain(row[3]) for row in found) if feature_key(table) is not None else (),
    )
    return ChartData(series=series, time=is_time, points=points)


def _evenly(table: Table) -> list[Expression]:
    """The order by a hash of the key: an unbiased sample that is always the same."""
    names = table.key or tuple(
        column.name for column in table.columns if column.kind in ("text", "integer", "number")
    )
    if not names:
        return []
    parts = [sa.cast(column_of(table, name), sa.Text) for name in names]
    return [
        sa.func.hashtextextended(sa.func.concat_ws(" ", *parts), 0),
        *(relation(table).c[n] for n in table.key),
    ]


def _short(value: float) -> float:
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
