"""A list of more tables than one answer holds: page after page, every table is there once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import asyncpg
import pytest
import pytest_asyncio

from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

TABLES = 1_004
MANY = """
    DO $$ BEGIN
        FOR n IN 1 .. %s LOOP
            EXECUTE format('CREATE TABLE data.%%I (id integer PRIMARY KEY, %%s text, geom geometry(Point, 4326))',
                CASE WHEN n %% 9 = 0 THEN 'road_' ELSE 'open_area_' END || n,
                CASE WHEN n %% 30 = 0 THEN 'surface' ELSE 'owner' END);
        END LOOP;
    END $$
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def map_and_web(database_url: str) -> AsyncIterator[tuple[str, aiohttp.ClientSession]]:
    database = await asyncpg.connect(database_url)
    await database.execute(MANY % TABLES)
    await database.close()
    async with local_server(database_url, ScriptedModel()) as server, client(server) as one:
        await one.ask("join")
        async with aiohttp.ClientSession(server.url) as session:
            yield one.map_id, session


async def pages(session: aiohttp.ClientSession, address: str) -> tuple[list[str], list[dict[str, Any]]]:
    """The ids of all pages, and the pages."""
    found: list[str] = []
    answers: list[dict[str, Any]] = []
    following: str | None = address
    while following is not None:
        async with session.get(following) as answer:
            assert answer.status == 200, await answer.text()
            answers.append(await answer.json())
        found += [table["id"] for table in answers[-1]["tables"]]
        following = answers[-1]["next"]
    return found, answers


@pytest.mark.parametrize("base", ["/api", "/api/maps/{map_id}"])
async def test_all_tables_are_listed_page_after_page(
    map_and_web: tuple[str, aiohttp.ClientSession], base: str
) -> None:
    map_id, session = map_and_web
    found, answers = await pages(session, f"{base.format(map_id=map_id)}/tables")
    assert [len(answer["tables"]) for answer in answers] == [1000, TABLES - 1000]
    assert {answer["total"] for answer in answers} == {TABLES}
    assert len(set(found)) == len(found) == TABLES


async def test_the_pages_of_a_search_hold_every_match_once_and_say_how_many_there_are(
    map_and_web: tuple[str, aiohttp.ClientSession],
) -> None:
    _, session = map_and_web
    words = (
        "surface of open areas"  # many tables with two of the words are better than roads with the rare one
    )
    whole, _ = await pages(session, f"/api/tables?q={words}")
    found, answers = await pages(session, f"/api/tables?q={words}&limit=10")
    assert found == whole
    assert {answer["total"] for answer in answers} == {len(whole)}
    assert len(whole) == sum(n % 9 != 0 or n % 30 == 0 for n in range(1, TABLES + 1))
