"""Where PostgreSQL does not count changes (`track_counts`, foreign tables), maps say so and tiles are drawn anew."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import asyncpg
import pytest_asyncio

from server.app import Server
from tests.integration.tiles.drawing import decoded
from tests.support.looking import until
from tests.support.server import Client, client, local_server

TOWNS = """
    DROP TABLE IF EXISTS data.uncounted;
    CREATE TABLE data.uncounted (id integer PRIMARY KEY, people integer, geom geometry(Point, 4326));
    INSERT INTO data.uncounted SELECT n, n, ST_SetSRID(ST_MakePoint(n % 90, n % 80), 4326)
    FROM generate_series(1, {rows}) AS n;
    ANALYZE data.uncounted;
"""
NOTE = "PostgreSQL does not report when uncounted changes, so this legend and the count stay as they are."


@pytest_asyncio.fixture(loop_scope="session")
async def counting(samples_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection that switches counting of changes on and off, for servers that connect later."""
    connection = await asyncpg.connect(samples_url)
    yield connection
    await connection.execute(await switch(connection, "on"))
    await connection.close()


async def switch(connection: asyncpg.Connection, value: str) -> str:
    name = await connection.fetchval("SELECT quote_ident(current_database())")
    return f"ALTER DATABASE {name} SET track_counts = {value}"


async def newest(one: Client) -> dict[str, Any]:
    events = [*one.named("layer_added"), *one.named("layer_updated")]
    layer: dict[str, Any] = events[-1]["layer"]
    return layer


async def world(server: Server, layer: dict[str, Any]) -> tuple[str, int]:
    address = f"{server.url}{layer['tiles'].replace('{z}/{x}/{y}', '0/0/0')}"
    async with aiohttp.ClientSession() as session, session.get(address) as answer:
        return answer.headers["Cache-Control"], len(decoded(await answer.read())["features"])


async def test_without_counters_the_legend_says_that_changes_are_not_followed(
    samples_url: str, counting: asyncpg.Connection
) -> None:
    await counting.execute(TOWNS.format(rows=20))
    await counting.execute(await switch(counting, "off"))
    async with local_server(samples_url) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.uncounted")
        layer = (await one.hears("layer_added"))["layer"]
        assert (layer["count"], layer["legend"]["note"]) == (20, NOTE)
        assert await world(server, layer) == ("no-store", 20)
        await counting.execute("DELETE FROM data.uncounted WHERE id > 15")
        assert await world(server, layer) == ("no-store", 15)
        # Whoever changes the layer sees the rows as they are now.
        await one.ask("layer_update", layer_id=layer["id"], style={"kind": "graduated", "column": "people"})
        await until(lambda: bool(one.named("layer_updated")))
        assert (await newest(one))["count"] == 15
        assert (await newest(one))["legend"]["note"].endswith(NOTE)


async def test_a_large_table_without_counters_is_counted_once(
    samples_url: str, counting: asyncpg.Connection
) -> None:
    await counting.execute(TOWNS.format(rows=3000))
    await counting.execute(await switch(counting, "off"))
    async with (
        local_server(samples_url, large_table=1000, overview_rows=1000) as server,
        client(server) as one,
    ):
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.uncounted", style={"kind": "graduated", "column": "people"})
        assert (await one.hears("layer_added"))["layer"]["estimated"]
        await until(lambda: any(not each["layer"]["estimated"] for each in one.named("layer_updated")))
        layer = await newest(one)
        assert layer["count"] == 3000
        assert layer["legend"]["note"].count(NOTE) == 1
        assert (
            await counting.fetchval(
                "SELECT count(*) FROM geoagent.overview WHERE relid = 'data.uncounted'::regclass"
            )
            == 0
        )


async def test_a_layer_follows_again_when_changes_are_counted(
    samples_url: str, counting: asyncpg.Connection
) -> None:
    await counting.execute(TOWNS.format(rows=20))
    await counting.execute(await switch(counting, "off"))
    async with local_server(samples_url) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        joined = await one.ask("join")
        await one.ask("layer_add", table="data.uncounted")
        await one.hears("layer_added")
    await counting.execute(await switch(counting, "on"))
    async with local_server(samples_url) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        await one.ask("join", map_id=joined["map_id"])
        await until(lambda: bool(one.named("layer_updated")))
        layer = await newest(one)
        assert layer["legend"]["note"] is None
        assert "data=" in layer["tiles"]
