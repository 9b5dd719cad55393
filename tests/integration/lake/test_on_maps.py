"""A lake table is listed, described, counted and drawn, and what comes from its sample says so."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import pytest_asyncio
import shapely
from aiohttp import ClientSession

from server.app import Server
from server.gis.filters import normalize
from server.gis.lake.answers.counting import LakeCounter
from server.gis.lake.detail import DetailLimits, LakeDetail
from server.gis.lake.register import Lake
from server.gis.lake.storage import LakeStorage
from server.gis.query.data import PostgisData
from server.gis.tiles.grid import BUFFER, EXTENT, Tile
from server.maps.live.data_follower import POLL_S
from tests.integration.tiles.drawing import decoded
from tests.support import lake as datasets
from tests.support.server import client, local_server

ROWS, SAMPLE = 5000, 500


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lake_server(samples_url: str, lake_folder: Path) -> AsyncIterator[Server]:
    async with local_server(samples_url, lake_paths=(lake_folder,)) as server:
        lake = Lake(server.database.owner, LakeStorage([lake_folder]), sample_rows=SAMPLE)
        await lake.add("tracks", str(datasets.hive(lake_folder / "tracks", ROWS)))
        await Lake(server.database.owner, LakeStorage([lake_folder])).add(
            "all_tracks", str(lake_folder / "tracks")
        )
        await server.registry.refresh(patience=5)
        yield server
        for name in ("tracks", "all_tracks"):
            await lake.remove(name)


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
        assert layer["legend"]["note"].endswith(" of 10,000 rows; close up, from the files.")
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


async def _tile(server: Server, layer: dict[str, Any], tile: Tile) -> dict[str, list[Any]]:
    url = server.url + layer["tiles"].format(z=tile.z, x=tile.x, y=tile.y)
    async with ClientSession() as session, session.get(url) as answer:
        return decoded(await answer.read()) if answer.status == 200 else {}


def _all_rows() -> pd.DataFrame:
    zones = (datasets.pings(ROWS, 5.0), datasets.pings(ROWS, 15.0, seed=2))
    return pd.concat([each.to_pandas().assign(zone=number) for number, each in enumerate(zones, 1)])


def _there(tile: Tile) -> pd.DataFrame:
    """The rows of the files that lie in a tile, its margin left out."""
    rows = _all_rows()
    points = shapely.from_wkb(rows["geometry"])
    west, south, east, north = tile.degrees()
    across, up = (
        (east - west) * BUFFER / (EXTENT + 2 * BUFFER),
        (north - south) * BUFFER / (EXTENT + 2 * BUFFER),
    )
    x, y = shapely.get_x(points), shapely.get_y(points)
    return rows[(x > west + across) & (x < east - across) & (y > south + up) & (y < north - up)]


CLOSE = Tile(8, 135, 86)
"""A tile in Germany, which about half a percent of the rows are in."""


async def test_close_up_all_rows_of_the_files_are_drawn_with_their_values(lake_server: Server) -> None:
    there = _there(CLOSE)
    assert len(there) > 20
    async with client(lake_server) as one:
        await one.ask("join")
        await one.says("show tracks")
        layer = one.named("layer_added")[-1]["layer"]
        drawn = await _tile(lake_server, layer, CLOSE)
        values = {feature.properties.get("id"): feature.properties for feature in drawn["features"]}
        assert set(there["id"]) <= values.keys()
        for row in there.to_dict("records"):
            found = values[row["id"]]
            assert found.get("value") == (
                None if row["value"] != row["value"] else pytest.approx(row["value"])
            )
            assert (found["kind"], found["size"]) == (row["kind"], row["size"])
            assert found["zone"] in (1, 2)
        assert not any("@weight" in each for each in values.values())
        assert "_meta" not in drawn


async def test_close_up_filters_and_cells_are_of_all_rows(lake_server: Server) -> None:
    there = _there(CLOSE)
    async with client(lake_server) as one:
        await one.ask("join")
        await one.says("show tracks where value > 100 and kind = 'car'")
        layer = one.named("layer_added")[-1]["layer"]
        drawn = await _tile(lake_server, layer, CLOSE)
        ids = {feature.properties["id"] for feature in drawn["features"]}
        wanted = there[(there["value"] > 100) & (there["kind"] == "car")]
        assert 0 < len(wanted) < len(there)
        assert set(wanted["id"]) <= ids
        assert all(each.properties["value"] > 100 for each in drawn["features"])
    async with client(lake_server) as one:
        await one.ask("join")
        await one.says("hexbins of tracks")
        layer = one.named("layer_added")[-1]["layer"]
        drawn = await _tile(lake_server, layer, CLOSE)
        counts = [each.properties["count"] for each in drawn["features"]]
        assert sum(counts) >= len(there)
        # One of the sample stands for twenty rows.
        assert any(count % (2 * ROWS // SAMPLE) for count in counts)


async def test_the_sample_is_drawn_where_a_tile_has_too_many_rows_or_the_files_changed(
    lake_server: Server, lake_folder: Path
) -> None:
    table = lake_server.registry.get("data.tracks")
    box = CLOSE.degrees()
    paths = LakeStorage([lake_folder])
    whole = await LakeDetail(lake_server.database.owner, paths).within(table, box)
    assert whole.table is not None
    assert len(whole.table) >= len(_there(CLOSE))
    for limits in (DetailLimits(rows=5), DetailLimits(scanned_rows=500), DetailLimits(scanned_bytes=100)):
        found = await LakeDetail(lake_server.database.owner, paths, limits).within(table, box)
        assert (found.table, found.is_final) == (None, True)
    late = await LakeDetail(lake_server.database.owner, paths, DetailLimits(seconds=0.0)).within(table, box)
    assert (late.table, late.is_final) == (None, False)
    elsewhere = LakeStorage([lake_folder / "elsewhere"])
    assert (await LakeDetail(lake_server.database.owner, elsewhere).within(table, box)).table is None
    for file in (lake_folder / "tracks").rglob("*.parquet"):
        content = file.stat()
        os.utime(file, ns=(content.st_atime_ns, content.st_mtime_ns + 1000))
        try:
            changed = await LakeDetail(lake_server.database.owner, paths).within(table, box)
        finally:
            os.utime(file, ns=(content.st_atime_ns, content.st_mtime_ns))
        if "zone=1" in str(file):
            assert (changed.table, changed.is_final) == (None, False)


async def test_filtered_layers_are_counted_exactly_in_the_files(lake_server: Server) -> None:
    async with client(lake_server) as one:
        map_id = (await one.ask("join"))["map_id"]
        await one.says("show tracks where zone = 1")
        layer = one.named("layer_added")[-1]["layer"]
        assert (layer["estimated"], layer["count"]) == (False, ROWS)
        assert "about" not in one.named("ai_response")[-1]["message"]
        url = f"{lake_server.url}/api/maps/{map_id}/layers/{layer['id']}/count"
        async with ClientSession() as session, session.get(f"{url}?bounds=7,47,9,50") as answer:
            found = await answer.json()
    rows = _all_rows()
    points = shapely.from_wkb(rows["geometry"])
    inside = (rows["zone"] == 1) & shapely.box(7, 47, 9, 50).intersects(points)
    assert found == {"count": int(inside.sum()), "exact": True}


async def test_a_count_in_changed_files_is_an_estimate(lake_server: Server, lake_folder: Path) -> None:
    with _touched(lake_folder / "tracks"):
        async with client(lake_server) as one:
            await one.ask("join")
            await one.says("show tracks where zone = 1 and id > 0")
            layer = one.named("layer_added")[-1]["layer"]
            assert layer["estimated"]
            assert layer["count"] == pytest.approx(ROWS, rel=0.05)
            assert "about" in one.named("ai_response")[-1]["message"]
            await asyncio.sleep(3 * POLL_S)
            # One at most, where PostgreSQL tells of the new rows only now; not one for each look at the table.
            assert len(one.named("layer_updated")) <= 1
            await one.says("how many tracks where zone = 1 and id > 1?")
            message = one.named("ai_response")[-1]["message"]
            assert "about 5" in message
            assert "Estimated from a sample of" in message


@contextmanager
def _touched(folder: Path) -> Iterator[None]:
    """The files have another time for a while."""
    states = {file: file.stat() for file in folder.rglob("*.parquet")}
    for file, state in states.items():
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns + 1000))
    try:
        yield
    finally:
        for file, state in states.items():
            os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


async def test_numbers_that_the_files_give_are_told_without_a_reserve(lake_server: Server) -> None:
    async with client(lake_server) as one:
        await one.ask("join")
        for asked in ("how many tracks are there?", "describe tracks"):
            await one.says(asked)
            assert "10,000" in one.named("ai_response")[-1]["message"]
        await one.says("how many tracks where zone = 1?")
        message = one.named("ai_response")[-1]["message"]
        assert "5,000" in message
        assert "about" not in message
        assert "sample" not in message


EXACT = (
    "value > 110 AND kind = 'car'",
    "NOT (value <= 110 OR size >= 100)",
    "value IS NULL",
    "kind IN ('boat', 'it''s a \\ \"plane\"') AND zone = 2",
    "size BETWEEN 20 AND 30 AND kind <> 'boat'",
    "at >= TIMESTAMP('2024-01-02T00:00:00Z')",
    "S_INTERSECTS(geometry, POLYGON((6 46, 9 46, 9 50, 6 46))) AND value < 90",
)


@pytest.mark.parametrize("where", EXACT)
async def test_counts_in_files_are_those_of_all_rows_in_the_database(
    lake_server: Server, lake_folder: Path, where: str
) -> None:
    owner, paths = lake_server.database.owner, LakeStorage([lake_folder])
    sampled = lake_server.registry.get("data.tracks")
    whole = lake_server.registry.get("data.all_tracks")
    wanted = normalize(sampled, where)
    assert wanted is not None
    counted = await LakeCounter(owner, paths).count(sampled, wanted)
    assert counted == (
        await PostgisData(lake_server.database.reader, lake_server.registry).count(whole.id, where)
    )
    assert 0 < counted < 2 * ROWS


async def _rows(server: Server, message: str, **asked: str) -> dict[str, Any]:
    """A page of the attribute table of the layer that a request shows on a map of its own."""
    async with client(server) as one:
        map_id = (await one.ask("join"))["map_id"]
        await one.says(message)
        layer = one.named("layer_added")[-1]["layer"]
        assert layer["table"] == "data.tracks"
        url = f"{server.url}/api/maps/{map_id}/layers/{layer['id']}/rows"
        async with ClientSession() as session, session.get(url, params=asked) as answer:
            found: dict[str, Any] = await answer.json()
            return found


async def test_the_attribute_table_lists_all_rows_of_the_files(lake_server: Server) -> None:
    rows = _all_rows()
    page = await _rows(lake_server, "show tracks", limit="10", offset=str(ROWS - 5))
    assert (page["total"], page["key"], "sampled_from" in page) == (2 * ROWS, [], False)
    assert [row["id"] for row in page["rows"]] == list(rows["id"][ROWS - 5 : ROWS + 5])
    assert [row["zone"] for row in page["rows"]] == [1] * 5 + [2] * 5
    assert page["rows"][0]["at"] == rows["at"].iloc[ROWS - 5].isoformat()
    last = await _rows(lake_server, "show tracks", sort="value", limit="1", offset=str(2 * ROWS - 1))
    assert last["rows"][0]["value"] is None


@pytest.mark.parametrize("descending", [False, True])
async def test_the_attribute_table_filters_and_sorts_all_rows_of_the_files(
    lake_server: Server, descending: bool
) -> None:
    rows = _all_rows()
    wanted = rows[(rows["value"] > 110) & (rows["kind"] == "car")]
    wanted = wanted.sort_values("value", ascending=not descending)
    message, order = "show tracks where value > 110 and kind = 'car'", str(descending).lower()
    page = await _rows(lake_server, message, sort="value", descending=order, limit="7", offset="3")
    assert page["total"] == len(wanted)
    assert [row["value"] for row in page["rows"]] == list(wanted["value"][3:10])


async def test_a_tile_whose_rows_could_not_be_read_in_time_is_asked_for_again(
    lake_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a sample beside tiles with all rows. No cache keeps it, and MapLibre asks again when it has expired."""
    async with client(lake_server) as one:
        await one.ask("join")
        await one.says("show tracks")
        layer = one.named("layer_added")[-1]["layer"]
        url = lake_server.url + layer["tiles"].format(z=CLOSE.z, x=CLOSE.x, y=CLOSE.y)

        async def asked() -> tuple[str, bool]:
            async with ClientSession() as session, session.get(url) as answer:
                notes = decoded(await answer.read()).get("_meta", [])
                return answer.headers["Cache-Control"], any(note.properties.get("sample") for note in notes)

        with monkeypatch.context() as patch:
            patch.setattr(lake_server.tiles._low_zoom._detail, "_limits", DetailLimits(seconds=0.0))
            assert await asked() == ("no-store, max-age=10", True)
        caching, is_sample = await asked()
        assert caching.endswith("immutable")
        assert not is_sample


async def test_rows_that_the_database_sorts_are_those_of_the_sample(lake_server: Server) -> None:
    by_text = await _rows(lake_server, "show tracks", sort="kind", limit="5", total=str(2 * ROWS))
    assert by_text["sampled_from"].endswith(" of 10,000 rows")
    assert by_text["total"] < SAMPLE + 20


async def test_nothing_is_counted_in_changed_files_or_too_slowly(
    lake_server: Server, lake_folder: Path
) -> None:
    owner, table = lake_server.database.owner, lake_server.registry.get("data.tracks")
    wanted = normalize(table, "value > 110")
    assert wanted is not None
    assert await LakeCounter(owner, LakeStorage([lake_folder]), seconds=0.0).count(table, wanted) is None
    assert await LakeCounter(owner, LakeStorage([lake_folder / "elsewhere"])).count(table, wanted) is None


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
    async with client(lake_server) as one:
        await one.ask("join")
        await one.says("show tracks")
        layer = one.named("layer_added")[-1]["layer"]
        url = f"{lake_server.url}/api/maps/{one.map_id}/layers/{layer['id']}"
        for path in ("histogram?column=value", "values?column=kind"):
            async with ClientSession() as session, session.get(f"{url}/{path}") as answer:
                found = await answer.json()
            assert found["sampled_from"] == stats["sampled_from"]
    assert quality["bounds"]["box"] == pytest.approx([5, 45, 25, 55], abs=0.1)


async def test_without_spark_an_analysis_of_it_says_what_is_missing(lake_server: Server) -> None:
    async with client(lake_server) as one:
        await one.ask("join")
        await one.says("how many tracks per country")
        message = one.named("ai_response")[-1]["message"]
        assert "GEOAGENT_SPARK" in message
        assert "sample of" in message
