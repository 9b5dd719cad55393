"""What newcomers ask first: what data there are, the greatest on earth, and colours from one shade to another."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, known, where
from tests.unit.offline.test_cities_and_capitals import CITIES


@pytest.mark.parametrize(
    "asked",
    [
        "what data is in here?",
        "what's in here",
        "what is in this database",
        "which datasets are available",
        "what data can I query",
        "overview of the data",
        "give me a quick overview",
        "which tables are loaded?",
    ],
)
async def test_the_tables_are_listed(asked: str) -> None:
    chat = Chat()
    await chat(asked)
    assert chat.calls == [("list_tables", {})]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("top 2 cities in the world by population", "| Beijing |"),
        ("the 2 highest airports on earth as big red dots", "in red, size 7.5: the 2 airports"),
        ("show all airports worldwide in red", "in red: 14 airports"),
        ("cities in the world above 10 million as purple circles", "in purple: 4 cities where"),
    ],
)
async def test_the_whole_world_does_not_end_what_is_read(asked: str, told: str) -> None:
    assert told in await Chat()(asked)


@pytest.mark.parametrize(
    ("colours", "ramp"),
    [
        ("pale yellow to dark red", "YlOrRd"),
        ("deep red to pale yellow", "YlOrRd_r"),
        ("dark green to light green", "Greens_r"),
        ("light green to dark green", "Greens"),
        ("in a ramp from white to dark blue", "Blues"),
    ],
)
async def test_shades_at_the_ends_of_a_ramp(colours: str, ramp: str) -> None:
    chat = Chat()
    await chat(f"colour countries by population, {colours}")
    assert [arguments["style"]["ramp"] for _, arguments in chat.calls] == [ramp]


@pytest.mark.parametrize("there", ["there", "in it"])
async def test_the_people_of_the_capital_are_not_those_of_the_country(there: str) -> None:
    answer = await Chat(World(CITIES, COUNTRIES))(
        f"what is the capital of Peru and how many people live {there}"
    )
    assert "**Lima**: `population` 7,737,002" in answer


@pytest.mark.parametrize(
    "asked", ["what percentage of humanity lives in Germany", "what part of mankind is in Germany"]
)
async def test_mankind_is_the_population_of_the_world(asked: str) -> None:
    chat = Chat()
    answer = await chat(asked)
    assert [(name, arguments["column"]) for name, arguments in chat.calls] == [
        ("column_stats", "population")
    ] * 2
    assert "of the total `population` of countries" in answer


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("show all IATA airports", known("iata")),
        ("iata airports in Germany", both(known("iata"), where("country", "=", "Germany"))),
    ],
)
async def test_a_column_of_codes_before_the_noun_means_rows_with_a_code(
    asked: str, kept: dict[str, Any]
) -> None:
    chat = Chat()
    await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [kept]


PARKS = make_table(
    "data.parks", "POLYGON", "Parks",
    [("id", "integer", ""), ("name", "text", ""), ("playgrnd", "boolean", "")],
    [(1, "North", True, (1.0, 1.0)), (2, "South", False, (2.0, 2.0))],
)  # fmt: skip
ROADS = make_table(
    "data.roads",
    "LINESTRING",
    "Roads",
    [("id", "integer", ""), ("name", "text", "")],
    [(7, "Main St", (1.0, 1.0))],
)
LIGHTS = make_table(
    "data.street_lights", "POINT", "Street lights",
    [("id", "integer", ""), ("road_id", "integer", "")], [(1, 7, (1.0, 1.0))],
)  # fmt: skip


async def test_a_column_may_lack_some_of_its_vowels() -> None:
    chat = Chat(World(PARKS))
    await chat("parks with a playground")
    assert [arguments["filters"] for _, arguments in chat.calls] == [where("playgrnd", "=", True)]


@pytest.mark.parametrize(
    "have", ["don't have any", "don't have", "do not have any", "have no", "dont have any"]
)
async def test_rows_that_no_other_row_refers_to(have: str) -> None:
    world = World(ROADS, LIGHTS)
    desk = Desk(world)
    await Chat(world, analyst=desk)(f"roads that {have} street lights")
    assert [(name, arguments.get("invert")) for name, arguments in desk.analysis.steps] == [
        ("select_by_attribute", True)
    ]


@pytest.mark.parametrize("asked", ["show me Peru", "show me peru"])
async def test_a_place_is_shown_however_it_is_written(asked: str) -> None:
    chat = Chat(World(CITIES, COUNTRIES))
    assert "Added **Peru**" in await chat(asked)
    assert [arguments["table"] for _, arguments in chat.calls] == [COUNTRIES[0].id]


async def test_a_word_that_is_no_place_is_not_shown_as_one() -> None:
    assert "I cannot do that" in await Chat(World(CITIES, COUNTRIES))("show me potholes")


async def test_no_row_of_a_kind_may_be_a_single_one() -> None:
    world = World(AIRPORTS, COUNTRIES)
    desk = Desk(world)
    await Chat(world, analyst=desk)("countries without a single IATA airport")
    assert [name for name, _ in desk.analysis.steps] == ["filter", "select_by_attribute"]
    assert desk.analysis.steps[0][1]["filter"] == known("iata")


async def test_a_column_may_begin_with_the_initial_of_a_word() -> None:
    roads = make_table(
        "data.roads", "LINESTRING", "Roads",
        [("id", "integer", ""), ("fclass", "text", ""), ("pci", "integer", "")],
        [(1, "local", 40, (1.0, 1.0)), (2, "alley", 60, (2.0, 2.0))],
    )  # fmt: skip
    chat = Chat(World(roads))
    await chat("colour the roads by functional class")
    assert [arguments["style"]["column"] for _, arguments in chat.calls] == ["fclass"]


async def test_what_is_compared_may_follow_a_dash() -> None:
    answer = await Chat(World(CITIES, COUNTRIES))("compare Germany and France - area, population")
    assert "| Germany | 357,021 | 82,927,922 |" in answer


@pytest.mark.parametrize("going", ["going thru", "running through", "that pass through"])
async def test_lines_going_through_an_area_cross_it(going: str) -> None:
    districts = make_table(
        "data.districts", "POLYGON", "Districts",
        [("id", "integer", ""), ("name", "text", "")], [(1, "Downtown", (1.0, 1.0))],
    )  # fmt: skip
    world = World(ROADS, districts)
    world.data.names["data.districts"] = "name"
    desk = Desk(world)
    await Chat(world, analyst=desk)(f"roads {going} Downtown")
    assert [name for name, _ in desk.analysis.steps] == ["filter", "select_by_location"]


@pytest.mark.parametrize(
    ("asked", "flag"), [("ADA compliant stops", "Y"), ("stops that are not ADA compliant", "N")]
)
async def test_what_complies_is_a_state(asked: str, flag: str) -> None:
    stops = make_table(
        "data.bus_stops", "POINT", "Bus stops", [("id", "integer", ""), ("ada_compl", "text", "")],
        [(1, "Y", (1.0, 1.0)), (2, "N", (2.0, 2.0))],
    )  # fmt: skip
    chat = Chat(World(stops))
    await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [where("ada_compl", "=", flag)]


@pytest.mark.parametrize(
    "asked", ["which country has most cities in it", "which country has the most cities in it?"]
)
async def test_what_lies_in_the_group_itself_may_be_said(asked: str) -> None:
    world = World(CITIES, COUNTRIES)
    assert "Germany has the most cities: 3" in await Chat(world, analyst=Desk(world))(asked)


async def test_a_town_is_no_city_by_the_end_of_its_name() -> None:
    """`Old Town` was read as the cities called `Old City`."""
    towns = make_table(
        "data.districts", "POLYGON", "Districts",
        [("id", "integer", ""), ("name", "text", ""), ("residents", "integer", "")],
        [(1, "Old Town", 3100, (1.0, 1.0))],
    )  # fmt: skip
    cities = make_table(
        "data.cities", "POINT", "Cities",
        [("id", "integer", ""), ("name", "text", ""), ("population", "integer", "")],
        [(1, "Old City", 36000, (2.0, 2.0))],
    )  # fmt: skip
    assert "3,100" in await Chat(World(towns, cities))("how many residents does Old Town have?")
