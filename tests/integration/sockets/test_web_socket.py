"""WebSockets below Socket.IO: frames as RFC 6455 allows them, and what a connection costs while it is quiet."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from server.app import Server
from tests.support.looking import PATIENCE, until
from tests.support.server import client
from tests.support.wire import wires

UPGRADE = (
    "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\n"
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
)
KEY = "AAAAAAAAAAAAAAAAAAAAAA=="
FINAL, CONTINUED, TEXT, CLOSE, PING, PONG = 0x80, 0, 1, 8, 9, 10


def frame(kind: int, body: bytes) -> bytes:
    """A frame of a client, which masks what it sends."""
    mask = os.urandom(4)
    assert len(body) < 126
    return bytes((kind, 0x80 | len(body))) + mask + bytes(one ^ mask[n % 4] for n, one in enumerate(body))


class Frames:
    """A WebSocket whose frames are written by hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def headers(self) -> str:
        return (await self._reader.readuntil(b"\r\n\r\n")).decode()

    async def next(self) -> tuple[int, bytes]:
        """The kind and body of the next frame."""
        async with asyncio.timeout(PATIENCE):
            head, size = await self._reader.readexactly(2)
            if size == 126:
                size = int.from_bytes(await self._reader.readexactly(2), "big")
            return head & 0x0F, await self._reader.readexactly(size)

    async def answer(self) -> Any:
        """The next acknowledgement."""
        while True:
            _, body = await self.next()
            if body.startswith(b"43"):
                return json.loads(body[body.index(b"[") :])[0]


@asynccontextmanager
async def connection(server: Server, key: str = KEY, early: bytes = b"") -> AsyncIterator[Frames]:
    """A connection that has asked for a WebSocket, with bytes that it sent before it had an answer."""
    address = urlsplit(server.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(UPGRADE.format(host=address.netloc, key=key).encode() + early)
    try:
        yield Frames(reader, writer)
    finally:
        writer.close()


async def test_a_message_in_pieces_and_with_a_ping_between_them_is_one_message(server: Server) -> None:
    async with connection(server) as frames:
        assert "101 Switching Protocols" in await frames.headers()
        frames.send(frame(FINAL | TEXT, b"40"))
        assert [(await frames.next())[1][:1], (await frames.next())[1][:2]] == [b"0", b"40"]
        frames.send(frame(TEXT, b'420["jo') + frame(FINAL | PING, b"alive?"))
        assert await frames.next() == (PONG, b"alive?")
        frames.send(frame(CONTINUED, b'in",') + frame(FINAL | CONTINUED, b"{}]"))
        assert (await frames.answer())["ok"]


async def test_what_came_with_the_request_for_an_upgrade_is_not_lost(server: Server) -> None:
    early = frame(FINAL | TEXT, b"40") + frame(FINAL | TEXT, b'420["join",{}]')
    async with connection(server, early=early) as frames:
        await frames.headers()
        assert (await frames.answer())["ok"]


async def test_a_client_that_says_goodbye_is_answered_and_forgotten(server: Server) -> None:
    sockets = server.sockets._io.eio.sockets
    async with connection(server) as frames:
        await frames.headers()
        own_id = json.loads((await frames.next())[1][1:])["sid"]
        assert own_id in sockets
        frames.send(frame(FINAL | CLOSE, (1000).to_bytes(2, "big")))
        assert (await frames.next())[0] == CLOSE
        await until(lambda: own_id not in sockets)


async def test_frames_that_break_the_protocol_end_the_connection(server: Server) -> None:
    async with connection(server) as frames:
        await frames.headers()
        frames.send(frame(FINAL | CONTINUED, b"of nothing"))
        kind, body = await frames.next()
        while kind != CLOSE:
            kind, body = await frames.next()
        assert int.from_bytes(body[:2], "big") == 1002


async def test_an_upgrade_that_fails_leaves_nothing(server: Server) -> None:
    engine = server.sockets._io.eio
    before = set(engine.sockets)
    async with connection(server, key="no key") as frames:
        assert " 400 " in await frames.headers()
    assert set(engine.sockets) <= before


async def test_a_client_that_polled_goes_on_by_websocket(server: Server) -> None:
    async with client(server, transports=["polling", "websocket"]) as one:
        await one.ask("join")
        assert one.io.transport() == "websocket"
        await one.ask("layer_add", table="data.airports")
        await one.hears("layer_added")


async def test_a_quiet_socket_keeps_neither_a_task_nor_a_request(server: Server) -> None:
    async with wires(server.url, 5) as some:
        await asyncio.gather(*(one.ask("join", {}) for one in some))
        before = len(works_of_server())
        async with wires(server.url, 40) as more:
            await asyncio.gather(*(one.ask("join", {}) for one in more))
            await until(lambda: len(works_of_server()) <= before + 5)


def works_of_server() -> list[str]:
    """Tasks of requests and sockets; those of the clients, which run in this process too, are others."""
    names = (getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks())
    return [name for name in names if name.startswith(("RequestHandler.", "WebSocketConnection."))]
