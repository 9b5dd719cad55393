"""The numbers of answers on a real server: where each comes from, what was made up, and the rows behind them."""

from __future__ import annotations

from typing import Any

import aiohttp
import asyncpg
import pytest

from server.app import Server
from tests.support.models import ScriptedModel
from tests.support.server import Client, client, local_server

GERMAN = {"op": "=", "args": [{"property": "country"}, "Germany"]}
COUNT = ("count_features", {"table": "data.airports", "filters": GERMAN})
TOP = (
    "query_features",
    {
        "table": "data.cities",
        "columns": ["name", "population"],
        "sort": "population",
        "descending": True,
        "limit": 3,
    },
)


async def answer(
    one: Client, model: ScriptedModel, *replies: Any, text: str = "tell me", insists: bool = False
) -> dict[str, Any]:
    """The last `ai_response` of a turn in which the model replies so. `insists`: also when it is asked to write its
    answer again."""
    model.then(*replies, *replies[-1:] * insists)
    await one.says(text)
    return one.named("ai_response")[-1]


def marks(response: dict[str, Any]) -> list[tuple[str, int | None]]:
    return [(figure["text"], figure["source"]) for figure in response["figures"]]


async def test_a_number_refers_to_the_query_that_made_it_and_one_without_is_marked(
    one: Client, model: ScriptedModel
) -> None:
    response = await answer(
        one, model, [COUNT], ["There are **479** airports, and 7,777 pilots."], insists=True
    )
    assert marks(response) == [("479", 0), ("7,777", None)]
    for figure in response["figures"]:
        assert response["message"][figure["start"] : figure["end"]] == figure["text"]
    (source,) = response["sources"]
    called = one.named("tool_called")[-1]
    assert (source["call_id"], source["tool"]) == (called["call_id"], "count_features")
    assert (source["table"], source["filter"]) == ("data.airports", GERMAN)


async def test_the_sql_of_a_figure_gives_it_again(
    one: Client, model: ScriptedModel, samples_url: str
) -> None:
    stats = ("column_stats", {"table": "data.airports", "column": "elevation_m", "filters": GERMAN})
    added = ("add_map_layer", {"table": "data.airports", "filters": "name LIKE '%O''Hare%'"})
    response = await answer(
        one, model, [COUNT], [stats], [added], ["479; 238.47 on average; and one more, 1."]
    )
    assert marks(response)[:2] == [("479", 0), ("238.47", 1)]
    connection = await asyncpg.connect(samples_url)
    try:
        for source in response["sources"]:
            statement = source["sql"].split(";\n")[0].rstrip(";")
            row = await connection.fetchrow(statement)
            assert row is not None
            wanted = {"count_features": 479, "column_stats": 479, "add_map_layer": 1}[source["tool"]]
            assert row[0] == wanted
    finally:
        await connection.close()


async def test_a_number_of_a_row_names_its_row(one: Client, model: ScriptedModel) -> None:
    response = await answer(one, model, [TOP], ["Shanghai has 24.9 million, Beijing 18,960,744."])
    assert marks(response) == [("24.9 million", 0), ("18,960,744", 0)]
    assert response["sources"][0]["key"] == "id"
    assert [figure["row"] for figure in response["figures"]] == [1796236, 1816670]


async def test_the_offline_model_answers_with_figures_and_so_does_an_analysis(samples_url: str) -> None:
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        await one.says("show airports within 50 km of Berlin")
        response = one.named("ai_response")[-1]
        assert marks(response)[0] == ("11", 0)
        assert None not in {source for _, source in marks(response)}
        source = response["sources"][0]
        assert source["tool"] == "run_analysis"
        assert source["table"] == one.named("layer_added")[-1]["layer"]["table"]
        assert "CREATE TABLE" in source["sql"]
        await one.says("how many airports are there in Germany?")
        assert marks(one.named("ai_response")[-1]) == [("479", 0)]
        await one.says("bar chart of airports by continent where country is Switzerland")
        assert ("62", 0) in marks(one.named("ai_response")[-1])
        assert None not in {source for _, source in marks(one.named("ai_response")[-1])}


async def test_figures_and_receipts_are_kept_with_the_map(
    server: Server, one: Client, model: ScriptedModel
) -> None:
    response = await answer(one, model, [TOP], ["Beijing has 18,960,744."])
    async with client(server) as other:
        joined = await other.ask("join", map_id=one.map_id)
        kept = {each["event"]: each["data"] for each in joined["snapshot"]["chat"]}
    assert kept["ai_response"]["figures"] == response["figures"]
    assert kept["ai_response"]["sources"] == response["sources"]
    (receipt,) = kept["tool_finished"]["receipts"]
    assert receipt["values"] == {"total": 34006}
    assert receipt["sql"] == response["sources"][0]["sql"]
    assert receipt["cells"] == []


async def test_a_later_answer_may_refer_to_an_earlier_result(one: Client, model: ScriptedModel) -> None:
    await answer(one, model, [COUNT], ["479."])
    response = await answer(
        one, model, ["As I said, 479, not 480 or 512."], text="are you sure?", insists=True
    )
    assert marks(response) == [("479", 0), ("480", None), ("512", None)]
    assert response["sources"][0]["tool"] == "count_features"
    assert "SELECT count(*)" in response["sources"][0]["sql"]


async def test_streamed_text_has_no_figures_and_the_contract_holds(one: Client, model: ScriptedModel) -> None:
    response = await answer(one, model, ["Let me see. 12 first.", COUNT], ["479."])
    before = one.named("ai_response")[-2]
    assert (before["final"], before.get("figures", [])) == (False, [])
    assert (response["type"], response["message"], response["final"]) == ("ai_response", "479.", True)
    assert all(set(delta) == {"map_id", "turn_id", "text", "offset"} for delta in one.named("ai_delta"))


class Rows:
    def __init__(self, server: Server, map_id: str, seq: int) -> None:
        self.base = f"{server.url}/api/maps/{map_id}/answers/{seq}/sources"

    async def get(self, place: int = 0, status: int = 200, **query: str) -> dict[str, Any]:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{self.base}/{place}/rows", params=query) as got,
        ):
            assert got.status == status, await got.text()
            body: dict[str, Any] = await got.json()
            return body


async def test_the_rows_behind_a_figure_are_read_page_by_page(
    server: Server, one: Client, model: ScriptedModel
) -> None:
    response = await answer(one, model, [COUNT], ["479."])
    rows = Rows(server, one.map_id, response["seq"])
    first = await rows.get(limit="10")
    assert (first["total"], len(first["rows"]), first["truncated"]) == (479, 10, True)
    assert {row["country"] for row in first["rows"]} == {"Germany"}
    assert first["key"] == ["id"]
    assert first["filter"] == GERMAN
    assert first["bounds"] == pytest.approx([6, 47.5, 15, 55], abs=0.7)
    second = await rows.get(limit="10", offset="10")
    assert second["bounds"] is None
    assert not {row["id"] for row in first["rows"]} & {row["id"] for row in second["rows"]}


async def test_the_row_of_a_figure_is_read_alone(server: Server, one: Client, model: ScriptedModel) -> None:
    response = await answer(one, model, [TOP], ["Beijing has 18,960,744."])
    rows = Rows(server, one.map_id, response["seq"])
    page = await rows.get(row=str(response["figures"][0]["row"]))
    assert [row["name"] for row in page["rows"]] == ["Beijing"]
    assert page["bounds"][0] == page["bounds"][2]
    assert "whole number" in (await rows.get(row="1 OR 1=1", status=400))["error"]["message"]


async def test_missing_things_are_reported(server: Server, one: Client, model: ScriptedModel) -> None:
    response = await answer(one, model, [COUNT], ["479."])
    rows = Rows(server, one.map_id, response["seq"])
    assert (await rows.get(place=1, status=404))["error"]["code"] == "not_found"
    assert (await rows.get(row="5", status=400))["error"]["code"] == "invalid_payload"
    assert (await rows.get(limit="0", status=400))["error"]["code"] == "invalid_payload"
    other = Rows(server, one.map_id, response["seq"] - 1)
    assert (await other.get(status=404))["error"]["code"] == "not_found"


async def test_a_dropped_table_is_reported(
    server: Server, one: Client, model: ScriptedModel, samples_url: str
) -> None:
    connection = await asyncpg.connect(samples_url)
    try:
        await connection.execute("CREATE TABLE data.passing AS SELECT 1 AS a FROM generate_series(1, 83)")
        await server.registry.refresh()
        response = await answer(
            one, model, [("count_features", {"table": "data.passing"})], ["There are 83."]
        )
        assert marks(response) == [("83", 0)]
        await connection.execute("DROP TABLE data.passing")
        await server.registry.refresh()
    finally:
        await connection.close()
    refusal = await Rows(server, one.map_id, response["seq"]).get(status=404)
    assert refusal["error"]["code"] == "unknown_table"


async def test_a_number_of_a_statement_of_the_models_refers_to_it(samples_url: str) -> None:
    asked = ("run_sql", {"statement": "SELECT count(*) AS n FROM data.countries WHERE continent = 'Asia'"})
    model = ScriptedModel()
    async with local_server(samples_url, model, sql=True) as server, client(server) as one:
        await one.ask("join")
        counted = await answer(
            one, model, [asked], ["There are 50 in Asia, and 9,999 elsewhere."], insists=True
        )
    assert [source is not None for _, source in marks(counted)] == [True, False], counted["message"]
    assert "'Asia'" in counted["sources"][0]["sql"]


async def test_numbers_that_a_table_has_as_texts_are_found(
    server: Server, one: Client, model: ScriptedModel
) -> None:
    async with server.database.owner.begin() as connection:
        await connection.exec_driver_sql(
            "CREATE TABLE data.offers AS SELECT * FROM (VALUES (1, '-5', '31 rooms are closed'), (2, '007', NULL))"
            " AS t (id, price, remark)"
        )
    await server.registry.refresh()
    rows = ("query_features", {"table": "data.offers"})
    text = "The first has -5 and 31 closed rooms; the others 33 and 8."
    response = await answer(one, model, [rows], [text], insists=True)
    assert [(text, source is not None) for text, source in marks(response)] == [
        ("-5", True), ("31", True), ("33", False), ("8", False),
    ]  # fmt: skip
