"""The first ones of each group, of a side of the earth, and figures of the rows near a place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

AIRPORTS, CITIES = "data.airports", "data.cities"
HIGHEST = {"source": AIRPORTS, "by": "elevation_m", "n": 1, "per": ["country"], "ties": True}


async def steps_of(sentence: str) -> list[tuple[str, dict[str, Any]]]:
    world = World()
    desk = Desk(world)
    await Chat(world, analyst=desk)(sentence)
    return desk.analysis.steps


@pytest.mark.parametrize(
    "sentence",
    [
        "highest airport per country",
        "highest airport by country",
        "highest airport of each country",
        "what is the highest airport in each country?",
        "show the highest airport for every country",
        "which is the highest airport in each country",
    ],
)
async def test_the_highest_of_each_group_is_never_one_row(sentence: str) -> None:
    assert await steps_of(sentence) == [("top", HIGHEST)]


async def test_several_of_each_group_and_the_lowest() -> None:
    assert await steps_of("the 3 lowest airports in each country") == [
        ("top", {**HIGHEST, "n": 3, "smallest": True})
    ]
    assert await steps_of("largest city in each country") == [
        ("top", {**HIGHEST, "source": CITIES, "by": "population"})
    ]


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("second highest airport of each country", {**HIGHEST, "n": 2, "skip": 1}),
        ("what is the 3rd largest city in each country?",
         {**HIGHEST, "source": CITIES, "by": "population", "n": 3, "skip": 2}),
    ],
)  # fmt: skip
async def test_a_later_place_of_each_group(sentence: str, wanted: dict[str, Any]) -> None:
    assert await steps_of(sentence) == [("top", wanted)]


async def test_what_ranks_is_no_group() -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("top 2 cities by population")
    assert desk.analysis.steps == []
    assert "population" in str(answer)


@pytest.mark.parametrize(
    "sentence",
    [
        "how many people live within 100 km of Berlin?",
        "total population of cities within 100 km of Berlin",
        "what is the total population of the cities within 100 km of Berlin?",
        "sum of population of cities less than 100 km from Berlin",
    ],
)
async def test_people_near_a_place_are_the_sum_of_its_cities(sentence: str) -> None:
    place, near, total = await steps_of(sentence)
    assert place[0] == "filter"
    assert near[0] == "select_by_location"
    assert near[1]["predicate"] == "within_distance"
    assert (near[1]["source"], near[1]["distance"]) == (CITIES, "100 km")
    assert total[0] == "summarise"
    wanted = [{"function": "count"}, {"function": "sum", "column": "population"}]
    assert total[1]["aggregates"] == wanted


@pytest.mark.parametrize(
    ("sentence", "fact", "smallest"),
    [
        ("northernmost city", "ymax", False),
        ("what is the southernmost city?", "ymin", True),
        ("which city is the easternmost?", "xmax", False),
        ("which city is farthest west?", "xmin", True),
    ],
)
async def test_the_farthest_to_a_side_is_ranked_by_its_edge(sentence: str, fact: str, smallest: bool) -> None:
    (columns, placed), (top, ranked) = await steps_of(sentence)
    assert (columns, top) == ("columns", "top")
    assert placed["changes"][0]["fact"] == fact
    assert (ranked["n"], ranked["smallest"]) == (1, smallest)


@pytest.mark.parametrize(
    ("sentence", "expression", "smallest"),
    [
        ("which city is closest to the equator?", "abs(latitude)", True),
        ("city nearest to the equator", "abs(latitude)", True),
        ("which city is farthest from the equator", "abs(latitude)", False),
        ("which city is closest to the north pole?", "90 - latitude", True),
    ],
)
async def test_the_equator_and_the_poles_are_no_places_of_a_table(
    sentence: str, expression: str, smallest: bool
) -> None:
    placed, away, ranked = await steps_of(sentence)
    assert placed[1]["changes"][0]["fact"] == "lat"
    assert away[1]["expression"] == expression
    assert ranked[1]["smallest"] is smallest


DEPOTS = make_table(
    "data.depots", "POINT", None,
    [("name", "text", ""), ("country_code", "text", ""), ("region", "text", "")],
    [("Pune", "IN", "Asia", (74.0, 18.5)), ("Delhi", "IN", "Asia", (77.0, 28.5)), ("Oslo", "NO", "Europe", (1.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        "how many depots are in each region?",
        "how many depots are there in each region?",
        "how many depots lie in each region?",
        "how many depots are located in each region?",
        "how many depots does each region have?",
        "how many depots does every region have?",
        "number of depots that are in each region",
        "number of depots in each region",
    ],
)
async def test_a_preposition_is_never_the_code_of_a_country(sentence: str) -> None:
    world = World(DEPOTS)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    assert [operation for operation, _ in desk.analysis.steps] == ["dissolve"], answer
    assert desk.analysis.steps[0][1]["source"] == "data.depots"
    assert desk.analysis.steps[0][1]["by"] == ["region"]


async def test_a_code_in_capitals_is_the_country() -> None:
    chat = Chat(World(DEPOTS))
    await chat("show depots in IN")
    assert chat.layers["depots"].filter == {"op": "=", "args": [{"property": "country_code"}, "IN"]}


async def test_an_adjective_is_never_a_code() -> None:
    fields = make_table(
        "data.fields", "POINT", None, [("name", "text", ""), ("iata", "text", "")],
        [("Allen", "BIG", (1.0, 1.0)), ("Bonn", "CGN", (2.0, 2.0))],
    )  # fmt: skip
    chat = Chat(World(fields))
    answer = await chat("show the big fields")
    assert "no row of fields has the value “big”" in answer
    assert chat.layers == {}


@pytest.mark.parametrize(
    ("sentence", "predicate", "inverted"),
    [
        ("airports inside a 300 km circle around Berlin", "within_distance", False),
        ("airports within a radius of 300 km around Berlin", "within_distance", False),
        ("cities with no airport within 300 km", "within_distance", True),
        ("cities lacking an airport within 300 km", "within_distance", True),
        ("which cities have no airport within 300 km?", "within_distance", True),
        ("which countries does Germany border?", "touches", False),
    ],
)
async def test_circles_and_what_lacks_something_near(sentence: str, predicate: str, inverted: bool) -> None:
    operation, arguments = (await steps_of(sentence))[-1]
    assert operation == "select_by_location"
    assert arguments["predicate"] == predicate
    assert arguments.get("invert", False) is inverted
    assert arguments.get("distance", "300 km") == "300 km"


async def test_a_circle_is_a_buffer() -> None:
    operation, arguments = (await steps_of("draw a circle of 50 km around Berlin"))[-1]
    assert (operation, arguments["distance"]) == ("buffer", "50 km")


async def test_the_group_with_the_highest_average_of_a_measure_kept_in_two_units() -> None:
    (figures, grouped), (last, ranked) = await steps_of(
        "which country has the highest average elevation of airports?"
    )
    assert (figures, grouped["by"]) == ("dissolve", ["country"])
    assert (last, ranked["by"], ranked["n"]) == ("top", "mean_elevation_m", 1)


@pytest.mark.parametrize(
    ("sentence", "descending"),
    [
        ("the 3 northernmost cities", True),
        ("the 2 easternmost airports", True),
        ("the 3 southernmost cities", False),
        ("which 3 cities are farthest from the equator?", True),
        ("which 3 cities are closest to the equator?", False),
    ],
)
async def test_the_farthest_ones_are_listed_first(sentence: str, descending: bool) -> None:
    world = World()
    answer = await Chat(world, analyst=Desk(world))(sentence)
    rows = [line.split("|") for line in answer.splitlines() if line.startswith("| ")][2:]
    figures = [float(each[2].replace(",", "")) for each in rows]
    assert len(figures) > 1, answer
    assert figures == sorted(figures, reverse=descending)


@pytest.mark.parametrize(
    ("sentence", "title"),
    [
        ("which airport in Germany is the furthest north", "The northernmost airport in Germany"),
        ("the 3 southernmost cities", "The 3 southernmost cities"),
    ],
)
async def test_the_farthest_ones_are_named_by_their_side(sentence: str, title: str) -> None:
    world = World()
    desk = Desk(world)
    await Chat(world, analyst=desk)(sentence)
    assert desk.analysis.titles[-1] == title


@pytest.mark.parametrize(
    "sentence",
    [
        "which airport within 300 km of Berlin is the highest?",
        "which of the airports within 300 km of Berlin is the highest?",
    ],
)
async def test_the_first_of_rows_found_near_a_place(sentence: str) -> None:
    steps = await steps_of(sentence)
    assert steps[-1] == ("top", {"source": "step_2", "by": "elevation_m", "n": 1, "ties": True})


async def test_groups_may_be_sorted_without_a_column() -> None:
    (operation, arguments) = (await steps_of("how many airports per country, sorted"))[-1]
    assert (operation, arguments["by"], arguments.get("ascending", False)) == ("sort", "count", False)


@pytest.mark.parametrize(
    ("sentence", "country"),
    [
        ("which US region has the most strips?", "United States"),
        ("number of strips of each German region", "Germany"),
    ],
)
async def test_groups_of_a_country_are_counted_there(sentence: str, country: str) -> None:
    columns = [("id", "integer", ""), ("region", "text", ""), ("country", "text", "")]
    rows = [(1, "Texas", "United States", (1.0, 1.0)), (2, "Bayern", "Germany", (2.0, 2.0))]
    desk = Desk(World(make_table("data.strips", "POINT", "Landing strips", columns, rows)))
    await Chat(desk.world, analyst=desk)(sentence)
    assert desk.analysis.steps[0][1]["filter"] == where("country", "=", country)


async def test_the_first_of_neighbours() -> None:
    steps = await steps_of("which country that borders Germany is the largest?")
    assert [operation for operation, _ in steps][-2:] == ["select_by_location", "top"]


@pytest.mark.parametrize("joint", [" ", ", "])
async def test_rows_near_a_place_are_sorted(joint: str) -> None:
    steps = await steps_of(f"airports within 300 km of Berlin{joint}sorted by elevation")
    assert steps[-1] == ("sort", {"source": "step_2", "by": "elevation_m"})
