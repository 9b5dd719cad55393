"""How many requests a second a server answers for one tile that is in its memory."""

from __future__ import annotations

import selectors
import socket
import time
from urllib.parse import urlsplit

CONNECTIONS = 16
SECONDS = 4.0
PIECE = 1 << 18


def rate(address: str) -> float:
    """Requests a second over connections that stay open, each with one request at a time."""
    parts = urlsplit(address)
    asked = (
        f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept-Encoding: gzip\r\n\r\n"
    ).encode()
    connections = [
        socket.create_connection((parts.hostname or "", parts.port or 80)) for _ in range(CONNECTIONS)
    ]
    try:
        size = max(_whole_answer(each, asked) for each in connections)
        return _answers(connections, asked, size) / SECONDS
    finally:
        for each in connections:
            each.close()


def _whole_answer(connection: socket.socket, asked: bytes) -> int:
    """Bytes of an answer with its head."""
    connection.sendall(asked)
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(PIECE)
    head, _, body = received.partition(b"\r\n\r\n")
    lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    missing = int(lines[b"content-length"]) - len(body)
    while missing > 0:
        missing -= len(connection.recv(missing))
    return len(head) + 4 + int(lines[b"content-length"])


def _answers(connections: list[socket.socket], asked: bytes, size: int) -> int:
    answers = 0
    received = dict.fromkeys(connections, 0)
    with selectors.DefaultSelector() as selector:
        for each in connections:
            selector.register(each, selectors.EVENT_READ, each)
            each.sendall(asked)
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            for key, _ in selector.select():
                connection: socket.socket = key.data
                received[connection] += len(connection.recv(PIECE))
                if received[connection] >= size:
                    received[connection] -= size
                    answers += 1
                    connection.sendall(asked)
    return answers
