"""Turns and analyses of a server that has died are ended by the others, or at the next start."""

from __future__ import annotations

from contextlib import AsyncExitStack

import asyncpg
import pytest
from sqlalchemy import text

from server.database.engines import Database
from tests.integration.maps.taking_turns import finished, names, orphan, orphans, say, server


async def test_a_turn_of_a_server_that_was_killed_is_interrupted_at_the_next_start(
    database: Database,
) -> None:
    map_id = await orphan(database)
    async with server(database) as maps:
        events = await finished(maps, map_id)
        assert names(events[1:]) == ["tool_called", "tool_finished", "ai_response", "turn_finished"]
        assert events[-1].payload["status"] == "interrupted"
        await say(maps, map_id, "go on")
        assert (await finished(maps, map_id, 2))[-1].payload["status"] == "done"


async def test_an_analysis_of_a_server_that_was_killed_has_failed(database: Database) -> None:
    map_id = await orphan(database, analyses=("a1", "a2"))
    async with server(database) as maps:
        events = await finished(maps, map_id)
        assert names(events[5:]) == ["analysis_failed", "tool_finished", "ai_response", "turn_finished"]
        failed = events[5].payload
        assert failed["analysis_id"] == "a2"
        assert failed["reason"].startswith("The server stopped")
        assert failed["advice"]
    async with database.owner.connect() as connection:
        rows = await connection.execute(
            text("SELECT id, status, finished_at FROM geoagent.analysis WHERE map_id = :m ORDER BY id"),
            {"m": map_id},
        )
        (first, second) = rows.all()
    assert (first.id, first.status) == ("a1", "finished")
    assert (second.id, second.status) == ("a2", "failed")
    assert second.finished_at is not None


async def test_another_server_notices_a_killed_one(database: Database) -> None:
    async with server(database) as maps:
        map_id = await orphan(database)
        assert (await finished(maps, map_id))[-1].payload["status"] == "interrupted"


ONE_REFUSED = """
    CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE 'canceling statement due to lock timeout' USING ERRCODE = 'lock_not_available';
    END $$;
    CREATE TRIGGER refused BEFORE UPDATE ON geoagent.turn FOR EACH ROW
        WHEN (NEW.status = 'interrupted' AND OLD.map_id = '{map_id}') EXECUTE FUNCTION refused()
"""


@pytest.mark.parametrize("runs_already", [False, True])
async def test_a_turn_that_cannot_be_ended_keeps_no_others_running(
    database: Database, runs_already: bool
) -> None:
    async with AsyncExitStack() as servers:
        if runs_already:
            maps = await servers.enter_async_context(server(database))
        lost = await orphans(database, 4)
        connection = await asyncpg.connect(database.url)
        await connection.execute(ONE_REFUSED.format(map_id=lost[0]))
        if not runs_already:
            maps = await servers.enter_async_context(server(database))
        for map_id in lost[1:]:
            assert (await finished(maps, map_id))[-1].payload["status"] == "interrupted"
        assert names(await maps.log.reader.read(lost[0], 0))[-1] == "tool_called"
        await connection.execute("DROP FUNCTION refused CASCADE")
        assert (await finished(maps, lost[0]))[-1].payload["status"] == "interrupted"
        await connection.close()
