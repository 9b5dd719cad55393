"""Pointers, selections and viewports of the users on a map: shown to the others, never stored.

Changes are collected: a map sends at most one `gestures` event per `FLUSH_INTERVAL_S`, for any number of users."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any

FLUSH_INTERVAL_S = 0.1
MAX_PEOPLE_FOR_NEWCOMER = 100
"""Users whose gestures a client gets when it joins; those of others follow with their next move."""

Pointing = dict[str, Any]
"""As `server.protocol.Pointing`, with only those fields that are known, or that changed."""


class Gestures:
    """`send` is called with a map and the latest changes of this server's users on it."""

    def __init__(self, send: Callable[[str, list[Pointing]], None]) -> None:
        self._send = send
        self._now: dict[str, dict[str, Pointing]] = {}
        self._fresh: dict[str, dict[str, Pointing]] = {}

    def now(self, map_id: str) -> list[Pointing]:
        """The gestures of all users on the map that this server knows of."""
        return list(self._now.get(map_id, {}).values())[:MAX_PEOPLE_FOR_NEWCOMER]

    def point(self, map_id: str, person: str, change: dict[str, Any]) -> None:
        """A gesture of a user on this server."""
        self._merge(self._now, map_id, {**change, "person": person})
        if map_id not in self._fresh:
            asyncio.get_running_loop().call_later(FLUSH_INTERVAL_S, self._flush, map_id)
        self._merge(self._fresh, map_id, {**change, "person": person})

    def merge_remote(self, map_id: str, people: list[Pointing]) -> None:
        """Gestures of users on another server."""
        for pointing in people:
            self._merge(self._now, map_id, pointing)

    def keep(self, map_id: str, people: Collection[str]) -> None:
        """Forget the gestures of all other users on this map."""
        there = self._now.get(map_id)
        if there is None:
            return
        for person in there.keys() - set(people):
            del there[person]
        if not there:
            del self._now[map_id]

    def _merge(self, kept: dict[str, dict[str, Pointing]], map_id: str, change: Pointing) -> None:
        people = kept.setdefault(map_id, {})
        people[change["person"]] = {**people.get(change["person"], {}), **change}

    def _flush(self, map_id: str) -> None:
        fresh = self._fresh.pop(map_id, {})
        if fresh:
            self._send(map_id, list(fresh.values()))
