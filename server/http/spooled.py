"""An answer that is written to the spool as fast as the database gives it, and sent as fast as the client takes it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from io import RawIOBase
from pathlib import Path

from aiohttp import web

from server.database.lanes import Lane
from server.http.middleware.slow_clients import SEND_PIECE, send
from server.http.spool import Transfer


def write_all(file: RawIOBase, chunk: bytes) -> int:
    """Bytes written, which are all: one call of an unbuffered file may write only some."""
    left = memoryview(chunk)
    while left:
        left = left[file.write(left) or 0 :]
    return len(chunk)


class Spooled:
    """Chunks on their way through a file."""

    def __init__(self, path: Path, transfer: Transfer) -> None:
        self.path = path
        self._transfer = transfer
        self._written = 0
        self._chunks = 0
        self._more = asyncio.Event()

    async def write(self, chunks: AsyncGenerator[bytes, None], turns: Lane) -> None:
        async with turns.place(), aclosing(chunks):
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
