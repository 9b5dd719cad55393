"""Checks the database in DATABASE_URL: is it reachable, does it have PostGIS with vector tiles, are the rights
sufficient."""

from __future__ import annotations

import re

import asyncpg

from server.postgres.address import plain_url
from server.postgres.problem import DatabaseProblem

OLDEST = (3, 0)
ABILITIES = """
    SELECT current_user AS name, current_database() AS database, rolsuper OR rolcreaterole AS roles,
        has_database_privilege(current_database(), 'CREATE') AS creates,
        (SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'postgis') AS postgis,
        (SELECT coalesce(string_agg(name, ' '), '') FROM pg_available_extensions
            WHERE name IN ('postgis', 'pg_trgm', 'unaccent')) AS available
    FROM pg_roles WHERE rolname = current_user
"""
"""Query of the user's rights, of the schema of PostGIS where it is installed, and of the extensions that could be
installed."""


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
        found = await connection.fetchrow(ABILITIES)
        await _check_postgis(connection, found)
        _check_rights(found)
    finally:
        await connection.close()
    return plain


async def _check_postgis(connection: asyncpg.Connection, found: asyncpg.Record) -> None:
    database, schema = found["database"], found["postgis"]
    if schema is None:
        if "postgis" not in found["available"].split():
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
    schema = schema or "public"
    version, protobuf = await connection.fetchrow(
        f"SELECT {schema}.postgis_lib_version(), {schema}.postgis_libprotobuf_version()"
    )
    number = re.match(r"(\d+)\.(\d+)", version)
    if number is None or (int(number[1]), int(number[2])) < OLDEST:
        raise DatabaseUnfit(f"DATABASE_URL: PostGIS 3.0 or newer is needed, this is {version[:40]}.")
    if not protobuf:
        raise DatabaseUnfit(
            "DATABASE_URL: this PostGIS was built without libprotobuf-c, so it cannot make vector tiles "
            "(ST_AsMVT). Use the PostGIS of your distribution, or of the image postgis/postgis."
        )


def _check_rights(found: asyncpg.Record) -> None:
    name, database = found["name"], found["database"]
    if not found["creates"]:
        raise DatabaseUnfit(
            f"DATABASE_URL: the user {name} may not create schemas in {database}. As its owner "
            f'run: GRANT CREATE ON DATABASE "{database}" TO "{name}";'
        )
    if not found["roles"]:
        raise DatabaseUnfit(
            f"DATABASE_URL: the user {name} may not create roles, and GeoAgent reads by a role of its "
            f'own that can change nothing. As a superuser run: ALTER ROLE "{name}" CREATEROLE;'
        )
    for extension in ("pg_trgm", "unaccent"):
        if extension not in found["available"].split():
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
