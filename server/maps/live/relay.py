"""Messages between servers by NOTIFY: transient events, receipts, presence, cancellations. None is stored.

Nothing is sent while no other server is alive. A message of more than NOTIFY's 8000 bytes is split if its type allows
it (text of `ai_delta`, lists of users) and dropped otherwise: everything that must arrive is in the event log. Each
message carries a number, because PostgreSQL merges equal notifications of one transaction."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import Any

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from server.background import end_tasks
from server.maps.live.drafts import utf16_length
from server.maps.live.liveness import Liveness
from server.maps.log.tables import TRANSIENT_CHANNEL

log = structlog.get_logger(__name__)

MAX_NOTIFY_BYTES = 7900
PACKED_BYTES = 7500
MAX_QUEUED_MESSAGES = 10_000

Handler = Callable[[str, dict[str, Any]], None]
"""Called with the other server's id and the body of the message; registered per kind of message."""


class Relay:
    """Queues and sends this server's messages, and calls the handler of each kind of message that arrives."""

    def __init__(self, engine: AsyncEngine, liveness: Liveness) -> None:
        self._engine = engine
        self._liveness = liveness
        self._messages: asyncio.Queue[str] = asyncio.Queue(MAX_QUEUED_MESSAGES)
        self._task: asyncio.Task[None] | None = None
        self._handlers: dict[str, Handler] = {}
        self._numbers = itertools.count(1)

    def on(self, kind: str, receive: Handler) -> None:
        """Call `receive` with the sender and body of messages of this kind."""
        self._handlers[kind] = receive

    def start(self) -> None:
        """Begin to send."""
        self._task = asyncio.create_task(self._send())

    async def close(self) -> None:
        """Stop sending; messages that wait are dropped."""
        await end_tasks(self._task)

    def send(self, kind: str, body: dict[str, Any], *, always: bool = False) -> None:
        """Queue a message for the other servers, in order. With `always`, also when no other server is known."""
        if not (always or self._liveness.has_peers):
            return
        for part in split_message(kind, body):
            numbered = {**part, "number": next(self._numbers)}
            message = json.dumps([self._liveness.id, kind, numbered], separators=(",", ":"))
            if len(message) > MAX_NOTIFY_BYTES:
                log.warning("a message to other servers was too long", kind=kind, bytes=len(message))
            elif self._messages.full():
                log.warning("too many messages to other servers", kind=kind)
            else:
                self._messages.put_nowait(message)

    def receive(self, payload: str) -> None:
        """Handle a notification on the transient channel."""
        try:
            server_id, kind, body = json.loads(payload)
        except ValueError:
            log.warning("an unreadable message from another server")
            return
        if server_id == self._liveness.id:
            return
        handler = self._handlers.get(kind)
        if handler is not None:
            handler(server_id, body)

    async def _send(self) -> None:
        """Send all queued messages, up to 100 in one statement."""
        while True:
            messages = [await self._messages.get()]
            while not self._messages.empty() and len(messages) < 100:
                messages.append(self._messages.get_nowait())
            try:
                async with self._engine.begin() as connection:
                    await connection.execute(
                        text(
                            "SELECT pg_notify(:channel, message) FROM unnest(CAST(:messages AS text[])) AS message"
                        ),
                        {"channel": TRANSIENT_CHANNEL, "messages": messages},
                    )
            except Exception as error:
                log.warning(
                    "messages to other servers were lost", count=len(messages), error=type(error).__name__
                )


def split_message(kind: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The body in pieces that fit into a NOTIFY. Only text deltas and lists of users can be split."""
    if kind in ("presence", "gestures"):
        parts = pack(body["people"])
        return [{**body, "people": part, "more": index > 0} for index, part in enumerate(parts)]
    data = body.get("data")
    if kind != "emit" or not isinstance(data, dict) or not isinstance(data.get("text"), str):
        return [body]
    whole, offset = data["text"], data.get("offset", 0)
    return [
        {**body, "data": {**data, "text": whole[at : at + 600], "offset": offset + utf16_length(whole[:at])}}
        for at in range(0, len(whole), 600)
    ]


def pack(items: list[Any]) -> list[list[Any]]:
    """The items in lists of about `PACKED_BYTES` of JSON each; at least one list."""
    lists: list[list[Any]] = [[]]
    room = PACKED_BYTES
    for item in items:
        size = len(json.dumps(item))
        if lists[-1] and size > room:
            lists.append([])
            room = PACKED_BYTES
        lists[-1].append(item)
        room -= size
    return lists
