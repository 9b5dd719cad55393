"""Names to tables while an analysis runs: registry tables, and the results of earlier steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Table
from agents.ports import TableRegistry
from server.gis.operations.base import Source
from server.gis.statements import relation


class StepWorkspace:
    """The workspace of one step; remembers which tables it read and which temporary tables it named."""

    def __init__(
        self, registry: TableRegistry, results: Mapping[str, Table], connection: AsyncConnection, step: str
    ) -> None:
        self._registry = registry
        self._results = results
        self._connection = connection
        self._step = step
        self._temporaries = 0
        self._read: list[Table] = []

    @property
    def tables_read(self) -> list[Table]:
        """Each table once, in the order of first use."""
        return list({table.id: table for table in self._read}.values())

    @property
    def names_read(self) -> list[str]:
        return [table.id for table in self.tables_read]

    def source(self, name: str) -> Source:
        table = self._results.get(name) or self._registry.get(name)
        self._read.append(table)
        alias = f"s{len(self._read)}"
        return Source(table, relation(table).alias(alias), alias)

    def temporary(self, stem: str) -> str:
        self._temporaries += 1
        return f"{stem}_{self._step}_{self._temporaries}"

    async def row(self, select: Select[*tuple[Any, ...]]) -> Sequence[Any]:
        return tuple((await self._connection.execute(select)).one())
