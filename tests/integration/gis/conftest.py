"""A session that builds overviews."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest_asyncio

from server.database.engines import Database
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.ladder import OverviewStore


async def drop_things(database: Database, session: asyncpg.Connection) -> None:
    """Drop `data.things` and its overviews. Each later build would measure overviews that were left."""
    relid = await session.fetchval("SELECT to_regclass('data.things')::oid")
    if relid is not None:
        await session.execute("DROP TABLE data.things CASCADE")
        await OverviewBuilder(OverviewStore(database.owner), share=0, space=0).drop(session, relid)


@pytest_asyncio.fixture(loop_scope="session")
async def session(database: Database) -> AsyncIterator[asyncpg.Connection]:
    opened = await asyncpg.connect(database.url, server_settings=SESSION)
    await drop_things(database, opened)
    yield opened
    await opened.close()
