"""The analyst with a model over HTTP that works as models do: it looks, plans, errs, repairs, overstates, and ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from agents.models.build import build
from server.app import Server
from tests.support.model_server import Call, ModelServer, Reply, Say
from tests.support.server import client, local_server

GOAL = "the largest cities of Iceland"
BIG = {"source": "data.cities", "filter": "country = 'Iceland'", "title": "Cities of Iceland"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str, model: ModelServer) -> AsyncIterator[Server]:
    keys = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": model.base_url}
    async with local_server(samples_url, build("openai:gpt-5.1", keys)) as running:
        yield running


def last_result(request: dict[str, Any]) -> str:
    """The result of the last call, as the model got it."""
    return str(
        [item["output"] for item in request["input"] if item.get("type") == "function_call_output"][-1]
    )


async def test_it_looks_plans_repairs_and_ends_with_numbers_that_it_found(
    server: Server, model: ModelServer
) -> None:
    begin = len(model.requests)
    plan = {
        "steps": [{"operation": "filter", "title": "Cities of Iceland"}, {"operation": "top", "title": "Top"}]
    }
    model.script(
        [
            Reply(Call("run_analysis", {"goal": GOAL})),
            Reply(Call("describe_table", {"table": "data.cities"})),
            Reply(Call("plan", plan), Call("filter", {**BIG, "filter": "contry = 'Iceland'"})),
            Reply(Call("filter", BIG)),
            Reply(Call("top", {"source": "step_1", "by": "population", "n": 3, "title": "Top"})),
            Reply(Call("finish", {"summary": "These are the 3 largest, of 4,321 cities."})),
            Reply(Call("finish", {"summary": "These are the 3 largest."})),
            Reply(Say("The 3 largest cities of Iceland are on the map.")),
        ]
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (done,) = one.named("analysis_finished")
        response = one.named("ai_response")[-1]
    asked = [request.json for request in model.requests[begin:]]
    assert "population" in last_result(asked[2])  # the description of the table
    assert "contry" in last_result(asked[3])
    assert "country" in last_result(asked[3])  # what there is instead
    assert '"geometry":"POINT"' in last_result(asked[4]).replace(" ", "")
    assert '"rows":3' in last_result(asked[5]).replace(" ", "")
    assert "4,321" in last_result(asked[6])
    assert "No tool result has" in last_result(asked[6])
    assert done["summary"] == "These are the 3 largest."
    assert [(each["text"], each["source"]) for each in done["figures"]] == [("3", 0)]
    assert "CREATE TABLE" in done["sources"][0]["sql"]
    assert [(each["text"], each["source"] is not None) for each in response["figures"]] == [("3", True)]


async def test_a_summary_that_stays_with_its_number_ends_with_the_number_marked(
    server: Server, model: ModelServer
) -> None:
    finish = Reply(Call("finish", {"summary": "There are 4,321 of them."}))
    model.script(
        [
            Reply(Call("run_analysis", {"goal": "the cities of Iceland"})),
            Reply(Call("filter", BIG)),
            finish,
            finish,
            Reply(Say("Done.")),
        ]
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("the cities of Iceland")
        (done,) = one.named("analysis_finished")
    assert [(each["text"], each["source"]) for each in done["figures"]] == [("4,321", None)]


async def test_what_the_tables_do_not_answer_is_refused(server: Server, model: ModelServer) -> None:
    reason = {"reason": "No table has rivers.", "alternative": "Cities near airports can be found."}
    model.script(
        [
            Reply(Call("run_analysis", {"goal": "cities near rivers"})),
            Reply(Call("search_tables", {"text": "rivers"})),
            Reply(Call("cannot_do", reason)),
            Reply(Say("No table has rivers.")),
        ]
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("cities near rivers")
        (failed,) = one.named("analysis_failed")
    assert (failed["reason"], failed["advice"]) == (reason["reason"], reason["alternative"])
    assert failed["step"] is None


async def test_the_servers_bound_on_a_reply_holds_for_the_analyst_too(
    samples_url: str, model: ModelServer
) -> None:
    keys = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": model.base_url}
    model.script(
        [
            Reply(Call("run_analysis", {"goal": "cities near rivers"})),
            Reply(Call("search_tables", {"text": "rivers " * 1000}, piece=100)),
            Reply(Say("That took too many words.")),
        ]
    )
    async with (
        local_server(samples_url, build("openai:gpt-5.1", keys), reply_characters=2000) as small,
        client(small) as one,
    ):
        await one.ask("join")
        await one.says("cities near rivers")
        (failed,) = one.named("analysis_failed")
    assert "longer than 2,000 characters" in failed["reason"]


COUNTED = [
    (
        "filter",
        {"source": "data.airports", "filter": f"country = '{country}'", "title": f"Airports of {country}"},
    )
    for country in ("Germany", "Iceland")
]
DERIVED = {
    "Germany has 400 more airports than Iceland.": "Germany has 410 more airports than Iceland.",
    "Together they have 558 airports.": "Together they have 588 airports.",
    "Iceland has 16.5 % of the airports of Germany.": "Iceland has 26.5 % of the airports of Germany.",
    "Germany has 6.1 times as many airports as Iceland.": "Germany has 7.1 times as many airports as Iceland.",
    "Germany has about 480 airports.": "Germany has about 520 airports.",
}
"""What follows from the 479 airports of Germany and the 79 of Iceland, and what does not."""


@pytest.mark.parametrize(("true", "false"), DERIVED.items())
async def test_numbers_that_follow_from_results_are_taken_and_others_are_given_back(
    server: Server, model: ModelServer, true: str, false: str
) -> None:
    for summary, given_back in ((true, False), (false, True)):
        begin = len(model.requests)
        ending = [Reply(Call("finish", {"summary": "Both were counted."}))] if given_back else []
        model.script(
            [
                Reply(Call("run_analysis", {"goal": "airports of Germany and of Iceland"})),
                *(Reply(Call(name, arguments)) for name, arguments in COUNTED),
                Reply(Call("finish", {"summary": summary})),
                *ending,
                Reply(Say("Done.")),
            ]
        )
        async with client(server) as one:
            await one.ask("join")
            await one.says("airports of Germany and of Iceland")
            (done,) = one.named("analysis_finished")
        assert done["summary"] == ("Both were counted." if given_back else summary)
        refusals = [
            request
            for request in model.requests[begin:]
            if "No tool result has" in str(request.json["input"])
        ]
        assert bool(refusals) == given_back
        if not given_back:
            assert [figure["source"] is not None for figure in done["figures"]] == [True]
