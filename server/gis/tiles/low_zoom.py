"""Tiles of large tables at low zoom: from overviews, and from a sample of the table until these are built; and tiles of
lake tables close up, from their files.

All say in the tile's note what they are. A layer whose filter lets few rows pass is drawn from the table itself.
"""

from __future__ import annotations

import json
import math
from typing import Any

import asyncpg
import sqlalchemy as sa
from cachetools import LRUCache

from agents.core.errors import ToolFailed
from agents.domain import BINNED, Cql2, Layer, StyleSpec, Table
from server.database.quoting import quoted
from server.gis.expressions.declared_types import declared_type
from server.gis.expressions.identifiers import Expression, sql_name
from server.gis.filters import compile_filter
from server.gis.lake.detail import LakeDetail
from server.gis.overviews.caps import USUAL_CAPS, TileCaps
from server.gis.overviews.ladder import WEIGHT, Ladder, OverviewStore
from server.gis.overviews.summaries import Need, filter_text, needed
from server.gis.profiles.versions import DataVersions, TableState
from server.gis.styles.drawing import HEAT, SIZE
from server.gis.styles.kinds.binned import COUNT, VALUED, cell_pixels, shown_attribute
from server.gis.tiles.bins.overviews import DenseHexagons, OverviewBinWriter, is_summed, overview_remarks
from server.gis.tiles.bins.writer import HEXAGON_MARGIN
from server.gis.tiles.columns import feature_key, needed_columns, required_columns
from server.gis.tiles.files import file_statements
from server.gis.tiles.grid import PIXELS, Box, Tile
from server.gis.tiles.projection import MERCATOR, Crs
from server.gis.tiles.sampled import MIN_SAMPLED, SampleStatements, sample_percent
from server.gis.tiles.statement import LayerStatements, StatementWriter, TileStatement

SAMPLE_BELOW = 12
"""Zoom levels from which on no tile is drawn from a sample."""
MAX_READ = 250_000
"""Rows of a tile that is drawn from the table although it holds more than it shows, where the cells of overviews are
too wide: their share of the disk did not allow finer ones."""
SLOW_COST = 200_000
"""The planner's cost of reading the rows of a view: about a second."""
DENSE_BELOW = 11
"""Zoom levels from which on a tile of the table draws as many shapes as it may."""
DUST = 4_000
"""Shapes smaller than a pixel that it draws at lower zooms, about; twice as many at the last of these."""
DENSE_LINES = 2_500
"""Lines that it draws, the longest."""
REPRESENTATIVES = TileCaps(200_000, 200_000)
"""More than a tile has cells."""
MAX_SHOWN = 8
"""Columns of representatives without a key, of which a click can only show what the tile has."""
SMALLEST, LARGEST = 0.5, 2.5
"""Limits of the factor by which a circle's radius grows with the number of features that it represents."""


class LowZoom:
    """Decides what a tile is drawn from. `rows` is the size from which on a table has overviews; `detail` reads files
    of lake tables, whose samples are drawn without it."""

    def __init__(
        self,
        versions: DataVersions,
        store: OverviewStore,
        rows: int,
        detail: LakeDetail | None = None,
        caps: TileCaps | None = None,
    ) -> None:
        self._versions = versions
        self._store = store
        self._rows = rows
        self._detail = detail
        self._caps = caps or USUAL_CAPS
        self._written: LRUCache[LayerStatements, OverviewStatements] = LRUCache(512)
        self._dense: LRUCache[LayerStatements, DenseStatements] = LRUCache(512)
        self._views: LRUCache[tuple[int, str], str | None] = LRUCache(512)

    async def statements(
        self, connection: asyncpg.Connection, base: LayerStatements, tile: Tile, box: Box
    ) -> LayerStatements | None:
        """None where the tile is drawn from the table itself. `box` is the tile in the table's reference system."""
        table, layer = base.table, base.layer
        if table.lake is not None:
            return await self._of_lake(base, tile, box)
        if tile.z >= SAMPLE_BELOW:
            return None
        if self._is_narrow(table, layer.filter, layer.count):
            return None
        state = await self._versions.of(table)
        if not (state.can_be_sampled or state.is_view) or state.rows < self._rows:
            return None
        overviews = await self._overviews(base, state)
        if overviews is not None and overviews.can_draw(base, tile):
            return overviews
        if overviews is None or tile.z < overviews.ladder.below:
            most = self._caps.of(table) * 2 if overviews is None else MAX_READ
            if state.rows >= MIN_SAMPLED and await _is_slow(connection, base, box, state, most):
                sample = await self._sample(connection, base, state, is_passing=overviews is None)
                if sample is not None:
                    return sample
        hexagons = None if overviews is None else overviews.hexagons(base, tile)
        return hexagons or self._of_dense_table(base, overviews, tile.z)

    async def _sample(
        self, connection: asyncpg.Connection, base: LayerStatements, state: TableState, is_passing: bool
    ) -> SampleStatements | None:
        """Statements for a sample; None for views that cannot be sampled."""
        if not state.is_view:
            return SampleStatements(base, state, is_passing)
        from server.gis.sql.view_samples import sampled_view  # few requests need its parser

        key = (state.relid, state.version)
        if key not in self._views:
            self._views[key] = await sampled_view(connection, state.relid, sample_percent(state.rows))
        view = self._views[key]
        return None if view is None else SampleStatements(base, state, is_passing, view)

    def _of_dense_table(
        self, base: LayerStatements, overviews: OverviewStatements | None, zoom: int
    ) -> LayerStatements | None:
        """Statements for tiles that are drawn from the table; None if shapes are not thinned by weights."""
        if overviews is None or zoom >= DENSE_BELOW or not base.draws_shapes:
            return None
        if not overviews.has_weights(base, zoom):
            return None
        known = self._dense.get(base)
        if known is None or known.ladder != overviews.ladder:
            known = self._dense[base] = DenseStatements(base, overviews)
        return known

    async def _of_lake(self, base: LayerStatements, tile: Tile, box: Box) -> LayerStatements | None:
        """As `statements`; None where the tile is drawn from what PostgreSQL holds of the table."""
        if not self._is_narrow(base.table, base.layer.filter, base.layer.count):
            overviews = await self._overviews(base, await self._versions.of(base.table))
            if overviews is not None and tile.z < overviews.ladder.drawn_below:
                return overviews
        return None if self._detail is None else await file_statements(self._detail, base, tile, box)

    async def is_thinned(self, table: Table, style: StyleSpec, filter: Cql2 | None, rows: int) -> bool:
        """Whether a layer of a lake table, of so many `rows`, is drawn from overviews of all of these at low zoom."""
        if self._is_narrow(table, filter, rows):
            return False
        text = None if filter is None or style.kind in BINNED else filter_text(filter)
        return await self._store.ladder(await self._versions.of(table), text) is not None

    async def samples_values(self, table: Table, style: StyleSpec, filter: Cql2 | None, rows: int) -> bool:
        """Whether cells at low zoom show values of a sample of a layer's `rows`, so that extremes may be missed. False
        for a lake table without overviews, of which everything is from a sample."""
        is_valued = style.kind in VALUED and shown_attribute(style) != COUNT
        if not is_valued or self._is_narrow(table, filter, rows):
            return False
        state = await self._versions.of(table)
        if table.lake is None and state.rows < self._rows:
            return False
        found = await self._store.ladder(state)
        if found is None:
            return table.lake is None and state.rows >= MIN_SAMPLED
        return not is_summed(found[0], style, filter)

    def needs_of(self, table: Table, style: StyleSpec, filter: Cql2 | None, rows: int) -> tuple[Need, ...]:
        """What overviews must have for a layer of so many rows."""
        return () if self._is_narrow(table, filter, rows) else needed(style, filter)

    def _is_narrow(self, table: Table, filter: Cql2 | None, rows: int) -> bool:
        """Whether a filter lets so few rows pass that any tile draws all of them."""
        return filter is not None and rows <= self._caps.of(table)

    async def _overviews(self, base: LayerStatements, state: TableState) -> OverviewStatements | None:
        """Overviews of the rows that pass the layer's filter, if there are such; else of all rows."""
        layer = base.layer
        if layer.filter is not None and layer.style.kind not in BINNED:
            found = await self._store.ladder(state, filter_text(layer.filter))
            passing = layer.model_copy(update={"filter": None})
            made = None if found is None else self._of_overviews(base, passing, *found)
            if made is not None:
                return made
        found = await self._store.ladder(state)
        return None if found is None else self._of_overviews(base, layer, *found)

    def _of_overviews(
        self, base: LayerStatements, layer: Layer, ladder: Ladder, old_since: float | None
    ) -> OverviewStatements | None:
        """Statements for overviews; None where these lack a column of the layer."""
        known = self._written.get(base)
        if known is not None and known.ladder == ladder and known.old_since == old_since:
            return known
        if not _has_columns(ladder, base.table, layer):
            return None
        made = self._written[base] = OverviewStatements(base.table, layer, ladder, old_since)
        return made


class OverviewStatements(LayerStatements):
    """Statements of a layer whose table has overviews."""

    is_estimate = True

    def __init__(self, table: Table, layer: Layer, ladder: Ladder, old_since: float | None) -> None:
        super().__init__(table, layer, Crs(MERCATOR, "mercator"), REPRESENTATIVES, wide=False)
        self.ladder, self.old_since = ladder, old_since
        self._at: dict[tuple[int, bool], TileStatement] = {}
        self._hexagons: dict[bool, DenseHexagons] = {}

    def at(self, zoom: int, mapped: bool = False) -> TileStatement:
        if (zoom, mapped) not in self._at:
            band = self.ladder.table(self.table, zoom)
            make = OverviewBinWriter if self.layer.style.kind in BINNED else _OverviewWriter
            writer = make(band, self.layer, zoom, self.ladder, self.old_since)
            # Bands are declared as plain geometry; their shapes are drawn as the kind that the table declares.
            writer.kind = declared_type(self.table)[0]
            # Lines of a band for a higher zoom level are more detailed than a tile shows.
            simple = self.table.geometry_family == "line" and self.ladder.band(zoom).zoom > zoom
            self._at[zoom, mapped] = writer.statement(self.cap, simple, self._shapes, mapped)
        return self._at[zoom, mapped]

    def can_draw(self, base: LayerStatements, tile: Tile) -> bool:
        """Whether a band is fine enough for the tile, and has all that it shows."""
        if tile.z < self.ladder.drawn_below:
            return True
        if not self.ladder.is_dense(tile.z, tile.x, tile.y):
            return False
        if self.layer.style.kind in BINNED:
            return self.layer.style.kind != "hexbin" and self.ladder.sums_dense(tile.z)
        return self.has_weights(base, tile.z)

    def hexagons(self, base: LayerStatements, tile: Tile) -> DenseHexagons | None:
        """Statements of hexagons, of which some may lie in dense tiles."""
        style, ladder = self.layer.style, self.ladder
        if style.kind != "hexbin" or not ladder.sums_dense(tile.z):
            return None
        margin = math.ceil(HEXAGON_MARGIN * cell_pixels(style) / PIXELS)
        is_near = ladder.is_dense_near(tile.z, tile.x, tile.y, margin)
        if is_near not in self._hexagons:
            self._hexagons[is_near] = DenseHexagons(base, ladder, self.old_since, is_near)
        return self._hexagons[is_near]

    def has_weights(self, base: LayerStatements, zoom: int) -> bool:
        """Whether features are drawn as such, all rows that pass are in the bands, and cells of these lie in tiles."""
        ladder, style = self.ladder, base.layer.style
        is_drawn_by_size = style.kind not in BINNED and style.kind != "proportional"
        counts_all = self.layer.filter is None and ladder.summaries is not None
        is_fine = bool(ladder.cells) and ladder.cells >> zoom > 0
        return is_drawn_by_size and counts_all and is_fine


class DenseStatements(LayerStatements):
    """Statements of tiles that the table is drawn into because cells of overviews are too wide. Of shapes that
    cannot be distinguished there, few are drawn; the weights of a band say how many each stands for."""

    is_estimate = True

    def __init__(self, base: LayerStatements, overviews: OverviewStatements) -> None:
        super().__init__(base.table, base.layer, base.crs, base.caps, wide=base.is_wide, proof=base.proof)
        self.ladder = overviews.ladder
        self._at: dict[tuple[int, bool], TileStatement] = {}

    def at(self, zoom: int, mapped: bool = False) -> TileStatement:
        if (zoom, mapped) not in self._at:
            columns = needed_columns(self.table, self.layer)
            writer = _DenseWriter(self.table, self.layer, columns, self.crs, self.is_wide, self.proof)
            writer.ladder, writer.zoom = self.ladder, zoom
            writer.dust = DUST * 2 if zoom == DENSE_BELOW - 1 else DUST
            cap = DENSE_LINES if writer.are_lines else self.cap
            self._at[zoom, mapped] = writer.statement(cap, simple=True, ranked=True, mapped=mapped)
        return self._at[zoom, mapped]


class _OverviewWriter(StatementWriter):
    """Representatives are sound, in Mercator and as simple as the zoom level wants them."""

    def __init__(self, band: Table, layer: Layer, zoom: int, ladder: Ladder, old_since: float | None) -> None:
        shown = {*needed_columns(band, layer), *(() if feature_key(band) else band.columns[:MAX_SHOWN])}
        columns = tuple(column for column in band.columns if column in shown and column.name != WEIGHT)
        super().__init__(band, layer, columns, Crs(MERCATOR, "mercator"), wide=False)
        weight: sa.ColumnElement[Any] = sa.literal_column(f'"{WEIGHT}"', sa.BigInteger)
        self._columns.append((WEIGHT, weight))
        relative = weight / sa.literal_column(repr(ladder.mean_weight(zoom)), sa.Double)
        if layer.style.kind == "heatmap":
            # Next to a dense tile each row counts as one.
            self._columns.append((HEAT, weight if zoom >= ladder.drawn_below else relative))
        elif not self._shapes:
            self._columns.append((SIZE, _size(relative)))
        self._old_since = old_since
        self._invalid = "" if ladder.is_valid else "true"

    def _found(self) -> str:
        west, south, east, north = self._box
        box = f"ST_MakeEnvelope({west}, {south}, {east}, {north}, {MERCATOR})"
        return f"{self._geometry()} && {box} AND ({self._where})"

    def _whole(self, g: str) -> str:
        return g

    def _linear(self, g: str) -> str:
        return g

    def _total(self, cap: int) -> str:
        return f'coalesce(sum("{WEIGHT}") FILTER (WHERE {self._g} IS NOT NULL), 0)::bigint'

    def _remarks(self) -> str:
        return overview_remarks(self._layer.filter is not None, self._old_since)


class _DenseWriter(StatementWriter):
    """The longest lines; of other shapes all that are as large as a pixel, and of smaller ones the share that leaves
    `dust` of them. A hash selects these, so that tiles of a higher zoom level draw them too."""

    ladder: Ladder
    dust: int
    zoom: int

    @property
    def are_lines(self) -> bool:
        return self._table.geometry_family == "line"

    def _found(self) -> str:
        found = super()._found()
        if self.are_lines:
            return found
        g, tolerance = self._geometry(), self._tolerance
        size = f"greatest(ST_XMax({g}) - ST_XMin({g}), ST_YMax({g}) - ST_YMin({g}))"
        share = f"(SELECT 4294967296.0::float8 * {self.dust} / greatest(weight, 1) FROM weighed)"  # noqa: S608
        number = f"(({self._even_order()[0]})::bigint & 4294967295)"
        return f"{found} AND ({size} >= 4 * {tolerance} OR {number} < {share})"

    def _total(self, cap: int) -> str:
        """Where not all rows are drawn and there are many, about how many have their middle in the tile."""
        weight, most = "(SELECT weight FROM weighed)", cap if self.are_lines else self.dust
        is_whole = f"count(*) < {cap}" if self.are_lines else f"count(*) < {cap} AND {weight} <= {self.dust}"
        counted = f"(SELECT count(*) FROM {self._source()} WHERE {super()._found()})"  # noqa: S608 - quoted
        return f"""CASE WHEN {is_whole} THEN count({self._g})
              WHEN {weight} > greatest({2 * most}, count(*)) THEN {weight} ELSE {counted} END"""

    def _common(self) -> dict[str, Any]:
        return {**super()._common(), "counted_before": self._weighed()}

    def _weighed(self) -> str:
        """The rows of the tile by the cells of the finest band, `weight`."""
        band = self.ladder.bands[-1]
        shift = self.ladder.cells_of(band.zoom).bit_length() - 1 - self.zoom
        source = self.ladder.table(self._table, band.zoom)
        near = f"{quoted(source.geometry_column or '')} && ST_TileEnvelope({self._z}, {self._x}, {self._y})"
        cell = f'"@x" >> {shift} = {self._x} AND "@y" >> {shift} = {self._y}'
        weight = f'SELECT coalesce(sum("{WEIGHT}"), 0)::bigint AS weight'
        return f"weighed AS MATERIALIZED ({weight} FROM {sql_name(source)} WHERE {near} AND {cell}), "


def _size(relative: Expression) -> Expression:
    """The factor of a circle's radius that makes its area follow the weight, within limits that circles stay readable
    in; in steps of a tenth, because a tile holds each different value only once."""
    factor = sa.func.round(sa.func.sqrt(relative) * sa.literal_column("10")) / sa.literal_column("10")
    smallest: Expression = sa.literal_column(f"{SMALLEST}::float8")
    largest: Expression = sa.literal_column(f"{LARGEST}::float8")
    return sa.func.least(largest, sa.func.greatest(smallest, factor), type_=sa.Double)


def _has_columns(ladder: Ladder, table: Table, layer: Layer) -> bool:
    """Whether the overviews have what the layer draws and filters by; a column may be newer than they are."""
    names = {column.name for column in required_columns(table, layer)} - {table.geometry_column}
    if layer.style.kind in BINNED:
        if ladder.summaries is None:
            return False
        names |= {name for name in (layer.style.column,) if name is not None}
    if not names <= {*ladder.columns}:
        return False
    if layer.filter is None:
        return True
    try:
        compile_filter(ladder.table(table, 0), layer.filter)
    except ToolFailed:
        return False
    return True


async def _is_slow(
    connection: asyncpg.Connection, base: LayerStatements, box: Box, state: TableState, most: int
) -> bool:
    """Whether a box has more than so many rows, as the planner estimates; true where no shapes were analysed. Of a view
    it is slow to read, too, where no index finds the rows."""
    table, srid = base.table, base.crs.srid
    column = table.geometry_column or ""
    envelope = f"ST_MakeEnvelope({', '.join(map(repr, box))}, {srid})"
    plan = await connection.fetchval(
        f"EXPLAIN (FORMAT JSON) SELECT FROM {sql_name(table)} WHERE {quoted(column)} && {envelope}"
    )
    found = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
    if state.is_view:
        return float(found["Plan Rows"]) > most or float(found["Total Cost"]) > SLOW_COST
    if not await connection.fetchval(_HAS_STATISTICS, table.schema_name, table.name, column):
        return state.rows > most
    return float(found["Plan Rows"]) > most


_HAS_STATISTICS = (
    "SELECT EXISTS (SELECT FROM pg_stats WHERE schemaname = $1 AND tablename = $2 AND attname = $3)"
)
