"""GET /api/maps/{map_id}/layers/{layer_id}/export.{format}: a layer as a file to keep."""

from __future__ import annotations

import asyncio
import re
import tempfile
import unicodedata
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from urllib.parse import quote

from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Layer
from server.gis.export import CRS84, Format, Source, csv_text, geojson
from server.gis.export_files import FileFormat, write_file
from server.gis.tiles import LayerLookup, TableLookup
from server.http.errors import HttpFault

TYPES: dict[Format, str] = {
    "geojson": "application/geo+json",
    "csv": "text/csv; charset=utf-8; header=present",
    "gpkg": "application/geopackage+sqlite3",
    "fgb": "application/vnd.flatgeobuf",
    "parquet": "application/vnd.apache.parquet",
}
PIECE = 256 * 1024
AT_ONCE = 4
"""Exports under way; more wait for their turn."""


def routes(reader: AsyncEngine, tables: TableLookup, layers: LayerLookup) -> list[web.RouteDef]:
    turns = asyncio.Semaphore(AT_ONCE)

    async def export(request: web.Request) -> web.StreamResponse:
        kind = request.match_info["format"]
        if kind not in TYPES:
            raise HttpFault("not_found", f"There is no export to {kind!r}. There are: {', '.join(TYPES)}.")
        layer = await layers.current(request.match_info["map_id"], request.match_info["layer_id"])
        if layer is None:
            raise HttpFault("unknown_layer", f"This map has no layer {request.match_info['layer_id']!r}.")
        source = Source(reader, tables.get(layer.table), layer.filter)
        headers = {
            "Content-Type": TYPES[kind],
            "Content-Disposition": disposition(layer.name, kind),
            "Content-Crs": f"<{CRS84}>",
            "Cache-Control": "no-store",
        }
        async with turns:
            if kind == "geojson":
                return await _streamed(request, geojson(source, layer.name), headers)
            if kind == "csv":
                return await _streamed(request, csv_text(source), headers)
            return await _sent_file(request, source, kind, layer, headers)

    return [web.get("/api/maps/{map_id}/layers/{layer_id}/export.{format}", export)]


def disposition(name: str, extension: str) -> str:
    """A file name without folders, control characters or what shells and Windows refuse; in UTF-8 and in ASCII."""
    clean = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]+', "_", name).strip(". ")[:80] or "layer"
    plain = unicodedata.normalize("NFKD", clean).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9 ._-]+", "_", plain).strip(". ") or "layer"
    return f"attachment; filename=\"{plain}.{extension}\"; filename*=UTF-8''{quote(f'{clean}.{extension}', safe='')}"


async def _streamed(
    request: web.Request, chunks: AsyncGenerator[bytes, None], headers: dict[str, str]
) -> web.StreamResponse:
    """Its first rows are there before the answer begins, so that a fault is still an answer."""
    async with aclosing(chunks):
        first = [await anext(chunks), await anext(chunks)]
        response = web.StreamResponse(headers=headers)
        response.enable_compression()
        await response.prepare(request)
        for chunk in filter(None, first):
            await response.write(chunk)
        async for chunk in chunks:
            if chunk:
                await response.write(chunk)
    await response.write_eof()
    return response


async def _sent_file(
    request: web.Request, source: Source, kind: FileFormat, layer: Layer, headers: dict[str, str]
) -> web.StreamResponse:
    with tempfile.TemporaryDirectory(prefix="geoagent-export-") as folder:
        path = Path(folder) / f"layer.{kind}"
        await write_file(source, kind, layer.name, path)
        response = web.StreamResponse(headers=headers)
        response.content_length = path.stat().st_size
        await response.prepare(request)
        with path.open("rb") as file:
            while chunk := await asyncio.to_thread(file.read, PIECE):
                await response.write(chunk)
        await response.write_eof()
        return response
