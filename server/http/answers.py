"""Answers that are not cached: JSON, files, and streams that go through a file of the spool."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from io import RawIOBase
from pathlib import Path
from typing import Any

from aiohttp import web

from server.database.lanes import Lane
from server.http.middleware.slow_clients import SEND_PIECE, send
from server.transfers.spool import Transfer

UNCACHED = {"Cache-Control": "no-store"}


def json_answer(body: Mapping[str, Any], status: int = 200) -> web.Response:
    """A JSON answer."""
    return web.json_response(body, status=status, headers=UNCACHED)


async def file_answer(request: web.Request, path: Path, headers: Mapping[str, str]) -> web.StreamResponse:
    """A file, sent as fast as the client takes it. Raises ConnectionResetError where that is too slow."""
    response = web.StreamResponse(headers={**headers, **UNCACHED})
    response.content_length = (await asyncio.to_thread(path.stat)).st_size
    await response.prepare(request)
    with path.open("rb") as file:
        while piece := await asyncio.to_thread(file.read, SEND_PIECE):
            await send(request, response, piece)
    await response.write_eof()
    return response


def write_all(file: RawIOBase, chunk: bytes) -> int:
    """Bytes written, which are all: one call of an unbuffered file may write only some."""
    left = memoryview(chunk)
    while left:
        left = left[file.write(left) or 0 :]
    return len(chunk)


class Spooled:
    """Chunks that are written as fast as the database gives them, and sent as fast as the client takes them."""

    def __init__(self, path: Path, transfer: Transfer) -> None:
        self.path = path
        self._transfer = transfer
        self._written = 0
        self._chunks = 0
        self._more = asyncio.Event()

    async def write(self, chunks: AsyncGenerator[bytes, None], lane: Lane) -> None:
        """Write all chunks to the file, once the lane has a place for it."""
        async with lane.place(), aclosing(chunks):
            with self.path.open("wb", buffering=0) as file:
                async for chunk in chunks:
                    self._transfer.grow(len(chunk))
                    self._written += await asyncio.to_thread(write_all, file, chunk)
                    self._chunks += 1
                    self._more.set()

    async def answer(
        self, request: web.Request, writing: asyncio.Task[None], headers: Mapping[str, str]
    ) -> web.StreamResponse:
        """The response starts when the second chunk has arrived, so an early failure can still be an error."""
        while self._chunks < 2 and not writing.done():
            await self._wait(writing)
        if writing.done():
            writing.result()
        response = web.StreamResponse(headers=headers)
        response.enable_compression()
        await response.prepare(request)
        sent = 0
        with self.path.open("rb") as file:
            while sent < self._written or not writing.done():
                if sent == self._written:
                    await self._wait(writing)
                    continue
                piece = await asyncio.to_thread(file.read, min(SEND_PIECE, self._written - sent))
                if not piece:
                    raise EOFError("a spooled answer is shorter than what was written of it")
                sent += len(piece)
                await send(request, response, piece)
        writing.result()
        await response.write_eof()
        return response

    async def _wait(self, writing: asyncio.Task[None]) -> None:
        self._more.clear()
        more = asyncio.create_task(self._more.wait())
        await asyncio.wait({more, writing}, return_when=asyncio.FIRST_COMPLETED)
        more.cancel()
