"""A lake table is listed, described, counted and drawn, and what comes from its sample says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import ClientSession

from server.app import Server
from server.gis.lake.paths import LakePaths
from server.gis.lake.register import Lake
from server.maps.live.data_follower import POLL_S
from tests.integration.tiles.drawing import decoded
from tests.support import lake as datasets
from tests.support.server import client, local_server

ROWS, SAMPLE = 5000, 500


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lake_server(samples_url: str, lake_folder: Path) -> AsyncIterator[Server]:
    async with local_server(samples_url, lake_paths=(lake_folder,)) as server:
        lake = Lake(server.database.owner, LakePaths([lake_folder]), sample_rows=SAMPLE)
        await lake.add("tracks", str(datasets.hive(lake_folder / "tracks", ROWS)))
        await server.registry.refresh(patience=5)
        yield server
        await lake.remove("tracks")


async def test_it_is_listed_with_all_its_rows_and_marked(lake_server: Server) -> None:
    async with ClientSession() as session, session.get(f"{lake_server.url}/api/tables") as answer:
        found = {each["id"]: each for each in (await answer.json())["tables"]}
    table = found["data.tracks"]
    assert table["row_estimate"] == 2 * ROWS
    assert (table["lake"]["rows"], table["lake"]["files"]) == (2 * ROWS, 2)
    # Where the files are is for those who run the server.
    assert "/" not in str(table["lake"]) + str(table["comment"])


async def test_it_is_drawn_from_its_sample_and_says_for_how_many_rows_a_point_stands(
    lake_server: Server,
) -> None:
    async with client(lake_server) as one:
        await one.ask("join")
        await one.says("show tracks colored by value")
        layer = one.named("layer_added")[-1]["layer"]
        assert (layer["count"], layer["table"]) == (2 * ROWS, "data.tracks")
        assert layer["bounds"] == pytest.approx([5, 45, 25, 55], abs=0.1)
        assert layer["legend"]["note"].startswith("Drawn from a sample of ")
        assert layer["legend"]["note"].endswith(" of 10,000 rows.")
        counts = [entry["count"] or 0 for entry in layer["legend"]["entries"]]
        assert sum(counts) == pytest.approx(2 * ROWS, rel=0.05)
        url = lake_server.url + layer["tiles"].format(z=0, x=0, y=0)
        async with ClientSession() as session, session.get(url) as answer:
            body = await answer.read()
    drawn = decoded(body)
    weights = [feature.properties["@weight"] for feature in drawn["features"]]
    assert len(weights) == pytest.approx(SAMPLE, abs=20)
    assert sum(weights) == pytest.approx(2 * ROWS, rel=0.05)
    note: dict[str, Any] = drawn["_meta"][0].properties
    assert note["sample"]
    assert note["total"] == pytest.approx(2 * ROWS, rel=0.05)


async def test_the_count_of_a_filtered_layer_stays_an_estimate(lake_server: Server) -> None:
    async with client(lake_server) as one:
        await one.ask("join")
        await one.says("show tracks where zone = 1")
        layer = one.named("layer_added")[-1]["layer"]
        assert layer["estimated"]
        assert layer["count"] == pytest.approx(ROWS, rel=0.05)
        assert "about" in one.named("ai_response")[-1]["message"]
        await asyncio.sleep(3 * POLL_S)
        # One at most, where PostgreSQL tells of the new rows only now; not one for each look at the table.
        assert len(one.named("layer_updated")) <= 1


async def test_numbers_from_the_sample_are_told_as_estimates(lake_server: Server) -> None:
    async with client(lake_server) as one:
        await one.ask("join")
        await one.says("how many tracks are there?")
        assert "10,000" in one.named("ai_response")[-1]["message"]
        assert "sample" not in one.named("ai_response")[-1]["message"]
        await one.says("how many tracks where zone = 1?")
        said = one.named("ai_response")[-1]["message"]
        assert "about 5" in said
        assert "Estimated from a sample of" in said
        await one.says("describe tracks")
        assert "10,000" in one.named("ai_response")[-1]["message"]


async def test_statistics_are_scaled_and_the_ends_are_those_of_the_files(lake_server: Server) -> None:
    async with client(lake_server) as one:
        joined = await one.ask("join")
        url = f"{lake_server.url}/api/maps/{joined['map_id']}/tables/data.tracks"
        async with ClientSession() as session, session.get(f"{url}/stats?column=value") as answer:
            stats = await answer.json()
        async with ClientSession() as session, session.get(f"{url}/quality") as answer:
            quality = await answer.json()
    assert stats["count"] == 2 * ROWS
    assert stats["nulls"] == pytest.approx(200, abs=120)
    assert stats["mean"] == pytest.approx(100, abs=3)
    assert stats["minimum"] < 45
    assert stats["maximum"] > 155
    assert stats["sampled_from"].endswith("of 10,000 rows")
    assert not quality["exact"]
    assert quality["bounds"]["box"] == pytest.approx([5, 45, 25, 55], abs=0.1)


async def test_without_spark_an_analysis_of_it_says_what_is_missing(lake_server: Server) -> None:
    async with client(lake_server) as one:
        await one.ask("join")
        await one.says("how many tracks per country")
        said = one.named("ai_response")[-1]["message"]
        assert "GEOAGENT_SPARK" in said
        assert "sample of" in said
