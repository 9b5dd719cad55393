"""Answers that their clients do not read take a bounded amount of memory, and their connections end."""

from __future__ import annotations

import asyncio
import gc
import socket
import weakref
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import pytest
import pytest_asyncio
from aiohttp import ClientSession, TCPConnector, web

from server.http.middleware import unread_answers
from server.http.middleware.abandoned_requests import stop_abandoned_reading
from server.http.middleware.request_rates import RequestRates, limit_requests
from server.http.middleware.unread_answers import BoundedConnection, UnreadAnswers
from tests.support.looking import until

GREEDY, STRANGER = "127.0.0.2", "127.0.0.3"
ANSWER = bytes(16 * 2**20)
"""More than the buffers of the system take."""


@dataclass
class Place:
    """A server of one large answer."""

    server: web.Server
    unread: UnreadAnswers
    port: int
    made: list[weakref.ref[web.Response]]
    """All answers."""

    def ask_and_read_nothing(self, address: str) -> socket.socket:
        asking = socket.create_connection(("127.0.0.1", self.port), source_address=(address, 0))
        asking.sendall(b"GET /api/large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return asking

    async def read(self, address: str) -> bytes:
        connector = TCPConnector(local_addr=(address, 0))
        async with (
            ClientSession(f"http://127.0.0.1:{self.port}", connector=connector) as http,
            http.get("/api/large") as answer,
        ):
            return await answer.read()


@pytest_asyncio.fixture
async def place() -> AsyncIterator[Place]:
    made: list[weakref.ref[web.Response]] = []

    async def large(request: web.Request) -> web.Response:
        answer = web.Response(body=ANSWER)
        made.append(weakref.ref(answer))
        return answer

    app = web.Application(middlewares=[limit_requests(RequestRates(0)), stop_abandoned_reading])
    app.add_routes([web.get("/api/large", large)])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
    await runner.setup()
    assert runner.server is not None
    unread, loop = UnreadAnswers(), asyncio.get_running_loop()
    connections = partial(BoundedConnection, runner.server, unread, loop=loop)
    listening = await loop.create_server(connections, "127.0.0.1", 0)
    try:
        yield Place(runner.server, unread, listening.sockets[0].getsockname()[1], made)
    finally:
        listening.close()
        await runner.cleanup()


async def test_the_unread_answers_of_an_address_are_bounded_and_a_stranger_s_are_kept(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = 3 * len(ANSWER)
    monkeypatch.setattr(unread_answers, "MAX_UNREAD_BYTES", limit)
    with ExitStack() as stack:
        stack.enter_context(place.ask_and_read_nothing(STRANGER))
        await until(lambda: place.unread.bytes_of(STRANGER) > 0)
        for _ in range(12):
            before = place.server.requests_count
            stack.enter_context(place.ask_and_read_nothing(GREEDY))
            await until(lambda before=before: place.server.requests_count > before)
        await until(lambda: 0 < place.unread.bytes_of(GREEDY) <= limit)
        await until(lambda: len(place.server.connections) < 6)
        assert place.unread.bytes_of(STRANGER) > 0
        assert await place.read(STRANGER) == ANSWER
        assert await place.read(GREEDY) == ANSWER, "who reads is served"


async def test_an_answer_larger_than_the_limit_reaches_a_client_that_reads(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unread_answers, "MAX_UNREAD_BYTES", len(ANSWER) // 4)
    assert await place.read(STRANGER) == ANSWER


async def test_a_client_that_reads_nothing_is_let_go(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread_answers, "SEND_TIMEOUT_S", 0.1)
    with place.ask_and_read_nothing(GREEDY):
        await until(lambda: place.server.requests_count == 1)
        await until(lambda: not place.server.connections)
    assert place.unread.bytes_of(GREEDY) == 0


async def test_an_answer_that_was_read_is_freed_without_a_garbage_collection(place: Place) -> None:
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            assert await place.read(STRANGER) == ANSWER
        await until(lambda: not any(each() for each in place.made))
    finally:
        gc.enable()
