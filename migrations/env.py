"""Alembic's entry. The server hands it an open connection (`server.database.migrate`); the `alembic` command takes
DATABASE_URL.
"""

from __future__ import annotations

import asyncio
import os

from alembic import context
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

SCHEMA = "geoagent"


def migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        version_table="alembic_version",
        version_table_schema=SCHEMA,
        transaction_per_migration=True,
    )
    with context.begin_transaction():
        context.run_migrations()


async def migrate_by_url(url: str) -> None:
    engine = create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://", 1), poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            await connection.run_sync(migrate)
    finally:
        await engine.dispose()


handed = context.config.attributes.get("connection")
if handed is not None:
    migrate(handed)
else:
    asyncio.run(migrate_by_url(os.environ["DATABASE_URL"]))
