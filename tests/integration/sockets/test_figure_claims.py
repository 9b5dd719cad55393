"""Answers that are true and answers that are not, by a model over HTTP: whose numbers are found, and whose marked."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio

from agents.models.build import build
from server.app import Server
from tests.integration.sockets.figure_claims import FALSE, GERMAN, ICELANDIC, SIZES, TRUE, Claim
from tests.support.model_server import Call, ModelServer, Reply, Say
from tests.support.server import Client, client, local_server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str, model: ModelServer) -> AsyncIterator[Server]:
    keys = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": model.base_url}
    async with local_server(samples_url, build("openai:gpt-5.1", keys)) as running:
        yield running


async def verdict(one: Client, model: ModelServer, claim: Claim) -> str:
    """What becomes of the number of a claim: how it was found, `marked`, or `unread` where it is not a figure."""
    calls, sentence, number = claim
    model.script([Reply(*(Call(name, arguments) for name, arguments in calls)), Reply(Say(sentence))])
    await one.ask("join")
    await one.says("Tell me what you know about this.")
    response = one.named("ai_response")[-1]
    assert response["message"] == sentence
    figure: dict[str, Any] | None = next(
        (each for each in response["figures"] if each["text"] == number), None
    )
    if figure is None:
        return "unread"
    return "marked" if figure["source"] is None else str(figure["how"])


async def test_true_numbers_are_traced_in_every_wording_without_a_further_request(
    server: Server, model: ModelServer
) -> None:
    found = {}
    async with client(server) as one:
        for claim in TRUE:
            before = len(model.requests)
            found[claim[1]] = await verdict(one, model, claim)
            assert len(model.requests) - before == 2, claim[1]
    untraced = {response: how for response, how in found.items() if how in ("marked", "unread", "likely")}
    assert not untraced, untraced


async def test_false_numbers_are_marked_whatever_is_wrong_with_them(
    server: Server, model: ModelServer
) -> None:
    async with client(server) as one:
        found = {claim[1]: await verdict(one, model, claim) for claim in FALSE}
    believed = {response: how for response, how in found.items() if how not in ("marked", "likely")}
    assert not believed, believed


LATER = {
    "Germany has 400 more airports than Iceland.": "Germany has 410 more airports than Iceland.",
    "Germany has 6.1 times as many airports as Iceland.": "Germany has 7.1 times as many airports as Iceland.",
    "Together they have 558 airports.": "Together they have 588 airports.",
    "Iceland has 16.5 % of the airports of Germany.": "Iceland has 26.5 % of the airports of Germany.",
    "France covers 211,209 square miles.": "France covers 311,209 square miles.",
    "Together they cover 904,051 km².": "Together they cover 904,051 m².",
}
"""Of results of three turns before: true, and false."""


async def test_numbers_are_traced_to_results_of_earlier_turns(server: Server, model: ModelServer) -> None:
    found: dict[str, Any] = {}
    async with client(server) as one:
        await one.ask("join")
        for name, arguments in (GERMAN, ICELANDIC, SIZES):
            model.script([Reply(Call(name, arguments)), Reply(Say("Looked up."))])
            await one.says("Look this up.")
        for sentence in (*LATER, *LATER.values()):
            model.script([Reply(Say(sentence))])
            await one.says("And now?")
            (figure,) = one.named("ai_response")[-1]["figures"]
            found[sentence] = figure["source"]
    assert {response for response, source in found.items() if source is None} == set(LATER.values())


COUNT = {"table": "data.airports", "filters": "country = 'Iceland'"}


async def test_a_model_must_write_an_answer_with_unsupported_numbers_again(
    server: Server, model: ModelServer
) -> None:
    before = len(model.requests)
    model.script(
        [
            Reply(Call("count_features", COUNT)),
            Reply(Say("Here is the result. Iceland has 4,711 airports, and 79 of them are here.")),
            Reply(Say("Here it is: Iceland has 79 airports.")),
        ]
    )
    async with client(server) as one:
        await one.ask("join")
        finished = await one.says("How many airports has Iceland?")
        assert (finished["status"], finished["usage"]["steps"]) == ("done", 3)
        (response,) = one.named("ai_response")
        assert response["message"] == "Here it is: Iceland has 79 airports."
        assert all(figure["source"] is not None for figure in response["figures"])
        streamed = "".join(event["text"] for event in one.named("ai_delta"))
        assert streamed.startswith("Here is the result. ")
        assert not re.search(r"\d|Here it is", streamed)
        written = str(model.requests[-1].json)
        assert written.count("No tool result has these numbers of it: 4,711.") == 1
        model.script([Reply(Say("They are on the ground."))])
        await one.says("And where are they?")
        assert "4,711" not in str(model.requests[-1].json), (
            "the next turn knows nothing of the rejected answer"
        )
    assert (len(model.requests) - before, model.left) == (4, 0)


async def test_an_answer_that_stays_unsupported_is_sent_with_its_marks(
    server: Server, model: ModelServer
) -> None:
    before = len(model.requests)
    model.script([Reply(Say("Iceland has 4,711 airports.")), Reply(Say("It has 4,712 airports."))])
    async with client(server) as one:
        await one.ask("join")
        await one.says("How many airports has Iceland?")
        (response,) = one.named("ai_response")
        assert response["message"] == "It has 4,712 airports."
        assert [figure["source"] for figure in response["figures"]] == [None]
        assert not any(re.search(r"\d", event["text"]) for event in one.named("ai_delta"))
    assert (len(model.requests) - before, model.left) == (2, 0)
