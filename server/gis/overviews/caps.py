"""How many features a tile draws at most; overviews are for tables whose tiles would hold more."""

from __future__ import annotations

from dataclasses import dataclass

from agents.domain import Table

CAP_SAMPLED = 200_000
"""Points of a lake table's sample: each says how many rows it represents, which adds up only if all are drawn."""


@dataclass(frozen=True)
class TileCaps:
    """Features that one tile draws of a table: points, or lines and areas."""

    points: int = 50_000
    shapes: int = 20_000

    def of(self, table: Table) -> int:
        """The limit of features in a tile of the table."""
        return self.points if table.geometry_family == "point" else self.shapes

    def of_stored(self, table: Table) -> int:
        """The limit for the rows of the table that are in PostgreSQL."""
        is_sample = table.lake is not None and table.lake.is_sampled and table.geometry_family == "point"
        return CAP_SAMPLED if is_sample else self.of(table)


USUAL_CAPS = TileCaps()
