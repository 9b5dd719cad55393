"""Access rights of requests. A map's id gives full access to the map; a view key allows viewing.

The requests that viewers may send are listed here and all others are refused, so that a new event is not open to them
by mistake."""

from __future__ import annotations

from agents.worded import Template
from server.maps.access import Access, ViewLinks, read_only
from server.maps.faults import RequestFault
from server.maps.log.event_log import EventLog
from server.protocol import Join, MapRequest, Request
from server.sockets.connection import Connection

JOIN_FIRST = Template("socket_join_first", "Send `join` with this map_id before anything else.")

VIEWERS_MAY = frozenset({"join", "leave", "introduce", "copy"})


async def admitted(
    connection: Connection, event: str, request: Request, links: ViewLinks, log: EventLog
) -> tuple[Request, Access | None]:
    """The request with the map's own id in place of the key by which it was joined, and what the key allows.

    Raises RequestFault: `unknown_map`, `not_joined` or `read_only`."""
    if isinstance(request, Join) and request.map_id is not None:
        return request, await links.access(request.map_id)
    if not isinstance(request, MapRequest):
        return request, None
    access = connection.maps.get(request.map_id)
    if access is None:
        found = await links.access(request.map_id)
        await log.reader.seq(found.map_id)
        if event == "leave":
            return request, found
        raise RequestFault("not_joined", JOIN_FIRST())
    if not access.may_change and event not in VIEWERS_MAY:
        raise read_only()
    if event == "leave":
        return request, access
    return request.model_copy(update={"map_id": access.map_id}), access
