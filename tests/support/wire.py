"""As little of a Socket.IO client as there can be: hundreds of them in a test, thousands in a benchmark."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp

CONNECTING_AT_ONCE = 50


class Wire:
    """A WebSocket that keeps the events that it gets as texts, and reads them only when asked."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.texts: list[str] = []
        self._socket = socket
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self._reader = asyncio.create_task(self._read())

    async def ask(self, event: str, payload: Any) -> Any:
        """The acknowledgement."""
        self._number += 1
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        await self._socket.send_str(f"42{self._number}{json.dumps([event, payload])}")
        return await answer

    async def send(self, event: str, payload: Any) -> None:
        """Ask, and wait for no acknowledgement."""
        self._number += 1
        await self._socket.send_str(f"42{self._number}{json.dumps([event, payload])}")

    def heard(self, event: str, text: str) -> None:
        """Each event as it comes."""
        self.texts.append(text)

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        return [(name, data) for name, data in map(json.loads, self.texts)]

    def seqs(self) -> list[int]:
        """The numbers of the persisted events."""
        return [data["seq"] for _, data in self.events() if "seq" in data]

    def last(self, name: str) -> dict[str, Any]:
        """The newest event of this name; an empty one if none came."""
        return next((data for event, data in reversed(self.events()) if event == name), {})

    def stop_reading(self) -> None:
        """From now on what the server sends stays where it is."""
        self._reader.cancel()

    async def close(self) -> None:
        self._reader.cancel()
        await self._socket.close()

    async def _read(self) -> None:
        async for message in self._socket:
            text = message.data
            if text.startswith("42"):
                self.heard(text[4 : text.index('"', 4)], text[2:])
            elif text.startswith("43"):
                number, _, body = text[2:].partition("[")
                answer = self._answers.pop(int(number), None)
                if answer is not None:
                    answer.set_result(json.loads(f"[{body}")[0])
            elif text == "2":
                await self._socket.send_str("3")


@asynccontextmanager
async def wires(address: str, count: int, kind: type[Wire] = Wire) -> AsyncIterator[list[Any]]:
    """So many connections that have joined nothing yet."""
    url = f"{address}/socket.io/?EIO=4&transport=websocket".replace("http", "ws", 1)
    slots = asyncio.Semaphore(CONNECTING_AT_ONCE)
    async with AsyncExitStack() as stack:
        connector = aiohttp.TCPConnector(limit=0)
        session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))

        async def connected() -> Wire:
            async with slots:
                socket = await session.ws_connect(url)
                await socket.receive_str()
                await socket.send_str("40")
                await socket.receive_str()
            wire = kind(socket)
            stack.push_async_callback(wire.close)
            return wire

        yield await asyncio.gather(*(connected() for _ in range(count)))
