"""How many rows there are in an hour, a day or a year on average, from the first to the last row of a whole table.

The time that a table spans is found once, before the statement is made: all groups are divided by the same time, and
of a lake table it is known from the metadata of its files, of which a step may read only some."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

from sqlalchemy import Text, cast, func, select

from agents.domain import Column
from agents.worded import Template, formatted
from server.gis.errors import InvalidQuestion
from server.gis.operations.support.attributes.aggregates import PERIODS, Aggregate, Rate
from server.gis.operations.support.attributes.columns import attribute
from server.gis.operations.support.base import Source, Workspace

PERIOD_NAMES = {
    "per_hour": Template("op_hour", "hour"),
    "per_day": Template("op_day", "day"),
    "per_year": Template("op_year", "year"),
}
PERIOD_LENGTHS = {
    "per_hour": Template("op_hours", "{n|one=# hour|other=# hours}"),
    "per_day": Template("op_days", "{n|one=# day|other=# days}"),
    "per_year": Template("op_years", "{n|one=# year|other=# years}"),
}
RATE_SPAN = Template("op_rate_span", "from {low} to {high}, the first and last {column} of {table}")
RATE_BY = Template("op_rate_by", "Rows per {period}: their number by {length} {span}")
RATE_EMPTY = Template(
    "op_rate_empty", "Rows per {period} are empty, because all rows are at one time: {span}"
)


RATE_FILES = Template(
    "op_rate_files",
    "The files of {table} do not state the first and last {column}, by which rows in a time are counted.",
)

RATE_TIMES = Template(
    "op_rate_times", "{function} needs a column of dates or times, which {table}.{column} is not."
)
RATE_REACH = Template(
    "op_rate_reach", "The {column} of {table} reaches from {low} to {high}, which cannot be measured."
)

TIMES = ("date", "timestamp")
Ends = tuple[str, str]


class Aggregating(Protocol):
    """Arguments of an operation that aggregates."""

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """What is computed for each group."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """As in pydantic."""


A = TypeVar("A", bound=Aggregating)


async def with_rates(arguments: A, source: Source, workspace: Workspace) -> A:
    """The arguments, with the time that the rows of `source` span in the aggregates that count rows in a time.

    Raises InvalidQuestion for a column without times, or whose first and last are not known."""
    aggregates = tuple([await _rate(each, source, workspace) for each in arguments.aggregates])
    return arguments.model_copy(update={"aggregates": aggregates})


def rate_notes(aggregates: Sequence[Aggregate], source: Source) -> tuple[str, ...]:
    """What the rates were divided by, for the notes on the method."""
    notes = []
    for each in aggregates:
        if not isinstance(each, Rate):
            continue
        period = PERIOD_NAMES[each.function]
        low, high = each.ends
        span = RATE_SPAN(low=low, high=high, column=str(each.column), table=source.table.id)
        if each.periods:
            length = PERIOD_LENGTHS[each.function](n=formatted(each.periods, ",.6g"))
            notes.append(RATE_BY(period=period(), length=length, span=span))
        else:
            notes.append(RATE_EMPTY(period=period(), span=span))
    return tuple(dict.fromkeys(notes))


async def _rate(aggregate: Aggregate, source: Source, workspace: Workspace) -> Aggregate:
    if aggregate.function not in PERIODS or aggregate.column is None:
        return aggregate
    column = attribute(source, aggregate.column)
    if column.kind not in TIMES:
        raise InvalidQuestion(
            RATE_TIMES(function=aggregate.function, table=source.table.id, column=column.name)
        )
    ends = await _ends(column, source, workspace)
    if ends is None:
        return Rate(**aggregate.model_dump(), periods=0.0, ends=("none", "none"))
    try:
        first, last = (datetime.datetime.fromisoformat(end) for end in ends)
    except ValueError:
        raise InvalidQuestion(
            RATE_REACH(column=column.name, table=source.table.id, low=str(ends[0]), high=str(ends[1]))
        ) from None
    # For dates, the last day counts, too.
    seconds = (last - first).total_seconds() + (86_400.0 if column.kind == "date" else 0.0)
    return Rate(**aggregate.model_dump(), periods=seconds / PERIODS[aggregate.function], ends=ends)


async def _ends(column: Column, source: Source, workspace: Workspace) -> Ends | None:
    """The first and last time as PostgreSQL writes them; None if there is none."""
    table = source.table
    if table.lake is not None and table.lake.is_sampled:
        if column.minimum is None or column.maximum is None:
            raise InvalidQuestion(RATE_FILES(table=table.id, column=column.name))
        return str(column.minimum), str(column.maximum)
    value = source.column(column.name)
    ends = select(cast(func.min(value), Text()), cast(func.max(value), Text())).select_from(source.rows)
    first, last = await workspace.row(ends)
    return None if first is None else (str(first), str(last))
