"""Lets clients join maps and gives each the map's content.

Joins of a map are batched: clients that arrive while a batch is being admitted wait for the next, and the map is read
once for a whole batch. A thousand simultaneous joins cost a few queries and one encoding of the snapshot."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from server.maps.encoded import Encoded, encode
from server.maps.live.feed import Feed
from server.maps.live.presence import Presence
from server.maps.log.event_log import EventLog
from server.maps.log.events import Event
from server.maps.log.snapshots import EncodedSnapshot
from server.protocol import Someone

MAX_EVENTS_PER_JOIN = 2000
MAX_BYTES_PER_JOIN = 1024 * 1024
"""Stored size of the events in one answer to `join`; its field `more` says that there are further ones."""

MAX_CONCURRENT_READS = 4
"""Maps read at the same time by one server: after a restart, clients join hundreds of maps at once."""

Admit = Callable[[], Awaitable[None]]
"""Subscribes the client's socket to live events."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The answer to `join`: a snapshot, or the events after the client's seq, or both if the client was ahead
    of the map."""

    seq: int
    snapshot: Encoded | None = None
    events: Encoded | None = None
    more: bool = False
    progress: Encoded | None = None


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A client that waits to join, the last seq it has, and the future for its answer."""

    person: Someone
    after_seq: int | None
    admit: Admit
    answer: asyncio.Future[Joined]


@dataclass(slots=True)
class JoinBatch:
    """Clients that join with one reading of a map."""

    newcomers: list[Newcomer] = field(default_factory=list)
    task: asyncio.Task[None] | None = None


class Joins:
    """Batches the joins of each map."""

    def __init__(self, log: EventLog, feed: Feed, presence: Presence) -> None:
        self._log = log
        self._feed = feed
        self._presence = presence
        self._next: dict[str, JoinBatch] = {}
        """By map, the batch that has not been read for yet."""
        self._readings = asyncio.Semaphore(MAX_CONCURRENT_READS)

    async def enter(self, map_id: str, person: Someone, after_seq: int | None, admit: Admit) -> Joined:
        """Join a map. The answer is read after this call.

        `admit` is called after the reading and before later events are sent, so the client misses none and
        receives none twice."""
        batch = self._next.get(map_id)
        if batch is None:
            batch = self._next[map_id] = JoinBatch()
            batch.task = asyncio.create_task(self._admit_batch(map_id, batch))
        answer: asyncio.Future[Joined] = asyncio.get_running_loop().create_future()
        batch.newcomers.append(Newcomer(person, after_seq, admit, answer))
        return await answer

    async def _admit_batch(self, map_id: str, batch: JoinBatch) -> None:
        try:
            async with self._readings, self._feed.joining(map_id) as reach:
                del self._next[map_id]
                reading = await self._read(map_id, batch.newcomers)
                await reach(reading.seq)
                for newcomer in batch.newcomers:
                    await self._admit_one(map_id, newcomer, reading)
        except Exception as error:
            if self._next.get(map_id) is batch:
                del self._next[map_id]
            for newcomer in batch.newcomers:
                if not newcomer.answer.done():
                    newcomer.answer.set_exception(error)

    async def _admit_one(self, map_id: str, newcomer: Newcomer, reading: JoinReading) -> None:
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

    async def _read(self, map_id: str, newcomers: Sequence[Newcomer]) -> JoinReading:
        """Everything that these clients need, as of one seq."""
        known = {newcomer.after_seq for newcomer in newcomers if newcomer.after_seq is not None}
        needs_snapshot = any(newcomer.after_seq is None for newcomer in newcomers)
        newest = -1 if needs_snapshot else await self._log.reader.seq(map_id)
        snapshot = None
        if needs_snapshot or max(known) > newest:
            snapshot = await self._log.snapshots.encoded(map_id)
            newest = snapshot.seq
        reading = JoinReading(newest, snapshot)
        window: Window | None = None
        for after_seq in sorted(seq for seq in known if seq < newest):
            if window is None or not window.covers(after_seq):
                events = await self._log.reader.read_window(
                    map_id, after_seq, MAX_EVENTS_PER_JOIN, MAX_BYTES_PER_JOIN
                )
                window = Window.of(events, newest)
            reading.add(after_seq, window)
        if known:
            progress = await self._log.snapshots.progress(map_id)
            reading.progress = encode([one.model_dump(mode="json") for one in progress])
        return reading


@dataclass(frozen=True, slots=True)
class Window:
    """Events of a map in their order, each encoded once, for all clients that miss some of them."""

    seqs: Sequence[int]
    texts: Sequence[str]
    is_whole: bool
    """Whether it reaches to the newest event."""

    @classmethod
    def of(cls, events: Sequence[Event], newest: int) -> Window:
        """The events up to `newest`, encoded once for all clients."""
        known = [event for event in events if event.seq <= newest]
        texts = [encode({"event": event.name, "data": event.wire()}).text for event in known]
        return cls([event.seq for event in known], texts, not events or events[-1].seq >= newest)

    def covers(self, after_seq: int) -> bool:
        """Whether it holds enough for a client that knows the map up to `after_seq`."""
        return self.is_whole or len(self.after(after_seq)[0]) > len(self.seqs) // 2

    def after(self, after_seq: int) -> tuple[Sequence[int], Sequence[str]]:
        """Numbers and texts of the events after `after_seq`."""
        start = bisect_right(self.seqs, after_seq)
        return self.seqs[start:], self.texts[start:]


@dataclass(slots=True)
class JoinReading:
    """The content of a map as of `seq`, for one batch."""

    seq: int
    snapshot: EncodedSnapshot | None
    progress: Encoded | None = None
    _missed: dict[int, Joined] = field(default_factory=dict)

    def add(self, after_seq: int, window: Window) -> None:
        """The events that a client with the map up to `after_seq` lacks."""
        seqs, texts = window.after(after_seq)
        more = not window.is_whole
        events = Encoded(f"[{','.join(texts)}]")
        self._missed[after_seq] = Joined(seqs[-1] if more else self.seq, events=events, more=more)

    def answer(self, after_seq: int | None) -> Joined:
        """The acknowledgement for a client that has the events up to `after_seq`; None if it has none."""
        if after_seq is None:
            assert self.snapshot is not None  # noqa: S101 - it was read for clients without a seq
            return Joined(self.seq, snapshot=self.snapshot.json)
        missed = self._missed.get(after_seq) or Joined(self.seq, events=Encoded("[]"))
        # A client that is ahead of the map (it was restored from a backup) gets a snapshot.
        snapshot = self.snapshot.json if self.snapshot is not None and after_seq > self.seq else None
        return Joined(missed.seq, snapshot, missed.events, missed.more, self.progress)
