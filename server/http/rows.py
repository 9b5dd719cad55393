"""GET /api/maps/{map_id}/layers/{layer_id}/rows and .../stats: what a layer's table holds, page by page.

The rows are those that the layer shows (its filter holds), without geometry, bounded by the same limits of time and
cost as an agent's questions. Who may see the map may read them.
"""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from agents.domain import Cql2, Layer
from server.gis.data import MAX_ROWS, PostgisData
from server.gis.tiles import LayerLookup, TableLookup
from server.http.errors import HttpFault

DEEPEST = 10_000_000
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

    base = "/api/maps/{map_id}/layers/{layer_id}"
    return [web.get(f"{base}/rows", rows), web.get(f"{base}/stats", stats)]


def both(first: Cql2 | None, more: str | None) -> Cql2 | None:
    """Rows for which both filters hold."""
    if not more:
        return first
    try:
        second = json.loads(more)
    except ValueError:
        second = None
    if not isinstance(second, dict):
        raise HttpFault("invalid_filter", "`filter` is CQL2 as JSON.")
    return second if first is None else {"op": "and", "args": [first, second]}


def number(text: str, name: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or not least <= int(text) <= most:
        raise HttpFault("invalid_payload", f"`{name}` is a number from {least} to {most}.")
    return int(text)


def answer(body: dict[str, Any]) -> web.Response:
    return web.json_response(body, headers={"Cache-Control": "no-store"})
