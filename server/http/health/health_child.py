"""Answers `/healthz` while the server is too busy to accept connections. A separate process, run by path with
the standard library only: it uses little memory and does not depend on the server's event loop.

It waits on the server's listening sockets. A connection that the server has not accepted after 20 ms is
accepted here: a request for `/healthz` is answered, and any other connection is passed to the server over a
Unix socket, unread. The process ends when that socket is closed, with the server.

Usage: health_child.py SERVER_SOCKET LISTENING_SOCKET..."""

from __future__ import annotations

import json
import selectors
import signal
import socket
import sys
import time
from collections import deque

ACCEPT_DELAY_S = 0.02
FIRST_BYTES_TIMEOUT_S = 1.0
"""Seconds without a byte after which a new connection is passed to the server."""
MIN_SILENCE_S = 0.05
"""Where all places are taken, a connection is closed that has been silent for this time. The first bytes of honest
clients have arrived by then, because their connections have waited for `ACCEPT_DELAY_S` already."""
STALL_TIMEOUT_S = 1.0
"""A server that has accepted no connection for this time cannot serve those who wait for it."""
HANG_TIMEOUT_S = 60.0
"""Seconds without a reaction after which a server is reported as not alive, so that it is restarted."""
RETRY_DELAY_S = 0.05
MAX_ACCEPTED_AT_ONCE = 100
MAX_HELD_CONNECTIONS = 500
"""Connections held here at once; further ones stay in the listening queue."""
REQUESTS = (b"GET /healthz ", b"GET /healthz?", b"HEAD /healthz ", b"HEAD /healthz?")
MAX_REQUEST_LINE_BYTES = max(map(len, REQUESTS))


class Child:
    """One loop over all sockets; times are of the monotonic clock, in seconds."""

    def __init__(self, server: socket.socket, listening: list[socket.socket]) -> None:
        self._server = server
        self._selector = selectors.DefaultSelector()
        self._accept_at: dict[socket.socket, float] = {}
        self._silent: dict[socket.socket, float] = {}
        """New connections, and the time until which their first bytes are awaited."""
        self._leaving: deque[socket.socket] = deque()
        self._unanswered: deque[float] = deque()
        """Times of the messages that the server has not taken yet."""
        server.setblocking(False)
        for each in (server, *listening):
            self._selector.register(each, selectors.EVENT_READ)

    def run(self) -> None:
        """Serve until the server closes its end of the line."""
        while True:
            for key, _events in self._selector.select(self._select_timeout()):
                ready = key.fileobj
                assert isinstance(ready, socket.socket)  # noqa: S101 - nothing else is registered
                if ready is self._server:
                    if not self._read_server():
                        return
                elif ready in self._silent:
                    self._first_bytes(ready)
                else:
                    self._selector.unregister(ready)
                    self._accept_at[ready] = time.monotonic() + ACCEPT_DELAY_S
            self._accept_due()
            self._hand_over_due()

    def _select_timeout(self) -> float | None:
        due = [*self._accept_at.values(), *self._silent.values()]
        if self._leaving:
            due.append(time.monotonic() + RETRY_DELAY_S)
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _read_server(self) -> bool:
        """Whether the server is still running; it sends a byte for each connection that it has taken."""
        try:
            taken = self._server.recv(4096)
        except BlockingIOError:
            return True
        except OSError:
            return False
        for _ in taken:
            if self._unanswered:
                self._unanswered.popleft()
        return bool(taken)

    def _accept_due(self) -> None:
        now = time.monotonic()
        for listening in [each for each, due in self._accept_at.items() if due <= now]:
            del self._accept_at[listening]
            for _ in range(MAX_ACCEPTED_AT_ONCE):
                if not self._has_room(now):
                    self._accept_at[listening] = now + RETRY_DELAY_S
                    break
                try:
                    connection, _address = listening.accept()
                except OSError:
                    break  # the server was faster, or the client has disconnected
                connection.setblocking(False)
                self._silent[connection] = now + FIRST_BYTES_TIMEOUT_S
                self._selector.register(connection, selectors.EVENT_READ)
            if listening not in self._accept_at:
                self._selector.register(listening, selectors.EVENT_READ)

    def _has_room(self, now: float) -> bool:
        """Whether one more connection may be held. Where all places are taken, the oldest silent one is closed, or
        the oldest that a stalled server does not take."""
        if len(self._silent) + len(self._leaving) < MAX_HELD_CONNECTIONS:
            return True
        oldest = next(iter(self._silent), None)
        if oldest is not None and now - (self._silent[oldest] - FIRST_BYTES_TIMEOUT_S) > MIN_SILENCE_S:
            self._forget(oldest)
            oldest.close()
            return True
        if self._leaving and self._unanswered and now - self._unanswered[0] > STALL_TIMEOUT_S:
            self._leaving.popleft().close()
            return True
        return False

    def _first_bytes(self, connection: socket.socket) -> None:
        self._forget(connection)
        try:
            begun = connection.recv(MAX_REQUEST_LINE_BYTES, socket.MSG_PEEK)
        except OSError:
            begun = b""
        if not begun.startswith(REQUESTS):
            self._leaving.append(connection)
            return
        self._send_to_server([])
        try:
            connection.recv(65536)
            connection.sendall(self._answer(begun.startswith(b"HEAD")))
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        connection.close()

    def _answer(self, head_only: bool) -> bytes:
        hung = bool(self._unanswered) and time.monotonic() - self._unanswered[0] > HANG_TIMEOUT_S
        body = json.dumps({"ok": False, "hung_s": HANG_TIMEOUT_S} if hung else {"ok": True}).encode()
        status = "503 Service Unavailable" if hung else "200 OK"
        lines = (
            f"HTTP/1.1 {status}",
            "Content-Type: application/json; charset=utf-8",
            "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff",
            f"Content-Length: {len(body)}",
            "Connection: close",
        )
        return "\r\n".join((*lines, "", "")).encode() + (b"" if head_only else body)

    def _hand_over_due(self) -> None:
        now = time.monotonic()
        for connection in [each for each, until in self._silent.items() if until <= now]:
            self._forget(connection)
            self._leaving.append(connection)
        while self._leaving and self._send_to_server([self._leaving[0].fileno()]):
            self._leaving.popleft().close()

    def _forget(self, connection: socket.socket) -> None:
        del self._silent[connection]
        self._selector.unregister(connection)

    def _send_to_server(self, descriptors: list[int]) -> bool:
        """Send a byte, with a connection or without; False while the socket is full."""
        try:
            socket.send_fds(self._server, [b"."], descriptors)
        except OSError:
            return False
        self._unanswered.append(time.monotonic())
        return True


def main(server: int, *listening: int) -> None:
    """Run until the server ends; all arguments are inherited file descriptors."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the server decides
    Child(socket.socket(fileno=server), [socket.socket(fileno=each) for each in listening]).run()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
