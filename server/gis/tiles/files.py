"""Tiles of lake tables close up: PostGIS draws rows that were read from the Parquet files a moment before.

The rows are parameters of the statement, one array for each column. They pass the layer's filter in PostGIS, so that it
means the same as over the sample. Farther away, and where a tile holds too many rows, the sample is drawn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from agents.domain import BINNED, Column, Table
from server.database.quoting import quoted
from server.gis.lake.detail import LakeDetail
from server.gis.reading.copy_rows import as_texts
from server.gis.styles.kinds.binned import cell_pixels
from server.gis.tiles.bins.writer import BinWriter
from server.gis.tiles.grid import PIXELS, Box, Tile
from server.gis.tiles.statement import LayerStatements, StatementWriter, TileStatement

FILES_FROM = 6
"""Zoom levels from which on the rows of tiles are read from the files."""
HEXAGON_REACH = 1.5
"""Cells beyond a tile's edge whose rows it counts."""
_NAME = "rows of files"
ROWS = quoted(_NAME)


async def file_statements(
    detail: LakeDetail, base: LayerStatements, tile: Tile, box: Box
) -> LayerStatements | None:
    """What draws the rows of the files in a tile, whose box in the table's reference system is `box`; None where
    the sample is drawn."""
    style, lake = base.layer.style, base.table.lake
    if lake is None or not lake.is_sampled or tile.z < FILES_FROM:
        return None
    if style.kind == "heatmap":
        return None  # Next to it, tiles of the sample would look much cooler.
    if style.kind in BINNED:
        box = _wider(box, HEXAGON_REACH * cell_pixels(style) / PIXELS)
    found = await detail.within(base.table, box)
    if found.table is not None:
        return FileStatements(base, found.table)
    return None if found.is_final else _SampleForNow(base)


class FileStatements(LayerStatements):
    """The statements of one tile, with its rows."""

    def __init__(self, base: LayerStatements, rows: pa.Table) -> None:
        super().__init__(_as_in_files(base.table), base.layer, base.crs, base.caps, wide=base.is_wide)
        self._arrays = tuple(
            _values(rows.column(each.name), is_geometry=each.kind == "geometry")
            for each in self.table.columns
        )

    def at(self, zoom: int, mapped: bool = False) -> TileStatement:
        if self.layer.style.kind in BINNED:
            bins = _FileBinWriter(self.table, self.layer, self.crs, self.is_wide)
            made = bins.statement(self.cap, simple=False, ranked=False)
        else:
            writer = _FromRows(self.table, self.layer, self.table.columns, self.crs, self.is_wide)
            made = writer.statement(self.cap, simple=False, ranked=self._shapes)
        return replace(made, rows=self._arrays)


class _SampleForNow(LayerStatements):
    """The sample, where the files could not be read in time: another request may have more."""

    is_passing = True
    again_s = 10

    def __init__(self, base: LayerStatements) -> None:
        super().__init__(base.table, base.layer, base.crs, base.caps, wide=base.is_wide)
        self._base = base

    def at(self, zoom: int, mapped: bool = False) -> TileStatement:
        return self._base.at(zoom)


class _FromRows(StatementWriter):
    """Reads rows that are parameters, after all others of a statement."""

    def _relation(self) -> str:
        return ROWS

    def _source(self) -> str:
        first = len(self._values) + 9
        columns = self._table.columns
        arrays = ", ".join(
            f"${first + number}::{'bytea' if each.kind == 'geometry' else 'text'}[]"
            for number, each in enumerate(columns)
        )
        values = ", ".join(
            f"{self._typed(each, f'c{number}')} AS {quoted(each.name)}" for number, each in enumerate(columns)
        )
        names = ", ".join(f"c{number}" for number in range(len(columns)))
        return f"(SELECT {values} FROM unnest({arrays}) AS r({names}) OFFSET 0) AS {ROWS}"  # noqa: S608 - quoted

    def _typed(self, column: Column, value: str) -> str:
        if column.kind != "geometry":
            return f"{value}::{column.sql_type}"
        shape = f"ST_SetSRID(ST_Force2D(ST_GeomFromWKB({value})), {int(self._table.srid)})"
        is_multi = (self._table.geometry_type or "").upper().startswith("MULTI")
        return f"ST_Multi({shape})" if is_multi else shape


class _FileBinWriter(_FromRows, BinWriter):
    """Counts them in cells."""


def _as_in_files(table: Table) -> Table:
    """The table without our key, and under a name without a schema."""
    columns = tuple(column for column in table.columns if column.name not in table.key)
    return table.model_copy(
        update={"schema_name": "", "name": _NAME, "columns": columns, "key": (), "lake": None}
    )


def _values(column: pa.ChunkedArray, *, is_geometry: bool) -> list[Any]:
    found: list[Any] = (column if is_geometry else as_texts(column)).to_pylist()
    return found


def _wider(box: Box, share: float) -> Box:
    margin = (box[2] - box[0]) * share
    return box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin
