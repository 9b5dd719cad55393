"""Stopping a task while PostgreSQL works for it, and looking how long PostgreSQL goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import asyncpg

from tests.support.looking import until

_WORKING = (
    "SELECT array_agg(pid) FROM pg_stat_activity WHERE state = 'active' AND datname = current_database()"
    " AND usename LIKE '%\\_' || $1 AND backend_type = 'client backend' AND query ~* $2"
)


async def working(look: asyncpg.Connection, role: str = "writer", words: str = ".") -> bool:
    """Whether a statement of `role` (`writer`, `reader`) with these words runs on this database."""
    return bool(await look.fetchval(_WORKING, role, words))


async def seconds_to_stop(
    look: asyncpg.Connection,
    work: Coroutine[Any, Any, Any],
    *,
    role: str = "writer",
    words: str = ".",
    after: float = 3.0,
    patience: float = 300.0,
) -> float | None:
    """Seconds from the cancellation of `work` until no statement of `role` like `words` runs any more; None where it
    was done before it could be stopped. It is stopped once such a statement runs, and not before `after` seconds."""
    task = asyncio.ensure_future(work)
    began = time.monotonic()

    async def found() -> bool:
        return task.done() or (time.monotonic() - began > after and await working(look, role, words))

    await until(found, patience)
    if task.done():
        task.result()
        return None
    stopped = time.monotonic()
    task.cancel()

    async def gone() -> bool:
        return not await working(look, role, words)

    await until(gone, patience)
    took = time.monotonic() - stopped
    await asyncio.gather(task, return_exceptions=True)
    return took
