"""Squares, hexagons and clusters in tiles that are drawn from overviews, and hexagons in tiles next to those."""

from __future__ import annotations

import math

from agents.domain import Cql2, Layer, StyleSpec, Table
from server.database.quoting import quoted
from server.gis.expressions.literal_sql import literal_sql
from server.gis.filters import compile_filter
from server.gis.overviews.bands import placed
from server.gis.overviews.ladder import WEIGHT, DenseBand, Ladder
from server.gis.overviews.placing import Placing, search_boxes
from server.gis.overviews.summaries import needed_summaries, summary_columns
from server.gis.styles.kinds.binned import statistic_of
from server.gis.tiles.bins.writer import HEXAGON_MARGIN, BinWriter
from server.gis.tiles.projection import MERCATOR, Crs
from server.gis.tiles.statement import LayerStatements, TileStatement

BLOCKS = 8
"""Number of squares along a side of a tile, by which rows next to dense tiles are searched."""
ANYWHERE = (-1e12, -1e12, 1e12, 1e12)

CELLS_AND_ROWS = """(
  WITH near AS (
    SELECT x, y FROM generate_series({x} * {blocks} - {margin}, ({x} + 1) * {blocks} - 1 + {margin}) AS x,
      generate_series({y} * {blocks} - {margin}, ({y} + 1) * {blocks} - 1 + {margin}) AS y
    WHERE x >= 0 AND y >= 0 AND x < {world} AND y < {world} AND NOT {is_block_dense}
  )
  {cells_of_dense}
  UNION ALL
  SELECT "@x", "@y", "@n", "@v", "@c" FROM (
    SELECT block_x, block_y, floor({px} * {cells})::int AS "@x", floor({py} * {cells})::int AS "@y", "@n", "@v", "@c"
    FROM (SELECT block.x AS block_x, block.y AS block_y, {g}, {weight} AS "@n", {value} AS "@v", {values} AS "@c"
          FROM ({boxes} OFFSET 0) AS block JOIN {table} ON {g} && block.box WHERE {where} OFFSET 0) AS t{beside}
    WHERE {is_placed} OFFSET 0
  ) AS row WHERE "@x" / {per_block} = block_x AND "@y" / {per_block} = block_y
) AS counted"""
"""The cells of a band that lie in dense tiles, and every other row as a cell."""
IS_DENSE = "({x} * 65536 + {y}) = ANY ('{{{tiles}}}'::int[])"


class OverviewBinWriter(BinWriter):
    """Counts the rows that each stored feature represents, and computes statistics from the summaries of their values;
    from the features' own values, and of those that pass the filter, where overviews have no summaries. A cell of the
    band belongs to the square or hexagon that its middle is in, so squares are exact where they hold whole cells."""

    def __init__(self, band: Table, layer: Layer, zoom: int, ladder: Ladder, old_since: float | None) -> None:
        self._is_summed = is_summed(ladder, layer.style, layer.filter)
        needed = needed_summaries(layer.style, layer.filter) if self._is_summed else ()
        known = list(ladder.summaries or ())
        columns = {summary: summary_columns(known.index(summary), summary) for summary in needed}
        self._passing = next((names[0] for each, names in columns.items() if each.column is None), None)
        self._values_of = next((names for each, names in columns.items() if each.column is not None), None)
        if self._is_summed:
            layer = layer.model_copy(update={"filter": None})
        super().__init__(band, layer, Crs(MERCATOR, "mercator"), wide=False)
        self._cells = ladder.cells_of(zoom)
        self._is_exact = layer.style.kind != "hexbin" and self._cells >= self._per_tile * (1 << zoom)
        self._old_since = old_since

    def cells_in(self, envelope: str, is_dense: str) -> str:
        """Selects the cells in an envelope that pass a test, as text without parameters."""
        value, values = self._value()
        passing = f"{self._passing} > 0" if self._passing else "true"
        condition = compile_filter(self._table, self._layer.filter)
        if condition is not None:
            passing = literal_sql(condition)
        return f"""SELECT "@x", "@y", {self._weight()} AS "@n", ({value})::float8 AS "@v", ({values})::float8 AS "@c"
          FROM {self._source()}
          WHERE {self._geometry()} && {envelope}
            AND {is_dense} AND ({passing})"""  # noqa: S608 - names of the registry

    @property
    def remarks(self) -> str:
        """SQL columns of the note of the tile."""
        return self._remarks()

    def _place(self) -> str:
        return '"@x", "@y"'

    def _joined(self) -> str:
        return ""

    def _middle(self) -> tuple[str, str]:
        return middle_of_cell(self._cells)

    def _weight(self) -> str:
        return f"{self._passing or quoted(WEIGHT)}::float8"

    def _value(self) -> tuple[str, str]:
        if self._values_of is None:
            return super()._value()
        count, total, least, greatest = self._values_of
        shown = {"min": least, "max": greatest}.get(statistic_of(self._spec), total)
        return shown, f"{count}::float8"

    def _found(self) -> str:
        west, south, east, north = self._box
        box = f"ST_MakeEnvelope({west}, {south}, {east}, {north}, {MERCATOR})"
        passing = f"{self._passing} > 0" if self._passing else self._where
        return f"{self._geometry()} && {box} AND ({passing})"

    def _remarks(self) -> str:
        if self._is_exact and self._is_summed and self._old_since is None:
            return ""
        return overview_remarks(not self._is_summed, self._old_since)


class DenseHexagons(LayerStatements):
    """Statements of hexagons at zoom levels where only the fullest tiles have a band. The other tiles are drawn from
    the table, but count each row in the middle of its cell, as a band does, so that tiles agree about a hexagon."""

    def __init__(self, base: LayerStatements, ladder: Ladder, old_since: float | None, is_near: bool) -> None:
        """`is_near`: dense tiles may hold rows of the hexagons."""
        super().__init__(base.table, base.layer, base.crs, base.caps, wide=base.is_wide)
        self._ladder, self._old_since, self._is_near = ladder, old_since, is_near
        self._at: dict[int, TileStatement] = {}

    def at(self, zoom: int, mapped: bool = False) -> TileStatement:
        if zoom not in self._at:
            writer = self._beside_cells(zoom) if self._is_near else self._in_cells(zoom)
            self._at[zoom] = writer.statement(self.cap, simple=False, ranked=False)
        return self._at[zoom]

    def _beside_cells(self, zoom: int) -> BinWriter:
        table, layer, ladder = self.table, self.layer, self._ladder
        cells = OverviewBinWriter(ladder.table(table, zoom), layer, zoom, ladder, self._old_since)
        writer = _DenseHexagonWriter(table, layer, self.crs, self.is_wide)
        writer.search(ladder, zoom, cells)
        return writer

    def _in_cells(self, zoom: int) -> BinWriter:
        writer = _CellWriter(self.table, self.layer, self.crs, self.is_wide)
        writer.cells = self._ladder.cells_of(zoom)
        return writer


class _CellWriter(BinWriter):
    """Counts rows in the middle of their cell."""

    cells = 1

    def _middle(self) -> tuple[str, str]:
        x, y = (f"(floor(({at}) * {self.cells}) + 0.5::float8) / {self.cells}" for at in super()._middle())
        return x, y

    def _remarks(self) -> str:
        return overview_remarks(False, None)


class _DenseHexagonWriter(BinWriter):
    """Counts the cells of a band in dense tiles, and rows elsewhere."""

    _counted = _noted = ""
    _middle_of = ("", "")

    def search(self, ladder: Ladder, zoom: int, dense: OverviewBinWriter) -> None:
        """Count the rows of a zoom level, with the cells that `dense` finds."""
        band, cells, world = ladder.band(zoom), ladder.cells_of(zoom), BLOCKS << zoom
        assert isinstance(band, DenseBand)  # noqa: S101 - only these have such tiles
        numbers = ",".join(str(x * 65536 + y) for x, y in sorted(band.tiles))
        per_tile, share = cells >> zoom, HEXAGON_MARGIN / self._per_tile
        envelope = f"ST_TileEnvelope({self._z}, {self._x}, {self._y}, margin => {share!r}::float8)"
        placing = Placing.of(self._table, self._crs, ANYWHERE)
        beside, px, py = placed(self._table, placing)
        value, values = self._value()
        self._counted = CELLS_AND_ROWS.format(
            x=self._x, y=self._y, blocks=BLOCKS, margin=math.ceil(share * BLOCKS), world=world,
            is_block_dense=IS_DENSE.format(x=f"(x / {BLOCKS})", y=f"(y / {BLOCKS})", tiles=numbers),
            cells_of_dense=dense.cells_in(
                envelope, IS_DENSE.format(x=f'("@x" / {per_tile})', y=f'("@y" / {per_tile})', tiles=numbers)
            ),
            px=px, py=py, cells=cells, beside=beside, is_placed=placing.is_placed,
            g=f"{self._relation()}.{quoted(self._table.geometry_column or '')}",
            weight=self._weight(), value=value, values=values, where=self._where,
            boxes=search_boxes("near", world, self._crs), table=self._relation(), per_block=cells // world,
        )  # fmt: skip
        self._middle_of = middle_of_cell(cells)
        self._noted = dense.remarks

    def _source(self) -> str:
        return self._counted

    def _found(self) -> str:
        """Blocks find the rows; this tells PostgreSQL the types of the box, which every statement takes."""
        return f"({', '.join(self._box)}) IS NOT NULL"

    def _place(self) -> str:
        return '"@x", "@y"'

    def _joined(self) -> str:
        return ""

    def _middle(self) -> tuple[str, str]:
        return self._middle_of

    def _weight(self) -> str:
        return '"@n"' if self._counted else super()._weight()

    def _value(self) -> tuple[str, str]:
        return ('"@v"', '"@c"') if self._counted else super()._value()

    def _remarks(self) -> str:
        return self._noted


def middle_of_cell(cells: int) -> tuple[str, str]:
    """The middle of a cell of `t`, from 0 to 1, where so many are along the world's edge."""
    # Numbers with a decimal point would be computed as numeric, which is slow.
    x, y = (f'(t."@{axis}" + 0.5::float8) / {cells}::float8' for axis in "xy")
    return x, y


def overview_remarks(is_sample: bool, old_since: float | None) -> str:
    """The notes of a tile that is drawn from overviews."""
    sample = ", true AS sample" if is_sample else ""
    old = "" if old_since is None else f", {old_since:.0f}::bigint AS as_of"
    return f", true AS overview{sample}{old}"


def is_summed(ladder: Ladder, style: StyleSpec, filter: Cql2 | None) -> bool:
    """Whether cells are computed from all rows of the table."""
    return set(needed_summaries(style, filter)) <= set(ladder.summaries or ())
