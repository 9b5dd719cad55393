"""GET /api/maps/{map_id}/map.html: the map as one file that opens from disk, offline, without any request.

The client's build makes the page (web/file.html in web/dist) with all its scripts and styles in it; here the map's
layers and charts go into it as JSON, in which nothing can end the element that holds it.
"""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.core.errors import ToolSignal
from agents.domain import Layer
from server.gis.charts import Made
from server.gis.export.layers import Source
from server.gis.export.sample import Sample, sample
from server.gis.tiles import TableLookup
from server.http.errors import HttpFault
from server.http.site import CLIENT
from server.maps.charts import ChartService
from server.maps.log.event_log import EventLog

PLACE = '<script type="application/json" id="map">null</script>'
"""What the page has where the map belongs."""
AT_ONCE = 2


def routes(
    reader: AsyncEngine,
    tables: TableLookup,
    log: EventLog,
    charts: ChartService,
    page: Path = CLIENT / "file.html",
) -> list[web.RouteDef]:
    turns = asyncio.Semaphore(AT_ONCE)

    async def map_file(request: web.Request) -> web.Response:
        template = await asyncio.to_thread(read, page)
        map_id = request.match_info["map_id"]
        state = await log.reader.state(map_id)
        async with turns:
            layers = [await drawn(reader, tables, layer) for layer in state.layers]
        kept = [await charts.find(map_id, chart.id, chart.version) for chart in state.charts]
        body = {
            "saved": datetime.now(UTC).isoformat(timespec="minutes"),
            "layers": layers,
            "charts": [plotted(made) for made in kept],
        }
        response = web.Response(
            text=template.replace(PLACE, PLACE.replace("null", harmless(body)), 1),
            content_type="text/html",
            headers={"Content-Disposition": 'attachment; filename="map.html"', "Cache-Control": "no-store"},
        )
        response.enable_compression()
        return response

    return [web.get("/api/maps/{map_id}/map.html", map_file)]


def read(page: Path) -> str:
    try:
        return page.read_text(encoding="utf-8")
    except OSError:
        raise HttpFault("unavailable", "The browser client is not built: run `make run`.") from None


async def drawn(reader: AsyncEngine, tables: TableLookup, layer: Layer) -> dict[str, Any]:
    """The layer with its data; one that cannot be read says why, and the others are saved all the same."""
    about = layer.model_dump(mode="json", exclude={"tiles", "filter"})
    try:
        taken = await sample(Source(reader, tables.get(layer.table), layer.filter), layer)
    except ToolSignal as fault:
        taken = Sample({"features": [], "points": []}, 0, layer.count, 0.0)
        about["fault"] = fault.message
    about |= {"shown": taken.shown, "total": taken.total, "tolerance": taken.tolerance}
    return {"layer": about, "data": taken.features}


def plotted(made: Made) -> dict[str, Any]:
    """The chart with what it draws; where that is to be had on this server stays here."""
    chart = made.chart.model_dump(mode="json", exclude={"data", "filter", "layer_filter"})
    return {"chart": chart, "data": made.data.model_dump(mode="json")}


def harmless(value: Any) -> str:
    """JSON that HTML reads as text whatever is in it: no `<`, `>` or `&`, and no line ends of scripts."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=str)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
