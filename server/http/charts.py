"""GET /api/maps/{map_id}/charts/{chart_id}/{version}/data[.csv], and the links between a chart and the map:
.../features tells which features a part of the chart stands for, .../parts where features stand in it.

A version of a chart never changes, so any cache may keep its data. Who may see the map may read them.
"""

from __future__ import annotations

from typing import Any

from aiohttp import web

from server.gis.charts import Made
from server.gis.charts.links import MOST_ASKED, MOST_FEATURES, Part, Window
from server.gis.charts.table import csv_of
from server.http.errors import HttpFault
from server.http.exports import disposition
from server.maps.charts import ChartService

MOST_PLACES = 1_000_000
IMMUTABLE = "private, max-age=31536000, immutable"


def routes(charts: ChartService) -> list[web.RouteDef]:
    async def chart_of(request: web.Request) -> Made:
        wanted = request.match_info
        version = int(wanted["version"]) if len(wanted["version"]) < 10 else 0
        return await charts.find(wanted["map_id"], wanted["chart_id"], version)

    async def data(request: web.Request) -> web.Response:
        made = await chart_of(request)
        response = web.Response(text=made.data.model_dump_json(), content_type="application/json")
        response.headers["Cache-Control"] = IMMUTABLE
        response.enable_compression()
        return response

    async def csv(request: web.Request) -> web.Response:
        made = await chart_of(request)
        headers = {
            "Content-Type": "text/csv; charset=utf-8; header=present",
            "Content-Disposition": disposition(made.chart.title, "csv"),
            "Cache-Control": IMMUTABLE,
        }
        return web.Response(body=csv_of(made.chart, made.data), headers=headers)

    async def features(request: web.Request) -> web.Response:
        """`?parts=0,3.1` (a place, or a place and its series) or of points `?window=` least and greatest x, then y."""
        made = await chart_of(request)
        parts = [part_of(text) for text in listed(request, "parts")]
        window = window_of(request, made)
        found = await charts.source.features(made.chart, made.data, parts, window)
        return answer({"ids": list(found.ids), "total": found.total, "most": MOST_FEATURES})

    async def parts(request: web.Request) -> web.Response:
        """`?ids=`: of each part `[place, series, how many]`; of points `[x, y, series]`."""
        made = await chart_of(request)
        ids = [whole(text, "ids", 2**63) for text in listed(request, "ids")]
        if len(ids) > MOST_ASKED:
            raise HttpFault("invalid_payload", f"`ids` are at most {MOST_ASKED} whole numbers.")
        return answer({"parts": await charts.source.parts(made.chart, made.data, ids)})

    base = "/api/maps/{map_id}/charts/{chart_id}/{version:[0-9]+}"
    return [
        web.get(f"{base}/data", data),
        web.get(f"{base}/data.csv", csv),
        web.get(f"{base}/features", features),
        web.get(f"{base}/parts", parts),
    ]


def listed(request: web.Request, name: str) -> list[str]:
    return [part for part in request.query.get(name, "").split(",") if part]


def part_of(text: str) -> Part:
    place, _, series = text.partition(".")
    return Part(
        abs(whole(place, "parts", MOST_PLACES)), abs(whole(series, "parts", MOST_PLACES)) if series else None
    )


def whole(text: str, name: str, most: int) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 20 and int(digits) < most):
        raise HttpFault("invalid_payload", f"`{name}` are whole numbers, separated by commas.")
    return int(text)


def window_of(request: web.Request, made: Made) -> Window | None:
    if "window" not in request.query:
        return None
    try:
        west, east, south, north = (float(text) for text in listed(request, "window"))
    except ValueError:
        raise HttpFault(
            "invalid_payload", "`window` is four numbers: least and greatest x, then y."
        ) from None
    if made.data.points is None:
        raise HttpFault("invalid_payload", "Only a scatter plot has a window; give parts.")
    return west, east, south, north


def answer(body: dict[str, Any]) -> web.Response:
    return web.json_response(body, headers={"Cache-Control": "no-store"})
