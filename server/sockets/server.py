"""The Socket.IO server. Every event passes through `_answer`: checked, rate-limited, handled, acknowledged.

Holding a map's id is the right to the map; a connection uses it by `join`, and may then do everything on it.
Requests of one connection are handled in the order in which they came, except `cancel` and `receipt`, which
never wait behind slow ones.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, cast

import socketio
import structlog
from aiohttp import web

from server.maps.service import MapService
from server.origins import Origins
from server.protocol import REQUESTS
from server.sockets.connection import Connection
from server.sockets.handlers import FindPlaces, Handlers
from server.sockets.limits import RateLimits
from server.sockets.packets import BoundedPacket
from server.sockets.requests import read_request, refusal

log = structlog.get_logger(__name__)

BUFFER_BYTES = 1024 * 1024
UNORDERED = frozenset({"cancel", "receipt", "find_place"})
WAITING_REQUESTS = 100
CLOSING = 0.1
"""Seconds in which the word that all is over can reach the clients."""


class SocketServer:
    def __init__(
        self, maps: MapService, find_places: FindPlaces, origins: Origins, rate: float = 1.0
    ) -> None:
        self._maps = maps
        self._rate = rate
        self._closed = False
        self._connections: dict[str, Connection] = {}
        self._io = socketio.AsyncServer(
            async_mode="aiohttp",
            cors_allowed_origins=origins.allows_socket,
            max_http_buffer_size=BUFFER_BYTES,
            serializer=BoundedPacket,
            ping_interval=20,
            ping_timeout=20,
        )
        self._handlers = Handlers(maps, find_places, self._enter_room, self._leave_room)
        self._io.on("connect", self._connected)
        self._io.on("disconnect", self._disconnected)
        self._io.on("*", self._heard)
        maps.hub.emit = self.emit

    def attach(self, app: web.Application) -> None:
        self._io.attach(app)

    @property
    def connections(self) -> int:
        return len(self._connections)

    async def emit(self, map_id: str, event: str, data: dict[str, Any]) -> None:
        """To everyone of this server on a map."""
        await self._io.emit(event, data, room=room(map_id))

    async def close(self) -> None:
        """Close the connections below Socket.IO: clients that are only disconnected by it never come back."""
        if self._closed:
            return
        self._closed = True
        engine = self._io.eio
        for socket in list(engine.sockets.values()):
            await socket.close(wait=False, reason=engine.reason.SERVER_DISCONNECT)
        await asyncio.sleep(CLOSING)
        await self._io.shutdown()

    async def _connected(self, sid: str, environ: Any, auth: Any = None) -> None:
        self._connections[sid] = Connection(sid, secrets.token_urlsafe(6), RateLimits(self._rate))

    async def _disconnected(self, sid: str, reason: Any = None) -> None:
        connection = self._connections.pop(sid, None)
        if connection is not None:
            connection.is_open = False
            for map_id in connection.maps:
                self._maps.hub.leave(map_id, connection.person)

    async def _heard(self, event: str, sid: str, *arguments: Any) -> dict[str, Any]:
        connection = self._connections.get(sid)
        if connection is None:
            return refusal(event, ConnectionError())
        try:
            connection.limits.check(event)
            request = read_request(event, arguments)
            handler = cast("Handler", getattr(self._handlers, event))
            if event in UNORDERED:
                return {"ok": True, **await handler(connection, request)}
            async with connection.in_turn(WAITING_REQUESTS):
                return {"ok": True, **await handler(connection, request)}
        except asyncio.CancelledError:
            raise
        except Exception as error:
            return refusal(event, error)

    async def _enter_room(self, connection: Connection, map_id: str) -> None:
        await self._io.enter_room(connection.sid, room(map_id))

    async def _leave_room(self, connection: Connection, map_id: str) -> None:
        await self._io.leave_room(connection.sid, room(map_id))


Handler = Callable[[Connection, Any], Awaitable[dict[str, Any]]]


def room(map_id: str) -> str:
    return f"map:{map_id}"


missing = [name for name in REQUESTS if not hasattr(Handlers, name)]
if missing:
    raise TypeError(f"no handler for {missing}")
