"""A database that a person names by DATABASE_URL: taken if it will do, else refused in words that help."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from server import samples
from server.app import running
from server.postgres import DatabaseProblem, ensure
from server.settings import Settings
from tests.support.postgis import Postgis


@pytest.fixture
def name(postgis: Postgis) -> Iterator[str]:
    """A database with nothing in it."""
    made = postgis.create()
    yield made
    postgis.drop(made)


@pytest.fixture
async def powerless(postgis: Postgis) -> AsyncIterator[str]:
    connection = await asyncpg.connect(postgis.url("postgres"))
    await connection.execute("CREATE ROLE nobody_special LOGIN PASSWORD 'hush'")
    yield "nobody_special:hush"
    await connection.execute("DROP ROLE nobody_special")
    await connection.close()


def as_user(url: str, credentials: str) -> str:
    return re.sub(r"//[^@]*@", f"//{credentials}@", url)


async def refusal(url: str) -> str:
    with pytest.raises(DatabaseProblem) as refused:
        async with ensure(Settings(database_url=url)):
            pass
    return str(refused.value)


async def test_an_empty_database_gets_postgis_tables_and_samples(postgis: Postgis, name: str) -> None:
    async with running(Settings(database_url=postgis.url(name))) as server:
        database = server.database
        assert await database.tile_pool.fetchval("SELECT count(*) FROM data.airports") > 20_000
        assert "LIBPROTOBUF" in await database.tile_pool.fetchval("SELECT postgis_full_version()")
        assert await samples.load(database) is False
    async with running(Settings(database_url=postgis.url(name))) as server:
        assert await server.database.tile_pool.fetchval("SELECT count(*) FROM data.airports") > 20_000


async def test_without_the_wish_for_samples_none_are_loaded(postgis: Postgis, name: str) -> None:
    async with running(Settings(database_url=postgis.url(name), samples=False)) as server:
        assert await server.database.tile_pool.fetchval("SELECT to_regclass('data.airports')") is None


async def test_a_database_that_is_not_there_is_named(postgis: Postgis) -> None:
    assert "cannot connect" in await refusal(postgis.url("nowhere"))
    assert "cannot connect" in await refusal("postgresql://u:p@127.0.0.1:1/d")


async def test_a_wrong_password_is_reported_and_not_printed(postgis: Postgis) -> None:
    said = await refusal(as_user(postgis.url("postgres"), "postgres:swordfish"))
    assert "password authentication failed" in said
    assert "swordfish" not in said


async def test_something_else_than_postgresql_is_refused() -> None:
    assert "postgresql://" in await refusal("mysql://u:p@h/d")
    assert "cannot connect" in await refusal("postgresql://u:p@h:port/d")


async def test_a_user_who_may_not_add_postgis_is_told_what_to_run(
    postgis: Postgis, name: str, powerless: str
) -> None:
    assert "CREATE EXTENSION postgis SCHEMA public;" in await refusal(as_user(postgis.url(name), powerless))


async def test_a_user_without_rights_is_told_which_are_missing(
    postgis: Postgis, name: str, powerless: str
) -> None:
    postgis.execute("CREATE EXTENSION postgis", database=name)
    url = as_user(postgis.url(name), powerless)
    assert f'GRANT CREATE ON DATABASE "{name}" TO "nobody_special";' in await refusal(url)
    postgis.execute(f'GRANT CREATE ON DATABASE "{name}" TO nobody_special')
    assert 'ALTER ROLE "nobody_special" CREATEROLE;' in await refusal(url)
    postgis.execute("ALTER ROLE nobody_special CREATEROLE")
    async with ensure(Settings(database_url=url)) as accepted:
        assert accepted == url
    postgis.execute(f'REVOKE CREATE ON DATABASE "{name}" FROM nobody_special')


async def test_a_postgis_without_vector_tiles_is_refused(postgis: Postgis, name: str) -> None:
    postgis.execute("CREATE EXTENSION postgis", database=name)
    postgis.execute(
        "CREATE OR REPLACE FUNCTION public.postgis_libprotobuf_version() RETURNS text LANGUAGE sql AS 'SELECT NULL'",
        database=name,
    )
    assert "ST_AsMVT" in await refusal(postgis.url(name))
