"""The reader, the writer and the loader: their logins, their grants, and the triggers that grant new tables.

Run at every start by `server.database.migrate`, as the owner. The reader may SELECT from the exposed schemas and
nothing in `geoagent`; the writer may also create tables in `analysis`. The loader creates tables in `data`
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

from server.database.quoting import quoted, quoted_text
from server.postgres.problem import DatabaseProblem

DDL_TAGS = (
    "CREATE TABLE", "CREATE TABLE AS", "SELECT INTO", "ALTER TABLE", "CREATE VIEW", "ALTER VIEW",
    "CREATE MATERIALIZED VIEW", "ALTER MATERIALIZED VIEW", "REFRESH MATERIALIZED VIEW",
    "CREATE FOREIGN TABLE", "ALTER FOREIGN TABLE", "IMPORT FOREIGN SCHEMA", "CREATE INDEX", "COMMENT",
    "GRANT", "REVOKE", "CREATE SCHEMA", "ALTER SCHEMA",
)  # fmt: skip

TRIGGERS = {
    "geoagent_ddl_end": "CREATE EVENT TRIGGER geoagent_ddl_end ON ddl_command_end WHEN TAG IN ("
    + ", ".join(f"'{tag}'" for tag in DDL_TAGS)
    + ") EXECUTE FUNCTION geoagent.on_ddl()",
    "geoagent_ddl_drop": "CREATE EVENT TRIGGER geoagent_ddl_drop ON sql_drop EXECUTE FUNCTION geoagent.on_drop()",
}
LAKE_COLUMNS = ("relation", "rows", "sample_rows", "files", "bytes", "version", "bounds", "ranges")
"""Columns of the list of lake tables that the reader may see."""


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


IDLE_IN_TRANSACTION = "idle_in_transaction_session_timeout = 60000"
"""PostgreSQL ends a transaction that has been idle for so many milliseconds, since it holds a connection and locks."""

ITERATIONS = 1
"""Iterations of the hash of a password. RFC 7677 asks for at least 4,096, to slow down guesses at passwords that people
choose. These are derived keys of 256 bits, which cannot be guessed, and more would slow down every connection."""


async def logins(connection: AsyncConnection) -> Logins:
    """Names and passwords of the three roles. Needs the owner's rights."""
    secret = await _secret(connection)
    columns = ", ".join(f"geoagent.role_name('{kind}')" for kind in Logins._fields)
    names = (await connection.execute(text(f"SELECT {columns}"))).one()
    return Logins(*(Login(name, _derive(secret, name)) for name in names))


async def synchronise(connection: AsyncConnection, schemas: Sequence[str]) -> None:
    """Make roles, grants and triggers what they should be. Idempotent; leaves the commit to the caller."""
    known = await logins(connection)
    both = f"{quoted(known.reader.name)}, {quoted(known.writer.name)}"
    await _ensure_logins(connection, known)
    hidden = await _no_longer_exposed(connection, schemas)
    exposed = await _existing(connection, schemas)
    statements = [*_hide(both, hidden), *_share_postgis(known, await _schemas_of_postgis(connection))]
    for schema in exposed:
        statements += _expose(both, schema, await _unreadable(connection, known, schema))
    statements += _open_own_schemas(known, both)
    if not await _may_read_lake(connection, known):
        statements += _open_lake(known)
    triggers = set(await connection.scalars(text("SELECT evtname FROM pg_event_trigger")))
    statements += [_if_allowed(definition) for name, definition in TRIGGERS.items() if name not in triggers]
    await _run(connection, statements)


async def _secret(connection: AsyncConnection) -> str:
    """Made by the database itself, so that it is in no statement and no log. A UUID has 122 random bits."""
    known = text("SELECT value FROM geoagent.secret WHERE name = 'roles'")
    if (value := await connection.scalar(known)) is None:
        await connection.execute(
            text(
                "INSERT INTO geoagent.secret VALUES ('roles', "
                "replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')) ON CONFLICT DO NOTHING"
            )
        )
        value = await connection.scalar(known)
    return str(value)


def _derive(secret: str, name: str) -> str:
    return hmac.new(bytes.fromhex(secret), name.encode(), hashlib.sha256).hexdigest()


def _verifier(login: Login) -> str:
    """The form in which PostgreSQL stores a password (SCRAM-SHA-256), so that no statement or log holds it."""
    salt = hashlib.sha256(f"salt of {login.password}".encode()).digest()[:16]
    salted = hashlib.pbkdf2_hmac("sha256", login.password.encode(), salt, ITERATIONS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    encoded = [base64.b64encode(part).decode() for part in (salt, stored, server)]
    return f"SCRAM-SHA-256${ITERATIONS}:{encoded[0]}${encoded[1]}:{encoded[2]}"


async def _ensure_logins(connection: AsyncConnection, known: Logins) -> None:
    names = [login.name for login in known]
    query = text("SELECT rolname FROM pg_roles WHERE rolname = ANY(:names)")
    there = set(await connection.scalars(query, {"names": names}))
    for login in known:
        await _ensure_login(connection, login, login.name in there)
    await _run(
        connection,
        [
            *(f"ALTER ROLE {quoted(name)} SET {IDLE_IN_TRANSACTION}" for name in names),
            *map(_join, (known.writer, known.loader)),
        ],
    )


def _join(login: Login) -> str:
    """The owner must be able to drop and grant what the writer and the loader made; a superuser can anyway."""
    role = quoted(login.name)
    return (
        f"IF NOT pg_has_role({quoted_text(role)}::regrole, 'USAGE') THEN GRANT {role} TO CURRENT_USER; END IF"
    )


async def _ensure_login(connection: AsyncConnection, login: Login, exists: bool) -> None:
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


def _hide(both: str, schemas: Iterable[str]) -> list[str]:
    return [
        _if_allowed(f"{rights} FROM {both}")
        for schema in map(quoted, schemas)
        for rights in (
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} REVOKE SELECT ON TABLES",
            f"REVOKE SELECT ON ALL TABLES IN SCHEMA {schema}",
            f"REVOKE USAGE ON SCHEMA {schema}",
        )
    ]


async def _unreadable(connection: AsyncConnection, known: Logins, schema: str) -> list[str]:
    """The tables of a schema that the reader or the writer may not read. Only these are granted: a grant writes a new
    row of the catalogue also where it changes nothing, and every server then reads that table again, of which there may
    be 10,000. Where the reader may read some columns, somebody has chosen them, and keeps the others from it."""
    found = await connection.scalars(
        text(
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = CAST(:schema AS regnamespace) "
            "AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND EXISTS (SELECT FROM unnest(CAST(:roles AS text[])) AS role "
            "WHERE NOT has_table_privilege(role, c.oid, 'SELECT')) "
            "AND (has_table_privilege(:reader, c.oid, 'SELECT') "
            "OR NOT has_any_column_privilege(:reader, c.oid, 'SELECT'))"
        ),
        {
            "schema": quoted(schema),
            "roles": [known.reader.name, known.writer.name],
            "reader": known.reader.name,
        },
    )
    return [quoted(schema, table) for table in found]


def _expose(both: str, schema: str, tables: Sequence[str]) -> list[str]:
    """Grant what the owner may grant. Tables of other owners, on which it may grant nothing, stay invisible."""
    name = quoted(schema)
    granted = [
        f"GRANT USAGE ON SCHEMA {name} TO {both}",
        f"ALTER DEFAULT PRIVILEGES IN SCHEMA {name} GRANT SELECT ON TABLES TO {both}",
    ]
    statements = [_if_allowed(each) for each in granted]
    if tables:
        one_by_one = [_if_allowed(f"GRANT SELECT ON {table} TO {both}") for table in tables]
        statements.append(_if_allowed(f"GRANT SELECT ON {', '.join(tables)} TO {both}", one_by_one))
    return statements


async def _schemas_of_postgis(connection: AsyncConnection) -> Sequence[str]:
    """The schemas of PostGIS's extensions, other than `public`."""
    rows = await connection.scalars(
        text(
            "SELECT DISTINCT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
            "WHERE extname IN ('postgis', 'pg_trgm', 'unaccent') AND nspname <> 'public' ORDER BY 1"
        )
    )
    return [quoted(schema) for schema in rows]


def _share_postgis(known: Logins, homes: Sequence[str]) -> list[str]:
    """If PostGIS is installed in a separate schema, all roles must find its functions without naming it."""
    path = ", ".join(["public", *homes])
    roles = [quoted(login.name) for login in known]
    return [
        *(_if_allowed(f"GRANT USAGE ON SCHEMA {home} TO {', '.join(roles)}") for home in homes),
        *(f"ALTER ROLE {role} SET search_path = {path}" for role in roles),
        f"ALTER ROLE {quoted(known.reader.name)} SET default_transaction_read_only = on",
    ]


def _open_own_schemas(known: Logins, both: str) -> list[str]:
    """Those of results, overviews, files and uploads. The registry asks which tables are samples."""
    reader, writer, loader = (quoted(login.name) for login in known)
    return [
        f"GRANT CREATE ON SCHEMA analysis TO {writer}",
        f"ALTER DEFAULT PRIVILEGES FOR ROLE {writer} IN SCHEMA analysis GRANT SELECT ON TABLES TO {reader}",
        f"GRANT USAGE ON SCHEMA geoagent_overviews TO {reader}",
        f"ALTER DEFAULT PRIVILEGES IN SCHEMA geoagent_overviews GRANT SELECT ON TABLES TO {reader}",
        f"GRANT USAGE ON SCHEMA geoagent_lake TO {both}",
        f"GRANT USAGE, CREATE ON SCHEMA data TO {loader}",
        f"ALTER DEFAULT PRIVILEGES FOR ROLE {loader} IN SCHEMA data GRANT SELECT ON TABLES TO {both}",
    ]


async def _may_read_lake(connection: AsyncConnection, known: Logins) -> bool:
    """As in `_unreadable`, a grant that changes nothing would make every server read tables again."""
    granted = await connection.scalar(
        text(
            "SELECT has_table_privilege(:writer, c.oid, 'SELECT') AND has_table_privilege(:writer, c.oid, 'INSERT') "
            "AND (SELECT bool_and(has_column_privilege(:reader, c.oid, name, 'SELECT')) "
            "FROM unnest(CAST(:columns AS text[])) AS name) "
            "FROM pg_class c WHERE c.oid = CAST('geoagent_lake.dataset' AS regclass)"
        ),
        {"writer": known.writer.name, "reader": known.reader.name, "columns": list(LAKE_COLUMNS)},
    )
    return bool(granted)


def _open_lake(known: Logins) -> list[str]:
    """Large results of analyses are lake tables, too."""
    columns = ", ".join(LAKE_COLUMNS)
    return [
        f"GRANT SELECT ({columns}) ON geoagent_lake.dataset TO {quoted(known.reader.name)}",
        f"GRANT SELECT, INSERT ON geoagent_lake.dataset TO {quoted(known.writer.name)}",
    ]


def _if_allowed(statement: str, otherwise: Sequence[str] = ("NULL",)) -> str:
    """The statement in PL/pgSQL, or `otherwise` where the owner lacks the right to it."""
    return f"BEGIN {statement}; EXCEPTION WHEN insufficient_privilege THEN {_block(otherwise)} END"


async def _run(connection: AsyncConnection, statements: Sequence[str]) -> None:
    """Run all in one round trip."""
    await connection.exec_driver_sql(f"DO {quoted_text(f'BEGIN {_block(statements)} END')}")


def _block(statements: Sequence[str]) -> str:
    return "\n".join(f"{statement};" for statement in statements)
