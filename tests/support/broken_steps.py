"""Work whose database connection breaks while it runs: it is held by a lock, and its backend ended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from tests.support.looking import until

WRITER, ANYBODY = "%\\_writer", "%"
_WAITING = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND usename LIKE $1 AND wait_event_type = 'Lock'
"""


@asynccontextmanager
async def steps_held(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Steps that read the cities wait while this lasts."""
    async with held(url, "data.cities", "ACCESS EXCLUSIVE") as looking:
        yield looking


@asynccontextmanager
async def held(url: str, table: str, mode: str = "EXCLUSIVE") -> AsyncIterator[asyncpg.Connection]:
    """What changes the table waits while this lasts. The connection is another one than that which holds it: in its
    transaction the activity would look as it did at first."""
    holding, looking = await asyncpg.connect(url), await asyncpg.connect(url)
    try:
        async with holding.transaction():
            await holding.execute(f"LOCK TABLE {table} IN {mode} MODE")
            yield looking
    finally:
        await holding.close()
        await looking.close()


async def break_off(database: asyncpg.Connection, but: int = 0, who: str = WRITER) -> int:
    """Take the connection away from what waits; its process. It is another one than `but`."""

    async def look() -> int | None:
        pids = [row["pid"] for row in await database.fetch(_WAITING, who) if row["pid"] != but]
        return pids[0] if pids else None

    pid: int = await until(look)
    await database.execute("SELECT pg_terminate_backend($1)", pid)
    return pid
