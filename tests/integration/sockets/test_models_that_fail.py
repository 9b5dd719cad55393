"""A model that is refused, garbled, cut off or silent: the turn ends with words that help, and the map goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from agents.models import build
from server.app import Server
from tests.support.model_server import Call, Fault, ModelServer, Raw, Reply, Say, Step
from tests.support.server import client, local_server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def models() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str, models: ModelServer) -> AsyncIterator[Server]:
    keys = {"OPENAI_API_KEY": "secret-key", "OPENAI_BASE_URL": models.base_url}
    async with local_server(samples_url, build("openai:gpt-5.1", keys)) as running:
        yield running


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (Fault(401, "Incorrect API key provided: secret-key", "invalid_api_key"), "OPENAI_API_KEY"),
        (Fault(404, "no such model", "model_not_found"), "gpt-5.1"),
        (Fault(400, "that is not right"), ""),
        (Raw(("data: {not json\n\n",)), ""),
    ],
    ids=["refused key", "unknown model", "bad request", "garbage"],
)
async def test_a_model_that_fails_ends_the_turn_with_a_sentence(
    server: Server, models: ModelServer, step: Step, told: str
) -> None:
    async with client(server) as one:
        await one.ask("join")
        models.script([step] * (1 + models.left) if isinstance(step, Fault) else [step])
        finished = await one.says("show airports")
        assert finished["status"] == "failed"
        said = one.named("ai_response")[-1]["message"]
        assert told in said
        assert "secret-key" not in str(one.events)
        assert "Traceback" not in said
        models.script([Reply(Say("Hello."))])
        assert (await one.says("hello"))["status"] == "done"


async def test_calls_that_make_no_sense_are_explained_to_the_model_and_change_nothing(
    server: Server, models: ModelServer
) -> None:
    nonsense = (
        Call("add_map_layer", '{"table": '),
        Call("add_map_layer", {"table": "data.nothing"}),
        Call("add_map_layer", {"table": "data.airports", "filters": "height > 3"}),
        Call("no_such_tool", {}),
    )
    models.script([Reply(*nonsense), Reply(Say("I cannot do that."))])
    async with client(server) as one:
        await one.ask("join")
        finished = await one.says("do something odd")
        assert finished["status"] == "done"
        assert [event["ok"] for event in one.named("tool_finished")] == [False] * 4
        assert "data.airports" in one.named("tool_finished")[1]["result"]
        assert one.named("layer_added") == []
        assert one.named("ai_response")[-1]["message"] == "I cannot do that."
