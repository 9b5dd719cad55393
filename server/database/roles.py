"""The reader, the writer and the loader: their logins, their grants, and the triggers that grant new tables.

Run at every start by `server.database.migrate`, as the owner. The reader may SELECT from the exposed schemas and
nothing in `geoagent`; the writer may besides create tables in `analysis`. The loader creates tables in `data`
for uploads and reads nothing else; as long as a table is the loader's, only the map that it was uploaded to
sees it. Passwords derive from a secret that only the owner can read, so every server on the same database
knows them and none is stored. Without the right to make event triggers (not superuser) those are left out:
the registry polls, and tables of other users are granted at the next start."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from server.database.quoting import quoted
from server.database.sqlstates import INSUFFICIENT_PRIVILEGE, sqlstate
from server.postgres.problem import DatabaseProblem

DDL_TAGS = (
    "CREATE TABLE", "CREATE TABLE AS", "SELECT INTO", "ALTER TABLE", "CREATE VIEW", "ALTER VIEW",
    "CREATE MATERIALIZED VIEW", "ALTER MATERIALIZED VIEW", "REFRESH MATERIALIZED VIEW",
    "CREATE FOREIGN TABLE", "ALTER FOREIGN TABLE", "IMPORT FOREIGN SCHEMA", "CREATE INDEX", "COMMENT",
    "GRANT", "REVOKE", "CREATE SCHEMA", "ALTER SCHEMA",
)  # fmt: skip


class RolesFailed(DatabaseProblem):
    """The connecting user may not make the two roles; the message says what an administrator has to run."""


@dataclass(frozen=True)
class Login:
    """A role of PostgreSQL that can log in, with its password."""

    name: str
    password: str

    def __repr__(self) -> str:
        return f"Login({self.name!r}, password=***)"


class Logins(NamedTuple):
    """The roles that the server connects as, besides the owner."""

    reader: Login
    writer: Login
    loader: Login


IDLE_IN_TRANSACTION_MS = 60_000
"""PostgreSQL ends a transaction that has been idle for this time, since it holds a connection and locks."""


async def logins(connection: AsyncConnection) -> Logins:
    """Names and passwords of the three roles. Needs the owner's rights."""
    secret = await _secret(connection)
    columns = ", ".join(f"geoagent.role_name('{kind}')" for kind in Logins._fields)
    names = (await connection.execute(text(f"SELECT {columns}"))).one()
    return Logins(*(Login(name, _derive(secret, name)) for name in names))


async def synchronise(connection: AsyncConnection, schemas: Sequence[str]) -> None:
    """Make roles, grants and triggers what they should be. Idempotent; leaves the commit to the caller."""
    known = await logins(connection)
    reader, writer, loader = known
    for login in known:
        await _ensure_login(connection, login)
        await connection.exec_driver_sql(
            f"ALTER ROLE {quoted(login.name)} SET idle_in_transaction_session_timeout = {IDLE_IN_TRANSACTION_MS}"
        )
    for login in (writer, loader):
        await _be_member_of(connection, login.name)
    both = f"{quoted(reader.name)}, {quoted(writer.name)}"
    await _hide(connection, both, await _no_longer_exposed(connection, schemas))
    for schema in await _existing(connection, schemas):
        await _expose(connection, (reader.name, writer.name), schema)
    await _share_postgis(connection, known)
    await _open_analysis(connection, reader, writer)
    await _open_overviews(connection, reader)
    await _open_lake(connection, reader, writer)
    await _open_uploads(connection, loader, both)
    await _ensure_triggers(connection)


async def _secret(connection: AsyncConnection) -> str:
    """Made by the database itself, so that it is in no statement and no log. A UUID has 122 random bits."""
    await connection.execute(
        text(
            "INSERT INTO geoagent.secret VALUES ('roles', "
            "replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')) ON CONFLICT DO NOTHING"
        )
    )
    value = await connection.scalar(text("SELECT value FROM geoagent.secret WHERE name = 'roles'"))
    return str(value)


def _derive(secret: str, name: str) -> str:
    return hmac.new(bytes.fromhex(secret), name.encode(), hashlib.sha256).hexdigest()


def _verifier(login: Login) -> str:
    """The form in which PostgreSQL stores a password (SCRAM-SHA-256), so that no statement or log holds it."""
    salt = hashlib.sha256(f"salt of {login.password}".encode()).digest()[:16]
    iterations = 4096
    salted = hashlib.pbkdf2_hmac("sha256", login.password.encode(), salt, iterations)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    encoded = [base64.b64encode(part).decode() for part in (salt, stored, server)]
    return f"SCRAM-SHA-256${iterations}:{encoded[0]}${encoded[1]}:{encoded[2]}"


async def _ensure_login(connection: AsyncConnection, login: Login) -> None:
    exists = await connection.scalar(
        text("SELECT true FROM pg_roles WHERE rolname = :name"), {"name": login.name}
    )
    verb = "ALTER" if exists else "CREATE"
    try:
        async with connection.begin_nested():
            await connection.exec_driver_sql(
                f"{verb} ROLE {quoted(login.name)} LOGIN NOCREATEDB PASSWORD '{_verifier(login)}'"
            )
    except DBAPIError as error:
        user = await connection.scalar(text("SELECT current_user"))
        raise RolesFailed(
            f"The database user {user} may not {verb.lower()} the role {login.name}, which GeoAgent needs "
            f"for read-only access. As a superuser run: ALTER ROLE {quoted(str(user))} CREATEROLE;"
            + (f" DROP ROLE {quoted(login.name)};" if exists else "")
        ) from error


async def _be_member_of(connection: AsyncConnection, name: str) -> None:
    """The owner must be able to drop and grant what the writer made; a superuser can anyway."""
    if not await connection.scalar(text("SELECT pg_has_role(:name, 'USAGE')"), {"name": name}):
        await connection.exec_driver_sql(f"GRANT {quoted(name)} TO CURRENT_USER")


async def _existing(connection: AsyncConnection, schemas: Iterable[str]) -> list[str]:
    rows = await connection.scalars(
        text(
            "SELECT nspname FROM pg_namespace WHERE nspname = ANY(:wanted) AND nspname <> 'geoagent' "
            "ORDER BY 1"
        ),
        {"wanted": list(schemas)},
    )
    return list(rows)


async def _no_longer_exposed(connection: AsyncConnection, schemas: Sequence[str]) -> list[str]:
    """Note what is exposed now; the schemas that were, at the last start, and are not any more."""
    gone = await connection.scalars(
        text("DELETE FROM geoagent.exposed_schema WHERE name <> ALL(:wanted) RETURNING name"),
        {"wanted": list(schemas)},
    )
    hidden = await _existing(connection, list(gone))
    await connection.execute(
        text(
            "INSERT INTO geoagent.exposed_schema SELECT unnest(CAST(:wanted AS text[])) "
            "ON CONFLICT DO NOTHING"
        ),
        {"wanted": [schema for schema in schemas if schema != "geoagent"]},
    )
    return hidden


async def _hide(connection: AsyncConnection, both: str, schemas: Iterable[str]) -> None:
    for schema in map(quoted, schemas):
        for rights in (
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} REVOKE SELECT ON TABLES",
            f"REVOKE SELECT ON ALL TABLES IN SCHEMA {schema}",
            f"REVOKE USAGE ON SCHEMA {schema}",
        ):
            await _try(connection, f"{rights} FROM {both}")


async def _expose(connection: AsyncConnection, roles: Sequence[str], schema: str) -> None:
    """Grant what the owner may grant. Tables of other owners, on which it may grant nothing, stay invisible."""
    both = ", ".join(map(quoted, roles))
    name = quoted(schema)
    await _try(connection, f"GRANT USAGE ON SCHEMA {name} TO {both}")
    await _try(connection, f"ALTER DEFAULT PRIVILEGES IN SCHEMA {name} GRANT SELECT ON TABLES TO {both}")
    # Only what is missing: a grant writes a new row of the catalogue also where it changes nothing, and every server
    # then reads that table again, of which there may be 10,000.
    found = await connection.scalars(
        text(
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = CAST(:schema AS regnamespace) "
            "AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND EXISTS (SELECT FROM unnest(CAST(:roles AS text[])) AS role "
            "WHERE NOT has_table_privilege(role, c.oid, 'SELECT'))"
        ),
        {"schema": name, "roles": list(roles)},
    )
    tables = [quoted(schema, table) for table in found]
    if tables and await _try(connection, f"GRANT SELECT ON {', '.join(tables)} TO {both}"):
        return
    for table in tables:
        await _try(connection, f"GRANT SELECT ON {table} TO {both}")


async def _share_postgis(connection: AsyncConnection, known: Logins) -> None:
    """If PostGIS is installed in a separate schema, all roles must find its functions without naming it."""
    rows = await connection.scalars(
        text(
            "SELECT DISTINCT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
            "WHERE extname IN ('postgis', 'pg_trgm', 'unaccent') AND nspname <> 'public' ORDER BY 1"
        )
    )
    homes = list(rows)
    path = ", ".join(["public", *map(quoted, homes)])
    for login in known:
        for home in homes:
            await _try(connection, f"GRANT USAGE ON SCHEMA {quoted(home)} TO {quoted(login.name)}")
        await connection.exec_driver_sql(f"ALTER ROLE {quoted(login.name)} SET search_path = {path}")
    await connection.exec_driver_sql(
        f"ALTER ROLE {quoted(known.reader.name)} SET default_transaction_read_only = on"
    )


async def _open_analysis(connection: AsyncConnection, reader: Login, writer: Login) -> None:
    await connection.exec_driver_sql(f"GRANT CREATE ON SCHEMA analysis TO {quoted(writer.name)}")
    await connection.exec_driver_sql(
        f"ALTER DEFAULT PRIVILEGES FOR ROLE {quoted(writer.name)} IN SCHEMA analysis "
        f"GRANT SELECT ON TABLES TO {quoted(reader.name)}"
    )


async def _open_overviews(connection: AsyncConnection, reader: Login) -> None:
    await connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA geoagent_overviews TO {quoted(reader.name)}")
    await connection.exec_driver_sql(
        "ALTER DEFAULT PRIVILEGES IN SCHEMA geoagent_overviews"
        f" GRANT SELECT ON TABLES TO {quoted(reader.name)}"
    )


async def _open_lake(connection: AsyncConnection, reader: Login, writer: Login) -> None:
    """The registry asks which tables are samples; large results of analyses are lake tables, too."""
    both = f"{quoted(reader.name)}, {quoted(writer.name)}"
    await connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA geoagent_lake TO {both}")
    columns = ("relation", "rows", "sample_rows", "files", "bytes", "version", "bounds", "ranges")
    # As in _expose: a grant that changes nothing would make every server read tables again.
    granted = await connection.scalar(
        text(
            "SELECT has_table_privilege(:writer, c.oid, 'SELECT') AND has_table_privilege(:writer, c.oid, 'INSERT') "
            "AND (SELECT bool_and(has_column_privilege(:reader, c.oid, name, 'SELECT')) "
            "FROM unnest(CAST(:columns AS text[])) AS name) "
            "FROM pg_class c WHERE c.oid = CAST('geoagent_lake.dataset' AS regclass)"
        ),
        {"writer": writer.name, "reader": reader.name, "columns": list(columns)},
    )
    if not granted:
        await connection.exec_driver_sql(
            f"GRANT SELECT ({', '.join(columns)}) ON geoagent_lake.dataset TO {quoted(reader.name)}"
        )
        await connection.exec_driver_sql(
            f"GRANT SELECT, INSERT ON geoagent_lake.dataset TO {quoted(writer.name)}"
        )


async def _open_uploads(connection: AsyncConnection, loader: Login, both: str) -> None:
    await connection.exec_driver_sql(f"GRANT USAGE, CREATE ON SCHEMA data TO {quoted(loader.name)}")
    await connection.exec_driver_sql(
        f"ALTER DEFAULT PRIVILEGES FOR ROLE {quoted(loader.name)} IN SCHEMA data GRANT SELECT ON TABLES TO {both}"
    )


async def _ensure_triggers(connection: AsyncConnection) -> None:
    tags = ", ".join(f"'{tag}'" for tag in DDL_TAGS)
    for name, event, function in (
        ("geoagent_ddl_end", f"ddl_command_end WHEN TAG IN ({tags})", "geoagent.on_ddl"),
        ("geoagent_ddl_drop", "sql_drop", "geoagent.on_drop"),
    ):
        query = text("SELECT true FROM pg_event_trigger WHERE evtname = :name")
        if not await connection.scalar(query, {"name": name}):
            await _try(connection, f"CREATE EVENT TRIGGER {name} ON {event} EXECUTE FUNCTION {function}()")


async def _try(connection: AsyncConnection, statement: str) -> bool:
    """Run it; False, and nothing changed, where the owner lacks the right to."""
    try:
        async with connection.begin_nested():
            await connection.exec_driver_sql(statement)
    except DBAPIError as error:
        if sqlstate(error) != INSUFFICIENT_PRIVILEGE:
            raise
        return False
    return True
