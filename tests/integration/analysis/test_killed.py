"""A server that is killed in the middle of an analysis: it ends, nothing is left over, and everyone is told."""

from __future__ import annotations

import asyncpg

from tests.support.looking import until
from tests.support.server import child_server, client

GOAL = "the 5 provinces where id is above 0 farthest from any airport"
SLOW = """
    DROP TABLE IF EXISTS data.provinces;
    CREATE TABLE data.provinces AS SELECT row_number() OVER ()::integer AS id, c.name,
        ST_Segmentize(c.geom::geography, 1000)::geometry(MultiPolygon, 4326) AS geom FROM data.countries AS c
"""


async def test_an_analysis_of_a_killed_server_has_ended_after_the_restart(samples_url: str) -> None:
    database = await asyncpg.connect(samples_url)
    await database.execute(SLOW)
    try:
        async with child_server(samples_url) as first, client(first) as one:
            await one.ask("join")
            await one.ask("chat", text=GOAL)
            await until(lambda: [each for each in one.named("analysis_progress") if each["step"] == 2])
            await until(lambda: working(database))
            await until(lambda: database.fetchval(NOTED, one.map_id))
            await first.kill()
            seen = one.numbered()[-1][0]
        # The statement ends with its server, long before it would have been done.
        await until(lambda: idle(database))
        async with child_server(samples_url) as second, client(second) as two:
            back = await two.ask("join", map_id=one.map_id, after_seq=seen)
            events = {event["event"]: event["data"] for event in back["events"]}
            failed = events["analysis_failed"]
            assert "server stopped" in failed["reason"]
            assert failed["advice"]
            assert failed["step"] == 2
            assert events["turn_finished"]["status"] == "interrupted"
            assert back["progress"] == []
            whole = await two.ask("join", map_id=one.map_id, after_seq=0)
            assert [event["data"]["seq"] for event in whole["events"]] == list(range(1, whole["seq"] + 1))
            names = [event["event"] for event in whole["events"]]
            assert names.count("tool_called") == names.count("tool_finished")
            rows = await database.fetch(
                "SELECT status, result, progress, tables FROM geoagent.analysis WHERE map_id = $1", one.map_id
            )
            assert [(row["status"], row["progress"]) for row in rows] == [("failed", None)]
            assert rows[0]["result"] == failed["table"]
            assert failed["receipt"]["steps"][0]["table"] == failed["table"]
            there = {row["tablename"] for row in await database.fetch(OURS)}
            kept = {f"{name}" for row in await database.fetch(KEPT) for name in row["tables"]}
            assert there <= kept
            assert failed["table"].removeprefix("analysis.") in there
            await two.says("countries without airports")
            assert two.named("analysis_finished")
    finally:
        await database.execute("DROP TABLE data.provinces")
        await database.close()


OURS = (
    "SELECT tablename FROM pg_tables WHERE schemaname = 'analysis' AND tableowner LIKE '%\\_writer'"
    " AND tableowner = current_database() || '_writer'"
)
NOTED = "SELECT (progress ->> 'step')::int = 2 FROM geoagent.analysis WHERE map_id = $1"
KEPT = "SELECT tables FROM geoagent.analysis"


async def working(database: asyncpg.Connection) -> int:
    query = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query ~ '^(INSERT INTO|CREATE).*near'"
    return int(await database.fetchval(query))


async def idle(database: asyncpg.Connection) -> bool:
    return await working(database) == 0
