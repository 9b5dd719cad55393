"""First and warm tiles against the bare query, and against a minimal server of it, in turns.

The bare query is what PostGIS alone takes, through the same asyncpg pool: the shortest that draws the same features
with the same columns, with no cap, no order, nothing simplified and nothing cut at the antimeridian. A first tile is
a new version of a layer, over HTTP, as a browser would see it."""

from __future__ import annotations

import gzip
import itertools
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from agents.domain import Layer, Legend, Style, Table
from server.database.engines import Database
from server.database.quoting import quoted
from server.gis.catalog.registry import Registry
from server.gis.tiles.columns import feature_key, needed_columns
from server.gis.tiles.grid import BUFFER, EXTENT, Tile
from server.gis.tiles.service import TileService
from server.gis.tiles.statement import SMALL_LAYER, THINNED_BELOW
from server.http import errors, tiles
from server.settings import Settings
from tests.bench.rows import Row
from tests.support.postgis import Postgis

ROUNDS = 15
TILES = (
    ("data.countries", Tile(0, 0, 0)),
    ("data.countries", Tile(4, 8, 5)),
    ("data.airports", Tile(0, 0, 0)),
    ("data.airports", Tile(5, 8, 12)),
    ("data.cities", Tile(0, 0, 0)),
    ("data.cities", Tile(8, 133, 87)),
)


@dataclass
class Layers:
    """Every version of one layer is the same."""

    layer_now: Layer
    asked: set[int] = field(default_factory=set)

    async def layer(self, map_id: str, layer_id: str, version: int) -> Layer | None:
        self.asked.add(version)
        return self.layer_now.model_copy(update={"version": version})

    async def current(self, map_id: str, layer_id: str) -> Layer | None:
        return self.layer_now


async def measure(postgis: Postgis) -> list[Row]:
    url = postgis.url(postgis.with_samples())
    async with await Database.connect(Settings(database_url=url)) as database:
        registry = Registry(database.reader, ("data",), None)
        await registry.refresh(patience=30)
        return [
            row for name, tile in TILES for row in await _one(database, registry, registry.get(name), tile)
        ]


async def _one(database: Database, registry: Registry, table: Table, tile: Tile) -> list[Row]:
    count = await database.tile_pool.fetchval(f"SELECT count(*) FROM {relation(table)}")
    layer = Layer(
        id="a",
        table=table.id,
        name=table.name,
        geometry_type=table.geometry_family,
        style=Style(),
        legend=Legend(title=table.name),
        count=count,
    )
    service = TileService(database.tile_pool, registry, Layers(layer))
    app = web.Application(middlewares=[errors.faults])
    app.add_routes(tiles.routes(service, registry))
    bare = bare_query(table, layer, tile.z)
    versions = itertools.count(1)
    async with TestClient(TestServer(app), auto_decompress=False) as client:

        async def first() -> int:
            return await get(client, next(versions), tile)

        async def warm() -> int:
            return await get(client, 1, tile)

        async def alone() -> int:
            return len(await database.tile_pool.fetchval(bare, tile.z, tile.x, tile.y) or b"")

        async with TestClient(TestServer(minimal(database, bare)), auto_decompress=False) as other:

            async def least() -> int:
                return await get(other, 1, tile)

            sizes = [await first(), await warm(), await alone(), await least()]
            took = await interleaved(first, warm, alone, least)
    firsts, warms, bares, leasts = (statistics.median(each) for each in took)
    what = f"{table.name} {tile.z}/{tile.x}/{tile.y}"
    others = f"bare {bares * 1000:.1f} ms, minimal server {leasts * 1000:.1f} ms"
    note = f"{others}; {sizes[0] / 1024:.0f} KB gzip, bare {sizes[2] / 1024:.0f} KB plain"
    return [
        Row(f"tile, first: {what}", f"{firsts * 1000:.1f} ms, {firsts / bares:.2f} x bare", note),
        Row(f"tile, warm: {what}", f"{warms * 1000:.2f} ms, {warms / bares:.3f} x bare"),
    ]


def minimal(database: Database, query: str) -> web.Application:
    """The shortest server that answers a tile with the bare query."""

    async def tile(request: web.Request) -> web.Response:
        z, x, y = (int(request.match_info[name]) for name in "zxy")
        body = gzip.compress(await database.tile_pool.fetchval(query, z, x, y) or b"", 4)
        return web.Response(body=body, headers={"Content-Encoding": "gzip"})

    app = web.Application()
    app.add_routes([web.get("/tiles/m/a/{version}/{z}/{x}/{y}.mvt", tile)])
    return app


async def interleaved(*works: Callable[[], Awaitable[int]]) -> list[list[float]]:
    """Seconds of each, taken in turns, so that what else the machine does falls on all alike."""
    took: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for seconds, work in zip(took, works, strict=True):
            begun = time.perf_counter()
            await work()
            seconds.append(time.perf_counter() - begun)
    return took


async def get(client: TestClient[web.Request, web.Application], version: int, tile: Tile) -> int:
    answer = await client.get(
        f"/tiles/m/a/{version}/{tile.z}/{tile.x}/{tile.y}.mvt", headers={"Accept-Encoding": "gzip"}
    )
    assert answer.status == 200, await answer.text()
    return len(await answer.read())


def bare_query(table: Table, layer: Layer, zoom: int) -> str:
    thin = zoom < THINNED_BELOW and layer.count > SMALL_LAYER
    columns = needed_columns(table, layer) if thin else table.columns
    key = feature_key(table)
    names = dict.fromkeys([*([key] if key else []), *columns])
    listed = ", ".join(quoted(column.name) for column in names if column.kind != "geometry")
    geometry = quoted(table.geometry_column or "")
    return f"""SELECT ST_AsMVT(feature, 'features', {EXTENT}, 'drawn'{f", '{key.name}'" if key else ""}) FROM (
      SELECT ST_AsMVTGeom(ST_Transform({geometry}, 3857), ST_TileEnvelope($1, $2, $3), {EXTENT}, {BUFFER}) AS drawn,
             {listed} FROM {relation(table)}
      WHERE {geometry} && ST_Transform(
        ST_TileEnvelope($1, $2, $3, margin => {BUFFER}.0 / {EXTENT}), {table.srid})) AS feature"""


def relation(table: Table) -> str:
    return f"{quoted(table.schema_name)}.{quoted(table.name)}"
