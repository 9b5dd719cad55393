"""Axes: chosen from the data, with the index of a row on an axis as SQL.

The same expression draws a chart, finds the features of its bars on the map, and finds features of the map in
the chart, so the three always agree."""

from __future__ import annotations

import math
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from agents.charts import MAX_BINS, Axis, Period
from agents.domain import Column, Table
from agents.worded import Template
from server.gis.charts.columns import TIMES, category, measured
from server.gis.charts.ticks import month_edges, number_edges, time_edges
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import Expression
from server.gis.statements.guard import Guard

COLUMN_GONE = Template(
    "chart_column_gone", "{table} has no column {column} any more. Create the chart again."
)
MANY_PERIODS = Template("chart_many_periods", "That would be {n} bins, and a chart has at most {most}.")
MONTHS: dict[Period, int] = {"year": 12, "month": 1}

Rows = sa.Select[tuple[()]]
"""The rows that count, without columns."""
MAX_SINGLE_VALUE_BINS = 60


async def categories(
    guard: Guard, table: Table, rows: Rows, column: Column, limit: int, rank: Expression | None = None
) -> Axis:
    """The values of a column: all in their natural order if they are few numbers or booleans, else the first
    `limit` by `rank` (by default the number of rows), greatest first. Rows without a value come last."""
    key = category(table, column).label("key")
    order = (rank if rank is not None else sa.func.count()).label("rank")
    least = (
        sa.func.min(measured(table, column)) if column.kind not in ("text", "boolean", "other") else sa.null()
    )
    groups = rows.add_columns(key, order, sa.func.count().label("rows"), least.label("least"))
    found = groups.group_by(sa.literal_column("1")).subquery("groups")
    total = sa.func.count(found.c.key).over().label("total")
    missing = sa.func.bool_or(found.c.key.is_(None)).over().label("missing")
    statement = (
        sa.select(found.c.key, found.c.least, total, missing)
        .order_by(found.c.key.is_(None), found.c.rank.desc().nulls_last(), found.c.rows.desc(), found.c.key)
        .limit(limit + 1)
    )
    answer = await guard.rows(statement, table.id)
    kept = [row for row in answer if row[0] is not None][:limit]
    different = int(answer[0][2]) if answer else 0
    if column.kind not in ("text", "other") and different <= limit:
        kept.sort(key=lambda row: (row[1] if row[1] is not None else math.inf, row[0]))
    keys: list[str | None] = [row[0] for row in kept]
    if answer and answer[0][3]:
        keys.append(None)
    return Axis(kind="category", column=column.name, keys=tuple(keys), others=max(different - len(kept), 0))


async def bins(
    guard: Guard, table: Table, rows: Rows, column: Column, wanted: int | None, period: Period | None = None
) -> Axis:
    """Bins over all values of a number or a time. Without `wanted` their number follows the rule of Freedman
    and Diaconis. Raises InvalidQuestion for too many periods."""
    value = measured(table, column)
    whole, advice = column.kind == "integer", wanted is None and column.kind not in TIMES
    middle = sa.func.percentile_cont(sa.cast([0.25, 0.75], ARRAY(sa.Double))).within_group(value)
    found = await guard.row(
        rows.add_columns(
            sa.func.count(value),
            sa.func.min(value),
            sa.func.max(value),
            middle if advice else sa.null(),
            sa.func.count(value.distinct()) if advice and whole else sa.null(),
        ),
        table.id,
    )
    if found is None or not found[0]:
        return Axis(kind="time" if column.kind in TIMES else "number", column=column.name)
    count, low, high, quartiles, different = found
    if column.kind in TIMES and period is not None:
        edges = month_edges(low, high, MONTHS[period])
        if len(edges) > MAX_BINS + 1:
            raise InvalidQuestion(MANY_PERIODS(n=len(edges) - 1, most=MAX_BINS))
        return Axis(kind="time", column=column.name, edges=edges)
    if column.kind in TIMES:
        return Axis(kind="time", column=column.name, edges=time_edges(low, high, wanted or MAX_BINS // 2))
    number_of_bins = wanted or _advised(count, low, high, quartiles)
    if different is not None and different <= MAX_SINGLE_VALUE_BINS and high - low < MAX_SINGLE_VALUE_BINS:
        number_of_bins = int(high - low) + 1
    return Axis(kind="number", column=column.name, edges=number_edges(low, high, number_of_bins, whole))


def place(table: Table, axis: Axis | None) -> Expression:
    """The index of a row on the axis, from 0; the last index collects other values. NULL for rows without a
    value, and an index beyond the axis for numbers beyond its edges."""
    if axis is None:
        return sa.literal(0, sa.Integer())
    column = table.column(axis.column)
    if column is None:
        raise InvalidQuestion(COLUMN_GONE(table=table.id, column=repr(axis.column)))
    if not axis.places:
        return sa.null()
    if axis.kind == "category":
        return _category_place(axis, category(table, column))
    # The last bin includes its upper edge. Values beyond the edges were added after these were chosen.
    edges = [*axis.edges[:-1], math.nextafter(axis.edges[-1], math.inf)]
    bucket = sa.func.width_bucket(
        measured(table, column), sa.cast(edges, ARRAY(sa.Double)), type_=sa.Integer()
    )
    return sa.func.nullif(bucket, 0) - 1


def _category_place(axis: Axis, key: Expression) -> Expression:
    keys = sa.cast(list(axis.keys), ARRAY(sa.Text))
    position = sa.func.array_position(keys, key, type_=sa.Integer()) - 1
    if not axis.others:
        return position
    beyond: Any = sa.case((key.is_not(None), len(axis.keys)), else_=None)
    return sa.func.coalesce(position, beyond, type_=sa.Integer())


def _advised(count: int, low: float, high: float, middle: Any) -> int:
    width = 2 * (middle[1] - middle[0]) / count ** (1 / 3)
    if not 0 < width < math.inf or not 0 < high - low < math.inf:
        return min(MAX_BINS // 2, max(5, round(math.log2(count) + 1)))
    return int(min(MAX_BINS, max(5, math.ceil((high - low) / width))))
