"""Bars, lines and histograms: one aggregate per index and series, computed in PostgreSQL."""

from __future__ import annotations

import sqlalchemy as sa

from agents.charts import Axis, ChartData
from agents.domain import Column, Table
from agents.worded import Template
from server.gis.charts.axes import Rows, bins, categories, place
from server.gis.charts.columns import aggregated
from server.gis.charts.question import Question
from server.gis.errors import InvalidQuestion
from server.gis.statements.guard import Guard

MANY_NUMBERS = Template(
    "chart_many_numbers",
    "{column} holds {n} different numbers, too many for bars. Make a histogram of it, or a line.",
)
MANY_TIMES = Template(
    "chart_many_times", "{column} holds too many different times for bars. Make a line chart of it."
)

DEFAULT_BARS = 12
MAX_SERIES = 6
DEFAULT_LINE_BINS = 48
MAX_NUMBER_BARS = 60


async def bar(guard: Guard, asked: Question) -> ChartData:
    """One bar for each of the greatest groups, and one for all others. Raises InvalidQuestion for too many values."""
    assert asked.x is not None  # noqa: S101 - question.py sees to it
    table, x = asked.table, asked.x
    limit = asked.bins or DEFAULT_BARS
    if x.kind in ("integer", "number", "date", "timestamp") and asked.bins is None:
        limit = MAX_NUMBER_BARS
    rank = aggregated(table, asked.y, asked.aggregate)
    axis = await categories(guard, table, asked.usable, x, limit, rank)
    if x.kind in ("integer", "number") and axis.others and asked.bins is None:
        different = len(axis.keys) + axis.others
        raise InvalidQuestion(MANY_NUMBERS(column=repr(x.name), n=different))
    if x.kind in ("date", "timestamp") and axis.others:
        raise InvalidQuestion(MANY_TIMES(column=repr(x.name)))
    return await _summed(guard, asked, axis)


async def line(guard: Guard, asked: Question) -> ChartData:
    """One value per bin of a number or a time."""
    assert asked.x is not None  # noqa: S101
    wanted = asked.bins or DEFAULT_LINE_BINS
    axis = await bins(guard, asked.table, asked.usable, asked.x, wanted, asked.period)
    return await _summed(guard, asked, axis)


async def histogram(guard: Guard, asked: Question) -> ChartData:
    """The number of rows per bin."""
    assert asked.x is not None  # noqa: S101
    axis = await bins(guard, asked.table, asked.usable, asked.x, asked.bins, asked.period)
    return await _summed(guard, asked, axis)


async def series_of(guard: Guard, table: Table, rows: Rows, color: Column | None) -> Axis | None:
    """The most frequent values of the column that splits the chart."""
    return None if color is None else await categories(guard, table, rows, color, MAX_SERIES)


async def _summed(guard: Guard, asked: Question, axis: Axis) -> ChartData:
    if not axis.places:
        return ChartData(x=axis)
    table = asked.table
    series = await series_of(guard, table, asked.usable, asked.color)
    across, along = place(table, axis).label("place"), place(table, series).label("series")
    value = aggregated(table, asked.y, asked.aggregate).label("value")
    statement = asked.usable.add_columns(along, across, value, sa.func.count().label("count"))
    # By position: a table may have columns of these names.
    kept = statement.group_by(sa.literal_column("1"), sa.literal_column("2")).subquery("kept")
    found = await guard.rows(
        kept.select().where(kept.c.place.is_not(None), kept.c.series.is_not(None)), table.id
    )
    lines = series.places if series is not None else 1
    values: list[list[float | None]] = [[None] * axis.places for _ in range(lines)]
    counts = [[0] * axis.places for _ in range(lines)]
    for row_series, row_place, row_value, count in found:
        if row_place >= axis.places:
            continue
        values[row_series][row_place] = None if row_value is None else float(row_value)
        counts[row_series][row_place] = count
    return ChartData(
        x=axis,
        series=series,
        values=tuple(tuple(line) for line in values),
        counts=tuple(tuple(line) for line in counts),
    )
