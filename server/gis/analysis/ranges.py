"""Makes PostgreSQL compute the rows of a long step in several processes where it would use only one.

It leaves a statement with a correlated subquery, such as a search for the nearest feature, to one process, and unites
the shapes of a group in one. So the statement becomes a function of a range of addresses of its source, and the ranges
become a table, of which parallel workers take one page after another. All of it exists only within the transaction of
the step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, literal_column, text
from sqlalchemy.ext.asyncio import AsyncConnection

from server.database.quoting import quoted, quoted_text
from server.gis.analysis import storage
from server.gis.analysis.storage import SCHEMA, in_range, range_edges
from server.gis.expressions.literal_sql import literal_sql
from server.gis.operations.support.base import Prepared, Tid

FILLER_CHARS = 7_000
"""Length of the filler with which a row of the table of ranges fills a page."""


def begin(name: str, select: Select[Any], address: ColumnElement[Any], pages: Sequence[int]) -> Iterator[str]:
    """Create what `rows` reads; the portions of the source, whose rows have this address, begin on these pages."""
    ranges, row, function = _names(name)
    low, high = (literal_column(parameter, Tid()) for parameter in ("$1", "$2"))
    portion = select.where(in_range(address, low, high))
    yield f"CREATE TABLE {row} AS {literal_sql(select.limit(0))}"
    # STRICT, so that PostgreSQL does not inline the function, which would make it a correlated subquery again.
    yield (
        f"CREATE FUNCTION {function}(tid, tid) RETURNS SETOF {row} LANGUAGE sql STABLE STRICT PARALLEL SAFE"
        f" AS {quoted_text(literal_sql(portion))}"
    )
    yield f"CREATE TABLE {ranges} (low tid, high tid, filler text)"
    yield f"ALTER TABLE {ranges} ALTER filler SET STORAGE PLAIN"
    values = ", ".join(
        f"('{low}', '{high}', repeat('x', {FILLER_CHARS}))" for low, high in range_edges(pages)
    )
    yield f"INSERT INTO {ranges} VALUES {values}"  # noqa: S608
    yield f"ANALYZE {ranges}"
    # For so few rows PostgreSQL would not start workers.
    yield "SET LOCAL parallel_setup_cost = 0"
    yield "SET LOCAL min_parallel_table_scan_size = 0"


def rows(name: str) -> str:
    """The SELECT of all rows of the step."""
    ranges, _, function = _names(name)
    # OFFSET 0: else PostgreSQL would call the function once for each column.
    each = f"SELECT {function}(low, high) AS each FROM {ranges} OFFSET 0"  # noqa: S608 - names that we made
    return f"SELECT (portion.each).* FROM ({each}) AS portion"  # noqa: S608


def end(name: str) -> Iterator[str]:
    """Drop it all."""
    ranges, row, function = _names(name)
    yield f"DROP FUNCTION {function}"
    yield f"DROP TABLE {ranges}, {row}"
    yield "SET LOCAL parallel_setup_cost TO DEFAULT"


async def prepare(connection: AsyncConnection, prepared: Prepared) -> None:
    """Create a table for the time of the step, in ranges of the one that it is divided by where that is large."""
    pages = await storage.prepared_ranges(connection, prepared.divided)
    if prepared.divided is None or not pages:
        await storage.execute(connection, storage.prepare(prepared))
        return
    name = prepared.name
    scan_size = await connection.scalar(text("SELECT current_setting('min_parallel_table_scan_size')"))
    await storage.execute(connection, begin(name, prepared.select, prepared.divided.address, pages))
    await storage.execute(connection, storage.prepare(prepared, rows=rows(name)))
    await storage.execute(connection, end(name))
    restored = text("SELECT set_config('min_parallel_table_scan_size', :size, true)")
    await connection.execute(restored, {"size": scan_size})


def _names(name: str) -> list[str]:
    """Names of the table of ranges, of the table whose rows the function returns, and of the function."""
    return [quoted(SCHEMA, f"{kind}_{name[-52:]}") for kind in ("ranges", "row", "portion")]
