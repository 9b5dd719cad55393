"""The distribution of one column: a histogram of numbers or times, and its values by frequency. As the reader role,
within the guard's limits, and exact but for the histograms of large tables, which are of a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from agents.domain import Column, Table
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import Expression, column_of, sql_type
from server.gis.profiles.profile import ColumnProfile
from server.gis.query.table_samples import can_be_sampled, sample_of, sampled_share, within
from server.gis.query.values import plain, shortened
from server.gis.statements.guard import Guard
from server.gis.styles.attributes import as_number, seconds

HISTOGRAM_TYPE = Template(
    "data_histogram_type", "{column} is {type}, and a histogram needs numbers or dates."
)
BINS = Template("data_bins", "`bins` is a number from 1 to {most}.")
NOT_LISTABLE = Template("data_not_listable", "The values of {column} ({type}) cannot be listed.")

MAX_BINS = 100
MAX_VALUES = 50
SAMPLED_ROWS = 200_000
"""Rows of a large table that are read. The height of a bar of a hundredth of them errs by about two percent."""
MIN_SAMPLED = 1_000
"""Values of a sample, at least."""
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
    value = _value(table, column, bins)
    ends = sa.func.min(value), sa.func.max(value), sa.func.count() - sa.func.count(value)
    found = await guard.row(passing.add_columns(*ends), table.id)
    low, high, nulls = found or (None, None, 0)
    return await _binned(guard, table, column, passing, (low, high, nulls), bins)


async def sampled_histogram(
    guard: Guard, table: Table, column: Column, passing: Passing, bins: int, known: ColumnProfile | None
) -> Mapping[str, Any] | None:
    """The same from a sample of the table's pages, with counts scaled to all rows. `known` has the minimum and
    maximum of all rows. None if the table cannot be sampled, or too few rows of the sample pass."""
    value = _value(table, column, bins)
    share = sampled_share(table, SAMPLED_ROWS)
    if not can_be_sampled(table) or share >= 1:
        return None
    sample = sample_of(table, share)
    ends = sa.func.min(value), sa.func.max(value), sa.func.count(value), sa.func.count()
    found = await guard.row(within(passing.add_columns(*ends), sample), table.id)
    if found is None or found[2] < MIN_SAMPLED:
        return None
    low, high, values, rows = found
    nulls = round((rows - values) / share)
    if known is not None:
        low, high = await _known_ends(guard, table, column, known)
        nulls = known.nulls
    made = await _binned(guard, table, column, passing, (low, high, nulls), bins, sample)
    counts = [round(count / share) for count in made["counts"]]
    return {**made, "counts": counts, "sampled_from": f"a sample of {rows:,} of its rows"}


def _value(table: Table, column: Column, bins: int) -> Expression:
    value = as_number(table, column)
    if value is None:
        raise InvalidQuestion(HISTOGRAM_TYPE(column=repr(column.name), type=column.sql_type))
    if not 1 <= bins <= MAX_BINS:
        raise InvalidQuestion(BINS(most=MAX_BINS))
    return value


async def _known_ends(
    guard: Guard, table: Table, column: Column, known: ColumnProfile
) -> tuple[float | None, float | None]:
    if known.earliest is None or known.latest is None:
        return known.minimum, known.maximum
    ends = (seconds(sa.cast(sa.literal(each), sql_type(column))) for each in (known.earliest, known.latest))
    found = await guard.row(sa.select(*ends), table.id)
    return (None, None) if found is None else (found[0], found[1])


async def _binned(
    guard: Guard,
    table: Table,
    column: Column,
    passing: Passing,
    ends: tuple[float | None, float | None, int],
    bins: int,
    sample: sa.FromClause | None = None,
) -> Mapping[str, Any]:
    low, high, nulls = ends
    if low is None or high is None:
        return {"minimum": None, "maximum": None, "from": None, "to": None, "counts": [], "nulls": nulls}
    start, end, bins = edges(column, low, high, bins)
    counts = [0] * bins
    value = _value(table, column, bins)
    place = sa.func.greatest(1, sa.func.least(sa.func.width_bucket(value, start, end, bins), bins))
    statement = passing.add_columns(place, sa.func.count()).where(value.is_not(None)).group_by(place)
    for number, count in await guard.rows(within(statement, sample), table.id):
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
