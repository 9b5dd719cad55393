"""What people point at: pointers, selections and the part of the map they see. Shown to the others, never kept.

Changes are gathered: a map has one `gestures` in `PAUSE` seconds at most, however many people move on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any

PAUSE = 0.1
PEOPLE_TOLD = 100
"""Of whom a newcomer is told at once; of others with their next move."""

Pointing = dict[str, Any]
"""As `server.protocol.Pointing`, with only those fields that are known, or that changed."""


class Gestures:
    """`tell` is called with a map and what its people on this server have just changed."""

    def __init__(self, tell: Callable[[str, list[Pointing]], None]) -> None:
        self._tell = tell
        self._now: dict[str, dict[str, Pointing]] = {}
        self._fresh: dict[str, dict[str, Pointing]] = {}

    def now(self, map_id: str) -> list[Pointing]:
        """What everybody points at, as far as it is known here."""
        return list(self._now.get(map_id, {}).values())[:PEOPLE_TOLD]

    def point(self, map_id: str, person: str, change: dict[str, Any]) -> None:
        """Somebody on this server moved."""
        self._merge(self._now, map_id, {**change, "person": person})
        if map_id not in self._fresh:
            asyncio.get_running_loop().call_later(PAUSE, self._flush, map_id)
        self._merge(self._fresh, map_id, {**change, "person": person})

    def heard(self, map_id: str, people: list[Pointing]) -> None:
        """People on another server moved."""
        for pointing in people:
            self._merge(self._now, map_id, pointing)

    def keep(self, map_id: str, people: Collection[str]) -> None:
        """Forget everybody else on this map."""
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
            self._tell(map_id, list(fresh.values()))
