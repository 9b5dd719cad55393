"""Charts with a bar for each row of a few: `bar chart of them by population`."""

from __future__ import annotations

from agents.domain import Column, Cql2, Table
from agents.offline.meaning.columns import holds_years, is_number, name_column, tells_apart
from agents.offline.meaning.filters.resolver import combined
from agents.offline.meaning.scene import Scene

MAX_BARS_OF_ROWS = 30
"""Rows of which each has a bar of its own: `bar chart of them by population`."""
_MANY_NUMBERS = 50
"""A span of whole numbers that are no classes, such as lanes or priorities."""


async def names_of_few(scene: Scene, table: Table, shown: Cql2 | None, where: Cql2 | None) -> list[Column]:
    """The column that names the rows, if these are few enough for a bar of each."""
    named = name_column(table)
    rows = combined("and", shown, where) if where is not None else shown
    is_named = named is not None and tells_apart(table)
    few = is_named and await scene.data.count(table.id, rows) <= MAX_BARS_OF_ROWS
    return [named] if named is not None and few else []


def is_measure(column: Column) -> bool:
    """Whether its numbers are seldom the same in two rows."""
    low, high = column.minimum, column.maximum
    spans = isinstance(low, int | float) and isinstance(high, int | float) and high - low > _MANY_NUMBERS
    return is_number(column) and not holds_years(column) and (column.kind == "number" or spans)
