"""Tiles of a sample of a table: until it has overviews, and where their cells are too coarse."""

from __future__ import annotations

from agents.domain import BINNED
from server.gis.profiles.versions import TableState
from server.gis.tiles.bins.writer import BinWriter
from server.gis.tiles.columns import needed_columns
from server.gis.tiles.statement import LayerStatements, StatementWriter, TileStatement

SAMPLE_PERCENT, MOST_PERCENT = 1.0, 10.0
"""Share of the pages of a large table that a sample reads; of a smaller one as many as have SAMPLE_FEATURES, up to the
second."""
SAMPLE_FEATURES = 20_000
SAMPLE_SHAPES = 10_000
"""Lines or areas in a sample, half as many as points: projecting and encoding one takes twice as long."""
MIN_SAMPLED = 100_000
"""Rows of a table of which samples are drawn: smaller ones are read whole within a second."""


def sample_percent(rows: int) -> float:
    """Share of the pages that a sample of so many rows reads."""
    return round(min(MOST_PERCENT, max(SAMPLE_PERCENT, 100 * SAMPLE_FEATURES / max(1, rows))), 1)


class SampleStatements(LayerStatements):
    """Statements of a layer whose table has no overviews yet, or too coarse ones."""

    is_estimate = True

    def __init__(
        self, base: LayerStatements, state: TableState, is_passing: bool, view: str | None = None
    ) -> None:
        """`view` selects such a sample of a view (`overviews.views.sampled_view`)."""
        table = base.table if view is None else base.table.model_copy(update={"schema_name": ""})
        super().__init__(table, base.layer, base.crs, base.caps, wide=base.is_wide)
        self.is_passing = is_passing
        self._view = view
        self._percent = sample_percent(state.rows)
        most = SAMPLE_FEATURES if table.geometry_family == "point" else SAMPLE_SHAPES
        share = min(1.0, most / max(1.0, state.rows * self._percent / 100))
        self._parts = max(1, round(1 / share))

    def at(self, zoom: int, mapped: bool = False) -> TileStatement:
        if self.layer.style.kind in BINNED:
            bins = _SampleBinWriter(self.table, self.layer, self.crs, self.is_wide)
            bins.percent, bins.parts, bins.view = self._percent, self._parts, self._view
            return bins.statement(self.cap, simple=False, ranked=False)
        columns = needed_columns(self.table, self.layer)
        writer = _SampleWriter(self.table, self.layer, columns, self.crs, self.is_wide)
        writer.percent, writer.parts, writer.view = self._percent, self._parts, self._view
        return writer.statement(self.cap, simple=self._shapes, ranked=False)


class _Sampling(StatementWriter):
    """Reads some pages of the table, or what `view` selects, and of their rows every n-th by a hash, where there are
    too many."""

    percent, parts = 100.0, 1
    view: str | None = None

    def _source(self) -> str:
        relation = self._relation()
        if self.view is not None:
            return f"({self.view}) AS {relation}"
        return f"{relation} TABLESAMPLE SYSTEM ({self.percent}) REPEATABLE (1)"

    def _found(self) -> str:
        number = f"hashtext({self._relation()}.ctid::text)" if self.view is None else self._even_order()[0]
        return f"({number} & 2147483647) % {self.parts} = 0 AND {super()._found()}"

    def _remarks(self) -> str:
        return ", true AS sample, true AS passing"


class _SampleWriter(_Sampling):
    def _total(self, cap: int) -> str:
        return f"(count({self._g}) * {self.parts * 100 / self.percent})::bigint"


class _SampleBinWriter(_Sampling, BinWriter):
    """Counts the rows that it reads, and multiplies."""

    def _weight(self) -> str:
        return f"{self.parts * 100 / self.percent!r}::float8"
