"""Builds the overviews of a table, step by step.

The first step reads the table twice in one snapshot: each row adds to the cell of the map that it lies in, and the
most important row of a cell becomes its representative. Each coarser band is made from the one before it. A step and
the note that it is done are one transaction, so a build that was stopped goes on where it was. Bands in use stay until
the new ones are complete.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import sql_name
from server.gis.overviews import bands, files
from server.gis.overviews.caps import USUAL_CAPS, TileCaps
from server.gis.overviews.changed_cells import (
    WATCHED_SCHEMAS,
    forget,
    mark_of,
    name_of,
    unwatch,
    watch,
)
from server.gis.overviews.dense.making import make_dense_bands
from server.gis.overviews.dense.tiles import lacks_dense_bands, placing_for_dense_bands
from server.gis.overviews.files import CellsOfFiles, WantedCells
from server.gis.overviews.ladder import (
    MIN_CELLS,
    SCHEMA,
    ZOOMS,
    Band,
    DenseBand,
    Ladder,
    OverviewStore,
)
from server.gis.overviews.placing import Placing, read_placing
from server.gis.overviews.renewal import renewed
from server.gis.overviews.sampling import first_sparse_zoom, fitting_cells, is_too_full, most_representatives
from server.gis.overviews.steps import Build, Steps, under_way
from server.gis.overviews.stored import (
    drop_tables,
    fail,
    finish,
    finish_filtered,
    index_band,
    note,
    replace_table,
    size_of,
    size_of_all,
)
from server.gis.overviews.summaries import FilteredRows, Need, Summary
from server.gis.overviews.views import fault_of_view
from server.gis.profiles.versions import TableState
from server.gis.styles.attributes import tile_value

SESSION = {
    "statement_timeout": "1800000",
    "lock_timeout": "10000",
    "work_mem": "256MB",
    "maintenance_work_mem": "256MB",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
}
"""Memory for the hash table of cells; half an hour for a step, and ten seconds for a table that somebody locks. One
process: a second one makes 10,000,000 points no quicker, and slows tiles down on a machine with two cores."""


class OverviewBuilder:
    """`share` is the part of a table's size that its overviews may have, `space` that of all together in bytes."""

    def __init__(
        self,
        store: OverviewStore,
        share: float,
        space: int,
        files: CellsOfFiles | None = None,
        caps: TileCaps | None = None,
        watched: Collection[str] = WATCHED_SCHEMAS,
    ) -> None:
        """With `files` it builds lake tables from them, and nothing else; without, all other tables. Tables of the
        schemas `watched` get triggers."""
        self._store = store
        self._share = share
        self._space = space
        self._files = files
        self._caps = caps or USUAL_CAPS
        self._watched = tuple(watched)

    def can_build(self, table: Table) -> bool:
        """Whether it reads what holds the rows of the table."""
        if table.lake is None:
            return self._files is None
        return self._files is not None and table.lake.is_sampled

    def can_compute(self, table: Table, need: Need) -> bool:
        """Whether the rows and the files of a table can give this overview."""
        return need.is_possible(table) and (self._files is None or self._files.can_compute(table, need))

    async def build(
        self, session: asyncpg.Connection, table: Table, state: TableState, summed: Sequence[Summary] = ()
    ) -> bool:
        """Build, or go on with a build of the same data, with the summaries `summed`. False where the table needs no
        overviews, or there is no room. The session is the owner's, and holds the table's lock."""
        row = await self._store.row(state.relid, fresh=True)
        started = time.monotonic()
        build = Build(session, table, state, (row.build if row else 0) + 1)
        steps = under_way(row, state, summed)
        if steps is None:
            await drop_tables(session, state.relid, f"_{build.number}_")
            fault = await fault_of_view(session, state.relid) if state.is_view else None
            if not await self._has_room(build):
                fault = "no room is left for overviews (GEOAGENT_OVERVIEW_SPACE)"
            if fault is not None:
                await fail(session, state, fault)
                return False
            steps = await self._begin(build, summed)
            if steps is None:
                await finish(session, state, build.number, None, time.monotonic() - started)
                return False
        ladder = await self._completed(build, steps)
        await finish(session, state, build.number, ladder, time.monotonic() - started)
        return True

    async def build_filtered(
        self,
        session: asyncpg.Connection,
        table: Table,
        state: TableState,
        rows: FilteredRows,
        dropped: Collection[str] = (),
    ) -> bool:
        """Build overviews of the rows that pass a filter, in addition to those of all rows, in place of those of
        the filters `dropped`. False where there is no room. The session is as for `build`."""
        row = await self._store.row(state.relid, fresh=True)
        placed = await read_placing(session, table)
        if row is None or row.ladder is None or placed is None:
            return False
        started = time.monotonic()
        build = Build(session, table, state, row.build + 1)
        await drop_tables(session, state.relid, f"_{build.number}_")
        if not await self._has_room(build):
            return False
        placing = placed[0].passing(table, rows)
        mark = await mark_of(session, state.relid) if row.ladder.mark else ""
        steps = await self._chosen(build, placing, row.ladder.below, mark=mark, rows_of=rows)
        ladder = await self._completed(build, steps)
        kept = {name: each for name, each in row.filtered.items() if name not in dropped}
        made = {rows.filter: ladder}
        await finish_filtered(session, state, build.number, kept, made, time.monotonic() - started)
        return True

    async def _completed(self, build: Build, steps: Steps) -> Ladder:
        """Make the bands that are not done."""
        while steps.remaining:
            await self._band(build, steps)
        ladder = Ladder(
            below=steps.below,
            cells=steps.cells,
            rows=steps.rows,
            unplaced=steps.unplaced,
            bands=tuple(Band(**each) for each in reversed(steps.done)),
            dense=await self._dense(build, steps),
            columns=steps.columns,
            summaries=steps.summed,
            mark=steps.mark,
            is_valid=True,
        )
        return ladder.model_copy(update={"bytes": await size_of(build.session, ladder.tables)})

    async def renew(
        self,
        session: asyncpg.Connection,
        table: Table,
        state: TableState,
        summed: Sequence[Summary],
        filters: Collection[str] = (),
    ) -> bool:
        """Bring those parts of complete overviews up to date whose rows have changed, with those of `filters` where
        these can be. False where the overviews of all rows have to be built again. The session is as for `build`."""
        row = await self._store.row(state.relid, fresh=True)
        if row is None or row.ladder is None or row.next_steps is not None or row.error is not None:
            return False
        placed = await read_placing(session, table)
        is_complete = set(summed) <= set(row.ladder.summaries or ()) and not lacks_dense_bands(
            table, row.ladder
        )
        if placed is None or not is_complete:
            return False
        started = time.monotonic()
        made = await renewed(session, table, state, row, placed, self._caps.of(table), filters)
        if made is None:
            return False
        ladder, *others = [
            each.model_copy(update={"bytes": await size_of(session, each.tables)})
            for each in (made.ladder, *made.filtered.values())
        ]
        filtered = dict(zip(made.filtered, others, strict=True))
        seconds = time.monotonic() - started
        # Of the same time: what is not older than the overviews of all rows can be renewed with them.
        async with session.transaction():
            await finish(session, state, row.build + 1, ladder, seconds)
            await finish_filtered(session, state, row.build + 1, row.filtered, filtered, seconds)
        return True

    async def _begin(self, build: Build, summed: Sequence[Summary]) -> Steps | None:
        """The first step of overviews of all rows; None where every tile holds few of them."""
        session, table, state = build.session, build.table, build.state
        placed = await read_placing(session, table)
        if placed is None:
            return None
        placing, _crs = placed
        below = await first_sparse_zoom(session, table, state, placing, self._caps.of(table))
        if below == 0:
            return None
        is_watched = table.lake is None and not state.is_view
        if table.schema_name not in self._watched:
            await unwatch(session, state.relid)
        mark = await watch(session, table, state, placing, self._watched) if is_watched else ""
        return await self._chosen(build, placing, below, summed, mark)

    async def _chosen(
        self,
        build: Build,
        placing: Placing,
        below: int,
        summed: Sequence[Summary] = (),
        mark: str = "",
        rows_of: FilteredRows | None = None,
    ) -> Steps:
        """Count the cells and choose their representatives, for zoom levels below `below`."""
        table = build.table
        zooms = [zoom for zoom in reversed(ZOOMS) if zoom < below]
        columns = [
            column.name
            for column in table.columns
            if column.kind != "geometry"
            and not column.name.startswith("@")
            and tile_value(table, column) is not None
        ]
        summaries = [summary.model_dump() for summary in summed]
        steps = Steps(below, 0, zooms, 0, 0, columns, summaries, [], mark, rows_of=rows_of)
        choose = self._choose if table.lake is None else self._choose_from_files
        await choose(build, placing, steps)
        return steps

    async def _choose(self, build: Build, placing: Placing, steps: Steps) -> None:
        session, table, relid = build.session, build.table, build.state.relid
        passing = "true" if steps.rows_of is None else steps.rows_of.condition(table)
        async with session.transaction(isolation="repeatable_read"):
            if steps.mark and steps.rows_of is None:
                await session.execute(f"DELETE FROM {name_of(relid)}")  # noqa: S608 - our own name
            total = await session.fetchval(
                f"SELECT count(*) FROM {sql_name(table)} AS t WHERE {passing}"  # noqa: S608 - quoted
            )
            name = f"c{relid}"
            most = await most_representatives(session, table, build.state, self._share, total, steps.summed)
            cells = await fitting_cells(session, table, placing, total, steps.zooms[0], most)
            cells, rows = await self._count(build, placing, steps.summed, name, cells, most)
            steps.chose(cells, rows, total)
            work = build.work(steps.zooms[0])
            chosen = bands.representatives(table, placing, steps.columns, steps.summed, work, name, cells)
            await session.execute(chosen)
            await session.execute(f"DROP TABLE {SCHEMA}.{name}")
            await note(session, build.state, steps)

    async def _choose_from_files(self, build: Build, placing: Placing, steps: Steps) -> None:
        """The same from all rows of a lake table, of which PostgreSQL holds a sample."""
        session, table = build.session, build.table
        assert table.lake is not None and self._files is not None  # noqa: S101, PT018 - `can_build` checked
        # The key is of the sample: rows of the files have none.
        steps.columns = [name for name in steps.columns if name not in table.key]
        total = table.lake.rows
        if steps.rows_of is not None:
            passing = f"SELECT count(*) FROM {sql_name(table)} AS t WHERE {steps.rows_of.condition(table)}"  # noqa: S608
            total = round(await session.fetchval(passing) * table.lake.factor)
        most = await most_representatives(session, table, build.state, self._share, total, steps.summed)
        cells = await fitting_cells(session, table, placing, total, steps.zooms[0], most)
        wanted = WantedCells(cells, steps.columns, steps.summed, steps.rows_of)
        name, work = (f"w{build.state.relid}_{build.number}_{what}" for what in ("files", "cells"))
        await self._files.load(session, table, wanted, name)
        async with session.transaction():
            cells, rows = await files.choose(session, table, placing, wanted, name, f"{SCHEMA}.{work}", most)
            steps.chose(cells, rows, total if steps.rows_of is None else rows)
            finest = build.work(steps.zooms[0]).removeprefix(f"{SCHEMA}.")
            await session.execute(f"ALTER TABLE {SCHEMA}.{work} RENAME TO {finest}")
            await note(session, build.state, steps)

    async def _count(
        self, build: Build, placing: Placing, summed: Sequence[Summary], name: str, cells: int, most: int
    ) -> tuple[int, int]:
        """Make the table of cells, coarser until there are few enough. Their number along the world's edge, and the
        rows in them."""
        session = build.session
        counted, coarser = f"{SCHEMA}.{name}", f"{name}_coarser"
        await session.execute(bands.counted(build.table, placing, summed, name, cells))
        while await session.fetchval(f"SELECT count(*) FROM {counted}") > most:  # noqa: S608 - our own name
            cells //= 2
            await session.execute(bands.merged(summed, name, coarser))
            await replace_table(session, counted, f"{SCHEMA}.{coarser}")
        await session.execute(f"ANALYZE {counted}")
        rows = await session.fetchval(f"SELECT coalesce(sum(weight), 0) FROM {counted}")  # noqa: S608 - our own name
        return cells, int(rows)

    async def _band(self, build: Build, steps: Steps) -> None:
        """Make the next band, and what the one after it is made from."""
        session, table = build.session, build.table
        zoom, *after = steps.remaining
        cells = steps.cells_at(zoom)
        work, name = build.work(zoom), build.band(steps, zoom)
        async with session.transaction():
            if steps.is_as_fine(cells) and not await is_too_full(
                session, table, steps.done[-1]["name"], cells, zoom
            ):
                steps.zooms.remove(zoom)
            else:
                await self._draw(build, steps, zoom, cells)
                while cells >= 2 * MIN_CELLS << zoom and await is_too_full(session, table, name, cells, zoom):
                    await session.execute(f"DROP TABLE {SCHEMA}.{quoted(name)}")
                    coarser = bands.coarser(steps.columns, steps.summed, work, f"{work}_c", shift=1)
                    await session.execute(coarser)
                    await replace_table(session, work, f"{work}_c")
                    cells //= 2
                    await self._draw(build, steps, zoom, cells)
                size = await index_band(session, name, bands.geometry(table))
                steps.made({"zoom": zoom, "name": name, "rows": size, "cells": cells})
            if after:
                shift = (cells // steps.cells_at(after[0])).bit_length() - 1
                made = build.work(after[0])
                await session.execute(bands.coarser(steps.columns, steps.summed, work, made, shift))
            await session.execute(f"DROP TABLE {work}")
            await note(session, build.state, steps)

    async def _dense(self, build: Build, steps: Steps) -> tuple[DenseBand, ...]:
        """Make the bands of dense tiles that are not done."""
        session, state = build.session, build.state
        placed = await placing_for_dense_bands(build, steps)
        part = 1.0 if steps.rows_of is None else min(1.0, steps.rows / max(1, state.rows))
        while placed is not None and steps.remaining_dense:
            made = [Band(**each) for each in (*steps.done, *steps.dense) if each["name"]]
            room = int(state.bytes * self._share * part) - await size_of(session, made)
            async with session.transaction():
                await make_dense_bands(build, placed, steps, room)
                await note(session, state, steps)
        return tuple(DenseBand(**each) for each in steps.dense if each["name"])

    async def _draw(self, build: Build, steps: Steps, zoom: int, cells: int) -> None:
        rows = bands.drawn(
            build.table,
            steps.columns,
            steps.summed,
            build.work(zoom),
            cells,
            zoom,
            is_ranked=bool(steps.mark),
        )
        band = build.band(steps, zoom)
        await build.session.execute(f"CREATE TABLE {SCHEMA}.{quoted(band)} AS {rows}")

    async def _has_room(self, build: Build) -> bool:
        lake = build.table.lake
        size = self._share * (build.state.bytes if lake is None else lake.bytes)
        return await size_of_all(build.session) + size <= self._space

    async def drop_old(self, session: asyncpg.Connection, relid: int) -> None:
        """Drop what an earlier build made, once no server draws from it any more."""
        row = await self._store.row(relid, fresh=True)
        if row is not None:
            ladders = [*filter(None, [row.ladder]), *(each.ladder for each in row.filtered.values())]
            kept = [band.name for ladder in ladders for band in ladder.tables]
            kept += [] if row.next_steps is None else [f"_{row.build + 1}_"]
            await drop_tables(session, relid, *kept, keep=bool(kept))

    async def drop(self, session: asyncpg.Connection, relid: int) -> None:
        """Drop the overviews of a dropped table."""
        await drop_tables(session, relid)
        await forget(session, relid)
        await session.execute("DELETE FROM geoagent.overview WHERE relid = $1", relid)
