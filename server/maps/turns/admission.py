"""Decides which waiting turn starts next and whether another may be queued. Pure rules: no database, clock or sockets.

Scheduling is round robin over maps and over client addresses: an address with many maps gets no more starts than one
with a single map while both have turns waiting. The turns of a map start in the order in which they were sent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.worded import Template, formatted
from server.maps.faults import RequestFault

WAITING = Template("map_waiting", "{n} messages are waiting on this map already.")
WAITING_ADDRESS = Template(
    "map_waiting_address", "{n} messages from your network address are waiting already."
)
SERVER_BUSY = Template("map_server_busy", "The server is busy: {n} messages are waiting on all maps.")
BUSY_BECAUSE = Template("map_busy_because", "{why} Try again in {seconds} seconds.")

RETRY_AFTER_S = 5.0
"""Retry delay that refused clients are given: a few turns have ended by then."""


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn that has not ended, with what its place in the queue depends on."""

    id: str
    map_id: str
    address: str | None
    status: str
    server_id: str | None
    position: int
    model: str | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """How many turns may wait, and how many of one address run at once on a server."""

    waiting_per_map: int = 20
    waiting_per_address: int = 40
    waiting: int = 400
    running_per_address: int = 12

    def admit(self, turns: Sequence[OpenTurn], map_id: str, address: str | None) -> OpenTurn | None:
        """Raise RequestFault `busy` if one more turn of this map and address may not wait.

        Returns the turn that must give way to it if all queued turns together exceed the limit: the newest of the
        address that has the most.

        Beyond its limit an address may still have one turn waiting on each further map, up to half of the server's
        limit, so that others who share the address with a heavy user are not locked out."""
        queued = [turn for turn in turns if turn.status == "queued"]
        on_map = sum(turn.map_id == map_id for turn in queued)
        if on_map >= self.waiting_per_map:
            raise busy(WAITING(n=on_map))
        of_address = 0 if address is None else sum(turn.address == address for turn in queued)
        is_quiet = on_map == 0 and of_address < self.waiting // 2
        if of_address >= self.waiting_per_address and not is_quiet:
            raise busy(WAITING_ADDRESS(n=of_address))
        if len(queued) < self.waiting:
            return None
        often = Counter(turn.address for turn in queued if turn.address is not None)
        greediest, most = max(often.items(), key=lambda item: item[1], default=(None, 0))
        if of_address + 1 >= most:
            raise busy(SERVER_BUSY(n=len(queued)))
        return max((turn for turn in queued if turn.address == greediest), key=lambda turn: turn.position)


def busy(why: str) -> RequestFault:
    """RequestFault `busy` with this reason and the time after which to try again."""
    return RequestFault("busy", BUSY_BECAUSE(why=why, seconds=formatted(RETRY_AFTER_S, ".0f")), RETRY_AFTER_S)


class Rotation:
    """The order in which waiting turns start on one server."""

    def __init__(self, server_id: str) -> None:
        self._server_id = server_id
        self._count = 0
        self._served: dict[str, int] = {}
        """Number of the last start by map and by address, for those with open turns."""

    def started(self, turn: OpenTurn) -> None:
        """Record that the turn starts: its map and address are served last from now on."""
        self._count += 1
        self._served[turn.map_id] = self._count
        if turn.address is not None:
            self._served[turn.address] = self._count

    def order(self, turns: Sequence[OpenTurn]) -> list[OpenTurn]:
        """The queued turns, first to start first."""
        self._forget(turns)
        queued = sorted((turn for turn in turns if turn.status == "queued"), key=lambda it: it.position)
        of_map: dict[str, list[OpenTurn]] = defaultdict(list)
        rounds: dict[str, int] = {}
        held = {turn.map_id for turn in turns if turn.status != "queued"}
        for turn in queued:
            rounds[turn.id] = len(of_map[turn.map_id]) + (turn.map_id in held)
            of_map[turn.map_id].append(turn)
        by_map = sorted(queued, key=lambda it: (rounds[it.id], self._last(it.map_id), it.position))
        before = self.running(turns)
        places: dict[str, tuple[int, int, int]] = {}
        for turn in by_map:
            places[turn.id] = (before[turn.address], self._last(turn.address), turn.position)
            before[turn.address] += 1
        # Several users may write on a map; its turns take its slots in the order in which they were sent.
        slots = sorted(by_map, key=lambda it: places[it.id])
        return [of_map[slot.map_id].pop(0) for slot in slots]

    def running(self, turns: Sequence[OpenTurn]) -> Counter[str | None]:
        """How many turns of each address run on this server."""
        here = (turn for turn in turns if turn.status == "running" and turn.server_id == self._server_id)
        return Counter(turn.address for turn in here)

    def startable(self, turns: Sequence[OpenTurn], free: int, per_address: int) -> list[OpenTurn]:
        """The turns to start now, at most `free`: one per map, and `per_address` per address."""
        held = {turn.map_id for turn in turns if turn.status != "queued"}
        running = self.running(turns)
        chosen: list[OpenTurn] = []
        for turn in self.order(turns):
            if len(chosen) >= free:
                break
            is_next_of_map = turn.map_id not in held
            held.add(turn.map_id)
            is_full = turn.address is not None and running[turn.address] >= per_address
            if is_full or not is_next_of_map:
                continue
            running[turn.address] += 1
            chosen.append(turn)
        return chosen

    def _last(self, name: str | None) -> int:
        return 0 if name is None else self._served.get(name, 0)

    def _forget(self, turns: Sequence[OpenTurn]) -> None:
        there = {name for turn in turns for name in (turn.map_id, turn.address)}
        self._served = {name: count for name, count in self._served.items() if name in there}
