"""Pieces of a request in place of those of the request before: which piece is meant, and what stays."""

from __future__ import annotations

import pytest

from agents.core.messages import AssistantMessage
from agents.offline.conversation.follow_ups import _elsewhere, asked_again
from agents.offline.conversation.memory import Memory
from agents.offline.conversation.other_times import with_time
from agents.offline.conversation.pieces import with_piece
from agents.offline.language.vocabulary import Vocabulary
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat

ROADS = make_table(
    "data.roads",
    "LINESTRING",
    "Roads",
    [("id", "integer", ""), ("name", "text", ""), ("town", "text", ""), ("surface", "text", "")],
    [(1, "A", "Berlin", "gravel", (1.0, 1.0)), (2, "B", "Ulm", "asphalt", (2.0, 2.0))],
)


@pytest.mark.parametrize(
    ("before", "piece", "whole"),
    [
        ("number of accidents by district in 2021", "and by weekday?", "number of accidents by weekday in 2021"),
        ("number of accidents by district since 2020", "per class", "number of accidents per class since 2020"),
        ("cities served by rail by country", "and by continent?", "cities served by rail by continent"),
        ("cities served by rail in 2021", "and by country?", "cities served by rail in 2021 by country"),
        ("trees by district and condition", "what about by owner?", "trees by owner"),
        ("trees by kind of use", "and by owner?", None),
        ("for each district, number of trees", "and by owner?", "by owner, number of trees"),
        ("how many stops are there", "and per mode instead?", "how many stops are there per mode"),
        ("which country with at least 2 airports has the highest gdp", "and the lowest?",
         "which country with at least 2 airports has the lowest gdp"),
        ("which line with at most 9 stops has the most riders", "and the fewest?",
         "which line with at most 9 stops has the fewest riders"),
        ("how many schools are within 500 m of a park", "make it 800 m",
         "how many schools are within 800 m of a park"),
        ("schools within 500 m of a park", "what about 1 km?", "schools within 1 km of a park"),
        ("how many schools are within 500 m of a park", "what about 800?",
         "how many schools are within 800 m of a park"),
        ("how many schools are within half a mile of a park", "make it 800", None),
        ("roads within 50 m of a 2 km route", "make it 100 m", None),
        ("how many schools were built in 2022", "and in 2023?", "how many schools were built in 2023"),
        ("how many schools were built in 2022", "and since 2023?", "how many schools were built since 2023"),
        ("schools built between 2020 and 2022", "and in 2023?", None),
        ("top 5 schools by size", "make it 10", "top 10 schools by size"),
        ("top 5 schools by size", "and the bottom 3?", "bottom 3 schools by size"),
        ("how many of the 5 schools are closed", "make it 10", None),
    ],
)  # fmt: skip
def test_only_the_piece_of_the_same_kind_is_replaced(before: str, piece: str, whole: str | None) -> None:
    assert (with_time(before, piece) or with_piece(before, piece)) == whole


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ("what about gravel?", None),
        ("and in gravel?", None),
        ("what about Ulm?", "how many roads are in Ulm"),
        ("and in Rome?", "how many roads are in Rome"),
    ],
)
def test_a_value_takes_the_place_of_one_of_its_column(said: str, whole: str | None) -> None:
    memory = Memory(asked_of="how many roads are in {}", question_text="how many roads are in Berlin")
    assert _elsewhere(memory, said, Vocabulary(World(ROADS).registry, ())) == whole


async def test_a_second_ranking_with_a_condition_of_its_own_is_declined() -> None:
    chat = Chat()
    answer = await chat("which airport is the highest and which one in Peru is the lowest?")
    assert "but not" in answer, answer
    assert not [arguments for _, arguments in chat.calls if arguments.get("descending") is False]


@pytest.mark.parametrize(
    ("said", "style"),
    [
        ("show both on the map", {}),
        ("show both of them in green", {"color": "green"}),
        (
            "show both on the map, Peru in blue and Germany in red",
            {"kind": "categorical", "column": "country", "values": [("Peru", "blue"), ("Germany", "red")]},
        ),
    ],
)
async def test_both_are_the_rows_of_the_question_and_of_the_one_asked_again(
    said: str, style: dict[str, object]
) -> None:
    chat = Chat()
    await chat("how many airports are there in Peru?")
    await chat("and in Germany?")
    await chat(said)
    ((name, arguments),) = chat.calls
    assert name == "add_map_layer"
    assert arguments["filters"]["op"] == "or"
    drawn = {**arguments.get("style", {}), **({"color": arguments["color"]} if "color" in arguments else {})}
    if "values" in drawn:
        drawn["values"] = [(each["value"], each["color"]) for each in drawn["values"]]
    assert drawn == style


async def test_both_are_not_the_rows_of_one_question() -> None:
    chat = Chat()
    await chat("how many airports are there in Peru?")
    await chat("show both on the map")
    assert chat.layers == {}


@pytest.mark.parametrize(
    ("before", "said", "whole"),
    [
        ("number of roads by town", "only those with surface gravel", "number of roads by town with surface gravel"),
        ("number of roads by town", "same thing, just for the gravel ones", "number of roads by town that are gravel"),
        ("number of roads by town", "just gravel roads", "number of roads by town that are gravel"),
        ("number of roads by town", "the same, but only in Ulm", "number of roads by town in Ulm"),
        ("number of roads by town", "only the steep ones", None),
        ("", "only those with surface gravel", None),
    ],
)  # fmt: skip
def test_fewer_rows_are_those_of_the_question_before(before: str, said: str, whole: str | None) -> None:
    table, rows = ROADS
    samples = {"town": ("Berlin", "Ulm"), "surface": ("gravel", "asphalt")}
    columns = tuple(each.model_copy(update={"samples": samples.get(each.name, ())}) for each in table.columns)
    world = World((table.model_copy(update={"columns": columns}), rows))
    messages = [AssistantMessage("…", memory=Memory(question_text=before).stored())]
    assert asked_again(messages, said, Vocabulary(world.registry, ())) == whole


@pytest.mark.parametrize("before", ["how many airports are in Germany?", "list the airports in Peru"])
async def test_a_request_of_its_own_is_read_where_it_cannot_be_a_piece(before: str) -> None:
    """It stood for “how many airports are in zoom to Germany”, and was declined."""
    chat = Chat()
    await chat(before)
    answer = await chat("and zoom to Germany")
    assert [name for name, _ in chat.calls] == ["zoom_to"], answer
