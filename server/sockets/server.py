"""The Socket.IO server. Every event passes through `_answer`: checked, rate-limited, handled, acknowledged.

A map's id gives full access to the map after `join`. A view key allows viewing only: requests that change the map are
refused, and the map's id is never sent. Requests of one connection are handled in order, except `cancel`, `receipt`
and reads, which never wait behind slow requests."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, cast

import structlog
from aiohttp import web
from engineio.packet import MESSAGE
from pydantic import BaseModel
from socketio.packet import EVENT

from server.database.lanes import work_for
from server.http.middleware.proxies import public_host, shared_address
from server.maps.access import Access
from server.maps.analyses.recipes import Recipes
from server.maps.analyses.results import Results
from server.maps.encoded import Encoded, encode
from server.maps.service import MapService
from server.origins import Origins
from server.protocol import REQUESTS, Request, ServerClosing
from server.sockets.connection import Connection
from server.sockets.engine import SharedPacket, SocketIo
from server.sockets.handlers import ExportFile, FindPlaces, Handlers
from server.sockets.limits import AddressLimits, LargeMessages, Openings, RateLimits
from server.sockets.packets import BoundedPacket
from server.sockets.requests import read_request, refusal
from server.sockets.rights import admitted

log = structlog.get_logger(__name__)

BUFFER_BYTES = 4 * 1024 * 1024
"""A message above `packets.MAX_TEXT` is refused in an acknowledgement; one above this limit ends its connection."""
READING = frozenset({"find_place", "export"})
"""Requests that only read: handled in any order, and stopped when their connection ends."""
UNORDERED = frozenset({"cancel", "receipt"})
MAX_WAITING_REQUESTS = 100
RECONNECTS_PER_S = 200
"""Clients that come back after a server ended."""
MIN_RECONNECT_S, MAX_RECONNECT_S = 1.0, 15.0
CLOSING_DELAY_S = 0.1
"""Seconds in which the last message can reach the clients."""


class SocketServer:
    """The Socket.IO side of the server: connections, rooms, and the events that are sent to them."""

    def __init__(
        self,
        maps: MapService,
        results: Results,
        recipes: Recipes,
        find_places: FindPlaces,
        export_file: ExportFile,
        origins: Origins,
        rate: float = 1.0,
    ) -> None:
        self._maps = maps
        self._rate = rate
        self._address_limits = AddressLimits(rate)
        self._closed = False
        self._connections: dict[str, Connection] = {}
        self._viewed: dict[str, dict[str, Access]] = {}
        """By map, the view keys of this server's clients on it, including clients that have just left."""
        self._io = SocketIo(
            async_mode="aiohttp",
            cors_allowed_origins=lambda origin, environ: origins.allows(
                origin, public_host(environ["aiohttp.request"])
            ),
            max_http_buffer_size=BUFFER_BYTES,
            serializer=BoundedPacket,
            ping_interval=20,
            ping_timeout=20,
        )
        self._io.eio.large_messages = LargeMessages(rate)
        self._io.eio.openings = Openings(rate)
        self._handlers = Handlers(
            maps, results, recipes, find_places, export_file, self._enter_room, self._leave, self._send_event
        )
        self._io.on("connect", self._connected)
        self._io.on("disconnect", self._disconnected)
        self._io.on("*", self._on_event)
        maps.hub.emit = self.emit
        maps.on_links_checked = self._part_with_viewers

    def attach(self, app: web.Application) -> None:
        """Serve sockets at `/socket.io` of the application."""
        self._io.attach(app)

    @property
    def connections(self) -> int:
        """Connections that are open."""
        return len(self._connections)

    async def emit(self, map_id: str, event: str, data: dict[str, Any]) -> None:
        """Send an event to everyone of this server on a map."""
        body = encode(data)
        self._send(room(map_id), event, body)
        for access in self._viewed.get(map_id, {}).values():
            self._send(room(access.key), event, access.hide_map_id(body))

    async def _send_event(self, connection: Connection, event: str, body: BaseModel) -> None:
        await self._io.emit(event, body.model_dump(mode="json"), to=connection.sid)

    def _send(self, place: str, event: str, body: Encoded) -> None:
        """Send one packet to every socket in a room. The library's own `emit` starts a task for each of them."""
        packet = SharedPacket(MESSAGE, f"{EVENT}{json.dumps([event])[:-1]},{body.text}]")
        sockets = self._io.eio.sockets
        for _, engine_sid in self._io.manager.get_participants("/", place):
            socket = sockets.get(engine_sid)
            if socket is not None:
                socket.put(packet)

    async def close(self) -> None:
        """Close the connections below Socket.IO: clients that are only disconnected by it never come back."""
        if self._closed:
            return
        self._closed = True
        await self._announce_closing()
        engine = self._io.eio
        for socket in list(engine.sockets.values()):
            await socket.close(wait=False, reason=engine.reason.SERVER_DISCONNECT)
        await asyncio.sleep(CLOSING_DELAY_S)
        await self._io.shutdown()

    async def _announce_closing(self) -> None:
        """Spread the clients' return: together they would overrun the server that they come back to."""
        window = min(MAX_RECONNECT_S, max(MIN_RECONNECT_S, len(self._connections) / RECONNECTS_PER_S))
        for sid in list(self._connections):
            delay = int(random.uniform(0.1, 1.0) * window * 1000)  # noqa: S311 - no secret
            body = ServerClosing(reconnect_after_ms=delay)
            await self._io.emit("server_closing", body.model_dump(), to=sid)

    async def _connected(self, sid: str, environ: Any, auth: Any = None) -> None:
        person, address = secrets.token_urlsafe(6), shared_address(environ["aiohttp.request"])
        self._connections[sid] = Connection(sid, person, RateLimits(self._rate), address)
        # Engine.IO keeps the headers of the first request for as long as the connection lasts.
        environ.clear()

    async def _disconnected(self, sid: str, reason: Any = None) -> None:
        connection = self._connections.pop(sid, None)
        if connection is not None:
            connection.end()
            for map_id in {access.map_id for access in connection.maps.values()}:
                self._maps.hub.leave(map_id, connection.person)

    async def _on_event(self, event: str, sid: str, *arguments: Any) -> dict[str, Any] | Encoded:
        connection = self._connections.get(sid)
        if connection is None:
            return refusal(event, ConnectionError())
        try:
            connection.limits.check(event)
            if connection.address is not None:
                self._address_limits.of(connection.address).check(event)
            request = read_request(event, arguments)
            if event in READING:
                with connection.reading():
                    return await self._handled(connection, event, request)
            if event in UNORDERED:
                return await self._handled(connection, event, request)
            async with connection.in_order(MAX_WAITING_REQUESTS):
                return await self._handled(connection, event, request)
        except Exception as error:
            return refusal(event, error)

    async def _handled(self, connection: Connection, event: str, request: Request) -> Encoded:
        handler = cast("Handler", getattr(self._handlers, event))
        work_for(getattr(request, "map_id", None) or f"socket {connection.sid}", connection.address)
        request, access = await admitted(connection, event, request, self._maps.links, self._maps.log)
        if access is not None:
            work_for(access.map_id)
        ack = encode({"ok": True, **await handler(connection, request)})
        return ack if access is None or event == "copy" else access.hide_map_id(ack)

    async def _enter_room(self, connection: Connection, access: Access) -> None:
        await self._io.enter_room(connection.sid, room(access.key))
        connection.maps[access.key] = access
        if not access.may_change:
            self._viewed.setdefault(access.map_id, {})[access.key] = access

    async def _leave(self, connection: Connection, access: Access) -> None:
        """Leave a map's room, after the access was taken from the connection's maps."""
        await self._io.leave_room(connection.sid, room(access.key))
        if not connection.is_on(access.map_id):
            self._maps.hub.leave(access.map_id, connection.person)

    def _forget_views(self) -> None:
        """Drop view keys without a client. Reads all connections, so it does not run whenever one ends."""
        held = {key for connection in self._connections.values() for key in connection.maps}
        for map_id, views in list(self._viewed.items()):
            self._viewed[map_id] = {key: access for key, access in views.items() if key in held}
            if not self._viewed[map_id]:
                del self._viewed[map_id]

    async def _part_with_viewers(self) -> None:
        """Clients that joined by a withdrawn view link are informed, and receive nothing more."""
        keys = [key for views in self._viewed.values() for key in views]
        for key in await self._maps.links.withdrawn(keys):
            for connection in list(self._connections.values()):
                access = connection.maps.pop(key, None)
                if access is None:
                    continue
                await self._leave(connection, access)
                await self._io.emit("access_withdrawn", {"map_id": key}, to=connection.sid)
        self._forget_views()


Handler = Callable[[Connection, Any], Awaitable[dict[str, Any]]]


def room(key: str) -> str:
    """The room of the clients that joined a map by this key."""
    return f"map:{key}"


missing = [name for name in REQUESTS if not hasattr(Handlers, name)]
if missing:
    raise TypeError(f"no handler for {missing}")
