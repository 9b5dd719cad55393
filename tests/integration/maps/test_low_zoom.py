"""The world view of a large table: a sample at first, then an overview, and never an empty map."""

from __future__ import annotations

import aiohttp
import asyncpg

from tests.integration.tiles.drawing import decoded
from tests.support.looking import until
from tests.support.server import client, local_server

ROWS = 400_000
MADE = f"""
    CREATE TABLE data.pings AS SELECT n AS id, n % 100 AS value, ST_SetSRID(ST_MakePoint(
            (abs(hashint4(n)) % 3600000) / 10000.0 - 180, (abs(hashint4(n + 7)) % 1600000) / 10000.0 - 80
        ), 4326)::geometry(Point, 4326) AS geom
    FROM generate_series(1, {ROWS}) AS n;
    ALTER TABLE data.pings ADD PRIMARY KEY (id);
    CREATE INDEX ON data.pings USING gist (geom);
    ANALYZE data.pings;
"""


async def test_the_world_is_a_sample_first_and_an_overview_later(samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(MADE)
    async with (
        local_server(samples_url, large_table=100_000, overview_rows=100_000) as server,
        client(server) as one,
    ):
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.pings", style={"kind": "graduated", "column": "value"})
        layer = (await one.hears("layer_added"))["layer"]

        async def world(tiles: str) -> tuple[str, dict[str, list[object]]]:
            address = f"{server.url}{tiles.replace('{z}/{x}/{y}', '0/0/0')}"
            async with aiohttp.ClientSession() as session, session.get(address) as answer:
                body = await answer.read()
                return answer.headers["Cache-Control"], decoded(body)

        caching, tile = await world(layer["tiles"])
        assert tile["features"]
        (note,) = (each.properties for each in tile["_meta"])  # type: ignore[attr-defined]
        if "overview" not in note:
            assert note["sample"]
            assert caching == "no-store"
        await until(
            lambda: [
                each for each in one.named("layer_updated") if "." in each["layer"]["tiles"].split("data=")[1]
            ]
        )
        caching, tile = await world(one.named("layer_updated")[-1]["layer"]["tiles"])
        (note,) = (each.properties for each in tile["_meta"])  # type: ignore[attr-defined]
        assert caching.endswith("immutable")
        assert note["overview"]
        assert note["total"] == ROWS
        assert note["shown"] == len(tile["features"]) <= 128 * 128
        assert sum(each.properties["@weight"] for each in tile["features"]) == ROWS  # type: ignore[attr-defined]
        assert all("value" in each.properties for each in tile["features"])  # type: ignore[attr-defined]
        # Circles tell by their area how many rows they stand for.
        sizes = [(each.properties["@weight"], each.properties["@size"]) for each in tile["features"]]  # type: ignore[attr-defined]
        mean = ROWS / len(sizes)
        assert {0.5 <= size <= 2.5 for _, size in sizes} == {True}
        assert max(abs(size - min(2.5, max(0.5, (weight / mean) ** 0.5))) for weight, size in sizes) < 0.051
        # Of a broad filter the representatives are a sample; a narrow one is drawn from the table.
        await one.ask("layer_update", layer_id=layer["id"], filter="value < 50")
        await until(lambda: one.named("layer_updated")[-1]["layer"]["filter"])
        _, tile = await world(one.named("layer_updated")[-1]["layer"]["tiles"])
        (note,) = (each.properties for each in tile["_meta"])  # type: ignore[attr-defined]
        assert note["sample"]
        await one.ask("layer_update", layer_id=layer["id"], filter="id <= 30")
        await until(lambda: one.named("layer_updated")[-1]["layer"]["count"] == 30)
        _, tile = await world(one.named("layer_updated")[-1]["layer"]["tiles"])
        assert len(tile["features"]) == 30
    await connection.close()
