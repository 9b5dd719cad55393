"""Renews the part of a table's overviews whose rows have changed.

One transaction takes the changed cells that triggers have noted, computes their representatives again from the rows in
them, which an index finds, and then those of the coarser bands, each from the band before it. What cannot be renewed in
parts is built again as a whole: very many cells, another file or other columns, cells at the edge of a projection.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import sql_name
from server.gis.overviews import bands, summaries
from server.gis.overviews.changed_cells import FINEST, mark_of, name_of
from server.gis.overviews.dense.tiles import note_tiles
from server.gis.overviews.finding import find_rows
from server.gis.overviews.ladder import SCHEMA, WEIGHT, Band, DenseBand, Ladder, OverviewRow
from server.gis.overviews.placing import Placing, search_boxes
from server.gis.overviews.stored import weight_of
from server.gis.overviews.summaries import FilteredRows, Summary
from server.gis.profiles.versions import TableState
from server.gis.tiles.projection import Crs

AnyBand = TypeVar("AnyBand", bound=Band)
MAX_CELLS = 20_000
"""Changed cells of the finest band."""
MAX_PART = 0.1
"""Share of the cells with rows that are renewed as parts."""


class _Whole(Exception):
    """It cannot be renewed in parts."""


@dataclass(frozen=True)
class Renewed:
    """Bands as the rows are now: of all rows, and of those that pass a filter, by the filter."""

    ladder: Ladder
    filtered: dict[str, Ladder]


@dataclass(frozen=True)
class _Part:
    """The rows of a table that a ladder represents."""

    session: asyncpg.Connection
    table: Table
    relid: int
    ladder: Ladder
    placing: Placing
    crs: Crs
    condition: str = "true"

    @property
    def summed(self) -> Sequence[Summary]:
        return self.ladder.summaries or ()


async def renewed(
    session: asyncpg.Connection,
    table: Table,
    state: TableState,
    row: OverviewRow,
    placed: tuple[Placing, Crs],
    most_rows: int,
    filters: Collection[str],
) -> Renewed | None:
    """The bands of all rows, and of those that pass one of the `filters`, where these can be renewed, too; None where
    the whole has to be built again. `most_rows` may be in a tile that is drawn from the table."""
    ladder, (placing, crs) = row.ladder, placed
    if ladder is None or not ladder.mark or ladder.mark != await mark_of(session, state.relid):
        return None
    try:
        async with session.transaction(isolation="repeatable_read"):
            await _take_noted(session, state.relid)
            made = await _renew(_Part(session, table, state.relid, ladder, placing, crs), most_rows)
            filtered = {}
            for name in filters:
                known = row.filtered[name]
                # Cells were noted since the overviews of all rows were made, so those of a filter may not be older.
                if known.ladder.mark != ladder.mark or known.built_at < (row.built_at or 0.0):
                    continue
                rows = FilteredRows(filter=name)
                passing, condition = placing.passing(table, rows), rows.condition(table)
                part = _Part(session, table, state.relid, known.ladder, passing, crs, condition)
                with suppress(_Whole, asyncpg.PostgresError):
                    async with session.transaction():
                        filtered[name] = await _renew(part, most_rows)
            return Renewed(made, filtered)
    except (_Whole, asyncpg.PostgresError):
        return None


async def _take_noted(session: asyncpg.Connection, relid: int) -> None:
    """Make the temporary table `noted` of the cells that changed, as they are noted."""
    await session.execute(
        f"""CREATE TEMPORARY TABLE noted ON COMMIT DROP AS
        WITH taken AS (DELETE FROM {name_of(relid)} RETURNING x, y) SELECT DISTINCT x, y FROM taken"""  # noqa: S608
    )


async def _renew(part: _Part, most_rows: int) -> Ladder:
    ladder = await _bands(part, most_rows)
    dense = [await _dense(part, band) for band in part.ladder.dense or ()]
    return ladder.model_copy(update={"dense": tuple(dense)})


async def _find_changed(part: _Part) -> None:
    """Make the temporary table `changed` of the cells of the finest band that changed."""
    session, ladder = part.session, part.ladder
    shift = (FINEST // ladder.cells).bit_length() - 1
    await session.execute("DROP TABLE IF EXISTS pg_temp.changed, pg_temp.boxes")
    await session.execute(
        f"""CREATE TEMPORARY TABLE changed ON COMMIT DROP AS
        SELECT DISTINCT x >> {shift} AS x, y >> {shift} AS y FROM noted"""  # noqa: S608 - a number
    )
    cells, is_whole = await session.fetchrow("SELECT count(*), bool_or(x IS NULL) FROM changed")
    if is_whole or cells > min(MAX_CELLS, MAX_PART * ladder.bands[-1].rows):
        raise _Whole


async def _find_rows(part: _Part, cells: int, tested: str = "true") -> None:
    """Make the temporary table `near` of the rows of the table that may lie in changed cells, and pass a test."""
    session, crs = part.session, part.crs
    if crs.kind == "projected":
        edge = f"y IN (0, {cells - 1})"
        if await session.fetchval(f"SELECT EXISTS (SELECT FROM changed WHERE {edge})"):  # noqa: S608 - a number
            raise _Whole  # They also hold all rows beyond the edge of the map, for which there is no box.
    await session.execute(
        f"CREATE TEMPORARY TABLE boxes ON COMMIT DROP AS {search_boxes('changed', cells, crs)}"
    )
    await session.execute("ANALYZE boxes")
    await find_rows(session, part.table, part.relid, "boxes", tested)


async def _bands(part: _Part, most_rows: int) -> Ladder:
    """Replace the representatives of changed cells in each band, from the finest to the coarsest."""
    session, table, ladder, summed = part.session, part.table, part.ladder, part.summed
    made = f"{SCHEMA}.m{part.relid}"
    await _find_changed(part)
    await _find_rows(part, ladder.cells)
    await _choose(part, summed, ladder.cells, made)
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
        renewed_bands.insert(0, await _replace(part, summed, band, made))
        if finer is None:
            await _check_tiles(session, ladder, band, most_rows)
        finer = band
    rows = await weight_of(session, ladder.bands[0].name)
    total = await session.fetchval(f"SELECT count(*) FROM {sql_name(table)} AS t WHERE {part.condition}")  # noqa: S608
    if total < rows:
        raise _Whole
    return ladder.model_copy(update={"rows": rows, "unplaced": total - rows, "bands": tuple(renewed_bands)})


async def _dense(part: _Part, band: DenseBand) -> DenseBand:
    """Replace the representatives of changed cells in a band of dense tiles."""
    session, table = part.session, part.table
    await session.execute("DROP TABLE changed, boxes")
    await session.execute(
        f"""CREATE TEMPORARY TABLE changed ON COMMIT DROP AS
        SELECT DISTINCT column_::int AS x, row_::int AS y FROM noted,
          generate_series(x::bigint * {band.cells} / {FINEST}, ((x + 1)::bigint * {band.cells} - 1) / {FINEST}) AS column_,
          generate_series(y::bigint * {band.cells} / {FINEST}, ((y + 1)::bigint * {band.cells} - 1) / {FINEST}) AS row_"""  # noqa: S608, E501
    )
    await note_tiles(session, part.crs, band.zoom, band.tiles)
    reaching = f"EXISTS (SELECT FROM tile_box WHERE t.{bands.geometry(table)} && tile_box.box)"
    if not band.has_margin:
        wide, reaching = band.cells >> band.zoom, "true"
        await session.execute(
            f"DELETE FROM changed WHERE (x / {wide}, y / {wide}) NOT IN (SELECT x, y FROM tile)"  # noqa: S608
        )
    if await session.fetchval("SELECT count(*) FROM changed") > MAX_CELLS:
        raise _Whole
    await _find_rows(part, band.cells, reaching)
    made = f"{SCHEMA}.m{band.name}"
    summed = part.summed if band.summed else ()
    await _choose(part, summed, band.cells, made)
    return await _replace(part, summed, band, made)


async def _choose(part: _Part, summed: Sequence[Summary], cells: int, made: str) -> None:
    """Make the table of the representatives of changed cells, from the rows that are near."""
    session, placing, columns = part.session, part.placing, part.ladder.columns
    near = part.table.model_copy(update={"schema_name": "pg_temp", "name": "near"})
    cell = f"n{made.rpartition('.')[2]}"
    await session.execute(bands.counted(near, placing, summed, cell, cells))
    await session.execute(
        f"DELETE FROM {SCHEMA}.{cell} WHERE (x, y) NOT IN (SELECT x, y FROM changed)"  # noqa: S608 - our own names
    )
    await session.execute(bands.representatives(near, placing, columns, summed, made, cell, cells))
    await session.execute(f"DROP TABLE {SCHEMA}.{cell}")


async def _check_tiles(session: asyncpg.Connection, ladder: Ladder, finest: Band, most_rows: int) -> None:
    """Raise _Whole where a tile that was drawn from the table now holds too many rows."""
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


async def _replace(part: _Part, summed: Sequence[Summary], band: AnyBand, made: str) -> AnyBand:
    """Put the representatives `made` in place of those that the band has of the changed cells."""
    session, ladder = part.session, part.ladder
    name = f"{SCHEMA}.{quoted(band.name)}"
    is_dense = isinstance(band, DenseBand)
    cells = band.cells if is_dense else ladder.cells_of(band.zoom)
    await session.execute(
        f'DELETE FROM {name} WHERE ("@x", "@y") IN (SELECT x, y FROM changed)'  # noqa: S608 - our own names
    )
    rows = bands.drawn(part.table, ladder.columns, summed, made, cells, band.zoom, is_ranked=not is_dense)
    await session.execute(f"INSERT INTO {name} {rows}")
    await session.execute(f"DROP TABLE {made}")
    return band.model_copy(update={"rows": await session.fetchval(f"SELECT count(*) FROM {name}")})  # noqa: S608
