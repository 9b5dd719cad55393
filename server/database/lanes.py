"""Lanes: who uses the database connections of one kind of work next.

Work of one lane never waits for that of another: tiles not for analyses, chat not for uploads. Within a lane,
parties (usually maps) that wait are served in turns, and one party may hold only a share of the lane. Waiting is
bounded in number and in time; work that cannot be served gets `LaneBusy`, which never means that the database is away.
Where too many wait, the newest request of the visitor (a network address) with the most of them gives way.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import TimeoutError as PoolTimeout

from agents.core.errors import ToolFailed

LANE_WAIT_S = 10.0
"""How long somebody may wait for a connection."""
MAX_WAITING_OF_PARTY = 40
MAX_WAITING = 400
BUSY_RETRY_AFTER_S = 3.0
_party: ContextVar[str] = ContextVar("party", default="")
_visitor: ContextVar[str] = ContextVar("visitor", default="")


class LaneBusy(ToolFailed, PoolTimeout):
    """All connections of a lane are in use, and no turn came in time. The database itself may be well."""

    code = "busy"

    def __init__(self, lane: str) -> None:
        super().__init__(
            "The server is busy: more work is waiting for the database than it can take at once. "
            f"Try again in {BUSY_RETRY_AFTER_S:g} seconds."
        )
        self.lane = lane
        self.retry_after = BUSY_RETRY_AFTER_S

    def __str__(self) -> str:
        return self.message


def work_for(party: str, visitor: str | None = None) -> None:
    """Count what this task does from now on as work for a party: a map's id, or an address. `visitor` is the network
    address that asks for it, which may have many maps."""
    _party.set(party)
    if visitor is not None:
        _visitor.set(visitor)


def visitor() -> str:
    """The network address for which this task works, or its party where that is not known."""
    return _visitor.get() or _party.get()


@contextmanager
def working_for(party: str) -> Iterator[None]:
    """Count what happens in the block as work for a party."""
    token = _party.set(party)
    try:
        yield
    finally:
        _party.reset(token)


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """Who waits for a place; `turn` is done when there is one, or fails when it was given to others."""

    number: int
    party: str
    visitor: str
    turn: asyncio.Future[None]


class Lane:
    """`size` places. A party holds at most `share` of them; work of the server itself has no party and no share."""

    def __init__(self, name: str, size: int, share: int | None = None, wait: float = LANE_WAIT_S) -> None:
        self.name = name
        self.size = size
        self.refused = 0
        self._share = size if share is None else share
        self._wait = wait
        self._came = 0
        self._held: Counter[str] = Counter()
        self._queues: OrderedDict[str, deque[Waiting]] = OrderedDict()

    @property
    def in_use(self) -> int:
        return self._held.total()

    @property
    def waiting(self) -> int:
        return sum(map(len, self._queues.values()))

    def is_free_for(self, party: str | None = None) -> bool:
        """Whether a party, by default that of this task, would get a place at once."""
        return self._may_enter(_party.get() if party is None else party)

    @asynccontextmanager
    async def place(self, party: str | None = None) -> AsyncIterator[None]:
        """A place in the lane for a block, and for this party if it is not that of the task. Raises LaneBusy."""
        party = await self.enter(party)
        try:
            yield
        finally:
            self.leave(party)

    async def enter(self, party: str | None = None) -> str:
        """Wait for a place; returns the party, which `leave` needs. Raises LaneBusy."""
        party = _party.get() if party is None else party
        if self._may_enter(party):
            self._held[party] += 1
            return party
        self._came += 1
        turn = asyncio.get_running_loop().create_future()
        mine = Waiting(self._came, party, _visitor.get() or party, turn)
        self._make_room(mine)
        self._queues.setdefault(party, deque()).append(mine)
        try:
            async with asyncio.timeout(self._wait):
                await mine.turn
        except BaseException as error:
            if mine.turn.done() and not mine.turn.cancelled() and mine.turn.exception() is None:
                self.leave(party)
            else:
                self._forget(mine)
            if isinstance(error, TimeoutError):
                raise self._refusal() from None
            raise
        return party

    def _make_room(self, newcomer: Waiting) -> None:
        """Let the newcomer wait; of too many, the visitor with most of them loses one. Raises LaneBusy."""
        if len(self._queues.get(newcomer.party, ())) >= MAX_WAITING_OF_PARTY:
            raise self._refusal()
        if self.waiting < MAX_WAITING:
            return
        waiting = [each for queue in self._queues.values() for each in queue]
        often = Counter(each.visitor for each in waiting if each.visitor)
        greediest, most = max(often.items(), key=lambda item: item[1], default=("", 0))
        if often[newcomer.visitor] + 1 >= most:
            raise self._refusal()
        victim = max((each for each in waiting if each.visitor == greediest), key=lambda each: each.number)
        self._forget(victim)
        victim.turn.set_exception(self._refusal())

    def leave(self, party: str) -> None:
        self._held[party] -= 1
        if not self._held[party]:
            del self._held[party]
        self._admit()

    def _may_enter(self, party: str) -> bool:
        return self.in_use < self.size and (not party or self._held[party] < self._share)

    def _admit(self) -> None:
        """Give free places to those who wait, one party after the other."""
        for party in list(self._queues):
            while self._queues.get(party) and self._may_enter(party):
                turn = self._queues[party].popleft().turn
                if not turn.done():
                    self._held[party] += 1
                    turn.set_result(None)
                    self._queues.move_to_end(party)
                    break
            if not self._queues[party]:
                del self._queues[party]

    def _forget(self, waiting: Waiting) -> None:
        queue = self._queues.get(waiting.party)
        if queue is not None and waiting in queue:
            queue.remove(waiting)
            if not queue:
                del self._queues[waiting.party]

    def _refusal(self) -> LaneBusy:
        self.refused += 1
        return LaneBusy(self.name)


class Occupied(Protocol):
    """A lane, or what orders its work otherwise."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def in_use(self) -> int: ...
    @property
    def waiting(self) -> int: ...
    @property
    def refused(self) -> int: ...


class LaneMetrics(Collector):
    """What `/metrics` tells of lanes. Register it with the registry of a server."""

    def __init__(self, lanes: Iterable[Occupied]) -> None:
        self._lanes = tuple(lanes)

    def collect(self) -> Iterator[Metric]:
        size, in_use, waiting = (
            GaugeMetricFamily(f"geoagent_lane_{name}", meaning, labels=["lane"])
            for name, meaning in _GAUGES.items()
        )
        refused = CounterMetricFamily("geoagent_lane_refused", "Requests answered `busy`.", labels=["lane"])
        for lane in self._lanes:
            size.add_metric([lane.name], lane.size)
            in_use.add_metric([lane.name], lane.in_use)
            waiting.add_metric([lane.name], lane.waiting)
            refused.add_metric([lane.name], lane.refused)
        yield from (size, in_use, waiting, refused)


_GAUGES = {
    "size": "Database connections that a kind of work may use at once.",
    "in_use": "Database connections in use.",
    "waiting": "Work that waits for a database connection.",
}
