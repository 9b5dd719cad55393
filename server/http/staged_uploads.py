"""Decisions about files that were sent to POST /api/uploads with `stage=true`.

GET /api/maps/{map_id}/uploads: the tables that a file may be appended to or may replace. POST
/api/maps/{map_id}/uploads/{number} with `{mode: new|append|replace, table}` decides; a fault changes nothing, and
another decision may follow. DELETE drops what was read."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from server import fault_texts
from server.database.lanes import Lane
from server.http.answers import json_answer
from server.http.middleware.map_addresses import is_view
from server.http.middleware.proxies import shared_address
from server.maps.access import read_only
from server.maps.faults import RequestFault
from server.transfers.loading import FileLoader
from server.transfers.staging import decision_of

MAX_BODY_BYTES = 4096


def routes(loader: FileLoader) -> list[web.RouteDef]:
    """The routes of uploads that wait for a decision."""
    staged = loader.staged
    # Moving rows holds a connection that joins and chats need. An address moves one at a time, without blocking others.
    deciding = Lane("deciding on uploads", 2, 1, wait=30.0)

    async def targets(request: web.Request) -> web.Response:
        if is_view(request):
            raise read_only()
        found = await staged.targets(request.match_info["map_id"])
        return json_answer({"tables": list(found)})

    async def decide(request: web.Request) -> web.Response:
        wanted = await _body(request)
        decision = decision_of(wanted.get("mode"), wanted.get("table"))
        async with deciding.place(shared_address(request)):
            answer = await staged.finish(
                request.match_info["map_id"], _number(request), decision, loader.share_all
            )
        await loader.refresh()
        return json_answer({**answer, "shared": loader.share_all})

    async def discard(request: web.Request) -> web.Response:
        await staged.discard(request.match_info["map_id"], _number(request))
        return json_answer({"discarded": True})

    return [
        web.get("/api/maps/{map_id}/uploads", targets),
        web.post("/api/maps/{map_id}/uploads/{number}", decide),
        web.delete("/api/maps/{map_id}/uploads/{number}", discard),
    ]


async def _body(request: web.Request) -> dict[str, Any]:
    if request.content_length is None or request.content_length > MAX_BODY_BYTES:
        raise RequestFault("invalid_payload", "Send a small JSON object with `mode` and `table`.")
    try:
        body = json.loads(await request.text())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise RequestFault("invalid_payload", "Send a JSON object with `mode` and `table`.")
    return body


def _number(request: web.Request) -> int:
    text = request.match_info["number"]
    if not text.isdecimal() or len(text) > 15:
        raise RequestFault("unknown_table", fault_texts.NOT_WAITING())
    return int(text)
