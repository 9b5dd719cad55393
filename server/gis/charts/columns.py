"""Columns as charts read them: finite numbers, times as seconds, categories as text; and the roles of columns."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from agents.domain import Column, Table
from agents.worded import Template
from server.gis.errors import InvalidQuestion, existing_column, listed
from server.gis.expressions.identifiers import Expression, column_of, is_zoned
from server.gis.styles.attributes import finite

UNFIT_COLUMN = Template("chart_unfit_column", "{column} holds {kind} values and cannot be {role}. {there}")
COLUMNS_THAT_CAN = Template("chart_columns_that_can", "Columns that can: {names}.")
NO_COLUMN_CAN = Template("chart_no_column_can", "{table} has no column that can.")

NUMBERS = ("integer", "number")
TIMES = ("date", "timestamp")
CATEGORIES = ("text", "integer", "number", "boolean", "date", "timestamp", "other")
SPLITS = ("text", "integer", "boolean", "other")
"""Columns whose values may become series."""
MAX_KEY_CHARS = 200
"""Characters of a category; longer texts with the same beginning fall together."""
_EARLIEST, _LATEST = "0001-01-01", "9999-12-31"


def column_named(table: Table, name: str, role: str, kinds: tuple[str, ...]) -> Column:
    """The column, if its kind is one of `kinds`. Raises UnknownColumn, or InvalidQuestion with the columns that
    qualify."""
    column = existing_column(table, name)
    if column.kind in kinds:
        return column
    fitting = [each.name for each in table.columns if each.kind in kinds]
    there = COLUMNS_THAT_CAN(names=listed(fitting, 12)) if fitting else NO_COLUMN_CAN(table=table.id)
    raise InvalidQuestion(UNFIT_COLUMN(column=repr(name), kind=column.kind, role=role, there=there))


def number(table: Table, column: Column) -> Expression:
    """The column as double precision, with NaN and infinities as NULL."""
    return finite(column_of(table, column.name))


def exact(table: Table, column: Column) -> Expression:
    """The column for sums: integers stay integers."""
    return column_of(table, column.name) if column.kind == "integer" else number(table, column)


def seconds(table: Table, column: Column) -> Expression:
    """Seconds since 1970 in UTC; NULL for the infinities and for years that browsers cannot show."""
    value = column_of(table, column.name)
    moment: Expression = sa.cast(value, sa.TIMESTAMP()) if column.kind == "date" else value
    kind = sa.TIMESTAMP(timezone=is_zoned(column.sql_type))
    earliest, latest = (sa.cast(sa.literal(text, sa.Text()), kind) for text in (_EARLIEST, _LATEST))
    # Not EXTRACT, which calculates with NUMERIC and takes five times as long.
    epoch: Expression = sa.func.date_part("epoch", moment, type_=sa.Double())
    return sa.case((sa.and_(moment >= earliest, moment < latest), epoch), else_=None)


def category(table: Table, column: Column) -> Expression:
    """The column as text of at most `MAX_KEY_CHARS` characters."""
    return sa.func.left(sa.cast(column_of(table, column.name), sa.Text), MAX_KEY_CHARS, type_=sa.Text())


def measured(table: Table, column: Column) -> Expression:
    """The column, a number or a time, as double precision."""
    return seconds(table, column) if column.kind in TIMES else number(table, column)


AGGREGATES: dict[str, Callable[[Expression], Expression]] = {
    "sum": lambda value: sa.cast(sa.func.sum(value), sa.Double),
    "mean": lambda value: sa.cast(sa.func.avg(value), sa.Double),
    "median": lambda value: sa.func.percentile_cont(0.5).within_group(sa.cast(value, sa.Double)),
    "minimum": lambda value: sa.cast(sa.func.min(value), sa.Double),
    "maximum": lambda value: sa.cast(sa.func.max(value), sa.Double),
}


def aggregated(table: Table, y: Column | None, how: str | None) -> Expression:
    """The aggregate of all rows with the same index and series."""
    if y is None or how in (None, "count"):
        return sa.func.count()
    return AGGREGATES[how or "mean"](exact(table, y))
