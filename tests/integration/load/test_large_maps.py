"""A map can be filled up, but never so far that those who open it hold up everybody else on the server."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import aiohttp
import pytest

from server.app import Server
from tests.support.server import client

PLACE = {"position": [13.4, 52.5]}


def area(vertices: int) -> dict[str, Any]:
    """A filter by a polygon of so many vertices."""
    angles = [2 * math.pi * number / vertices for number in range(vertices)]
    ring = [[round(100 * math.cos(angle), 6), round(60 * math.sin(angle), 6)] for angle in angles]
    shape = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    return {"op": "s_intersects", "args": [{"property": "geom"}, shape]}


async def test_a_filter_that_every_change_and_every_visitor_would_carry_is_bounded(server: Server) -> None:
    async with client(server) as one:
        await one.ask("join")
        assert await one.refused("layer_add", table="data.airports", filter=area(9_000)) == "too_large"
        added = await one.ask("layer_add", table="data.countries", filter=area(3_000))
        wanted = {"layer_id": added["layer_id"], "filter": area(9_000)}
        assert await one.refused("layer_update", **wanted) == "too_large"
        chart = {"kind": "bar", "table": "data.airports", "x": "iata", "filter": area(9_000)}
        assert await one.refused("chart_add", chart=chart) == "too_large"
        answers = [
            await one.send(
                "layer_add", {"map_id": one.map_id, "table": "data.countries", "filter": area(3_000)}
            )
            for _ in range(16)
        ]
        codes = {answer["error"]["code"] for answer in answers if not answer["ok"]}
        assert codes == {"too_large"}, "all filters of a map together are bounded, too"
        snapshot = (await one.ask("join", map_id=one.map_id))["snapshot"]
        assert len(json.dumps(snapshot)) < 2_000_000


async def test_an_area_that_crosses_itself_everywhere_is_refused_at_once(server: Server) -> None:
    """GEOS took four minutes to repair it, in the loop that serves everybody."""
    turns = [2 * math.pi * number * 150 / 301 for number in range(301)]
    ring = [[50 * math.cos(turn), 40 * math.sin(turn)] for turn in turns]
    star = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    within = {"op": "s_intersects", "args": [{"property": "geom"}, star]}
    async with client(server) as one:
        await one.ask("join")
        answer = await one.send(
            "layer_add", {"map_id": one.map_id, "table": "data.airports", "filter": within}
        )
        assert answer["error"]["code"] == "invalid_filter"
        assert "crosses itself" in answer["error"]["message"]
        await one.ask("layer_add", table="data.airports")


async def test_comments_and_saved_views_of_a_map_are_bounded_in_size(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.maps.comments.MAX_CHARACTERS", 5_000)
    async with client(server) as one:
        await one.ask("join")
        thread = await one.ask("thread_start", place=PLACE, text="x" * 2_000)
        await one.ask("comment_add", thread_id=thread["thread_id"], text="y" * 2_000)
        assert (
            await one.refused("comment_add", thread_id=thread["thread_id"], text="z" * 2_000) == "too_large"
        )
        assert await one.refused("thread_start", place=PLACE, text="z" * 2_000) == "too_large"
        await one.ask("thread_remove", thread_id=thread["thread_id"])
        await one.ask("thread_start", place=PLACE, text="z" * 2_000)

        view = {"center": [0, 0], "zoom": 1, "layers": [f"{number:064}" for number in range(1_000)]}
        for name in ("a", "b", "c"):
            await one.ask("bookmark_save", name=name, view=view)
        assert await one.refused("bookmark_save", name="d", view=view) == "too_large"


async def test_the_data_of_all_versions_of_charts_of_a_map_is_bounded_and_a_copy_has_space_again(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.maps.charts, "_space", 3_000)
    chart = {"kind": "bar", "table": "data.airports", "x": "continent"}
    async with client(server) as one:
        await one.ask("join")
        added = await one.ask("chart_add", chart=chart)
        refused: dict[str, Any] = {"ok": True}
        refreshed = 0
        while refused["ok"]:
            refused = await one.send("chart_refresh", {"map_id": one.map_id, "chart_id": added["chart_id"]})
            refreshed += refused["ok"]
            assert refreshed < 100
        assert refreshed > 0
        assert refused["error"]["code"] == "too_large"
        assert "Copy the map" in refused["error"]["message"]
        assert await one.refused("chart_add", chart=chart) == "too_large"
        await one.ask("undo")  # an earlier version is there, and takes no space
        copied = await one.ask("copy")
        await one.ask("join", map_id=copied["map_id"])
        await one.ask("chart_add", chart=chart)


async def test_what_a_client_missed_comes_in_pages_of_bounded_size(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with client(server) as one:
        await one.ask("join")
        added = await one.ask("layer_add", table="data.airports", filter=area(3_000))
        for number in range(6):
            await one.ask("layer_update", layer_id=added["layer_id"], opacity=number / 10)
        monkeypatch.setattr("server.maps.live.joins.MAX_BYTES_PER_JOIN", 150_000)
        last, read, pages, largest = 0, [], 0, 0
        while True:
            page = await one.ask("join", map_id=one.map_id, after_seq=last)
            read += [event["data"]["seq"] for event in page["events"]]
            largest = max(largest, len(json.dumps(page["events"])))
            last, pages = page["seq"], pages + 1
            if not page["more"]:
                break
    assert read == [*range(1, 8)]
    assert pages >= 2
    assert largest < 600_000


async def test_messages_that_point_at_large_areas_do_not_swell_what_visitors_read(server: Server) -> None:
    focus = {"area": area(9_000)["args"][1]}
    async with client(server) as one:
        await one.ask("join")
        for number in range(12):
            await one.ask("chat", text=f"how many airports are there? {number}", focus=focus)
        await one.hears("turn_finished", 12)
        snapshot = (await one.ask("join", map_id=one.map_id))["snapshot"]
    assert len(json.dumps(snapshot)) < 3_000_000
    assert snapshot["chat_complete"] is False
    texts = [each["data"]["text"] for each in snapshot["chat"] if each["event"] == "user_message"]
    assert texts[-1].endswith(" 11")
    assert len(texts) < 12


async def test_a_map_as_one_file_has_a_bound_however_many_layers_it_shows(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.http.page_file.DATA_BYTES", 300_000)
    async with client(server) as one, aiohttp.ClientSession(server.url) as session:
        await one.ask("join")
        sizes = []
        for _ in range(2):
            for _ in range(5):
                await one.ask("layer_add", table="data.airports")
            async with session.get(f"/api/maps/{one.map_id}/map.html") as answer:
                page = await answer.text()
            found = re.search(r'<script type="application/json" id="map">(.*?)</script>', page, re.DOTALL)
            assert found is not None
            document = json.loads(found[1])
            sizes.append(len(found[1]))
            counts = [(each["layer"]["shown"], each["layer"]["total"]) for each in document["layers"]]
            assert all(0 < shown < total for shown, total in counts), (
                "each has its part, and tells what it left out"
            )
        assert max(sizes) < 450_000, sizes
