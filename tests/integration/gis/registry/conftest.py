"""A registry that hears of changes, and statements by the owner of the tables."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from agents.domain import Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from tests.support.looking import until


async def run(database: Database, *statements: str) -> None:
    for statement in statements:
        async with database.owner.begin() as connection:
            await connection.exec_driver_sql(statement)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def registry(database: Database) -> AsyncIterator[Registry]:
    """Told by LISTEN; the poll is as good as off, so that what is seen soon was heard."""
    known = Registry(database.reader, listen=database.listen, poll_seconds=60)
    await known.start()
    yield known
    await known.stop()


async def appears(registry: Registry, table_id: str) -> Table:
    await until(lambda: any(table.id == table_id for table in registry.tables()))
    return registry.get(table_id)


def column_comment(table: Table, name: str) -> str | None:
    column = table.column(name)
    return column.comment if column else None
