"""Colours and sizes as people ask for them: one for each value, for the others, from one colour to another, and sizes
that grow."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

LANDS = make_table(
    "data.countries", "POLYGON", "Countries",
    [("id", "integer", ""), ("name", "text", ""), ("continent", "text", ""), ("currency", "text", ""),
     ("population", "integer", "Number of inhabitants"), ("population_density", "number", "Inhabitants per km²")],
    [(1, "France", "Europe", "EUR", 67, 122.0, (2.0, 47.0)), (2, "Spain", "Europe", "EUR", 47, 93.0, (-3.0, 40.0)),
     (3, "Peru", "South America", "PEN", 32, 25.0, (-75.0, -10.0)), (4, "Mali", "Africa", "XOF", 19, 15.0, (-4.0, 7.0)),
     (5, "Chad", "Africa", "XAF", 15, 12.0, (18.0, 15.0))],
)  # fmt: skip
TOWNS = make_table(
    "data.cities", "POINT", "Cities",
    [("id", "integer", ""), ("name", "text", ""), ("country", "text", ""), ("is_capital", "boolean", ""),
     ("population", "integer", "Number of inhabitants")],
    [(1, "Paris", "France", True, 2000, (2.0, 48.0)), (2, "Lyon", "France", False, 500, (4.0, 45.0)),
     (3, "Madrid", "Spain", True, 3000, (-3.0, 40.0)), (4, "Lima", "Peru", True, 7000, (-77.0, -12.0))],
)  # fmt: skip
PORTS = make_table(
    "data.airports", "POINT", "Airports",
    [("id", "integer", ""), ("name", "text", ""), ("city", "text", ""), ("country", "text", ""),
     ("elevation_m", "number", "Elevation in metres")],
    [(1, "Lima Callao", "Lima", "Peru", 34.0, (-77.0, -12.0)), (2, "Marks", "Marks", "Peru", 60.0, (-76.0, -11.0))],
)  # fmt: skip


async def added(sentence: str) -> dict[str, Any]:
    chat = Chat(World(LANDS, TOWNS, PORTS))
    answer = await chat(sentence)
    assert [name for name, _ in chat.calls] == ["add_map_layer"], answer
    assert chat.failed == []
    return chat.calls[0][1]


@pytest.mark.parametrize(
    "sentence",
    [
        "show countries, each continent in a different colour",
        "show the countries with every continent in its own colour",
        "colour the countries so that each continent has its own colour",
        "countries, a different colour for every continent",
        "show countries, one colour per continent",
        "show countries in different colours by continent",
    ],
)
async def test_each_value_has_a_colour_from_the_beginning(sentence: str) -> None:
    style = {"kind": "categorical", "column": "continent"}
    assert await added(sentence) == {"table": "data.countries", "style": style}


@pytest.mark.parametrize(
    "sentence", ["give each continent its own colour", "colour each continent differently"]
)
async def test_what_is_drawn_gets_a_colour_for_each_value(sentence: str) -> None:
    chat = Chat(World(LANDS))
    await chat("show countries")
    await chat(sentence)
    assert chat.calls[0][1]["style"] == {"kind": "categorical", "column": "continent"}


@pytest.mark.parametrize(
    ("sentence", "column"),
    [
        ("countries with XOF and XAF in two different colours", "currency"),
        ("countries with currency XOF or XAF, each in its own colour", "currency"),
        ("show the cities of France and Spain in different colours", "country"),
    ],
)
async def test_the_values_of_a_condition_are_told_apart(sentence: str, column: str) -> None:
    arguments = await added(sentence)
    assert arguments["style"] == {"kind": "categorical", "column": column}
    assert arguments["filters"]["op"] == "in"


@pytest.mark.parametrize(
    "sentence",
    [
        "dissolve countries by continent and colour each one differently",
        "dissolve countries by continent, each in its own colour",
        "dissolve countries by continent and give each continent its own colour",
    ],
)
async def test_the_groups_of_an_analysis_are_told_apart(sentence: str) -> None:
    desk = Desk(World(LANDS))
    chat = Chat(desk.world, analyst=desk)
    await chat(sentence)
    assert [name for name, _ in desk.analysis.steps] == ["dissolve"]
    assert [name for name, _ in chat.calls] == ["run_analysis"]
    assert desk.analysis.style is not None
    assert desk.analysis.style.kind == "categorical"


async def test_different_colours_of_one_value_are_refused() -> None:
    answer = await Chat(World(TOWNS))("show the cities of France in different colours")
    assert "not clear what the colours are to tell apart" in answer


@pytest.mark.parametrize(
    ("sentence", "other"),
    [
        ("capitals red, the others grey", "grey"),
        ("capitals in red, all others in blue", "blue"),
        ("show cities, capitals in red and the others in blue", "blue"),
    ],
)
async def test_a_flag_and_its_opposite(sentence: str, other: str) -> None:
    opposite = (
        [{"value": False, "color": other}] if other != "grey" else []
    )  # as other values are drawn anyway
    style = {
        "kind": "categorical",
        "column": "is_capital",
        "values": [{"value": True, "color": "red"}, *opposite],
    }
    assert await added(sentence) == {"table": "data.cities", "style": style}


@pytest.mark.parametrize(
    ("sentence", "ramp"),
    [
        ("airports coloured by elevation from blue to brown", "blue-brown"),
        ("airports by elevation, white to brown", "white-brown"),
        ("airports by elevation from light blue to dark orange", "lightblue-darkorange"),
        ("airports by elevation from green to brown", "BrBG_r"),
    ],
)
async def test_a_ramp_goes_from_any_colour_to_any_other(sentence: str, ramp: str) -> None:
    assert (await added(sentence))["style"]["ramp"] == ramp


@pytest.mark.parametrize(
    "sentence",
    [
        "shade the world by population density, darker = more crowded",
        "shade countries by population density, the darker the denser",
        "shade the countries by population density, darker means more crowded",
        "countries by population density, darkest for the most crowded",
        "countries by population density, dark = high",
    ],
)
async def test_darker_is_more(sentence: str) -> None:
    style = {"kind": "graduated", "column": "population_density"}
    assert await added(sentence) == {"table": "data.countries", "style": style}


@pytest.mark.parametrize(
    "sentence",
    [
        "shade the countries by population density, darker = more currency",
        "shade the countries by population density, darker = lower",
    ],
)
async def test_darker_is_not_read_of_something_else(sentence: str) -> None:
    chat = Chat(World(LANDS))
    await chat(sentence)
    assert [name for name, _ in chat.calls if name != "cannot_do"] == []


@pytest.mark.parametrize(
    "sentence",
    [
        "make the city dots bigger the more people live there",
        "show cities, dots sized by population",
        "graduated symbols for the cities",
        "show cities as graduated symbols",
    ],
)
async def test_sizes_grow_with_a_number(sentence: str) -> None:
    style = {"kind": "proportional", "column": "population"}
    assert await added(sentence) == {"table": "data.cities", "style": style}


async def test_sizes_in_classes_are_refused() -> None:
    chat = Chat(World(TOWNS))
    assert "without classes" in await chat("graduated symbols for the cities, three sizes")
    assert [name for name, _ in chat.calls] == ["cannot_do"]


@pytest.mark.parametrize(
    ("sentence", "look"),
    [
        ("countries filled half-transparent blue with a white outline",
         {"color": "blue", "opacity": 0.5, "style": {"stroke_color": "white"}}),
        ("show countries with the country names written on it", {"style": {"label": "name"}}),
        ("only nations above 30 inhabitants, red outline, no fill",
         {"filters": where("population", ">", 30), "color": "#ffffff00", "style": {"stroke_color": "red"}}),
    ],
)  # fmt: skip
async def test_areas_as_they_are_to_look(sentence: str, look: dict[str, Any]) -> None:
    assert await added(sentence) == {"table": "data.countries", **look}


@pytest.mark.parametrize(
    "sentence",
    [
        "mark the airports of Peru in red",
        "show the airports of Peru, marked in red",
        "highlight in red the airports of Peru",
    ],
)
async def test_to_mark_is_to_show(sentence: str) -> None:
    filters = where("country", "=", "Peru")
    assert await added(sentence) == {"table": "data.airports", "filters": filters, "color": "red"}


async def test_rows_are_marked_after_they_were_named() -> None:
    chat = Chat(World(TOWNS))
    await chat("capitals of Peru - mark in red")
    assert chat.calls[-1] == ("update_map_layer", {"layer_id": "cities", "color": "red"})


@pytest.mark.parametrize(
    ("sentence", "call"),
    [
        ("show the cities of France and fit the view to them", ("zoom_to", {"layer": "cities"})),
        ("show the cities of France, fit to view", "zoom_to"),
        ("show the cities of France. fit the view", "zoom_to"),
    ],
)
async def test_the_view_is_fitted(sentence: str, call: Any) -> None:
    chat = Chat(World(TOWNS))
    await chat(sentence)
    assert [name for name, _ in chat.calls] == ["add_map_layer", "zoom_to"]
    assert chat.calls[-1] == call or chat.calls[-1][0] == call
    assert chat.failed == []
