"""Tiles that PostgreSQL does not stop drawing take neither the connections nor the patience of others."""

from __future__ import annotations

import asyncio
import gzip
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import asyncpg
import psutil
import pytest
import pytest_asyncio
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestClient, TestServer

from server.database.engines import Database
from server.gis.tiles import overruns
from server.gis.tiles.grid import Tile
from server.gis.tiles.service import TileService
from server.http import errors, tiles
from tests.integration.tiles.drawing import Atlas, decoded
from tests.support.children import signal_all
from tests.support.looking import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

ABANDONED = 24
STUBBORN = """SELECT count(*) FROM pg_stat_activity
    WHERE state = 'active' AND query LIKE '%WITH matched%stubborn%' AND pid <> pg_backend_pid()"""


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def stubborn_table(database: Database) -> None:
    await Atlas(database).execute(
        "CREATE TABLE data.towns (id int PRIMARY KEY, geom geometry(Point, 4326))",
        # One in each of the tiles 6/0/24 to 6/33/24.
        "INSERT INTO data.towns SELECT n, ST_SetSRID(ST_MakePoint((n + 0.5) * 5.625 - 180, 40), 4326)"
        " FROM generate_series(0, 33) n",
        # As a call into GEOS: it hears no cancel. Of all queries, only a tile's meets it.
        "CREATE FUNCTION data.stubborn(int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN"
        " IF current_query() !~ 'ST_AsMVT' THEN RETURN $1; END IF;"
        " LOOP BEGIN PERFORM pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$",
        "CREATE VIEW data.stubborn AS SELECT id, data.stubborn(id) AS nap, geom FROM data.towns",
    )


@asynccontextmanager
async def served(database: Database) -> AsyncIterator[tuple[Atlas, TestClient[web.Request, web.Application]]]:
    atlas = Atlas(database)
    await atlas.layer("data.stubborn", layer_id="stubborn")
    await atlas.layer("data.towns", layer_id="towns")
    app = web.Application(middlewares=[errors.faults])
    app.add_routes(tiles.routes(atlas.service, atlas.registry))
    async with TestClient(TestServer(app), auto_decompress=False) as client:
        try:
            yield atlas, client
        finally:
            await atlas.service.close()


async def test_tiles_that_were_abandoned_and_go_on_do_not_stop_a_stranger(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overruns, "GRACE_S", 3600)
    async with served(database) as (atlas, client):
        async with ClientSession() as leaving:
            asked = [
                asyncio.create_task(fetch(leaving, client.make_url(f"/tiles/m/stubborn/1/6/{x}/24.mvt")))
                for x in range(ABANDONED)
            ]
            await until(lambda: asleep(database))
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        await until(lambda: atlas.service.queue.waiting == 0)
        assert 0 < atlas.service.queue.in_use <= atlas.service.queue.size // 2
        for x in range(4):
            answer = await client.get(f"/tiles/m/towns/1/2/{x}/1.mvt")
            assert answer.status in (200, 204)
        await end_all(database)
        await until(lambda: atlas.service.queue.in_use == 0)


async def test_what_goes_on_past_its_grace_is_terminated_and_its_table_marked_too_complex_at_that_zoom(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overruns, "GRACE_S", 0.3)
    monkeypatch.setattr(overruns, "CHECK_INTERVAL_S", 0.05)
    monkeypatch.setattr(overruns, "CONFIRM_S", 0.2)
    async with served(database) as (atlas, client):
        await abandon(atlas.service, Tile.at(6, 32, 24), database)
        await until(lambda: atlas.service.queue.in_use == 0)
        assert not await stuck(database)
        answer = await client.get("/tiles/m/stubborn/1/6/33/24.mvt", headers={"Accept-Encoding": "gzip"})
        assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
        layers = decoded(gzip.decompress(await answer.read()))
        assert list(layers) == ["_meta"]
        assert layers["_meta"][0].properties == {"too_complex": True}
        assert not await stuck(database), "it was not tried again"
        await abandon(atlas.service, Tile.at(5, 16, 12), database)
        await until(lambda: atlas.service.queue.in_use == 0)


async def test_only_the_filter_that_made_a_table_slow_is_called_too_complex(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overruns, "GRACE_S", 0.3)
    monkeypatch.setattr(overruns, "CHECK_INTERVAL_S", 0.05)
    monkeypatch.setattr(overruns, "CONFIRM_S", 0.2)
    async with served(database) as (atlas, client):
        await atlas.layer(
            "data.stubborn", layer_id="others", filter={"op": ">", "args": [{"property": "id"}, 33]}
        )
        await abandon(atlas.service, Tile.at(6, 32, 24), database)
        await until(lambda: atlas.service.queue.in_use == 0)
        slow = await client.get("/tiles/m/stubborn/1/6/1/24.mvt")
        assert slow.headers["Cache-Control"] == "no-store"
        quick = await client.get("/tiles/m/others/1/6/1/24.mvt")
        assert (quick.status, "no-store" in quick.headers.get("Cache-Control", "")) == (204, False)


async def test_a_database_that_is_frozen_makes_no_table_too_complex(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overruns, "GRACE_S", 0.3)
    monkeypatch.setattr(overruns, "CHECK_INTERVAL_S", 0.05)
    await Atlas(database).execute(
        "CREATE FUNCTION data.drowsy(int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN"
        " IF current_query() ~ 'ST_AsMVT' THEN PERFORM pg_sleep(3600); END IF; RETURN $1; END $$",
        "CREATE VIEW data.drowsy AS SELECT id, data.drowsy(id) AS nap, geom FROM data.towns",
    )
    async with served(database) as (atlas, _client):
        await atlas.layer("data.drowsy", layer_id="drowsy")
        asked = asyncio.create_task(atlas.service.tile("m", "drowsy", 1, Tile.at(6, 32, 24)))
        backend = await until(lambda: drawing(database))
        postmaster = psutil.Process(backend).parent()
        processes = [postmaster, *postmaster.children()]
        signal_all(processes, signal.SIGSTOP)
        try:
            asked.cancel()
            await until(lambda: atlas.service.queue.in_use == 1)
            # Longer than all graces.
            await asyncio.sleep(overruns.GRACE_S + overruns.PROMPT_S + 1)
        finally:
            signal_all(processes, signal.SIGCONT)
        await until(lambda: atlas.service.queue.in_use == 0)
        assert not atlas.service._overruns._marked


async def drawing(database: Database) -> int:
    """The process in which a tile is being drawn; 0 where there is none."""
    query = (
        "SELECT pid FROM pg_stat_activity WHERE query LIKE '%WITH matched%drowsy%' AND wait_event = 'PgSleep'"
    )
    async with database.owner.connect() as connection:
        return (await connection.exec_driver_sql(query)).scalar() or 0


async def abandon(service: TileService, tile: Tile, database: Database) -> None:
    """Ask for a tile, and leave when it is being drawn."""
    task = asyncio.create_task(service.tile("m", "stubborn", 1, tile))
    await until(lambda: asleep(database))
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def asleep(database: Database) -> int:
    """Tiles within the call that hears no cancel; before it a statement still ends when it is cancelled."""
    async with database.owner.connect() as connection:
        return int((await connection.exec_driver_sql(f"{STUBBORN} AND wait_event = 'PgSleep'")).scalar_one())


async def stuck(database: Database) -> int:
    async with database.owner.connect() as connection:
        return int((await connection.exec_driver_sql(STUBBORN)).scalar_one())


async def end_all(database: Database) -> None:
    killer = await asyncpg.connect(database.url)
    await killer.execute(STUBBORN.replace("count(*)", "pg_terminate_backend(pid)"))
    await killer.close()


async def fetch(session: ClientSession, url: object) -> None:
    async with session.get(str(url)) as answer:
        await answer.read()
