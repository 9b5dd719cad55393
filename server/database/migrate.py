"""Brings a database up to this version of GeoAgent: Alembic's migrations, then roles and grants
(`server.database.roles`).

Safe to run at every start and by several servers at once: an advisory lock lets one work while the others
wait. `server/app.py` calls it before it opens the pools."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

import migrations
from server.database import roles
from server.database.engines import open_engine
from server.database.lanes import Lane
from server.database.schema_version import Schema, known_migrations, oldest_compatible_revision, works_with
from server.database.sqlstates import DEADLOCK, LOCK_NOT_AVAILABLE, sqlstate
from server.postgres.problem import DatabaseProblem
from server.settings import OWN_SCHEMAS

log = structlog.get_logger(__name__)

LOCK = 0x6E0A6E7  # an arbitrary number; roughly spells GeoAgent
LOCK_TIMEOUT_S = 600
"""Time to wait for the migration of another server. Health checks are answered meanwhile."""
TABLE_LOCK_TIMEOUT_MS = 1_000
"""Short, because all others who want the table wait behind a migration that waits for it."""
TABLE_LOCK_RETRY_S = 2.0
LOCK_HOLDER = """
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = :key
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
TABLE_HOLDER = """
SELECT relation::regclass::text AS relation, pid FROM pg_locks
JOIN pg_class ON pg_class.oid = relation AND relkind IN ('r', 'p') AND relnamespace = 'geoagent'::regnamespace
JOIN pg_stat_activity USING (pid)
WHERE granted AND pid <> pg_backend_pid() AND datname = current_database() ORDER BY xact_start LIMIT 1
"""
"""The table of GeoAgent's own that somebody has had in use for longest."""


class MigrationFailed(DatabaseProblem):
    """The database cannot be brought to this version; the message says why and what to do."""


async def upgrade(url: str, schemas: Sequence[str] = OWN_SCHEMAS) -> None:
    """Migrate to the newest revision, and make roles, grants and triggers what `schemas` asks for."""
    async with _locked(url) as connection:

        async def migrated() -> None:
            await connection.execute(text("CREATE SCHEMA IF NOT EXISTS geoagent"))
            await connection.commit()
            schema = await recorded_schema(connection)
            if not works_with(schema):
                if schema.oldest is not None and schema.revision in known_migrations():
                    await _record_compatibility(connection)  # before older servers see what they cannot use
                    await connection.commit()
                await connection.run_sync(_run, "upgrade", "head")
                await _record_compatibility(connection)

        await _repeated(connection, migrated)
        await _repeated(connection, lambda: roles.synchronise(connection, schemas))


async def downgrade(url: str, revision: str = "base") -> None:
    """Migrate down. With `base` only the users' tables in `data` and `analysis` remain."""
    async with _locked(url) as connection:
        await _repeated(connection, lambda: connection.run_sync(_run, "downgrade", revision))
        if revision == "base":
            await connection.execute(text("DROP SCHEMA geoagent CASCADE"))
            await connection.commit()


async def recorded_schema(connection: AsyncConnection) -> Schema:
    """The schema that the database says it has."""
    there = await connection.execute(
        text(
            "SELECT to_regclass('geoagent.alembic_version') IS NOT NULL,"
            " to_regclass('geoagent.schema_compatibility') IS NOT NULL"
        )
    )
    has_revision, has_oldest = there.one()
    revision = oldest = None
    if has_revision:
        revision = await connection.scalar(text("SELECT version_num FROM geoagent.alembic_version"))
    if has_oldest:
        oldest = await connection.scalar(text("SELECT oldest_revision FROM geoagent.schema_compatibility"))
    return Schema(revision, oldest)


async def _record_compatibility(connection: AsyncConnection) -> None:
    await connection.execute(
        text(
            "INSERT INTO geoagent.schema_compatibility (oldest_revision) VALUES (:oldest)"
            " ON CONFLICT (only_row) DO UPDATE SET oldest_revision = excluded.oldest_revision"
        ),
        {"oldest": oldest_compatible_revision()},
    )


@asynccontextmanager
async def _locked(url: str) -> AsyncIterator[AsyncConnection]:
    engine = open_engine(
        url, session={"lock_timeout": str(TABLE_LOCK_TIMEOUT_MS)}, lane=Lane("migrations", 1)
    )
    try:
        async with engine.connect() as connection:
            await _wait_for_lock(connection)
            try:
                yield connection
            finally:
                await connection.rollback()
                await connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})
                await connection.commit()
    finally:
        await engine.dispose()


async def _wait_for_lock(connection: AsyncConnection) -> None:
    try:
        await connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S}s'"))
        await connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": LOCK})
        await connection.commit()
    except DBAPIError as error:
        if sqlstate(error) != LOCK_NOT_AVAILABLE:
            raise
        await connection.rollback()
        holder = await connection.scalar(text(LOCK_HOLDER), {"key": LOCK})
        raise MigrationFailed(
            f"Another GeoAgent (PostgreSQL process {holder}) has been migrating this database for {LOCK_TIMEOUT_S} "
            "seconds. Wait until it has started and start this one again; if it hangs, end that process with "
            f"SELECT pg_terminate_backend({holder})."
        ) from error


async def _repeated(connection: AsyncConnection, work: Callable[[], Awaitable[None]]) -> None:
    """Do the work and commit it; again after a pause where somebody else holds a lock that it needs."""
    deadline = time.monotonic() + LOCK_TIMEOUT_S
    while True:
        try:
            await work()
            await connection.commit()
            return
        except DBAPIError as error:
            if sqlstate(error) not in (LOCK_NOT_AVAILABLE, DEADLOCK):
                raise
            await connection.rollback()
            holder = (await connection.execute(text(TABLE_HOLDER))).one_or_none()
            await connection.rollback()
            if time.monotonic() > deadline:
                found = f"{holder.relation} is in use by PostgreSQL process {holder.pid}. " if holder else ""
                raise MigrationFailed(
                    f"The migration of this database has waited {LOCK_TIMEOUT_S} seconds for a lock. {found}"
                    "Start this server again when the other transaction has ended."
                ) from error
            log.warning("the migration waits for a lock", held_by=holder and holder.pid)
            await asyncio.sleep(TABLE_LOCK_RETRY_S)


def _run(connection: Connection, step: Literal["upgrade", "downgrade"], revision: str) -> None:
    # Imported only when there is something to migrate.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        getattr(command, step)(config, revision)
    except CommandError as error:
        raise MigrationFailed(
            "This database was made by a newer GeoAgent than this one. Update GeoAgent, or use another "
            f"database ({error})."
        ) from error
