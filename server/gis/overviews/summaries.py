"""Summaries of rows in cells and bands, as SQL: how many rows of a cell pass a filter, and of a column the number, the
sum, the least and the greatest of their values. Counts and statistics of many cells are computed from them, exactly."""

from __future__ import annotations

import json
from collections.abc import Sequence

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from agents.core.errors import ToolFailed
from agents.domain import BINNED, Cql2, StyleSpec, Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import relation
from server.gis.expressions.literal_sql import literal_sql
from server.gis.filters import compile_filter
from server.gis.styles.attributes import finite
from server.gis.styles.kinds.binned import COUNT, shown_attribute
from server.gis.tiles.sql_text import inline

MAX_FILTER_CHARS = 10_000
"""Longest filter: testing every row against a longer one, as with a detailed outline, would take too long."""
_COMPUTED = ("count({})", "sum({})", "min({})", "max({})")
_MERGED = ("sum({}){}::bigint", "sum({}){}", "min({}){}", "max({}){}")
_NUMBERS = ("integer", "number")


class FilteredRows(BaseModel):
    """The rows that pass a filter, which have separate overviews where their features are drawn."""

    model_config = ConfigDict(frozen=True)

    filter: str
    """CQL2 as JSON."""

    def condition(self, table: Table) -> str:
        """The filter as SQL without parameters; `true` without a filter."""
        return _condition(table, self.filter)

    def is_possible(self, table: Table) -> bool:
        """Whether the table has the columns, of fitting types."""
        return _is_possible(table, self.filter)


class Summary(BaseModel):
    """A summary of a column's values or, without a column, of rows; of those that pass a filter, if it has one."""

    model_config = ConfigDict(frozen=True)

    column: str | None = None
    filter: str | None = None
    """CQL2 as JSON."""

    @property
    def bytes(self) -> int:
        """Bytes that it adds to each representative."""
        return 8 if self.column is None else 32

    def condition(self, table: Table) -> str:
        """The filter as SQL without parameters; `true` without a filter."""
        return _condition(table, self.filter)

    def is_possible(self, table: Table) -> bool:
        """Whether the table has the columns, of fitting types."""
        column = None if self.column is None else table.column(self.column)
        if self.column is not None and (column is None or column.kind not in _NUMBERS):
            return False
        return _is_possible(table, self.filter)


Need = Summary | FilteredRows
"""What overviews of a table must have for a layer."""


def _condition(table: Table, filter: str | None) -> str:
    """The filter over the table `t`. Raises ToolFailed where the table has not what it reads."""
    found = compile_filter(table, filter and json.loads(filter), relation(table).alias("t"))
    return "true" if found is None else literal_sql(found)


def _is_possible(table: Table, filter: str | None) -> bool:
    if filter is not None and len(filter) > MAX_FILTER_CHARS:
        return False
    try:
        _condition(table, filter)
    except ToolFailed:
        return False
    return True


def filter_text(filter: Cql2 | None) -> str:
    """The same for layers that show the same rows of a table."""
    return json.dumps(filter, sort_keys=True)


def needed(style: StyleSpec, filter: Cql2 | None) -> tuple[Need, ...]:
    """What a layer of a style is drawn from, where that is more than a representative of each cell."""
    if style.kind in BINNED or filter is None:
        return needed_summaries(style, filter)
    return (FilteredRows(filter=filter_text(filter)),)


def needed_summaries(style: StyleSpec, filter: Cql2 | None) -> tuple[Summary, ...]:
    """What cells of a style are computed from, where they show more than how many rows there are."""
    if style.kind not in BINNED:
        return ()
    text = None if filter is None else filter_text(filter)
    rows = () if text is None else (Summary(filter=text),)
    values = () if shown_attribute(style) == COUNT else (Summary(column=style.column, filter=text),)
    return rows + values


def summary_columns(index: int, summary: Summary) -> tuple[str, ...]:
    """Columns with the number of rows, or the number, sum, minimum and maximum of values. They are numbered, because
    names may be too long to be added to."""
    return tuple(
        f'"@{name}{index}"' for name in ("n", "sum", "min", "max")[: 1 if summary.column is None else 4]
    )


def computed(table: Table, summaries: Sequence[Summary]) -> str:
    """Summaries of the rows of a table `t`; as all below, a list that follows others."""
    parts = []
    for index, summary in enumerate(summaries):
        value, passing = "*", ""
        if summary.column is not None:
            value = inline(finite(sa.literal_column(f"t.{quoted(summary.column)}")))
        if summary.filter is not None:
            passing = f" FILTER (WHERE {summary.condition(table)})"
        names = summary_columns(index, summary)
        parts += [
            f", {function.format(value)}{passing} AS {name}"
            for name, function in zip(names, _COMPUTED, strict=False)
        ]
    return "".join(parts)


def kept(summaries: Sequence[Summary], prefix: str = "") -> str:
    """The columns of summaries for a select list, each after a comma."""
    return "".join(f", {prefix}{name}" for name in _names(summaries))


def merged(summaries: Sequence[Summary], over: str = "") -> str:
    """Summaries of cells that become one."""
    return "".join(
        f", {merging.format(name, over)} AS {name}"
        for index, summary in enumerate(summaries)
        for name, merging in zip(summary_columns(index, summary), _MERGED, strict=False)
    )


def _names(summaries: Sequence[Summary]) -> list[str]:
    return [name for index, summary in enumerate(summaries) for name in summary_columns(index, summary)]
