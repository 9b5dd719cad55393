"""Renews the part of a table's overviews whose rows have changed.

One transaction takes the changed cells that triggers have noted, computes their representatives again from the rows in
them, which an index finds, and then those of the coarser bands, each from the band before it. What cannot be renewed in
parts is built again as a whole: very many cells, another file or other columns, cells at the edge of a projection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import sql_name
from server.gis.overviews import bands, summaries
from server.gis.overviews.changed_cells import FINEST, mark_of, name_of
from server.gis.overviews.dense.tiles import note_tiles
from server.gis.overviews.finding import find_rows
from server.gis.overviews.ladder import SCHEMA, WEIGHT, Band, DenseBand, Ladder
from server.gis.overviews.placing import Placing, search_boxes
from server.gis.overviews.summaries import Summary
from server.gis.profiles.versions import TableState
from server.gis.tiles.projection import Crs

AnyBand = TypeVar("AnyBand", bound=Band)
MAX_CELLS = 20_000
"""Changed cells of the finest band."""
MAX_PART = 0.1
"""Of all its cells that have rows."""


class _Whole(Exception):
    """It cannot be renewed in parts."""


async def renewed(
    session: asyncpg.Connection,
    table: Table,
    state: TableState,
    ladder: Ladder,
    placing: Placing,
    crs: Crs,
    most_rows: int,
) -> Ladder | None:
    """The ladder with its bands as the rows are now; None where the whole has to be built again. `most_rows` may be in
    a tile that is drawn from the table."""
    if not ladder.mark or ladder.mark != await mark_of(session, state.relid):
        return None
    try:
        async with session.transaction(isolation="repeatable_read"):
            await _take_changed(session, state.relid, ladder)
            await _find_rows(session, table, state.relid, ladder.cells, crs)
            made = await _renew(session, table, state, ladder, placing, most_rows)
            dense = [
                await _dense(session, table, state.relid, ladder, band, placing, crs)
                for band in ladder.dense or ()
            ]
            return made.model_copy(update={"dense": tuple(dense)})
    except (_Whole, asyncpg.PostgresError):
        return None


async def _take_changed(session: asyncpg.Connection, relid: int, ladder: Ladder) -> None:
    """Make the temporary tables `noted` and `changed` of the cells that changed, as they are noted and those of the
    finest band."""
    shift = (FINEST // ladder.cells).bit_length() - 1
    await session.execute(
        f"""CREATE TEMPORARY TABLE noted ON COMMIT DROP AS
        WITH taken AS (DELETE FROM {name_of(relid)} RETURNING x, y) SELECT DISTINCT x, y FROM taken"""  # noqa: S608
    )
    await session.execute(
        f"""CREATE TEMPORARY TABLE changed ON COMMIT DROP AS
        SELECT DISTINCT x >> {shift} AS x, y >> {shift} AS y FROM noted"""  # noqa: S608 - a number
    )
    cells, is_whole = await session.fetchrow("SELECT count(*), bool_or(x IS NULL) FROM changed")
    if is_whole or cells > min(MAX_CELLS, MAX_PART * ladder.bands[-1].rows):
        raise _Whole


async def _find_rows(
    session: asyncpg.Connection, table: Table, relid: int, cells: int, crs: Crs, tested: str = "true"
) -> None:
    """Make the temporary table `near` of the rows of the table that may lie in changed cells, and pass a test."""
    if crs.kind == "projected":
        edge = f"y IN (0, {cells - 1})"
        if await session.fetchval(f"SELECT EXISTS (SELECT FROM changed WHERE {edge})"):  # noqa: S608 - a number
            raise _Whole  # All beyond the edge of the map is in them, which has no box there.
    await session.execute(
        f"CREATE TEMPORARY TABLE boxes ON COMMIT DROP AS {search_boxes('changed', cells, crs)}"
    )
    await session.execute("ANALYZE boxes")
    await find_rows(session, table, relid, "boxes", tested)


async def _renew(
    session: asyncpg.Connection,
    table: Table,
    state: TableState,
    ladder: Ladder,
    placing: Placing,
    most_rows: int,
) -> Ladder:
    """Replace the representatives of changed cells in each band, from the finest to the coarsest."""
    summed, made = ladder.summaries or (), f"{SCHEMA}.m{state.relid}"
    await _choose(session, table, ladder, placing, summed, ladder.cells, made)
    renewed_bands: list[Band] = []
    finer: Band | None = None
    for band in reversed(ladder.bands):
        if finer is not None:
            shift = (ladder.cells_of(finer.zoom) // ladder.cells_of(band.zoom)).bit_length() - 1
            await session.execute(
                f"""CREATE TEMPORARY TABLE coarser ON COMMIT DROP AS
                SELECT DISTINCT x >> {shift} AS x, y >> {shift} AS y FROM changed"""  # noqa: S608 - a number
            )
            await session.execute("DROP TABLE changed")
            await session.execute("ALTER TABLE coarser RENAME TO changed")
            await session.execute(_from_finer(table, ladder, finer, shift))
            await session.execute(bands.coarser(ladder.columns, summed, "pg_temp.finer", made, shift))
            await session.execute("DROP TABLE pg_temp.finer")
        renewed_bands.insert(0, await _replace(session, table, ladder, summed, band, made))
        if finer is None:
            await _check_tiles(session, ladder, band, most_rows)
        finer = band
    counted = f'SELECT coalesce(sum("{WEIGHT}"), 0)::bigint FROM {SCHEMA}.{quoted(ladder.bands[0].name)}'  # noqa: S608
    rows = await session.fetchval(counted)
    total = await session.fetchval(f"SELECT count(*) FROM {sql_name(table)}")  # noqa: S608 - quoted
    if total < rows:
        raise _Whole
    return ladder.model_copy(update={"rows": rows, "unplaced": total - rows, "bands": tuple(renewed_bands)})


async def _dense(
    session: asyncpg.Connection,
    table: Table,
    relid: int,
    ladder: Ladder,
    band: DenseBand,
    placing: Placing,
    crs: Crs,
) -> DenseBand:
    """Replace the representatives of changed cells in a band of dense tiles."""
    await session.execute("DROP TABLE changed, boxes")
    await session.execute(
        f"""CREATE TEMPORARY TABLE changed ON COMMIT DROP AS
        SELECT DISTINCT column_::int AS x, row_::int AS y FROM noted,
          generate_series(x::bigint * {band.cells} / {FINEST}, ((x + 1)::bigint * {band.cells} - 1) / {FINEST}) AS column_,
          generate_series(y::bigint * {band.cells} / {FINEST}, ((y + 1)::bigint * {band.cells} - 1) / {FINEST}) AS row_"""  # noqa: S608, E501
    )
    await note_tiles(session, crs, band.zoom, band.tiles)
    reaching = f"EXISTS (SELECT FROM tile_box WHERE t.{bands.geometry(table)} && tile_box.box)"
    if not band.has_margin:
        wide, reaching = band.cells >> band.zoom, "true"
        await session.execute(
            f"DELETE FROM changed WHERE (x / {wide}, y / {wide}) NOT IN (SELECT x, y FROM tile)"  # noqa: S608
        )
    if await session.fetchval("SELECT count(*) FROM changed") > MAX_CELLS:
        raise _Whole
    await _find_rows(session, table, relid, band.cells, crs, reaching)
    made = f"{SCHEMA}.m{band.name}"
    summed = (ladder.summaries or ()) if band.summed else ()
    await _choose(session, table, ladder, placing, summed, band.cells, made)
    return await _replace(session, table, ladder, summed, band, made)


async def _choose(
    session: asyncpg.Connection,
    table: Table,
    ladder: Ladder,
    placing: Placing,
    summed: Sequence[Summary],
    cells: int,
    made: str,
) -> None:
    """Make the table of the representatives of changed cells, from the rows that are near."""
    near = table.model_copy(update={"schema_name": "pg_temp", "name": "near"})
    cell = f"n{made.rpartition('.')[2]}"
    await session.execute(bands.counted(near, placing, summed, cell, cells))
    await session.execute(
        f"DELETE FROM {SCHEMA}.{cell} WHERE (x, y) NOT IN (SELECT x, y FROM changed)"  # noqa: S608 - our own names
    )
    await session.execute(bands.representatives(near, placing, ladder.columns, summed, made, cell, cells))
    await session.execute(f"DROP TABLE {SCHEMA}.{cell}")


async def _check_tiles(session: asyncpg.Connection, ladder: Ladder, finest: Band, most_rows: int) -> None:
    """Raises _Whole where a tile that was drawn from the table now holds too many rows."""
    shift = ladder.cells.bit_length() - 1 - ladder.below
    if shift < 0:
        return
    tile = f'"@x" >> {shift}, "@y" >> {shift}'
    fullest = await session.fetchval(
        f"""SELECT max(n) FROM (SELECT sum("{WEIGHT}") AS n FROM {SCHEMA}.{quoted(finest.name)}
        WHERE ({tile}) IN (SELECT x >> {shift}, y >> {shift} FROM changed) GROUP BY {tile}) AS tile"""  # noqa: S608
    )
    if (fullest or 0) > most_rows:
        raise _Whole


def _from_finer(table: Table, ladder: Ladder, finer: Band, shift: int) -> str:
    """Makes the temporary table `finer` of the representatives of a band that lie in changed cells of the next one."""
    names = "".join(f", {quoted(name)}" for name in ladder.columns)
    return f"""CREATE TEMPORARY TABLE finer ON COMMIT DROP AS
      SELECT "@x", "@y", "{WEIGHT}", "@area", "@rank", {bands.geometry(table)} AS "@shape"{names}
        {summaries.kept(ladder.summaries or ())}
      FROM {SCHEMA}.{quoted(finer.name)}
      WHERE ("@x" >> {shift}, "@y" >> {shift}) IN (SELECT x, y FROM changed)"""  # noqa: S608 - our own names


async def _replace(
    session: asyncpg.Connection,
    table: Table,
    ladder: Ladder,
    summed: Sequence[Summary],
    band: AnyBand,
    made: str,
) -> AnyBand:
    """Put the representatives `made` in place of those that the band has of the changed cells."""
    name = f"{SCHEMA}.{quoted(band.name)}"
    is_dense = isinstance(band, DenseBand)
    cells = band.cells if is_dense else ladder.cells_of(band.zoom)
    await session.execute(
        f'DELETE FROM {name} WHERE ("@x", "@y") IN (SELECT x, y FROM changed)'  # noqa: S608 - our own names
    )
    rows = bands.drawn(table, ladder.columns, summed, made, cells, band.zoom, is_ranked=not is_dense)
    await session.execute(f"INSERT INTO {name} {rows}")
    await session.execute(f"DROP TABLE {made}")
    return band.model_copy(update={"rows": await session.fetchval(f"SELECT count(*) FROM {name}")})  # noqa: S608
