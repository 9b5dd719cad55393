"""Lanes: who uses the database connections of one kind of work next.

Work of one lane never waits for that of another: tiles not for analyses, chat not for uploads. Within a lane,
waiting visitors (network addresses) are served one after the other, and so are the parties (usually maps) of
each; a party and a visitor may each hold only a share of the lane. Waiting is bounded in number and in time; work
that cannot be served gets `LaneBusy`, which never means that the database is away. If too many wait, the newest
request of the visitor with the most requests is refused."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import TimeoutError as PoolTimeout

from agents.core.errors import ToolUnavailable

LANE_WAIT_S = 10.0
"""Maximum time to wait for a connection."""
MAX_WAITING_OF_PARTY = 40
MAX_WAITING = 400
MAX_WAITING_EVENTS = 1000
"""Limit for the event log, whose transactions take milliseconds: hundreds of maps may change at the same moment."""
BUSY_RETRY_AFTER_S = 3.0
_party: ContextVar[str] = ContextVar("party", default="")
_visitor: ContextVar[str] = ContextVar("visitor", default="")


class LaneBusy(ToolUnavailable, PoolTimeout):
    """All connections of a lane stayed in use for too long. The database itself may be available."""

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


def known_visitor() -> str:
    """The network address for which this task works; empty where it is the server's own work."""
    return _visitor.get()


@contextmanager
def working_for(party: str) -> Iterator[None]:
    """Count what happens in the block as work for a party."""
    token = _party.set(party)
    try:
        yield
    finally:
        _party.reset(token)


class Holder(NamedTuple):
    """The owner of a place in a lane."""

    party: str
    visitor: str


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A request that waits for a place; `admitted` is done when there is one, or fails when it was given to others."""

    number: int
    holder: Holder
    admitted: asyncio.Future[None]


class Lane:
    """`size` places. A party holds at most `share` of them, a visitor at most `visitor_share`; work of the server
    itself has no party and no share. At most `queue` requests wait, each for at most `wait` seconds,
    by default LANE_WAIT_S."""

    def __init__(
        self,
        name: str,
        size: int,
        share: int | None = None,
        wait: float | None = None,
        queue: int = MAX_WAITING,
        visitor_share: int | None = None,
    ) -> None:
        self.name = name
        self.size = size
        self.refused = 0
        self._share = size if share is None else share
        self._visitor_share = size if visitor_share is None else visitor_share
        self._wait = LANE_WAIT_S if wait is None else wait
        self._queue = queue
        self._came = 0
        self._held: Counter[str] = Counter()
        """By party."""
        self._held_of_visitor: Counter[str] = Counter()
        self._waiting: OrderedDict[str, OrderedDict[str, deque[Waiting]]] = OrderedDict()
        """By visitor and party, each in the order in which it is served next."""
        self._of_visitor: Counter[str] = Counter()
        self._of_party: Counter[str] = Counter()

    @property
    def in_use(self) -> int:
        """Connections in use."""
        return self._held.total()

    @property
    def waiting(self) -> int:
        """Callers that wait for a connection."""
        return self._of_visitor.total()

    def is_free_for(self, party: str | None = None) -> bool:
        """Whether a party, by default that of this task, would get a place at once."""
        return self._may_enter(_holder(party))

    @asynccontextmanager
    async def place(self, party: str | None = None) -> AsyncIterator[None]:
        """A place in the lane for a block, and for this party if it is not that of the task. Raises LaneBusy."""
        holder = await self.enter(party)
        try:
            yield
        finally:
            self.leave(holder)

    async def enter(self, party: str | None = None) -> Holder:
        """Wait for a place; returns whose it is, which `leave` needs. Raises LaneBusy."""
        holder = _holder(party)
        if self._may_enter(holder):
            self._take(holder)
            return holder
        self._came += 1
        admitted = asyncio.get_running_loop().create_future()
        mine = Waiting(self._came, holder, admitted)
        self._make_room(mine)
        self._add(mine)
        try:
            async with asyncio.timeout(self._wait):
                await mine.admitted
        except BaseException as error:
            if mine.admitted.done() and not mine.admitted.cancelled() and mine.admitted.exception() is None:
                self.leave(holder)
            else:
                self._remove(mine)
            if isinstance(error, TimeoutError):
                raise self._refusal() from None
            raise
        return holder

    def leave(self, holder: Holder) -> None:
        """Return a connection to the lane; the next waiting caller gets it."""
        for counter, name in ((self._held, holder.party), (self._held_of_visitor, holder.visitor)):
            counter[name] -= 1
            if not counter[name]:
                del counter[name]
        self._admit()

    def _take(self, holder: Holder) -> None:
        self._held[holder.party] += 1
        self._held_of_visitor[holder.visitor] += 1

    def _make_room(self, newcomer: Waiting) -> None:
        """Let the newcomer wait; of too many, the visitor with most of them loses one. Raises LaneBusy."""
        if self._of_party[newcomer.holder.party] >= MAX_WAITING_OF_PARTY:
            raise self._refusal()
        if self.waiting < self._queue:
            return
        known = ((count, name) for name, count in self._of_visitor.items() if name)
        most, greediest = max(known, default=(0, ""))
        if self._of_visitor[newcomer.holder.visitor] + 1 >= most:
            raise self._refusal()
        victim = max((queue[-1] for queue in self._waiting[greediest].values()), key=lambda each: each.number)
        self._remove(victim)
        if not victim.admitted.done():  # else its caller has already given up
            victim.admitted.set_exception(self._refusal())

    def _may_enter(self, holder: Holder) -> bool:
        if self.in_use >= self.size:
            return False
        has_share = self._held[holder.party] < self._share
        return not holder.party or (has_share and self._held_of_visitor[holder.visitor] < self._visitor_share)

    def _admit(self) -> None:
        """Give free places to those who wait."""
        while self.in_use < self.size:
            chosen = self._next()
            if chosen is None:
                return
            self._remove(chosen)
            if not chosen.admitted.done():
                self._take(chosen.holder)
                chosen.admitted.set_result(None)

    def _next(self) -> Waiting | None:
        """The request to serve next: one visitor after the other, and of a visitor one party after the other."""
        for visitor, parties in self._waiting.items():
            # Hundreds of maps of a visitor that has its share may wait; only the server's own work has no share.
            is_full = self._held_of_visitor[visitor] >= self._visitor_share
            for party in (each for each in ("",) if each in parties) if is_full else parties:
                if self._may_enter(Holder(party, visitor)):
                    self._waiting.move_to_end(visitor)
                    parties.move_to_end(party)
                    return parties[party][0]
        return None

    def _add(self, waiting: Waiting) -> None:
        party, visitor = waiting.holder
        parties = self._waiting.setdefault(visitor, OrderedDict())
        parties.setdefault(party, deque()).append(waiting)
        self._of_visitor[visitor] += 1
        self._of_party[party] += 1

    def _remove(self, waiting: Waiting) -> None:
        party, visitor = waiting.holder
        parties = self._waiting.get(visitor, OrderedDict())
        queue = parties.get(party)
        if queue is None or waiting not in queue:
            return
        queue.remove(waiting)
        if not queue:
            del parties[party]
        if not parties:
            del self._waiting[visitor]
        for counter, name in ((self._of_visitor, visitor), (self._of_party, party)):
            counter[name] -= 1
            if not counter[name]:
                del counter[name]

    def _refusal(self) -> LaneBusy:
        self.refused += 1
        return LaneBusy(self.name)


def _holder(party: str | None) -> Holder:
    """The owner of a place that this task asks for, for another party if one is given."""
    party = _party.get() if party is None else party
    return Holder(party, _visitor.get() or party)


class QueueState(Protocol):
    """What `/metrics` reads of a lane, or of a queue of another kind."""

    @property
    def name(self) -> str:
        """Value of the label `lane` in metrics."""

    @property
    def size(self) -> int:
        """Places."""

    @property
    def in_use(self) -> int:
        """Places that are taken."""

    @property
    def waiting(self) -> int:
        """Requests that wait for a place."""

    @property
    def refused(self) -> int:
        """Requests that were answered `busy`, since the start."""


class LaneMetrics(Collector):
    """The part of `/metrics` about lanes. Register it with the registry of a server."""

    def __init__(self, lanes: Iterable[QueueState]) -> None:
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
