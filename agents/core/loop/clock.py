"""Measures the time of one turn. It stops while the user is asked or a tool measures its own time, and expires once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter


class Clock:
    """Calls `expired` once `seconds` have passed since `start`, pauses not counted; None never expires.

    Pauses may overlap: the clock runs again when the last one has ended."""

    __slots__ = ("_expired", "_handle", "_pause_began", "_paused", "_pauses", "_seconds", "started")

    def __init__(self, seconds: float | None, expired: Callable[[], None]) -> None:
        self.started = perf_counter()
        self._seconds = seconds
        self._expired = expired
        self._paused = 0.0
        self._pauses = 0
        self._pause_began = 0.0
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start measuring. Needs a running event loop."""
        self.started = perf_counter()
        if self._seconds is not None:
            self._handle = asyncio.get_running_loop().call_later(self._seconds, self._check)

    def stop(self) -> None:
        """Stop measuring; `expired` is not called any more."""
        if self._handle is not None:
            self._handle.cancel()

    @property
    def ms(self) -> float:
        """The whole time so far, pauses included, in milliseconds."""
        return (perf_counter() - self.started) * 1000

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The clock stops within the block."""
        if not self._pauses:
            self._pause_began = perf_counter()
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            if not self._pauses:
                self._paused += perf_counter() - self._pause_began

    def _check(self) -> None:
        now = perf_counter()
        paused = self._paused + (now - self._pause_began if self._pauses else 0.0)
        left = (self._seconds or 0.0) + paused - (now - self.started)
        if left > 0.001 or self._pauses:
            self._handle = asyncio.get_running_loop().call_later(max(left, 0.05), self._check)
        else:
            self._expired()
