"""Answers tiles that are in memory before the web application sees the request: no routes, middleware or signals.

Only addresses with the map's own id are answered, since anyone with that id may see the map. Addresses with a view key,
requests from pages of other origins and those that end their connection take the usual path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from aiohttp import HttpVersion11, web
from aiohttp.helpers import rfc822_formatted_time
from aiohttp.http import SERVER_SOFTWARE

from server.gis.tiles.grid import Tile
from server.gis.tiles.service import DrawnTile, TileService
from server.http.middleware.security import HEADERS
from server.http.tiles import tile_answer
from server.origins import Origins

ADDRESS = re.compile(
    r"/tiles/([\w-]+)/([\w-]+)/(\d{1,9})/(\d{1,2})/(\d{1,7})/(\d{1,7})\.mvt(?:\?data=([\w.-]*)(?:&time=(\w*))?)?",
    re.ASCII,
)
BODILESS = frozenset({204, 304})


def answer_cached_tiles(server: web.Server, tiles: TileService, origins: Origins) -> None:
    """Let new connections of a server find tiles in memory first."""
    others = server.request_handler

    async def handle(request: Any) -> Any:
        found = _in_memory(tiles, request)
        if found is not None and origins.knows_host(request.headers.get("Host")):
            return WholeAnswer(*tile_answer(request.headers, found))
        return await others(request)

    server.request_handler = handle


def _in_memory(tiles: TileService, request: web.BaseRequest) -> DrawnTile | None:
    address = ADDRESS.fullmatch(request.raw_path)
    if (
        address is None
        or "Origin" in request.headers
        or request.method != "GET"
        or request.version != HttpVersion11
        or not request.keep_alive
    ):
        return None
    map_id, layer_id, version, z, x, y, tag, time_column = address.groups("")
    tile = Tile(int(z), int(x), int(y))
    return tiles.in_memory(map_id, layer_id, int(version), tile, time_column, tag)


class WholeAnswer:
    """What aiohttp needs of a response. It is written at once, without signals of an application."""

    keep_alive = True

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self._headers = headers
        self._body = body

    async def prepare(self, request: web.BaseRequest) -> None:
        self._writer = request.writer

    async def write_eof(self) -> None:
        head = _head(self.status, tuple(self._headers.items()), len(self._body))
        date = f"Date: {rfc822_formatted_time()}\r\n\r\n".encode()
        await self._writer.write(b"".join((head, date, self._body)))
        await self._writer.drain()


@lru_cache(10_000)
def _head(status: int, headers: tuple[tuple[str, str], ...], length: int) -> bytes:
    """Status and headers, except the date."""
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        *(f"{name}: {value}" for name, value in headers),
    ]
    if status not in BODILESS:
        lines.append(f"Content-Length: {length}")
    lines += [*(f"{name}: {value}" for name, value in HEADERS.items()), f"Server: {SERVER_SOFTWARE}", ""]
    return "\r\n".join(lines).encode()
