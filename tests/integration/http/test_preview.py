"""A first look at a table over HTTP: some of its shapes, from all over it, for who may add it."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from server.notes import Notes
from tests.support.server import client, local_server


async def looked(session: aiohttp.ClientSession, map_id: str, table: str) -> tuple[int, dict[str, Any]]:
    async with session.get(f"/api/maps/{map_id}/tables/{table}/preview") as answer:
        return answer.status, await answer.json(content_type=None)


@pytest.mark.parametrize(
    ("table", "kinds", "most"),
    [("data.airports", {"Point"}, 500), ("data.countries", {"Polygon", "MultiPolygon"}, 300)],
)
async def test_a_preview_has_shapes_from_all_over_the_table(
    samples_url: str, table: str, kinds: set[str], most: int
) -> None:
    async with (
        local_server(samples_url) as server,
        client(server) as one,
        aiohttp.ClientSession(server.url) as session,
    ):
        await one.ask("join")
        status, found = await looked(session, one.map_id, table)
        assert (status, found["type"]) == (200, "FeatureCollection")
        shapes = [feature["geometry"] for feature in found["features"]]
        assert 150 < len(shapes) <= most
        assert {shape["type"] for shape in shapes} <= kinds
        if kinds == {"Point"}:
            longitudes = [shape["coordinates"][0] for shape in shapes]
            assert min(longitudes) < -60
            assert max(longitudes) > 60


async def test_a_preview_tells_what_people_noted_about_the_table(samples_url: str) -> None:
    async with (
        local_server(samples_url) as server,
        client(server) as one,
        aiohttp.ClientSession(server.url) as session,
    ):
        await one.ask("join")
        notes = Notes(server.database.owner)
        kept = await notes.add("Runways", "Lengths are in *feet*.", ["data.airports"])
        try:
            told = [
                (await looked(session, one.map_id, name))[1]["notes"]
                for name in ("data.airports", "data.cities")
            ]
        finally:
            await notes.remove(kept.id)
        note = {"title": "Runways", "body": "Lengths are in *feet*."}
        assert [note in each for each in told] == [True, False]


async def test_what_cannot_be_looked_at_is_refused_with_the_reason(samples_url: str) -> None:
    async with (
        local_server(samples_url) as server,
        client(server) as one,
        aiohttp.ClientSession(server.url) as session,
    ):
        await one.ask("join")
        status, found = await looked(session, one.map_id, "data.airprots")
        assert (status, found["error"]["code"]) == (404, "unknown_table")
        assert "data.airports" in found["error"]["message"]
        view = (await one.ask("share", view=True))["view_key"]
        status, found = await looked(session, view, "data.airports")
        assert (status, found["error"]["code"]) == (403, "read_only")
