"""Checks, runs and limits one SELECT of a model. Implements `agents.ports.SqlRunner`."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Sequence
from typing import Any

from agents.core.observe import receipts
from agents.domain import QueryReceipt, SqlAnswer
from agents.ports import TableRegistry
from server.gis.sql.session import Connect, Limits, run
from server.gis.sql.statement import check_statement
from server.gis.statements.recorded_queries import short_texts, written_numbers

MAX_RECEIPT_ROWS = 500
"""Rows whose numbers an answer may cite."""
MAX_CONCURRENT = 2
"""Statements that this server runs at the same time; further ones wait."""


class PostgisSql:
    """One instance per server, because its limit on concurrent statements is the server's; `reading` gives one
    per turn."""

    def __init__(self, connect: Connect, registry: TableRegistry, limits: Limits | None = None) -> None:
        self._connect = connect
        self._registry = registry
        self._limits = limits or Limits()
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)

    def reading(self, registry: TableRegistry) -> PostgisSql:
        """A copy that reads other tables under the same limit."""
        other = copy.copy(self)
        other._registry = registry
        return other

    async def run(self, statement: str) -> SqlAnswer:
        """Check the model's statement, run it read-only and record it. Raises InvalidSql."""
        ready = check_statement(statement, self._registry)
        async with self._slots:
            began = time.perf_counter()
            found = await run(self._connect, ready.sql, self._limits)
            took = (time.perf_counter() - began) * 1000
        _note(ready.sql, found.columns, found.rows)
        return SqlAnswer(
            sql=ready.sql,
            tables=tuple(table.id for table in ready.tables),
            columns=found.columns,
            rows=found.rows,
            truncated=found.truncated,
            ms=round(took, 1),
        )


def _note(sql: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Add a receipt with the numbers of the answer: by column for one row, row by row for several."""
    if not receipts.wanted():
        return
    shown = [dict(zip(columns, row, strict=True)) for row in rows[:MAX_RECEIPT_ROWS]]
    named = [written_numbers(row) for row in shown]
    made = QueryReceipt(
        sql=f"{sql.rstrip().rstrip(';')};",
        rows=len(rows),
        values=named[0] if len(named) == 1 else {"rows": len(rows)},
        cells=() if len(named) == 1 else tuple((None, each) for each in named),
        texts=() if len(named) == 1 else tuple(short_texts(row) for row in shown),
    )
    receipts.note(made.model_dump(mode="json"))
