"""What the enums of the tools need of one version of the registry, worked out once for all model calls that see it."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Table

MOST_CHOICES = 200
"""Tables. A longer enum is narrowed to what is relevant."""


class Catalogue:
    """What the enums need of one version of the registry."""

    def __init__(self, version: int, tables: Sequence[Table]) -> None:
        self.version = version
        self.by_id = {table.id: table for table in tables}
        # Tuples, because the same tuple is known to be unchanged without looking into it.
        self.table_ids: Sequence[str] = tuple(self.by_id)
