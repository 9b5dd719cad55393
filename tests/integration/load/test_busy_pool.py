"""A busy database is not a database that is away, and one map that asks too much does not stop the others."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import asyncpg
import pytest
import pytest_asyncio
import sqlalchemy as sa

from server.app import Server
from server.database import backends
from server.gis.query import places
from server.gis.statements import guard
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import Client, client, local_server

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTIONS = 60
WAIT_S = 1.0
STATEMENT_S = 120.0
"""The time that a question has in the database."""


@dataclass
class Place:
    """One map asks about a table that somebody has locked, the stranger about another table."""

    server: Server
    http: aiohttp.ClientSession
    greedy: str
    stranger: str
    database: asyncpg.Connection

    async def ask(self, map_id: str, what: str = "stats?column=name") -> tuple[int, dict[str, Any], Any]:
        url = f"/api/maps/{map_id}/layers/it/{what}"
        async with self.http.get(url) as answer:
            return answer.status, await answer.json(), answer.headers.get("Retry-After")

    async def blocked(self) -> int:
        """Statements of requests that wait for a lock in PostgreSQL; the server itself follows the tables of open maps
        as the owner, and reads their extents."""
        query = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            " AND usename LIKE '%reader' AND query NOT LIKE '%ST_Extent%'"
        )
        return int(await self.database.fetchval(query))


@asynccontextmanager
async def locked(url: str, *tables: str) -> AsyncIterator[None]:
    """Nobody else can read the tables meanwhile."""
    holder = await asyncpg.connect(url)
    try:
        async with holder.transaction():
            for table in tables:
                await holder.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield
    finally:
        await holder.close()


async def at_least(place: Place, statements: int) -> bool:
    return await place.blocked() >= statements


async def nothing_blocked(place: Place) -> bool:
    return await place.blocked() == 0


async def ask_and_leave(session: aiohttp.ClientSession, url: str) -> None:
    async with session.get(url) as answer:
        await answer.read()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def place(samples_url: str) -> AsyncIterator[Place]:
    watch = await asyncpg.connect(samples_url)
    async with (
        local_server(
            samples_url,
            ScriptedModel(),
            metrics="127.0.0.1:0",
            profile_share=0,
            statement_timeout=STATEMENT_S,
        ) as server,
        client(server) as greedy,
        client(server) as stranger,
        aiohttp.ClientSession(server.url, connector=aiohttp.TCPConnector(limit=0)) as http,
    ):
        for one, table in ((greedy, "data.airports"), (stranger, "data.cities")):
            await one.ask("join")
            await one.ask("layer_add", table=table, layer_id="it")
        yield Place(server, http, greedy.map_id, stranger.map_id, watch)
    await watch.close()


async def test_sixty_questions_of_one_map_are_answered_busy_and_a_stranger_is_served(
    place: Place, samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place.server.database.lanes["interactive"], "_wait", WAIT_S)
    async with locked(samples_url, "data.airports"):
        questions = [asyncio.create_task(place.ask(place.greedy)) for _ in range(QUESTIONS)]
        lane = place.server.database.lanes["interactive"]
        share = lane.size // 2
        await until(lambda: lane.waiting > 0)
        await until(lambda: at_least(place, share))
        for _ in range(5):
            status, body, _ = await place.ask(place.stranger)
            assert status == 200, body
        await until(lambda: sum(each.done() for each in questions) >= QUESTIONS - share)
    answers = await asyncio.gather(*questions)
    codes = Counter("ok" if status == 200 else body["error"]["code"] for status, body, _ in answers)
    assert codes == {"ok": share, "busy": QUESTIONS - share}
    refusals = [(status, retry) for status, body, retry in answers if status != 200]
    assert set(refusals) == {(503, "3")}


async def test_the_wait_for_a_connection_does_not_count_towards_the_time_of_a_question(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "CONNECTION_GRACE_S", 2.0)
    lane = place.server.database.lanes["interactive"]
    limits = guard.Guard(place.server.database.reader, seconds=2.0)
    async with AsyncExitStack() as others:
        for number in range(lane.size):
            await others.enter_async_context(lane.place(f"map {number}"))
        question = asyncio.create_task(limits.rows(sa.select(sa.literal(1)), "a number", gate=False))
        await until(lambda: lane.waiting == 1)
        # Longer than the question and connecting may take together.
        await asyncio.sleep(4.5)
    assert (await question)[0][0] == 1


async def test_requests_whose_client_left_end_in_the_database(place: Place, samples_url: str) -> None:
    async with locked(samples_url, "data.airports"):
        async with aiohttp.ClientSession(place.server.url) as leaving:
            url = f"/api/maps/{place.greedy}/layers/it/stats?column=name"
            share = place.server.database.lanes["interactive"].size // 2
            questions = [asyncio.create_task(ask_and_leave(leaving, url)) for _ in range(share)]
            await until(lambda: at_least(place, len(questions)))
            for question in questions:
                question.cancel()
        # Without a client they would wait for the lock until their time is over, which is longer.
        await until(lambda: nothing_blocked(place), seconds=STATEMENT_S / 2)
    await until(lambda: place.server.database.lanes["interactive"].in_use == 0)


async def test_a_search_of_a_socket_that_left_ends_in_the_database(
    place: Place, samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "STATEMENT_TIMEOUT_S", STATEMENT_S)
    async with locked(samples_url, "data.airports", "data.cities"):
        leaving = Client()
        await leaving.connect(place.server.url)
        await leaving.ask("join", map_id=place.greedy)
        await leaving.io.emit("find_place", {"map_id": place.greedy, "text": "Paris"})
        await until(lambda: at_least(place, 1))
        await leaving.io.disconnect()
        await until(lambda: nothing_blocked(place), seconds=STATEMENT_S / 2)


STUBBORN = (
    "CREATE FUNCTION data.stubborn(int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN"
    # As a call into GEOS: it hears no cancel. The planner and the first look at the table are answered.
    " IF current_query() !~ 'group|GROUP' THEN RETURN $1; END IF;"
    " LOOP BEGIN PERFORM pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$;"
    "CREATE VIEW data.stubborn AS SELECT id, data.stubborn(id) AS nap, geom"
    " FROM (SELECT 1 AS id, ST_SetSRID(ST_MakePoint(1, 2), 4326)::geometry(Point, 4326) AS geom) AS one"
)


async def test_a_place_is_free_only_when_a_statement_that_hears_no_cancel_has_ended(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "GRACE_S", 3600.0)
    monkeypatch.setattr(backends, "CHECK_INTERVAL_S", 0.1)
    await place.database.execute(STUBBORN)
    lane = place.server.database.lanes["interactive"]
    await until(lambda: lane.in_use == 0)
    engine = place.server.database.reader
    asleep = (
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%data.stubborn%group%'"
        " AND wait_event = 'PgSleep'"
    )

    async def ask() -> None:
        async with engine.connect() as connection:
            await connection.exec_driver_sql("SELECT nap, count(*) FROM data.stubborn group by nap")

    async def is_asleep() -> bool:
        return bool(await place.database.fetchval(asleep))

    async def is_over() -> bool:
        return not await place.database.fetchval(asleep)

    asking = asyncio.create_task(ask())
    await until(is_asleep)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert await is_asleep()
    assert lane.in_use == 1, "its backend works on"
    monkeypatch.setattr(backends, "GRACE_S", 0.0)
    await until(lambda: lane.in_use == 0)
    assert await is_over()


async def test_metrics_tell_what_each_lane_uses_and_refused(place: Place) -> None:
    async with place.http.get(place.server.metrics_url) as answer:
        text = await answer.text()
    for lane in ("events", "interactive", "analyses", "exports", "uploads", "tiles"):
        assert f'geoagent_lane_size{{lane="{lane}"}}' in text
        assert f'geoagent_lane_in_use{{lane="{lane}"}}' in text
        assert f'geoagent_lane_waiting{{lane="{lane}"}}' in text
        assert f'geoagent_lane_refused_total{{lane="{lane}"}}' in text
