"""A catalogue of 10,000 tables: read it, keep it, notice one change in it, find the right tables in it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable

import asyncpg
import psutil

from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.settings import Settings
from tests.bench.rows import Row, milliseconds
from tests.support.postgis import Postgis

TABLES = 10_000
IDLE_SECONDS = 20
KINDS = ("roads", "rivers", "schools", "wells", "parcels", "hospitals", "stations", "parks")
QUESTIONS = (
    "show me the schools",
    "wells of district 4463",
    "hosptials near the river",
    "population of parks",
    "elevation and name of stations",
)


async def measure(postgis: Postgis) -> list[Row]:
    name = postgis.migrated()
    try:
        await fill(postgis.url(name), TABLES)
        async with await Database.connect(Settings(database_url=postgis.url(name))) as database:
            return await _measured(database)
    finally:
        postgis.drop(name)


async def fill(url: str, tables: int) -> None:
    """So many tables of 20 rows each, with statistics."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("ALTER EVENT TRIGGER geoagent_ddl_end DISABLE")
        for start in range(0, tables, 250):
            numbers = range(start, min(start + 250, tables))
            await connection.execute("".join(_table(number) for number in numbers))
        await connection.execute("ALTER EVENT TRIGGER geoagent_ddl_end ENABLE")
    finally:
        await connection.close()


def _table(number: int) -> str:
    name = f"{KINDS[number % len(KINDS)]}_{number}"
    return (
        f"CREATE TABLE data.{name} (id int PRIMARY KEY, name text, kind text, elevation_m float8, population bigint,"
        f" opened date, geom geometry(Point, 4326)); COMMENT ON TABLE data.{name} IS 'Of district {number}';"
        f"INSERT INTO data.{name} SELECT n, 'name ' || n, 'kind ' || n % 3, n, n, '2024-01-01',"
        f" ST_SetSRID(ST_MakePoint(n, n), 4326) FROM generate_series(1, 20) n; ANALYZE data.{name};"
    )


async def _measured(database: Database) -> list[Row]:
    process = psutil.Process()
    registry = Registry(database.reader, listen=database.listen)
    before, computing, began = process.memory_info().rss, time.process_time(), time.perf_counter()
    await registry.start()
    started = time.perf_counter() - began
    await registry.settle()
    settled = time.perf_counter() - began
    computing = time.process_time() - computing
    grown = process.memory_info().rss - before
    try:
        idle = await _idle_share()
        whole = [await _timed(registry.refresh()) for _ in range(5)]
        one = [await _timed(registry.refresh(only=("data", "roads_0"))) for _ in range(20)]
        searches = []
        for _ in range(20):
            for question in QUESTIONS:
                began = time.perf_counter()
                await registry.search(question)
                searches.append(time.perf_counter() - began)
        noticed = [await _noticed(database, registry, number) for number in range(5)]
    finally:
        await registry.stop()
    return [
        Row(f"Registry of {TABLES:,} tables read", f"{started:.1f} s", "once, at start"),
        Row("  their extents and samples read", f"{settled:.1f} s", "in the background"),
        Row("  computing for that", f"{computing:.1f} s", "of this process"),
        Row("  memory that they take", f"{grown / 2**20:.0f} MB", "of this process"),
        Row(
            "  share of a core when nothing happens", f"{idle:.1%}", f"of this process, over {IDLE_SECONDS} s"
        ),
        Row("  a look at all for changes", milliseconds(whole), "every few seconds"),
        Row("  a look at one", milliseconds(one), "after each step of an analysis"),
        Row("  a new table among them known", milliseconds(noticed), "from CREATE TABLE to the registry"),
        Row("  a search among them", milliseconds(searches), "names, columns, comments, values"),
    ]


async def _timed(work: Awaitable[None]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


async def _idle_share() -> float:
    began = time.process_time()
    await asyncio.sleep(IDLE_SECONDS)
    return (time.process_time() - began) / IDLE_SECONDS


async def _noticed(database: Database, registry: Registry, number: int) -> float:
    known = asyncio.Event()
    wanted = f"data.noticed_{number}"
    end = registry.on_change(lambda changed: known.set() if wanted in changed else None)
    began = time.perf_counter()
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql(f"CREATE TABLE data.noticed_{number} (id int)")
    await known.wait()
    end()
    return time.perf_counter() - began
