"""Lets people onto maps, and tells each of them what the map is.

Whoever comes while others are being let in waits for the next round, and all of a round are let in upon one reading:
a thousand people who come at once cost a few queries, and one snapshot that was written as JSON once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from server.maps.encoded import Encoded, encode
from server.maps.live.feed import Feed
from server.maps.live.presence import Presence
from server.maps.log.event_log import EventLog
from server.maps.log.events import Event
from server.maps.log.snapshots import EncodedSnapshot
from server.protocol import Someone

PAGE = 2000
"""Events in one answer to `join`; there may be more."""

READINGS_AT_ONCE = 4
"""Of maps that somebody joins. After a restart people come to hundreds of maps at the same moment."""

Admit = Callable[[], Awaitable[None]]
"""Makes live events reach the newcomer."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What a newcomer is told: a snapshot, or the events after the seq that it knows, or both if it was ahead."""

    seq: int
    snapshot: Encoded | None = None
    events: Encoded | None = None
    more: bool = False
    progress: Encoded | None = None


@dataclass(frozen=True, slots=True)
class Newcomer:
    person: Someone
    after_seq: int | None
    admit: Admit
    answer: asyncio.Future[Joined]


@dataclass(slots=True)
class Round:
    """Those who are let in upon one reading of a map."""

    newcomers: list[Newcomer] = field(default_factory=list)
    task: asyncio.Task[None] | None = None


class Joins:
    def __init__(self, log: EventLog, feed: Feed, presence: Presence) -> None:
        self._log = log
        self._feed = feed
        self._presence = presence
        self._next: dict[str, Round] = {}
        """By map, the round that has not begun to read."""
        self._readings = asyncio.Semaphore(READINGS_AT_ONCE)

    async def enter(self, map_id: str, person: Someone, after_seq: int | None, admit: Admit) -> Joined:
        """Somebody joins. What is answered was read after this was called.

        `admit` is called after the reading and before anything later is sent, so there is neither gap nor repetition
        between the two.
        """
        coming = self._next.get(map_id)
        if coming is None:
            coming = self._next[map_id] = Round()
            coming.task = asyncio.create_task(self._let_in(map_id, coming))
        answer: asyncio.Future[Joined] = asyncio.get_running_loop().create_future()
        coming.newcomers.append(Newcomer(person, after_seq, admit, answer))
        return await answer

    async def _let_in(self, map_id: str, coming: Round) -> None:
        try:
            async with self._readings, self._feed.joining(map_id) as reach:
                del self._next[map_id]
                reading = await self._read(map_id, coming.newcomers)
                await reach(reading.seq)
                for newcomer in coming.newcomers:
                    await self._let_one_in(map_id, newcomer, reading)
        except Exception as error:
            if self._next.get(map_id) is coming:
                del self._next[map_id]
            for newcomer in coming.newcomers:
                if not newcomer.answer.done():
                    newcomer.answer.set_exception(error)

    async def _let_one_in(self, map_id: str, newcomer: Newcomer, reading: Reading) -> None:
        if newcomer.answer.done():
            return
        try:
            await newcomer.admit()
            if newcomer.answer.done():  # cancelled meanwhile
                return
            self._presence.enter(map_id, newcomer.person)
            newcomer.answer.set_result(reading.answer(newcomer.after_seq))
        except Exception as error:
            if not newcomer.answer.done():
                newcomer.answer.set_exception(error)

    async def _read(self, map_id: str, newcomers: Sequence[Newcomer]) -> Reading:
        """All that these newcomers need to know, as of one seq."""
        known = {newcomer.after_seq for newcomer in newcomers if newcomer.after_seq is not None}
        know_nothing = any(newcomer.after_seq is None for newcomer in newcomers)
        newest = -1 if know_nothing else await self._log.reader.seq(map_id)
        snapshot = None
        if know_nothing or max(known) > newest:
            snapshot = await self._log.snapshots.encoded(map_id)
            newest = snapshot.seq
        reading = Reading(newest, snapshot)
        for after_seq in known:
            if after_seq < newest:
                events = await self._log.reader.read(map_id, after_seq, PAGE + 1)
                reading.add(after_seq, [event for event in events if event.seq <= newest])
        if known:
            progress = await self._log.snapshots.progress(map_id)
            reading.progress = encode([one.model_dump(mode="json") for one in progress])
        return reading


@dataclass(slots=True)
class Reading:
    """A map as of `seq`, for everybody of a round."""

    seq: int
    snapshot: EncodedSnapshot | None
    progress: Encoded | None = None
    _missed: dict[int, Joined] = field(default_factory=dict)

    def add(self, after_seq: int, events: Sequence[Event]) -> None:
        """What somebody missed who knows the map up to `after_seq`."""
        page, more = events[:PAGE], len(events) > PAGE
        told = encode([{"event": event.name, "data": event.wire()} for event in page])
        self._missed[after_seq] = Joined(page[-1].seq if more else self.seq, events=told, more=more)

    def answer(self, after_seq: int | None) -> Joined:
        if after_seq is None:
            assert self.snapshot is not None  # noqa: S101 - it was read for whoever knows nothing
            return Joined(self.seq, snapshot=self.snapshot.json)
        missed = self._missed.get(after_seq) or Joined(self.seq, events=Encoded("[]"))
        # Whoever is ahead of the map (it was restored from a backup) starts anew.
        anew = self.snapshot.json if self.snapshot is not None and after_seq > self.seq else None
        return Joined(missed.seq, anew, missed.events, missed.more, self.progress)
