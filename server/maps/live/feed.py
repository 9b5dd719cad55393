"""Delivers new events of the maps that clients of this server follow, in order and without gaps.

The log passes on the events that this server committed. A NOTIFY only carries a map's newest seq; the events are then
read from the log, so a lost notification delays events and never loses one. One reader per map works at a time, under
the map's `gate`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import structlog

from server.maps.log.event_log import EventLog
from server.maps.log.events import Event

log = structlog.get_logger(__name__)

MAX_EVENTS_PER_READ = 500
RETRY_DELAY_S = 0.5
SETTLE_TIMEOUT_S = 1.0
MAX_FRESH_EVENTS = 2000
"""This server's events of one map that wait for delivery; further ones are read from the log later."""

Deliver = Callable[[Sequence[Event]], Awaitable[None]]


class Channel:
    """The delivery state of one map: `delivered` is the last seq sent (-1 before the first join), `wanted` the
    newest known one."""

    def __init__(self) -> None:
        self.delivered = -1
        self.wanted = -1
        self.joiners = 0
        self.gate = asyncio.Lock()
        self.task: asyncio.Task[None] | None = None
        self._fresh: dict[int, Event] = {}
        """Committed by this server and not delivered yet, by seq."""

    def hold(self, events: Sequence[Event]) -> None:
        """Keep events that are delivered when it is their turn; too many are read from the log instead."""
        if len(self._fresh) < MAX_FRESH_EVENTS:
            self._fresh |= {event.seq: event for event in events if event.seq > self.delivered}

    def next_fresh(self, limit: int) -> list[Event]:
        """The events right after the delivered ones, as far as this server committed them."""
        events: list[Event] = []
        while len(events) < limit and (event := self._fresh.get(self.delivered + 1 + len(events))):
            events.append(event)
        return events

    def reach(self, seq: int) -> None:
        """Everything up to `seq` is delivered."""
        self.delivered = seq
        if self._fresh:
            self._fresh = {number: event for number, event in self._fresh.items() if number > seq}


class Feed:
    """`deliver` receives the events of one map in order; `needed` returns whether a client of this server follows a
    map."""

    def __init__(self, event_log: EventLog, deliver: Deliver, needed: Callable[[str], bool]) -> None:
        self._log = event_log
        self._deliver = deliver
        self._needed = needed
        self._channels: dict[str, Channel] = {}
        event_log.listeners.append(self.committed)

    @asynccontextmanager
    async def joining(self, map_id: str) -> AsyncIterator[Callable[[int], Awaitable[None]]]:
        """Pause delivery of the map's events within this block.

        Read the map, call the yielded function with the seq that was read, then enter the room: the client receives
        exactly the events after that seq."""
        channel = self._channels.setdefault(map_id, Channel())
        channel.joiners += 1
        try:
            async with channel.gate:
                yield lambda seq: self._reach(channel, map_id, seq)
        finally:
            channel.joiners -= 1
            self.release(map_id)

    def release(self, map_id: str) -> None:
        """Forget the map if no client of this server follows it any more."""
        channel = self._channels.get(map_id)
        if channel is not None and not channel.joiners and not self._needed(map_id):
            del self._channels[map_id]

    async def close(self) -> None:
        """Deliver what is known to be new, then stop."""
        await asyncio.gather(*(self.settled(map_id) for map_id in list(self._channels)))

    async def settled(self, map_id: str) -> None:
        """Return once everything known to be new is delivered here, at the latest after `SETTLE_TIMEOUT_S`."""
        channel = self._channels.get(map_id)
        if channel is not None and channel.task is not None and not channel.task.done():
            await asyncio.wait({channel.task}, timeout=SETTLE_TIMEOUT_S)

    def committed(self, map_id: str, events: Sequence[Event]) -> None:
        """Deliver events that this server has written."""
        channel = self._channels.get(map_id)
        if channel is None:
            return
        if events:
            channel.hold(events)
            channel.wanted = max(channel.wanted, events[-1].seq)
        self._start(map_id, channel)

    def wake(self, map_id: str, seq: int) -> None:
        """The map has got to `seq`, at least."""
        channel = self._channels.get(map_id)
        if channel is not None and seq > channel.wanted:
            channel.wanted = seq
            if map_id not in self._log.committing:
                self._start(map_id, channel)

    def wake_all(self) -> None:
        """Check every map, because notifications may have been lost."""
        for map_id, channel in self._channels.items():
            channel.wanted = max(channel.wanted, channel.delivered + 1)
            self._start(map_id, channel)

    def _start(self, map_id: str, channel: Channel) -> None:
        if channel.wanted > channel.delivered and (channel.task is None or channel.task.done()):
            channel.task = asyncio.create_task(self._run(map_id, channel))

    async def _run(self, map_id: str, channel: Channel) -> None:
        warned = False
        while self._channels.get(map_id) is channel:
            try:
                async with channel.gate:
                    if channel.delivered >= 0:
                        await self._catch_up(map_id, channel)
                    return
            except Exception as error:
                if not warned:
                    log.warning("events could not be read; trying again", error=type(error).__name__)
                warned = True
                await asyncio.sleep(RETRY_DELAY_S)

    async def _reach(self, channel: Channel, map_id: str, seq: int) -> None:
        """Bring existing followers up to `seq` before the new client enters."""
        if channel.delivered < 0:
            channel.reach(seq)
            channel.wanted = max(channel.wanted, seq)
            self._start(map_id, channel)
        elif channel.delivered < seq:
            channel.wanted = max(channel.wanted, seq)
            await self._catch_up(map_id, channel, seq)

    async def _catch_up(self, map_id: str, channel: Channel, until: int | None = None) -> None:
        while channel.delivered < (channel.wanted if until is None else until):
            target = channel.wanted
            limit = (
                MAX_EVENTS_PER_READ if until is None else min(MAX_EVENTS_PER_READ, until - channel.delivered)
            )
            events = channel.next_fresh(limit) or await self._log.reader.read(
                map_id, channel.delivered, limit
            )
            if events:
                await self._deliver(events)
                channel.reach(events[-1].seq)
                channel.wanted = max(channel.wanted, channel.delivered)
            elif until is not None:
                return
            elif channel.wanted == target:
                channel.wanted = channel.delivered
