"""Connections to the database that end or fall silent are replaced, and count as a database that is away."""

from __future__ import annotations

import asyncio
from functools import partial

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from server.database import lost_connections
from server.database.engines import Database, is_unavailable, open_engine
from server.database.lanes import Lane
from tests.support.cable import cable
from tests.support.looking import PATIENCE, until
from tests.support.postgis import run_apart


async def test_everything_works_again_after_all_connections_were_cut(database: Database) -> None:
    received: list[str] = []
    again: list[bool] = []
    subscription = await database.listen(
        ["test_news"], lambda _, payload: received.append(payload), lambda: again.append(True)
    )
    killer = await asyncpg.connect(database.url)
    await cut_all(killer)
    for engine in (database.owner, database.reader, database.writer):
        await until(partial(answers, engine))
    assert await database.tile_pool.fetchval("SELECT 1") == 1
    await until(lambda: again == [True])
    await killer.execute("NOTIFY test_news, 'back'")
    await until(lambda: received == ["back"])
    assert subscription.reconnects == 1
    await killer.close()
    await subscription.close()


async def answers(engine: AsyncEngine) -> bool:
    """Whether a question is answered; False where the end of the connection was announced, and not made yet."""
    try:
        async with engine.connect() as connection:
            return await connection.scalar(text("SELECT 1")) == 1
    except DBAPIError as error:
        if is_unavailable(error):
            return False
        raise


async def test_a_connection_whose_end_was_announced_counts_as_lost(database_url: str) -> None:
    message = b"SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"
    async with cable(database_url) as way:
        engine = open_engine(way.url, lane=Lane("test", 2))
        async with engine.connect() as connection:
            await connection.execute(text("SELECT 1"))
        way.say(b"E" + (len(message) + 4).to_bytes(4, "big") + message)
        await until(partial(answers, engine))
        pool = await asyncpg.create_pool(way.url, min_size=1, max_size=1)
        async with pool.acquire() as single:
            way.say(b"E" + (len(message) + 4).to_bytes(4, "big") + message)
            for _ in range(20):
                await asyncio.sleep(0)  # It is read before the next statement.
            with pytest.raises(asyncpg.InternalClientError) as raised:
                await single.fetchval("SELECT 1")
            assert is_unavailable(raised.value)
        await pool.close()
        await engine.dispose()


async def cut_all(killer: asyncpg.Connection) -> None:
    """End every other session on this database; returns when PostgreSQL has."""
    others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    ended = [row["pid"] for row in await killer.fetch(f"SELECT pid, pg_terminate_backend(pid) {others}")]

    async def none_left() -> bool:
        return await killer.fetchval(f"SELECT count(*) = 0 {others} AND pid = ANY ($1)", ended)

    await until(none_left)


async def test_a_cut_connection_is_replaced_before_the_event_loop_has_seen_its_end(
    database: Database,
) -> None:
    async with database.owner.connect() as connection:
        lost = (await connection.get_raw_connection()).driver_connection
    run_apart(cut_from_outside(database.url))
    assert not lost.is_closed()
    async with database.owner.connect() as connection:
        assert await connection.scalar(text("SELECT 1")) == 1


async def cut_from_outside(url: str) -> None:
    killer = await asyncpg.connect(url)
    await cut_all(killer)
    await killer.close()


async def test_a_connection_that_fell_silent_while_idle_is_replaced(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lost_connections, "IDLE_UNASKED_S", 0.0)
    monkeypatch.setattr(lost_connections, "ANSWER_TIMEOUT_S", 0.2)
    async with cable(database_url) as way:
        engine = open_engine(way.url, lane=Lane("test", 2))
        async with engine.connect() as connection:
            await connection.execute(text("SELECT 1"))
        way.forget()
        async with engine.connect() as connection:
            assert await connection.scalar(text("SELECT 1")) == 1
        await engine.dispose()


async def test_a_connection_cut_in_the_middle_of_a_query_counts_as_unavailable(database: Database) -> None:
    async def slow() -> None:
        async with database.reader.connect() as connection:
            await connection.execute(text("SELECT pg_sleep(600)"))

    task = asyncio.create_task(slow())
    killer = await asyncpg.connect(database.url)
    kill = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'"
    )
    async with asyncio.timeout(PATIENCE):
        while await killer.fetchval(kill) == 0:  # noqa: ASYNC110 - another session has no event here
            await asyncio.sleep(0.01)
    await killer.close()
    with pytest.raises(DBAPIError) as raised:
        await task
    assert is_unavailable(raised.value)


async def test_a_wrong_question_does_not_count_as_unavailable(database: Database) -> None:
    async with database.reader.connect() as connection:
        with pytest.raises(DBAPIError) as raised:
            await connection.execute(text("SELECT * FROM data.nothing"))
    assert not is_unavailable(raised.value)
    assert is_unavailable(ConnectionRefusedError())
