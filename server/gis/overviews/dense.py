"""Bands of dense tiles, for the zoom levels whose other tiles are drawn from the table.

Cells that are fine enough for those zoom levels would take too much of the disk for the whole map, but not for its
fullest tiles, which take the longest to draw. Such a band has a representative of each cell with rows that reach into
these tiles, made from the table as those of the finest band are.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import is_geography, sql_name
from server.gis.overviews import bands
from server.gis.overviews.changed_cells import INDEXED
from server.gis.overviews.ladder import CELLS, MIN_CELLS, SCHEMA, WEIGHT, Band, DenseBand, Ladder
from server.gis.overviews.placing import Placing, read_placing, search_boxes
from server.gis.overviews.sampling import ROW_BYTES, filled_cells
from server.gis.overviews.steps import Steps
from server.gis.overviews.stored import index_band, size_of
from server.gis.overviews.summaries import Summary
from server.gis.profiles.versions import TableState
from server.gis.tiles.grid import BUFFER, EXTENT
from server.gis.tiles.projection import Crs

DENSE_ROWS, DENSE_POINTS = 4_000, 14_000
"""Rows of a tile that take no longer to read than to draw."""
MAX_TILES = 1_000
"""Of a zoom level, the fullest."""
FINE_FROM = 10
"""Zoom levels from which on areas have cells of two pixels rather than four: towns are large there."""
MAX_BYTES = 260_000
"""Of a tile, as they are estimated; with gzip, lines take up to half as much again."""


def lacks_dense_bands(table: Table, ladder: Ladder) -> bool:
    """Whether overviews are of an earlier version of the program, which made no such bands, or without summaries."""
    if table.lake is not None:
        return False
    is_summed = table.geometry_family != "point" or all(band.summed for band in ladder.dense or ())
    return ladder.dense is None or not is_summed


async def placing_for_dense_bands(
    session: asyncpg.Connection, table: Table, state: TableState, steps: Steps
) -> tuple[Placing, Crs] | None:
    """None for tables without an index that finds the rows of some tiles."""
    column = table.column(table.geometry_column or "")
    if column is None or is_geography(column) or table.lake is not None:
        return None
    if not await session.fetchval(_IS_INDEXED, state.relid, column.name):
        return None
    placed = await read_placing(session, table)
    return None if placed is None else (placed[0].passing(table, steps.rows_of), placed[1])


async def make_dense_band(
    session: asyncpg.Connection,
    table: Table,
    state: TableState,
    placed: tuple[Placing, Crs],
    steps: Steps,
    name: str,
    room: int,
) -> DenseBand | None:
    """Make the next band as the table `name` of at most `room` bytes, in a transaction. It has as many dense tiles of
    its zoom level as there is room for, the fullest first; None where there are none."""
    (placing, crs), zoom = placed, steps.remaining_dense[0]
    least = DENSE_POINTS if table.geometry_family == "point" else DENSE_ROWS
    tiles = await _dense_tiles(session, crs, Band(**steps.done[0]), zoom, least)
    if not tiles:
        return None
    summed = steps.summed if table.geometry_family == "point" else ()
    maker = _Maker(session, table, placing, crs, steps.columns, summed, zoom, name)
    wide = CELLS * 2 if zoom >= FINE_FROM and table.geometry_family not in ("line", "point") else CELLS
    # The fullest tile tells how wide cells have to be, and how many bytes a representative has.
    made, wide = await maker.fitting(tiles[:1], wide)
    width = await size_of(session, [made]) / max(1, made.rows)
    filled = await filled_cells(session, table, placing, state.rows, zoom, wide)
    if wide > CELLS and sum(filled.get(tile, 0.0) for tile in tiles) * width > room:
        wide = CELLS
        filled = await filled_cells(session, table, placing, state.rows, zoom, wide)
    sizes = itertools.accumulate(filled.get(tile, 0.0) * width for tile in tiles)
    tiles = tiles[: sum(size <= room for size in sizes)]
    while tiles:
        await session.execute(f"DROP TABLE {SCHEMA}.{quoted(name)}")
        made, wide = await maker.fitting(tiles, wide)
        if (size := await size_of(session, [made])) <= room:
            return made
        tiles = tiles[: int(len(tiles) * min(0.9, room / size))]
    await session.execute(f"DROP TABLE {SCHEMA}.{quoted(name)}")
    return None


@dataclass(frozen=True)
class _Maker:
    session: asyncpg.Connection
    table: Table
    placing: Placing
    crs: Crs
    columns: Sequence[str]
    summed: Sequence[Summary]
    zoom: int
    name: str

    async def fitting(self, tiles: Sequence[tuple[int, int]], wide: int) -> tuple[DenseBand, int]:
        """Make the band of these tiles, with `wide` cells in a row of each, or fewer if a tile would be too large."""
        await self._find_rows(tiles)
        while True:
            rows = await self._draw(wide << self.zoom)
            # Cells of points must lie in one tile each, and their number limits what it takes.
            is_point = self.table.geometry_family == "point"
            fullest = 0.0 if is_point else await self._fullest()
            if fullest <= MAX_BYTES or wide <= MIN_CELLS:
                made = DenseBand(
                    zoom=self.zoom, name=self.name, rows=rows, cells=wide << self.zoom, tiles=frozenset(tiles),
                    weight=await self._weight(), summed=is_point,
                )  # fmt: skip
                return made, wide
            await self.session.execute(f"DROP TABLE {SCHEMA}.{quoted(self.name)}")
            wide = max(MIN_CELLS, int(wide * min(0.9, MAX_BYTES / fullest) ** 0.6))

    async def _find_rows(self, tiles: Collection[tuple[int, int]]) -> None:
        """Make the temporary table `near` of the rows that may reach into `tiles`, and one of these."""
        table = self.table
        await self.session.execute("DROP TABLE IF EXISTS pg_temp.near")
        await note_tiles(self.session, self.crs, self.zoom, tiles)
        await self.session.execute(
            f"""CREATE TEMPORARY TABLE near ON COMMIT DROP AS SELECT * FROM {sql_name(table)} WHERE ctid = ANY (ARRAY(
            SELECT t.ctid FROM tile_box JOIN {sql_name(table)} AS t ON t.{bands.geometry(table)} && tile_box.box))"""  # noqa: S608
        )

    async def _draw(self, cells: int) -> int:
        """Make the table of representatives. The number of its rows."""
        session, columns, summed = self.session, self.columns, self.summed
        near = self.table.model_copy(update={"schema_name": "pg_temp", "name": "near"})
        counted, chosen = f"c{self.name}", f"{SCHEMA}.w{self.name}"
        await session.execute(bands.counted(near, self.placing, summed, counted, cells))
        await session.execute(f"ANALYZE {SCHEMA}.{counted}")
        await session.execute(
            bands.representatives(near, self.placing, columns, summed, chosen, counted, cells)
        )
        drawn = bands.drawn(self.table, columns, summed, chosen, cells, self.zoom, is_ranked=False)
        await session.execute(f"CREATE TABLE {SCHEMA}.{quoted(self.name)} AS {drawn}")
        await session.execute(f"DROP TABLE {SCHEMA}.{counted}, {chosen}")
        return await index_band(session, self.name, bands.geometry(self.table))

    async def _weight(self) -> int:
        weight = f'SELECT coalesce(sum("{WEIGHT}"), 0) FROM {SCHEMA}.{quoted(self.name)}'  # noqa: S608 - our own names
        return int(await self.session.fetchval(weight))

    async def _fullest(self) -> float:
        """About how many bytes the largest tile has."""
        g = bands.geometry(self.table)
        size = await self.session.fetchval(
            f"""SELECT max(size) FROM (
              SELECT {ROW_BYTES} * count(*) + sum(ST_NPoints(
                CASE WHEN band.{g} @ tile.box THEN band.{g} ELSE ST_ClipByBox2D(band.{g}, tile.box) END)) AS size
              FROM (SELECT ST_TileEnvelope({self.zoom}, x, y) AS box FROM tile) AS tile
              JOIN {SCHEMA}.{quoted(self.name)} AS band ON band.{g} && tile.box GROUP BY tile.box) AS tile"""  # noqa: S608
        )
        return float(size or 0)


async def note_tiles(
    session: asyncpg.Connection, crs: Crs, zoom: int, tiles: Collection[tuple[int, int]]
) -> None:
    """Make the temporary tables `tile` of tiles, and `tile_box` of their search boxes."""
    await session.execute("DROP TABLE IF EXISTS pg_temp.tile, pg_temp.tile_box")
    await session.execute("CREATE TEMPORARY TABLE tile (x int, y int) ON COMMIT DROP")
    columns, rows = zip(*tiles, strict=True)
    await session.execute("INSERT INTO tile SELECT * FROM unnest($1::int[], $2::int[])", columns, rows)
    boxes = search_boxes("tile", 1 << zoom, crs, BUFFER / EXTENT)
    await session.execute(f"CREATE TEMPORARY TABLE tile_box ON COMMIT DROP AS {boxes}")
    await session.execute("ANALYZE tile_box")


async def _dense_tiles(
    session: asyncpg.Connection, crs: Crs, finest: Band, zoom: int, least: int
) -> list[tuple[int, int]]:
    """The tiles with the most rows, more than `least`, by the cells of the finest band."""
    shift = (finest.cells >> zoom).bit_length() - 1
    if shift < 0:
        return []
    rows = await session.fetch(
        f"""SELECT "@x" >> {shift} AS x, "@y" >> {shift} AS y FROM {SCHEMA}.{quoted(finest.name)} GROUP BY 1, 2
        HAVING sum("{WEIGHT}") > {least} ORDER BY sum("{WEIGHT}") DESC LIMIT {MAX_TILES}"""  # noqa: S608
    )
    # In projected systems, nobody knows how far those at the edge of the map reach.
    edges = (0, (1 << zoom) - 1) if crs.kind == "projected" else ()
    return [(row["x"], row["y"]) for row in rows if row["y"] not in edges]


_IS_INDEXED = f"SELECT c.relkind IN ('r', 'm') AND {INDEXED} FROM pg_class AS c WHERE c.oid = $1"  # noqa: S608 - a constant
