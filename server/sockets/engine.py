"""Engine.IO as this server runs it: every packet of a WebSocket goes straight to its transport.

python-engineio keeps a queue, a writer task and a timer for every socket. Here the transport's buffer is the only
queue, one task pings all sockets, and an event for thousands is framed once. Data that waits for a client that does
not read is bounded in bytes, acknowledgements included; beyond the bound its connection ends, and the client may
reconnect and ask for the events it missed."""

from __future__ import annotations

import asyncio
import json
import math
import time
from typing import Any

import engineio
import socketio
from engineio.async_socket import AsyncSocket
from engineio.exceptions import QueueEmpty, SocketIsClosedError, UnknownPacketError
from engineio.packet import CLOSE, NOOP, OPEN, PING, PONG, UPGRADE, Packet

from server.fault_texts import RATE_LIMITED
from server.http.middleware.proxies import shared_address
from server.sockets.limits import LargeMessages, Openings
from server.sockets.web_socket import Handshake, WebSocketConnection, framed

MAX_WAITING_BYTES = 8 * 1024 * 1024
"""Limit for one socket. Larger than a snapshot of a large map; a client with more unread data has stopped reading."""
TICK_S = 1.0
CLOSE_FRAME = b"\x88\x02\x03\xe9"
"""A WebSocket close frame with status 1001, "going away"."""


class SharedPacket(Packet):  # type: ignore[misc]  # python-engineio has no types
    """A packet for many sockets, written as a WebSocket frame once."""

    _frame: bytes | None = None

    @property
    def frame(self) -> bytes:
        """The packet as a WebSocket frame."""
        if self._frame is None:
            self._frame = framed(self.encode())
        return self._frame


class EngineSocket(AsyncSocket):  # type: ignore[misc]  # python-engineio has no types
    """One client. Until it has a WebSocket, packets are kept for its next poll."""

    def __init__(self, server: Engine, sid: str, address: str) -> None:
        # Not the parent's: its queue alone takes as much memory as all of this.
        self.server = server
        self.sid = sid
        self.address = address
        self.session: dict[str, Any] = {}
        self.connected = self.upgrading = self.upgraded = self.closing = self.closed = False
        self._transport: Any = None
        self._kept: list[Packet] = []
        self._kept_bytes = 0
        self._poll: asyncio.Future[None] | None = None
        self._ping_at = time.monotonic() + server.ping_interval
        self._pinged_at: float | None = None

    async def send(self, pkt: Packet) -> None:
        self.put(pkt)

    def put(self, pkt: Packet) -> None:
        """Send a packet, or keep it for the next poll; end the connection of a client that has stopped reading."""
        if self.closed:
            return
        if self._transport is not None:
            if self._transport.get_write_buffer_size() > MAX_WAITING_BYTES:
                self.server.drop_slow_client(self)
            elif not self._transport.is_closing():
                self._transport.write(pkt.frame if isinstance(pkt, SharedPacket) else framed(pkt.encode()))
            return
        self._kept.append(pkt)
        self._kept_bytes += len(pkt.encode())
        if self._kept_bytes > MAX_WAITING_BYTES:
            self.server.drop_slow_client(self)
        self._end_poll()

    async def poll(self) -> list[Packet]:
        """What has come since the last poll; an empty list when the connection has ended."""
        if not self._kept and not self.closed:
            self._poll = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(self.server.ping_interval + self.server.ping_timeout):
                    await self._poll
            except TimeoutError:
                raise QueueEmpty from None
            finally:
                self._poll = None
        packets, self._kept, self._kept_bytes = self._kept, [], 0
        return packets

    def _end_poll(self) -> None:
        if self._poll is not None and not self._poll.done():
            self._poll.set_result(None)

    async def receive(self, pkt: Packet) -> None:
        if self.closed:
            raise SocketIsClosedError
        await super().receive(pkt)

    async def handle_post_request(self, environ: dict[str, Any]) -> None:
        """Receive a poll's packets, once large messages of this client may be read."""
        await self.server.large_messages.wait(self.address, int(environ.get("CONTENT_LENGTH") or 0))
        await super().handle_post_request(environ)

    def schedule_ping(self) -> None:
        """The client has answered the last ping."""
        self._ping_at = time.monotonic() + self.server.ping_interval
        self._pinged_at = None

    async def tick(self, now: float) -> None:
        """Ping when it is time, and end the connection of a client that answers no ping."""
        if self._pinged_at is None:
            if now >= self._ping_at and self.connected:
                self._pinged_at = now
                self.put(Packet(PING))
        elif now - self._pinged_at > self.server.ping_timeout:
            await self.abort(self.server.reason.PING_TIMEOUT)

    async def abort(self, reason: str | None = None) -> None:
        """End the connection without waiting for what its client has not read."""
        await self.close(wait=False, abort=True, reason=reason)
        if self._transport is not None:
            self._transport.abort()

    async def close(self, wait: bool = True, abort: bool = False, reason: str | None = None) -> None:
        """End the connection. `wait` is only for the parent's signature: what was written is sent by the
        transport."""
        if self.closed or self.closing:
            return
        self.closing = True
        await self.server._trigger_event(
            "disconnect", self.sid, reason or self.server.reason.SERVER_DISCONNECT, run_async=False
        )
        if not abort:
            self.put(Packet(CLOSE))
        self.closed = True
        self._end_poll()
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(CLOSE_FRAME)
            self._transport.close()

    async def _upgrade_websocket(self, environ: dict[str, Any]) -> Handshake:
        """A WebSocket from the beginning, or in place of polling; it outlives the request."""
        handshake = Handshake(self.server.max_http_buffer_size)
        connection = await handshake.accept(environ["aiohttp.request"])
        if self.connected:
            self.upgrading = True
            connection.hand_to(Probe(self, connection))
        else:
            self.open(connection)
        return handshake

    def open(self, connection: WebSocketConnection) -> None:
        """Send packets to this WebSocket from now on, those that were kept first."""
        connection.hand_to(self)
        self.connected = self.upgraded = True
        self._transport = connection.transport
        kept, self._kept = self._kept, []
        for pkt in kept:
            self.put(pkt)

    async def take(self, data: str | bytes) -> bool:
        """Handle a packet from a WebSocket; returns whether the connection stays open."""
        has_waited = await self.server.large_messages.wait(self.address, len(data))
        if has_waited and self._transport.is_closing():
            return False
        try:
            await self.receive(Packet(encoded_packet=data))
        except UnknownPacketError:
            return True
        except (ValueError, SocketIsClosedError):
            return False
        return not self.closed

    async def leave(self) -> None:
        """Close without waiting for the client, and forget it."""
        await self.close(wait=False, abort=True, reason=self.server.reason.TRANSPORT_CLOSE)
        self.server.sockets.pop(self.sid, None)


class Probe:
    """The WebSocket of a client that polled so far, until the client has seen that it works."""

    def __init__(self, socket: EngineSocket, connection: WebSocketConnection) -> None:
        self._socket = socket
        self._connection = connection
        self._is_answered = False

    async def take(self, data: str | bytes) -> bool:
        """Handle a message of the new WebSocket; False for one that the handshake does not allow."""
        socket, transport = self._socket, self._connection.transport
        if self._is_answered:
            if data != str(UPGRADE) or socket.closed or socket.upgraded:
                return False
            socket.upgrading = False
            socket.open(self._connection)
            return True
        if data != f"{PING}probe" or transport is None:
            return False
        self._is_answered = True
        transport.write(framed(f"{PONG}probe"))
        socket.put(Packet(NOOP))
        return True

    async def leave(self) -> None:
        """The WebSocket was lost before the upgrade; polling continues."""
        self._socket.upgrading = False


class Engine(engineio.AsyncServer):  # type: ignore[misc]  # python-engineio has no types
    """The server of these sockets."""

    start_service_task: bool

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.large_messages = LargeMessages()
        self.openings = Openings()
        self._ending: set[asyncio.Task[None]] = set()

    def drop_slow_client(self, socket: EngineSocket) -> None:
        """End the connection of a client that reads too slowly, in the background; may be called from anywhere."""
        task = asyncio.create_task(socket.abort(self.reason.TRANSPORT_ERROR))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _handle_connect(self, environ: Any, transport: str, jsonp_index: int | None = None) -> Any:
        if self.start_service_task:
            self.start_service_task = False
            self.service_task_handle = self.start_background_task(self._service_task)
        address = shared_address(environ["aiohttp.request"])
        wait = self.openings.wait(
            address, (each.address for each in self.sockets.values() if not each.closed)
        )
        if wait > 0:
            return _too_many(wait)
        sid = self.generate_id()
        socket = self.sockets[sid] = EngineSocket(self, sid, address)
        opening = {
            "sid": sid,
            "upgrades": self._upgrades(sid, transport),
            "pingTimeout": int(self.ping_timeout * 1000),
            "pingInterval": int(self.ping_interval * 1000),
            "maxPayload": self.max_http_buffer_size,
        }
        socket.put(Packet(OPEN, opening))
        refused = await self._trigger_event("connect", sid, environ, run_async=False)
        if refused is not None and refused is not True:
            del self.sockets[sid]
            return self._unauthorized(refused or None)
        if transport != "websocket":
            socket.connected = True
            return self._ok(await socket.poll(), jsonp_index=jsonp_index)
        try:
            return await socket.handle_get_request(environ)
        except BaseException:
            # The upgrade failed, and no client will ever poll this socket.
            await socket.leave()
            raise

    async def _service_task(self) -> None:
        """Ping all sockets, and end those that do not answer."""
        self.service_task_event = asyncio.Event()
        while not self.service_task_event.is_set():
            now = time.monotonic()
            for socket in list(self.sockets.values()):
                if socket.closed:
                    self.sockets.pop(socket.sid, None)
                else:
                    await socket.tick(now)
            try:
                async with asyncio.timeout(TICK_S):
                    await self.service_task_event.wait()
            except TimeoutError:
                continue


class SocketIo(socketio.AsyncServer):  # type: ignore[misc]  # python-socketio has no types
    """The Socket.IO server on top of our engine."""

    def _engineio_server_class(self) -> type[Engine]:
        return Engine


def _too_many(wait: float) -> dict[str, Any]:
    """The answer to an address that opens too many sockets, as the library sends it."""
    seconds = math.ceil(wait)
    text = str(RATE_LIMITED(what="connections", seconds=seconds))
    headers = [("Content-Type", "application/json"), ("Retry-After", str(seconds))]
    return {"status": "429 TOO MANY REQUESTS", "headers": headers, "response": json.dumps(text).encode()}
