"""The tables that the registry knows, by their oids and by their names, changed a few at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from agents.domain import Table
from server.gis.catalog.entries import Entry
from server.gis.catalog.search import words_of
from server.gis.catalog.table_names import TableNames, is_shared


@dataclass
class Changes:
    """How the known tables changed."""

    tables: list[Table] = field(default_factory=list)
    """Changed tables as they were and as they are."""
    searched: set[str] = field(default_factory=set)
    """Ids of the tables whose searched texts changed."""


class KnownTables:
    """All tables of the registry. With 10,000 of them, a change of one takes a millisecond."""

    def __init__(self) -> None:
        self.entries: dict[int, Entry] = {}
        self.oids: dict[str, int] = {}
        """By table id."""
        self.own_ids: set[str] = set()
        """Ids of those that not every map may read."""
        self.names = TableNames()
        self.shared_names = TableNames()
        """Names of tables that every map may read; the same object until one of them changes."""

    def change(self, found: Iterable[Entry], removed: Iterable[int]) -> Changes:
        """Add or replace entries, and remove others."""
        changes = Changes()
        gone: set[str] = set()
        put: dict[str, Table] = {}
        for oid in removed:
            if (entry := self.entries.pop(oid, None)) is not None:
                gone |= self._released(entry)
                changes.tables.append(entry.table)
                changes.searched.add(entry.table.id)
        for entry in found:
            before = self.entries.get(entry.oid)
            if before is not None and before.table.id != entry.table.id:
                gone |= self._released(before)
            self.entries[entry.oid] = entry
            self.oids[entry.table.id] = entry.oid
            put[entry.table.id] = entry.table
            if before is None or before.table != entry.table:
                both = [entry.table] if before is None else [entry.table, before.table]
                changes.tables += both
                if before is None or words_of(before.table) != words_of(entry.table):
                    changes.searched |= {table.id for table in both}
        if changes.tables:
            self.names = self.names.changed(put.values(), gone)
            self.own_ids -= gone | put.keys()
            self.own_ids |= {table.id for table in put.values() if not is_shared(table)}
        if any(map(is_shared, changes.tables)):
            shared = [table for table in put.values() if is_shared(table)]
            self.shared_names = self.shared_names.changed(
                shared, gone | (put.keys() - {t.id for t in shared})
            )
        return changes

    def _released(self, entry: Entry) -> set[str]:
        """The id of a table, where no other table has it by now."""
        if self.oids.get(entry.table.id) != entry.oid:
            return set()
        del self.oids[entry.table.id]
        return {entry.table.id}
