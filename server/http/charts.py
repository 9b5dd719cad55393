"""GET /api/maps/{map_id}/charts/{chart_id}/{version}/data[.csv]: the data of a chart. .../features lists the
features behind a part of the chart, .../parts the parts that features belong to.

A version of a chart never changes, so any cache may keep its data. Open to everyone who may see the map."""

from __future__ import annotations

from aiohttp import web

from server.gis.charts import ComputedChart
from server.gis.charts.links import MAX_FEATURE_IDS, MAX_FEATURES, Part, Window
from server.gis.charts.table import csv_of
from server.http.answers import json_answer
from server.http.exports import disposition
from server.maps.charts import ChartService
from server.maps.faults import RequestFault

MAX_PART_INDEX = 1_000_000
IMMUTABLE = "private, max-age=31536000, immutable"


def routes(charts: ChartService) -> list[web.RouteDef]:
    """The routes of a chart's data and of its links to the map."""

    async def chart_of(request: web.Request) -> ComputedChart:
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
        parts = [parse_part(text) for text in list_parameter(request, "parts")]
        window = parse_window(request, made)
        found = await charts.source.features(made.chart, made.data, parts, window)
        return json_answer({"ids": list(found.ids), "total": found.total, "most": MAX_FEATURES})

    async def parts(request: web.Request) -> web.Response:
        """`?ids=`: of each part `[place, series, how many]`; of points `[x, y, series]`."""
        made = await chart_of(request)
        ids = [parse_integer(text, "ids", 2**63) for text in list_parameter(request, "ids")]
        if len(ids) > MAX_FEATURE_IDS:
            raise RequestFault("invalid_payload", f"`ids` are at most {MAX_FEATURE_IDS} whole numbers.")
        return json_answer({"parts": await charts.source.parts(made.chart, made.data, ids)})

    base = "/api/maps/{map_id}/charts/{chart_id}/{version:[0-9]+}"
    return [
        web.get(f"{base}/data", data),
        web.get(f"{base}/data.csv", csv),
        web.get(f"{base}/features", features),
        web.get(f"{base}/parts", parts),
    ]


def list_parameter(request: web.Request, name: str) -> list[str]:
    """The comma-separated values of a query parameter, without empty ones."""
    return [part for part in request.query.get(name, "").split(",") if part]


def parse_part(text: str) -> Part:
    """A part as `index` or `index.series`. Raises RequestFault `invalid_payload`."""
    place, _, series = text.partition(".")
    return Part(
        abs(parse_integer(place, "parts", MAX_PART_INDEX)),
        abs(parse_integer(series, "parts", MAX_PART_INDEX)) if series else None,
    )


def parse_integer(text: str, name: str, most: int) -> int:
    """An integer below `most`. Raises RequestFault `invalid_payload`."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 20 and int(digits) < most):
        raise RequestFault("invalid_payload", f"`{name}` are whole numbers, separated by commas.")
    return int(text)


def parse_window(request: web.Request, made: ComputedChart) -> Window | None:
    """The `window` of a scatter plot: least and greatest x, then y; None without one. Raises RequestFault
    `invalid_payload`."""
    if "window" not in request.query:
        return None
    try:
        west, east, south, north = (float(text) for text in list_parameter(request, "window"))
    except ValueError:
        raise RequestFault(
            "invalid_payload", "`window` is four numbers: least and greatest x, then y."
        ) from None
    if made.data.points is None:
        raise RequestFault("invalid_payload", "Only a scatter plot has a window; give parts.")
    return west, east, south, north
