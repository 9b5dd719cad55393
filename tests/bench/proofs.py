"""What a proof of soundness saves: detailed tiles of one table, drawn with and without one.

The statements of GeoAgent's tiles and the bare query run in turns, each on a connection of its own, whose processor
time is counted. `BENCH_PROVEN` is the number of rows of each table."""

from __future__ import annotations

import asyncio
import itertools
import os
import statistics
from collections.abc import Mapping
from pathlib import Path

import asyncpg

from agents.domain import Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.profiles.proof import UNPROVEN, Proven
from server.gis.tiles.projection import Crs, SearchBoxes, read_crs
from server.gis.tiles.statement import LayerStatements
from server.settings import Settings
from tests.bench.rows import Row
from tests.bench.tile_servers.comparison import DISC, TABLES, inner_tiles, make_table
from tests.bench.tile_servers.minimal import bare_query
from tests.bench.tile_servers.programs import Shapes
from tests.integration.tiles.drawing import bare_layer
from tests.support.postgis import Postgis

ROWS = int(os.environ.get("BENCH_PROVEN", "200000"))
ZOOM = 14
TILES = 24
ROUNDS = 9
LISTED = 1_000
BARE, ALL, EARLIER, LIST, NONE = (
    "the bare query",
    "a proof for all rows",
    "an earlier proof",
    f"a proof that lists {LISTED:,} rows",
    "no proof",
)
KINDS = (
    *TABLES,
    Shapes("rectangles", "Polygon", 4326, f"ST_Envelope({DISC})"),
    Shapes("multipolygons", "MultiPolygon", 4326, f"ST_Multi({DISC})"),
    Shapes("points", "Point", 4326, f"ST_Centroid({DISC})"),
)


async def measure(postgis: Postgis) -> list[Row]:
    name = postgis.migrated()
    rows = []
    try:
        owner = await asyncpg.connect(postgis.url(name))
        for number, shapes in enumerate(KINDS):
            await make_table(owner, f"proven_{number}", shapes, ROWS)
        await owner.close()
        async with await Database.connect(Settings(database_url=postgis.url(name))) as database:
            registry = Registry(database.reader, ("data",))
            await registry.refresh(patience=60)
            for number, shapes in enumerate(KINDS):
                table = registry.get(f"data.proven_{number}")
                spent = await _spent(postgis.url(name), table)
                value = f"{spent[ALL] * 1000 / TILES:.2f} ms, x {spent[ALL] / spent[BARE]:.2f} of {BARE}"
                others = (f"{each} x {spent[each] / spent[ALL]:.2f}" for each in (EARLIER, LIST, NONE))
                rows.append(
                    Row(f"A tile of {ROWS:,} {shapes.what}, z{ZOOM}, {ALL}", value, "; ".join(others))
                )
    finally:
        postgis.drop(name)
    return rows


async def _spent(url: str, table: Table) -> dict[str, float]:
    """Seconds of processor time for all tiles; the median of the rounds."""
    connections = {each: await asyncpg.connect(url) for each in (BARE, ALL, EARLIER, LIST, NONE)}
    try:
        crs = await read_crs(connections[BARE], table.srid, table.id)
        calls = await _calls(connections[BARE], table, crs)
        taken: dict[str, list[float]] = {each: [] for each in connections}
        for turn in range(-1, ROUNDS):
            # Whoever is first finds fewer pages in PostgreSQL's memory.
            names = list(connections)[turn:] + list(connections)[:turn]
            for each in names if turn >= 0 else connections:
                pid = connections[each].get_server_pid()
                before = _processor_s(pid)
                for text, arguments in calls[each]:
                    await connections[each].fetch(text, *arguments)
                if turn >= 0:
                    taken[each].append(_processor_s(pid) - before)
        return {each: statistics.median(seconds) for each, seconds in taken.items()}
    finally:
        await asyncio.gather(*(each.close() for each in connections.values()))


def _processor_s(pid: int) -> float:
    """Of a process so far, as the scheduler of Linux counts it: in nanoseconds, where others count hundredths."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


Calls = list[tuple[str, tuple[object, ...]]]


async def _calls(session: asyncpg.Connection, table: Table, crs: Crs) -> Mapping[str, Calls]:
    """Statements and arguments of all tiles, by what is known about the rows."""
    sound = Proven(is_sound=True, is_valid=True, is_on_earth=True)
    proofs = {
        ALL: sound,
        EARLIER: Proven(is_sound=True, is_valid=True, before=await session.fetchval(_NEXT)),
        LIST: Proven(is_sound=True, is_valid=True, is_on_earth=True, invalid=tuple(range(1, LISTED + 1))),
        NONE: UNPROVEN,
    }
    layer = bare_layer(table, count=ROWS)
    statements = {
        each: LayerStatements(table, layer, crs, None, False, proof) for each, proof in proofs.items()
    }
    boxes = SearchBoxes()
    calls: dict[str, Calls] = {each: [] for each in (BARE, *proofs)}
    for tile in itertools.islice(inner_tiles(ZOOM), TILES):
        box = await boxes.of(session, crs, tile)
        assert box is not None
        calls[BARE].append((bare_query(table.name, table.srid or 0), (tile.z, tile.x, tile.y)))
        for each, statement in statements.items():
            one = statement.at(tile.z, mapped=True)
            calls[each].append((one.text, one.arguments(crs, tile, box, boxes.affine(crs, tile))))
    return calls


_NEXT = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
