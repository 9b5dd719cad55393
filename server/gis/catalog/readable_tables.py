"""The registry as one map sees it: all shared tables, and of analysis results and uploads only the map's own.

Implements `agents.ports.TableRegistry` for one turn or request. Tables that an analysis creates meanwhile are
shown, and hidden again if they were only an intermediate step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.domain import Table
from server.gis.catalog.registry import FoundTables, Registry
from server.gis.catalog.table_names import TableNames, is_shared


class ReadableTables:
    """Filters the registry's tables; `results` are the ids of the map's own."""

    def __init__(self, registry: Registry, results: Iterable[str] = ()) -> None:
        """`results` are the ids of the map's own tables; without them it is what every map sees."""
        self._registry = registry
        self._results = set(results)
        self._changes = 0
        self._names: tuple[int, TableNames] = (-1, TableNames())

    @property
    def version(self) -> int:
        """Increases when the registry changes and when a table is shown or hidden."""
        return self._registry.version + self._changes

    def tables(self) -> Sequence[Table]:
        """All tables that may be read: shared ones and results of the map."""
        return self._now().tables

    def shared(self) -> Sequence[Table]:
        """The tables that every map may read."""
        return self._registry.shared()

    def own(self) -> Sequence[Table]:
        """The results of analyses of the map that still exist, by id."""
        found = map(self._registry.find, self._results)
        mine = (table for table in found if table is not None and not is_shared(table))
        return sorted(mine, key=lambda table: table.id)

    def get(self, table_id: str) -> Table:
        """The table of this id. Raises UnknownTable, which names similar ones."""
        return self._now().get(table_id)

    async def search(self, text: str, limit: int = 20) -> Sequence[Table]:
        """Up to `limit` tables about the text, best first."""
        return await self._registry.search(text, limit, self._results)

    async def search_page(self, text: str, offset: int, limit: int) -> FoundTables:
        """As `search`, but from the `offset`th match on, and with the number of all."""
        return await self._registry.search_page(text, offset, limit, self._results)

    def show(self, table_id: str) -> None:
        """Make a result readable."""
        if table_id not in self._results:
            self._results.add(table_id)
            self._changes += 1

    def hide(self, table_id: str) -> None:
        """Make a result unreadable."""
        if table_id in self._results:
            self._results.remove(table_id)
            self._changes += 1

    def _now(self) -> TableNames:
        if self._names[0] != self.version:
            self._names = (self.version, self._registry.shared_names.changed(self.own()))
        return self._names[1]
