"""A server that is killed while it builds overviews: the next one on the database goes on after the last band."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import asyncpg
import pytest_asyncio

from server.gis.overviews.ladder import SCHEMA, WEIGHT, Ladder
from tests.support.looking import until
from tests.support.server import child_server, client

ROWS = 60_000
GATE = 4711
"""The advisory lock that the third band waits for."""
MADE = f"""
    CREATE TABLE data.pings AS SELECT n AS id, n % 100 AS value, ST_SetSRID(ST_MakePoint(
            8 + abs(hashint4(n)) % 1000000 / 1e6, 48 + abs(hashint4(n + 7)) % 1000000 / 1e6
        ), 4326)::geometry(Point, 4326) AS geom
    FROM generate_series(1, {ROWS}) AS n;
    ALTER TABLE data.pings ADD PRIMARY KEY (id);
    ANALYZE data.pings;
    CREATE FUNCTION public.wait_at_the_third_band() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) = 3 FROM pg_class WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind = 'r'
          AND relname ~ '^o[0-9]+_1_[0-9]+$') THEN PERFORM pg_advisory_xact_lock({GATE}); END IF;
    END $$;
    CREATE EVENT TRIGGER wait_at_the_third_band ON ddl_command_end WHEN TAG IN ('CREATE TABLE AS')
      EXECUTE FUNCTION public.wait_at_the_third_band();
"""
BUILDER = f"SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = {GATE} AND NOT granted"
SETTINGS = {"GEOAGENT_OVERVIEW_ROWS": "50000", "GEOAGENT_OVERVIEW_SHARE": "1"}


@pytest_asyncio.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    writer = await asyncpg.connect(database_url)
    await writer.execute(MADE)
    # The counters of a connection's rows are published when it closes; later they would be another version of the data.
    await writer.close()
    session = await asyncpg.connect(database_url)
    yield session
    await session.close()


async def test_a_build_goes_on_after_its_server_was_killed(
    database_url: str, owner: asyncpg.Connection
) -> None:
    await owner.execute(f"SELECT pg_advisory_lock({GATE})")
    async with child_server(database_url, **SETTINGS) as first, client(first) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.pings")
        building = await until(lambda: owner.fetchval(BUILDER))
        await first.kill()
    steps = json.loads(await owner.fetchval("SELECT next_steps FROM geoagent.overview"))
    before = await bands(owner)
    assert [band["name"] for band in steps["done"]] == list(before)
    assert len(before) == 2
    await owner.execute(f"SELECT pg_advisory_unlock({GATE})")
    await until(lambda: has_ended(owner, building))
    await owner.execute("DROP EVENT TRIGGER wait_at_the_third_band")

    async with child_server(database_url, **SETTINGS) as second, client(second) as two:
        await two.ask("join", map_id=one.map_id)
        ladder = Ladder.model_validate_json(await until(lambda: owner.fetchval(DONE)))
    assert len(ladder.bands) > len(before)
    after = await bands(owner)
    assert before.items() <= after.items(), "these tables were made before"
    assert {band.name for band in ladder.bands} == after.keys(), "nothing else is left"
    for band in ladder.bands:
        weights = await owner.fetchval(f'SELECT sum("{WEIGHT}")::bigint FROM {SCHEMA}.{band.name}')
        assert weights == ladder.rows == ROWS, band
    assert await owner.fetchval("SELECT build FROM geoagent.overview") == 1
    left = "SELECT count(*) FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname ~ '^[cw]'"
    assert await owner.fetchval(left, SCHEMA) == 0


DONE = "SELECT document FROM geoagent.overview WHERE next_steps IS NULL"


async def bands(owner: asyncpg.Connection) -> dict[str, int]:
    """Finished tables of bands, in the order of their making, with their oids."""
    rows = await owner.fetch(
        f"SELECT relname, oid FROM pg_class WHERE relnamespace = '{SCHEMA}'::regnamespace"
        " AND relkind = 'r' AND relname LIKE 'o%' ORDER BY oid"
    )
    return {row["relname"]: row["oid"] for row in rows}


async def has_ended(owner: asyncpg.Connection, pid: int) -> bool:
    return not await owner.fetchval("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", pid)
