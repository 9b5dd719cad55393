"""`PostgisSql`: one SELECT of a model, checked, run and bounded. Implements `agents.ports.SqlRunner`."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Sequence
from typing import Any

from agents.core.observe import receipts
from agents.domain import QueryReceipt, SqlAnswer
from agents.ports import TableRegistry
from server.gis.query.recorded_queries import numbers, short_texts
from server.gis.sql.session import Connect, Limits, run
from server.gis.sql.statement import checked

MOST_NOTED = 500
"""Rows whose numbers answers may refer to."""
AT_ONCE = 2
"""Statements that this server runs at the same time; the others wait for their turn."""


class PostgisSql:
    """Made once for a server, since its limit on statements counts all of them; `reading` gives one to each turn."""

    def __init__(self, connect: Connect, registry: TableRegistry, limits: Limits | None = None) -> None:
        self._connect = connect
        self._registry = registry
        self._limits = limits or Limits()
        self._turn = asyncio.Semaphore(AT_ONCE)

    def reading(self, registry: TableRegistry) -> PostgisSql:
        """The same, with other tables in reach, under the same limit."""
        other = copy.copy(self)
        other._registry = registry
        return other

    async def run(self, statement: str) -> SqlAnswer:
        ready = checked(statement, self._registry)
        async with self._turn:
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
    """A receipt for the numbers of an answer: of one row by column, of several row by row."""
    if not receipts.wanted():
        return
    shown = [dict(zip(columns, row, strict=True)) for row in rows[:MOST_NOTED]]
    named = [numbers(row) for row in shown]
    made = QueryReceipt(
        sql=f"{sql.rstrip().rstrip(';')};",
        rows=len(rows),
        values=named[0] if len(named) == 1 else {"rows": len(rows)},
        cells=() if len(named) == 1 else tuple((None, each) for each in named),
        texts=() if len(named) == 1 else tuple(short_texts(row) for row in shown),
    )
    receipts.note(made.model_dump(mode="json"))
