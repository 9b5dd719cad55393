"""GET /api/tables: the tables that may be drawn, as the registry knows them at this moment."""

from __future__ import annotations

from aiohttp import web

from agents.ports import TableRegistry
from server.http.errors import HttpFault

MOST = 1000


def routes(registry: TableRegistry) -> list[web.RouteDef]:
    async def tables(request: web.Request) -> web.Response:
        """`?q=words` searches, best first; `?limit=` at most so many."""
        limit = request.query.get("limit", str(MOST))
        if not limit.isdecimal() or not 1 <= int(limit) <= MOST:
            raise HttpFault("invalid_payload", f"`limit` is a number from 1 to {MOST}.")
        words = request.query.get("q", "").strip()
        known = registry.tables()
        found = await registry.search(words, int(limit)) if words else known[: int(limit)]
        body = {
            "tables": [table.model_dump(mode="json") for table in found],
            "total": len(known),
            "version": registry.version,
        }
        return web.json_response(body, headers={"Cache-Control": "no-store"})

    async def table(request: web.Request) -> web.Response:
        found = registry.get(request.match_info["table_id"])
        return web.json_response(found.model_dump(mode="json"), headers={"Cache-Control": "no-store"})

    return [web.get("/api/tables", tables), web.get("/api/tables/{table_id}", table)]
