"""Checks ids in addresses: an id that no map or layer can have is answered with 404 before any query.

A view key may replace a map's id in addresses that only read. Handlers then see the map's own id, and responses that
could reveal it are rewritten."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from server.database.lanes import work_for
from server.http.errors import Handler
from server.http.middleware.proxies import shared_address
from server.maps.access import ViewLinks, read_only
from server.maps.faults import RequestFault
from server.protocol import LayerId, MapId

ID_PATTERNS: dict[str, tuple[TypeAdapter[Any], str, str]] = {
    "map_id": (TypeAdapter(MapId), "unknown_map", "There is no map at this address."),
    "layer_id": (TypeAdapter(LayerId), "unknown_layer", "This map has no layer of this address."),
}
PAGE_PREFIX = "/m/"
"""The client's page exists for any map id, and shows errors itself."""


@web.middleware
async def known_ids(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Middleware: 404 for malformed map and layer ids, and for a NUL character elsewhere in the path; `invalid_payload`
    for one in the query."""
    for name, (pattern, code, message) in ID_PATTERNS.items():
        wanted = request.match_info.get(name)
        if wanted is not None and not request.path.startswith(PAGE_PREFIX):
            try:
                pattern.validate_python(wanted)
            except ValidationError:
                raise RequestFault(code, message) from None
    if "\x00" in request.path and not request.path.startswith(PAGE_PREFIX):
        raise RequestFault("not_found", "There is nothing at this address.")
    if "\x00" in request.query_string:
        raise RequestFault("invalid_payload", "The query of an address must not hold NUL characters.")
    return await handler(request)


READ_METHODS = frozenset({"GET", "HEAD"})
VIEW = web.RequestKey("view", bool)


def resolve_view_keys(links: ViewLinks) -> Any:
    """Middleware that accepts a view key in place of the map's id for reads, and attributes all work to the map."""

    @web.middleware
    async def resolve(request: web.Request, handler: Handler) -> web.StreamResponse:
        key = request.match_info.get("map_id")
        address = shared_address(request)
        work_for(key or f"address {address}", address)
        if key is None or request.path.startswith(PAGE_PREFIX):
            return await handler(request)
        access = await links.access(key)
        if access.may_change:
            return await handler(request)
        if request.method not in READ_METHODS:
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
    """Whether the request used a view key."""
    return VIEW in request


def is_text(response: web.Response) -> bool:
    """Whether the body is uncompressed text, in which the map's id can be replaced."""
    return (
        response.content_type in ("application/json", "text/html")
        and "Content-Encoding" not in response.headers
    )
