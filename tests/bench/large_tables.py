"""Tiles of a large table at low zoom, cold, from its overviews, as points and as hexagons by the mean of a column; what
building these takes, and how much longer a tile takes meanwhile.

Nothing is cached but what PostgreSQL keeps. `BENCH_POINTS` is the number of rows."""

from __future__ import annotations

import asyncio
import itertools
import math
import os
import statistics
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import asyncpg

from agents.domain import Layer, Legend, Style, StyleSpec, Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.ladder import OverviewStore
from server.gis.overviews.summaries import needed_summaries
from server.gis.profiles.versions import DataVersions
from server.gis.styles import compute_style
from server.gis.tiles.grid import Tile
from server.gis.tiles.low_zoom import LowZoom
from server.gis.tiles.service import TileService
from server.settings import Settings
from tests.bench.rows import Row
from tests.bench.tiles import Layers
from tests.support.postgis import Postgis

POINTS = int(os.environ.get("BENCH_POINTS", "10000000"))
ZOOMS = (0, 2, 5)
DETAILED = round(math.log(max(1, POINTS / 2000), 4))
"""A zoom level at which a tile has some thousand rows and is drawn from the table."""
PAUSE_S = 0.05
TAG = "t"
_WORLD = """
CREATE TABLE data.world AS SELECT i AS id, 'point ' || i AS name, (abs(hashint4(i + 7)) % 100000) / 10.0 AS value,
  ST_SetSRID(ST_MakePoint(-180 + (abs(hashint4(i + 1)) % 1000000) * 0.00036,
    -70 + (abs(hashint4(i + 2)) % 1000000) * 0.00014), 4326)::geometry(Point, 4326) AS geom
FROM generate_series(1, $1::int) AS i
"""


async def measure(postgis: Postgis) -> list[Row]:
    url = postgis.url(postgis.migrated())
    async with await Database.connect(Settings(database_url=url)) as database:
        owner = await asyncpg.connect(database.url, server_settings=SESSION)
        try:
            await owner.execute("CREATE SCHEMA IF NOT EXISTS data")
            return await _low(database, owner, await _made(database, owner, "world", _WORLD, POINTS))
        finally:
            await owner.close()


async def _made(
    database: Database, owner: asyncpg.Connection, name: str, statement: str, rows: int
) -> tuple[Registry, Table]:
    await owner.execute(statement.replace("$1", str(rows)))
    await owner.execute(f"ALTER TABLE data.{name} ADD PRIMARY KEY (id)")
    await owner.execute(f"CREATE INDEX ON data.{name} USING gist (geom)")
    await owner.execute(f"VACUUM ANALYZE data.{name}")
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh(patience=30)
    return registry, registry.get(f"data.{name}")


async def _low(database: Database, owner: asyncpg.Connection, found: tuple[Registry, Table]) -> list[Row]:
    registry, table = found
    versions, store = DataVersions(database.owner), OverviewStore(database.owner)
    state = await versions.of(table, 0)
    rows = []
    spec = StyleSpec(kind="hexbin", column="value", breaks=(2500.0, 5000.0, 7500.0))
    hexagons, _ = await compute_style(database.reader, table, None, spec)
    for what, style in (("points", Style()), ("hexagons by mean", hexagons)):
        building = OverviewBuilder(store, 0.2, 10**12).build(
            owner, table, state, needed_summaries(style, None)
        )
        beside = await _beside(database, registry, table, building)
        seconds = beside.seconds
        row = await store.row(state.relid, fresh=True)
        size = row.ladder.bytes if row is not None and row.ladder is not None else 0
        note = f"{size / 1e6:.0f} MB, {size / state.bytes:.0%} of the table"
        rows.append(Row(f"overviews of {POINTS:,} points, for {what}", f"{seconds:.0f} s", note))
        rows.append(beside.row(what))
        layer = _layer(table, POINTS).model_copy(update={"style": style})
        low = LowZoom(versions, OverviewStore(database.owner), 1)
        service = TileService(database.tile_pool, registry, Layers(layer), None, _tagged, low)
        version = itertools.count(1)
        for zoom in ZOOMS:
            took = []
            for _ in range(5):
                begun = time.perf_counter()
                tile = await service.tile("m", "a", next(version), _at(10, 50, zoom), "", TAG)
                took.append(time.perf_counter() - begun)
            note = f"{len(tile.body) / 1024:.0f} KB gzip, {tile.shown:,} of {tile.total:,}"
            milliseconds = f"{statistics.median(took) * 1000:.0f} ms"
            rows.append(Row(f"{POINTS:,} points, {what}, z{zoom}, cold", milliseconds, note))
        await service.close()
    return rows


@dataclass
class Beside:
    """Seconds of a build, and of each tile before and while it ran."""

    seconds: float
    alone: list[float]
    meanwhile: list[float]

    def row(self, what: str) -> Row:
        alone, meanwhile = (statistics.median(each) * 1000 for each in (self.alone, self.meanwhile))
        note = f"{meanwhile:.0f} ms while it runs, {alone:.0f} ms before, at z{DETAILED}"
        return Row(f"a tile beside the build for {what}", f"x {meanwhile / alone:.2f}", note)


async def _beside(
    database: Database, registry: Registry, table: Table, building: Coroutine[Any, Any, bool]
) -> Beside:
    """Build, with one tile of some thousand rows of the table after another, as for one person."""
    service = TileService(database.tile_pool, registry, Layers(_layer(table, POINTS)), None, _tagged)
    version = itertools.count(1)

    async def tile() -> float:
        begun = time.perf_counter()
        await service.tile("m", "a", next(version), _at(10, 50, DETAILED), "", TAG)
        took = time.perf_counter() - begun
        await asyncio.sleep(PAUSE_S)
        return took

    alone = [await tile() for _ in range(60)][10:]
    begun = time.perf_counter()
    build = asyncio.create_task(building)
    meanwhile = []
    while not build.done():
        meanwhile.append(await tile())
    await build
    seconds = time.perf_counter() - begun
    await service.close()
    return Beside(seconds, alone, meanwhile)


async def _tagged(table: Table, asked: str) -> str:
    """The tables do not change."""
    return TAG


def _layer(table: Table, count: int) -> Layer:
    legend = Legend(title=table.name)
    return Layer(
        id="a",
        table=table.id,
        name=table.name,
        geometry_type=table.geometry_family,
        style=Style(),
        legend=legend,
        count=count,
    )


def _at(longitude: float, latitude: float, zoom: int) -> Tile:
    y = (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2
    return Tile(zoom, int((longitude + 180) / 360 * 2**zoom), int(y * 2**zoom))
