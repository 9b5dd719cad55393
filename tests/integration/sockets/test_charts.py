"""Charts on a real server: made by hand and by the agent, kept, undone, seen by others, and linked with the map."""

from __future__ import annotations

import json
from typing import Any

import aiohttp
import pytest

from server.app import Server
from tests.support.models import ScriptedModel
from tests.support.server import Client, client

HIGH = "elevation_m > 2000"
HISTOGRAM = {"kind": "histogram", "layer_id": "airports", "x": "elevation_m"}


async def fetched(server: Server, address: str, **query: str) -> tuple[int, Any]:
    async with aiohttp.ClientSession(server.url) as session, session.get(address, params=query) as answer:
        text = await answer.text()
        return answer.status, text if "csv" in answer.content_type else json.loads(text)


async def with_chart(one: Client) -> dict[str, Any]:
    """A map with the airports above 2000 m and their histogram."""
    await one.ask("join")
    await one.ask("layer_add", table="data.airports", filter=HIGH)
    made = await one.ask("chart_add", chart=HISTOGRAM)
    event = await one.hears("chart_added")
    assert event["seq"] == made["seq"]
    chart: dict[str, Any] = event["chart"]
    assert chart["id"] == made["chart_id"]
    return chart


async def test_a_chart_is_an_event_and_its_data_is_to_be_had_from_its_address(server: Server) -> None:
    async with client(server) as one:
        chart = await with_chart(one)
        assert (chart["kind"], chart["version"], chart["rows"]) == ("histogram", 1, 379)
        status, data = await fetched(server, chart["data"])
        assert status == 200
        assert sum(data["counts"][0]) == 379
        async with client(server) as other:
            joined = await other.ask("join", map_id=one.map_id)
            assert joined["snapshot"]["charts"] == [chart]
        async with client(server) as replaying:
            replayed = await replaying.ask("join", map_id=one.map_id, after_seq=0)
            assert [event["event"] for event in replayed["events"]] == ["layer_added", "chart_added"]
            assert replayed["events"][1]["data"]["chart"] == chart


async def test_a_restore_brings_charts_back_and_takes_later_ones_away(server: Server) -> None:
    async with client(server) as one:
        first = await with_chart(one)
        then = one.numbered()[-1][0]
        second = await one.ask("chart_add", chart={"kind": "bar", "layer_id": "airports", "x": "continent"})
        await one.ask("layer_update", layer_id="airports", filter=None)
        await one.ask("chart_refresh", chart_id=first["id"])
        await one.ask("restore", seq=then)
        async with client(server) as other:
            assert (await other.ask("join", map_id=one.map_id))["snapshot"]["charts"] == [first]
        await one.ask("undo")
        async with client(server) as other:
            charts = (await other.ask("join", map_id=one.map_id))["snapshot"]["charts"]
        assert {chart["id"]: chart["version"] for chart in charts} == {first["id"]: 2, second["chart_id"]: 1}


async def test_a_copy_of_the_map_has_its_charts_under_its_own_addresses(server: Server) -> None:
    async with client(server) as one, client(server) as other:
        chart = await with_chart(one)
        copied = (await one.ask("copy"))["map_id"]
        [own] = (await other.ask("join", map_id=copied))["snapshot"]["charts"]
        assert own == {**chart, "data": chart["data"].replace(one.map_id, copied)}
        status, data = await fetched(server, own["data"])
        assert (status, data) == await fetched(server, chart["data"])
        await other.ask("layer_update", layer_id="airports", filter=None)
        await other.ask("chart_refresh", chart_id=own["id"])
        assert (await other.hears("chart_updated"))["chart"]["rows"] == 28_298
        async with client(server) as third:
            assert (await third.ask("join", map_id=one.map_id))["snapshot"]["charts"] == [chart]


async def test_charts_are_removed_undone_and_redone(server: Server) -> None:
    async with client(server) as one:
        chart = await with_chart(one)
        await one.ask("chart_remove", chart_id=chart["id"])
        undone = await one.ask("undo")
        assert undone["what"] == f"removed the chart {chart['title']}"
        assert (await one.hears("chart_added", 2))["chart"] == chart
        await one.ask("redo")
        await one.hears("chart_removed", 2)
        assert [name for _, name in one.numbered()][-3:] == ["chart_removed", "chart_added", "chart_removed"]
        async with client(server) as other:
            assert (await other.ask("join", map_id=one.map_id))["snapshot"]["charts"] == []
        assert (await fetched(server, chart["data"]))[0] == 200, "what was looked at can be looked back at"


async def test_data_changes_only_when_it_is_asked_for(server: Server) -> None:
    async with client(server) as one:
        chart = await with_chart(one)
        await one.ask("layer_update", layer_id="airports", filter="elevation_m > 3000")
        assert one.named("chart_updated") == []
        await one.ask("chart_refresh", chart_id=chart["id"])
        newer = (await one.hears("chart_updated"))["chart"]
        assert (newer["id"], newer["version"], newer["title"]) == (chart["id"], 2, chart["title"])
        assert newer["rows"] < chart["rows"]
        assert (await fetched(server, chart["data"]))[1] != (await fetched(server, newer["data"]))[1]
        await one.ask("undo")
        assert (await one.hears("chart_updated", 2))["chart"] == chart
        await one.ask("layer_remove", layer_id="airports")
        await one.ask("chart_refresh", chart_id=chart["id"])
        last = (await one.hears("chart_updated", 3))["chart"]
        assert (last["version"], last["rows"]) == (3, 379), "without its layer, under the filter that it had"


async def test_parts_and_features_find_each_other_over_http(server: Server) -> None:
    async with client(server) as one:
        chart = await with_chart(one)
        base = chart["data"].removesuffix("/data")
        _, data = await fetched(server, chart["data"])
        status, found = await fetched(server, f"{base}/features", parts="0,1.0")
        assert status == 200
        assert found["total"] == len(found["ids"]) == data["counts"][0][0] + data["counts"][0][1]
        _, back = await fetched(server, f"{base}/parts", ids=",".join(map(str, found["ids"][:300])))
        assert sum(count for _, _, count in back["parts"]) == len(found["ids"][:300])
        assert {place for place, _, _ in back["parts"]} <= {0, 1}
        _, low = await fetched(server, f"{base}/parts", ids="3")
        assert low == {"parts": []}, "an airport that the layer does not show is in no bin"


async def test_a_chart_is_a_file_for_a_spreadsheet(server: Server) -> None:
    async with client(server) as one:
        chart = await with_chart(one)
        status, text = await fetched(server, f"{chart['data']}.csv")
        assert status == 200
        head, *rows = text.strip().split("\r\n")
        assert head == "elevation_m from,elevation_m to,count"
        assert sum(int(row.rsplit(",", 1)[1]) for row in rows) == 379


async def test_a_map_is_the_right_to_its_charts(server: Server) -> None:
    async with client(server) as one, client(server) as other:
        chart = await with_chart(one)
        await other.ask("join")
        for address in (chart["data"].replace(one.map_id, other.map_id), chart["data"].replace("/1/", "/2/")):
            status, answer = await fetched(server, address)
            assert (status, answer["error"]["code"]) == (404, "unknown_chart")
        assert await other.refused("chart_refresh", chart_id=chart["id"]) == "unknown_chart"
        assert await other.refused("chart_remove", map_id=one.map_id, chart_id=chart["id"]) == "not_joined"


@pytest.mark.parametrize(
    ("chart", "code"),
    [
        ({"kind": "pie", "table": "data.airports", "x": "id"}, "invalid_payload"),
        ({"kind": "bar", "x": "id"}, "invalid_payload"),
        ({"kind": "bar", "table": "data.nowhere", "x": "id"}, "unknown_table"),
        ({"kind": "bar", "layer_id": "nowhere", "x": "id"}, "unknown_layer"),
        ({"kind": "bar", "layer_id": "airports", "table": "data.cities", "x": "id"}, "invalid_payload"),
        ({"kind": "histogram", "table": "data.airports", "x": "name"}, "invalid_payload"),
        ({"kind": "bar", "table": "data.airports", "x": "nam"}, "invalid_filter"),
        (
            {"kind": "bar", "table": "data.airports", "x": "name", "filter": "1=1; DROP TABLE x"},
            "invalid_filter",
        ),
        ({"kind": "bar", "table": "data.airports", "x": "name", "bins": 10**6}, "invalid_payload"),
        ({"kind": "bar", "table": "data.airports", "x": "name", "sql": "x"}, "invalid_payload"),
        ("histogram", "invalid_payload"),
    ],
)
async def test_bad_wishes_are_refused_and_leave_no_event(server: Server, chart: Any, code: str) -> None:
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        assert await one.refused("chart_add", chart=chart) == code
        assert one.named("chart_added") == []


@pytest.mark.parametrize(
    ("what", "query"),
    [
        ("features", {"parts": "x"}),
        ("features", {"parts": "0.x"}),
        ("features", {"parts": ",".join(["0"] * 1001)}),
        ("features", {"parts": "²"}),
        ("features", {"window": "0,1,0,1"}),
        ("features", {"window": "0,1"}),
        ("features", {"window": "a,b,c,d"}),
        ("parts", {"ids": "1;DROP TABLE data.airports"}),
        ("parts", {"ids": "99999999999999999999"}),
        ("parts", {"ids": ",".join(["1"] * 301)}),
    ],
)
async def test_bad_questions_about_a_chart_are_refused(
    server: Server, what: str, query: dict[str, str]
) -> None:
    async with client(server) as one:
        chart = await with_chart(one)
        status, answer = await fetched(server, chart["data"].replace("/data", f"/{what}"), **query)
        assert status == 400
        assert answer["error"]["message"]


async def test_a_viewer_sees_charts_and_changes_none(server: Server) -> None:
    async with client(server) as one, client(server) as viewer:
        chart = await with_chart(one)
        key = (await one.ask("share", view=True))["view_key"]
        [seen] = (await viewer.ask("join", map_id=key))["snapshot"]["charts"]
        assert one.map_id not in json.dumps(seen)
        own = (await fetched(server, chart["data"]))[1]
        assert await fetched(server, seen["data"]) == (200, own)
        found = await fetched(server, seen["data"].replace("/data", "/features"), parts="0")
        assert found[1]["total"] == own["counts"][0][0]


async def test_the_agent_makes_a_chart_and_reads_its_numbers(server: Server, model: ScriptedModel) -> None:
    model.then(
        [("make_chart", {"kind": "bar", "data": "data.countries", "x": "continent", "y": "population"})],
        ["Here it is."],
    )
    async with client(server) as one:
        await one.ask("join")
        assert (await one.says("chart population by continent"))["status"] == "done"
        added = await one.hears("chart_added")
        assert added["turn_id"] is not None
        assert added["chart"]["title"] == "Total population by continent"
        finished = await one.hears("tool_finished")
        assert finished["ok"]
        assert finished["filled"] == {"aggregate": "sum"}
        assert '"Asia"' in finished["result"]
        assert "sum of population" in finished["result"]
        async with client(server) as other:
            chat = (await other.ask("join", map_id=one.map_id))["snapshot"]["chat"]
            assert "chart_added" in [event["event"] for event in chat], "it stands where it was said"


async def test_a_wrong_column_is_the_models_to_repair(server: Server, model: ScriptedModel) -> None:
    model.then(
        [("make_chart", {"kind": "histogram", "data": "data.countries", "x": "continent"})], ["Sorry."]
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("histogram of continents")
        finished = await one.hears("tool_finished")
        assert not finished["ok"]
        assert "use bars for groups" in finished["result"]
        assert "population" in finished["result"], "the columns that can"
