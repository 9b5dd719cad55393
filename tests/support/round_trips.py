"""Counts what a program asks of PostgreSQL: one round trip for each message of its that PostgreSQL must answer.

The program connects through a `Cable` that reads along:

    async with counting(url) as counter, local_server(counter.url) as server:
        with counter.counted() as trips:
            ...
        assert len(trips) <= 6, trips
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from tests.support.cable import Cable, cable

STARTUP_ONLY = 8
"""Bytes of a request for encryption, which comes before the startup message and is as untyped."""
ANSWERED = {b"Q": "query", b"H": "prepare", b"S": "execute"}
"""Simple query, Flush and Sync: each waits for PostgreSQL's answer."""


@dataclass
class Conversation:
    """What one connection sent, as far as it was read."""

    buffer: bytes = b""
    is_open: bool = False
    statements: dict[str, str] = field(default_factory=dict)
    statement: str = ""


class Counter:
    def __init__(self, way: Cable) -> None:
        self.url = way.url
        self._trips: list[str] = []
        self._conversations: dict[int, Conversation] = {}
        way.overhear = self._overhear

    @contextmanager
    def counted(self) -> Iterator[list[str]]:
        """The round trips within the block, each with its statement; the list is filled when it ends."""
        trips: list[str] = []
        before = len(self._trips)
        yield trips
        trips += self._trips[before:]

    def _overhear(self, connection: int, data: bytes) -> None:
        here = self._conversations.setdefault(connection, Conversation())
        here.buffer += data
        while message := self._next(here):
            kind, body = message
            if kind == b"P":
                name, text, *_ = body.split(b"\0")
                here.statement = here.statements[name.decode()] = text.decode()
            elif kind == b"B":
                here.statement = here.statements.get(body.split(b"\0")[1].decode(), "?")
            elif kind in ANSWERED:
                text = body.rstrip(b"\0").decode() if kind == b"Q" else here.statement
                self._trips.append(f"{ANSWERED[kind]}: {' '.join(text.split())}")

    def _next(self, here: Conversation) -> tuple[bytes, bytes] | None:
        typed = 1 if here.is_open else 0
        if len(here.buffer) < typed + 4:
            return None
        end = typed + int.from_bytes(here.buffer[typed : typed + 4], "big")
        if len(here.buffer) < end:
            return None
        message, here.buffer = here.buffer[:end], here.buffer[end:]
        if not typed:
            here.is_open = end != STARTUP_ONLY
        return message[:typed], message[typed + 4 :]


@asynccontextmanager
async def counting(url: str) -> AsyncIterator[Counter]:
    async with cable(url) as way:
        yield Counter(way)
