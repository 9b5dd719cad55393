"""What must be true after every attack and fault, whatever happened: asked of the database and of the system."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

import asyncpg
import psutil

from server.gis.ingest.scratch import LOCK
from tests.chaos.world import World
from tests.support.looking import until

STUCK_TURN_S = 30.0
NORMAL_AGAIN_S = 60.0
MAX_GROWTH_BYTES = 250 * 1024 * 1024
"""Of all servers together, above what they held when they had been used a little."""
CONNECTIONS_PER_SERVER = 30

COUNTED = {
    "maps whose events have a gap": """
        SELECT count(*) FROM geoagent.map AS m
        LEFT JOIN (SELECT map_id, count(*) AS events, max(seq) AS last FROM geoagent.event GROUP BY map_id) AS e
        ON e.map_id = m.id WHERE coalesce(e.events, 0) <> m.seq OR coalesce(e.last, 0) <> m.seq
    """,
    "turns without exactly one message and one end": """
        SELECT count(*) FROM geoagent.turn AS t WHERE t.finished_at IS NOT NULL AND (
            (SELECT count(*) FROM geoagent.event WHERE turn_id = t.id AND type = 'user_message') <> 1
            OR (SELECT count(*) FROM geoagent.event WHERE turn_id = t.id AND type = 'turn_finished') <> 1)
    """,
    "calls without exactly one result": """
        SELECT count(*) FROM (
            SELECT e.turn_id, e.payload ->> 'call_id' FROM geoagent.event AS e
            JOIN geoagent.turn AS t ON t.id = e.turn_id AND t.finished_at IS NOT NULL
            WHERE e.type IN ('tool_called', 'tool_finished') GROUP BY 1, 2
            HAVING count(*) FILTER (WHERE e.type = 'tool_called') <> 1
                OR count(*) FILTER (WHERE e.type = 'tool_finished') <> 1) AS odd
    """,
    "layers without a table": """
        SELECT count(*) FROM geoagent.layer
        WHERE to_regclass(format('%I.%I', split_part(document ->> 'table', '.', 1),
            split_part(document ->> 'table', '.', 2))) IS NULL
    """,
    "tables of analyses that belong to nobody": """
        SELECT count(*) FROM pg_tables WHERE schemaname = 'analysis'
            AND tablename NOT IN (SELECT unnest(tables) FROM geoagent.analysis)
            AND 'analysis.' || tablename NOT IN (SELECT document ->> 'table' FROM geoagent.layer)
    """,
    "tables of uploads that belong to nobody": """
        SELECT count(*) FROM pg_tables WHERE schemaname = 'data' AND tableowner = geoagent.role_name('loader')
            AND tablename NOT IN (SELECT table_name FROM geoagent.upload)
    """,
}
READER = "server.gis.reading"
"""Is in the command line of processes that read uploaded files."""
STUCK = """
    SELECT count(*) FROM geoagent.turn
    WHERE status IN ('queued', 'running') AND created_at < clock_timestamp() - make_interval(secs => $1)
"""
WORKING = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'geoagent%'
        AND state <> 'idle' AND query_start < clock_timestamp() - interval '5 seconds'
"""
CONNECTED = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'geoagent%'
"""


async def broken(world: World, memory_before: int) -> list[str]:
    """The invariants that do not hold, in words. Waits as long as each of them may take to hold again."""
    found = []
    async with world.looking() as database:
        for name, look, patience in (
            (f"turns that are open for more than {STUCK_TURN_S:.0f} s", stuck(database), STUCK_TURN_S),
            ("statements that nobody waits for", counted(database, WORKING), NORMAL_AGAIN_S),
            ("connections above the budget", connections(world, database), NORMAL_AGAIN_S),
            ("MB of memory above the limit", memory(world, memory_before), NORMAL_AGAIN_S),
            ("files in the spool", spooled(world), NORMAL_AGAIN_S),
            ("processes of servers that read files", readers(world), NORMAL_AGAIN_S),
        ):
            left = await settled(look, patience)
            if left:
                found.append(f"{left} {name}")
        for name, query in COUNTED.items():
            if count := await database.fetchval(query):
                found.append(f"{count} {name}")
    return found


async def settled(look: Callable[[], Awaitable[int]], patience: float) -> int:
    """0 as soon as there is nothing to see, else what is left after `patience` seconds."""
    left = 0

    async def is_settled() -> bool:
        nonlocal left
        left = await look()
        return left == 0

    with suppress(AssertionError):
        await until(is_settled, patience, 0.25)
    return left


def counted(database: asyncpg.Connection, query: str, *arguments: float) -> Callable[[], Awaitable[int]]:
    async def look() -> int:
        return int(await database.fetchval(query, *arguments))

    return look


def stuck(database: asyncpg.Connection) -> Callable[[], Awaitable[int]]:
    """Turns are given their time from the end of the attack on, since it may have filled the queue."""
    return counted(database, STUCK, 0.0)


def connections(world: World, database: asyncpg.Connection) -> Callable[[], Awaitable[int]]:
    async def look() -> int:
        return max(0, await database.fetchval(CONNECTED) - CONNECTIONS_PER_SERVER * len(world.servers))

    return look


def memory(world: World, before: int) -> Callable[[], Awaitable[int]]:
    async def look() -> int:
        return max(0, world.memory() - before - MAX_GROWTH_BYTES) // 2**20

    return look


def spooled(world: World) -> Callable[[], Awaitable[int]]:
    async def look() -> int:
        return sum(path.is_file() and path.name != LOCK for path in world.spool.rglob("*"))

    return look


def readers(world: World) -> Callable[[], Awaitable[int]]:
    async def look() -> int:
        found = 0
        for server in world.servers:
            with suppress(psutil.Error):
                started = psutil.Process(server.process.pid).children(recursive=True)
                found += sum(READER in " ".join(process.cmdline()) for process in started)
        return found

    return look
