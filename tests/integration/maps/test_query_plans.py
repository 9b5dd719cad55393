"""The queries that read a map's log and a turn's analyses find their rows by index, in tables of a real size.

Each query is taken from the product while it runs: what the planner is asked about is what PostgreSQL is sent."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from server.database.engines import Database
from server.maps.analyses.store import unfinished_analyses
from server.maps.log.event_log import EventLog
from server.maps.turns.queue import close_turn
from tests.support.statements import statements

MAPS = 40
MAX_REMOVALS = 1000
EVENTS_PER_MAP = 1000
"""Most of them are tool events; every fiftieth changes a layer."""
FILLING = (
    "INSERT INTO geoagent.map (id, seq) SELECT 'plan-' || n, :events FROM generate_series(1, :maps) n",
    "INSERT INTO geoagent.event (map_id, seq, type, turn_id, at, payload)"
    " SELECT 'plan-' || m, s, CASE WHEN s % 50 = 0 THEN 'map_reset' WHEN s % 20 = 0 THEN 'ai_response'"
    " ELSE 'tool_called' END, 'turn-' || m || '-' || s / 100, now(), '{}'"
    " FROM generate_series(1, :maps) m, generate_series(1, :events) s",
    "INSERT INTO geoagent.turn (id, map_id, client_id, text, status)"
    " SELECT 'turn-' || m || '-' || t, 'plan-' || m, m || '-' || t, 'x', 'done'"
    " FROM generate_series(1, :maps) m, generate_series(0, :events / 10) t",
    "INSERT INTO geoagent.analysis (id, map_id, turn_id, goal, status, plan, receipt)"
    " SELECT 'analysis-' || m || '-' || t, 'plan-' || m, 'turn-' || m || '-' || t, 'x', 'finished', '{}', '{}'"
    " FROM generate_series(1, :maps) m, generate_series(0, :events / 10) t",
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def log(database: Database) -> AsyncIterator[EventLog]:
    sizes = {"maps": MAPS, "events": EVENTS_PER_MAP}
    async with database.owner.begin() as connection:
        for statement in FILLING:
            names = re.findall(r":(\w+)", statement)
            await connection.execute(text(statement), {name: sizes[name] for name in names})
        await connection.execute(text("ANALYZE geoagent.event, geoagent.analysis"))
    yield EventLog(database.owner)
    async with database.owner.begin() as connection:
        await connection.execute(text("DELETE FROM geoagent.map WHERE id LIKE 'plan-%'"))


async def finds_by(index: str, engine: AsyncEngine, sent: list[tuple[str, Any]]) -> None:
    """PostgreSQL would use this index for each of the statements."""
    assert sent
    for statement, parameters in sent:
        how = await plan(engine, statement, parameters)
        assert index in how, f"{statement}\n{how}"
        assert "Seq Scan" not in how, f"{statement}\n{how}"


async def plan(engine: AsyncEngine, statement: str, parameters: Any) -> str:
    async with engine.connect() as connection:
        rows = await connection.exec_driver_sql(f"EXPLAIN {statement}", parameters)
        return "\n".join(row[0] for row in rows)


async def test_the_latest_events_of_a_rare_kind_are_found_by_index(database: Database, log: EventLog) -> None:
    with statements(database.owner, "geoagent.event") as sent:
        await log.reader.read_latest("plan-7", ("layer_removed", "map_reset"), MAX_REMOVALS)
    await finds_by("event_type", database.owner, sent)


async def test_the_changes_of_a_map_are_found_by_index(database: Database, log: EventLog) -> None:
    with statements(database.owner, "geoagent.event") as sent:
        await log.reader.state_at("plan-7", EVENTS_PER_MAP)
        await log.reader.history("plan-7")
    assert len(sent) == 2
    await finds_by("event_type", database.owner, sent)


async def test_the_analyses_of_a_turn_are_found_by_index(database: Database, log: EventLog) -> None:
    with statements(database.owner, "geoagent.analysis") as sent:
        async with database.owner.connect() as connection:
            await unfinished_analyses(connection, "turn-7-3")
        async with log.writing("plan-7", "turn-7-3") as writer:
            await close_turn(writer, "turn-7-3", "done", None, ())
    assert len(sent) == 2
    await finds_by("analysis_turn", database.owner, sent)
