"""Detailed tiles of large tables from whole servers, each in a process of its own, on one database in one run.

GeoAgent as people start it, a minimal aiohttp server of the bare query (`minimal.py`), and Martin and pg_tileserv where
their programs are (`programs.py`); besides, the bare query without a server. All answer the same tiles, in turns, with
gzip. No tile is asked for twice, so nothing is cached but what PostgreSQL keeps. Processor time is that of a server and
of its PostgreSQL connections."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

import aiohttp
import asyncpg
import psutil

from server.gis.tiles.grid import HALF_WORLD, WORLD, Tile, mercator_of
from tests.bench.many_tables import cpu, settled
from tests.bench.rows import Row
from tests.bench.tile_servers import kept
from tests.bench.tile_servers.minimal import bare_query
from tests.bench.tile_servers.programs import PROGRAMS, ZXY, Shapes
from tests.support.children import leash
from tests.support.looking import until
from tests.support.postgis import Postgis
from tests.support.server import ROOT, Client, child_server, client

ROWS = int(os.environ.get("BENCH_POLYGONS", "1000000"))
ZOOMS = (12, 13, 14, 15)
AT_ONCE = 8
SINGLES = {12: 12, 13: 20, 14: 40, 15: 40}
"""Tiles that are asked for one after another, by zoom level."""
BATCHES = {12: 4, 13: 8, 14: 20, 15: 30}
"""How often AT_ONCE tiles are asked for at once."""
SETTINGS = {"GEOAGENT_OVERVIEW_ROWS": "1000000000", "GEOAGENT_PROFILE_SHARE": "1"}
"""Overviews are for lower zoom levels; profiles are to be there soon."""
SERVER = 0
"""Stands for the number of the server's own process."""
PATIENCE_S = 280.0
DISC = """ST_Buffer(ST_SetSRID(ST_MakePoint(8 + (abs(hashint4(i + 1)) % 1000000) * 0.0000009,
  48 + (abs(hashint4(i + 2)) % 1000000) * 0.0000007), 4326), 0.0003 + 0.0003 * (i % 7), 4)"""


TABLES = (
    Shapes("areas", "Polygon", 4326, DISC),
    Shapes("areas in UTM", "Polygon", 32632, f"ST_Transform({DISC}, 32632)"),
    Shapes("lines", "LineString", 4326, f"ST_ExteriorRing({DISC})"),
)
WEST, SOUTH, EAST, NORTH = 8.01, 48.01, 8.89, 48.69
"""Where the shapes lie as densely everywhere."""

Work = Callable[[Tile], Awaitable[int]]


@dataclass
class Contender:
    """`get` answers the bytes of a tile. `application` is the name of its connections to PostgreSQL, `kept` the address
    of a tile that stays in its memory."""

    name: str
    get: Work
    application: str
    process: psutil.Process | None = None
    kept: str | None = None


async def measure(postgis: Postgis) -> list[Row]:
    url = postgis.url(postgis.migrated())
    owner = await asyncpg.connect(url)
    missing = [each for each in PROGRAMS if each.path is None]
    rows = [Row(each.name, "left out", f"not on the path, nor named by {each.variable}") for each in missing]
    try:
        await owner.execute("CREATE SCHEMA IF NOT EXISTS data")
        for number, shapes in enumerate(TABLES):
            await make_table(owner, f"tiled_{number}", shapes, ROWS)
        async with AsyncExitStack() as stack:
            for number, contenders in enumerate(await _contenders(stack, url, owner)):
                named = f"{ROWS:,} {TABLES[number].what}"
                for zoom in ZOOMS:
                    rows += await _compared(owner, f"{named}, z{zoom}", zoom, contenders)
            rows.append(await _kept(contenders))
    finally:
        await owner.close()
    return rows


async def make_table(owner: asyncpg.Connection, name: str, shapes: Shapes, rows: int) -> None:
    """A table in the schema `data`, with key, spatial index and statistics."""
    await owner.execute(
        f"""CREATE TABLE data.{name} AS SELECT i AS id, 'feature ' || i AS name,
          (abs(hashint4(i + 7)) % 100000) / 10.0::float8 AS value,
          ({shapes.expression})::geometry({shapes.kind}, {shapes.srid}) AS geom
        FROM generate_series(1, {rows}) AS i"""
    )
    await owner.execute(f"ALTER TABLE data.{name} ADD PRIMARY KEY (id)")
    await owner.execute(f"CREATE INDEX ON data.{name} USING gist (geom)")
    await owner.execute(f"VACUUM ANALYZE data.{name}")


async def _contenders(stack: AsyncExitStack, url: str, owner: asyncpg.Connection) -> list[list[Contender]]:
    """Of each table: the bare query, and all servers."""
    names = [f"tiled_{number}" for number in range(len(TABLES))]
    headers = {"Accept-Encoding": "gzip"}
    session = await stack.enter_async_context(aiohttp.ClientSession(auto_decompress=False, headers=headers))
    pool = await asyncpg.create_pool(
        url, min_size=1, max_size=AT_ONCE, server_settings={"application_name": "bare"}
    )
    stack.push_async_callback(pool.close)
    child = await stack.enter_async_context(child_server(url, **SETTINGS))
    one = await stack.enter_async_context(client(child))
    await one.ask("join")
    for name in names:
        await one.ask("layer_add", table=f"data.{name}")
    await until(lambda: _all_profiled(owner, names), seconds=PATIENCE_S)
    ours = psutil.Process(child.process.pid)
    await settled(ours)
    least, least_address = await stack.enter_async_context(minimal(url))
    tables = dict(zip(names, TABLES, strict=True))
    others = [
        (each, await stack.enter_async_context(each.start(each.path, url, tables, AT_ONCE)))
        for each in PROGRAMS
        if each.path is not None
    ]
    found = []
    for name, shapes in tables.items():
        template = child.url.rstrip("/") + await _tiles_of(one, f"data.{name}")
        remembered = _address(template, next(inner_tiles(15)))
        minimally = _by_http(session, f"{least_address}/{name}/{shapes.srid}{ZXY}")
        each = [
            Contender("bare query", _by_sql(pool, bare_query(name, shapes.srid)), "bare"),
            Contender("GeoAgent", _by_http(session, template), "geoagent", ours, remembered),
            Contender("minimal server", minimally, "minimal", least, f"{least_address}/kept"),
        ]
        for program, running in others:
            get = _by_http(session, running.tiles.replace("{table}", name))
            each.append(Contender(program.name, get, program.application, running.process))
        found.append(each)
    return found


async def _all_profiled(owner: asyncpg.Connection, names: Sequence[str]) -> bool:
    """Whether the server knows of all tables what lets it write short statements."""
    sound = await owner.fetchval(
        """SELECT count(*) FROM geoagent.table_profile AS p JOIN pg_class AS c ON c.oid = p.relid
        WHERE c.relname = ANY($1) AND (p.document->>'is_sound')::boolean""",
        names,
    )
    return bool(sound == len(names))


async def _tiles_of(one: Client, table: str) -> str:
    """The template of the layer's tiles as it is now."""
    joined = await one.ask("join", map_id=one.map_id)
    return next(str(layer["tiles"]) for layer in joined["snapshot"]["layers"] if layer["table"] == table)


def _address(template: str, tile: Tile) -> str:
    return template.format(z=tile.z, x=tile.x, y=tile.y)


def _by_sql(pool: asyncpg.Pool, ask: str) -> Work:
    async def get(tile: Tile) -> int:
        return len(await pool.fetchval(ask, tile.z, tile.x, tile.y))

    return get


def _by_http(session: aiohttp.ClientSession, template: str) -> Work:
    async def get(tile: Tile) -> int:
        async with session.get(_address(template, tile)) as answer:
            body = await answer.read()
            if answer.status not in (200, 204):
                raise RuntimeError(f"{answer.url} answered {answer.status}: {body[:200]!r}")
            return len(body)

    return get


@asynccontextmanager
async def minimal(url: str) -> AsyncIterator[tuple[psutil.Process, str]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.tile_servers.minimal", url,
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, preexec_fn=leash(),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield psutil.Process(process.pid), (await process.stdout.readline()).decode().strip()
    finally:
        process.kill()
        await process.wait()


async def _compared(
    owner: asyncpg.Connection, what: str, zoom: int, contenders: Sequence[Contender]
) -> list[Row]:
    tiles = inner_tiles(zoom)
    for one in contenders:
        await asyncio.gather(*(one.get(tile) for tile in itertools.islice(tiles, AT_ONCE)))
    singles = await _in_turns(owner, contenders, [[next(tiles)] for _ in range(SINGLES[zoom])])
    batches = await _in_turns(
        owner, contenders, [[*itertools.islice(tiles, AT_ONCE)] for _ in range(BATCHES[zoom])]
    )
    drawn = SINGLES[zoom] + BATCHES[zoom] * AT_ONCE
    rows = []
    for one, alone, together in zip(contenders, singles, batches, strict=True):
        own, backends = (
            (alone.processor[part] + together.processor[part]) * 1000 / drawn
            for part in ("server", "backends")
        )
        rows.append(
            Row(
                f"{what}: {one.name}",
                f"{statistics.mean(alone.seconds) * 1000:.1f} ms, "
                f"{AT_ONCE * len(together.seconds) / sum(together.seconds):.0f}/s at once",
                f"processor: PostgreSQL {backends:.1f} ms, server {own:.2f} ms",
            )
        )
    return rows


class Taken(NamedTuple):
    """Seconds of each piece of work, and of processor time of all together."""

    seconds: list[float]
    processor: Counter[str]


async def _in_turns(
    owner: asyncpg.Connection, contenders: Sequence[Contender], works: Sequence[Sequence[Tile]]
) -> list[Taken]:
    """What each contender takes for each piece of work, the tiles of which are asked for at once."""
    taken = [Taken([], Counter()) for _ in contenders]
    for number, tiles in enumerate(works):
        for place in range(len(contenders)):
            # Whoever is first finds fewer pages in PostgreSQL's memory.
            turn = (number + place) % len(contenders)
            before = await _spent(owner, contenders[turn])
            begun = time.perf_counter()
            await asyncio.gather(*map(contenders[turn].get, tiles))
            taken[turn].seconds.append(time.perf_counter() - begun)
            for process, spent in (await _spent(owner, contenders[turn])).items():
                part = "server" if process == SERVER else "backends"
                taken[turn].processor[part] += spent - before.get(process, 0.0)
    return taken


async def _kept(contenders: Sequence[Contender]) -> Row:
    found = []
    for one in contenders:
        if one.kept is not None and one.process is not None:
            before = cpu(one.process)
            rate = await asyncio.to_thread(kept.rate, one.kept)
            spent = (cpu(one.process) - before) / (rate * kept.SECONDS) * 1e6
            found.append(f"{one.name} {rate:,.0f}/s, {spent:.0f} µs of processor time each")
    return Row("one tile from memory", found[0], "; ".join(found[1:]))


async def _spent(owner: asyncpg.Connection, one: Contender) -> dict[int, float]:
    """Seconds of processor time that the server and each of its connections have used so far, by process."""
    pids = await owner.fetch(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
        one.application,
    )
    spent = {row["pid"]: cpu(psutil.Process(row["pid"])) for row in pids}
    return spent if one.process is None else {**spent, SERVER: cpu(one.process)}


def inner_tiles(zoom: int) -> Iterator[Tile]:
    """Those that lie among the shapes, near ones far apart, again and again."""
    first, last = _tile_at(WEST, NORTH, zoom), _tile_at(EAST, SOUTH, zoom)
    inner = [Tile(zoom, x, y) for x in range(first.x + 1, last.x) for y in range(first.y + 1, last.y)]
    random.Random(zoom).shuffle(inner)
    return itertools.cycle(inner)


def _tile_at(longitude: float, latitude: float, zoom: int) -> Tile:
    x, y = mercator_of((longitude, latitude))
    width = WORLD / 2**zoom
    return Tile(zoom, int((x + HALF_WORLD) / width), int((HALF_WORLD - y) / width))
