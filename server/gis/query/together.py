"""Asks many small tables in one statement: compiling and sending one for each of 10,000 tables takes a minute.

The statements are text with parameters; identifiers are quoted names of the registry."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
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


async def rows_of_tables(
    guard: Guard,
    tables: Sequence[Table],
    select: Callable[[int], str],
    values: Mapping[str, Any],
    subject: str,
    *,
    alone_s: float = TOGETHER_TIMEOUT_S,
    deadline: float = math.inf,
) -> list[Record]:
    """The rows of a select for each of `tables`, which may occur several times, by its number. Small tables are asked
    together, others for at most `alone_s` each, until `deadline`, a time of the event loop. Tables that cannot be read
    in time are left out. Raises DataUnavailable."""
    loop, found = asyncio.get_running_loop(), list[Record]()
    pending = deque(batches(range(len(tables)), tables.__getitem__))
    while pending and loop.time() < deadline:
        batch = pending.popleft()
        seconds = TOGETHER_TIMEOUT_S if is_asked_together(tables[batch[0]]) else alone_s
        try:
            found += await rows_of_all(guard, batch, select, values, subject, seconds)
        except DataUnavailable:
            raise
        except GisError as error:
            by_table = [list(numbers) for _, numbers in groupby(batch, lambda number: tables[number].id)]
            if len(by_table) > 1:
                pending.extend(by_table)  # one of them may be locked or slow
            else:
                left_out = tables[batch[0]].id
                log.info("a table was left out", subject=subject, table=left_out, reason=error.message)
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
