"""A table that reaches around the earth keeps its west in the west, from the layer's bounds to the tiles."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import asyncpg
import pytest
import pytest_asyncio

from server.app import Server
from tests.integration.tiles.drawing import decoded
from tests.support.server import client, local_server

TABLES = {
    "every_ten_degrees": (list(range(-170, 171, 10)), [-170.0, 5.0, 170.0, 5.0]),
    "three_continents": ([-170, -120, -100, 20, 40, 165, 170], [-170.0, 5.0, 170.0, 5.0]),
    "both_ends": ([-170, 170], [170.0, 5.0, -170.0, 5.0]),
}
"""Longitudes of points, and the bounds: across the antimeridian only where all lies around it."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(database_url: str) -> AsyncIterator[Server]:
    database = await asyncpg.connect(database_url)
    for name, (longitudes, _) in TABLES.items():
        for table, srid in ((name, 4326), (f"{name}_in_metres", 3857)):
            await database.execute(
                f"CREATE TABLE data.{table} (id int PRIMARY KEY, geom geometry(Point, {srid}))"
            )
            await database.executemany(
                f"INSERT INTO data.{table} VALUES ($1, ST_Transform(ST_SetSRID(ST_MakePoint($2, 5), 4326), {srid}))",
                [(number, float(longitude)) for number, longitude in enumerate(longitudes)],
            )
    await database.close()
    async with local_server(database_url) as running:
        yield running


@pytest.mark.parametrize("suffix", ["", "_in_metres"])
@pytest.mark.parametrize("name", TABLES)
async def test_a_layer_of_a_table_around_the_earth_is_not_wrapped(
    server: Server, name: str, suffix: str
) -> None:
    longitudes, bounds = TABLES[name]
    async with client(server) as one, aiohttp.ClientSession(server.url) as http:
        await one.ask("join")
        added = await one.ask("layer_add", table=f"data.{name}{suffix}")
        layer = (await one.hears("layer_added"))["layer"]
        assert layer["bounds"] == pytest.approx(bounds)
        await one.says(f"zoom to {layer['name']}")
        assert one.named("view_requested")[-1]["bounds"] == pytest.approx(bounds)
        async with http.get(f"/api/maps/{one.map_id}/layers/{added['layer_id']}/tilejson") as answer:
            described = await answer.json()
        west, east = (bounds[0], bounds[2]) if bounds[0] < bounds[2] else (-180, 180)
        assert described["bounds"] == pytest.approx([west, 5, east, 5])
        for x in range(8):
            async with http.get(layer["tiles"].format(z=3, x=x, y=3)) as answer:
                body = await answer.read()
            inside = {number for number, it in enumerate(longitudes) if x * 45 - 180 < it < x * 45 - 135}
            drawn = {feature.id for each in decoded(body).values() for feature in each} if body else set()
            assert inside <= drawn
            # Besides, only points of the neighbours in the margin of the tile.
            assert all(x * 45 - 181 <= longitudes[int(it)] <= x * 45 - 134 for it in drawn if it is not None)
