"""Tiles and TileJSON over HTTP. A tile's address names the layer's version, so any cache may keep it
for ever."""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Awaitable
from typing import Any, TypeVar

from aiohttp import web

from agents.domain import Layer, Table
from server.gis.styles.attributes import TIME, tile_value
from server.gis.tiles import DrawnTile, InvalidTile, TableLookup, Tile, TileService, TileTooSlow
from server.gis.tiles.grid import MAX_ZOOM
from server.http.errors import fault_response

T = TypeVar("T")

IMMUTABLE = "public, max-age=31536000, immutable"
DEEPEST = 16
"""Beyond it browsers stretch the tiles they have: a unit of a tile is 15 cm there."""
RETRY_AFTER = "2"
LOOK_UP = 0.25
"""Seconds between looks whether the browser is still there."""


def routes(tiles: TileService, tables: TableLookup) -> list[web.RouteDef]:
    async def tile(request: web.Request) -> web.StreamResponse:
        wanted = request.match_info
        address = Tile.at(_number(wanted["z"]), _number(wanted["x"]), _number(wanted["y"]))
        version = _number(wanted["version"])
        work = tiles.tile(wanted["map_id"], wanted["layer_id"], version, address)
        try:
            return _tile_answer(request, await while_wanted(request, work))
        except TileTooSlow as fault:
            response = fault_response(fault.code, fault.message)
            response.headers["Retry-After"] = RETRY_AFTER
            return response

    async def tilejson(request: web.Request) -> web.StreamResponse:
        layer = await tiles.current(request.match_info["map_id"], request.match_info["layer_id"])
        document = tile_json(layer, tables.get(layer.table), str(request.url.origin()))
        return web.json_response(document, headers={"Cache-Control": "no-cache"})

    return [
        web.get("/tiles/{map_id}/{layer_id}/{version}/{z}/{x}/{y}.mvt", tile),
        web.get("/api/maps/{map_id}/layers/{layer_id}/tilejson", tilejson),
    ]


async def while_wanted(request: web.Request, work: Awaitable[T]) -> T:
    """The work's result; the work is cancelled when whoever asked has gone, which aiohttp does not tell
    a handler."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=LOOK_UP))[0]:
            if request.transport is None or request.transport.is_closing():
                raise ConnectionResetError("the browser does not want this any more")
        return task.result()
    finally:
        task.cancel()


def tile_json(layer: Layer, table: Table, origin: str) -> dict[str, Any]:
    """TileJSON 3.0 of a layer as it is now."""
    fields = {
        column.name: column.comment or column.sql_type
        for column in table.columns
        if tile_value(table, column) is not None
    }
    if layer.style.time is not None:
        fields[TIME] = f"{layer.style.time} as a number; dates and times as seconds since 1970"
    names = ["features"]
    if any(drawn.source_layer == "points" for drawn in layer.style.layers):
        names.append("points")
    west, south, east, north = layer.bounds or (-180.0, -90.0, 180.0, 90.0)
    if west > east:
        west, east = -180.0, 180.0
    path = layer.tiles if layer.tiles.startswith("/") else f"/{layer.tiles}"
    return {
        "tilejson": "3.0.0",
        "name": layer.name,
        "description": table.comment or "",
        "version": f"{layer.version}.0.0",
        "scheme": "xyz",
        "tiles": [layer.tiles if "://" in layer.tiles else origin + path],
        "minzoom": 0,
        "maxzoom": DEEPEST,
        "bounds": [west, south, east, north],
        "vector_layers": [{"id": name, "fields": fields, "minzoom": 0, "maxzoom": DEEPEST} for name in names],
        "count": layer.count,
    }


def _tile_answer(request: web.Request, drawn: DrawnTile) -> web.Response:
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    # Strong validators differ between encodings of the same content.
    etag = f"{drawn.etag}-gzip" if packed else drawn.etag
    headers = {"Cache-Control": IMMUTABLE, "ETag": f'"{etag}"', "Vary": "Accept-Encoding"}
    known = request.if_none_match
    if known is not None and any(each.value in (etag, "*") for each in known):
        return web.Response(status=304, headers=headers)
    if not drawn.body:
        return web.Response(status=204, headers=headers)
    if drawn.shown < drawn.total:
        headers["X-Showing"] = f"{drawn.shown} of {drawn.total}"
    if packed:
        headers["Content-Encoding"] = "gzip"
    body = drawn.body if packed else gzip.decompress(drawn.body)
    return web.Response(body=body, content_type="application/vnd.mapbox-vector-tile", headers=headers)


def _number(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise InvalidTile(f"{text[:20]!r} is not a whole number. A tile is version/z/x/y, z 0 to {MAX_ZOOM}.")
    return int(text)
