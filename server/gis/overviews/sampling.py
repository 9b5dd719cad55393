"""What can be estimated about overviews from a sample of the table, before they are built."""

from __future__ import annotations

import math
from collections.abc import Sequence

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import sql_name
from server.gis.overviews import bands
from server.gis.overviews.ladder import CELLS, SCHEMA
from server.gis.overviews.placing import Placing
from server.gis.overviews.summaries import Summary
from server.gis.profiles.versions import TableState

DEEPEST = 11
"""The last zoom level that may be drawn from a band."""
MAX_ROWS = 24_000
"""Rows of a tile that is drawn from the table: with some attributes each, about 400 KB."""
MAX_TILE_BYTES = 330_000
"""Size of a tile that is drawn from a band, with gzip: about a byte for each vertex, and some for each row."""
ROW_BYTES = 26
INDEX_BYTES = 50
"""Size of the header of a representative and its entry in the index."""
SIMPLIFIED_BYTES = 250
"""The shape of a representative."""
SAMPLE_ROWS = 200_000
FEW_ROWS = 2_000
"""Rows of which a mean is computed."""


async def first_sparse_zoom(
    session: asyncpg.Connection, table: Table, state: TableState, placing: Placing, cap: int
) -> int:
    """The first zoom level at which no tile holds more rows than it may draw (`cap`), by a sample of the table."""
    percent, places = _sampled_places(table, placing, _percent(state.rows))
    most_rows = min(MAX_ROWS, cap * 0.8)
    fullest = await session.fetch(
        f"""WITH {places}
            SELECT z, max(n) FROM generate_series(0, {DEEPEST}) AS z CROSS JOIN LATERAL (
              SELECT count(*) AS n FROM place GROUP BY floor(x * (1 << z)), floor(y * (1 << z))) AS tile
            GROUP BY z ORDER BY z"""  # noqa: S608 - expressions and names of the registry
    )
    full = [zoom for zoom, most in fullest if most * 100 / percent > most_rows]
    return max(full) + 1 if full else 0


async def fitting_cells(
    session: asyncpg.Connection, table: Table, placing: Placing, rows: int, finest: int, most: int
) -> int:
    """Cells along the world's edge of which about `most` have rows, by a sample; at most those of the finest band.

    Where rows lie at random, n of them fill as many cells for each row as 4 n of them fill cells half as wide. So a
    sample of one in 4^k rows tells how many cells are filled that are k times halved. Rows of one page lie near
    each other in many tables, so too few filled cells are expected rather than too many.
    """
    percent, places = _sampled_places(table, placing, _percent(rows))
    halvings = round(math.log2(100 / percent) / 2)
    filled = await session.fetch(
        f"""WITH {places}
            SELECT z, count(*) FROM generate_series(0, {finest}) AS z CROSS JOIN LATERAL (SELECT FROM place
              GROUP BY floor(x * ({CELLS} << z)), floor(y * ({CELLS} << z))) AS cell
            GROUP BY z ORDER BY z DESC"""  # noqa: S608 - expressions and names of the registry
    )
    for zoom, cells in filled:
        if zoom + halvings <= finest and cells * 100 / percent <= most:
            return bands.cells_of(zoom + halvings)
    return bands.cells_of(min(finest, halvings))


async def filled_cells(
    session: asyncpg.Connection, table: Table, placing: Placing, rows: int, zoom: int, wide: int
) -> dict[tuple[int, int], float]:
    """About how many cells have rows in each tile of a zoom level, with `wide` cells in a row, by a sample as above."""
    # For a sample of one in n^2 rows, cells are n times as wide; a tile has a whole number of them.
    across = max(1, int(wide * math.sqrt(_percent(rows) / 100)))
    sampled, percent = across << zoom, 100 * (across / wide) ** 2
    percent, places = _sampled_places(table, placing, percent)
    filled = await session.fetch(
        f"""WITH {places}
            SELECT column_, row_, count(*) FROM (
              SELECT DISTINCT floor(x * {1 << zoom})::int AS column_, floor(y * {1 << zoom})::int AS row_,
                floor(x * {sampled}), floor(y * {sampled}) FROM place) AS cell
            GROUP BY column_, row_"""  # noqa: S608 - expressions and names of the registry
    )
    return {(column, row): cells * 100 / percent for column, row, cells in filled}


async def is_too_full(session: asyncpg.Connection, table: Table, band: str, cells: int, zoom: int) -> bool:
    """Whether the fullest tile of a zoom level would be too large from a band of so many `cells`. Points never are."""
    if table.geometry_family == "point":
        return False
    shift = (cells >> zoom).bit_length() - 1
    fullest = await session.fetchval(
        f"""SELECT max(size) FROM (
          SELECT {ROW_BYTES} * count(*) + sum(ST_NPoints({bands.geometry(table)})) AS size
          FROM {SCHEMA}.{quoted(band)} GROUP BY "@x" >> {shift}, "@y" >> {shift}) AS tile"""  # noqa: S608 - our own names
    )
    return (fullest or 0) > MAX_TILE_BYTES


async def most_representatives(
    session: asyncpg.Connection,
    table: Table,
    state: TableState,
    share: float,
    rows: int,
    summed: Sequence[Summary],
) -> int:
    """How many representatives the finest band of so many `rows` may have. With their indexes and the coarser bands,
    points take about three times their share of the rows; with summaries half as much again as rows that are wider.
    Shapes take less, because they are simplified."""
    width = max(1.0, state.bytes / max(1, state.rows))
    stored, most = width if table.lake is None else table.lake.bytes / max(1, table.lake.rows), 1 / 3
    if table.geometry_family != "point":
        saved = await _mean_geometry_bytes(session, table, state.rows) - SIMPLIFIED_BYTES
        width, most = max(width / 10, width - max(0.0, saved)), 1 / 2
    wide = width + INDEX_BYTES + sum(summary.bytes for summary in summed)
    return max(20_000, int(rows * min(most, share * stored / (1.5 * wide))))


async def _mean_geometry_bytes(session: asyncpg.Connection, table: Table, rows: int) -> float:
    """The mean size of a geometry as stored, by a sample of the `rows` of a table."""
    percent, sampled = min(100.0, 100.0 * FEW_ROWS / max(1, rows)), ""
    if table.lake is None and table.kind != "view":
        sampled = f" TABLESAMPLE SYSTEM ({percent})"
    return float(
        await session.fetchval(
            f"""SELECT coalesce(avg(pg_column_size(g)), 0) FROM (
            SELECT {bands.geometry(table)} AS g FROM {sql_name(table)}{sampled} LIMIT {FEW_ROWS}) AS stored"""  # noqa: S608
        )
    )


def _percent(rows: int) -> float:
    """The percentage to sample of so many rows."""
    return min(100.0, 100.0 * SAMPLE_ROWS / max(1, rows))


def _sampled_places(table: Table, placing: Placing, percent: float) -> tuple[float, str]:
    """How many percent of the rows of a table it has, and a common table expression, `place`, of where they are. Of a
    lake table, PostgreSQL holds a sample already."""
    sampled, chosen = f" TABLESAMPLE SYSTEM ({percent})", ""
    if table.lake is not None:
        percent, sampled = 100.0 / table.lake.factor, ""
    elif table.kind == "view":
        sampled, chosen = "", f" AND random() < {percent / 100!r}"
    places = f"""place AS MATERIALIZED (SELECT {placing.x} AS x, {placing.y} AS y
      FROM {sql_name(table)} AS t{sampled}{placing.joined} WHERE {placing.is_placed}{chosen})"""  # noqa: S608 - of the registry
    return percent, places
