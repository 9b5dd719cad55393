"""Connections that answer tiles by themselves, before the application sees a request."""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import psutil
import pytest
import pytest_asyncio
from aiohttp import ClientSession, web

from server.database.engines import Database
from server.gis.tiles.grid import Tile
from server.gis.tiles.service import TileLimits
from server.http import errors, tiles
from server.http.middleware.direct_tiles import with_direct_tiles
from server.origins import Origins
from tests.integration.tiles.drawing import Atlas, counted, idle, running
from tests.support.looking import until

PATH = "/tiles/m/a/1/0/0/0.mvt"
pytestmark = pytest.mark.usefixtures("towns")


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


def request(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


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
    text = b"".join(request(path) for path in (PATH, other, PATH, PATH))
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
        writer.write(request(PATH))
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

    async def failing(*arguments: Any) -> Any:
        if failures:
            raise failures.pop(0)
        return await draw(*arguments)

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


@dataclass
class HeldTiles:
    """Tiles whose drawing waits for `release`, from `begun` on."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)


@pytest_asyncio.fixture(loop_scope="session")
async def held(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> HeldTiles:
    await atlas.layer("data.towns")
    draw, held = atlas.service.tile, HeldTiles()

    async def waiting(*arguments: Any) -> Any:
        held.begun.set()
        await held.release.wait()
        return await draw(*arguments)

    monkeypatch.setattr(atlas.service, "tile", waiting)
    return held


async def test_a_server_that_stops_answers_the_tile_that_it_draws(atlas: Atlas, held: HeldTiles) -> None:
    serving = directly(atlas)
    host, port, _ = await serving.__aenter__()
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(request(PATH))
    await held.begun.wait()
    stopping = asyncio.create_task(serving.__aexit__(None, None, None))
    await asyncio.sleep(0.05)
    held.release.set()
    assert (await answer_of(reader))[0] == 200
    await stopping
    writer.close()


@pytest.mark.parametrize("seconds", [0, 1])
async def test_a_request_that_comes_while_a_tile_is_drawn_is_answered_after_it(
    atlas: Atlas, held: HeldTiles, seconds: float
) -> None:
    """Also where drawing takes longer than idle connections are kept."""
    async with directly(atlas, keepalive_timeout=0.5) as (host, port, worked):
        reader, writer = await asyncio.open_connection(host, port)
        # Only a connection that the application has answered is closed when it is idle.
        writer.write(request("/first"))
        assert (await answer_of(reader))[0] == 404
        writer.write(request(PATH))
        await held.begun.wait()
        await asyncio.sleep(seconds)
        writer.write(request("/hello"))
        await asyncio.sleep(0.05)
        assert worked == ["/first"]
        held.release.set()
        async with asyncio.timeout(10):
            assert [(await answer_of(reader))[0] for _ in range(2)] == [200, 404]
        assert worked == ["/first", "/hello"]
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
