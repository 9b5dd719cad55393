"""Charts with one bar per row, for a few rows: `bar chart of them by population`."""

from __future__ import annotations

from agents.domain import Column, Cql2, Table
from agents.offline.meaning.columns import holds_years, is_number
from agents.offline.meaning.filters.resolver import combined
from agents.offline.meaning.row_names import has_row_names, name_column
from agents.offline.meaning.scene import Scene

MAX_BARS_OF_ROWS = 30
"""Maximum number of rows with a bar each."""
_MANY_NUMBERS = 50
"""Integers with a wider range are not classes such as lanes or priorities."""


async def names_of_few(scene: Scene, table: Table, shown: Cql2 | None, where: Cql2 | None) -> list[Column]:
    """The column with the rows' names, if they are few enough for a bar each; else empty."""
    named = name_column(table)
    rows = combined("and", shown, where) if where is not None else shown
    is_named = named is not None and has_row_names(table)
    few = is_named and await scene.data.count(table.id, rows) <= MAX_BARS_OF_ROWS
    return [named] if named is not None and few else []


def is_measure(column: Column) -> bool:
    """Whether the values of a column seldom repeat."""
    low, high = column.minimum, column.maximum
    spans = isinstance(low, int | float) and isinstance(high, int | float) and high - low > _MANY_NUMBERS
    return is_number(column) and not holds_years(column) and (column.kind == "number" or spans)
