"""Passing words between servers by NOTIFY: transient events, receipts, presence, cancels. None is kept.

With no other server alive nothing is sent. A word that does not fit into NOTIFY's 8000 bytes is cut where
that is harmless (the text of `ai_delta`, lists of people) and dropped otherwise: everything that counts is in
the event log. Each carries a number, because PostgreSQL merges equal notifications of one transaction.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import Any

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from server.maps.live.drafts import utf16_length
from server.maps.live.liveness import Liveness
from server.maps.log.tables import TRANSIENT_CHANNEL

log = structlog.get_logger(__name__)

NOTIFY_BYTES = 7900
PACKED_BYTES = 7500
QUEUED_WORDS = 10_000

Heard = Callable[[str, dict[str, Any]], None]
"""Called with the other server's id and what it said; registered per kind of word."""


class Relay:
    def __init__(self, engine: AsyncEngine, liveness: Liveness) -> None:
        self._engine = engine
        self._liveness = liveness
        self._words: asyncio.Queue[str] = asyncio.Queue(QUEUED_WORDS)
        self._task: asyncio.Task[None] | None = None
        self._ears: dict[str, Heard] = {}
        self._numbers = itertools.count(1)

    def on(self, kind: str, heard: Heard) -> None:
        self._ears[kind] = heard

    def start(self) -> None:
        self._task = asyncio.create_task(self._send())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def say(self, kind: str, body: dict[str, Any], *, always: bool = False) -> None:
        """Tell the other servers, in order, soon. `always`: even when none is known to be there."""
        if not (always or self._liveness.has_peers):
            return
        for part in fitting(kind, body):
            numbered = {**part, "number": next(self._numbers)}
            word = json.dumps([self._liveness.id, kind, numbered], separators=(",", ":"))
            if len(word) > NOTIFY_BYTES:
                log.warning("a word to other servers was too long", kind=kind, bytes=len(word))
            elif self._words.full():
                log.warning("too many words to other servers", kind=kind)
            else:
                self._words.put_nowait(word)

    def heard(self, payload: str) -> None:
        """A notification on the transient channel."""
        try:
            server_id, kind, body = json.loads(payload)
        except ValueError:
            log.warning("an unreadable word from another server")
            return
        if server_id == self._liveness.id:
            return
        ear = self._ears.get(kind)
        if ear is not None:
            ear(server_id, body)

    async def _send(self) -> None:
        """Whatever has gathered goes out in one statement."""
        while True:
            words = [await self._words.get()]
            while not self._words.empty() and len(words) < 100:
                words.append(self._words.get_nowait())
            try:
                async with self._engine.begin() as connection:
                    await connection.execute(
                        text("SELECT pg_notify(:channel, word) FROM unnest(CAST(:words AS text[])) AS word"),
                        {"channel": TRANSIENT_CHANNEL, "words": words},
                    )
            except Exception as error:
                log.warning("words to other servers were lost", count=len(words), error=type(error).__name__)


def fitting(kind: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The body in pieces that NOTIFY can carry. Only deltas of text and lists of people can be cut."""
    if kind in ("presence", "gestures"):
        parts = packed(body["people"])
        return [{**body, "people": part, "more": index > 0} for index, part in enumerate(parts)]
    data = body.get("data")
    if kind != "emit" or not isinstance(data, dict) or not isinstance(data.get("text"), str):
        return [body]
    words, offset = data["text"], data.get("offset", 0)
    return [
        {**body, "data": {**data, "text": words[at : at + 600], "offset": offset + utf16_length(words[:at])}}
        for at in range(0, len(words), 600)
    ]


def packed(items: list[Any]) -> list[list[Any]]:
    """The items in lists that each take about `PACKED_BYTES` as JSON at most; at least one list."""
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
