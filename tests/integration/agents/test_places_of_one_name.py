"""Neighbouring areas of one name are told apart: the one that is named is the one that is looked into."""

import asyncpg

from tests.support.server import client, local_server


async def test_the_area_that_is_meant_is_not_its_neighbour_of_the_same_name(samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(
        "CREATE TABLE data.townships (id int PRIMARY KEY, name text, state text, geom geometry(Polygon, 4326));"
        "INSERT INTO data.townships VALUES"
        " (1, 'Newcastle', 'North', ST_MakeEnvelope(8, 47, 8.1, 47.1, 4326)),"
        " (2, 'Newcastle', 'East', ST_MakeEnvelope(8, 47.1, 8.1, 47.2, 4326));"
        "CREATE TABLE data.kiosks AS SELECT n AS id,"
        " ST_SetSRID(ST_MakePoint(8.05, CASE WHEN n > 3 THEN 47.15 ELSE 47.05 END), 4326) AS geom"
        " FROM generate_series(1, 5) n"
    )
    await connection.close()
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        for place, count in (("Newcastle, North", 3), ("Newcastle, East", 2)):
            await one.says(f"how many kiosks are in {place}?")
            answer = one.named("ai_response")[-1]["message"]
            assert f"There are {count} kiosks" in answer
            assert place in answer
        await one.says("kiosks in Newcastle")
        answer = one.named("ai_response")[-1]["message"]
        assert "Newcastle, North" in answer
        assert "Newcastle, East" in answer
