"""Migrations up and down on a real database, together with the roles and the rights of an ordinary owner."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import asyncpg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy.dialects import postgresql

import migrations
from server.database import migrate, roles, schema_version
from server.database.engines import Database
from server.database.roles import RolesFailed
from server.maps.log.tables import metadata
from server.postgres.problem import DatabaseProblem
from server.settings import Settings
from tests.support.looking import until
from tests.support.postgis import Postgis
from tests.support.server import client, local_server

SHAPE = """
    SELECT 'column', table_schema || '.' || table_name, column_name, data_type, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema IN ('geoagent', 'data', 'analysis')
    UNION ALL
    SELECT 'index', schemaname || '.' || tablename, indexname, indexdef, NULL, NULL
    FROM pg_indexes WHERE schemaname = 'geoagent'
    UNION ALL
    SELECT 'trigger', evtname, evtevent, array_to_string(evttags, ','), NULL, NULL FROM pg_event_trigger
    UNION ALL
    SELECT 'schema', nspname, nspacl::text, NULL, NULL, NULL FROM pg_namespace WHERE nspname !~ '^pg_'
    ORDER BY 1, 2, 3, 4
"""

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'geoagent.map'::regclass"


@pytest.fixture
async def empty(postgis: Postgis) -> AsyncIterator[str]:
    """The name of a database without PostGIS."""
    name = postgis.create()
    yield name
    postgis.drop(name)


async def fetch(url: str, question: str, *values: object) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetch(question, *values)
    finally:
        await connection.close()


def declared_columns() -> dict[tuple[str, str], str]:
    """The columns of the server's own tables as its code declares them, with the types that PostgreSQL reports."""
    dialect = postgresql.dialect()
    return {
        (table.fullname, column.name): "ARRAY"
        if "[]" in (kind := column.type.compile(dialect))
        else kind.lower()
        for table in metadata.tables.values()
        for column in table.columns
    }


async def test_up_again_and_down_and_up_end_in_the_same_shape(postgis: Postgis, empty: str) -> None:
    url = postgis.url(empty)
    await migrate.upgrade(url)
    first = await fetch(url, SHAPE)
    assert len([row for row in first if row[0] == "trigger"]) == 2
    migrated = {(table, name): kind for what, table, name, kind, *_ in first if what == "column"}
    assert {place: migrated.get(place) for place in declared_columns()} == declared_columns()
    await migrate.upgrade(url)
    assert await fetch(url, SHAPE) == first
    await migrate.downgrade(url)
    await migrate.upgrade(url)
    assert await fetch(url, SHAPE) == first


async def test_down_leaves_nothing_of_geoagent(postgis: Postgis, empty: str) -> None:
    url = postgis.url(empty)
    await migrate.upgrade(url)
    await migrate.downgrade(url)
    left = await fetch(
        url, "SELECT nspname FROM pg_namespace WHERE nspname IN ('geoagent', 'data', 'analysis')"
    )
    roles = await fetch(url, "SELECT rolname FROM pg_roles WHERE rolname LIKE $1", f"{empty}\\_%")
    triggers = await fetch(url, "SELECT evtname FROM pg_event_trigger")
    assert (left, roles, triggers) == ([], [], [])


async def test_down_keeps_what_people_put_into_data(postgis: Postgis, empty: str) -> None:
    url = postgis.url(empty)
    await migrate.upgrade(url)
    await fetch(url, "CREATE TABLE data.precious AS SELECT 7 AS number")
    await migrate.downgrade(url)
    assert [row["number"] for row in await fetch(url, "SELECT number FROM data.precious")] == [7]


async def test_many_servers_that_start_at_once_migrate_once(postgis: Postgis, empty: str) -> None:
    url = postgis.url(empty)
    await asyncio.gather(*(migrate.upgrade(url) for _ in range(5)))
    versions = await fetch(url, "SELECT version_num FROM geoagent.alembic_version")
    assert len(versions) == 1


async def test_a_database_of_a_newer_geoagent_is_refused_and_left_alone(postgis: Postgis, empty: str) -> None:
    url = postgis.url(empty)
    await migrate.upgrade(url)
    await fetch(url, "UPDATE geoagent.alembic_version SET version_num = '9999'")
    await fetch(url, "UPDATE geoagent.schema_compatibility SET oldest_revision = '9998'")
    with pytest.raises(DatabaseProblem, match="newer GeoAgent"):
        await migrate.upgrade(url)
    versions = await fetch(url, "SELECT version_num FROM geoagent.alembic_version")
    assert [row["version_num"] for row in versions] == ["9999"]


async def test_a_newer_schema_that_says_it_is_compatible_is_used_as_it_is(
    postgis: Postgis, empty: str
) -> None:
    url = postgis.url(empty)
    await migrate.upgrade(url)
    await fetch(url, "UPDATE geoagent.alembic_version SET version_num = '9999'")
    await fetch(
        url, "UPDATE geoagent.schema_compatibility SET oldest_revision = $1", schema_version.newest_revision()
    )
    async with local_server(url) as server, aiohttp.ClientSession(server.url) as session:
        async with session.get("/readyz") as answer:
            assert answer.status == 200
        async with client(server) as one:
            await one.ask("join")
        await fetch(url, "UPDATE geoagent.schema_compatibility SET oldest_revision = '9999'")

        async def found() -> str:
            async with session.get("/readyz") as answer:
                checks: dict[str, str] = (await answer.json())["checks"]
                return "" if answer.status == 200 else checks["migrations"]

        # What was found before is kept for a second.
        assert "at 9999" in await until(found)
    versions = await fetch(url, "SELECT version_num FROM geoagent.alembic_version")
    assert [row["version_num"] for row in versions] == ["9999"]


def test_the_newest_revision_is_the_one_that_alembic_would_migrate_to() -> None:
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert schema_version.newest_revision() == scripts.get_current_head()
    assert [each.revision for each in scripts.walk_revisions()][-1] == "0001"


@pytest.mark.parametrize(
    "migration", [one for one in schema_version.known_migrations().values() if one.additive]
)
def test_a_migration_that_says_it_is_additive_takes_nothing_away(migration: schema_version.Migration) -> None:
    """If this fails, older servers may break on the new schema: leave out `additive`."""
    script = ScriptDirectory(str(Path(migrations.__file__).parent)).get_revision(migration.revision)
    source = inspect.getsource(script.module.upgrade)
    taken = re.findall(
        r"\b(DROP|RENAME|SET NOT NULL|TYPE|REVOKE|DELETE FROM|TRUNCATE|drop_\w+|alter_column)\b", source
    )
    assert taken == []
    for column in re.findall(r"ADD COLUMN[^,\"]*", source):
        assert "NOT NULL" not in column or "DEFAULT" in column


async def test_an_owner_who_is_no_superuser_is_enough(postgis: Postgis, empty: str) -> None:
    admin = postgis.url(empty)
    await fetch(admin, "CREATE EXTENSION postgis SCHEMA public")
    await fetch(admin, "CREATE ROLE plain_owner LOGIN CREATEROLE PASSWORD 'pw'")
    await fetch(admin, f'ALTER DATABASE "{empty}" OWNER TO plain_owner')
    await fetch(admin, "CREATE TABLE public.of_somebody_else AS SELECT 1 AS id")
    try:
        plain = admin.replace("postgres:", "plain_owner:", 1)
        plain = plain.replace(plain[plain.index(":", 13) + 1 : plain.index("@")], "pw")
        await migrate.upgrade(plain)
        async with await Database.connect(Settings(database_url=plain)) as database:
            async with database.owner.begin() as connection:
                await connection.exec_driver_sql("CREATE TABLE data.mine AS SELECT 1 AS id")
            assert await database.tile_pool.fetchval("SELECT count(*) FROM data.mine") == 1
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await database.tile_pool.fetchval("SELECT count(*) FROM public.of_somebody_else")
            async with database.writer.begin() as connection:
                await connection.exec_driver_sql("CREATE TABLE analysis.result AS SELECT 2 AS id")
            assert await database.tile_pool.fetchval("SELECT id FROM analysis.result") == 2
            async with database.owner.begin() as connection:
                await connection.exec_driver_sql("DROP TABLE analysis.result")
        assert await fetch(admin, "SELECT evtname FROM pg_event_trigger") == []
        await migrate.upgrade(admin)
        assert len(await fetch(admin, "SELECT evtname FROM pg_event_trigger")) == 2
        await migrate.downgrade(admin)
    finally:
        await fetch(admin, "REASSIGN OWNED BY plain_owner TO postgres")
        await fetch(admin, "DROP OWNED BY plain_owner CASCADE")
        await fetch(admin, "DROP ROLE plain_owner")


async def test_an_owner_who_may_not_make_roles_is_told_what_to_run(postgis: Postgis, empty: str) -> None:
    admin = postgis.url(empty)
    for extension in ("postgis", "pg_trgm", "unaccent"):
        await fetch(admin, f"CREATE EXTENSION {extension} SCHEMA public")
    await fetch(admin, "CREATE ROLE powerless LOGIN PASSWORD 'pw'")
    await fetch(admin, f'ALTER DATABASE "{empty}" OWNER TO powerless')
    try:
        url = admin.replace(admin[admin.index("//") + 2 : admin.index("@")], "powerless:pw")
        with pytest.raises(RolesFailed, match='ALTER ROLE "powerless" CREATEROLE'):
            await migrate.upgrade(url)
    finally:
        await fetch(admin, "REASSIGN OWNED BY powerless TO postgres")
        await fetch(admin, "DROP ROLE powerless")


async def test_a_user_called_geoagent_gets_postgis_into_public(postgis: Postgis, empty: str) -> None:
    admin = postgis.url(empty)
    await fetch(admin, "CREATE ROLE geoagent LOGIN SUPERUSER PASSWORD 'pw'")
    try:
        await migrate.upgrade(admin.replace(admin[admin.index("//") + 2 : admin.index("@")], "geoagent:pw"))
        homes = await fetch(
            admin, "SELECT DISTINCT extnamespace::regnamespace::text AS home FROM pg_extension"
        )
        assert {row["home"] for row in homes} == {"public", "pg_catalog"}
    finally:
        await fetch(admin, "REASSIGN OWNED BY geoagent TO postgres")
        await fetch(admin, "DROP OWNED BY geoagent")
        await fetch(admin, "DROP ROLE geoagent")


async def test_a_long_or_strange_database_name_gives_roles_that_work(postgis: Postgis) -> None:
    name = 'über "long" ' + "x" * 40
    quoted = name.replace('"', '""')
    await fetch(postgis.url("postgres"), f'CREATE DATABASE "{quoted}"')
    url = postgis.url(name)
    await migrate.upgrade(url)
    async with await Database.connect(Settings(database_url=url)) as database:
        user = await database.tile_pool.fetchval("SELECT current_user")
        assert user.endswith("_reader")
        assert len(user.encode()) <= 63
    await migrate.downgrade(url)
    await fetch(postgis.url("postgres"), f'DROP DATABASE "{quoted}"')


async def test_no_password_is_in_a_statement_that_the_server_may_log(postgis: Postgis, empty: str) -> None:
    url = postgis.url(empty)
    await fetch(postgis.url("postgres"), "ALTER SYSTEM SET log_statement = 'all'")
    await fetch(postgis.url("postgres"), "SELECT pg_reload_conf()")
    await migrate.upgrade(url)
    async with await Database.connect(Settings(database_url=url)) as database:
        await database.tile_pool.fetchval("SELECT 1")
        async with database.owner.connect() as connection:
            reader, *_ = await roles.logins(connection)
    secret = (await fetch(url, "SELECT value FROM geoagent.secret WHERE name = 'roles'"))[0]["value"]
    await fetch(postgis.url("postgres"), "ALTER SYSTEM RESET log_statement")
    await fetch(postgis.url("postgres"), "SELECT pg_reload_conf()")
    log = postgis.log()
    assert "CREATE ROLE" in log
    assert "PASSWORD 'SCRAM-SHA-256$" in log
    assert secret not in log
    assert reader.password not in log


async def test_a_start_says_who_holds_the_migration_lock_for_too_long(
    postgis: Postgis, empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgis.url(empty)
    monkeypatch.setattr(migrate, "LOCK_TIMEOUT_S", 1)
    other = await asyncpg.connect(url)
    try:
        await other.execute("SELECT pg_advisory_lock($1)", migrate.LOCK)
        with pytest.raises(migrate.MigrationFailed, match=f"PostgreSQL process {other.get_server_pid()}"):
            await migrate.upgrade(url)
    finally:
        await other.close()
    await migrate.upgrade(url)


async def test_a_migration_that_waits_for_a_table_lets_others_read_it_meanwhile(
    postgis: Postgis, empty: str
) -> None:
    url = postgis.url(empty)
    await migrate.upgrade(url)
    await migrate.downgrade(url, "0012")
    backup, reader = await asyncpg.connect(url), await asyncpg.connect(url)
    migrating = asyncio.create_task(migrate.upgrade(url))
    try:
        async with backup.transaction():
            await backup.execute("LOCK TABLE geoagent.map IN ACCESS SHARE MODE")
            for _ in range(2):
                await until(lambda: reader.fetchval(WAITING))
                await asyncio.wait_for(reader.fetchval("SELECT count(*) FROM geoagent.map"), 10)
            assert not migrating.done()
        await migrating
    finally:
        migrating.cancel()
        await asyncio.wait([migrating])
        await reader.close()
        await backup.close()
    versions = await fetch(url, "SELECT version_num FROM geoagent.alembic_version")
    assert [row["version_num"] for row in versions] == [schema_version.newest_revision()]


async def test_a_migration_names_who_keeps_it_from_a_table_for_too_long(
    postgis: Postgis, empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgis.url(empty)
    await migrate.upgrade(url)
    await migrate.downgrade(url, "0012")
    monkeypatch.setattr(migrate, "LOCK_TIMEOUT_S", 2)
    other = await asyncpg.connect(url)
    try:
        await other.execute("BEGIN; LOCK TABLE geoagent.map IN ACCESS SHARE MODE")
        with pytest.raises(
            migrate.MigrationFailed, match=rf"geoagent\.map.*process {other.get_server_pid()}"
        ):
            await migrate.upgrade(url)
    finally:
        await other.close()
    await migrate.upgrade(url)
