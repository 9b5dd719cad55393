"""The registry as one map sees it: every shared table, and of the results of analyses and the uploads only its own.

Implements `agents.ports.TableRegistry`. Made for one turn or one request; what an analysis makes meanwhile is
shown to its map as it comes, and hidden again where it was only a step on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.domain import Table
from server.gis.catalog.registry import Registry
from server.gis.catalog.table_names import TableNames


class ReadableTables:
    def __init__(self, registry: Registry, results: Iterable[str] = ()) -> None:
        """`results` are the ids of the map's own tables; without them it is what every map sees."""
        self._registry = registry
        self._results = set(results)
        self._changes = 0
        self._names: tuple[int, TableNames] = (-1, TableNames())

    @property
    def version(self) -> int:
        """Grows when the registry changes, and when a result is shown or hidden."""
        return self._registry.version + self._changes

    def tables(self) -> Sequence[Table]:
        return self._now().tables

    def get(self, table_id: str) -> Table:
        return self._now().get(table_id)

    async def search(self, text: str, limit: int = 20) -> Sequence[Table]:
        return await self._registry.search(text, limit, self._may_read)

    def show(self, table_id: str) -> None:
        if table_id not in self._results:
            self._results.add(table_id)
            self._changes += 1

    def hide(self, table_id: str) -> None:
        if table_id in self._results:
            self._results.remove(table_id)
            self._changes += 1

    def _may_read(self, table: Table) -> bool:
        return not (table.is_result or table.is_private) or table.id in self._results

    def _now(self) -> TableNames:
        if self._names[0] != self.version:
            self._names = (self.version, TableNames(filter(self._may_read, self._registry.tables())))
        return self._names[1]
