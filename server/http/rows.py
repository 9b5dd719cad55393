"""GET /api/maps/{map_id}/layers/{layer_id}/rows, .../count, .../bounds, .../stats, .../histogram and
.../values: the attributes of a layer's features.

Only rows that pass the layer's filter, without geometry, within the same limits of time and cost as the agent's
queries. Open to everyone who may see the map."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from agents.domain import Bounds, Count, Cql2, Layer, Table
from agents.ports import TableRegistry
from server import fault_texts
from server.gis.filters import both
from server.gis.query.data import MAX_ROWS, PostgisData
from server.gis.query.distribution import MAX_BINS, MAX_VALUES
from server.gis.tiles.service import LayerLookup
from server.http.answers import json_answer
from server.maps.faults import RequestFault

MAX_OFFSET = 10_000_000
MAX_SEARCH_CHARS = 200
"""Longest text in a search for values."""
HIDDEN_KINDS = ("geometry",)


def routes(data: PostgisData, tables: TableRegistry, layers: LayerLookup) -> list[web.RouteDef]:
    """The routes of a layer's rows and statistics."""
    of_layer = LayerRows(data, tables, layers)
    base = "/api/maps/{map_id}/layers/{layer_id}"
    handlers = (
        of_layer.rows,
        of_layer.stats,
        of_layer.histogram,
        of_layer.values,
        of_layer.count,
        of_layer.bounds,
    )
    return [web.get(f"{base}/{handler.__name__}", handler) for handler in handlers]


@dataclass(frozen=True)
class LayerRows:
    """Handlers of the routes, one for each, named after the last part of its path."""

    data: PostgisData
    tables: TableRegistry
    layers: LayerLookup

    async def rows(self, request: web.Request) -> web.Response:
        """`?limit=&offset=&sort=&descending=true&filter=` (CQL2 JSON, in addition to the layer's). Sending the
        `total` of an earlier page avoids counting again."""
        layer = await layer_of(request, self.layers)
        filter = both(layer.filter, filter_or_default(None, request.query.get("filter")))
        return json_answer(await page_of(self.data, self.tables.get(layer.table), request.query, filter))

    async def stats(self, request: web.Request) -> web.Response:
        """`?column=`: count, nulls, distinct, minimum, maximum, mean, and the most frequent values."""
        layer = await layer_of(request, self.layers)
        return json_answer(
            dict(await self.data.stats(layer.table, request.query.get("column", ""), layer.filter))
        )

    async def histogram(self, request: web.Request) -> web.Response:
        """`?column=&bins=&filter=`: equal bins and their counts; see `server.gis.query.distribution`."""
        layer, asked = await layer_of(request, self.layers), request.query
        bins = int_parameter(asked.get("bins", "40"), "bins", 1, MAX_BINS)
        filter = filter_or_default(layer.filter, asked.get("filter"))
        return json_answer(
            dict(await self.data.histogram(layer.table, asked.get("column", ""), filter, bins))
        )

    async def values(self, request: web.Request) -> web.Response:
        """`?column=&q=&limit=&filter=`: the most frequent values that hold the text `q`."""
        layer, asked = await layer_of(request, self.layers), request.query
        limit = int_parameter(asked.get("limit", "20"), "limit", 1, MAX_VALUES)
        filter = filter_or_default(layer.filter, asked.get("filter"))
        text = asked.get("q", "")[:MAX_SEARCH_CHARS]
        found = await self.data.values(layer.table, asked.get("column", ""), filter, text, limit)
        return json_answer({"values": list(found), **self.data.sampled_from(layer.table)})

    async def count(self, request: web.Request) -> web.Response:
        """`?bounds=west,south,east,north` (EPSG:4326): how many of the layer's features intersect it, and whether
        that is exact. Rows without a place are in no bounds."""
        layer = await layer_of(request, self.layers)
        part = overlap(parse_bounds(request.query.get("bounds", "")), layer.bounds)
        if part is None:
            return json_answer({"count": 0, "exact": True})
        if part != layer.bounds:
            found = await self.data.counted(layer.table, layer.filter, bounds_geometry(part))
        elif layer.estimated:
            found = Count(rows=layer.count, exact=False)
        else:
            found = await self.data.placed(layer.table, layer.filter)
        return json_answer({"count": found.rows, "exact": found.exact})

    async def bounds(self, request: web.Request) -> web.Response:
        """`?filter=` (CQL2 JSON, in addition to the layer's): the features' extent, null without geometry."""
        layer = await layer_of(request, self.layers)
        found = await self.data.extent(
            layer.table, both(layer.filter, filter_or_default(None, request.query.get("filter")))
        )
        return json_answer({"bounds": found})


async def layer_of(request: web.Request, layers: LayerLookup) -> Layer:
    """The layer in the request's address, as it is now. Raises RequestFault `unknown_layer`."""
    layer_id = request.match_info["layer_id"]
    layer = await layers.current(request.match_info["map_id"], layer_id)
    if layer is None:
        raise RequestFault("unknown_layer", fault_texts.NO_LAYER(layer=repr(layer_id)))
    return layer


async def page_of(
    data: PostgisData,
    table: Table,
    asked: Mapping[str, str],
    filter: Cql2 | None = None,
    hidden: Collection[str] = (),
) -> dict[str, Any]:
    """A page of the rows of a table, without its `hidden` columns. Raises RequestFault `invalid_payload`."""
    shown = [each for each in table.columns if each.kind not in HIDDEN_KINDS and each.name not in hidden]
    page = await data.query(
        table.id,
        columns=[each.name for each in shown],
        filter=filter,
        sort=asked.get("sort"),
        descending=asked.get("descending") == "true",
        limit=int_parameter(asked.get("limit", "100"), "limit", 1, MAX_ROWS),
        offset=int_parameter(asked.get("offset", "0"), "offset", 0, MAX_OFFSET),
        total=int_parameter(asked["total"], "total", 0, 999_999_999) if "total" in asked else None,
    )
    return {"key": list(table.key), **page}


def filter_or_default(own: Cql2 | None, given: str | None) -> Cql2 | None:
    """The filter that was sent as CQL2 JSON, else the layer's own; `null` removes it. Raises RequestFault
    `invalid_filter`."""
    if not given:
        return own
    try:
        read = json.loads(given)
    except (ValueError, RecursionError):
        read = ""
    if read is not None and not isinstance(read, dict):
        raise RequestFault("invalid_filter", "`filter` is CQL2 as JSON, or null.")
    return read


def int_parameter(text: str, name: str, least: int, most: int) -> int:
    """An integer of at most nine digits between `least` and `most`. Raises RequestFault `invalid_payload`."""
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or not least <= int(text) <= most:
        raise RequestFault("invalid_payload", f"`{name}` is a number from {least} to {most}.")
    return int(text)


def parse_bounds(bounds: str) -> Bounds:
    """`west,south,east,north` in degrees (EPSG:4326); `west > east` crosses the antimeridian. Raises RequestFault
    `invalid_payload`."""
    try:
        west, south, east, north = (float(part) for part in bounds.split(","))
    except ValueError:
        west = south = east = north = math.nan
    if not (abs(west) <= 180 and abs(east) <= 180 and -90 <= south < north <= 90 and west != east):
        raise RequestFault("invalid_payload", "`bounds` is west,south,east,north in degrees.")
    return west, south, east, north


def overlap(box: Bounds, layer: Bounds | None) -> Bounds | None:
    """The part of `box` inside a layer's bounds, or None. Parts outside may not exist in the data's coordinate
    system. A box that crosses the antimeridian is returned whole."""
    if layer is None:
        return None
    if box[0] > box[2] or layer[0] > layer[2]:
        return box
    west, south = max(box[0], layer[0]), max(box[1], layer[1])
    east, north = min(box[2], layer[2]), min(box[3], layer[3])
    return (west, south, east, north) if west <= east and south <= north else None


def bounds_geometry(box: Bounds) -> dict[str, Any]:
    """The box as a GeoJSON MultiPolygon, cut at the antimeridian."""
    west, south, east, north = box
    parts = [(west, east)] if west <= east else [(west, 180.0), (-180.0, east)]
    return {"type": "MultiPolygon", "coordinates": [[ring(a, south, b, north)] for a, b in parts]}


def ring(west: float, south: float, east: float, north: float) -> list[list[float]]:
    """The closed ring of a box."""
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]
