"""Bands of the fullest tiles of points, of all zoom levels together.

Every row is read once, for the cells of the last zoom level at which its tile is full. Bands of lower zoom levels are
made from these cells and from those of tiles that are full there only. Cells are as narrow as there is room for when
every full tile has them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import sql_name
from server.gis.overviews import bands, summaries
from server.gis.overviews.dense.tiles import DENSE_POINTS, dense_tiles, note_tiles
from server.gis.overviews.finding import find_rows
from server.gis.overviews.ladder import CELLS, MIN_CELLS, SCHEMA, WEIGHT, Band, DenseBand
from server.gis.overviews.placing import Placing, search_boxes
from server.gis.overviews.sampling import filled_cells
from server.gis.overviews.steps import Build, Steps
from server.gis.overviews.stored import index_band, replace_table, size_of, weight_of
from server.gis.overviews.summaries import Summary
from server.gis.tiles.projection import Crs

MAX_SEARCHED = 0.3
"""Part of the rows that are found by the index. More are found sooner by reading the table."""
RANKED_BYTES = 16
"""Size of what coarser bands are made from, in each representative of bands that may be renewed in parts."""
SAFETY = 1.15
"""Factor on expected sizes by which a zoom level leaves room for lower ones."""
Tiles = Mapping[int, Sequence[tuple[int, int]]]


async def make_bands_of_points(
    build: Build, placed: tuple[Placing, Crs], steps: Steps, room: int
) -> list[DenseBand]:
    """Make the bands of all zoom levels that remain, of at most `room` bytes together, in a transaction. Where there is
    no room for the widest cells, the emptiest tiles have none."""
    session, state, finest = build.session, build.state, Band(**steps.done[0])
    found = {
        zoom: await dense_tiles(session, placed[1], finest, zoom, DENSE_POINTS)
        for zoom in steps.remaining_dense
    }
    tiles = {zoom: each for zoom, each in found.items() if each}
    if not tiles:
        return []
    row_bytes = await size_of(session, [finest]) / max(1, finest.rows) - (RANKED_BYTES if steps.mark else 0)
    maker = _Maker(session, build.table, state.relid, *placed, steps.columns, steps.summed, finest, row_bytes)
    names = {zoom: build.band(steps, zoom, is_dense=True) for zoom in tiles}
    return await maker.make(tiles, state.rows, names, room)


@dataclass(frozen=True)
class _Maker:
    session: asyncpg.Connection
    table: Table
    relid: int
    placing: Placing
    crs: Crs
    columns: Sequence[str]
    summed: Sequence[Summary]
    finest: Band
    row_bytes: float

    async def make(self, tiles: Tiles, rows: int, names: Mapping[int, str], room: int) -> list[DenseBand]:
        wide, expected = await self._widths(tiles, rows, room)
        work = f"{SCHEMA}.w{names[min(tiles)]}"
        await self._choose(tiles, wide, rows, f"{work}_chosen")
        made: list[DenseBand] = []
        finer, above = "", 0
        for zoom in sorted(tiles, reverse=True):
            lower = sum(expected[each] for each in tiles if each < zoom)
            shared = room * expected[zoom] / (expected[zoom] + lower)
            part = int(max(shared, room - SAFETY * lower * self.row_bytes))
            width = min(wide[zoom], above >> zoom) if finer else wide[zoom]
            merged, read = (
                f"{work}_{zoom}",
                [(f'{work}_chosen WHERE "@cells" = {wide[zoom] << zoom}', wide[zoom] // width)],
            )
            if finer:
                read.append((finer, above // (width << zoom)))
            await self._merge(merged, read)
            if finer:
                await self.session.execute(f"DROP TABLE {finer}")
            width, filled = await self._fitting(merged, tiles[zoom], width, part)
            sizes = itertools.accumulate(filled.get(tile, 0) * self.row_bytes for tile in tiles[zoom])
            fitting = tiles[zoom][: sum(size <= part for size in sizes)]
            band = await self._band(merged, names[zoom], zoom, fitting, width, part)
            if band is not None:
                made.append(band)
                room -= await size_of(self.session, [band])
            finer, above = merged, width << zoom
        await self.session.execute(f"DROP TABLE {work}_chosen, {finer}")
        return made

    async def _widths(self, tiles: Tiles, rows: int, room: int) -> tuple[dict[int, int], dict[int, float]]:
        """Cells in a row of a tile of each zoom level, and about how many of its cells have rows: as many as there is
        room for, and no more than at the next zoom level."""
        zooms = sorted(tiles, reverse=True)
        wide = dict.fromkeys(zooms, MIN_CELLS)
        filled = {zoom: await self._filled(tiles, rows, zoom, MIN_CELLS) for zoom in zooms}
        is_full = False
        while not is_full:
            is_full = True
            for before, zoom in zip((None, *zooms), zooms, strict=False):
                if wide[zoom] * 2 > (CELLS if before is None else wide[before]):
                    continue
                more = await self._filled(tiles, rows, zoom, wide[zoom] * 2)
                if (sum(filled.values()) - filled[zoom] + more) * self.row_bytes <= room:
                    wide[zoom], filled[zoom], is_full = wide[zoom] * 2, more, False
        return wide, filled

    async def _filled(self, tiles: Tiles, rows: int, zoom: int, wide: int) -> float:
        found = await filled_cells(self.session, self.table, self.placing, rows, zoom, wide)
        return sum(found.get(tile, 0.0) for tile in tiles[zoom]) + 1.0

    async def _choose(self, tiles: Tiles, wide: Mapping[int, int], rows: int, chosen: str) -> None:
        """Make the table `chosen` of the representative of each cell, whose width is that of the last zoom level at
        which it lies in a full tile: of `@cells` along the world's edge."""
        session, counted = self.session, f"c{chosen.rpartition('.')[2]}"
        weight = await self._note_areas(tiles, wide)
        source = self.table
        if weight <= MAX_SEARCHED * rows:
            source = self.table.model_copy(update={"schema_name": "pg_temp", "name": "near"})
            await self._find_rows(tiles)
        finest = max(self.finest.cells, *(width << zoom for zoom, width in wide.items()))
        place, x, y = bands.placed(source, self.placing)
        shift = (finest // self.finest.cells).bit_length() - 1
        # The planner expects few rows, and would sort all of them.
        await session.execute("SET LOCAL enable_mergejoin = off; SET LOCAL enable_sort = off")
        await session.execute(
            f"""CREATE UNLOGGED TABLE {SCHEMA}.{counted} AS
            SELECT area.cells, t."@x" / ({finest} / area.cells) AS x, t."@y" / ({finest} / area.cells) AS y,
              count(*) AS weight, max({self.placing.rank}) AS rank, 0.0::float8 AS area
              {summaries.computed(self.table, self.summed)}
            FROM (SELECT t.*, floor({x} * {finest})::int AS "@x", floor({y} * {finest})::int AS "@y"
                  FROM {sql_name(source)} AS t{place} WHERE {self.placing.is_placed} OFFSET 0) AS t
            JOIN area ON area.x = t."@x" >> {shift} AND area.y = t."@y" >> {shift} GROUP BY 1, 2, 3"""  # noqa: S608
        )
        await session.execute("SET LOCAL enable_mergejoin TO DEFAULT; SET LOCAL enable_sort TO DEFAULT")
        await session.execute(f"ANALYZE {SCHEMA}.{counted}")
        await session.execute(
            bands.representatives(source, self.placing, self.columns, self.summed, chosen, counted, None)
        )
        await session.execute(f"DROP TABLE {SCHEMA}.{counted}")

    async def _note_areas(self, tiles: Tiles, wide: Mapping[int, int]) -> int:
        """Make the temporary table `area` of the cells of the finest band that lie in full tiles, with the cells that
        are wanted there. Returns the number of their rows."""
        session, parts = self.session, []
        await session.execute("DROP TABLE IF EXISTS pg_temp.area, pg_temp.full_tile")
        await session.execute("CREATE TEMPORARY TABLE full_tile (zoom int, x int, y int) ON COMMIT DROP")
        for zoom, each in tiles.items():
            columns, rows = zip(*each, strict=True)
            await session.execute(
                f"INSERT INTO full_tile SELECT {zoom}, * FROM unnest($1::int[], $2::int[])",  # noqa: S608 - a number
                columns,
                rows,
            )
            shift = (self.finest.cells >> zoom).bit_length() - 1
            parts.append(
                f"""SELECT band."@x" AS x, band."@y" AS y, "{WEIGHT}" AS weight, {wide[zoom] << zoom} AS cells
                FROM {SCHEMA}.{quoted(self.finest.name)} AS band JOIN full_tile AS tile ON tile.zoom = {zoom}
                  AND tile.x = band."@x" >> {shift} AND tile.y = band."@y" >> {shift}"""  # noqa: S608 - our own names
            )
        await session.execute(
            f"""CREATE TEMPORARY TABLE area ON COMMIT DROP AS
            SELECT x, y, max(weight) AS weight, max(cells) AS cells FROM ({" UNION ALL ".join(parts)}) AS found
            GROUP BY x, y"""  # noqa: S608 - as above
        )
        await session.execute("ANALYZE area")
        return int(await session.fetchval("SELECT coalesce(sum(weight), 0) FROM area"))

    async def _find_rows(self, tiles: Tiles) -> None:
        """Make the temporary table `near` of the rows in full tiles."""
        full = "(SELECT x, y FROM full_tile WHERE zoom = {}) AS tile"
        parts = (search_boxes(full.format(zoom), 1 << zoom, self.crs) for zoom in tiles)
        boxes = " UNION ALL ".join(parts)
        await self.session.execute("DROP TABLE IF EXISTS pg_temp.tile_box")
        await self.session.execute(f"CREATE TEMPORARY TABLE tile_box ON COMMIT DROP AS {boxes}")
        await self.session.execute("ANALYZE tile_box")
        await find_rows(self.session, self.table, self.relid, "tile_box")

    async def _merge(self, made: str, sources: Sequence[tuple[str, int]]) -> None:
        """Make the representatives of a zoom level from those of `sources`, each with so many cells in one."""
        names = "".join(f", {quoted(name)}" for name in self.columns)
        rest = f'"{WEIGHT}", "@area", "@rank", "@shape"{names}{summaries.kept(self.summed)}'
        read = " UNION ALL ".join(
            f'SELECT "@x" / {merged} AS "@x", "@y" / {merged} AS "@y", {rest} FROM {source}'  # noqa: S608 - our own names
            for source, merged in sources
        )
        finer = f"({read}) AS finer"
        await self.session.execute(bands.coarser(self.columns, self.summed, finer, made, shift=0))

    async def _fitting(
        self, work: str, tiles: Sequence[tuple[int, int]], wide: int, room: int
    ) -> tuple[int, dict[tuple[int, int], int]]:
        """Make the cells wider until there is room for these tiles. Returns how many are in a row of a tile, and how
        many each tile has."""
        while True:
            counted = await self.session.fetch(
                f'SELECT "@x" / {wide} AS x, "@y" / {wide} AS y, count(*) AS cells FROM {work} GROUP BY 1, 2'  # noqa: S608
            )
            filled = {(row["x"], row["y"]): row["cells"] for row in counted}
            size = sum(filled.get(tile, 0) for tile in tiles) * self.row_bytes
            if size <= room or wide <= MIN_CELLS:
                return wide, filled
            await self.session.execute(bands.coarser(self.columns, self.summed, work, f"{work}_c", shift=1))
            await replace_table(self.session, work, f"{work}_c")
            wide //= 2

    async def _band(
        self, work: str, name: str, zoom: int, tiles: Sequence[tuple[int, int]], wide: int, room: int
    ) -> DenseBand | None:
        """Make the band `name` of those of the tiles that there is room for."""
        session = self.session
        while tiles:
            await note_tiles(session, self.crs, zoom, tiles)
            inside = f"""(SELECT work.* FROM {work} AS work
              JOIN tile ON tile.x = work."@x" / {wide} AND tile.y = work."@y" / {wide}) AS inside"""  # noqa: S608
            drawn = bands.drawn(
                self.table, self.columns, self.summed, inside, wide << zoom, zoom, is_ranked=False
            )
            await session.execute(f"CREATE TABLE {SCHEMA}.{quoted(name)} AS {drawn}")
            size = await index_band(session, name, bands.geometry(self.table))
            band = DenseBand(
                zoom=zoom, name=name, rows=size, cells=wide << zoom, tiles=frozenset(tiles),
                weight=await weight_of(session, name), summed=True, has_margin=False,
            )  # fmt: skip
            taken = await size_of(session, [band])
            if taken <= room:
                return band
            await session.execute(f"DROP TABLE {SCHEMA}.{quoted(name)}")
            tiles = tiles[: int(len(tiles) * min(0.9, room / taken))]
        return None
