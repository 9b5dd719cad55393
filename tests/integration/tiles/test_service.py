"""Tiles as a service: memory, single flight, limits, cancelling in PostgreSQL, and the answers over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import psutil
import pytest
import pytest_asyncio
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestClient, TestServer

from agents.domain import StyleSpec
from server.database.engines import Database
from server.gis.tiles.grid import Tile
from server.gis.tiles.queue import TileBusy, TileTooSlow
from server.gis.tiles.service import TileLimits
from server.http import errors, tiles
from server.http.middleware.direct_tiles import with_direct_tiles
from server.origins import Origins
from server.settings import Settings
from tests.integration.tiles.drawing import Atlas, decoded, scalar
from tests.support.looking import until

Client = TestClient[web.Request, web.Application]
RUNNING = """SELECT count(*) FROM pg_stat_activity
    WHERE state = 'active' AND query LIKE '%WITH matched%slow%' AND pid <> pg_backend_pid()"""


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def some_tables(database: Database) -> None:
    await Atlas(database).execute(
        "CREATE TABLE data.towns (id int PRIMARY KEY, name text, geom geometry(Point, 4326))",
        "INSERT INTO data.towns SELECT n, 'town ' || n, ST_SetSRID(ST_MakePoint(n / 10.0, 40), 4326) "
        "FROM generate_series(1, 500) n",
        "COMMENT ON TABLE data.towns IS 'Some towns'",
        # Stable, so that only who selects it waits; and slow for tiles only: the registry and styles look into it, too.
        "CREATE FUNCTION data.nap(int) RETURNS int LANGUAGE plpgsql STABLE AS "
        "'BEGIN IF current_query() ~ ''ST_AsMVT'' THEN PERFORM pg_sleep(0.2); END IF; RETURN $1; END'",
        "CREATE VIEW data.slow AS SELECT id, data.nap(id) AS nap, geom FROM data.towns",
    )


@asynccontextmanager
async def served(atlas: Atlas) -> AsyncIterator[Client]:
    app = web.Application(middlewares=[errors.faults])
    app.add_routes(tiles.routes(atlas.service, atlas.registry))
    async with TestClient(TestServer(app), auto_decompress=False) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def client(atlas: Atlas) -> AsyncIterator[Client]:
    async with served(atlas) as opened:
        yield opened


def counted(atlas: Atlas, result: str) -> float:
    return atlas.service.metrics.requests.labels(result)._value.get()


async def test_a_tile_is_drawn_once_and_then_comes_from_memory(atlas: Atlas) -> None:
    await atlas.layer("data.towns")
    first = await atlas.service.tile("m", "a", 1, Tile.at(0, 0, 0))
    second = await atlas.service.tile("m", "a", 1, Tile.at(0, 0, 0))
    assert second is first
    assert (counted(atlas, "miss"), counted(atlas, "hit")) == (1, 1)


async def test_what_many_ask_for_at_once_is_drawn_once(atlas: Atlas) -> None:
    await atlas.layer("data.towns")
    drawn = await asyncio.gather(*(atlas.service.tile("m", "a", 1, Tile.at(1, 1, 0)) for _ in range(30)))
    assert len({id(tile) for tile in drawn}) == 1
    assert (counted(atlas, "miss"), counted(atlas, "joined")) == (1, 29)


async def test_memory_is_bounded_in_bytes(database: Database) -> None:
    small = Atlas(database, TileLimits(cache_bytes=4_000))
    await small.layer("data.towns")
    for x in range(32, 48):
        await small.service.tile("m", "a", 1, Tile.at(6, x, 24))
        assert small.service.cached_bytes <= 4_000
    assert small.service.cached_bytes > 0


async def test_a_new_version_of_a_layer_has_tiles_of_its_own_and_the_old_one_still_answers(
    atlas: Atlas,
) -> None:
    await atlas.layer("data.towns")
    filter = {"op": "<=", "args": [{"property": "id"}, 10]}
    await atlas.layer("data.towns", filter=filter, version=2)
    assert len((await atlas.tile(0, 0, 0, version=1))["features"]) == 500
    assert len((await atlas.tile(0, 0, 0, version=2))["features"]) == 10


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def patient(database: Database, database_url: str) -> AsyncIterator[Database]:
    """Its slow tiles would take 100 s, and no limit ends them before: what ends early was cancelled."""
    async with await Database.connect(Settings(database_url=database_url, tile_timeout=3600)) as opened:
        yield opened


async def test_an_abandoned_tile_is_cancelled_in_postgresql(patient: Database) -> None:
    atlas = Atlas(patient, TileLimits(seconds=3600))
    await atlas.layer("data.slow")
    waiting = [asyncio.create_task(atlas.service.tile("m", "a", 1, Tile.at(0, 0, 0))) for _ in range(2)]
    await until(lambda: running(atlas))
    waiting[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting[0]
    assert await running(atlas), "one still waits"
    assert not waiting[1].done()
    waiting[1].cancel()
    await until(lambda: idle(atlas))
    assert atlas.service.metrics.abandoned._value.get() == 1


async def test_a_browser_that_goes_away_cancels_its_tile(patient: Database) -> None:
    atlas = Atlas(patient, TileLimits(seconds=3600))
    await atlas.layer("data.slow")
    async with served(atlas) as client, ClientSession() as browser:
        asked = asyncio.create_task(fetch(browser, str(client.make_url("/tiles/m/a/1/0/0/0.mvt"))))
        await until(lambda: running(atlas))
        asked.cancel()
        await until(lambda: idle(atlas))
        assert atlas.service.metrics.abandoned._value.get() == 1


async def test_a_tile_that_takes_too_long_is_unavailable_for_now(
    database: Database, database_url: str
) -> None:
    async with await Database.connect(Settings(database_url=database_url, tile_timeout=0.3)) as hasty:
        atlas = Atlas(hasty)
        await atlas.layer("data.slow")
        async with served(atlas) as client:
            answer = await client.get("/tiles/m/a/1/0/0/0.mvt")
            assert (answer.status, answer.headers["Retry-After"]) == (503, "2")
            assert (await answer.json())["error"]["code"] == "unavailable"


async def test_slow_tiles_wait_for_a_turn_and_not_for_ever(database: Database) -> None:
    atlas = Atlas(database, TileLimits(seconds=0.5, concurrency=1))
    await atlas.layer("data.slow")
    asked = (atlas.service.tile("m", "a", 1, Tile.at(1, 1, y)) for y in (0, 1, 0))
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(result) for result in results] == [TileTooSlow, TileBusy, TileTooSlow]
    await until(lambda: idle(atlas))


async def test_a_tile_over_http_is_compressed_tagged_and_kept_for_ever(client: Client, atlas: Atlas) -> None:
    await atlas.layer("data.towns")
    answer = await client.get("/tiles/m/a/1/0/0/0.mvt", headers={"Accept-Encoding": "gzip, br"})
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/vnd.mapbox-vector-tile"
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Vary"] == "Accept-Encoding"
    body = gzip.decompress(await answer.read())
    assert len(decoded(body)["features"]) == 500
    tag = answer.headers["ETag"]
    assert tag.startswith('"')
    again = await client.get(
        "/tiles/m/a/1/0/0/0.mvt", headers={"If-None-Match": tag, "Accept-Encoding": "gzip"}
    )
    assert (again.status, await again.read(), again.headers["ETag"]) == (304, b"", tag)
    plain = await client.get("/tiles/m/a/1/0/0/0.mvt", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert await plain.read() == body
    assert plain.headers["ETag"] != tag


@asynccontextmanager
async def directly(atlas: Atlas, **settings: Any) -> AsyncIterator[tuple[str, int, list[str]]]:
    """A server whose connections answer tiles; host and port, and the paths that its middleware saw."""
    worked: list[str] = []

    @web.middleware
    async def note(request: web.Request, handler: Any) -> web.StreamResponse:
        worked.append(request.path)
        answer: web.StreamResponse = await handler(request)
        return answer

    app = web.Application(middlewares=[note, errors.faults])
    app.add_routes(tiles.routes(atlas.service, atlas.registry))
    runner = web.AppRunner(app, access_log=None, **settings)
    await runner.setup()
    assert runner.server is not None
    connections = with_direct_tiles(runner.server, atlas.service, Origins())
    listening = await asyncio.get_running_loop().create_server(connections, "127.0.0.1", 0)
    try:
        yield *listening.sockets[0].getsockname(), worked
    finally:
        listening.close()
        await runner.cleanup()


PATH = "/tiles/m/a/1/0/0/0.mvt"


async def test_a_tile_is_answered_before_any_other_middleware_works(atlas: Atlas) -> None:
    await atlas.layer("data.towns")
    async with (
        directly(atlas) as (host, port, worked),
        ClientSession(f"http://{host}:{port}", auto_decompress=False) as client,
    ):
        first = await client.get(PATH)
        again = await client.get(PATH)
        unchanged = await client.get(PATH, headers={"If-None-Match": first.headers["ETag"]})
        assert (first.status, again.status, unchanged.status) == (200, 200, 304)
        assert await again.read() == await first.read()
        assert not worked
        assert counted(atlas, "hit") == 2
        missing = await client.get("/tiles/other/a/1/0/0/0.mvt")
        assert (missing.status, (await missing.json())["error"]["code"]) == (404, "unknown_layer")
        assert not worked
        others = [
            "/tiles/m/a/1/x/0/0.mvt",
            "/tiles/m/a/1/1/2/0.mvt",
            "/tiles/view_m/a/1/0/0/0.mvt",
            "/tiles/nothing",
        ]
        for other in others:
            assert (await client.get(other)).status in (400, 404)
        assert worked == others
        assert "X-Content-Type-Options" in again.headers
        await client.get(PATH, headers={"Host": "elsewhere.example"})
        plain = await client.get(PATH, headers={"Accept-Encoding": "identity"})
        assert await plain.read() == gzip.decompress(await first.read())
        assert plain.headers["ETag"] != first.headers["ETag"]
        assert len(worked) == 5, "one request was for another host"
        for usual in ({"Origin": "https://elsewhere.example"}, {"Connection": "close"}):
            answered = await client.get(PATH, headers=usual)
            assert await answered.read() == await first.read()
        assert len(worked) == 7


async def test_requests_in_pieces_or_several_at_once_are_all_answered_in_their_order(atlas: Atlas) -> None:
    await atlas.layer("data.towns")
    await atlas.service.tile("m", "a", 1, Tile.at(0, 0, 0))
    other = "/tiles/m/a/1/9/0/0.mvt"
    text = "".join(
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for path in (PATH, other, PATH, PATH)
    ).encode()
    async with directly(atlas) as (host, port, _):
        reader, writer = await asyncio.open_connection(host, port)
        for size in (len(text), 40, 1):
            for start in range(0, len(text), size):
                writer.write(text[start : start + size])
                await writer.drain()
            answers = [await answer_of(reader) for _ in range(4)]
            assert [status for status, _ in answers] == [200, 204, 200, 200]
            assert answers[0] == answers[2] == answers[3]
        writer.close()


async def test_a_browser_that_leaves_a_connection_that_draws_cancels_its_tile(patient: Database) -> None:
    atlas = Atlas(patient, TileLimits(seconds=3600))
    await atlas.layer("data.slow")
    async with directly(atlas) as (host, port, worked):
        _, writer = await asyncio.open_connection(host, port)
        writer.write(f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        await until(lambda: running(atlas))
        writer.close()
        await until(lambda: idle(atlas))
        assert atlas.service.metrics.abandoned._value.get() == 1
        assert not worked


async def test_a_tile_that_fails_unexpectedly_is_answered_with_an_id(
    atlas: Atlas, monkeypatch: pytest.MonkeyPatch
) -> None:
    await atlas.layer("data.towns")
    draw, failures = atlas.service.tile, [RuntimeError("secret"), TimeoutError()]

    async def failing(*wanted: Any) -> Any:
        if failures:
            raise failures.pop(0)
        return await draw(*wanted)

    monkeypatch.setattr(atlas.service, "tile", failing)
    async with directly(atlas) as (host, port, worked), ClientSession(f"http://{host}:{port}") as client:
        answers = [await client.get(PATH) for _ in range(3)]
        assert [answer.status for answer in answers] == [500, 503, 200]
        assert [(await answer.json())["error"]["code"] for answer in answers[:2]] == [
            "internal",
            "unavailable",
        ]
        assert "secret" not in await answers[0].text()
        assert not worked


async def test_a_server_that_stops_answers_the_tile_that_it_draws(
    atlas: Atlas, monkeypatch: pytest.MonkeyPatch
) -> None:
    await atlas.layer("data.towns")
    draw, begun, go_on = atlas.service.tile, asyncio.Event(), asyncio.Event()

    async def waiting(*wanted: Any) -> Any:
        begun.set()
        await go_on.wait()
        return await draw(*wanted)

    monkeypatch.setattr(atlas.service, "tile", waiting)
    serving = directly(atlas)
    host, port, _ = await serving.__aenter__()
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await begun.wait()
    stopping = asyncio.create_task(serving.__aexit__(None, None, None))
    await asyncio.sleep(0.05)
    go_on.set()
    assert (await answer_of(reader))[0] == 200
    await stopping
    writer.close()


async def answer_of(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = re.search(r"Content-Length: (\d+)", head)
    return int(head.split()[1]), await reader.readexactly(int(length[1]) if length else 0)


async def test_a_client_that_takes_no_tiles_is_disconnected(atlas: Atlas) -> None:
    await atlas.layer("data.towns")
    small = await atlas.service.tile("m", "a", 1, Tile.at(0, 0, 0))
    atlas.service._cache[("m", "a", 1, "", ""), Tile.at(0, 0, 0)] = replace(small, body=bytes(30_000_000))
    async with directly(atlas, keepalive_timeout=2) as (host, port, worked):
        reader, writer = await asyncio.open_connection(host, port, limit=1024)
        ask = "GET {} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n"
        writer.write(ask.format("/tiles/nothing").encode())
        assert (await answer_of(reader))[0] == 404
        writer.write(ask.format(PATH).encode())
        await until(lambda: counted(atlas, "hit") == 1)
        assert worked == ["/tiles/nothing"]
        await until(lambda: connections_to(port) == 0)
        writer.close()


def connections_to(port: int) -> int:
    """Of this process, as the listening side."""
    return sum(
        each.laddr.port == port and each.status != "LISTEN" for each in psutil.Process().net_connections()
    )


async def test_an_empty_tile_has_no_content_and_may_be_kept(client: Client, atlas: Atlas) -> None:
    await atlas.layer("data.towns")
    answer = await client.get("/tiles/m/a/1/5/0/0.mvt")
    assert (answer.status, await answer.read()) == (204, b"")
    assert "immutable" in answer.headers["Cache-Control"]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/tiles/m/a/1/0/0/1.mvt", 400, "invalid_payload"),
        ("/tiles/m/a/1/23/0/0.mvt", 400, "invalid_payload"),
        ("/tiles/m/a/1/x/0/0.mvt", 400, "invalid_payload"),
        ("/tiles/m/a/1/-1/0/0.mvt", 400, "invalid_payload"),
        ("/tiles/m/a/1/1e3/0/0.mvt", 400, "invalid_payload"),
        ("/tiles/m/a/1/0/99999999999999999999/0.mvt", 400, "invalid_payload"),
        ("/tiles/m/a/9/0/0/0.mvt", 404, "unknown_layer"),
        ("/tiles/m/b/1/0/0/0.mvt", 404, "unknown_layer"),
        ("/tiles/n/a/1/0/0/0.mvt", 404, "unknown_layer"),
        ("/api/maps/m/layers/b/tilejson", 404, "unknown_layer"),
    ],
)
async def test_what_is_not_there_is_answered_with_the_reason(
    client: Client, atlas: Atlas, path: str, status: int, code: str
) -> None:
    await atlas.layer("data.towns")
    answer = await client.get(path)
    assert answer.status == status
    assert (await answer.json())["error"]["code"] == code


async def test_a_layer_whose_table_is_gone_is_answered_with_the_reason(client: Client, atlas: Atlas) -> None:
    await atlas.execute("CREATE TABLE data.fleeting (id int, geom geometry(Point, 4326))")
    await atlas.layer("data.fleeting")
    await atlas.execute("DROP TABLE data.fleeting")
    answer = await client.get("/tiles/m/a/1/0/0/0.mvt")
    assert (answer.status, (await answer.json())["error"]["code"]) == (404, "unknown_table")
    await atlas.registry.refresh()
    answer = await client.get("/tiles/m/a/1/1/0/0.mvt")
    assert (answer.status, (await answer.json())["error"]["code"]) == (404, "unknown_table")


async def test_no_tile_of_a_dropped_table_is_kept(client: Client, atlas: Atlas) -> None:
    registry, service = atlas.registry, atlas.service
    stop = registry.on_change(
        lambda ids: service.forget({each for each in ids if registry.find(each) is None})
    )
    await atlas.execute("CREATE TABLE data.kept (id int PRIMARY KEY, geom geometry(Point, 4326))")
    await atlas.execute("INSERT INTO data.kept VALUES (1, ST_SetSRID(ST_MakePoint(1, 1), 4326))")
    await atlas.layer("data.kept")
    assert (await client.get("/tiles/m/a/1/0/0/0.mvt")).status == 200
    await atlas.execute("CREATE TABLE data.another (id int)")
    await atlas.registry.refresh()
    assert (await client.get("/tiles/m/a/1/0/0/0.mvt")).status == 200
    await atlas.execute("DROP TABLE data.kept")
    await atlas.registry.refresh()
    stop()
    assert (await client.get("/tiles/m/a/1/0/0/0.mvt")).status == 404


async def test_tilejson_says_where_the_tiles_are_and_what_is_in_them(client: Client, atlas: Atlas) -> None:
    await atlas.layer("data.towns", StyleSpec(label="name"), version=3)
    answer = await client.get("/api/maps/m/layers/a/tilejson", headers={"Accept-Encoding": "identity"})
    document: dict[str, Any] = json.loads(await answer.read())
    assert document["tilejson"] == "3.0.0"
    assert document["tiles"][0] == str(client.make_url("/")) + "tiles/m/a/3/{z}/{x}/{y}.mvt"
    assert document["vector_layers"][0]["id"] == "features"
    assert set(document["vector_layers"][0]["fields"]) == {"id", "name"}
    assert document["description"] == "Some towns"


async def fetch(browser: ClientSession, url: str) -> bytes:
    async with browser.get(url) as answer:
        return await answer.read()


async def running(atlas: Atlas) -> int:
    return int(await scalar(atlas.database, RUNNING))


async def idle(atlas: Atlas) -> bool:
    return await running(atlas) == 0
