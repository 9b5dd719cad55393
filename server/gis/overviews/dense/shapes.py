"""Bands of the fullest tiles of lines and areas: a representative of each cell with rows that reach into these tiles,
made from the table as those of the finest band are."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.overviews import bands
from server.gis.overviews.dense.tiles import DENSE_ROWS, dense_tiles, note_tiles
from server.gis.overviews.finding import find_rows
from server.gis.overviews.ladder import CELLS, MIN_CELLS, SCHEMA, Band, DenseBand
from server.gis.overviews.placing import Placing
from server.gis.overviews.sampling import ROW_BYTES, filled_cells
from server.gis.overviews.steps import Build, Steps
from server.gis.overviews.stored import index_band, size_of, weight_of
from server.gis.tiles.projection import Crs

FINE_FROM = 10
"""Zoom levels from which on areas have cells of two pixels rather than four: towns are large there."""
MAX_BYTES = 260_000
"""Estimated size of a tile; with gzip, lines take up to half as much again."""


async def make_band_of_shapes(
    build: Build, placed: tuple[Placing, Crs], steps: Steps, room: int
) -> list[DenseBand]:
    """Make the next band of at most `room` bytes, in a transaction. It has as many dense tiles of its zoom level as
    there is room for, the fullest first."""
    session, table, state = build.session, build.table, build.state
    (placing, crs), zoom = placed, steps.remaining_dense[0]
    name = build.band(steps, zoom, is_dense=True)
    tiles = await dense_tiles(session, crs, Band(**steps.done[0]), zoom, DENSE_ROWS)
    if not tiles:
        return []
    maker = _Maker(session, table, state.relid, placing, crs, steps.columns, zoom, name)
    wide = CELLS * 2 if zoom >= FINE_FROM and table.geometry_family != "line" else CELLS
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
            return [made]
        tiles = tiles[: int(len(tiles) * min(0.9, room / size))]
    await session.execute(f"DROP TABLE {SCHEMA}.{quoted(name)}")
    return []


@dataclass(frozen=True)
class _Maker:
    session: asyncpg.Connection
    table: Table
    relid: int
    placing: Placing
    crs: Crs
    columns: Sequence[str]
    zoom: int
    name: str

    async def fitting(self, tiles: Sequence[tuple[int, int]], wide: int) -> tuple[DenseBand, int]:
        """Make the band of these tiles, with `wide` cells in a row of each, or fewer if a tile would be too large."""
        await self._find_rows(tiles)
        while True:
            rows = await self._draw(wide << self.zoom)
            fullest = await self._fullest()
            if fullest <= MAX_BYTES or wide <= MIN_CELLS:
                made = DenseBand(
                    zoom=self.zoom, name=self.name, rows=rows, cells=wide << self.zoom, tiles=frozenset(tiles),
                    weight=await weight_of(self.session, self.name),
                )  # fmt: skip
                return made, wide
            await self.session.execute(f"DROP TABLE {SCHEMA}.{quoted(self.name)}")
            wide = max(MIN_CELLS, int(wide * min(0.9, MAX_BYTES / fullest) ** 0.6))

    async def _find_rows(self, tiles: Collection[tuple[int, int]]) -> None:
        """Make the temporary table `near` of the rows that may reach into `tiles`, and one of these."""
        await note_tiles(self.session, self.crs, self.zoom, tiles)
        await find_rows(self.session, self.table, self.relid, "tile_box")

    async def _draw(self, cells: int) -> int:
        """Make the table of representatives. The number of its rows."""
        session, columns = self.session, self.columns
        near = self.table.model_copy(update={"schema_name": "pg_temp", "name": "near"})
        counted, chosen = f"c{self.name}", f"{SCHEMA}.w{self.name}"
        await session.execute(bands.counted(near, self.placing, (), counted, cells))
        await session.execute(f"ANALYZE {SCHEMA}.{counted}")
        await session.execute(bands.representatives(near, self.placing, columns, (), chosen, counted, cells))
        drawn = bands.drawn(self.table, columns, (), chosen, cells, self.zoom, is_ranked=False)
        await session.execute(f"CREATE TABLE {SCHEMA}.{quoted(self.name)} AS {drawn}")
        await session.execute(f"DROP TABLE {SCHEMA}.{counted}, {chosen}")
        return await index_band(session, self.name, bands.geometry(self.table))

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
