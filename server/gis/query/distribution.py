"""The distribution of one column: a histogram of numbers or times, and its values by frequency. Exact, as the
reader role, within the guard's limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from agents.domain import Column, Table
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import column_of
from server.gis.query.values import plain, shortened
from server.gis.statements.guard import Guard
from server.gis.styles.attributes import as_number

HISTOGRAM_TYPE = Template(
    "data_histogram_type", "{column} is {type}, and a histogram needs numbers or dates."
)
BINS = Template("data_bins", "`bins` is a number from 1 to {most}.")
NOT_LISTABLE = Template("data_not_listable", "The values of {column} ({type}) cannot be listed.")

MAX_BINS = 100
MAX_VALUES = 50
DAY_S = 86_400.0

Passing = sa.Select[tuple[()]]
"""The rows that count, without columns."""


async def histogram(
    guard: Guard, table: Table, column: Column, passing: Passing, bins: int
) -> Mapping[str, Any]:
    """`counts` of equal bins from `from` to `to`, for values from `minimum` to `maximum`; dates and times are
    in seconds since 1970 (UTC).

    Integers and days are never split, so few of them give few bins. Without values `counts` is empty. Raises
    InvalidQuestion for other types."""
    value = as_number(table, column)
    if value is None:
        raise InvalidQuestion(HISTOGRAM_TYPE(column=repr(column.name), type=column.sql_type))
    if not 1 <= bins <= MAX_BINS:
        raise InvalidQuestion(BINS(most=MAX_BINS))
    ends = await guard.row(
        passing.add_columns(sa.func.min(value), sa.func.max(value), sa.func.count() - sa.func.count(value)),
        table.id,
    )
    low, high, nulls = ends or (None, None, 0)
    if low is None or high is None:
        return {"minimum": None, "maximum": None, "from": None, "to": None, "counts": [], "nulls": nulls}
    start, end, bins = edges(column, low, high, bins)
    counts = [0] * bins
    place = sa.func.least(sa.func.width_bucket(value, start, end, bins), bins)
    statement = passing.add_columns(place, sa.func.count()).where(value.is_not(None)).group_by(place)
    for number, count in await guard.rows(statement, table.id):
        counts[number - 1] = count
    return {"minimum": low, "maximum": high, "from": start, "to": end, "counts": counts, "nulls": nulls}


def edges(column: Column, low: float, high: float, bins: int) -> tuple[float, float, int]:
    """First edge, last edge and number of the bins."""
    unit = {"integer": 1.0, "date": DAY_S}.get(column.kind)
    if unit is None:
        return (low, high, bins) if high > low else (low - 0.5, high + 0.5, 1)
    steps = round((high - low) / unit) + 1
    wide = -(-steps // bins)
    """Number of units in one bin."""
    bins = -(-steps // wide)
    # An integer is in the middle of its bin, a day at its start.
    start = low - unit / 2 if column.kind == "integer" else low
    return start, start + bins * wide * unit, bins


async def frequent_values(
    guard: Guard, table: Table, column: Column, passing: Passing, text: str, limit: int
) -> list[dict[str, Any]]:
    """`{value, count}` of values that contain the text in any case, most frequent first. Raises InvalidQuestion."""
    if column.kind not in ("text", "integer", "number", "boolean", "date"):
        raise InvalidQuestion(NOT_LISTABLE(column=repr(column.name), type=column.sql_type))
    value = column_of(table, column.name)
    number = sa.func.count()
    written = sa.cast(value, sa.Text)
    statement = passing.add_columns(sa.func.to_jsonb(shortened(sa.func.min(written)), type_=JSONB()), number)
    if text:
        statement = statement.where(sa.func.strpos(sa.func.lower(written), text.lower()) > 0)
    statement = statement.where(value.is_not(None)).group_by(value).order_by(number.desc(), value)
    rows = await guard.rows(statement.limit(max(1, min(limit, MAX_VALUES))), table.id)
    return [{"value": plain(row[0]), "count": row[1]} for row in rows]
