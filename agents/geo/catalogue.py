"""Values for the enums of tools, computed once per version of the registry."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Table

MAX_TABLE_CHOICES = 200
"""A longer enum of tables is narrowed to the relevant ones."""


class Catalogue:
    """The enum values for one version of the registry."""

    def __init__(self, version: int, tables: Sequence[Table]) -> None:
        self.version = version
        self.by_id = {table.id: table for table in tables}
        # Tuples, because the same tuple is known to be unchanged without looking into it.
        self.table_ids: Sequence[str] = tuple(self.by_id)
        self.result_ids: Sequence[str] = tuple(table.id for table in tables if table.is_result)
