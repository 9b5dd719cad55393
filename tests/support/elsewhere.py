"""A web server of others, as base maps come from: files by range requests, and a note of what was asked."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Range",
    "Access-Control-Expose-Headers": "*",
}
MVT, PNG = 1, 2


@dataclass
class Elsewhere:
    """`asked` is paths and ranges."""

    files: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    url: str = ""

    async def answer(self, request: web.Request) -> web.Response:
        wanted = request.headers.get("Range", "")
        if request.method == "OPTIONS":
            return web.Response(headers=CORS)
        self.asked.append((request.path, wanted))
        found = self.files.get(request.path) or self.files.get("*")
        if found is None:
            return web.Response(status=404, headers=CORS)
        body, kind = found
        if not wanted:
            return web.Response(body=body, content_type=kind, headers=CORS)
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        part = body[int(first) : int(last) + 1]
        span = f"bytes {first}-{int(first) + len(part) - 1}/{len(body)}"
        return web.Response(status=206, body=part, content_type=kind, headers={**CORS, "Content-Range": span})


@asynccontextmanager
async def elsewhere() -> AsyncIterator[Elsewhere]:
    there = Elsewhere()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", there.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        there.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield there
    finally:
        await runner.cleanup()


def png(red: int, green: int, blue: int, side: int = 256) -> bytes:
    """A picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\x00" + bytes((red, green, blue)) * side) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def pmtiles(tile: bytes, kind: int, metadata: Mapping[str, object]) -> bytes:
    """An archive (PMTiles, version 3, nothing compressed) of the one tile of zoom 0, after a megabyte of padding that
    only who reads by ranges never sees."""
    # One entry: its id less the one before, how often it repeats, its length, its offset plus one.
    directory = b"\x01\x00\x01" + varint(len(tile)) + b"\x01"
    meta = json.dumps(metadata).encode()
    at_meta = 127 + len(directory)
    at_tiles = at_meta + len(meta) + 2**20
    offsets = struct.pack("<QQQQQQQQ", 127, len(directory), at_meta, len(meta), 0, 0, at_tiles, len(tile))
    counts = struct.pack("<QQQ", 1, 1, 1)
    numbers = struct.pack("<BBBBBB", 1, 1, 1, kind, 0, 0)
    places = struct.pack("<iiiiBii", -1800000000, -850000000, 1800000000, 850000000, 0, 0, 0)
    header = b"PMTiles\x03" + offsets + counts + numbers + places
    return header + directory + meta + bytes(2**20) + tile


def varint(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])
