"""`PostgisSql`: one SELECT of a model, checked, run and bounded. Implements `agents.ports.SqlRunner`."""

from __future__ import annotations

import asyncio
import time

from agents.domain import SqlAnswer
from agents.ports import TableRegistry
from server.gis.sql.session import Connect, Limits, run
from server.gis.sql.statement import checked

AT_ONCE = 2
"""Statements that this server runs at the same time; the others wait for their turn."""


class PostgisSql:
    def __init__(self, connect: Connect, registry: TableRegistry, limits: Limits | None = None) -> None:
        self._connect = connect
        self._registry = registry
        self._limits = limits or Limits()
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def run(self, statement: str) -> SqlAnswer:
        ready = checked(statement, self._registry)
        async with self._turn:
            began = time.perf_counter()
            found = await run(self._connect, ready.sql, self._limits)
            took = (time.perf_counter() - began) * 1000
        return SqlAnswer(
            sql=ready.sql,
            tables=tuple(table.id for table in ready.tables),
            columns=found.columns,
            rows=found.rows,
            truncated=found.truncated,
            ms=round(took, 1),
        )
