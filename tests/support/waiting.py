"""Waiting in tests: until something is so, with an end; never for a fixed time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


async def eventually(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Return as soon as the condition holds; fail if it does not within the time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it did not come about in time")
        await asyncio.sleep(0.01)
