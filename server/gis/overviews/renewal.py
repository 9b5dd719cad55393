"""Renews the part of a table's overviews whose rows have changed.

One transaction takes the changed cells that triggers have noted, computes their representatives again from the rows in
them, which an index finds, and then those of the coarser bands, each from the band before it. What cannot be renewed in
parts is built again as a whole: very many cells, another file or other columns, cells at the edge of a projection.
"""

from __future__ import annotations

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import sql_name
from server.gis.overviews import bands, summaries
from server.gis.overviews.changed_cells import FINEST, mark_of, name_of
from server.gis.overviews.ladder import SCHEMA, WEIGHT, Band, Ladder
from server.gis.overviews.placing import PI, Placing
from server.gis.profiles.versions import TableState
from server.gis.tiles.grid import HALF_WORLD, WORLD
from server.gis.tiles.projection import Crs

MAX_CELLS = 20_000
"""Changed cells of the finest band."""
MAX_PART = 0.1
"""Of all its cells that have rows."""
MARGIN = 1e-6
"""Part of a cell by which its search box is larger."""
_OTHER_SIDES = "(VALUES (-360), (0), (360)) AS side (shift)"
"""Longitudes beyond 180 degrees count on the other side."""


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
            await _find_rows(session, table, ladder, crs)
            return await _renew(session, table, state, ladder, placing, most_rows)
    except (_Whole, asyncpg.PostgresError):
        return None


async def _take_changed(session: asyncpg.Connection, relid: int, ladder: Ladder) -> None:
    """Make the temporary table `changed` of the cells of the finest band that changed."""
    shift = (FINEST // ladder.cells).bit_length() - 1
    await session.execute(
        f"""CREATE TEMPORARY TABLE changed ON COMMIT DROP AS
        WITH taken AS (DELETE FROM {name_of(relid)} RETURNING x, y)
        SELECT DISTINCT x >> {shift} AS x, y >> {shift} AS y FROM taken"""  # noqa: S608 - our own names
    )
    cells, is_whole = await session.fetchrow("SELECT count(*), bool_or(x IS NULL) FROM changed")
    if is_whole or cells > min(MAX_CELLS, MAX_PART * ladder.bands[-1].rows):
        raise _Whole


async def _find_rows(session: asyncpg.Connection, table: Table, ladder: Ladder, crs: Crs) -> None:
    """Make the temporary table `near` of the rows of the table that may lie in changed cells."""
    geometry = bands.geometry(table)
    if crs.kind == "projected":
        edge = f"y IN (0, {ladder.cells - 1})"
        if await session.fetchval(f"SELECT EXISTS (SELECT FROM changed WHERE {edge})"):  # noqa: S608 - a number
            raise _Whole  # All beyond the edge of the map is in them, which has no box there.
    await session.execute(f"CREATE TEMPORARY TABLE boxes ON COMMIT DROP AS {_boxes(ladder.cells, crs)}")
    await session.execute("ANALYZE boxes")
    await session.execute(
        f"""CREATE TEMPORARY TABLE near ON COMMIT DROP AS SELECT * FROM {sql_name(table)} WHERE ctid = ANY (
        ARRAY(SELECT t.ctid FROM boxes JOIN {sql_name(table)} AS t ON t.{geometry} && boxes.box))"""  # noqa: S608 - quoted
    )


def _boxes(cells: int, crs: Crs) -> str:
    """The search boxes of changed cells in the table's system. The outermost ones have all that is beyond them."""
    if crs.kind == "lonlat":
        west, east = (f"(x + {each!r}) * 360.0 / {cells} - 180 + shift" for each in (-MARGIN, 1 + MARGIN))
        north, south = (
            f"degrees(2 * atan(exp({PI} - 2 * {PI} * (y + {each!r}) / {cells})) - {PI} / 2)"
            for each in (-MARGIN, 1 + MARGIN)
        )
        north = f"CASE WHEN y = 0 THEN 90 ELSE {north} END"
        south = f"CASE WHEN y = {cells - 1} THEN -90 ELSE {south} END"
        box = f"ST_MakeEnvelope({west}, {south}, {east}, {north}, {crs.srid})"
        return f"SELECT {box} AS box FROM changed, {_OTHER_SIDES}"  # noqa: S608 - numbers
    size, far = WORLD / cells, 1e12 if crs.kind == "mercator" else 0.0
    low, high = (f"{{0}} * {size!r} - {HALF_WORLD!r}", f"({{0}} + 1) * {size!r} - {HALF_WORLD!r}")
    first, last = (f"CASE WHEN {{0}} = {each} THEN {far!r} ELSE 0 END" for each in (0, cells - 1))
    west, east = (f"{low} - {first}".format("x"), f"{high} + {last}".format("x"))
    north, south = (f"-({low} - {first})".format("y"), f"-({high} + {last})".format("y"))
    cell = f"ST_Expand(ST_MakeEnvelope({west}, {south}, {east}, {north}, 3857), {size * MARGIN!r})"
    if crs.kind == "projected":
        outline = f"ST_Transform(ST_Segmentize({cell}, {size / 8!r}), {crs.srid})"
        cell = f"ST_Expand(ST_Envelope({outline}), 0.02 * ST_Length(ST_BoundingDiagonal({outline})))"
    return f"SELECT {cell} AS box FROM changed"  # noqa: S608 - numbers


async def _renew(
    session: asyncpg.Connection,
    table: Table,
    state: TableState,
    ladder: Ladder,
    placing: Placing,
    most_rows: int,
) -> Ladder:
    """Replace the representatives of changed cells in each band, from the finest to the coarsest."""
    near = table.model_copy(update={"schema_name": "pg_temp", "name": "near"})
    summed, cell, made = ladder.summaries or (), f"n{state.relid}", f"{SCHEMA}.m{state.relid}"
    await session.execute(bands.counted(near, placing, summed, cell, ladder.cells))
    await session.execute(
        f"DELETE FROM {SCHEMA}.{cell} WHERE (x, y) NOT IN (SELECT x, y FROM changed)"  # noqa: S608 - our own names
    )
    await session.execute(
        bands.representatives(near, placing, ladder.columns, summed, made, cell, ladder.cells)
    )
    await session.execute(f"DROP TABLE {SCHEMA}.{cell}")
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
        renewed_bands.insert(0, await _replace(session, table, ladder, band, made))
        if finer is None:
            await _check_tiles(session, ladder, band, most_rows)
        finer = band
    counted = f'SELECT coalesce(sum("{WEIGHT}"), 0)::bigint FROM {SCHEMA}.{quoted(ladder.bands[0].name)}'  # noqa: S608
    rows = await session.fetchval(counted)
    total = await session.fetchval(f"SELECT count(*) FROM {sql_name(table)}")  # noqa: S608 - quoted
    if total < rows:
        raise _Whole
    return ladder.model_copy(update={"rows": rows, "unplaced": total - rows, "bands": tuple(renewed_bands)})


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


async def _replace(session: asyncpg.Connection, table: Table, ladder: Ladder, band: Band, made: str) -> Band:
    """Put the representatives `made` in place of those that the band has of the changed cells."""
    name = f"{SCHEMA}.{quoted(band.name)}"
    cells, summed = ladder.cells_of(band.zoom), ladder.summaries or ()
    await session.execute(
        f'DELETE FROM {name} WHERE ("@x", "@y") IN (SELECT x, y FROM changed)'  # noqa: S608 - our own names
    )
    rows = bands.drawn(table, ladder.columns, summed, made, cells, band.zoom, is_ranked=True)
    await session.execute(f"INSERT INTO {name} {rows}")
    await session.execute(f"DROP TABLE {made}")
    return band.model_copy(update={"rows": await session.fetchval(f"SELECT count(*) FROM {name}")})  # noqa: S608
