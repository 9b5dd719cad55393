"""200 sockets on one map, and one changes a layer: when do they all know?

The same clients then get the same bytes from a bare python-socketio server that does nothing but emit, which is
the floor. Ours also checks, locks, writes two tables, commits, notifies and reads back.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp

from tests.bench.rows import Row, milliseconds, quantile
from tests.support.postgis import Postgis
from tests.support.server import child_server

CLIENTS = 200
ROUNDS = 20
BARE = """
import asyncio, socketio
from aiohttp import web
io = socketio.AsyncServer(async_mode="aiohttp")
@io.event
async def join(sid, data):
    await io.enter_room(sid, "map")
    return {"ok": True, "map_id": "map"}
@io.event
async def change(sid, data):
    await io.emit("layer_updated", data, room="map")
    return {"ok": True}
async def main():
    app = web.Application()
    io.attach(app)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()
import uvloop
uvloop.run(main())
"""


class Socket:
    """As little of a Socket.IO client as there can be, so that the server is what is measured."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self.event = ""
        self.at = 0.0
        self.told = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    async def ask(self, event: str, payload: Any) -> Any:
        self._number += 1
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        await self._socket.send_str(f"42{self._number}{json.dumps([event, payload])}")
        return await answer

    async def close(self) -> None:
        self._reader.cancel()
        await self._socket.close()

    async def _read(self) -> None:
        async for message in self._socket:
            text = message.data
            if text.startswith('42["layer_updated"'):
                self.at = time.perf_counter()
                self.event = text
                self.told.set()
            elif text.startswith("43"):
                number, _, body = text[2:].partition("[")
                self._answers.pop(int(number)).set_result(json.loads(f"[{body}")[0])
            elif text == "2":
                await self._socket.send_str("3")


async def measure(postgis: Postgis) -> list[Row]:
    url = postgis.url(postgis.with_samples())
    async with child_server(url) as server, crowd(server.url) as (map_id, sockets):
        await sockets[0].ask("layer_add", {"map_id": map_id, "table": "data.airports"})
        change = {"map_id": map_id, "layer_id": "airports"}
        changes = [{**change, "opacity": round(0.1 + number / 100, 2)} for number in range(ROUNDS)]
        ours = await rounds(sockets, "layer_update", changes)
        payload = json.loads(sockets[0].event[2:])[1]
    async with bare_server() as address, crowd(address) as (_, sockets):
        floor = await rounds(sockets, "change", [payload] * ROUNDS)
    ratio = quantile(ours, 50) / quantile(floor, 50)
    size = len(json.dumps(payload))
    return [
        Row(
            f"sockets: {CLIENTS} clients learn of a change", milliseconds(ours), f"{ratio:.1f} x a bare emit"
        ),
        Row("sockets: the same bytes by bare python-socketio", milliseconds(floor), f"{size} bytes each"),
    ]


async def rounds(sockets: list[Socket], event: str, payloads: list[dict[str, Any]]) -> list[float]:
    """The time from asking to knowing, of every client in every round but the first."""
    times: list[float] = []
    for payload in payloads:
        for socket in sockets:
            socket.told.clear()
        begun = time.perf_counter()
        await sockets[0].ask(event, payload)
        await asyncio.gather(*(socket.told.wait() for socket in sockets))
        times += [socket.at - begun for socket in sockets]
    return times[len(sockets) :]


@asynccontextmanager
async def crowd(address: str) -> AsyncIterator[tuple[str, list[Socket]]]:
    """All clients, on one map."""
    url = f"{address}/socket.io/?EIO=4&transport=websocket".replace("http", "ws", 1)
    connector = aiohttp.TCPConnector(limit=0)
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))
        sockets = []
        map_id = None
        for _ in range(CLIENTS):
            connection = await session.ws_connect(url)
            await connection.receive_str()
            await connection.send_str("40")
            await connection.receive_str()
            sockets.append(Socket(connection))
            stack.push_async_callback(sockets[-1].close)
            map_id = (await sockets[-1].ask("join", {"map_id": map_id} if map_id else {}))["map_id"]
        yield str(map_id), sockets


@asynccontextmanager
async def bare_server() -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", BARE, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.kill()
        await process.wait()
