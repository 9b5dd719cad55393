"""A WebSocket after its handshake: an asyncio protocol that replaces aiohttp's on the transport.

aiohttp keeps the request, its parser and a task with the frames of all middleware for as long as a WebSocket
lives, which is most of the memory that a socket takes. Here the request ends with the handshake, aiohttp's reader
continues by parsing the frames, and a task exists only while messages are handled."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

import structlog
from aiohttp import WebSocketError, WSCloseCode, WSMsgType
from aiohttp.base_protocol import BaseProtocol
from aiohttp.web import Request, WebSocketResponse

log = structlog.get_logger(__name__)

FINAL = 0x80
TEXT, BINARY, CLOSE, PONG = (
    FINAL | kind for kind in (WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.CLOSE, WSMsgType.PONG)
)


class Owner(Protocol):
    """The owner of a WebSocket."""

    async def take(self, data: str | bytes) -> bool:
        """Handle a message; returns whether the connection stays open."""

    async def leave(self) -> None:
        """The connection has ended, or ends now. Called once."""


class Handshake(WebSocketResponse):
    """Answers an upgrade request and passes the connection on.

    Compression is off: it takes 300 KB for each socket, and each socket would compress the same events again."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_msg_size=max_bytes, compress=False)

    async def accept(self, request: Request) -> WebSocketConnection:
        """The connection, which keeps its messages until `hand_to` names an owner. Raises HTTPBadRequest."""
        await self.prepare(request)
        handler = request.protocol
        transport = handler.transport
        if transport is None:
            raise ConnectionResetError("the client left during the handshake")
        connection = WebSocketConnection(asyncio.get_running_loop(), self._reader, self._parser)
        transport.set_protocol(connection)
        connection.connection_made(transport)
        # For aiohttp the connection ends here; its transport is no longer the handler's to close.
        handler.transport = None
        handler._payload_parser = None
        handler.connection_lost(None)
        return connection

    async def write_eof(self, data: bytes = b"") -> None:
        """Nothing: the connection outlives the request."""


class WebSocketConnection(BaseProtocol):
    """Passes the messages of one client to its owner, one after the other."""

    __slots__ = ("_frames", "_messages", "_owner", "_work")

    def __init__(self, loop: asyncio.AbstractEventLoop, messages: Any, frames: Any) -> None:
        super().__init__(loop)
        # Flow control only pauses the transport; the parser is for HTTP.
        self._upgraded = True
        self._messages = messages
        self._frames = frames
        self._work: asyncio.Task[None] | None = None
        self._owner: Owner | None = None
        messages._protocol = self

    def hand_to(self, owner: Owner) -> None:
        """Hand messages to this owner from now on, those that have come already first."""
        self._owner = owner
        if self._messages._buffer or self._messages.is_eof():
            self._go_on()

    def data_received(self, data: bytes) -> None:
        self._frames.feed_data(data)
        self._go_on()

    def connection_lost(self, exc: BaseException | None) -> None:
        super().connection_lost(exc)
        self._messages.feed_eof()
        self._go_on()

    def _go_on(self) -> None:
        if self._work is None and self._owner is not None:
            self._work = self._loop.create_task(self._handle())

    async def _handle(self) -> None:
        """All messages that are there, and the end of the connection if it has come."""
        try:
            while self._messages._buffer:
                if not await self._is_open_after(await self._messages.read()):
                    return await self._end()
            if self._messages.is_eof():
                await self._end()
        except Exception as error:
            log.error("a message of a socket could not be handled", error=repr(error), exc_info=True)
            await self._end()
        finally:
            self._work = None

    async def _is_open_after(self, message: Any) -> bool:
        if message.type is WSMsgType.PING:
            self._write(framed(message.data, PONG))
        elif message.type is WSMsgType.CLOSE:
            self._write(framed(WSCloseCode.OK.to_bytes(2, "big"), CLOSE))
            return False
        elif message.type in (WSMsgType.TEXT, WSMsgType.BINARY) and self._owner is not None:
            return await self._owner.take(message.data)
        return True

    async def _end(self) -> None:
        owner, self._owner = self._owner, None
        fault = self._messages.exception()
        if isinstance(fault, WebSocketError):
            self._write(framed(int(fault.code).to_bytes(2, "big"), CLOSE))
        try:
            if owner is not None:
                await owner.leave()
        finally:
            if self.transport is not None:
                self.transport.close()

    def _write(self, frame: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(frame)


def framed(message: str | bytes, kind: int | None = None) -> bytes:
    """A message as one WebSocket frame of a server (RFC 6455, section 5.2)."""
    body = message.encode() if isinstance(message, str) else message
    head = kind or (TEXT if isinstance(message, str) else BINARY)
    size = len(body)
    if size < 126:
        return bytes((head, size)) + body
    if size < 65536:
        return bytes((head, 126)) + size.to_bytes(2, "big") + body
    return bytes((head, 127)) + size.to_bytes(8, "big") + body
