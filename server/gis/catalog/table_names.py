"""Finds tables by id or by an unambiguous bare name, and raises helpful errors for unknown names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from agents.core.nearest import nearest
from agents.domain import Table
from server.gis.errors import UnknownTable, listed
from server.gis.expressions.identifiers import split_id


def is_shared(table: Table) -> bool:
    """Whether every map may read it; results and uploads are a map's own."""
    return not (table.is_result or table.is_private)


class TableNames:
    """The names of a fixed set of tables."""

    def __init__(self, tables: Iterable[Table] = ()) -> None:
        self.tables: Sequence[Table] = tuple(sorted(tables, key=lambda table: table.id))
        self.by_id = {table.id: table for table in self.tables}

    def extended(self, more: Iterable[Table]) -> TableNames:
        """These and more tables; the same object where there are no more."""
        added = tuple(more)
        return TableNames((*self.tables, *added)) if added else self

    def get(self, table_id: str) -> Table:
        """The table with this id, or with this bare name if only one has it. Raises UnknownTable with the
        nearest ids.
        """
        found = self.by_id.get(table_id)
        if found is not None:
            return found
        parts = split_id(table_id)
        candidates = self._by_name.get(parts[-1].lower(), []) if parts else []
        if len(parts) > 1:
            candidates = [each for each in candidates if split_id(each)[0].lower() == parts[0].lower()]
        exact = [each for each in candidates if split_id(each)[-1] == parts[-1]]
        for choice in (exact, candidates):
            if len(choice) == 1:
                return self.by_id[choice[0]]
        raise self._unknown(table_id, exact or candidates)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = defaultdict(list)
        for table in self.tables:
            names[table.name.lower()].append(table.id)
        return dict(names)

    def _unknown(self, table_id: str, candidates: Sequence[str]) -> UnknownTable:
        if len(candidates) > 1:
            return UnknownTable(
                f"{table_id!r} is the name of several tables: {listed(candidates)}. Use one of these."
            )
        close = nearest(table_id, self.by_id, limit=5)
        if close:
            return UnknownTable(f"There is no table {table_id!r}. The nearest are: {listed(close)}.")
        known = list(self.by_id)
        return UnknownTable(
            f"There is no table {table_id!r}. "
            + (f"There are: {listed(known, 20)}." if known else "There are none.")
        )
