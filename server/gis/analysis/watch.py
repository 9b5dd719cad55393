"""Reports the progress of a running step in the background, without delaying the step.

The runner reports each phase; while PostgreSQL builds an index or gathers statistics, its progress views are read on
a separate connection. A step is `prepare`, `compute` and `store`, each a part of its percent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from server.database.engines import single_reads

log = structlog.get_logger(__name__)

Phase = Literal["waiting", "reconnecting", "preparing", "computing", "storing"]

REPORT_INTERVAL_S = 0.5
MIN_REPORT_INTERVAL_S = 0.1
PROGRESS_DELAY_S = 1.0
"""Seconds that one part of a phase may take before PostgreSQL is asked how far it is."""
MIN_ELAPSED_MS = 500.0
"""Before that the rate of a step says nothing about the rest."""

MAX_ESTIMATED_SHARE = 0.99
"""Highest share that is reported of a statement that stores more than was expected."""
PREPARED, COMPUTED = 20.0, 90.0
"""Percent of a step after its temporary tables were made, if there are any, and after its rows were computed."""

_OWN_PROGRESS = text(
    "SELECT coalesce("
    " (SELECT blocks_done::float / nullif(blocks_total, 0) FROM pg_stat_progress_create_index WHERE pid = :pid),"
    " (SELECT sample_blks_scanned::float / nullif(sample_blks_total, 0) FROM pg_stat_progress_analyze"
    " WHERE pid = :pid))"
)


@dataclass(frozen=True)
class Progress:
    """Progress of a step. `percent` and `estimate_ms` (the remaining time) are None while they are unknown."""

    name: str
    percent: float | None
    rows: int | None
    elapsed_ms: float
    estimate_ms: float | None = None
    phase: Phase = "computing"
    engine: str | None = None
    """Runs the step, where that is not PostGIS."""


Report = Callable[[Progress], Awaitable[None]]


class StepWatch:
    """Watches a step while it runs: `async with` it. `part` and `computed` never wait."""

    def __init__(self, name: str, report: Report, engine: AsyncEngine, runs_on: str | None = None) -> None:
        """`runs_on` names the engine of the step, where that is not PostGIS."""
        self.name = name
        self._runs_on = runs_on
        self.pid = 0
        """Process id of the connection that the step runs on."""
        self._report = report
        self._engine = engine
        self._start = time.perf_counter()
        self._phase: Phase = "preparing"
        self._computes_from = 0.0
        self._base = (0.0, self._start)
        """Percent and time from which the rate counts: how long it took to prepare says nothing about the rest."""
        self._is_measured = False
        self._done = 0.0
        self._part = (0.0, 0.0, self._start)
        """Percent at its start, percent at its end, and the time of its start."""
        self._rows: int | None = None
        self._expected = 0.0
        """Bytes that a single statement will store."""
        self._news = asyncio.Event()
        self._over = asyncio.Event()
        self._reporter: asyncio.Task[None] | None = None

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the step began."""
        return (time.perf_counter() - self._start) * 1000

    async def __aenter__(self) -> Self:
        self._reporter = asyncio.create_task(self._report_regularly())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._reporter is not None  # noqa: S101 - __aenter__ made it
        self._over.set()
        self._news.set()
        if error is not None:
            self._reporter.cancel()
        # A report in progress is completed: cancelling it would cost a connection.
        await asyncio.gather(self._reporter, return_exceptions=True)
        if error is None:
            await self._report(self._now(100.0))

    def part(self, phase: Phase, number: int, of: int) -> None:
        """Start part `number` of several: creating temporary tables, or storing rows."""
        first, last = (0.0, PREPARED) if phase == "preparing" else (COMPUTED, 100.0)
        self._computes_from = PREPARED if phase == "preparing" else self._computes_from
        edges = [first + (last - first) * place / of for place in (number, number + 1)]
        self._turn_to(phase, edges[0], edges[1])

    def computed(self, share: float | None, rows: int | None) -> None:
        """Report that this share of the source's rows was processed and gave `rows`; None while that is unknown."""
        self._rows = rows
        if share == 1.0:
            self._expected = 0.0
        self._is_measured = self._is_measured or share is not None
        if self._computes_from > self._base[0]:
            self._base = (self._computes_from, time.perf_counter())
        done = self._computes_from + (COMPUTED - self._computes_from) * (share or 0.0)
        self._turn_to("computing", done, done)

    def expect(self, size: float) -> None:
        """Set how many bytes one statement will store, for its percentage; 0 if unknown."""
        self._expected = size
        self.computed(0.0 if size else None, None)

    def stored(self, size: int) -> None:
        """Report how many bytes the result takes now."""
        if self._expected and self._phase == "computing":
            self.computed(min(MAX_ESTIMATED_SHARE, size / self._expected), None)

    def _turn_to(self, phase: Phase, done: float, end: float) -> None:
        self._phase, self._done = phase, done
        self._part = (done, end, time.perf_counter())
        self._news.set()

    def _now(self, percent: float | None) -> Progress:
        elapsed = self.elapsed_ms
        left, (base, since) = None, self._base
        if percent is not None and percent > base and self._is_measured and elapsed > MIN_ELAPSED_MS:
            left = (elapsed - (since - self._start) * 1000) * (100 - percent) / (percent - base)
        return Progress(self.name, percent, self._rows, elapsed, left, self._phase, self._runs_on)

    async def _report_regularly(self) -> None:
        while not self._over.is_set():
            self._news.clear()
            try:
                await self._report(self._now(await self._percent()))
            except Exception as error:
                log.warning("progress could not be reported", step=self.name, error=type(error).__name__)
            await _waited(self._over, MIN_REPORT_INTERVAL_S)
            await _waited(self._news, REPORT_INTERVAL_S - MIN_REPORT_INTERVAL_S)

    async def _percent(self) -> float | None:
        part = first, end, began = self._part
        if end > first and time.perf_counter() - began > PROGRESS_DELAY_S:
            async with single_reads(self._engine) as connection:
                share = await connection.scalar(_OWN_PROGRESS, {"pid": self.pid})
            if share is not None and part == self._part:
                self._done = max(self._done, first + (end - first) * min(1.0, float(share)))
        return self._done if self._done or self._is_measured else None


async def _waited(event: asyncio.Event, seconds: float) -> None:
    """Wait until the event happens, for at most so many seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
