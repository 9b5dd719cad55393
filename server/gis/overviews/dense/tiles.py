"""Which tiles have bands of dense tiles, and which tables."""

from __future__ import annotations

from collections.abc import Collection

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import is_geography
from server.gis.overviews.finding import INDEXED, TREE
from server.gis.overviews.ladder import SCHEMA, WEIGHT, Band, Ladder
from server.gis.overviews.placing import Placing, read_placing, search_boxes
from server.gis.overviews.steps import Build, Steps
from server.gis.tiles.grid import BUFFER, EXTENT
from server.gis.tiles.projection import Crs

DENSE_ROWS, DENSE_POINTS = 4_000, 14_000
"""Rows of a tile that take no longer to read than to draw."""
MAX_TILES = 1_000
"""Fullest tiles of a zoom level that get a band."""


def lacks_dense_bands(table: Table, ladder: Ladder) -> bool:
    """Whether overviews are of an earlier version of the program, which made no such bands, or of points for some of
    the full tiles only."""
    if table.lake is not None:
        return False
    is_old = table.geometry_family == "point" and any(band.has_margin for band in ladder.dense or ())
    return ladder.dense is None or is_old


async def placing_for_dense_bands(build: Build, steps: Steps) -> tuple[Placing, Crs] | None:
    """Where rows are on the map; None for tables without an index that finds the rows of some tiles."""
    session, table = build.session, build.table
    column = table.column(table.geometry_column or "")
    if column is None or is_geography(column) or table.lake is not None:
        return None
    if not await session.fetchval(_IS_INDEXED, build.state.relid, column.name):
        return None
    placed = await read_placing(session, table)
    return None if placed is None else (placed[0].passing(table, steps.rows_of), placed[1])


async def dense_tiles(
    session: asyncpg.Connection, crs: Crs, finest: Band, zoom: int, least: int
) -> list[tuple[int, int]]:
    """The tiles with the most rows, more than `least`, by the cells of the finest band; the fullest first."""
    shift = (finest.cells >> zoom).bit_length() - 1
    if shift < 0:
        return []
    rows = await session.fetch(
        f"""SELECT "@x" >> {shift} AS x, "@y" >> {shift} AS y FROM {SCHEMA}.{quoted(finest.name)} GROUP BY 1, 2
        HAVING sum("{WEIGHT}") > {least} ORDER BY sum("{WEIGHT}") DESC LIMIT {MAX_TILES}"""  # noqa: S608
    )
    # In projected systems, it is not known how far those at the edge of the map reach.
    edges = (0, (1 << zoom) - 1) if crs.kind == "projected" else ()
    return [(row["x"], row["y"]) for row in rows if row["y"] not in edges]


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


_IS_INDEXED = f"{TREE} SELECT {INDEXED}"
