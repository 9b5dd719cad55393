"""A table that somebody has locked, as VACUUM FULL does, holds up nobody who uses other tables."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import aiohttp
import asyncpg
import pytest
import pytest_asyncio

from server.app import Server
from server.database import engines
from tests.chaos.people import small_file
from tests.support.looking import until
from tests.support.server import client, local_server

SOON_S = 60.0
"""Far below the time after which statements and waits for locks end here."""


@pytest.fixture(scope="module", autouse=True)
def patient() -> Iterator[None]:
    """Locks are waited for longer than a busy machine needs for all else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(engines.OWNER_SESSION, "lock_timeout", str(int(2 * SOON_S * 1000)))
        yield


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str) -> AsyncIterator[Server]:
    async with local_server(samples_url, statement_timeout=2 * SOON_S) as one:
        yield one


@asynccontextmanager
async def locked(url: str, table: str) -> AsyncIterator[None]:
    owner = await asyncpg.connect(url)
    try:
        async with owner.transaction():
            await owner.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield
    finally:
        await owner.close()


async def upload(server: Server, table: str, address: str) -> int:
    connector = aiohttp.TCPConnector(local_addr=(address, 0))
    async with (
        aiohttp.ClientSession(server.url, connector=connector) as http,
        http.post("/api/uploads", data=small_file(table)) as answer,
    ):
        return answer.status


async def test_a_server_starts_although_a_table_is_locked(samples_url: str) -> None:
    async with (
        locked(samples_url, "data.airports"),
        asyncio.timeout(SOON_S),
        local_server(samples_url, statement_timeout=2 * SOON_S) as server,
        client(server) as one,
    ):
        assert {"data.airports", "data.countries"} <= {table.id for table in server.registry.tables()}
        await one.ask("join")
        assert (await one.says("show countries"))["status"] == "done"


async def test_others_upload_files_and_see_them(server: Server, samples_url: str) -> None:
    assert await upload(server, "of_one", "127.0.0.66") == 201
    async with locked(samples_url, "data.of_one"), asyncio.timeout(SOON_S):
        assert await upload(server, "of_another", "127.0.0.9") == 201
        async with client(server) as one:
            await one.ask("join")
            assert (await one.says("show of_another"))["status"] == "done"
            assert one.named("layer_added")


async def test_maps_of_other_tables_follow_their_data(server: Server, samples_url: str) -> None:
    owner = await asyncpg.connect(samples_url)
    await owner.execute(
        "CREATE TABLE data.quiet AS SELECT 1 AS id, ST_SetSRID(ST_MakePoint(1, 1), 4326) AS geom;"
        "CREATE TABLE data.busy AS SELECT * FROM data.quiet"
    )
    try:
        async with client(server) as one, client(server, address="127.0.0.66") as other:
            for each, name in ((one, "busy"), (other, "quiet")):
                await each.ask("join")
                await until(lambda name=name: server.registry.find(f"data.{name}"))
                assert (await each.says(f"show {name}"))["status"] == "done"
            async with locked(samples_url, "data.quiet"), asyncio.timeout(SOON_S):
                await owner.execute("INSERT INTO data.busy SELECT 2, ST_SetSRID(ST_MakePoint(2, 2), 4326)")
                await one.hears("layer_updated")
    finally:
        await owner.close()
