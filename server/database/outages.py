"""Messages for users while the database is unavailable, and a wait for it with work that is safe to repeat."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg

from agents.core.errors import ToolSignal
from server import fault_texts
from server.database.engines import is_unavailable

AWAY = fault_texts.AWAY()
DISK_FULL_MESSAGE = (
    "The database has no disk space left, so nothing can be changed at the moment. Try again once its operator "
    "has freed space."
)
MAX_OUTAGE_S = 20.0
"""Time that a turn waits for the database before it gives up."""
PAUSES_S = (0.1, 0.25, 0.5, 1.0)
"""Pauses between attempts; the last one repeats."""

T = TypeVar("T")


def why_unavailable(error: BaseException) -> str | None:
    """A message for users why the same work may succeed later; None for an error of another kind."""
    if is_unavailable(error):
        return error.message if isinstance(error, ToolSignal) else AWAY
    current: BaseException | None = error
    for _ in range(10):
        if isinstance(current, asyncpg.DiskFullError):
            return DISK_FULL_MESSAGE
        current = None if current is None else current.__cause__
    return None


async def through_outage(attempt: Callable[[], Awaitable[T]], max_outage_s: float | None = None) -> T:
    """The result of `attempt`, which is made again while the database is away; it must be safe to repeat."""
    left = MAX_OUTAGE_S if max_outage_s is None else max_outage_s
    number = 0
    while True:
        try:
            return await attempt()
        except Exception as error:
            if why_unavailable(error) is None or left <= 0:
                raise
        pause = PAUSES_S[min(number, len(PAUSES_S) - 1)]
        await asyncio.sleep(pause)
        left, number = left - pause, number + 1
