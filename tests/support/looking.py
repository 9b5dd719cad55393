"""Looking again and again, sync or async, until there is something to see, with an end."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any

PATIENCE = 120.0
"""Seconds that a test waits for what should come soon. Only a test that fails waits so long."""
LOOK_S = 30.0
"""At least so long a single look may take, however short the waiting is."""


async def until(
    look: Callable[[], Any] | Callable[[], Awaitable[Any]], seconds: float = PATIENCE, pause: float = 0.02
) -> Any:
    """The first truthy thing that `look` gives."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if inspect.isawaitable(seen):
            # A look may hang, too: a page that has stopped answers no script.
            async with asyncio.timeout(max(seconds, LOOK_S)):
                seen = await seen
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise AssertionError("it did not come about in time")
        await asyncio.sleep(pause)
