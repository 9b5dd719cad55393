"""Tiles of styles that count rows in cells: hexagons, squares, or clusters as points.

A cell's width on the screen is the same at every zoom. Squares and clusters lie in one tile each; hexagons that several
tiles show are counted in full in each of them, from rows beyond the tile's edge. At 180 degrees cells end.
"""

from __future__ import annotations

import math

from agents.domain import Layer, Table
from server.database.quoting import quoted
from server.gis.overviews.placing import Placing
from server.gis.styles.attributes import tile_value
from server.gis.styles.kinds.binned import COUNT, cell_pixels, shown_attribute, statistic_of
from server.gis.tiles.grid import EXTENT, PIXELS
from server.gis.tiles.projection import Crs
from server.gis.tiles.sql_text import inline
from server.gis.tiles.statement import LayerStatements, StatementWriter, TileStatement

BINS = """
WITH placed AS (
  SELECT {px} AS x, {py} AS y, t."@n" AS n, t."@v" AS v, t."@c" AS c
  FROM (SELECT {place}, {weight} AS "@n", {value} AS "@v", {values} AS "@c"
        FROM {source} WHERE {found} OFFSET 0) AS t{joined}
), shifted AS (
  SELECT x * {per_world} - {x}::bigint * {per_tile} AS x, y * {per_world} - {y}::bigint * {per_tile} AS y, n, v, c
  FROM placed OFFSET 0
), celled AS (
  SELECT {cell}
), binned AS (
  SELECT cx, cy, sum(n) AS n, {statistic} AS v{middle}
  FROM celled WHERE cx IS NOT NULL GROUP BY cx, cy
), drawn AS (
  SELECT {shape} AS geometry, round(n)::bigint AS {count}{named},
    round((cx + {x} * {per_tile}) * 2)::bigint || '/' || round((cy + {y} * {rows}) * 2)::bigint AS "@cell"
  FROM binned WHERE {inside}
), counted AS (
  SELECT coalesce(ST_AsMVT(drawn, 'features', {extent}, 'geometry'), '') AS features, count(*) AS shown,
    coalesce(sum({count}), 0)::bigint AS total
  FROM drawn
)
SELECT features || {note} AS tile, total AS shown, total FROM counted WHERE {tolerance} IS NOT NULL
"""

MIDDLE = ", sum(x * n) / sum(n) AS mx, sum(y * n) / sum(n) AS my"
NOTE = """CASE WHEN shown > 0 THEN (SELECT ST_AsMVT(note, '_meta', {extent}, 'place')
      FROM (SELECT ST_MakePoint({extent} / 2, {extent} / 2) AS place, shown, total{remarks}) AS note) ELSE '' END"""

HEXAGON_MARGIN = 1.5
"""Widths of hexagons around a tile in which rows of hexagons lie that it shows."""
SQUARE = "floor(x) AS cx, floor(y) AS cy, x, y, n, v, c FROM shifted"
WITHIN = "cx >= 0 AND cy >= 0 AND cx < {per_tile} AND cy < {per_tile}"

HEXAGON = """CASE WHEN nearer THEN ax ELSE bx END AS cx, CASE WHEN nearer THEN ay ELSE by END AS cy, x, y, n, v, c
  FROM (SELECT *, (x - ax) ^ 2 + 3 * (r - ay) ^ 2 <= (x - bx) ^ 2 + 3 * (r - by) ^ 2 AS nearer
    FROM (SELECT x, y, n, v, c, r,
            floor(x + ox + 0.5) - ox AS ax, floor(r + oy + 0.5) - oy AS ay,
            floor(x + ox) + 0.5 - ox AS bx, floor(r + oy) + 0.5 - oy AS by
          FROM (SELECT *, y / sqrt(3) AS r, {x}::bigint * {per_tile}::float8 AS ox,
                  {y}::bigint * {per_tile}::float8 / sqrt(3) AS oy FROM shifted) AS scaled
         ) AS near OFFSET 0) AS chosen"""
"""The middles of hexagons are those of two lattices of rectangles, 1 wide and sqrt(3) high; a row belongs to the
nearer. `ox` and `oy` are the tile's place in the lattices, so that all tiles have the same hexagons."""


class BinStatements(LayerStatements):
    """The statements of a layer that is drawn as cells."""

    def at(self, zoom: int, mapped: bool = False) -> TileStatement:
        return BinWriter(self.table, self.layer, self.crs, self.is_wide).statement(self.cap, False, False)

    def must_be_ranked(self, zoom: int, shown: int, total: int) -> bool:
        return False


class BinWriter(StatementWriter):
    """Writes the statement that counts rows; subclasses count representatives of several rows."""

    def __init__(self, table: Table, layer: Layer, crs: Crs, wide: bool) -> None:
        super().__init__(table, layer, (), crs, wide)
        self._spec = layer.style
        # Squares nest in tiles.
        cells = PIXELS / cell_pixels(self._spec)
        self._per_tile = cells if self._spec.kind == "hexbin" else float(2 ** round(math.log2(cells)))
        if self._spec.kind == "hexbin":
            self._widen(HEXAGON_MARGIN / self._per_tile)

    def _widen(self, share: float) -> None:
        """Look for rows of hexagons that begin in neighbouring tiles. North and south a part of the tile's width is
        enough, since degrees of latitude are longest on the map at the equator."""
        west, south, east, north = self._box
        margin = f"({east} - {west}) * {share!r}"
        low_x, low_y = f"{west} - {margin}", f"{south} - {margin}"
        high_x, high_y = f"{east} + {margin}", f"{north} + {margin}"
        if self._crs.kind == "lonlat":
            low_x, high_x = f"greatest(-180, {low_x})", f"least(180, {high_x})"
            low_y, high_y = f"greatest(-90, {low_y})", f"least(90, {high_y})"
        self._box = [f"({each})" for each in (low_x, low_y, high_x, high_y)]

    def statement(self, cap: int, simple: bool, ranked: bool, mapped: bool = False) -> TileStatement:
        """The statement of one tile; cells are never ranked or simplified."""
        px, py = self._middle()
        value, values = self._value()
        hexagons = self._spec.kind == "hexbin"
        attribute = shown_attribute(self._spec) or COUNT
        parts = {"per_tile": repr(self._per_tile), "x": self._x, "y": self._y, "extent": EXTENT}
        remarks = self._remarks()
        text = BINS.format(
            **parts,
            joined=self._joined(),
            px=px,
            py=py,
            place=self._place(),
            weight=self._weight(),
            value=value,
            values=values,
            source=self._source(),
            found=self._found(),
            per_world=f"({self._per_tile!r} * (1 << {self._z}))",
            cell=(HEXAGON if hexagons else SQUARE).format(**parts),
            middle=MIDDLE if self._spec.kind == "cluster" else "",
            statistic=_STATISTICS[statistic_of(self._spec)],
            shape=self._shape(),
            inside=_NEAR.format(**parts) if hexagons else WITHIN.format(**parts),
            count=quoted(COUNT),
            named="" if attribute == COUNT else f", v AS {quoted(attribute)}",
            rows=repr(self._per_tile / (math.sqrt(3) if hexagons else 1)),
            note=NOTE.format(extent=EXTENT, remarks=remarks) if remarks else "''",
            tolerance=self._tolerance,
        )
        return TileStatement(text, self._values)

    def _place(self) -> str:
        """The columns that hold where a row is."""
        return f"{self._geometry()} AS {quoted(self._table.geometry_column or '')}"

    def _joined(self) -> str:
        """What FROM joins to a row, so that its middle is computed once."""
        return self._placing().joined

    def _middle(self) -> tuple[str, str]:
        """Where that is, from 0 to 1, southwards."""
        placing = self._placing()
        return placing.x, placing.y

    def _placing(self) -> Placing:
        return Placing.of(self._table, self._crs, (0.0, 0.0, 0.0, 0.0))

    def _weight(self) -> str:
        """How many rows of the table a row that is found represents."""
        return f"{self._represented!r}::float8"

    def _value(self) -> tuple[str, str]:
        """What the statistic is computed from, and how many values that represents."""
        column = self._table.column(self._spec.column or "")
        is_shown = column is not None and shown_attribute(self._spec) != COUNT
        value = tile_value(self._table, column) if column is not None and is_shown else None
        if value is None:
            return "NULL::float8", "NULL::float8"
        number = f"({inline(value)})::float8"
        if statistic_of(self._spec) in ("min", "max"):
            return number, "NULL::float8"
        return f"{number} * {self._weight()}", f"CASE WHEN {number} IS NOT NULL THEN {self._weight()} END"

    def _shape(self) -> str:
        unit = EXTENT / self._per_tile
        if self._spec.kind == "cluster":
            return f"ST_MakePoint(round(mx * {unit!r}), round(my * {unit!r}))"
        if self._spec.kind == "grid":
            sides = (f"round({at} * {unit!r})" for at in ("cx", "cy", "(cx + 1)", "(cy + 1)"))
            return f"ST_MakeEnvelope({', '.join(sides)})"
        # The height of a hexagon is 2/3 of the lattice's, in units of its width.
        corners = [(0.0, 2), (0.5, 1), (0.5, -1), (0.0, -2), (-0.5, -1), (-0.5, 1), (0.0, 2)]
        points = (
            f"ST_MakePoint(round((cx + {dx}) * {unit!r}), round((cy + {dy} / 6.0) * sqrt(3) * {unit!r}))"
            for dx, dy in corners
        )
        return f"ST_MakePolygon(ST_MakeLine(ARRAY[{', '.join(points)}]))"


_NEAR = "cx > -1 AND cy * sqrt(3) > -1 AND cx < {per_tile} + 1 AND cy * sqrt(3) < {per_tile} + 1"
_STATISTICS = {
    "count": "NULL::float8",
    "sum": "sum(v)",
    "mean": "sum(v) / nullif(sum(c), 0)",
    "min": "min(v)",
    "max": "max(v)",
}
