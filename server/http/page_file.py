"""GET /api/maps/{map_id}/map.html: the map as one file that works offline, without any request.

The client's build creates the page (web/dist/file.html) with scripts and styles inlined; the map's layers and
charts are inserted as JSON, escaped so that it cannot end its element."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.core.errors import ToolSignal
from agents.domain import Layer
from agents.ports import TableRegistry
from server.database.lanes import Lane
from server.gis.charts import ComputedChart
from server.gis.export.sample import Sample, sample
from server.gis.export.source import Source
from server.http.middleware.proxies import shared_address
from server.http.site import CLIENT
from server.maps.charts import ChartService
from server.maps.faults import RequestFault
from server.maps.log.event_log import EventLog

MAP_ELEMENT = '<script type="application/json" id="map">null</script>'
"""The element of the page into which the map is inserted."""
DATA_BYTES = 24_000_000
"""Limit for all layers of a file together; each may take an equal part of what those below it have left."""
COMPRESSED_AT_ONCE = 64 * 1024
"""Bytes of a file that is compressed at once; larger ones are compressed in a thread."""
WAIT_S = 60.0
"""Time to wait for others to finish reading the database."""


def routes(
    reader: AsyncEngine,
    tables: TableRegistry,
    log: EventLog,
    charts: ChartService,
    at_once: int = 2,
    page: Path = CLIENT / "file.html",
) -> list[web.RouteDef]:
    """The route; `page` is the template that the client's build creates. `at_once` maps are read concurrently, one of
    each network address."""
    saving = Lane("map files", at_once, 1, wait=WAIT_S)

    async def map_file(request: web.Request) -> web.Response:
        template = await asyncio.to_thread(read_template, page)
        map_id = request.match_info["map_id"]
        state = await log.reader.state(map_id)
        async with saving.place(shared_address(request)):
            layers: list[str] = []
            left = DATA_BYTES
            for place, layer in enumerate(state.layers):
                most = left // (len(state.layers) - place)
                document = await layer_document(reader, tables, layer, most)
                layers.append(await asyncio.to_thread(json_for_html, document))
                left = max(0, left - len(layers[-1]))
        kept = [await charts.find(map_id, chart.id, chart.version) for chart in state.charts]
        response = web.Response(
            body=await asyncio.to_thread(filled, template, layers, kept),
            content_type="text/html",
            charset="utf-8",
            headers={"Content-Disposition": 'attachment; filename="map.html"', "Cache-Control": "no-store"},
            zlib_executor_size=COMPRESSED_AT_ONCE,
        )
        response.enable_compression()
        return response

    return [web.get("/api/maps/{map_id}/map.html", map_file)]


def read_template(page: Path) -> str:
    """The template. Raises RequestFault `unavailable` if the client is not built."""
    try:
        return page.read_text(encoding="utf-8")
    except OSError:
        raise RequestFault("unavailable", "The browser client is not built: run `make run`.") from None


def filled(template: str, layers: Sequence[str], charts: Sequence[ComputedChart]) -> bytes:
    """The page with a map in it; `layers` are JSON already."""
    saved = datetime.now(UTC).isoformat(timespec="minutes")
    drawn = json_for_html([chart_document(made) for made in charts])
    body = f'{{"saved":"{saved}","layers":[{",".join(layers)}],"charts":{drawn}}}'
    return template.replace(MAP_ELEMENT, MAP_ELEMENT.replace("null", body), 1).encode()


async def layer_document(
    reader: AsyncEngine, tables: TableRegistry, layer: Layer, most: int
) -> dict[str, Any]:
    """The layer with a sample of its data, or with the reason why it cannot be read."""
    about = layer.model_dump(mode="json", exclude={"tiles", "filter"})
    try:
        taken = await sample(Source(reader, tables.get(layer.table), layer.filter), layer, most)
    except ToolSignal as fault:
        taken = Sample({"features": [], "points": []}, 0, layer.count, 0.0)
        about["fault"] = fault.message
    about |= {"shown": taken.shown, "total": taken.total, "tolerance": taken.tolerance}
    return {"layer": about, "data": taken.features}


def chart_document(made: ComputedChart) -> dict[str, Any]:
    """The chart with its data, without its address on this server."""
    chart = made.chart.model_dump(mode="json", exclude={"data", "filter", "layer_filter"})
    return {"chart": chart, "data": made.data.model_dump(mode="json")}


def json_for_html(value: Any) -> str:
    """JSON that is safe inside HTML: without `<`, `>`, `&` and the line separators of JavaScript."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=str)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
