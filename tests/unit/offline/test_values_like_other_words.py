"""Values of the data whose words also mean something else: praise, a column, a place, or a colour."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

BRIDGES = make_table(
    "data.footbridges", "POINT", "Footbridges",
    [("id", "integer", ""), ("condition", "text", ""), ("county", "text", ""), ("weather", "text", "")],
    [(1, "good", "Ostalb", "snow", (1.0, 1.0)), (2, "fair", "Ostalb", "rain", (2.0, 1.0)),
     (3, "poor", "Brenztal", "fog", (3.0, 1.0)), (4, "fine", "Brenztal", "rain", (4.0, 1.0)),
     (5, "nice", "Ostalb", "rain", (4.0, 1.0))],
)  # fmt: skip
STOPS = make_table(
    "data.bus_stops", "POINT", "Bus stops",
    [("id", "integer", ""), ("stop_stat", "text", "active, suspended or closed"),
     ("owner", "text", "council or operator")],
    [(1, "active", "council", (1.0, 1.0)), (2, "suspended", "operator", (2.0, 1.0)),
     (3, "closed", "operator", (3.0, 1.0))],
)  # fmt: skip
PIPES = make_table(
    "data.mains", "LINESTRING", "Water mains",
    [("id", "integer", ""), ("name", "text", ""), ("pzone", "text", "Pressure zone")],
    [(1, "M1", "Low Zone", (1.0, 1.0)), (2, "M2", "High Zone", (2.0, 1.0)), (3, "M3", "Low Zone", (3.0, 1.0))],
)  # fmt: skip
VALVES = make_table(
    "data.hydrants", "POINT", "Hydrants",
    [("id", "integer", ""), ("name", "text", ""), ("pzone", "text", "Pressure zone")],
    [(1, "H1", "Low Zone", (1.0, 1.0)), (2, "H2", "High Zone", (2.0, 1.0))],
)  # fmt: skip
PLOTS = make_table(
    "data.plots", "POLYGON", "Plots",
    [("id", "integer", ""), ("crop", "text", ""), ("kept", "text", ""), ("street", "text", "")],
    [(1, "Winter wheat", "Rose salmon", "Gold Street", (1.0, 1.0)), (2, "Spring wheat", "Trout", "Elm", (2.0, 1.0))],
)  # fmt: skip
ZONES = make_table(
    "data.zoning", "MULTIPOLYGON", "Zoning",
    [("id", "integer", ""), ("flood_risk", "text", ""), ("zone_name", "text", "")],
    [(1, "low", "Mitte", (1.0, 1.0)), (2, "high", "Nord", (2.0, 1.0))],
)  # fmt: skip


async def asked(*tables: Any, sentence: str) -> tuple[Chat, Desk, str]:
    world = World(*tables)
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    return chat, desk, await chat(sentence)


def shown(chat: Chat) -> list[int]:
    """The rows of the only layer."""
    (layer,) = chat.layers.values()
    rows = chat.world.data.passing(layer.table, layer.filter)
    return [row["id"] for row in rows]


@pytest.mark.parametrize(
    ("sentence", "rows"),
    [
        ("good and fair footbridges", [1, 2]),
        ("great, show the poor footbridges", [3]),
        ("good, now show the poor footbridges", [3]),
        ("nice! show the good footbridges", [1]),
    ],
)
async def test_praise_is_a_value_unless_a_command_follows(sentence: str, rows: list[int]) -> None:
    chat, _, answer = await asked(BRIDGES, sentence=sentence)
    assert shown(chat) == rows, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "good, fair and poor footbridges",
        "show good, fair footbridges",
        "fine, fair or poor footbridges by county",
        "show nice, good footbridges",
    ],
)
async def test_no_value_is_passed_over_as_praise(sentence: str) -> None:
    chat, desk, answer = await asked(BRIDGES, sentence=sentence)
    assert not chat.layers, answer
    assert not desk.analysis.steps, answer


@pytest.mark.parametrize(
    ("sentence", "rows"),
    [
        ("bus stops neither active nor suspended", [3]),
        ("show bus stops that are neither closed nor suspended", [1]),
        ("bus stops neither suspended nor active", [3]),
    ],
)
async def test_a_value_that_a_comment_lists_is_no_column(sentence: str, rows: list[int]) -> None:
    chat, _, answer = await asked(STOPS, sentence=sentence)
    assert shown(chat) == rows, answer


@pytest.mark.parametrize(
    ("sentence", "rows"),
    [
        ("show mains in Low Zone", [1, 3]),
        ("mains in the Low Zone", [1, 3]),
        ("show the hydrants in the High Zone", [2]),
    ],
)
async def test_a_value_of_two_tables_is_no_area_of_a_third(sentence: str, rows: list[int]) -> None:
    chat, desk, answer = await asked(PIPES, VALVES, ZONES, sentence=sentence)
    assert not desk.analysis.steps, answer
    assert shown(chat) == rows, answer


@pytest.mark.parametrize("sentence", ["how many mains are in Low Zone?", "number of mains in the Low Zone"])
async def test_rows_with_a_value_of_two_tables_are_counted(sentence: str) -> None:
    _, desk, answer = await asked(PIPES, VALVES, ZONES, sentence=sentence)
    assert "2 mains where pzone is Low Zone" in answer, answer
    assert not desk.analysis.steps


@pytest.mark.parametrize(
    ("sentence", "rows", "color"),
    [
        ("footbridges in snow", [1], "#0072b2"),
        ("good or fair footbridges in snow", [1], "#0072b2"),
        ("show the footbridges in fog or snow", [1, 3], "#0072b2"),
        ("show the footbridges in red", [1, 2, 3, 4, 5], "#ff0000"),
        ("show the footbridges in salmon", [1, 2, 3, 4, 5], "#fa8072"),
    ],
)
async def test_a_thing_that_a_colour_is_called_after_is_a_value(
    sentence: str, rows: list[int], color: str
) -> None:
    chat, _, answer = await asked(BRIDGES, sentence=sentence)
    (layer,) = chat.layers.values()
    assert (shown(chat), layer.style.color) == (rows, color), answer


@pytest.mark.parametrize(
    "sentence",
    ["show the plots in wheat", "plots with wheat", "plots in salmon"],
)
async def test_the_kind_of_a_value_is_no_colour(sentence: str) -> None:
    chat, _, answer = await asked(PLOTS, sentence=sentence)
    assert not chat.layers, answer


async def test_a_name_that_begins_with_a_colour_leaves_it_one() -> None:
    chat, _, answer = await asked(PLOTS, sentence="show the plots in gold")
    (layer,) = chat.layers.values()
    assert layer.style.color == "#ffd700", answer
