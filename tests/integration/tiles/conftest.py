from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from server.database.engines import Database
from server.settings import Settings
from tests.integration.tiles.drawing import Atlas


@pytest.fixture
def atlas(database: Database) -> Atlas:
    return Atlas(database)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def towns(database: Database) -> None:
    await Atlas(database).execute(
        "CREATE TABLE data.towns (id int PRIMARY KEY, name text, geom geometry(Point, 4326))",
        "INSERT INTO data.towns SELECT n, 'town ' || n, ST_SetSRID(ST_MakePoint(n / 10.0, 40), 4326) "
        "FROM generate_series(1, 500) n",
        "COMMENT ON TABLE data.towns IS 'Some towns'",
        # Stable, so that only who selects it waits; and slow for tiles only: the registry and styles look into it, too.
        "CREATE FUNCTION data.nap(int) RETURNS int LANGUAGE plpgsql STABLE AS "
        "'BEGIN IF current_query() ~ ''ST_AsMVT'' THEN PERFORM pg_sleep(0.2); END IF; RETURN $1; END'",
        "CREATE VIEW data.slow AS SELECT id, data.nap(id) AS nap, geom FROM data.towns",
    )


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def patient(database: Database, database_url: str) -> AsyncIterator[Database]:
    """Its slow tiles would take 100 s, and no limit ends them before: what ends early was cancelled."""
    async with await Database.connect(Settings(database_url=database_url, tile_timeout=3600)) as opened:
        yield opened
