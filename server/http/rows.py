"""GET /api/maps/{map_id}/layers/{layer_id}/rows, .../stats, .../histogram and .../values: what a layer's table holds.

The rows are those that the layer shows (its filter holds), without geometry, bounded by the same limits of time and
cost as an agent's questions. Who may see the map may read them.
"""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from agents.domain import Cql2, Layer
from server.gis.data import MAX_ROWS, PostgisData
from server.gis.distribution import MOST_BINS, MOST_VALUES
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
        """`?limit=&offset=&sort=&descending=true&filter=` (more CQL2 JSON, which holds too)."""
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
        )
        return answer({**page, "key": list(tables.get(layer.table).key)})

    async def stats(request: web.Request) -> web.Response:
        """`?column=`: count, nulls, distinct, minimum, maximum, mean, and the most frequent values."""
        layer = await layer_of(request)
        return answer(dict(await data.stats(layer.table, request.query.get("column", ""), layer.filter)))

    async def histogram(request: web.Request) -> web.Response:
        """`?column=&bins=&filter=`: equal bins and their counts; see `server.gis.distribution`."""
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

    base = "/api/maps/{map_id}/layers/{layer_id}"
    found = {"rows": rows, "stats": stats, "histogram": histogram, "values": values}
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


def answer(body: dict[str, Any]) -> web.Response:
    return web.json_response(body, headers={"Cache-Control": "no-store"})
