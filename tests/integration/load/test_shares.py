"""Places for long work belong to network addresses in parts: one that takes all of its own leaves some for others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import asyncpg

from server.app import Server
from tests.support.looking import PATIENCE, until
from tests.support.server import Client, client, local_server

GREEDY, STRANGER = "127.0.0.2", "127.0.0.3"
WAITING_FOR_THE_TABLE = """
    SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'data.held'::regclass
"""


@asynccontextmanager
async def held_table(server: Server, url: str) -> AsyncIterator[asyncpg.Connection]:
    """`data.held` is a copy of the airports, which nobody can read in the block."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("CREATE TABLE data.held AS SELECT * FROM data.airports LIMIT 20")
        await until(lambda: any(table.id == "data.held" for table in server.registry.tables()))
        yield connection
    finally:
        await connection.execute("DROP TABLE data.held")
        await connection.close()


async def with_layer(server: Server, stack: AsyncExitStack, address: str, table: str) -> Client:
    one = await stack.enter_async_context(client(server, address=address))
    await one.ask("join")
    await one.ask("layer_add", table=table)
    return one


async def test_files_of_maps_of_one_address_leave_a_place_for_another(samples_url: str) -> None:
    async with (
        local_server(samples_url) as server,
        held_table(server, samples_url) as table,
        AsyncExitStack() as stack,
    ):
        greedy = await with_layer(server, stack, GREEDY, "data.held")
        stranger = await with_layer(server, stack, STRANGER, "data.airports")
        sessions = {
            address: await stack.enter_async_context(
                aiohttp.ClientSession(
                    server.url, connector=aiohttp.TCPConnector(local_addr=(address, 0), limit=0)
                )
            )
            for address in (GREEDY, STRANGER)
        }

        async def file_of(one: Client, address: str) -> int:
            async with sessions[address].get(f"/api/maps/{one.map_id}/map.html") as answer:
                return answer.status

        async with table.transaction():
            await table.execute("LOCK TABLE data.held IN ACCESS EXCLUSIVE MODE")
            many = [asyncio.create_task(file_of(greedy, GREEDY)) for _ in range(6)]
            await until(lambda: is_waited_for(table))
            async with asyncio.timeout(PATIENCE / 4):
                assert await file_of(stranger, STRANGER) == 200
            assert not any(task.done() for task in many)
        assert await asyncio.gather(*many) == [200] * 6


async def test_steps_of_analyses_of_one_address_leave_a_place_for_another(samples_url: str) -> None:
    async with (
        local_server(samples_url, analyses=2) as server,
        held_table(server, samples_url) as table,
        AsyncExitStack() as stack,
    ):
        greedy = [await with_layer(server, stack, GREEDY, "data.held") for _ in range(3)]
        stranger = await with_layer(server, stack, STRANGER, "data.airports")
        steps = server.analyses.at_once
        async with table.transaction():
            await table.execute("LOCK TABLE data.held IN ACCESS EXCLUSIVE MODE")
            many = [asyncio.create_task(one.says("buffer held by 1 km")) for one in greedy]
            await until(lambda: steps.waiting == 2)
            assert steps.in_use == 1
            async with asyncio.timeout(PATIENCE / 2):
                assert (await stranger.says("the centroids of airports"))["status"] == "done"
            assert not any(task.done() for task in many)
        assert [ended["status"] for ended in await asyncio.gather(*many)] == ["done"] * 3


async def is_waited_for(table: asyncpg.Connection) -> bool:
    return bool(await table.fetchval(WAITING_FOR_THE_TABLE))
