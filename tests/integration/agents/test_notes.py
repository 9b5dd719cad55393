"""Notes reach the model when they match the question or a table in it, and only then."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from agents.models.build import build
from server.app import Server
from server.notes import Notes
from tests.support.model_server import Call, ModelServer, Reply, Say
from tests.support.server import client, local_server

OWN = {
    "Parks of the town": ("Counted by gardeners in spring.", ("data.town_parks",)),
    "Trees of the town": ("Heights are guesses of the forester.", ("data.town_trees",)),
    "Growth": ("Measured every third year.", ("data.seedlings",)),
    "Road accidents": ("Only those with injuries are recorded.", ("data.road_accidents_2020",)),
    "Fiscal years": ("They begin in April and end in March of the next calendar year.", ()),
}
"""Title: body, tables. The samples bring notes on airports, cities and countries."""

ASKED = {
    "show the airports above 2000 m": {"Airports of the world"},
    "which city is the largest?": {"Cities of the world"},
    "how many airports does each country have?": {"Airports of the world", "Countries of the world"},
    "colour the parks by age": {"Parks of the town"},
    "export town_trees as GeoPackage": {"Trees of the town"},
    "how many town_trees are in town_parks?": {"Trees of the town", "Parks of the town"},
    "show everything in the town": {"Trees of the town", "Parks of the town"},
    "where are the seedlings?": {"Growth"},
    "accidents near schools": {"Road accidents"},
    "sum of sales of the fiscal year": {"Fiscal years"},
    "when do years of finance begin and end?": {"Fiscal years"},
    "guessed heights of the forester": {"Trees of the town"},
    "how many parcels are larger than 1 hectare?": set(),
    "join the sum of sales to the parcels": set(),
    "zoom to the world": set(),
    "hello": set(),
    "": set(),
}
"""What is asked, and the titles of the notes that are sent."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str, model: ModelServer) -> AsyncIterator[Server]:
    keys = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": model.base_url}
    async with local_server(samples_url, build("openai:gpt-5.1", keys)) as running:
        for title, (body, tables) in OWN.items():
            await Notes(running.database.owner).add(title, body, tables)
        yield running


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.replace(" ", "-") or "nothing")
async def test_notes_match_the_question_or_a_table_in_it(server: Server, asked: str) -> None:
    found = await Notes(server.database.owner).query(asked, k=7)
    assert {note.partition("\n")[0].removeprefix("## ") for note in found} == ASKED[asked]


async def test_the_best_note_comes_first_and_no_more_than_wanted_come(server: Server) -> None:
    found = await Notes(server.database.owner).query("airports, cities, countries and parks", k=2)
    assert len(found) == 2
    (best,) = await Notes(server.database.owner).query("the forester of the parks", k=1)
    assert best.startswith("## Parks of the town"), "a note on a table that is named"


async def sent(server: Server, model: ModelServer, text: str, *calls: Call) -> list[str]:
    """The requests of a turn, as JSON."""
    before = len(model.requests)
    model.script([*(Reply(call) for call in calls), Reply(Say("Done."))])
    async with client(server) as one:
        await one.ask("join")
        await one.says(text)
    return [json.dumps(each.json) for each in model.requests[before:]]


async def test_a_request_has_the_notes_on_its_tables_and_no_others(
    server: Server, model: ModelServer
) -> None:
    (request,) = await sent(server, model, "how tall are the trees of town_trees?")
    assert "guesses of the forester" in request
    for other in ("gardeners", "injuries", "April", "IATA", "GeoNames", "overseas departments"):
        assert other not in request, other


async def test_a_request_about_other_tables_has_no_notes(server: Server, model: ModelServer) -> None:
    (request,) = await sent(server, model, "join the sum of sales to the parcels")
    assert "Notes about the data" not in request


async def test_describing_a_table_brings_its_own_note_once(server: Server, model: ModelServer) -> None:
    described = Call("describe_table", {"table": "data.airports"})
    _, after = await sent(server, model, "what is there to see?", described)
    assert after.count("Those with airline service have an IATA") == 1
    assert "overseas departments" not in after
    assert "metropolitan area" not in after
    _, after = await sent(server, model, "what do the airports hold?", described)
    assert after.count("Those with airline service have an IATA") == 1
