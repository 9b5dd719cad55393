"""GET /api/maps/{map_id}/layers/{layer_id}/rows, .../count, .../bounds, .../stats, .../histogram and .../values: what
its table holds.

The rows are those that the layer shows (its filter holds), without geometry, bounded by the same limits of time and
cost as an agent's questions. Who may see the map may read them.
"""

from __future__ import annotations

import json
import math
from typing import Any

from aiohttp import web

from agents.domain import Bounds, Cql2, Layer
from server.gis.query.data import MAX_ROWS, PostgisData
from server.gis.query.distribution import MOST_BINS, MOST_VALUES
from server.gis.tiles import LayerLookup, TableLookup
from server.http.errors import HttpFault

DEEPEST = 10_000_000
LONGEST = 200
"""Of a text that values are searched for."""
NOT_SHOWN = ("geometry", "json", "other")


def routes(data: PostgisData, tables: TableLookup, layers: LayerLookup) -> list[web.RouteDef]:
    async def layer_of(request: web.Request) -> Layer:
        layer_id = request.match_info["layer_id"]
        layer = await layers.current(request.match_info["map_id"], layer_id)
        if layer is None:
            raise HttpFault("unknown_layer", f"This map has no layer {layer_id!r}.")
        return layer

    async def rows(request: web.Request) -> web.Response:
        """`?limit=&offset=&sort=&descending=true&filter=` (more CQL2 JSON, which holds too). `total`, as an
        earlier page told it, spares counting anew."""
        layer = await layer_of(request)
        columns = [each.name for each in tables.get(layer.table).columns if each.kind not in NOT_SHOWN]
        asked = request.query
        page = await data.query(
            layer.table,
            columns=columns,
            filter=both(layer.filter, asked.get("filter")),
            sort=asked.get("sort"),
            descending=asked.get("descending") == "true",
            limit=number(asked.get("limit", "100"), "limit", 1, MAX_ROWS),
            offset=number(asked.get("offset", "0"), "offset", 0, DEEPEST),
            total=number(asked["total"], "total", 0, 999_999_999) if "total" in asked else None,
        )
        return answer({**page, "key": list(tables.get(layer.table).key)})

    async def stats(request: web.Request) -> web.Response:
        """`?column=`: count, nulls, distinct, minimum, maximum, mean, and the most frequent values."""
        layer = await layer_of(request)
        return answer(dict(await data.stats(layer.table, request.query.get("column", ""), layer.filter)))

    async def histogram(request: web.Request) -> web.Response:
        """`?column=&bins=&filter=`: equal bins and their counts; see `server.gis.query.distribution`."""
        layer, asked = await layer_of(request), request.query
        bins = number(asked.get("bins", "40"), "bins", 1, MOST_BINS)
        filter = instead(layer.filter, asked.get("filter"))
        return answer(dict(await data.histogram(layer.table, asked.get("column", ""), filter, bins)))

    async def values(request: web.Request) -> web.Response:
        """`?column=&q=&limit=&filter=`: the most frequent values that hold the text `q`."""
        layer, asked = await layer_of(request), request.query
        limit = number(asked.get("limit", "20"), "limit", 1, MOST_VALUES)
        filter = instead(layer.filter, asked.get("filter"))
        text = asked.get("q", "")[:LONGEST]
        found = await data.values(layer.table, asked.get("column", ""), filter, text, limit)
        return answer({"values": list(found)})

    async def count(request: web.Request) -> web.Response:
        """`?bounds=west,south,east,north`: how many of the layer's features touch that part of the earth."""
        layer = await layer_of(request)
        part = overlap(box_of(request.query.get("bounds", "")), layer.bounds)
        if part is None:
            return answer({"count": 0})
        if part == layer.bounds:
            return answer({"count": layer.count})
        return answer({"count": await data.count(layer.table, layer.filter, area_of(part))})

    async def bounds(request: web.Request) -> web.Response:
        """`?filter=` (more CQL2 JSON, which holds too): where the features lie; null where none has a place."""
        layer = await layer_of(request)
        found = await data.extent(layer.table, both(layer.filter, request.query.get("filter")))
        return answer({"bounds": found})

    base = "/api/maps/{map_id}/layers/{layer_id}"
    found = {
        "rows": rows,
        "stats": stats,
        "histogram": histogram,
        "values": values,
        "count": count,
        "bounds": bounds,
    }
    return [web.get(f"{base}/{name}", handler) for name, handler in found.items()]


def both(first: Cql2 | None, more: str | None) -> Cql2 | None:
    """Rows for which both filters hold."""
    if not more:
        return first
    second = instead(None, more)
    if second is None:
        return first
    return second if first is None else {"op": "and", "args": [first, second]}


def instead(own: Cql2 | None, given: str | None) -> Cql2 | None:
    """The filter that was given, else the layer's own; `null` is no filter."""
    if not given:
        return own
    try:
        read = json.loads(given)
    except (ValueError, RecursionError):
        read = ""
    if read is not None and not isinstance(read, dict):
        raise HttpFault("invalid_filter", "`filter` is CQL2 as JSON, or null.")
    return read


def number(text: str, name: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or not least <= int(text) <= most:
        raise HttpFault("invalid_payload", f"`{name}` is a number from {least} to {most}.")
    return int(text)


def box_of(bounds: str) -> Bounds:
    """`west,south,east,north` in degrees; `west > east` crosses the antimeridian."""
    try:
        west, south, east, north = (float(part) for part in bounds.split(","))
    except ValueError:
        west = south = east = north = math.nan
    if not (abs(west) <= 180 and abs(east) <= 180 and -90 <= south < north <= 90 and west != east):
        raise HttpFault("invalid_payload", "`bounds` is west,south,east,north in degrees.")
    return west, south, east, north


def overlap(box: Bounds, layer: Bounds | None) -> Bounds | None:
    """The part of a box where a layer of these bounds can be: a larger one may have no place in the coordinate system
    of its data. Of what crosses the antimeridian, all."""
    if layer is None:
        return None
    if box[0] > box[2] or layer[0] > layer[2]:
        return box
    west, south = max(box[0], layer[0]), max(box[1], layer[1])
    east, north = min(box[2], layer[2]), min(box[3], layer[3])
    return (west, south, east, north) if west <= east and south <= north else None


def area_of(box: Bounds) -> dict[str, Any]:
    """A box as GeoJSON."""
    west, south, east, north = box
    parts = [(west, east)] if west <= east else [(west, 180.0), (-180.0, east)]
    return {"type": "MultiPolygon", "coordinates": [[ring(a, south, b, north)] for a, b in parts]}


def ring(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def answer(body: dict[str, Any]) -> web.Response:
    return web.json_response(body, headers={"Cache-Control": "no-store"})
