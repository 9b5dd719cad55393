"""Checks the database in DATABASE_URL: is it reachable, does it have PostGIS with vector tiles, are the rights
sufficient."""

from __future__ import annotations

import re

import asyncpg

from server.postgres.address import plain_url
from server.postgres.problem import DatabaseProblem

OLDEST = (3, 0)


class DatabaseUnfit(DatabaseProblem):
    """GeoAgent cannot work with this database; the message says why and what to run."""


async def check(url: str) -> str:
    """The URL as the rest of the server takes it; raises DatabaseUnfit. Makes the extension if it may."""
    try:
        plain = plain_url(url)
    except ValueError as error:
        raise DatabaseUnfit(str(error)) from error
    try:
        connection = await asyncpg.connect(plain, timeout=15)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
        raise DatabaseUnfit(f"DATABASE_URL: cannot connect ({_without_secrets(error, url)}).") from error
    try:
        await _check_postgis(connection)
        await _check_rights(connection)
    finally:
        await connection.close()
    return plain


async def _check_postgis(connection: asyncpg.Connection) -> None:
    database = await connection.fetchval("SELECT current_database()")
    if not await connection.fetchval("SELECT count(*) FROM pg_extension WHERE extname = 'postgis'"):
        if not await connection.fetchval(
            "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgis'"
        ):
            raise DatabaseUnfit(
                f"DATABASE_URL: PostGIS is not installed on the server of the database {database}."
            )
        try:
            await connection.execute("CREATE EXTENSION postgis SCHEMA public")
        except asyncpg.InsufficientPrivilegeError as error:
            raise DatabaseUnfit(
                f"DATABASE_URL: the database {database} lacks the extension PostGIS, which this user may not "
                "add. As a superuser run in it: CREATE EXTENSION postgis SCHEMA public;"
            ) from error
    schema = await connection.fetchval(
        "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'postgis'"
    )
    version = str(await connection.fetchval(f"SELECT {schema}.postgis_full_version()"))
    number = re.search(r'POSTGIS="(\d+)\.(\d+)', version)
    if number is None or (int(number[1]), int(number[2])) < OLDEST:
        raise DatabaseUnfit(f"DATABASE_URL: PostGIS 3.0 or newer is needed, this is {version[:40]}.")
    if "LIBPROTOBUF" not in version:
        raise DatabaseUnfit(
            "DATABASE_URL: this PostGIS was built without libprotobuf-c, so it cannot make vector tiles "
            "(ST_AsMVT). Use the PostGIS of your distribution, or of the image postgis/postgis."
        )


async def _check_rights(connection: asyncpg.Connection) -> None:
    row = await connection.fetchrow(
        "SELECT current_user AS name, current_database() AS database, rolsuper OR rolcreaterole AS roles, "
        "has_database_privilege(current_database(), 'CREATE') AS creates "
        "FROM pg_roles WHERE rolname = current_user"
    )
    if not row["creates"]:
        raise DatabaseUnfit(
            f"DATABASE_URL: the user {row['name']} may not create schemas in {row['database']}. As its owner "
            f'run: GRANT CREATE ON DATABASE "{row["database"]}" TO "{row["name"]}";'
        )
    if not row["roles"]:
        raise DatabaseUnfit(
            f"DATABASE_URL: the user {row['name']} may not create roles, and GeoAgent reads by a role of its "
            f'own that can change nothing. As a superuser run: ALTER ROLE "{row["name"]}" CREATEROLE;'
        )
    for extension in ("pg_trgm", "unaccent"):
        if not await connection.fetchval(
            "SELECT count(*) FROM pg_available_extensions WHERE name = $1", extension
        ):
            raise DatabaseUnfit(
                f"DATABASE_URL: the server lacks the extension {extension} (package postgresql-contrib)."
            )


def _without_secrets(error: BaseException, url: str) -> str:
    """The driver's message, without the URL or its password."""
    message = str(error) or type(error).__name__
    password = re.search(r"://[^/@]*?:([^@]*)@", url)
    for secret in filter(None, (url, password[1] if password else None)):
        message = message.replace(secret, "***")
    return message
