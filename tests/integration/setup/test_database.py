"""The three roles, their rights, LISTEN, and a database that goes away and comes back."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from server.database import migrate, pools
from server.database.engines import Database, TooFewConnections, is_unavailable
from server.gis.catalog.registry import Registry
from server.gis.errors import GisError
from server.gis.expressions.identifiers import relation
from server.gis.statements.guard import Guard
from server.gis.styles.statistics import ColumnStatistics
from server.postgres.address import plain_url
from server.settings import OWN_SCHEMAS, Settings
from tests.support.looking import until
from tests.support.postgis import Postgis

FORBIDDEN_TO_THE_READER = [
    "SELECT * FROM geoagent.secret",
    "SELECT * FROM geoagent.map",
    "CREATE TABLE analysis.t (id int)",
    "CREATE TABLE public.t (id int)",
    "INSERT INTO data.seen VALUES (1)",
    "DROP TABLE data.seen",
    "COPY data.seen TO PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    "CREATE ROLE mallory",
]

REFUSALS = r"permission denied|read-only|must be (owner|superuser)"


@pytest.fixture(scope="module", autouse=True)
async def tables(database: Database) -> None:
    async with database.owner.begin() as connection:
        await connection.execute(text("CREATE TABLE data.seen (id int PRIMARY KEY)"))
        await connection.execute(text("CREATE SCHEMA hidden"))
        await connection.execute(text("CREATE TABLE hidden.unseen (id int PRIMARY KEY)"))


@pytest.mark.parametrize("statement", FORBIDDEN_TO_THE_READER)
async def test_the_reader_is_refused_also_after_it_made_its_session_writable(
    database: Database, statement: str
) -> None:
    for writable in (False, True):
        async with database.reader.connect() as connection:
            if writable:
                await connection.execute(text("SET TRANSACTION READ WRITE"))
            with pytest.raises(DBAPIError, match=REFUSALS):
                await connection.execute(text(statement))
            await connection.rollback()


async def test_the_reader_sees_exposed_schemas_and_no_others(database: Database) -> None:
    async with database.reader.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM data.seen")) == 0
        with pytest.raises(DBAPIError, match="permission denied"):
            await connection.execute(text("SELECT * FROM hidden.unseen"))


async def test_the_writer_creates_in_analysis_only_and_the_reader_sees_it(database: Database) -> None:
    async with database.writer.begin() as connection:
        await connection.execute(text("CREATE TABLE analysis.result AS SELECT 1 AS id"))
    async with database.reader.connect() as connection:
        assert await connection.scalar(text("SELECT id FROM analysis.result")) == 1
    for statement in (
        "CREATE TABLE data.t (id int)",
        "DELETE FROM data.seen",
        "SELECT * FROM geoagent.event",
    ):
        async with database.writer.connect() as connection:
            with pytest.raises(DBAPIError, match="permission denied"):
                await connection.execute(text(statement))
    async with database.owner.begin() as connection:
        await connection.execute(text("DROP TABLE analysis.result"))


SLY = """
    CREATE VIEW data.sly AS SELECT 1 AS id, set_config('statement_timeout', '0', false) AS waits,
        set_config('default_transaction_read_only', 'off', false) AS writes,
        set_config('search_path', 'pg_catalog', false) AS looks
"""
SETTINGS = (
    "SELECT current_setting('statement_timeout'), current_setting('default_transaction_read_only'),"
    " current_setting('search_path')"
)
INSERTING = """
    CREATE FUNCTION data.see() RETURNS int LANGUAGE sql VOLATILE AS 'INSERT INTO data.seen VALUES (7) RETURNING id'
"""


async def test_a_view_that_changes_settings_changes_none_of_the_next_question(database: Database) -> None:
    async with database.owner.begin() as connection:
        await connection.execute(text(SLY))
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh(patience=10)
    table = registry.get("data.sly")
    asked = sa.select(*(relation(table).c[column.name] for column in table.columns))

    async def settings() -> tuple[Any, ...]:
        async with database.reader.connect() as connection:
            return tuple((await connection.execute(text(SETTINGS))).one())

    before = await settings()
    assert before[:2] == ("30s", "on")
    assert len(await Guard(database.reader).rows(asked, "data.sly")) == 1
    assert await settings() == before
    assert (await ColumnStatistics(database.reader, table, None, table.columns[-1]).frequencies(3)).top
    assert await settings() == before


async def test_a_question_changes_nothing_whoever_asks_it(database: Database) -> None:
    async with database.owner.begin() as connection:
        await connection.execute(text(INSERTING))
    with pytest.raises(GisError):
        await Guard(database.owner).rows(sa.select(sa.text("data.see()")), "a function")
    async with database.owner.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM data.seen")) == 0


async def test_a_reader_query_that_takes_too_long_is_ended(database_url: str) -> None:
    settings = Settings(database_url=database_url, statement_timeout=0.2, tile_timeout=0.1)
    async with await Database.connect(settings) as database:
        async with database.reader.connect() as connection:
            with pytest.raises(DBAPIError, match="statement timeout") as raised:
                await connection.execute(text("SELECT pg_sleep(5)"))
            assert not is_unavailable(raised.value)
        with pytest.raises(asyncpg.QueryCanceledError):
            await database.tile_pool.fetchval("SELECT pg_sleep(5)")


async def test_tile_connections_read_only_and_speak_json(database: Database) -> None:
    assert await database.tile_pool.fetchval("SELECT '{\"a\": [1]}'::jsonb") == {"a": [1]}
    assert await database.tile_pool.fetchval("SHOW default_transaction_read_only") == "on"
    with pytest.raises(asyncpg.PostgresError, match="read-only"):
        await database.tile_pool.execute("CREATE TABLE analysis.t (id int)")


async def test_a_table_made_by_anybody_is_announced_and_readable_at_once(
    database: Database, database_url: str
) -> None:
    received: list[tuple[str, str]] = []
    subscription = await database.listen(["geoagent_ddl"], lambda *news: received.append(news))
    async with database.owner.begin() as connection:
        await connection.execute(text("CREATE ROLE surveyor LOGIN SUPERUSER PASSWORD 'chain'"))
    surveyor = await asyncpg.connect(database_url, user="surveyor", password="chain")
    await surveyor.execute('CREATE TABLE data."My ""naïve"" Table" (id int)')
    await surveyor.execute("CREATE TEMP TABLE scratch (id int)")
    await until(lambda: ("geoagent_ddl", 'data."My ""naïve"" Table"') in received)
    async with database.reader.connect() as connection:
        assert await connection.scalar(text('SELECT count(*) FROM data."My ""naïve"" Table"')) == 0
    received.clear()
    await surveyor.execute('DROP TABLE data."My ""naïve"" Table"')
    await surveyor.close()
    await until(lambda: ("geoagent_ddl", 'data."My ""naïve"" Table"') in received)
    async with database.owner.begin() as connection:
        await connection.execute(text("DROP ROLE surveyor"))
    await subscription.close()


async def test_a_table_in_a_schema_that_is_not_exposed_stays_hidden(database: Database) -> None:
    async with database.owner.begin() as connection:
        await connection.execute(text("CREATE TABLE hidden.later (id int)"))
    async with database.reader.connect() as connection:
        with pytest.raises(DBAPIError, match="permission denied"):
            await connection.execute(text("SELECT * FROM hidden.later"))


async def test_more_schemas_are_exposed_and_hidden_again_by_the_setting(
    database: Database, database_url: str
) -> None:
    await migrate.upgrade(database_url, (*OWN_SCHEMAS, "hidden"))
    async with database.reader.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM hidden.unseen")) == 0
    await migrate.upgrade(database_url)
    async with database.reader.connect() as connection:
        with pytest.raises(DBAPIError, match="permission denied"):
            await connection.execute(text("SELECT * FROM hidden.unseen"))


async def test_a_second_start_leaves_the_catalogue_of_all_tables_as_it_is(
    database: Database, database_url: str
) -> None:
    """Otherwise the servers that run already would read all tables again."""
    rows = text("SELECT oid, xmin::text FROM pg_class WHERE relkind IN ('r', 'v') ORDER BY oid")
    async with database.owner.connect() as connection:
        before = (await connection.execute(rows)).all()
    await migrate.upgrade(database_url)
    async with database.owner.connect() as connection:
        assert (await connection.execute(rows)).all() == before


async def test_a_table_that_lost_the_rights_of_the_roles_gets_them_back_at_the_next_start(
    database: Database, database_url: str
) -> None:
    async with database.owner.begin() as connection:
        reader = await connection.scalar(text("SELECT geoagent.role_name('reader')"))
        await connection.exec_driver_sql('CREATE TABLE data."taken ""away""" (id int)')
        await connection.exec_driver_sql(f'REVOKE ALL ON data."taken ""away""" FROM "{reader}"')
    await migrate.upgrade(database_url)
    async with database.reader.connect() as connection:
        assert await connection.scalar(text('SELECT count(*) FROM data."taken ""away"""')) == 0


async def test_columns_that_the_roles_may_not_read_stay_hidden_at_the_next_start(
    database: Database, database_url: str
) -> None:
    async with database.owner.begin() as connection:
        roles = [
            await connection.scalar(text(f"SELECT geoagent.role_name('{role}')"))
            for role in ("reader", "writer")
        ]
        both = ", ".join(f'"{role}"' for role in roles)
        await connection.exec_driver_sql(
            "CREATE TABLE data.staff (id int PRIMARY KEY, name text, salary int)"
        )
        await connection.exec_driver_sql(f"REVOKE ALL ON data.staff FROM {both}")
        await connection.exec_driver_sql(f"GRANT SELECT (id, name) ON data.staff TO {both}")
    await migrate.upgrade(database_url)
    async with database.reader.connect() as connection:
        await connection.execute(text("SELECT id, name FROM data.staff"))
        with pytest.raises(DBAPIError, match="permission denied"):
            await connection.execute(text("SELECT salary FROM data.staff"))


async def test_a_listener_that_fails_hears_the_next_notification_all_the_same(database: Database) -> None:
    received: list[str] = []

    async def hear(_: str, payload: str) -> None:
        received.append(payload)
        if payload == "bad":
            raise RuntimeError("listener")

    subscription = await database.listen(["test_faults"], hear)
    async with database.owner.begin() as connection:
        await connection.execute(text("NOTIFY test_faults, 'bad'"))
        await connection.execute(text("NOTIFY test_faults, 'good'"))
    await until(lambda: received == ["bad", "good"])
    await subscription.close()


async def test_two_databases_of_one_cluster_have_different_readers(postgis: Postgis) -> None:
    names = [postgis.migrated(), postgis.migrated()]
    opened = [await Database.connect(Settings(database_url=postgis.url(name))) for name in names]
    users = [await database.tile_pool.fetchval("SELECT current_user") for database in opened]
    assert users == [f"{name}_reader" for name in names]
    for database, name in zip(opened, names, strict=True):
        await database.close()
        postgis.drop(name)


async def test_a_budget_that_postgresql_cannot_give_is_refused_at_start_with_what_to_do(
    postgis: Postgis,
) -> None:
    name = postgis.migrated()
    postgis.execute(f'ALTER DATABASE "{name}" CONNECTION LIMIT 20')
    with pytest.raises(TooFewConnections, match=r"is 30.*allows this server 20.*at most 20.*max_connections"):
        await Database.connect(Settings(database_url=postgis.url(name)))
    async with await Database.connect(Settings(database_url=postgis.url(name), connections=20)):
        pass
    postgis.drop(name)


async def test_unused_connections_are_closed(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "IDLE_S", 0.2)
    monkeypatch.setattr(pools, "IDLE_CHECK_S", 0.05)
    count = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename LIKE '%reader'"
    )
    watch = await asyncpg.connect(database_url)
    async with await Database.connect(Settings(database_url=database_url)) as database:
        size = database.lanes["interactive"].size

        async def hold(ready: asyncio.Barrier) -> None:
            async with database.reader.connect() as connection:
                await connection.execute(text("SELECT 1"))
                await ready.wait()

        ready = asyncio.Barrier(size)
        others = await watch.fetchval(count)
        await asyncio.gather(*(hold(ready) for _ in range(size)))
        assert await watch.fetchval(count) >= size

        async def only_that_of_the_tiles() -> bool:
            return bool(await watch.fetchval(count) <= others)

        await until(only_that_of_the_tiles)
        async with database.reader.connect() as connection:
            assert await connection.scalar(text("SELECT 1")) == 1
        assert database.lanes["interactive"].in_use == 0
    await watch.close()


def test_every_spelling_of_a_postgresql_url_is_understood() -> None:
    for spelling in ("postgres://u@h/d", "postgresql://u@h/d", "postgresql+asyncpg://u@h/d"):
        assert plain_url(spelling) == "postgresql://u@h/d"
    for wrong in ("mysql://u@h/d", "localhost", ""):
        with pytest.raises(ValueError, match="postgresql://"):
            plain_url(wrong)
