"""Bounds the answers that wait in memory for clients that do not read them: in bytes of an address, and in time."""

from __future__ import annotations

import asyncio
from typing import Any

import structlog
from aiohttp import web

from server.http.middleware.slow_clients import MIN_BYTES_PER_S, SEND_TIMEOUT_S

log = structlog.get_logger(__name__)

MAX_UNREAD_BYTES = 64 * 1024 * 1024
"""Limit for all answers of one address. The largest answers, files for download, are sent in small pieces."""


class UnreadAnswers:
    """The connections whose clients have answers to take that the system does not buffer, by network address."""

    def __init__(self) -> None:
        self._waiting: dict[BoundedConnection, str] = {}
        """With their addresses; the one that has waited longest is first."""

    def bytes_of(self, address: str) -> int:
        """Bytes that wait for the clients of a network address."""
        return sum(each.unread for each, known in self._waiting.items() if known == address)

    def add(self, connection: BoundedConnection) -> None:
        """The client is behind. Where too much waits for its address, the connections that have waited longest end, but
        not this one: a single answer may be larger than the limit."""
        address = self._waiting[connection] = connection.client
        excess = self.bytes_of(address) - MAX_UNREAD_BYTES
        if excess <= 0:
            return
        log.info("a client leaves too much unread; its oldest connections are closed", address=address)
        for each in [each for each, known in self._waiting.items() if known == address]:
            if excess <= 0 or each is connection:
                break
            excess -= each.unread
            each.abort()

    def remove(self, connection: BoundedConnection) -> None:
        """Forget a connection that caught up or closed; unknown ones are ignored."""
        self._waiting.pop(connection, None)


class BoundedConnection(web.RequestHandler):
    """aiohttp's connection, which ends when its client does not take what was written."""

    __slots__ = ("_is_behind", "_left", "_timer", "_unread", "client")

    def __init__(self, server: web.Server, unread: UnreadAnswers, **settings: Any) -> None:
        super().__init__(server, **settings)
        self.client = ""
        """The network address that sent the latest request, as limits count it."""
        self._unread = unread
        self._is_behind = False
        self._left = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def unread(self) -> int:
        """Bytes that wait for the client."""
        return 0 if self.transport is None else self.transport.get_write_buffer_size()

    def pause_writing(self) -> None:
        """The write buffer is full: count it, and close unless the client takes some of it."""
        super().pause_writing()
        self._is_behind = True
        self._await_progress()
        self._unread.add(self)

    def resume_writing(self) -> None:
        """The client has taken what was buffered."""
        super().resume_writing()
        self._caught_up()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Closed by either side."""
        self._caught_up()
        super().connection_lost(exc)

    def abort(self) -> None:
        """End the connection at once, and drop what waits."""
        if self.transport is not None:
            self.transport.abort()
        self._caught_up()

    def _caught_up(self) -> None:
        if self._is_behind:
            self._is_behind = False
            self._unread.remove(self)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _await_progress(self) -> None:
        self._left = self.unread
        self._timer = self._loop.call_later(SEND_TIMEOUT_S, self._check)

    def _check(self) -> None:
        self._timer = None
        if self._left - self.unread < MIN_BYTES_PER_S * SEND_TIMEOUT_S:
            self.abort()
        else:
            self._await_progress()
