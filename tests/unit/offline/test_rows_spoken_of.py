"""`them`, after a question: the rows that it was about."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

PERU = where("country", "=", "Peru")


async def test_the_rows_of_a_question_are_drawn() -> None:
    chat = Chat()
    await chat("how many airports are there in Peru?")
    answer = await chat("show them in green")
    ((name, arguments),) = chat.calls
    assert name == "add_map_layer", answer
    assert (arguments["table"], arguments["filters"], arguments["color"]) == ("data.airports", PERU, "green")


@pytest.mark.parametrize(
    ("question", "filters"),
    [
        ("how many airports are there in Peru?", PERU),
        ("list the airports in Peru.", PERU),
        ("which airports are in Peru above 2000 m?", both(PERU, where("elevation_m", ">", 2000))),
    ],
)
async def test_the_rows_of_a_question_are_drawn_in_the_same_message(question: str, filters: Any) -> None:
    chat = Chat()
    answer = await chat(f"{question} Highlight them on the map and colour them by elevation")
    assert [name for name, _ in chat.calls][1:] == ["add_map_layer", "update_map_layer"], answer
    assert (chat.calls[1][1]["table"], chat.calls[1][1]["filters"]) == ("data.airports", filters)
    assert chat.calls[2][1]["style"]["column"] == "elevation_m"


RANKED = {"op": "in", "args": [{"property": "id"}, [10, 11, 13]]}


@pytest.mark.parametrize("request_text", ["show them on the map", "show those", "map them"])
async def test_the_rows_of_a_ranking_are_drawn(request_text: str) -> None:
    chat = Chat()
    await chat("how many airports are there in Peru?")
    await chat("list the 3 biggest cities")
    answer = await chat(request_text)
    assert chat.calls == [("add_map_layer", {"table": "data.cities", "filters": RANKED})], answer


async def test_the_rows_of_a_ranking_are_drawn_in_the_same_message() -> None:
    chat = Chat()
    await chat("how many airports are there in Peru?")
    await chat("top 3 cities by population. Show them on the map")
    assert chat.calls[-1] == ("add_map_layer", {"table": "data.cities", "filters": RANKED})


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which is the smallest?", "Mumbai"),
        ("which of these three is the smallest?", "Mumbai"),
        ("which of them is the biggest?", "Shanghai"),
    ],
)
async def test_the_next_question_is_about_the_rows_of_a_ranking(question: str, name: str) -> None:
    chat = Chat()
    await chat("list the 3 biggest cities")
    assert (await chat(question)).startswith(f"**{name}**")


async def test_so_many_rows_as_were_said_must_have_been_spoken_of() -> None:
    chat = Chat()
    await chat("show cities in Germany")
    await chat("which of these three is the biggest?")
    assert [name for name, _ in chat.calls] == ["cannot_do"]
    assert (await chat("which of these four is the biggest?")).startswith("**Berlin**")


async def test_rows_that_are_asked_about_are_drawn_by_their_own_column() -> None:
    chat = Chat()
    await chat("how many airports are there in Peru? Colour them by elevation")
    (_, (name, arguments)) = chat.calls
    assert (name, arguments["filters"]) == ("add_map_layer", PERU)
    assert arguments["style"]["column"] == "elevation_m"


async def test_the_next_question_is_about_the_same_rows() -> None:
    chat = Chat()
    await chat("how many airports are there in Peru?")
    await chat("which of them are above 2000 m?")
    assert chat.calls[0][1]["filters"] == both(PERU, where("elevation_m", ">", 2000))


@pytest.mark.parametrize("narrower", ["only those above 2000 m", "show only the ones above 2000 m"])
async def test_without_a_layer_the_rows_of_the_question_are_narrowed(narrower: str) -> None:
    chat = Chat()
    await chat("how many airports are there in Peru?")
    await chat(narrower)
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("add_map_layer", both(PERU, where("elevation_m", ">", 2000)))


async def test_what_a_layer_has_narrows_the_layer_and_not_the_rows_of_a_question() -> None:
    chat = Chat()
    await chat("show airports")
    await chat("how many cities are there in Peru?")
    await chat("only those above 2000 m")
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("update_map_layer", where("elevation_m", ">", 2000))


async def test_a_layer_of_the_same_rows_is_what_the_map_speaks_of() -> None:
    chat = Chat()
    await chat("show airports")
    await chat("how many of these are in Peru?")
    await chat("colour them by elevation")
    ((name, arguments),) = chat.calls
    assert name == "update_map_layer"
    assert arguments["style"]["column"] == "elevation_m"


BRIDGES = make_table(
    "data.bridges", "POINT", "Bridges",
    [("id", "integer", ""), ("name", "text", ""), ("road_class", "text", "")],
    [(1, "Long", "county", (1.0, 1.0)), (2, "High", "local", (2.0, 2.0))],
)  # fmt: skip
ROADS = make_table(
    "data.road_segments", "LINESTRING", "Roads",
    [("id", "integer", ""), ("class", "text", "")],
    [(1, "county", (1.0, 1.0))],
)  # fmt: skip


async def test_their_column_may_be_called_like_a_table_and_its_column() -> None:
    chat = Chat(World(BRIDGES, ROADS))
    await chat("show bridges")
    answer = await chat("colour them by road class")
    ((name, arguments),) = chat.calls
    assert (name, arguments.get("style", {}).get("column")) == ("update_map_layer", "road_class"), answer


GERMANY = where("country", "=", "Germany")


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("show cities in Germany", "how many people live in those cities?"),
        ("show cities in Germany", "total population of these cities"),
        ("how many cities are there in Germany?", "what is the total population of those cities?"),
    ],
)
async def test_those_rows_are_the_ones_spoken_of(before: str, question: str) -> None:
    chat = Chat()
    await chat(before)
    answer = await chat(question)
    ((name, arguments),) = chat.calls
    assert (name, arguments["table"], arguments["filters"]) == ("column_stats", "data.cities", GERMANY), (
        answer
    )


async def test_those_rows_may_be_of_a_layer_spoken_of_before() -> None:
    chat = Chat()
    await chat("show cities in Germany")
    await chat("show airports in Peru")
    await chat("average population of these cities")
    assert chat.calls[0][1]["filters"] == GERMANY
    await chat("how many of those airports are above 2000 m?")
    assert chat.calls[0][1]["filters"] == both(PERU, where("elevation_m", ">", 2000))


@pytest.mark.parametrize(
    "request_",
    ["how many people live in those cities?", "show those airports in red", "which of these cities is the largest?",
     "how many airports are in these countries?"],
)  # fmt: skip
async def test_rows_that_nobody_has_spoken_of_are_not_all_rows(request_: str) -> None:
    chat = Chat()
    answer = await chat(request_)
    assert [name for name, _ in chat.calls if name != "cannot_do"] == [], answer


async def test_those_rows_of_an_analysis_are_the_layer_spoken_of() -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    await chat("show airports in Germany")
    await chat("show countries in South America")
    answer = await chat("cities within 50 km of those airports")
    assert chat.calls == [("run_analysis", {"goal": "cities within 50 km of the layer `airports`"})], answer


@pytest.mark.parametrize(
    "question",
    ["which country has the most of those airports?", "how many of those airports are there per continent?",
     "airports on the map above 200 m",
     "highest airport per continent built before 1960"],
)  # fmt: skip
async def test_a_reference_that_is_not_read_is_no_question_about_all_rows(question: str) -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    await chat("show airports in Peru")
    answer = await chat(question)
    assert [name for name, _ in chat.calls if name != "cannot_do"] == [], answer


@pytest.mark.parametrize(
    "follow_up",
    [
        "cities within 50 km of them",
        "how many of them are there?",
        "how many are there?",
        "average elevation of those",
        "label them by name",
    ],
)
async def test_them_is_not_only_what_was_done_of_a_request(follow_up: str) -> None:
    chat = Chat((desk := Desk(World())).world, analyst=desk)
    first = await chat("show airports in Germany, then show the flying saucers")
    assert "Added" in first
    assert "cannot do that" in first
    for _ in range(2):
        answer = await chat(follow_up)
        assert "I carried out only a part of your last request" in answer, answer
    assert len(chat.layers) == 1
    await chat("show airports in Germany")
    assert "only a part" not in await chat(follow_up)


@pytest.mark.parametrize(
    "follow_up", ["how many cities are there?", "colour it red", "show those airports in red"]
)
async def test_what_is_named_is_clear_after_a_part_of_a_request(follow_up: str) -> None:
    chat = Chat()
    await chat("show airports in Germany, then show the flying saucers")
    assert "only a part" not in await chat(follow_up)
