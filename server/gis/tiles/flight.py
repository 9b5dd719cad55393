"""Runs work once for concurrent callers, and cancels it when no caller waits any more."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from server.background import end_tasks

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """`join` starts the work for a key, or waits for that which is under way. When the last who waits
    is cancelled, the work is cancelled."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight[T]] = {}

    def under_way(self, key: Hashable) -> bool:
        """Whether work for the key is running."""
        return key in self._flights

    async def join(self, key: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, which runs once for all concurrent callers with the same key. It is cancelled when the
        last of them leaves."""
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight(work)
            flight.task.add_done_callback(lambda _: self._land(key, flight))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                self._land(key, flight)
                flight.task.cancel()

    async def close(self) -> None:
        """Cancel all work."""
        await end_tasks(*(flight.task for flight in self._flights.values()))

    def _land(self, key: Hashable, flight: _Flight[T]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


class _Flight(Generic[T]):
    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self.waiting = 0
        self.task: asyncio.Task[T] = asyncio.ensure_future(_awaited(work))
        # Marks the exception as retrieved, in case it fails after all callers have left.
        self.task.add_done_callback(lambda task: task.cancelled() or task.exception())


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
