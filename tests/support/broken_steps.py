"""Analyses whose database connection breaks while a step runs: steps are held by a lock, and their backends ended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from tests.support.looking import until

_WAITING_STEP = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND usename LIKE '%\\_writer' AND wait_event_type = 'Lock'
"""


@asynccontextmanager
async def steps_held(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Steps that read the cities wait while this lasts. The connection is another one than that which holds them: in
    its transaction the activity would look as it did at first."""
    holding, looking = await asyncpg.connect(url), await asyncpg.connect(url)
    try:
        async with holding.transaction():
            await holding.execute("LOCK TABLE data.cities IN ACCESS EXCLUSIVE MODE")
            yield looking
    finally:
        await holding.close()
        await looking.close()


async def break_off(database: asyncpg.Connection, but: int = 0) -> int:
    """Take the connection away from the step that waits; its process. It is another one than `but`."""

    async def look() -> int | None:
        pids = [row["pid"] for row in await database.fetch(_WAITING_STEP) if row["pid"] != but]
        return pids[0] if pids else None

    pid: int = await until(look)
    await database.execute("SELECT pg_terminate_backend($1)", pid)
    return pid
