"""GET /api/tables: the tables that may be drawn, as the registry knows them at this moment. GET
/api/maps/{map_id}/tables: with the results of that map's analyses, which no other map sees. GET
/api/maps/{map_id}/tables/{table_id}/preview: some of a table's shapes, and what people
noted about it, for who may add it to the map."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.ports import TableRegistry
from server.gis.export import Source
from server.gis.preview import EMPTY, preview
from server.http.addresses import is_view
from server.http.errors import HttpFault
from server.maps.access import read_only
from server.notes import Notes

MOST = 1000


Readable = Callable[[str | None], Awaitable[TableRegistry]]
"""The tables that a map may read, or that every map may."""


def routes(readable: Readable, reader: AsyncEngine, notes: Notes) -> list[web.RouteDef]:
    async def tables(request: web.Request) -> web.Response:
        """`?q=words` searches, best first; `?limit=` at most so many."""
        limit = request.query.get("limit", str(MOST))
        if not limit.isdecimal() or not 1 <= int(limit) <= MOST:
            raise HttpFault("invalid_payload", f"`limit` is a number from 1 to {MOST}.")
        words = request.query.get("q", "").strip()
        registry = await readable(request.match_info.get("map_id"))
        known = registry.tables()
        found = await registry.search(words, int(limit)) if words else known[: int(limit)]
        body = {
            "tables": [table.model_dump(mode="json") for table in found],
            "total": len(known),
            "version": registry.version,
        }
        return web.json_response(body, headers={"Cache-Control": "no-store"})

    async def table(request: web.Request) -> web.Response:
        found = (await readable(request.match_info.get("map_id"))).get(request.match_info["table_id"])
        return web.json_response(found.model_dump(mode="json"), headers={"Cache-Control": "no-store"})

    async def first_look(request: web.Request) -> web.Response:
        if is_view(request):
            raise read_only()
        found = (await readable(request.match_info["map_id"])).get(request.match_info["table_id"])
        shapes = await preview(Source(reader, found)) if found.geometry_column else EMPTY
        told = [{"title": note.title, "body": note.body} for note in await notes.about(found.id)]
        return web.json_response(
            {**shapes, "notes": told},
            content_type="application/geo+json",
            headers={"Cache-Control": "no-store"},
        )

    return [
        web.get("/api/maps/{map_id}/tables/{table_id}/preview", first_look),
        *(
            web.get(f"{base}/tables{one}", handler)
            for base in ("/api", "/api/maps/{map_id}")
            for one, handler in (("", tables), ("/{table_id}", table))
        ),
    ]
