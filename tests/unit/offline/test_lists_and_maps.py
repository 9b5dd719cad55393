"""What is to be drawn of rows that a value names, that were listed, or that stand beside others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where
from tests.unit.offline.test_whole_requests import PIPES, STEEL, STOPS, asked


@pytest.mark.parametrize(
    ("sentence", "material", "style"),
    [
        ("PVC only pls, orange lines size 4", "PVC", {"color": "orange", "size": 4.0}),
        ("steel, in dark green, labelled by street", "steel", {"color": "darkgreen", "label": "street"}),
        ("in red: iron only", "iron", {"color": "red"}),
    ],
)
async def test_a_value_and_a_look_draw_its_rows(sentence: str, material: str, style: dict[str, Any]) -> None:
    chat, answer = await asked(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("add_map_layer", where("material", "=", material)), answer
    drawn = {**arguments, **arguments.get("style", {})}
    assert {name: drawn.get(name) for name in style} == style


@pytest.mark.parametrize("sentence", ["purple only, orange dots", "PVC only zebra, orange dots", "PVC"])
async def test_a_value_alone_or_with_unknown_words_draws_nothing(sentence: str) -> None:
    chat, answer = await asked(sentence)
    assert not chat.world.map.layers(), answer


async def test_the_view_goes_to_what_was_drawn() -> None:
    chat, answer = await asked("Please map all steel pipes, in purple, and zoom there.")
    assert [name for name, _ in chat.calls] == ["add_map_layer", "zoom_to"], answer


@pytest.mark.parametrize(
    ("sentence", "kept", "column", "colour"),
    [
        ("Pipes with more than 4 breaks: list with diameter, and map them in orange",
         where("breaks", ">", 4), "diameter_mm", "orange"),
        ("tram stops in North: list the stop code and name, then show them in red",
         where("zone", "=", "North"), "stop_code", "red"),
        ("Pipes of steel: list street and breaks, and please draw them in green", STEEL, "breaks", "green"),
    ],
)  # fmt: skip
async def test_a_list_and_then_a_map_of_its_rows(sentence: str, kept: Any, column: str, colour: str) -> None:
    chat, answer = await asked(sentence)
    (first, listed), (second, drawn) = chat.calls
    assert (first, second) == ("query_features", "add_map_layer"), answer
    assert column in listed["columns"]
    assert (listed["filters"], drawn["filters"]) == (kept, kept)
    assert drawn["color"] == colour


@pytest.mark.parametrize(
    "sentence",
    ["show the tram stops together with the pipes", "map the tram stops in red, along with the pipes"],
)
async def test_several_tables_together(sentence: str) -> None:
    chat, answer = await asked(sentence)
    assert [arguments.get("table") for _, arguments in chat.calls] == [
        "data.tram_stops",
        "data.water_pipes",
    ], answer


@pytest.mark.parametrize("more", ["Please show them together with the pipes.", "please draw them in red"])
async def test_polite_words_between_a_question_and_its_map(more: str) -> None:
    world = World(STOPS, PIPES)
    chat = Chat(world, analyst=Desk(world))
    answer = await chat(f"Which tram stops lie within 300 km of a pipe? {more}")
    (name, arguments), *_ = chat.calls
    assert (name, arguments["goal"][:44]) == (
        "run_analysis",
        "Which tram stops lie within 300 km of a pipe",
    ), answer


async def test_names_with_the_noun_of_their_table() -> None:
    chat, answer = await asked("compare tram stops Mill Road and Library: brd and rent")
    (name, arguments), *_ = chat.calls
    assert (name, arguments["table"]) == ("query_features", "data.tram_stops"), answer
