"""Asks many small tables in one statement: compiling and sending one for each of 10,000 tables takes a minute.

The statements are text with parameters; identifiers are quoted names of the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import sqlalchemy as sa
import structlog

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.errors import DataBusy, DataUnavailable, GisError, TooExpensive
from server.gis.expressions.identifiers import sql_name
from server.gis.statements.guard import Guard, Query, Record

log = structlog.get_logger(__name__)

MAX_ROWS_TOGETHER = 20_000
"""Limit for a table that is queried in one statement with others."""
TOGETHER_TIMEOUT_S = 1.0
"""Time limit for one statement about several small tables, which takes some 20 ms; after this, one of them is
locked or slow."""
TABLES_PER_STATEMENT = 100
ROWS_PER_STATEMENT = 300_000

T = TypeVar("T")


def is_asked_together(table: Table) -> bool:
    """Whether a table is small, and its rows are in this database: those of views may take any time to compute."""
    return table.kind == "table" and table.row_estimate <= MAX_ROWS_TOGETHER


def batches(asked: Sequence[T], table_of: Callable[[T], Table]) -> list[list[T]]:
    """What is asked of tables in its order, by statement; tables that are not asked together have their own."""
    found: list[list[T]] = []
    rows, is_open = 0, False
    for each in asked:
        table = table_of(each)
        together = is_asked_together(table)
        rows += table.row_estimate
        if together and is_open and rows <= ROWS_PER_STATEMENT and len(found[-1]) < TABLES_PER_STATEMENT:
            found[-1].append(each)
        else:
            found.append([each])
            rows = table.row_estimate
        is_open = together
    return found


async def rows_of_all(
    guard: Guard,
    numbers: Sequence[int],
    select: Callable[[int], str],
    values: Mapping[str, Any],
    subject: str,
    seconds: float,
    whole: Callable[[str], str] = str,
) -> list[Record]:
    """The rows of all selects, or of the `whole` statement around their union, in one statement; if it fails, in
    halves, so that only a table that cannot be read is left out. Raises DataUnavailable, DataBusy or TooExpensive."""
    union = " UNION ALL ".join(select(number) for number in numbers)
    statement = sa.text(whole(union)).bindparams(**values)
    try:
        as_query = cast("Query", statement)  # executed and explained unchanged
        # The cost is checked for a table that is asked alone, as in all questions; tables asked together are small.
        alone = len(numbers) == 1
        return list(await guard.rows(as_query, subject, seconds=seconds, gate=alone))
    except (DataUnavailable, DataBusy, TooExpensive):
        raise
    except GisError as error:
        if len(numbers) == 1:
            log.info("a table was left out of a question to many", subject=subject, reason=error.message)
            return []
    half = len(numbers) // 2
    return [
        row
        for part in (numbers[:half], numbers[half:])
        for row in await rows_of_all(guard, part, select, values, subject, seconds, whole)
    ]


def column_text(name: str) -> str:
    """Quoted, and without anything that text of SQLAlchemy takes for a parameter."""
    return quoted(name).replace(":", "\\:")


def relation_text(table: Table) -> str:
    """The quoted name of the table for FROM, with colons escaped for SQLAlchemy."""
    return sql_name(table).replace(":", "\\:")
