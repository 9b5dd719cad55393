"""Rows that are the result of steps of their own are read wherever a step reads rows."""

# ruff: noqa: E501  one request a line

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, no, where

AIRPORTS, CITIES, COUNTRIES = "data.airports", "data.cities", "data.countries"
Steps = list[tuple[str, dict[str, Any]]]


async def steps_of(sentence: str) -> tuple[Steps, list[str], str]:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    return desk.analysis.steps, desk.analysis.titles, answer


def near(source: str, other: str, distance: str, **more: Any) -> tuple[str, dict[str, Any]]:
    found = {"source": source, "other": other, "predicate": "within_distance", "distance": distance}
    return "select_by_location", {**found, **more}


def top(source: str, n: int, by: str = "population", **more: Any) -> tuple[str, dict[str, Any]]:
    return "top", {"source": source, "by": by, "n": n, **more}


BERLIN = ("filter", {"source": CITIES, "filter": where("id", "=", 1)})
HAMBURG = ("filter", {"source": CITIES, "filter": where("id", "=", 2)})
GERMANY = ("filter", {"source": COUNTRIES, "filter": where("id", "=", 1)})
NEAR_BERLIN = [BERLIN, near(AIRPORTS, "step_1", "50 km")]
OF_ELEVATION = [{"function": "count"}, {"function": "mean", "column": "elevation_m"}]


@pytest.mark.parametrize(
    ("sentence", "steps"),
    [
        ("buffer the 5 largest cities by 100 km", [top(CITIES, 5), ("buffer", {"source": "step_1", "distance": "100 km"})]),
        ("draw 10 km circles around the 3 highest airports", [top(AIRPORTS, 3, "elevation_m"), ("buffer", {"source": "step_1", "distance": "10 km"})]),
        ("buffer the 5 largest cities by 100 km and dissolve them", [top(CITIES, 5), ("buffer", {"source": "step_1", "distance": "100 km", "dissolve": True})]),
        ("airports within 50 km of the 5 largest cities", [top(CITIES, 5), near(AIRPORTS, "step_1", "50 km")]),
        ("nearest airport to each of the 5 largest cities", [top(CITIES, 5), ("nearest", {"source": "step_1", "target": AIRPORTS, "k": 1})]),
        ("buffer the airports within 50 km of Berlin by 5 km", [*NEAR_BERLIN, ("buffer", {"source": "step_2", "distance": "5 km"})]),
        ("convex hull of the airports within 50 km of Berlin", [*NEAR_BERLIN, ("hull", {"source": "step_2"})]),
        ("average elevation of airports within 50 km of Berlin", [*NEAR_BERLIN, ("summarise", {"source": "step_2", "aggregates": OF_ELEVATION})]),
        ("the highest airport within 50 km of Berlin", [*NEAR_BERLIN, top("step_2", 1, "elevation_m", ties=True)]),
        (
            "number of airports within 50 km of Berlin by country",
            [*NEAR_BERLIN, ("dissolve", {"source": "step_2", "by": ["country"], "aggregates": [{"function": "count", "name": "count"}]})],
        ),
        (
            "airports in countries with more than 2 cities",
            [
                ("summarise", {"source": CITIES, "by": ["country"]}),
                ("join_by_attribute", {"source": COUNTRIES, "other": "step_1", "key": "name",
                                       "other_key": "country", "columns": ["count"], "zero": True}),
                ("filter", {"source": "step_2", "filter": where("count", ">", 2)}),
                ("select_by_attribute",
                 {"source": AIRPORTS, "other": "step_3", "key": "country", "other_key": "name"}),
            ],
        ),
        (
            "airports between 50 and 100 km from Berlin",
            [BERLIN, near(AIRPORTS, "step_1", "100 km"), near("step_2", "step_1", "50 km", invert=True)],
        ),
        ("bounding box of the cities in Germany", [("filter", {"source": CITIES, "filter": where("country", "=", "Germany")}), ("hull", {"source": "step_1"}), ("envelope", {"source": "step_2"})]),
        *(
            (sentence, [BERLIN, ("buffer", {"source": "step_1", "distance": "50 km"}), HAMBURG, ("buffer", {"source": "step_3", "distance": "50 km"}), ("intersection", {"source": "step_2", "other": "step_4"})])
            for sentence in ("overlap of the 50 km circles around Berlin and Hamburg", "where do the 50 km circles around Berlin and Hamburg overlap? Draw only the overlap.")
        ),
        *(
            (sentence, [GERMANY, BERLIN, ("buffer", {"source": "step_2", "distance": "50 km"}), ("difference", {"source": "step_1", "other": "step_3"})])
            for sentence in ("Germany minus everything closer than 50 km to Berlin", "Germany without the area within 50 km of Berlin")
        ),
        *(
            (sentence, [GERMANY, ("select_by_location", {"source": COUNTRIES, "other": "step_1", "predicate": "intersects"})])
            for sentence in ("highlight Germany and its neighbours in orange", "show Germany and all its neighbours", "Germany plus neighbouring countries")
        ),
        *(
            (sentence, [("centroid", {"source": COUNTRIES})])
            for sentence in ("put a point in the middle of each country", "mark the centre of every country", "a dot at the centre of all countries")
        ),
        ("simplified outline of Germany, tolerance 10 km or so", [GERMANY, ("simplify", {"source": "step_1", "tolerance": "10 km"})]),
        ("bounding rectangle of Germany", [GERMANY, ("envelope", {"source": "step_1"})]),
        ("countries without a single airport", [("select_by_attribute", {"source": COUNTRIES, "other": AIRPORTS, "key": "name", "other_key": "country", "invert": True})]),
        (
            "nearest city over 100,000 people to Ulm",
            [
                ("filter", {"source": CITIES, "filter": where("population", ">", 100_000)}),
                ("filter", {"source": CITIES, "filter": where("id", "=", 4)}),
                ("filter", {"source": "step_1", "filter": no(where("id", "=", 4))}),
                ("nearest", {"source": "step_3", "target": "step_2", "k": 1}),
                top("step_4", 1, "distance_m", smallest=True),
            ],
        ),
    ],
)  # fmt: skip
async def test_rows_are_made_first(sentence: str, steps: Steps) -> None:
    found, _, answer = await steps_of(sentence)
    assert found == steps, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "which airport is nearest to Ulm, and how far away is it?",
        "what is the nearest airport to Ulm",
        "how far away is the nearest airport from Ulm?",
        "how far is Ulm from the nearest airport?",
        "distance to the nearest airport from Ulm",
    ],
)
async def test_the_nearest_one_is_asked_for_in_many_ways(sentence: str) -> None:
    steps, _, answer = await steps_of(sentence)
    assert [operation for operation, _ in steps] == ["filter", "nearest", "top"], answer
    assert answer.startswith("**Ulm Airfield** is nearest to Ulm: 6,644 m."), answer


@pytest.mark.parametrize(
    "sentence",
    [
        "Nearest 3 airports with an IATA code to Ulm",
        "NEAREST 3 airports with an IATA code to Ulm",
        "Closest 3 airports with an IATA code to Ulm",
    ],
)
async def test_capitals_do_not_turn_the_order_around(sentence: str) -> None:
    steps, _, answer = await steps_of(sentence)
    assert steps[-1][0] == "top", answer
    assert steps[-1][1]["smallest"], answer


CUT = [
    ("intersection", {"source": COUNTRIES, "other": "data.main_roads"}),
    ("measure", {"source": "step_1", "measures": ["length"]}),
]


@pytest.mark.parametrize(
    "sentence",
    [
        "how many km of main roads are in each country?",
        "length of main roads in each country in km",
        "what length of main roads lies within each country in km?",
    ],
)
async def test_what_crosses_a_border_is_cut_there(sentence: str) -> None:
    steps, titles, answer = await steps_of(sentence)
    assert steps[:2] == CUT, answer
    assert steps[2][1]["expression"] == "length_m / 1000", answer
    assert titles[-1] == "Total length of main roads in each country"


async def test_the_size_of_what_was_made_is_told() -> None:
    steps, titles, answer = await steps_of(
        "buffer the cities in Germany by 5 km and merge the buffers. How big is the area?"
    )
    assert [operation for operation, _ in steps] == [
        "filter",
        "buffer",
        "dissolve",
        "measure",
        "summarise",
    ], answer
    assert titles[-1] == "Total area of them"


@pytest.mark.parametrize(
    ("sentence", "k"),
    [
        ("nearest airport to each city", 1),
        ("which airport is nearest to each city?", 1),
        ("how far is each city from the nearest airport?", 1),
        ("nearest airport to each city with the distance", 1),
        ("the two nearest airports to each city", 2),
        ("nearest 3 airports to each city", 3),
    ],
)
async def test_the_nearest_ones_of_each(sentence: str, k: int) -> None:
    steps, _, answer = await steps_of(sentence)
    assert steps == [("nearest", {"source": CITIES, "target": AIRPORTS, "k": k})], answer
    assert "| distance_m |" in answer


@pytest.mark.parametrize(
    ("sentence", "titles"),
    [
        (
            "cities within 600 km of Berlin and more than 100 km from Munich",
            "Cities within 600 km of Berlin, more than 100 km from Munich",
        ),
        (
            "airports within 50 km of Berlin, sorted by elevation",
            "Airports within 50 km of Berlin, sorted by elevation",
        ),
    ],
)
async def test_what_goes_on_is_called_by_the_rows_before(sentence: str, titles: str) -> None:
    _, made, answer = await steps_of(sentence)
    assert made[-1] == titles, answer


async def test_a_condition_behind_a_place_is_one_of_the_rows() -> None:
    for words in ("with more than 1 million inhabitants", "that have more than 1 million inhabitants"):
        steps, _, answer = await steps_of(f"cities within 600 km of Berlin {words}")
        assert steps[0] == ("filter", {"source": CITIES, "filter": where("population", ">", 1_000_000)}), (
            answer
        )


async def test_nothing_is_deeper_by_its_height() -> None:
    answer = await Chat()("show airports deeper than 20 m")
    assert answer.startswith("I cannot do that"), answer


@pytest.mark.parametrize(
    "words",
    ["how many are outside of all countries", "how many are outside", "how many of them are in no country",
     "how many of them are outside of all countries"],
)  # fmt: skip
async def test_how_many_are_outside_is_not_told_by_the_counts_of_each(words: str) -> None:
    steps, _, answer = await steps_of(f"how many cities are in each country, and {words}?")
    assert not any(operation == "select_by_location" for operation, _ in steps), answer
    assert "I cannot do that" in answer or "I did not understand" in answer or "but not" in answer, answer


async def test_areas_inside_of_a_district_are_counted_once() -> None:
    columns = [("id", "integer", ""), ("name", "text", "")]
    woods = make_table("data.woods", "POLYGON", None, columns, [(1, "a", (1.0, 1.0))])
    districts = make_table("data.districts", "POLYGON", None, columns, [(1, "Riverside", (1.0, 1.0))])
    world = World(woods, districts)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("how many hectares of woods are in the district Riverside?")
    made = [operation for operation, _ in desk.analysis.steps]
    assert made[:4] == ["filter", "clip", "dissolve", "measure"], answer


@pytest.mark.parametrize(
    ("sentence", "operations"),
    [
        ("airports inside a 50 km buffer around Berlin", ["filter", "buffer", "select_by_location"]),
        ("what is the area of a 50 km buffer around the cities in Germany?", ["filter", "buffer", "dissolve", "measure", "summarise"]),
        ("clip the countries to a 300 km buffer around Berlin", ["filter", "buffer", "clip"]),
        ("which country contains Berlin?", ["filter", "select_by_location"]),
        ("in which country is Berlin?", ["filter", "select_by_location"]),
        ("which parts of the countries are not covered by main roads?", ["difference"]),
        ("which country has the most airports within 100 km?", ["spatial_join", "top"]),
        ("which main roads pass through Germany?", ["filter", "select_by_location"]),
    ],
)  # fmt: skip
async def test_shapes_that_are_asked_for(sentence: str, operations: list[str]) -> None:
    steps, _, answer = await steps_of(sentence)
    assert [operation for operation, _ in steps] == operations, answer


async def test_an_example_in_a_comment_is_no_name_of_its_column() -> None:
    steps, _, answer = await steps_of("airports with iata code LPB within 50 km of La Paz")
    assert steps[0] == ("filter", {"source": AIRPORTS, "filter": where("iata", "=", "LPB")}), answer


@pytest.mark.parametrize(
    ("before", "sentence", "told"),
    [
        ("airports", "which of them are within 100 km of Berlin", "Airports within 100 km of Berlin: 1."),
        ("airports", "which of them w/in 100 km of Berlin", "Airports w/in 100 km of Berlin: 1."),
        ("airports", "which of these lie within 100 km of Berlin?", "Airports within 100 km of Berlin: 1."),
        ("countries", "how many cities outside of it", "Cities outside of Countries: 17."),
        ("airports", "cities outside all countries - how many?", "Cities outside all countries: 17."),
    ],
)
async def test_the_layer_spoken_of_is_what_them_and_it_mean(before: str, sentence: str, told: str) -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    await chat(f"show {before}")
    answer = await chat(sentence)
    assert answer.startswith(told), answer


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        (
            "which airports within 50 km of Berlin have an iata code?",
            no({"op": "isNull", "args": [{"property": "iata"}]}),
        ),
        ("how many airports within 50 km of Berlin are above 100 m", where("elevation_m", ">", 100)),
        ("how many of the airports within 50 km of Berlin are above 100 m", where("elevation_m", ">", 100)),
    ],
)
async def test_a_condition_behind_what_rows_are_near(sentence: str, kept: Any) -> None:
    steps, _, answer = await steps_of(sentence)
    assert ("filter", {"source": AIRPORTS, "filter": kept}) in steps, answer
    assert [operation for operation, _ in steps].count("select_by_location") == 1


async def test_groups_of_more_than_one_are_those_that_share_a_value() -> None:
    steps, _, answer = await steps_of(
        "how many countries are there per continent, only those shared by more than one"
    )
    assert steps[-1][1]["filter"] == where("count", ">", 1), answer
