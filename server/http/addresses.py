"""Ids in addresses: what cannot be the id of a map or a layer is answered 404 before anything looks for it."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from server.http.errors import Handler, HttpFault
from server.protocol import LayerId, MapId

IDS: dict[str, tuple[TypeAdapter[Any], str, str]] = {
    "map_id": (TypeAdapter(MapId), "unknown_map", "There is no map at this address."),
    "layer_id": (TypeAdapter(LayerId), "unknown_layer", "This map has no layer of this address."),
}
PAGES = "/m/"
"""The client's page is there for any map, and says itself what is wrong with it."""


@web.middleware
async def known_ids(request: web.Request, handler: Handler) -> web.StreamResponse:
    for name, (pattern, code, message) in IDS.items():
        wanted = request.match_info.get(name)
        if wanted is not None and not request.path.startswith(PAGES):
            try:
                pattern.validate_python(wanted)
            except ValidationError:
                raise HttpFault(code, message) from None
    if "\x00" in request.query_string:
        raise HttpFault("invalid_payload", "The query of an address must not hold NUL characters.")
    return await handler(request)
