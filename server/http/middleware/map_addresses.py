"""Ids in addresses: what cannot be the id of a map or a layer is answered 404 before anything looks for it.

A view key may stand wherever a map's id does in an address that only reads. Handlers then see the map's own id,
and answers that could tell it are rewritten by `Access.hide_map_id`.
"""

from __future__ import annotations

from typing import Any

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from server.http.errors import Handler, HttpFault
from server.lanes import work_for
from server.maps.access import ViewLinks, read_only
from server.protocol import LayerId, MapId
from server.sockets.limits import shared_address

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


READING = frozenset({"GET", "HEAD"})
VIEW = web.RequestKey("view", bool)


def keys(links: ViewLinks) -> Any:
    """Lets view keys read what the map's own id would, and counts all work as the map's."""

    @web.middleware
    async def resolve(request: web.Request, handler: Handler) -> web.StreamResponse:
        key = request.match_info.get("map_id")
        address = shared_address(request)
        work_for(key or f"address {address}", address)
        if key is None or request.path.startswith(PAGES):
            return await handler(request)
        access = await links.access(key)
        if access.may_change:
            return await handler(request)
        if request.method not in READING:
            raise read_only()
        request.match_info["map_id"] = access.map_id
        work_for(access.map_id)
        request[VIEW] = True
        response = await handler(request)
        if isinstance(response, web.Response) and isinstance(response.body, bytes) and is_text(response):
            response.body = response.body.replace(access.map_id.encode(), access.key.encode())
        return response

    return resolve


def is_view(request: web.Request) -> bool:
    """Whether it was asked with a view key."""
    return VIEW in request


def is_text(response: web.Response) -> bool:
    """Not a tile or a file, and not compressed."""
    return (
        response.content_type in ("application/json", "text/html")
        and "Content-Encoding" not in response.headers
    )
