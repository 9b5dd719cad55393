"""Runs the calls of one reply: in parallel where tools allow it, otherwise one after the other in their order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from agents.core.messages import ToolResult

log = logging.getLogger("agents.core")
GRACE_SECONDS = 5.0
"""Time for cancelled tools to clean up."""


@dataclass(slots=True)
class Job:
    """One call within a batch.

    `alone`: nothing else runs at the same time. `suspends`: the job needs its own task. `begin` is awaited before
    the start is reported; a result that it returns replaces the result of the work."""

    alone: bool
    suspends: bool
    work: Callable[[], Coroutine[Any, Any, ToolResult]]
    begin: Callable[[], Coroutine[Any, Any, ToolResult | None]] | None = None


def _nothing(*_: Any) -> None:
    """For callers that need results but no events."""


class Batch:
    """The jobs of one reply: neighbours side by side, `alone` ones by themselves, in order.

    `results` holds what is done so far, by index, whatever happens. `started(index)` and `done(index, result)` make
    the events that `run` yields; `emit` puts others between them."""

    def __init__(
        self,
        jobs: Sequence[Job],
        started: Callable[[int], Any] = _nothing,
        done: Callable[[int, ToolResult], Any] = _nothing,
    ) -> None:
        self.jobs = jobs
        self._started_event, self._finished_event = started, done
        self.results: dict[int, ToolResult] = {}
        self._ready: deque[Callable[[], Any]] = deque()
        """Events are created when they are sent, because a created event counts as sent."""
        self._tasks: dict[asyncio.Task[ToolResult], int] = {}
        self._waiter: asyncio.Future[None] | None = None

    def emit(self, event: Any) -> None:
        """Put an event into the stream of `run`, after those that wait already."""
        self._ready.append(lambda: event)
        self._wake()

    async def run(self) -> AsyncGenerator[Any, None]:
        """The events of each job's start and end as they happen, and emitted ones between.

        Closing the iterator, or cancelling its task, cancels what runs and waits for it to clean up."""
        try:
            for segment in _segments(self.jobs):
                inline: list[int] = []
                for index in segment:
                    job = self.jobs[index]
                    refusal = None if job.begin is None else await job.begin()
                    # Report the start first and begin when the reader has taken it, so that the start precedes all
                    # other events of the call.
                    yield self._started_event(index)
                    if refusal is not None:
                        self.results[index] = refusal
                        self._ready.append(partial(self._finished_event, index, refusal))
                    elif job.suspends:
                        self._start(index)
                    else:
                        inline.append(index)
                for index in inline:
                    result = self.results[index] = await self.jobs[index].work()
                    yield self._finished_event(index, result)
                while self._tasks or self._ready:
                    while self._ready:
                        yield self._ready.popleft()()
                    if self._tasks:
                        self._waiter = asyncio.get_running_loop().create_future()
                        await self._waiter
        finally:
            if self._tasks:
                await self._stop()

    def _start(self, index: int) -> None:
        task = asyncio.get_running_loop().create_task(self.jobs[index].work())
        self._tasks[task] = index
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[ToolResult]) -> None:
        index = self._tasks.pop(task)
        if task.cancelled():
            pass
        elif task.exception() is not None:
            log.error("a call ended unexpectedly", exc_info=task.exception())
        else:
            result = self.results[index] = task.result()
            self._ready.append(partial(self._finished_event, index, result))
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _stop(self) -> None:
        left = list(self._tasks)
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=GRACE_SECONDS)


def _segments(jobs: Sequence[Job]) -> list[list[int]]:
    """Groups of neighbouring jobs that may run together; a job that must run alone forms its own group."""
    segments: list[list[int]] = []
    open_ended = False
    for index, job in enumerate(jobs):
        if open_ended and not job.alone:
            segments[-1].append(index)
        else:
            segments.append([index])
        open_ended = not job.alone
    return segments
