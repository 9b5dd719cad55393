"""Limits for slow clients: a minimum rate for request bodies, and a time limit for taking an answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Sized
from contextlib import asynccontextmanager
from typing import TypeVar

from aiohttp import web

from server import fault_texts
from server.http.errors import Handler
from server.maps.faults import RequestFault

IDLE_TIMEOUT_S = 15.0
"""Maximum time without a byte from the client."""
RATE_WINDOW_S = 20.0
MIN_BYTES_PER_S = 1024
"""Minimum in every window; a modem transfers five times as much."""
SEND_TIMEOUT_S = 30.0
"""Maximum time for the client to accept one piece of a response."""
SEND_PIECE = 64 * 1024
TRANSFER_TIMEOUT_S = 3600.0
"""Maximum time for a whole upload, or for a whole export to be written and fetched; after it, the slot and the disk
space are free again."""

Part = TypeVar("Part")
Piece = TypeVar("Piece", bound=Sized)


class Pace:
    """Watches a body that is being received. Raises RequestFault `too_slow`."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._received = 0

    async def of(self, reading: Awaitable[Piece]) -> Piece:
        """The next piece, counted towards the minimum rate."""
        piece = await self.part(reading)
        self._received += len(piece)
        elapsed = time.monotonic() - self._since
        if elapsed > RATE_WINDOW_S:
            if self._received < MIN_BYTES_PER_S * elapsed:
                raise too_slow()
            self._since, self._received = time.monotonic(), 0
        return piece

    async def part(self, reading: Awaitable[Part]) -> Part:
        """The next part of a multipart body, within the idle timeout."""
        try:
            async with asyncio.timeout(IDLE_TIMEOUT_S):
                return await reading
        except TimeoutError:
            raise too_slow() from None


@asynccontextmanager
async def whole_transfer(request: web.Request) -> AsyncIterator[None]:
    """Ends a transfer that takes too long, even if data keeps arriving. Raises RequestFault `too_slow` for an upload;
    the connection of a download, whose answer may have begun, is dropped."""
    limit = asyncio.timeout(TRANSFER_TIMEOUT_S)
    try:
        async with limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        if request.method == "GET" and request.transport is not None:
            request.transport.abort()
            raise ConnectionResetError("the client took too long") from None
        raise RequestFault("too_slow", fault_texts.TOO_SLOW(minutes=f"{TRANSFER_TIMEOUT_S / 60:g}")) from None


def too_slow() -> RequestFault:
    """The fault of a client below the minimum rate."""
    return RequestFault(
        "too_slow", f"The request came too slowly: send at least {MIN_BYTES_PER_S} bytes per second."
    )


@web.middleware
async def complete_bodies(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Middleware that reads small bodies before the handler runs. Handlers read files themselves, and engine.io
    reads the bodies of Socket.IO polling, where it would find nothing afterwards."""
    if not request.can_read_body or request.content_type.startswith("multipart/"):
        return await handler(request)
    is_polled = request.path.startswith("/socket.io/")
    try:
        async with asyncio.timeout(IDLE_TIMEOUT_S):
            if is_polled:
                return await handler(request)
            await request.read()
    except TimeoutError:
        raise too_slow() from None
    return await handler(request)


async def send(request: web.Request, response: web.StreamResponse, piece: bytes) -> None:
    """Write a piece of an answer. If the client does not take it in time, drops the connection and raises
    ConnectionResetError."""
    try:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await response.write(piece)
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
        raise ConnectionResetError("the client stopped reading") from None
