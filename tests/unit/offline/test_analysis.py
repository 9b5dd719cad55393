"""Spatial questions without a language model: the steps that they become, and what is said of the result."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain import LakeSource
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

Steps = list[tuple[str, dict[str, Any]]]


def find(table: str, key: int) -> tuple[str, dict[str, Any]]:
    return "filter", {"source": f"data.{table}", "filter": where("id", "=", key)}


def keep(table: str, filters: Any) -> tuple[str, dict[str, Any]]:
    return "filter", {"source": f"data.{table}", "filter": filters}


def near(source: str, other: str, distance: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "select_by_location", {
        "source": source, "other": other, "predicate": "within_distance", "distance": distance, **more,
    }  # fmt: skip


def meeting(source: str, other: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "select_by_location", {"source": source, "other": other, "predicate": "shares_interior", **more}


AIRPORTS, CITIES, COUNTRIES = "data.airports", "data.cities", "data.countries"
OF_COUNTRY = {"key": "name", "other_key": "country"}
COUNTED = {"columns": ["count"], "zero": True}
QUESTIONS: list[tuple[str, Steps, str]] = [
    (
        "show airports within 50 km of Berlin",
        [find("cities", 1), near(AIRPORTS, "step_1", "50 km")],
        "Airports within 50 km of Berlin: 1.",
    ),
    (
        "which airports lie within 50 km of the city of Berlin",
        [find("cities", 1), near(AIRPORTS, "step_1", "50 km")],
        "Airports within 50 km of the city of Berlin: 1.",
    ),
    (
        "airports less than 30 miles from Munich",
        [find("cities", 3), near(AIRPORTS, "step_1", "30 mi")],
        "Airports less than 30 miles from Munich: 1.",
    ),
    (
        "airports above 2000 m within 200 km of La Paz",
        [
            keep("airports", where("elevation_m", ">", 2000)),
            find("cities", 7),
            near("step_1", "step_2", "200 km"),
        ],
        "Airports above 2000 m within 200 km of La Paz: 1.",
    ),
    (
        "cities more than 300 km from any airport",
        [near(CITIES, AIRPORTS, "300 km", invert=True)],
        "Cities more than 300 km from any airport: 9.",
    ),
    (
        "cities not within 300 km of an airport",
        [near(CITIES, AIRPORTS, "300 km", invert=True)],
        "Cities not within 300 km of an airport: 9.",
    ),
    (
        "which 5 cities over 100,000 people are farthest from any airport?",
        [
            keep("cities", where("population", ">", 100_000)),
            ("nearest", {"source": "step_1", "target": AIRPORTS, "k": 1}),
            ("top", {"source": "step_2", "by": "distance_m", "n": 5}),
        ],
        "5 cities over 100,000 people farthest from any airport; `distance_m` tells how far, in metres.",
    ),
    (
        "nearest airport to Ulm",
        [
            find("cities", 4),
            ("nearest", {"source": AIRPORTS, "target": "step_1", "k": 1}),
            ("top", {"source": "step_2", "by": "distance_m", "n": 1, "smallest": True}),
        ],
        "**Ulm Airfield** is nearest to Ulm: 6,644 m.",
    ),
    (
        "the nearest airport to each city",
        [("nearest", {"source": CITIES, "target": AIRPORTS, "k": 1})],
        "Nearest airport to each city: 17; `distance_m`",
    ),
    (
        "countries without airports",
        [("select_by_attribute", {"source": COUNTRIES, "other": AIRPORTS, **OF_COUNTRY, "invert": True})],
        "Countries without airports: 4. Matched by the columns `name` and `country`.",
    ),
    (
        "countries with airports",
        [("select_by_attribute", {"source": COUNTRIES, "other": AIRPORTS, **OF_COUNTRY})],
        "Countries with airports: 10.",
    ),
    (
        "cities in countries with more than 1 billion people",
        [
            keep("countries", where("population", ">", 1e9)),
            (
                "select_by_attribute",
                {"source": CITIES, "other": "step_1", "key": "country", "other_key": "name"},
            ),
        ],
        "Cities in countries with more than 1 billion people: 4.",
    ),
    (
        "count the airports in each country",
        [
            ("summarise", {"source": AIRPORTS, "by": ["country"]}),
            ("join_by_attribute", {"source": COUNTRIES, "other": "step_1", **OF_COUNTRY, **COUNTED}),
        ],
        "Airports in each country: counted for 14 of them.",
    ),
    (
        "buffer the main roads by 5 km",
        [("buffer", {"source": "data.main_roads", "distance": "5 km"})],
        "5 km around the main roads: 3.",
    ),
    (
        "a 2 km buffer around the cities in Germany",
        [
            keep("cities", where("country", "=", "Germany")),
            ("buffer", {"source": "step_1", "distance": "2 km"}),
        ],
        "2 km around the cities in Germany: 4.",
    ),
    (
        "buffer the main roads by 500 m and dissolve them",
        [("buffer", {"source": "data.main_roads", "distance": "500 m", "dissolve": True})],
        "500 m around the main roads: 1.",
    ),
]


@pytest.mark.parametrize(("goal", "steps", "summary"), QUESTIONS)
async def test_a_question_becomes_operations_and_a_summary_from_their_row_counts(
    goal: str, steps: Steps, summary: str
) -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    answer = await chat(goal)
    assert chat.calls == [("run_analysis", {"goal": goal})], answer
    assert desk.analysis.steps == steps
    assert desk.analysis.finished == answer
    assert answer.startswith(summary), answer
    assert answer.endswith("2 rows were left out.")
    assert "Measured on a sphere" not in answer, "the method is in the receipt"
    assert desk.analysis.failed is None


async def test_what_follows_the_question_is_done_after_it() -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    await chat("show airports within 50 km of Berlin, then show cities in red")
    assert chat.calls == [
        ("run_analysis", {"goal": "show airports within 50 km of Berlin"}),
        ("add_map_layer", {"table": "data.cities", "color": "red"}),
    ]


async def test_a_result_never_changes_what_the_words_of_a_question_mean() -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    first = await chat("airports within 50 km of Berlin")
    assert await chat("airports within 50 km of Berlin") == first
    assert await chat("how many cities are there?") == "There are 17 cities."


async def test_nothing_found_is_said() -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    assert (await chat("airports within 1 m of Hamburg")).startswith("Airports within 1 m of Hamburg: none.")


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ("airports within 50 km of Atlantis", "no table and no place is called “Atlantis”"),
        ("airports within 50 km of airlines", "airlines has no geometry"),
        ("airports in Narnia within 50 km of Berlin", "no row of airports has the value “Narnia”"),
    ],
)
async def test_what_cannot_be_analysed_is_refused_and_the_rest_is_left(goal: str, reason: str) -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    answer = await chat(f"{goal}; zoom to Ulm")
    assert answer.startswith("I cannot do that: ")
    assert reason in answer
    assert "I did not go on to “zoom to Ulm”." in answer
    assert desk.analysis.failed is not None
    assert desk.analysis.finished is None
    assert world.map.views == []


async def test_a_question_that_the_language_has_no_words_for_says_which_it_has() -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("the isochrone of ten minutes around Ulm")
    assert answer.startswith("I cannot do that: “isochrone” is not a word of this language")
    assert "You could say:\n\n- show cities in red\n- top 10 cities by population" in answer
    assert desk.analysis.steps == []


async def test_an_operation_that_is_not_offered_has_no_words() -> None:
    world = World()
    desk = Desk(world, operations=["filter", "nearest"])
    answer = await Chat(world, analyst=desk)("airports within 50 km of Berlin")
    assert answer.startswith("I cannot do that: without a language model I cannot plan this analysis")
    assert desk.analysis.steps == []


async def test_a_step_that_fails_ends_the_analysis_with_its_reason() -> None:
    world = World()
    world.data.rows["data.airports"].clear()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("nearest airport to each city")
    assert "The target is empty." in answer
    assert desk.analysis.failed is not None


@pytest.mark.parametrize(
    ("sentence", "goal"),
    [
        ("how many countries are there per continent, on Spark?", "on Spark"),
        ("average elevation of airports per country on spark", "on Spark"),
        ("buffer airports by 10 km, and verify it", "on both engines"),
        ("number of airports by country on both engines", "on both engines"),
    ],
)
async def test_where_an_analysis_runs_reaches_the_analyst_and_does_not_change_its_steps(
    sentence: str, goal: str
) -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    answer = await chat(sentence)
    ((name, arguments),) = chat.calls
    assert name == "run_analysis"
    assert arguments["goal"].endswith(f" {goal}")
    assert "cannot" not in answer


PER_HOUR = [{"function": "per_hour", "column": "happened_at"}]


@pytest.mark.parametrize(
    "sentence",
    [
        "how many earthquakes per country, on average per hour",
        "how many earthquakes are there per country, on average per hour?",
        "how many earthquakes in each country on average per hour",
        "average number of earthquakes per hour in each country",
        "how many earthquakes per hour on average in each of the countries",
        "earthquakes per hour in each country",
        "how many earthquakes per country, on average per hour, on Spark",
    ],
)
async def test_rows_of_each_area_are_counted_in_a_time(sentence: str) -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    aggregates = [{"function": "count"}, *PER_HOUR]
    joined = {"source": COUNTRIES, "other": "data.earthquakes", "predicate": "shares_interior"}
    assert desk.analysis.steps == [("spatial_join", {**joined, "aggregates": aggregates})], answer
    assert "Earthquakes per hour in each" in desk.analysis.titles[0]


async def test_rows_of_each_value_are_counted_in_a_time() -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("how many earthquakes per place, on average per year?")
    (step,) = desk.analysis.steps
    per_year = {"function": "per_year", "column": "happened_at"}
    aggregates = [per_year, {"function": "count", "name": "count"}]
    assert step == (
        "dissolve", {"source": "data.earthquakes", "by": ["place"], "aggregates": aggregates}
    ), answer  # fmt: skip
    assert desk.analysis.titles == ["Earthquakes per year by place"]


async def test_rows_of_a_lake_table_are_grouped_without_uniting_their_shapes() -> None:
    world = World()
    lake = LakeSource(rows=50_000_000, sample_rows=200_000, files=20, bytes=1, version="1")
    quakes = world.registry.get("data.earthquakes")
    world.registry.replace(quakes.model_copy(update={"lake": lake}))
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("how many earthquakes per place")
    assert [operation for operation, _ in desk.analysis.steps] == ["summarise"], answer


async def test_words_for_analyses_change_nothing_elsewhere_and_this_is_said() -> None:
    world = World()
    answer = await Chat(world, analyst=Desk(world))("show airports on Spark")
    assert [layer.table for layer in world.map.layers()] == ["data.airports"]
    assert "This needed no analysis, so “on Spark” changes nothing." in answer
