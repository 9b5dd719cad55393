"""What the comment of an analysis result says about its rows: the runner writes it, the offline model reads it."""

from __future__ import annotations

from agents.domain import Table

_ROWS_OF = " Rows of "


def origin(title: str, operation: str, read: str, rows: str) -> str:
    """The comment of a result: its title, the operation with the tables that it read, and whose `rows` it has."""
    made = f"{title}: {operation} of {read}."
    return f"{made}{_ROWS_OF}{rows}." if rows else made


def rows_of(table: Table) -> str:
    """The table of which these are rows, each at most once and with its shape; empty for other results."""
    _, known, rows = (table.comment or "").rpartition(_ROWS_OF)
    if not table.is_result:
        return table.id
    return rows.removesuffix(".") if known else ""
