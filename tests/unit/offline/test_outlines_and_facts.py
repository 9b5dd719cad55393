"""Outlines of a layer, all facts of one row, charts of all people, and zooming to one of the rows."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.answers.analysis_words import _greatest
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, where

COUNTRIES = make_table(
    "data.countries", "POLYGON", "Countries of the world",
    [("id", "integer", ""), ("name", "text", ""), ("continent", "text", ""), ("population", "integer", "")],
    [(1, "Switzerland", "Europe", 8_000_000, (8.0, 47.0)), (2, "Peru", "South America", 32_000_000, (-75.0, -9.0))],
)  # fmt: skip
CITIES = make_table(
    "data.cities", "POINT", "Cities of the world",
    [("id", "integer", ""), ("name", "text", ""), ("continent", "text", ""), ("population", "integer", "")],
    [(1, "Bern", "Europe", 130_000, (7.4, 46.9)), (2, "Lima", "South America", 7_700_000, (-77.0, -12.0))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    return Chat(World(COUNTRIES, CITIES))


@pytest.mark.parametrize(
    ("asked", "style"),
    [
        ("make the borders white", {"stroke_color": "white"}),
        ("change the outline of the countries to red", {"stroke_color": "red"}),
        ("thicker borders", {"stroke": 3.0}),
        ("make the borders thinner", {"stroke": 0.5}),
        ("remove the outline", {"stroke": 0.0}),
        ("make the borders white and thinner", {"stroke_color": "white", "stroke": 0.7}),
        ("make them thicker", {"stroke": 1.5}),
    ],
)
async def test_the_outline_of_a_layer(chat: Chat, asked: str, style: dict[str, Any]) -> None:
    await chat("show countries")
    answer = await chat(asked)
    assert chat.calls[-1] == ("update_map_layer", {"layer_id": "countries", "style": style}), answer


async def test_only_the_outline_is_visible_after_it_was_removed(chat: Chat) -> None:
    await chat("show countries in green")
    await chat("remove the borders")
    await chat("no fill, just the outlines")
    style = chat.layers["countries"].style
    assert (style.stroke, style.stroke_color) == (1.0, "#008000")
    await chat("only the borders")
    assert chat.layers["countries"].style.stroke_color == "#008000"


@pytest.mark.parametrize(
    "asked", ["tell me about Peru", "show me everything about Peru", "what do you know about Peru"]
)
async def test_the_facts_of_a_row(chat: Chat, asked: str) -> None:
    answer = await chat(asked)
    name, arguments = chat.calls[-1]
    assert (name, arguments["filters"]) == ("query_features", where("name", "=", "Peru")), answer
    assert {"continent", "population"} <= set(arguments["columns"])


async def test_a_table_is_described_by_its_columns(chat: Chat) -> None:
    await chat("tell me about countries")
    assert chat.calls[-1] == ("describe_table", {"table": "data.countries"})


@pytest.mark.parametrize(
    "asked", ["bar chart of population by continent", "population by continent as bar chart"]
)
async def test_all_people_live_in_areas(chat: Chat, asked: str) -> None:
    answer = await chat(asked)
    name, arguments = chat.calls[-1]
    assert (name, arguments.get("data")) == ("make_chart", "data.countries"), answer


@pytest.mark.parametrize(
    ("asked", "place"),
    [("zoom to the most populous one", "Peru"), ("zoom to the least populous of them", "Switzerland")],
)
async def test_the_map_zooms_to_the_first_row(chat: Chat, asked: str, place: str) -> None:
    await chat("show countries")
    answer = await chat(asked)
    assert chat.calls[-1] == ("zoom_to", {"place": place}), answer


@pytest.mark.parametrize(
    "asked", ["label them with the name", "label the countries with the name", "label them"]
)
async def test_rows_are_labelled_with_a_column(chat: Chat, asked: str) -> None:
    await chat("show countries")
    answer = await chat(asked)
    assert chat.calls[-1] == ("update_map_layer", {"layer_id": "countries", "style": {"label": "name"}}), (
        answer
    )


async def test_a_part_of_the_rows_is_labelled_in_the_layer_that_shows_it(chat: Chat) -> None:
    await chat("show countries in Europe")
    await chat("label the countries in Europe")
    assert chat.calls[-1] == ("update_map_layer", {"layer_id": "countries", "style": {"label": "name"}})
    await chat("label the countries in South America")
    name, arguments = chat.calls[-1]
    assert (name, arguments["filters"]) == ("add_map_layer", where("continent", "=", "South America"))


@pytest.mark.parametrize(
    ("sentence", "corner"),
    [("cities north of Switzerland", 49.0), ("how many cities are to the north of Switzerland", 49.0)],
)
async def test_the_side_of_a_place(chat: Chat, sentence: str, corner: float) -> None:
    answer = await chat(sentence)
    area = chat.calls[-1][1]["filters"]["args"][1]
    assert area["coordinates"][0][0][1] == pytest.approx(corner, abs=1e-6), answer
    assert "north of Switzerland" in area["name"]


def test_the_greatest_group_has_a_value() -> None:
    found = {
        "columns": ["burn_year", "area_m2"],
        "rows": [{"burn_year": None, "area_m2": 105.0}, {"burn_year": 2009, "area_m2": 10.0}],
    }
    assert "2009 has the greatest" in _greatest("Total area of stands by burn year", found, "area_m2", 2)


async def test_the_south_of_a_place_is_not_beyond_it(chat: Chat) -> None:
    answer = await chat("which cities are in the south of Switzerland?")
    assert not chat.layers, answer
    assert {name for name, _ in chat.calls} <= {"cannot_do"}, answer
