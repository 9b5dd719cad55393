"""GET /api/maps/{map_id}/layers/{layer_id}/export.{format}: a layer as a file, in its own reference system or
in that of `?crs=EPSG:2154`, with `?outside=drop` or `null` for shapes far outside of that system's area of use.
GeoJSON is in longitude and latitude by default. `?geometry=wkt` or `xy` applies to CSV.

Every export is written to the spool first, so that a slow client occupies a file and no database connection."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import cast
from urllib.parse import quote

from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Layer, Table
from agents.exports import Outside, Placing
from agents.ports import TableRegistry
from server.background import end_tasks
from server.database.lanes import Lane, working_for
from server.gis.export.crs import LONLAT, Crs, crs_named, crs_of
from server.gis.export.files import MAX_ROWS, FileFormat, write_file
from server.gis.export.layers import Format, csv_text, geojson
from server.gis.export.source import Source, check_whole
from server.gis.tiles.service import LayerLookup
from server.http.answers import UNCACHED, Spooled, file_answer, json_answer
from server.http.middleware.abandoned_requests import cancel_if_client_leaves
from server.http.middleware.map_addresses import is_view
from server.http.middleware.proxies import shared_address
from server.http.middleware.slow_clients import whole_transfer
from server.http.rows import layer_of
from server.maps.faults import RequestFault
from server.transfers.deliveries import Deliveries, checked
from server.transfers.spool import Spool, Transfer, measured

TYPES: dict[Format, str] = {
    "geojson": "application/geo+json",
    "csv": "text/csv; charset=utf-8; header=present",
    "gpkg": "application/geopackage+sqlite3",
    "fgb": "application/vnd.flatgeobuf",
    "parquet": "application/vnd.apache.parquet",
}
MORE_TYPES = {
    "geojsonl": "application/geo+json-seq",
    "json": "application/json",
    "kml": "application/vnd.google-earth.kml+xml",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}
"""Types of files that do not belong to one layer."""
Shown = Callable[[str], Awaitable[TableRegistry]]
"""Those tables that may be read with the view key of a map."""
WAIT_S = 60.0
"""Time to wait for other exports to finish reading the database."""
MAX_CONCURRENT_EXPORTS = 512
MAX_EXPORTS_PER_ADDRESS = 32
"""Exports of one address, in any phase."""


def routes(
    reader: AsyncEngine,
    tables: TableRegistry,
    layers: LayerLookup,
    spool: Spool,
    at_once: int = 2,
    rows: int = MAX_ROWS,
) -> list[web.RouteDef]:
    """The route; at most `at_once` exports read the database at the same time, others wait. `rows` is how many a file
    in a format that is not streamed may have."""
    # One slot always stays free for other addresses.
    exporting = Lane("export", at_once, wait=WAIT_S, visitor_share=max(1, at_once - 1))
    sending = Lane("sending", MAX_CONCURRENT_EXPORTS, MAX_EXPORTS_PER_ADDRESS, wait=0)

    async def export(request: web.Request) -> web.StreamResponse:
        kind = request.match_info["format"]
        if kind not in TYPES:
            raise RequestFault("not_found", f"There is no export to {kind!r}. There are: {', '.join(TYPES)}.")
        layer = await layer_of(request, layers)
        placing = request.query.get("geometry")
        if placing not in (None, "wkt", "xy"):
            raise RequestFault("invalid_payload", "`geometry` is `wkt` or `xy`.")
        table = tables.get(layer.table)
        check_whole(table)
        crs = await _crs(reader, kind, table, request.query.get("crs"))
        outside = request.query.get("outside")
        if outside not in (None, "drop", "null"):
            raise RequestFault("invalid_payload", "`outside` is `drop` or `null`.")
        source = Source(
            reader,
            table,
            layer.filter,
            crs,
            outside=cast("Outside | None", outside),
            is_wrapped=kind == "geojson",
        )
        headers = {
            "Content-Type": TYPES[kind],
            "Content-Disposition": disposition(layer.name, kind),
            "Content-Crs": f"<{crs.uri}>",
            **UNCACHED,
        }
        address = shared_address(request)
        with working_for(address), spool.transfer(address) as transfer:
            async with sending.place(), whole_transfer(request):
                async with exporting.place():
                    source = await source.of_one_type()
                if kind == "geojson":
                    return await _streamed(request, geojson(source, layer.name), headers, transfer, exporting)
                if kind == "csv":
                    return await _streamed(
                        request,
                        csv_text(source, cast("Placing | None", placing)),
                        headers,
                        transfer,
                        exporting,
                    )
                return await _sent_file(request, source, kind, layer, headers, transfer, exporting, rows)

    return [web.get("/api/maps/{map_id}/layers/{layer_id}/export.{format}", export)]


async def _crs(reader: AsyncEngine, kind: str, table: Table, asked: str | None) -> Crs:
    if asked:
        return await crs_named(reader, asked)
    return LONLAT if kind == "geojson" or table.srid <= 0 else await crs_of(reader, table.srid)


def delivery_routes(deliveries: Deliveries, shown: Shown) -> list[web.RouteDef]:
    """POST what a file should hold, GET it by its link. With a view key, files of tables that it shows."""

    async def make(request: web.Request) -> web.Response:
        try:
            document = await request.json()
        except (ValueError, RecursionError):
            raise RequestFault("invalid_payload", "The body is not JSON.") from None
        with working_for(shared_address(request)):
            making = deliveries.make(request.match_info["map_id"], checked(document))
            report = await cancel_if_client_leaves(request, making)
        return json_answer(report.model_dump(mode="json"), 201)

    async def fetch(request: web.Request) -> web.StreamResponse:
        map_id, export_id = request.match_info["map_id"], request.match_info["export_id"]
        viewed = await shown(map_id) if is_view(request) else None
        async with deliveries.opened(map_id, export_id, viewed) as path, whole_transfer(request):
            stem, _, extension = path.name.rpartition(".")
            kind = MORE_TYPES.get(extension) or TYPES.get(
                cast("Format", extension), "application/octet-stream"
            )
            headers = {"Content-Type": kind, "Content-Disposition": disposition(stem, extension)}
            return await file_answer(request, path, headers)

    return [
        web.post("/api/maps/{map_id}/exports", make),
        web.get("/api/maps/{map_id}/exports/{export_id}/{name}", fetch),
    ]


def disposition(name: str, extension: str) -> str:
    """A Content-Disposition header with the file name in UTF-8 and in ASCII, without folders, control
    characters or characters that shells and Windows refuse."""
    clean = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]+', "_", name).strip(". ")[:80] or "layer"
    plain = unicodedata.normalize("NFKD", clean).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9 ._-]+", "_", plain).strip(". ") or "layer"
    return f"attachment; filename=\"{plain}.{extension}\"; filename*=UTF-8''{quote(f'{clean}.{extension}', safe='')}"


async def _streamed(
    request: web.Request,
    chunks: AsyncGenerator[bytes, None],
    headers: dict[str, str],
    transfer: Transfer,
    lane: Lane,
) -> web.StreamResponse:
    spooled = Spooled(transfer.folder / "export", transfer)
    writing = asyncio.create_task(spooled.write(chunks, lane))
    try:
        return await spooled.answer(request, writing, headers)
    finally:
        await end_tasks(writing)


async def _sent_file(
    request: web.Request,
    source: Source,
    kind: FileFormat,
    layer: Layer,
    headers: dict[str, str],
    transfer: Transfer,
    lane: Lane,
    rows: int,
) -> web.StreamResponse:
    path = transfer.folder / f"layer.{kind}"

    async with lane.place():
        await measured(write_file(source, kind, layer.name, path, rows), transfer.folder, transfer)
    return await file_answer(request, path, headers)
