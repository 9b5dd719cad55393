"""The time of one turn: it runs, stands still while the user is asked, and strikes once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter


class Clock:
    """Calls `strike` when `seconds` have passed, pauses not counted; None never strikes."""

    __slots__ = ("_handle", "_pause_began", "_paused", "_seconds", "_strike", "started")

    def __init__(self, seconds: float | None, strike: Callable[[], None]) -> None:
        self.started = perf_counter()
        self._seconds = seconds
        self._strike = strike
        self._paused = 0.0
        self._pause_began: float | None = None
        self._handle: asyncio.TimerHandle | None = None
        if seconds is not None:
            self._handle = asyncio.get_running_loop().call_later(seconds, self._look)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()

    @property
    def ms(self) -> float:
        """All the time so far, in milliseconds."""
        return (perf_counter() - self.started) * 1000

    @contextmanager
    def paused(self) -> Iterator[None]:
        self._pause_began = perf_counter()
        try:
            yield
        finally:
            self._paused += perf_counter() - self._pause_began
            self._pause_began = None

    def _look(self) -> None:
        now = perf_counter()
        paused = self._paused + (now - self._pause_began if self._pause_began is not None else 0.0)
        left = (self._seconds or 0.0) + paused - (now - self.started)
        if left > 0.001 or self._pause_began is not None:
            self._handle = asyncio.get_running_loop().call_later(max(left, 0.05), self._look)
        else:
            self._strike()
