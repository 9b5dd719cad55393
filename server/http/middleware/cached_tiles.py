"""Answers tiles that are in memory before the web application sees the request: no routes, middleware or signals.

Only addresses with the map's own id are answered, since anyone with that id may see the map. Addresses with a view key,
requests from pages of other origins and those that end their connection take the usual path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from aiohttp import HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter
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
SECURITY = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())


def answer_cached_tiles(server: web.Server, tiles: TileService, origins: Origins) -> None:
    """Let new connections of a server find tiles in memory first."""
    others = server.request_handler

    async def handle(request: Any) -> web.StreamResponse:
        found = _in_memory(tiles, request)
        if found is not None and origins.knows_host(request.headers.get("Host")):
            return WholeAnswer(*tile_answer(request.headers, found))
        answer: web.StreamResponse = await others(request)
        return answer

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


class WholeAnswer(web.StreamResponse):
    """Status, headers and body, written at once and without signals of an application."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(status=status)
        self._sent = headers
        self._whole_body = body

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        self._keep_alive = True
        self._writer = request.writer
        return self._writer

    async def write_eof(self, data: bytes = b"") -> None:
        listed = "".join([f"{name}: {value}\r\n" for name, value in self._sent.items()])
        length = "" if self.status in BODILESS else f"Content-Length: {len(self._whole_body)}\r\n"
        date = f"Date: {rfc822_formatted_time()}\r\nServer: {SERVER_SOFTWARE}\r\n"
        head = f"HTTP/1.1 {self.status} {self.reason}\r\n{listed}{length}{SECURITY}{date}\r\n".encode()
        await self._writer.write(head + self._whole_body)
        await self._writer.drain()
