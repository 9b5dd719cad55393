"""A session that builds overviews."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest_asyncio

from server.database.engines import Database
from server.gis.overviews.build import SESSION


@pytest_asyncio.fixture(loop_scope="session")
async def session(database: Database) -> AsyncIterator[asyncpg.Connection]:
    opened = await asyncpg.connect(database.url, server_settings=SESSION)
    await opened.execute("DROP TABLE IF EXISTS data.things CASCADE")
    yield opened
    await opened.close()
