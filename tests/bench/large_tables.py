"""The fullest tiles of large tables, cold: points, also in towns and as hexagons by a mean, areas and long lines; what
building their overviews takes, and how much longer a tile takes meanwhile.

Nothing is cached but what PostgreSQL keeps. `BENCH_POINTS` and `BENCH_SHAPES` are the numbers of rows (0 for none)."""

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
from server.gis.expressions.identifiers import sql_name
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.ladder import OverviewStore
from server.gis.overviews.placing import Placing
from server.gis.overviews.summaries import needed_summaries
from server.gis.profiles.versions import DataVersions
from server.gis.styles import compute_style
from server.gis.tiles.grid import Tile
from server.gis.tiles.low_zoom import LowZoom
from server.gis.tiles.projection import LONLAT, MERCATOR, Crs
from server.gis.tiles.service import TileService
from server.settings import Settings
from tests.bench.large_data import LargeTable, areas, lines, points, town_points
from tests.bench.rows import Row
from tests.bench.tiles import Layers
from tests.support.postgis import Postgis

POINTS = int(os.environ.get("BENCH_POINTS", "10000000"))
SHAPES = int(os.environ.get("BENCH_SHAPES", "1000000"))
ZOOMS = range(12)
CANDIDATES = 3
"""Tiles of a zoom level with the most vertices; the slowest of them is shown."""
PAUSE_S = 0.05
TAG = "t"
_HEXAGONS = StyleSpec(kind="hexbin", column="value", breaks=(2500.0, 5000.0, 7500.0))


async def measure(postgis: Postgis) -> list[Row]:
    url = postgis.url(postgis.migrated())
    async with await Database.connect(Settings(database_url=url)) as database:
        owner = await asyncpg.connect(database.url, server_settings=SESSION)
        try:
            await owner.execute("CREATE SCHEMA IF NOT EXISTS data")
            rows = []
            for large in (points(POINTS), town_points(POINTS), areas(SHAPES), lines(SHAPES)):
                if large.rows:
                    rows += await _measured(database, owner, large)
            return rows
        finally:
            await owner.close()


async def _measured(database: Database, owner: asyncpg.Connection, large: LargeTable) -> list[Row]:
    for statement in large.statements():
        await owner.execute(statement)
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh(patience=30)
    table = registry.get(f"data.{large.name}")
    styles = [(large.name, Style())]
    if table.geometry_family == "point":
        styles.append(("hexagons by mean", (await compute_style(database.reader, table, None, _HEXAGONS))[0]))
    rows = []
    for what, style in styles:
        layer = _layer(table, large.rows, style)
        rows += await _built(database, owner, registry, layer, what)
        rows += await _tiles(database, owner, registry, layer, what)
    return rows


async def _built(
    database: Database, owner: asyncpg.Connection, registry: Registry, layer: Layer, what: str
) -> list[Row]:
    """Build the overviews of a layer's table."""
    table, store = registry.get(layer.table), OverviewStore(database.owner)
    state = await DataVersions(database.owner).of(table, 0)
    summaries = needed_summaries(layer.style, None)
    building = OverviewBuilder(store, 0.2, 10**12).build(owner, table, state, summaries)
    beside = await _beside(database, registry, layer, building)
    row = await store.row(state.relid, fresh=True)
    size = row.ladder.bytes if row is not None and row.ladder is not None else 0
    note = f"{size / 1e6:.0f} MB, {size / state.bytes:.0%} of the table"
    return [Row(f"overviews of {layer.count:,} {what}", f"{beside.seconds:.0f} s", note), beside.row(what)]


async def _tiles(
    database: Database, owner: asyncpg.Connection, registry: Registry, layer: Layer, what: str
) -> list[Row]:
    """The slowest of the tiles with the most vertices, of each zoom level."""
    low = LowZoom(DataVersions(database.owner), OverviewStore(database.owner), 1)
    service = TileService(database.tile_pool, registry, Layers(layer), None, _tagged, low)
    version = itertools.count(1)
    rows = []
    for zoom in ZOOMS:
        slowest = (0.0, "")
        for tile in await _fullest(database, owner, registry.get(layer.table), zoom):
            took = []
            for _ in range(5):
                begun = time.perf_counter()
                drawn = await service.tile("m", "a", next(version), tile, "", TAG)
                took.append(time.perf_counter() - begun)
            note = f"{len(drawn.body) / 1024:.0f} KB gzip, {drawn.shown:,} of {drawn.total:,}"
            slowest = max(slowest, (statistics.median(took) * 1000, note))
        rows.append(Row(f"{layer.count:,} {what}, z{zoom}, cold", f"{slowest[0]:.0f} ms", slowest[1]))
    await service.close()
    return rows


async def _fullest(database: Database, owner: asyncpg.Connection, table: Table, zoom: int) -> list[Tile]:
    """By what they are drawn from: the band of overviews, or the table."""
    state = await DataVersions(database.owner).of(table, 0)
    found = await OverviewStore(database.owner).ladder(state)
    source, crs = table, Crs(LONLAT, "lonlat")
    if found is not None and zoom < found[0].drawn_below:
        source, crs = found[0].table(table, zoom), Crs(MERCATOR, "mercator")
    placing = Placing.of(source, crs, (0.0, 0.0, 0.0, 0.0))
    rows = await owner.fetch(
        f"""SELECT floor(({placing.x}) * (1 << {zoom}))::int AS x, floor(({placing.y}) * (1 << {zoom}))::int AS y
        FROM {sql_name(source)} AS t GROUP BY 1, 2 ORDER BY sum(ST_NPoints(t.geom)) DESC LIMIT {CANDIDATES}"""
    )
    return [Tile(zoom, row["x"], row["y"]) for row in rows]


@dataclass
class Beside:
    """Seconds of a build, and of each tile before and while it ran."""

    seconds: float
    alone: list[float]
    meanwhile: list[float]

    def row(self, what: str) -> Row:
        alone, meanwhile = (statistics.median(each) * 1000 for each in (self.alone, self.meanwhile))
        note = f"{meanwhile:.0f} ms while it runs, {alone:.0f} ms before"
        return Row(f"a tile beside the build for {what}", f"x {meanwhile / alone:.2f}", note)


async def _beside(
    database: Database, registry: Registry, layer: Layer, building: Coroutine[Any, Any, bool]
) -> Beside:
    """Build, with one tile of some thousand rows of the table after another, as for one person."""
    service = TileService(database.tile_pool, registry, Layers(layer), None, _tagged)
    version = itertools.count(1)
    zoom = round(math.log(max(1, layer.count / 2000), 4))
    if layer.geometry_type != "point":
        zoom += 3  # On a continent they are as much denser than all over the world.

    async def tile() -> float:
        begun = time.perf_counter()
        await service.tile("m", "a", next(version), _at(10, 50, zoom), "", TAG)
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


def _layer(table: Table, count: int, style: Style) -> Layer:
    legend = Legend(title=table.name)
    return Layer(
        id="a",
        table=table.id,
        name=table.name,
        geometry_type=table.geometry_family,
        style=style,
        legend=legend,
        count=count,
    )


def _at(longitude: float, latitude: float, zoom: int) -> Tile:
    y = (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2
    return Tile(zoom, int((longitude + 180) / 360 * 2**zoom), int(y * 2**zoom))
