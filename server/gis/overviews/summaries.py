"""Summaries of columns in cells and bands, as SQL: the number, the sum, the least and the greatest of the values that
the rows of a cell have. Statistics of many cells are computed from them, exactly."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from server.database.quoting import quoted
from server.gis.styles.attributes import finite
from server.gis.tiles.sql_text import inline

SUMMARY_BYTES = 32
"""What the summary of a column adds to each representative."""
_COMPUTED = ("count", "sum", "min", "max")
_MERGED = ("sum({}){}::bigint", "sum({}){}", "min({}){}", "max({}){}")


def summary_columns(index: int) -> tuple[str, str, str, str]:
    """Of the number, sum, minimum and maximum of a column. Numbered, because names may be too long to be added to."""
    return f'"@n{index}"', f'"@sum{index}"', f'"@min{index}"', f'"@max{index}"'


def computed(summed: Sequence[str]) -> str:
    """Summaries of the rows of a table `t`; as all below, a list that follows others."""
    return "".join(
        f", {function}({inline(finite(sa.literal_column(f't.{quoted(column)}')))}) AS {name}"
        for index, column in enumerate(summed)
        for name, function in zip(summary_columns(index), _COMPUTED, strict=True)
    )


def kept(summed: Sequence[str], prefix: str = "") -> str:
    return "".join(f", {prefix}{name}" for index in range(len(summed)) for name in summary_columns(index))


def merged(summed: Sequence[str], over: str = "") -> str:
    """Summaries of cells that become one."""
    return "".join(
        f", {merging.format(name, over)} AS {name}"
        for index in range(len(summed))
        for name, merging in zip(summary_columns(index), _MERGED, strict=True)
    )
