"""Vector tiles and TileJSON over HTTP. A tile's address contains the layer's version and the tag of its data, so caches
may keep it for ever."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from agents.domain import Layer, Table
from agents.ports import TableRegistry
from server.gis.styles.attributes import TIME, tile_value
from server.gis.tiles.grid import MAX_ZOOM, InvalidTile, Tile
from server.gis.tiles.service import DrawnTile, TileService
from server.http.middleware.abandoned_requests import cancel_if_client_leaves
from server.http.middleware.proxies import public_origin

NUMBER = re.compile(r"\d{1,9}", re.ASCII)
IMMUTABLE = "public, max-age=31536000, immutable"
MAX_TILE_ZOOM = 16
"""Browsers stretch these tiles at higher zooms; one unit of a tile is 15 cm here."""


def _of_query(request: web.Request) -> tuple[str, str]:
    """The column of a time slider, and the tag of the data."""
    if not request.query_string:
        return "", ""
    return request.query.get("time", ""), request.query.get("data", "")


def routes(tiles: TileService, tables: TableRegistry) -> list[web.RouteDef]:
    """The routes of tiles and TileJSON."""

    async def tile(request: web.Request) -> web.StreamResponse:
        wanted = request.match_info
        address = Tile.at(_number(wanted["z"]), _number(wanted["x"]), _number(wanted["y"]))
        version = _number(wanted["version"])
        work = tiles.tile(wanted["map_id"], wanted["layer_id"], version, address, *_of_query(request))
        status, headers, body = tile_answer(request.headers, await cancel_if_client_leaves(request, work))
        return web.Response(status=status, headers=headers, body=body or None)

    async def tilejson(request: web.Request) -> web.StreamResponse:
        layer = await tiles.current(request.match_info["map_id"], request.match_info["layer_id"])
        document = tile_json(layer, tables.get(layer.table), public_origin(request))
        return web.json_response(document, headers={"Cache-Control": "no-cache"})

    return [
        web.get("/tiles/{map_id}/{layer_id}/{version}/{z}/{x}/{y}.mvt", tile),
        web.get("/api/maps/{map_id}/layers/{layer_id}/tilejson", tilejson),
    ]


def tile_json(layer: Layer, table: Table, origin: str) -> dict[str, Any]:
    """TileJSON 3.0 of the layer as it is now; bounds are in EPSG:4326. `estimated` says it of `count` and `bounds`."""
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
        "maxzoom": MAX_TILE_ZOOM,
        "bounds": [west, south, east, north],
        "vector_layers": [
            {"id": name, "fields": fields, "minzoom": 0, "maxzoom": MAX_TILE_ZOOM} for name in names
        ],
        "count": layer.count,
        "estimated": layer.estimated,
    }


def tile_answer(asked: Mapping[str, str], drawn: DrawnTile) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body: the tile, or that the client has it, or that nothing is there. `asked` are the headers
    of the request."""
    packed = "gzip" in asked.get("Accept-Encoding", "")
    # Strong validators differ between encodings of the same content.
    etag = f"{drawn.etag}-gzip" if packed else drawn.etag
    headers = {
        "Cache-Control": IMMUTABLE if drawn.is_final else _passing(drawn.again_s),
        "ETag": f'"{etag}"',
        "Vary": "Accept-Encoding",
    }
    if _is_known(asked.get("If-None-Match", ""), etag):
        return 304, headers, b""
    if not drawn.body:
        return 204, headers, b""
    headers["Content-Type"] = "application/vnd.mapbox-vector-tile"
    if drawn.shown < drawn.total:
        about = "about " if drawn.is_estimate else ""
        headers["X-Showing"] = f"{drawn.shown} of {about}{drawn.total}"
    if not packed:
        return 200, headers, gzip.decompress(drawn.body)
    headers["Content-Encoding"] = "gzip"
    return 200, headers, drawn.body


def _passing(again_s: int) -> str:
    """No cache keeps the tile; MapLibre asks for it again when it is as old as this."""
    return f"no-store, max-age={again_s}" if again_s else "no-store"


def _is_known(known: str, etag: str) -> bool:
    """Whether a list of validators, weak ones among them, has this one."""
    return f'"{etag}"' in known or known == "*"


def _number(text: str) -> int:
    if not NUMBER.fullmatch(text):
        raise InvalidTile(f"{text[:20]!r} is not a whole number. A tile is version/z/x/y, z 0 to {MAX_ZOOM}.")
    return int(text)
