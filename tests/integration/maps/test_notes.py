"""Notes about the data reach a model when they match its question, and not otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from agents.core.testing import ScriptedModel
from server.app import Server
from tests.support.server import client, local_server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def model() -> ScriptedModel:
    return ScriptedModel()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str, model: ScriptedModel) -> AsyncIterator[Server]:
    async with local_server(samples_url, model) as running:
        yield running


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("show the airports above 2000 m", ["Airports of the world"]),
        ("how many cities have an airport?", ["Cities of the world", "Airports of the world"]),
        ("what do elevation and elevation_ft of an airfield mean?", ["Airports of the world"]),
        ("clean the parcels of the north and export them with the population of 2020", []),
        ("sum the area of the lots within 1 km of a school of the world", []),
        ("hello", []),
    ],
)
async def test_notes_are_sent_when_they_match(
    server: Server, model: ScriptedModel, question: str, titles: list[str]
) -> None:
    model.requests.clear()
    async with client(server) as one:
        await one.ask("join")
        await one.says(question)
    said = "\n".join(model.requests[0].system)
    assert sorted(line[3:] for line in said.splitlines() if line.startswith("## ")) == sorted(titles)


async def test_a_note_is_read_once(server: Server, model: ScriptedModel) -> None:
    model.requests.clear()
    model.then([("describe_table", {"table": "data.airports"})], "Airports.")
    async with client(server) as one:
        await one.ask("join")
        await one.says("what is in the table of airports?")
    request = model.requests[-1]
    assert "## Airports of the world" in "\n".join(request.system)
    assert "Airports of the world" not in str(request.messages[-1])
    model.requests.clear()
    model.then([("describe_table", {"table": "data.airports"})], "Airports.")
    async with client(server) as one:
        await one.ask("join")
        await one.says("what is there?")
    assert "## Airports of the world" in str(model.requests[-1].messages[-1])
