"""A large table appears at once from estimates that say so, and gets its exact numbers when they are counted."""

from __future__ import annotations

import asyncpg

from tests.support.looking import until
from tests.support.server import client, local_server

ROWS = 60_000
MADE = f"""
    CREATE TABLE data.pings AS SELECT n AS id, n % 1000 AS value,
        ST_SetSRID(ST_MakePoint(n % 300 / 100.0, n % 200 / 100.0), 4326)::geometry(Point, 4326) AS geom
    FROM generate_series(1, {ROWS}) AS n;
    CREATE INDEX ON data.pings USING gist (geom);
    ANALYZE data.pings;
    DELETE FROM data.pings WHERE id <= 1000;
"""


async def test_a_large_layer_is_estimated_first_and_exact_later(samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(MADE)
    await connection.close()
    async with local_server(samples_url, large_table=10_000) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.pings", style={"kind": "graduated", "column": "value"})
        added = (await one.hears("layer_added"))["layer"]
        assert added["estimated"]
        assert abs(added["count"] - ROWS) < ROWS * 0.1
        counts = [entry["count"] for entry in added["legend"]["entries"]]
        assert abs(sum(counts) - ROWS) < ROWS * 0.1
        await until(lambda: [each for each in one.named("layer_updated") if not each["layer"]["estimated"]])
        event = one.named("layer_updated")[-1]
        layer = event["layer"]
        assert event["cause"] == "data"
        assert layer["count"] == ROWS - 1000
        assert sum(entry["count"] for entry in layer["legend"]["entries"]) == ROWS - 1000
        # A change of the style alone is counted from the profile, and a filter always from the rows.
        await one.ask("layer_update", layer_id=layer["id"], style={"kind": "single"})
        plain = one.named("layer_updated")[-1]["layer"]
        assert (plain["count"], plain["estimated"]) == (ROWS - 1000, False)
        await one.ask("layer_update", layer_id=layer["id"], filter="value < 10")
        await until(lambda: one.named("layer_updated")[-1]["layer"]["filter"])
        some = one.named("layer_updated")[-1]["layer"]
        assert (some["count"], some["estimated"]) == (590, False)
