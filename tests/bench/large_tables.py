"""Tiles of large tables, cold: from overviews at low zoom, and from the table in detail against the bare query.

The bare query (`tests.bench.tiles.bare_query`) is the shape that Martin and pg_tileserv send, run by asyncpg without
any server around it: no tile server that sends it can be faster. Ours are whole requests over HTTP, gzip included.
Nothing is cached but what PostgreSQL keeps. Profiles prove tables sound, as those of open maps do.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

import asyncpg
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from agents.domain import Layer, Legend, Style, Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.ladder import OverviewStore
from server.gis.profiles.versions import DataVersions
from server.gis.tiles.grid import Tile
from server.gis.tiles.low_zoom import LowZoom
from server.gis.tiles.service import TileLimits, TileService
from server.http import errors, tiles
from server.settings import Settings
from tests.bench.rows import Row
from tests.bench.tiles import Layers, bare_query, interleaved, minimal
from tests.support.postgis import Postgis

POINTS = int(os.environ.get("BENCH_POINTS", "10000000"))
POLYGONS = int(os.environ.get("BENCH_POLYGONS", "1000000"))
LOW, DETAILED = (0, 2, 5), (12, 13, 14, 15)
AT_ONCE = 8
TAG = "t"
_WORLD = """
CREATE TABLE data.world AS SELECT i AS id, 'point ' || i AS name, (abs(hashint4(i + 7)) % 100000) / 10.0 AS value,
  ST_SetSRID(ST_MakePoint(-180 + (abs(hashint4(i + 1)) % 1000000) * 0.00036,
    -70 + (abs(hashint4(i + 2)) % 1000000) * 0.00014), 4326)::geometry(Point, 4326) AS geom
FROM generate_series(1, $1::int) AS i
"""
_DISCS = """
CREATE TABLE data.discs AS SELECT i AS id, 'area ' || i AS name, (abs(hashint4(i + 7)) % 100000) / 10.0 AS value,
  ST_Buffer(ST_SetSRID(ST_MakePoint(8 + (abs(hashint4(i + 1)) % 1000000) * 0.0000009,
    48 + (abs(hashint4(i + 2)) % 1000000) * 0.0000007), 4326), 0.0003 + 0.0003 * (i % 7), 4
  )::geometry(Polygon, 4326) AS geom
FROM generate_series(1, $1::int) AS i
"""


async def measure(postgis: Postgis) -> list[Row]:
    url = postgis.url(postgis.migrated())
    async with await Database.connect(Settings(database_url=url)) as database:
        owner = await asyncpg.connect(database.url, server_settings=SESSION)
        try:
            await owner.execute("CREATE SCHEMA IF NOT EXISTS data")
            rows = await _low(database, owner, await _made(database, owner, "world", _WORLD, POINTS))
            return rows + await _detailed(database, await _made(database, owner, "discs", _DISCS, POLYGONS))
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
    begun = time.perf_counter()
    await OverviewBuilder(store, 0.2, 10**12).build(owner, table, state)
    seconds = time.perf_counter() - begun
    row = await store.row(state.relid, fresh=True)
    size = row.ladder.bytes if row is not None and row.ladder is not None else 0
    note = f"{size / 1e6:.0f} MB, {size / state.bytes:.0%} of the table"
    rows = [Row(f"overviews of {POINTS:,} points", f"{seconds:.0f} s", note)]
    service = TileService(
        database.tile_pool,
        registry,
        Layers(_layer(table, POINTS)),
        None,
        _tagged,
        LowZoom(versions, store, 1),
    )
    version = itertools.count(1)
    for zoom in LOW:
        took = []
        for _ in range(5):
            begun = time.perf_counter()
            tile = await service.tile("m", "a", next(version), _at(10, 50, zoom), "", TAG)
            took.append(time.perf_counter() - begun)
        note = f"{len(tile.body) / 1024:.0f} KB gzip, {tile.shown:,} of {tile.total:,}"
        rows.append(
            Row(f"{POINTS:,} points, z{zoom}, cold", f"{statistics.median(took) * 1000:.0f} ms", note)
        )
    await service.close()
    return rows


async def _detailed(database: Database, found: tuple[Registry, Table]) -> list[Row]:
    registry, table = found
    layer = _layer(table, POLYGONS)
    service = TileService(
        database.tile_pool, registry, Layers(layer), TileLimits(cache_bytes=0), _tagged, prove=_sound
    )
    app = web.Application(middlewares=[errors.faults])
    app.add_routes(tiles.routes(service, registry))
    rows = []
    async with TestClient(TestServer(app), auto_decompress=False) as ours:
        for zoom in DETAILED:
            bare = bare_query(table, layer, zoom)
            async with TestClient(TestServer(minimal(database, bare)), auto_decompress=False) as least:
                around = _around(_at(8.45, 48.35, zoom))

                async def alone(bare: str = bare, around: Iterator[Tile] = around) -> int:
                    tile = next(around)
                    return len(await database.tile_pool.fetchval(bare, tile.z, tile.x, tile.y) or b"")

                async def whole(around: Iterator[Tile] = around) -> int:
                    return await _get(ours, 1, next(around))

                async def minimally(
                    least: TestClient[web.Request, web.Application] = least, around: Iterator[Tile] = around
                ) -> int:
                    return await _get(least, 1, next(around))

                rows.append(await _compared(f"{POLYGONS:,} areas, z{zoom}", alone, whole, minimally))
    await service.close()
    return rows


async def _compared(what: str, *works: Callable[[], Awaitable[int]]) -> Row:
    for work in works:
        await work()
    one = [statistics.median(each) * 1000 for each in await interleaved(*works)]
    many = [AT_ONCE / statistics.median(each) for each in await interleaved(*map(_at_once, works))]
    named = ("bare query", "GeoAgent", "minimal server")
    singles = ", ".join(f"{name} {value:.1f} ms" for name, value in zip(named, one, strict=True))
    rates = ", ".join(f"{name} {value:.0f}/s" for name, value in zip(named, many, strict=True))
    return Row(
        what,
        f"{one[1] / one[0]:.2f} x bare; {many[0] / many[1]:.2f} x at once",
        f"{singles}; {AT_ONCE} at once: {rates}",
    )


def _at_once(work: Callable[[], Awaitable[int]]) -> Callable[[], Awaitable[int]]:
    async def several() -> int:
        return sum(await asyncio.gather(*(work() for _ in range(AT_ONCE))))

    return several


async def _get(client: TestClient[web.Request, web.Application], version: int, tile: Tile) -> int:
    path = f"/tiles/m/a/{version}/{tile.z}/{tile.x}/{tile.y}.mvt?data={TAG}"
    answer = await client.get(path, headers={"Accept-Encoding": "gzip"})
    assert answer.status == 200, await answer.text()
    return len(await answer.read())


async def _tagged(table: Table, asked: str) -> str:
    """The tables do not change."""
    return TAG


@dataclass(frozen=True)
class _Proof:
    """What a profile of the discs finds out."""

    is_sound: bool = True
    is_on_earth: bool = True


async def _sound(table: Table) -> _Proof:
    return _Proof()


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


def _around(tile: Tile) -> Iterator[Tile]:
    """The tile and its neighbours, again and again."""
    return itertools.cycle(
        Tile(tile.z, tile.x + across, tile.y + down) for across in (0, 1) for down in (0, 1)
    )
