"""Tiles as a service: memory, single flight, limits, cancelling in PostgreSQL, and the answers over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestClient, TestServer

from agents.domain import StyleSpec
from server.database.engines import Database
from server.gis.tiles.grid import Tile
from server.gis.tiles.queue import TileBusy, TileTooSlow
from server.gis.tiles.service import DrawnTile, TileLimits
from server.http import errors, tiles
from server.http.tiles import tile_answer, tile_json
from server.settings import Settings
from tests.integration.tiles.drawing import Atlas, counted, decoded, idle, running
from tests.support.looking import until

Client = TestClient[web.Request, web.Application]
pytestmark = pytest.mark.usefixtures("towns")


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
    assert document["estimated"] is False
    layer = (await atlas.layer("data.towns")).model_copy(update={"estimated": True})
    assert tile_json(layer, await atlas.table("data.towns"), "")["estimated"] is True


def test_a_tile_says_in_its_header_how_much_it_shows_and_whether_that_is_an_estimate() -> None:
    drawn = DrawnTile(b"tile", "tag", 8510, 164_370)
    assert tile_answer({"Accept-Encoding": "gzip"}, drawn)[1]["X-Showing"] == "8510 of 164370"
    estimate = replace(drawn, is_estimate=True)
    assert tile_answer({"Accept-Encoding": "gzip"}, estimate)[1]["X-Showing"] == "8510 of about 164370"


async def fetch(browser: ClientSession, url: str) -> bytes:
    async with browser.get(url) as answer:
        return await answer.read()
