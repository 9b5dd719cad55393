"""`there` is the place that was named before, in the same message or the one before."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

IN_GERMANY = where("country", "=", "Germany")


@pytest.mark.parametrize(
    "messages",
    [
        ["zoom to Germany and show the airports there"],
        ["zoom to Germany, show the airports there, bigger dots pls"],
        ["go to Germany", "show the airports there"],
        ["how many airports are in Germany?", "show the airports there"],
    ],
)
async def test_there_is_the_place_named_before(messages: list[str]) -> None:
    chat = Chat(World())
    for message in messages:
        await chat(message)
    assert chat.layers["airports"].filter == IN_GERMANY


async def test_there_is_no_place_where_none_was_named() -> None:
    chat = Chat(World())
    assert "not “there”" in await chat("show the airports there")
    assert not chat.layers


async def test_how_many_there_are_is_of_no_place() -> None:
    chat = Chat(World())
    await chat("go to Germany")
    await chat("how many airports are there?")
    assert "filters" not in chat.calls[0][1]


@pytest.mark.parametrize(
    "asked", ["show the airports above 300 m there", "how many airports lie there above 300 m?"]
)
async def test_there_is_in_the_rows_that_were_shown(asked: str) -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    await chat("countries with a population over 50 million")
    await chat(asked)
    ((name, arguments),) = chat.calls
    assert name == "run_analysis"
    assert arguments["goal"].endswith("in the layer `countries`")
