"""The users on each map, on all servers, and the receipts of their browsers.

A browser counts as watching once it has sent `view`. Nothing is stored: after a restart all clients join again. The
relay sends other servers what they need."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

from cachetools import LRUCache

from server.protocol import Someone
from server.protocol.requests import DrawnFrom

MAX_NAMED_PEOPLE = 50
"""Per map and server, editors first; further users are only counted."""
MAX_RECEIPTS = 2000
RECEIPT_TIMEOUT_S = 4.0
"""Time that an answer waits for the first browser that has drawn its layer."""


PARTLY: dict[DrawnFrom, str] = {
    "all": "",
    "some": "; not all features are drawn at this zoom level",
    "sample": "; what is drawn at this zoom level comes from a sample of the rows",
}
"""What a receipt says where a browser does not draw each feature in view."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A browser's receipt for a version of a layer."""

    features: int
    error: str | None = None
    drawn_from: DrawnFrom = "all"

    def describe(self) -> str:
        """The receipt as a text for the model."""
        if self.error:
            return f"could not be drawn: {self.error}"
        return f"drawn: {self.features} features in view{PARTLY[self.drawn_from]}"


@dataclass(slots=True)
class Crowd:
    """The users on one map and one server."""

    people: dict[str, Someone] = field(default_factory=dict)
    watching: set[str] = field(default_factory=set)
    unnamed: int = 0
    """Number of further users that another server did not list."""
    unnamed_viewers: int = 0

    @property
    def count(self) -> int:
        """All users, including those who are not listed."""
        return len(self.people) + self.unnamed

    @property
    def viewers(self) -> int:
        """How many of them use a view link."""
        return sum(person.viewer for person in self.people.values()) + self.unnamed_viewers


class Presence:
    """`changed` is called with the map id whenever this server's users on it changed."""

    def __init__(self, changed: Callable[[str], None] | None = None) -> None:
        self._here: dict[str, Crowd] = {}
        self._elsewhere: dict[str, dict[str, Crowd]] = defaultdict(dict)
        self.changed = changed or (lambda map_id: None)

    def enter(self, map_id: str, person: Someone) -> None:
        """Add a user to the map, or change the user's name."""
        self._here.setdefault(map_id, Crowd()).people[person.id] = person
        self.changed(map_id)

    def leave(self, map_id: str, person: str) -> None:
        """Remove a user; without effect if they are not on the map."""
        crowd = self._here.get(map_id)
        if crowd is None:
            return
        crowd.people.pop(person, None)
        crowd.watching.discard(person)
        if not crowd.people:
            del self._here[map_id]
        self.changed(map_id)

    def watches(self, map_id: str, person: str) -> None:
        """Mark the user's browser as watching: it has sent its viewport."""
        crowd = self._here.get(map_id)
        if crowd is not None and person in crowd.people and person not in crowd.watching:
            crowd.watching.add(person)
            self.changed(map_id)

    def is_here(self, map_id: str) -> bool:
        """Whether a user of this server is on the map."""
        return map_id in self._here

    def maps_here(self) -> list[str]:
        """Maps with users on this server."""
        return list(self._here)

    def crowd(self, map_id: str) -> Crowd:
        """This server's users on the map, for the relay."""
        return self._here.get(map_id, Crowd())

    def people(self, map_id: str) -> list[Someone]:
        """The users on the map on all servers, by id; at most `MAX_NAMED_PEOPLE` per server."""
        known = [person for crowd in self._crowds(map_id) for person in crowd.people.values()]
        return sorted(select_named(known), key=lambda it: it.id)

    def count(self, map_id: str) -> int:
        """Number of users on the map, on all servers."""
        return sum(crowd.count for crowd in self._crowds(map_id))

    def viewers(self, map_id: str) -> int:
        """Number of users who may only view the map, on all servers."""
        return sum(crowd.viewers for crowd in self._crowds(map_id))

    def is_watched(self, map_id: str) -> bool:
        """Whether a browser on any server shows the map and can send receipts."""
        return any(crowd.watching for crowd in self._crowds(map_id))

    def set_remote(self, server_id: str, map_id: str, crowd: Crowd, *, more: bool = False) -> None:
        """Store another server's users on a map. With `more`, add them to those of the message before."""
        known = self._elsewhere.get(map_id, {}).get(server_id)
        if more and known is not None:
            crowd = replace(
                crowd, people=known.people | crowd.people, watching=known.watching | crowd.watching
            )
        if crowd.people:
            self._elsewhere[map_id][server_id] = crowd
        else:
            self._elsewhere.get(map_id, {}).pop(server_id, None)
            if not self._elsewhere.get(map_id):
                self._elsewhere.pop(map_id, None)

    def forget(self, alive: Iterable[str]) -> list[str]:
        """Drop the users of servers that are not alive; returns the maps they were on."""
        kept = set(alive)
        lost = [map_id for map_id, servers in self._elsewhere.items() if servers.keys() - kept]
        for map_id in lost:
            for server_id in self._elsewhere[map_id].keys() - kept:
                del self._elsewhere[map_id][server_id]
            if not self._elsewhere[map_id]:
                del self._elsewhere[map_id]
        return lost

    def _crowds(self, map_id: str) -> list[Crowd]:
        return [self.crowd(map_id), *self._elsewhere.get(map_id, {}).values()]


def select_named(people: Collection[Someone], watching: Collection[str] = ()) -> list[Someone]:
    """The users to list, at most `MAX_NAMED_PEOPLE`: those in `watching` first, then editors, then the earliest."""
    if len(people) <= MAX_NAMED_PEOPLE:
        return list(people)
    return sorted(people, key=lambda person: (person.id not in watching, person.viewer))[:MAX_NAMED_PEOPLE]


class Receipts:
    """The newest receipts. A receipt that arrives before `wait` is called is kept for it.

    Callers of `receive` have checked that the version was announced."""

    def __init__(self, wait: float | None = None) -> None:
        self._wait = RECEIPT_TIMEOUT_S if wait is None else wait
        self._newest: LRUCache[tuple[str, str, int], Shown] = LRUCache(MAX_RECEIPTS)
        self._waiting: dict[tuple[str, str, int], asyncio.Future[Shown]] = {}

    def receive(self, map_id: str, layer_id: str, version: int, shown: Shown) -> None:
        """Keep a receipt, and give it to the turn that waits for it."""
        key = (map_id, layer_id, version)
        self._newest[key] = shown
        waiting = self._waiting.get(key)
        if waiting is not None and not waiting.done():
            waiting.set_result(shown)

    async def wait(self, map_id: str, layer_id: str, version: int) -> Shown | None:
        """The first receipt of this version, or None after the timeout."""
        key = (map_id, layer_id, version)
        shown = self._newest.get(key)
        if shown is not None:
            return shown
        future = self._waiting.setdefault(key, asyncio.get_running_loop().create_future())
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._wait)
        except TimeoutError:
            return None
        finally:
            self._waiting.pop(key, None)
