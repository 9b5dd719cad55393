"""Tiles of a sample of a table: until it has overviews, and where their cells are too coarse."""

from __future__ import annotations

from agents.domain import BINNED
from server.gis.profiles.versions import TableState
from server.gis.tiles.bins.writer import SampleBinWriter
from server.gis.tiles.columns import needed_columns
from server.gis.tiles.statement import LayerStatements, StatementWriter, TileStatement

SAMPLE_PERCENT = 1.0
"""Share of the table's pages that a sample reads."""
SAMPLE_FEATURES = 20_000


class SampleStatements(LayerStatements):
    """Statements of a layer whose table has no overviews yet, or too coarse ones."""

    is_estimate = True

    def __init__(self, base: LayerStatements, state: TableState, is_passing: bool) -> None:
        super().__init__(base.table, base.layer, base.crs, base.caps, wide=base.is_wide)
        self.is_passing = is_passing
        share = min(1.0, SAMPLE_FEATURES / max(1.0, state.rows * SAMPLE_PERCENT / 100))
        self._parts = max(1, round(1 / share))

    def at(self, zoom: int, mapped: bool = False) -> TileStatement:
        if self.layer.style.kind in BINNED:
            bins = SampleBinWriter(
                self.table, self.layer, self.crs, self.is_wide, SAMPLE_PERCENT, self._parts
            )
            return bins.statement(self.cap, simple=False, ranked=False)
        columns = needed_columns(self.table, self.layer)
        writer = _SampleWriter(self.table, self.layer, columns, self.crs, self.is_wide)
        writer.parts = self._parts
        return writer.statement(self.cap, simple=self._shapes, ranked=False)


class _SampleWriter(StatementWriter):
    """Some pages of the table, and of their rows every n-th by a hash, where there are too many."""

    parts = 1

    def _source(self) -> str:
        return f"{self._relation()} TABLESAMPLE SYSTEM ({SAMPLE_PERCENT}) REPEATABLE (1)"

    def _found(self) -> str:
        thinned = f"(hashtext({self._relation()}.ctid::text) & 2147483647) % {self.parts} = 0"
        return f"{thinned} AND {super()._found()}"

    def _total(self, cap: int) -> str:
        return f"(count({self._g}) * {self.parts * 100 / SAMPLE_PERCENT})::bigint"

    def _remarks(self) -> str:
        return ", true AS sample, true AS passing"
