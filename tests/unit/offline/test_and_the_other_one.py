"""The question before about another place, also one that is typed in small letters."""

from __future__ import annotations

import pytest

from agents.offline.conversation.pieces import with_piece
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, both, where

IN_FRANCE = where("country", "=", "France")


@pytest.mark.parametrize(
    "other",
    ["and France?", "and france?", "what about france", "population of France", "the population of france"],
)
async def test_the_fact_of_another_row(other: str) -> None:
    chat = Chat(World())
    assert (await chat("population of Germany")).startswith("**Germany**")
    assert (await chat(other)).startswith("**France**")


@pytest.mark.parametrize(
    ("before", "other"),
    [
        ("how many airports are in germany", "and france?"),
        ("how many airports does germany have", "and france?"),
        ("how many airports does germany have", "how many does france have?"),
        ("how many airports are in germany", "and how many are in france?"),
    ],
)
async def test_the_number_in_another_place(before: str, other: str) -> None:
    chat = Chat(World())
    await chat(before)
    await chat(other)
    assert chat.calls == [("count_features", {"table": "data.airports", "filters": IN_FRANCE})]


async def test_those_are_all_rows_with_another_condition() -> None:
    chat = Chat(World())
    await chat("show airports in Germany above 100 m")
    await chat("what about those above 1000 m?")
    assert chat.layers["airports"].filter == where("elevation_m", ">", 1000)


@pytest.mark.parametrize("other", ["and more?", "and again?", "and all?"])
async def test_words_of_the_language_are_no_places(other: str) -> None:
    chat = Chat(World())
    await chat("how many airports are in germany")
    await chat(other)
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"])


def test_another_end_of_a_way() -> None:
    assert (
        with_piece("how far is it from paris to berlin", "and to rome?") == "how far is it from paris to rome"
    )
    assert with_piece("which country has the most airports", "how many does brazil have") == (
        "how many airports does brazil have"
    )


async def test_another_place_keeps_the_other_conditions() -> None:
    chat = Chat(World())
    await chat("german airports above 100 m")
    await chat("what about france")
    assert chat.layers["airports"].filter == both(where("elevation_m", ">", 100), IN_FRANCE)


async def test_the_view_moves_to_the_row_that_answered() -> None:
    chat = Chat(World())
    await chat("show airports in Germany")
    answer = await chat("which is the highest one?")
    await chat("zoom there")
    ((_, arguments),) = chat.calls
    assert f"**{arguments['place']}**" in answer


async def test_a_ranking_of_the_world_as_a_chart() -> None:
    chat = Chat(World())
    await chat("top 3 biggest cities in the world")
    await chat("as a bar chart")
    assert chat.calls[-1][0] == "make_chart"


@pytest.mark.parametrize("other", ["how many are that?", "how many are these", "and how many is that?"])
async def test_how_many_the_rows_spoken_of_are(other: str) -> None:
    chat = Chat(World())
    await chat("show airports in Germany")
    await chat(other)
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("count_features", where("country", "=", "Germany"))


@pytest.mark.parametrize(
    "other", ["the second highest one", "and the second highest?", "which is the 2nd highest one"]
)
async def test_another_place_of_the_ranking(other: str) -> None:
    chat = Chat(World())
    await chat("show airports in Germany")
    first = await chat("which is the highest one?")
    second = await chat(other)
    assert second.startswith("**")
    assert second != first


async def test_the_same_question_about_other_rows() -> None:
    chat = Chat(World())
    await chat("how many airports are there in Germany?")
    await chat("same for cities")
    ((_, arguments),) = chat.calls
    assert (arguments["table"], arguments["filters"]) == ("data.cities", where("country", "=", "Germany"))


async def test_a_joined_word_behind_the_rows_is_declined() -> None:
    chat = Chat(World())
    await chat("the biggest country")
    assert "airports-x" in await chat("how many airports-x does it have?")
