"""A large table appears at once from estimates that say so, and gets its exact numbers when they are counted."""

from __future__ import annotations

from typing import Any

import aiohttp
import asyncpg
import pytest

from server.gis.profiles import estimates
from server.maps.layers.verbs import LayerService
from server.maps.live import data_follower
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
        address = f"{server.url.rstrip('/')}/api/maps/{one.map_id}/layers/{layer['id']}/tilejson"
        async with aiohttp.ClientSession() as browser, browser.get(address) as answer:
            described = await answer.json()
        assert (described["count"], described["estimated"]) == (ROWS - 1000, False)
        # A change of the style alone is counted from the profile, and a filter always from the rows.
        await one.ask("layer_update", layer_id=layer["id"], style={"kind": "single"})
        await until(lambda: one.named("layer_updated")[-1]["layer"]["style"]["kind"] == "single")
        plain = one.named("layer_updated")[-1]["layer"]
        assert (plain["count"], plain["estimated"]) == (ROWS - 1000, False)
        await one.ask("layer_update", layer_id=layer["id"], filter="value < 10")
        await until(lambda: one.named("layer_updated")[-1]["layer"]["filter"])
        some = one.named("layer_updated")[-1]["layer"]
        assert (some["count"], some["estimated"]) == (590, False)


async def test_views_and_parts_of_large_tables_are_estimated_first_where_counting_takes_long(
    samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimates, "COUNTED_COST", 0)
    connection = await asyncpg.connect(samples_url)
    await connection.execute(MADE.replace("pings", "parts"))
    await connection.execute(
        "CREATE VIEW data.half AS SELECT * FROM data.parts WHERE value < 500; ANALYZE data.parts"
    )
    half = await connection.fetchval("SELECT count(*) FROM data.half")
    await connection.close()
    async with local_server(samples_url, large_table=10_000) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        await one.ask("join")
        for table, filter in (
            ("data.half", None),
            ("data.parts", "value < 500"),
            ("data.half", "value >= 0"),
        ):
            style = {"kind": "graduated", "column": "value"}
            await one.ask("layer_add", table=table, filter=filter, style=style)
            added = (
                await until(lambda t=table: [e for e in one.named("layer_added") if e["layer"]["table"] == t])
            )[-1]
            layer = added["layer"]
            assert layer["estimated"]
            assert layer["count"] == pytest.approx(half, rel=0.1)
            assert sum(entry["count"] for entry in layer["legend"]["entries"]) == pytest.approx(half, rel=0.1)
            assert layer["bounds"] == pytest.approx([0, 0, 2.99, 1.99], abs=0.05)

            def exact(layer_id: str = layer["id"]) -> list[dict[str, object]]:
                updates = [event["layer"] for event in one.named("layer_updated")]
                return [each for each in updates if each["id"] == layer_id and not each["estimated"]]

            (found, *_) = await until(exact)
            assert found["count"] == half


async def test_exact_numbers_come_although_the_database_was_away(
    samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow, outages = LayerService.follow_data, [ConnectionRefusedError()]

    async def follow_after_outage(service: LayerService, *args: Any, **options: Any) -> bool:
        if outages:
            raise outages.pop()
        return await follow(service, *args, **options)

    monkeypatch.setattr(LayerService, "follow_data", follow_after_outage)
    monkeypatch.setattr(data_follower, "POLL_S", 0.2)
    async with local_server(samples_url, large_table=10_000) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        assert (await one.hears("layer_added"))["layer"]["estimated"]
        await until(lambda: [each for each in one.named("layer_updated") if not each["layer"]["estimated"]])
    assert outages == []


async def test_exact_numbers_stay_exact_while_overviews_are_built(samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(MADE.replace("pings", "steady"))
    await connection.close()
    large = {"large_table": 10_000, "overview_rows": 10_000}
    async with local_server(samples_url, **large) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.steady", style={"kind": "graduated", "column": "value"})
        # The tag of its tiles names the build of the overviews.
        await until(
            lambda: [
                event
                for event in one.named("layer_updated")
                if "." in event["layer"]["tiles"].partition("?data=")[2] and not event["layer"]["estimated"]
            ]
        )
        states = [event["layer"]["estimated"] for event in one.named("layer_updated")]
        assert states == sorted(states, reverse=True)
