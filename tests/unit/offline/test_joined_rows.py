"""Rows of several tables in one request: counted in or near each other, nearest ones, outside, near, sizes, places."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat
from tests.unit.offline.test_result_looks import SCHOOLS, TRACTS

CLINICS = make_table(
    "data.clinics", "POINT", "Clinics",
    [("id", "integer", ""), ("name", "text", ""), ("beds", "integer", "")],
    [(1, "X", 10, (1.0, 1.01)), (2, "Y", 30, (1.1, 1.01))],
)  # fmt: skip
TRACTS_ID, SCHOOLS_ID, CLINICS_ID = "data.tracts", "data.schools", "data.clinics"
FARTHER = {"predicate": "within_distance", "distance": "100 km", "invert": True}
IN_EACH = ("spatial_join", {"source": TRACTS_ID, "other": SCHOOLS_ID, "predicate": "shares_interior"})


async def steps(sentence: str) -> tuple[list[tuple[str, dict[str, Any]]], Desk, str]:
    desk = Desk(World(TRACTS, SCHOOLS, CLINICS))
    answer = await Chat(desk.world, analyst=desk)(sentence)
    return desk.analysis.steps, desk, answer


def many(op: str, number: float) -> tuple[str, dict[str, Any]]:
    return "filter", {"source": "step_1", "filter": {"op": op, "args": [{"property": "count"}, number]}}


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("which tracts have five or more schools inside them?", many(">=", 5)),
        ("tracts with at least 2 schools", many(">=", 2)),
        ("tracts that contain fewer than 3 schools in them", many("<", 3)),
        ("in which tracts are there more than 4 schools?", many(">", 4)),
        ("show tracts in which there are 10 or more schools", many(">=", 10)),
        ("find all tracts with exactly two schools within them", many("=", 2)),
    ],
)
async def test_areas_are_kept_by_how_many_rows_lie_in_them(
    sentence: str, kept: tuple[str, dict[str, Any]]
) -> None:
    assert (await steps(sentence))[0] == [IN_EACH, kept]


async def test_clinics_are_kept_by_how_many_schools_are_near() -> None:
    found, _, _ = await steps("clinics with three or more schools within 2 km of them")
    near = {"source": CLINICS_ID, "other": SCHOOLS_ID, "predicate": "within_distance", "distance": "2 km"}
    assert found == [("spatial_join", near), many(">=", 3)]


@pytest.mark.parametrize(
    ("sentence", "ascending"),
    [
        ("Which tracts have one or more schools inside them? Most first.", {}),
        ("tracts with at least 1 school, most first", {}),
        ("tracts with at least 1 school, fewest first", {"ascending": True}),
        ("tracts with at least 1 school, sorted by count", {}),
    ],
)
async def test_what_was_counted_is_put_in_order(sentence: str, ascending: dict[str, Any]) -> None:
    found, _, _ = await steps(sentence)
    assert found == [IN_EACH, many(">=", 1), ("sort", {"source": "step_2", "by": "count", **ascending})]


@pytest.mark.parametrize(
    "sentence",
    [
        "For each school, what is the nearest clinic and the distance?",
        "which clinic is closest to each school, and how far is it?",
        "nearest clinic to each school with the distance",
        "for every school find the closest clinic",
        "distance from each school to its nearest clinic",
        "what is the nearest clinic for each school, including the distance",
    ],
)
async def test_each_row_gets_its_nearest(sentence: str) -> None:
    assert (await steps(sentence))[0] == [("nearest", {"source": SCHOOLS_ID, "target": CLINICS_ID, "k": 1})]


@pytest.mark.parametrize(
    "sentence",
    [
        "how many schools fall outside of every tract?",
        "schools outside all tracts",
        "which schools lie in no tract?",
        "schools that are not inside any tract",
        "schools that do not lie within any tract",
    ],
)
async def test_rows_outside_of_all_areas_are_found(sentence: str) -> None:
    wanted = {"source": SCHOOLS_ID, "other": TRACTS_ID, "predicate": "shares_interior", "invert": True}
    assert (await steps(sentence))[0] == [("select_by_location", wanted)]


@pytest.mark.parametrize(
    "sentence", ["schools near a clinic", "which schools are close to clinics?", "show schools near Ash Hill"]
)
async def test_how_near_is_asked(sentence: str) -> None:
    found, _, answer = await steps(sentence)
    assert found == []
    assert "within 1 km of" in answer


@pytest.mark.parametrize(
    "sentence",
    [
        "clip the tracts to the buffers and give me the remaining area in km2",
        "buffer the schools by 1 km and merge them into one shape and give me its area in km2",
        "buffer the schools by 1 km and tell me the total area in km2",
        "buffer the schools by 1 km, what is their combined area in km2?",
        "buffer the schools by 1 km. What is the area of the result in km2?",
    ],
)
async def test_the_size_of_what_is_left_is_one_number(sentence: str) -> None:
    found, _, answer = await steps(
        sentence.replace("clip the tracts to the buffers", "clip the tracts to tracts")
    )
    assert [name for name, _ in found][-3:] == ["measure", "calculate", "summarise"], answer


@pytest.mark.parametrize(
    ("sentence", "operation"),
    [
        ("merge Berlin, Ulm and Hamburg into one shape", "dissolve"),
        ("buffer Berlin and Ulm by 10 km", "buffer"),
    ],
)
async def test_several_places_are_taken_together(sentence: str, operation: str) -> None:
    desk = Desk(World())
    await Chat(desk.world, analyst=desk)(sentence)
    (_, found), (last, _) = desk.analysis.steps
    assert found["filter"]["op"] == "or"
    assert last == operation


@pytest.mark.parametrize(
    ("sentence", "operation", "arguments"),
    [
        ("draw a 250 m buffer around every primary school", "buffer", {"source": "step_1", "distance": "250 m"}),
        ("nearest primary school to each clinic", "nearest", {"source": CLINICS_ID, "target": "step_1", "k": 1}),
        ("merge the tracts of each parish into one shape", "dissolve", {"source": TRACTS_ID, "by": ["parish"]}),
        ("join all tracts into one shape", "dissolve", {"source": TRACTS_ID}),
        ("cut the tracts to the tracts, I only want the bits inside", "clip", {"source": TRACTS_ID, "mask": TRACTS_ID}),
        ("add the schools within 1 km of the clinics", "select_by_location",
         {"source": SCHOOLS_ID, "other": CLINICS_ID, "predicate": "within_distance", "distance": "1 km"}),
        ("which schools were built within 1 km of a clinic?", "select_by_location",
         {"source": SCHOOLS_ID, "other": CLINICS_ID, "predicate": "within_distance", "distance": "1 km"}),
        ("how many schools touch tracts?", "select_by_location",
         {"source": SCHOOLS_ID, "other": TRACTS_ID, "predicate": "intersects"}),
        ("which tracts touch tracts?", "select_by_location",
         {"source": TRACTS_ID, "other": TRACTS_ID, "predicate": "touches"}),
    ],
)  # fmt: skip
async def test_operations_in_other_words(sentence: str, operation: str, arguments: dict[str, Any]) -> None:
    found, _, answer = await steps(sentence)
    assert (operation, arguments) in found, answer


@pytest.mark.parametrize(
    ("sentence", "column"),
    [
        ("how many beds are there within 3 km of the schools?", "beds"),
        ("how much beds are within 3 km of Ash Hill school?", "beds"),
    ],
)
async def test_a_figure_near_rows_is_of_the_only_table_that_has_it(sentence: str, column: str) -> None:
    found, _, answer = await steps(sentence)
    assert [name for name, _ in found][-2:] == ["select_by_location", "summarise"], answer
    assert found[-1][1]["aggregates"][-1] == {"function": "sum", "column": column}


async def test_one_of_several_places_is_said_by_or() -> None:
    desk = Desk(World())
    chat = Chat(desk.world, analyst=desk)
    await chat("airports within 50 km of Berlin or Ulm")
    assert [name for name, _ in desk.analysis.steps] == ["filter", "select_by_location"]
    answer = await chat("airports within 50 km of Berlin and Ulm")
    assert desk.analysis.steps == [], answer


@pytest.mark.parametrize(
    "sentence",
    [
        "cities within 10 km of all airports",
        "cities within 10 km of every airport",
        "cities within 10 km of all of the airports",
        "cities no farther than 10 km from all airports",
        "cities between 10 and 50 km from all airports",
        "cities near all airports",
        "cities near every airport",
        "cities closest to all airports",
        "how many people live within 10 km of every airport",
        "countries touching all main roads",
        "countries crossed by all main roads",
        "countries bordering all countries",
        "countries containing all cities",
        "countries with all airports",
        "cities completely within all countries",
    ],
)
async def test_what_is_related_to_all_rows_is_not_taken_for_what_is_related_to_any(sentence: str) -> None:
    desk = Desk(World())
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert desk.analysis.steps == [], answer
    assert "(meaning" not in answer


@pytest.mark.parametrize(
    ("sentence", "arguments"),
    [
        ("cities within 10 km of any airport", {"predicate": "within_distance", "distance": "10 km"}),
        ("countries crossed by any main road", {"predicate": "intersects"}),
        ("cities more than 100 km from all airports", FARTHER),
        ("cities more than 100 km from every airport", FARTHER),
        ("cities outside of every country", {"predicate": "shares_interior", "invert": True}),
    ],
)  # fmt: skip
async def test_any_row_is_enough_and_of_all_those_that_are_outside_or_farther(
    sentence: str, arguments: dict[str, Any]
) -> None:
    desk = Desk(World())
    answer = await Chat(desk.world, analyst=desk)(sentence)
    ((operation, given),) = desk.analysis.steps
    assert operation == "select_by_location", answer
    assert {name: value for name, value in given.items() if name not in ("source", "other")} == arguments


async def test_the_refusal_of_all_rows_says_what_can_be_asked() -> None:
    desk = Desk(World())
    answer = await Chat(desk.world, analyst=desk)("cities within 10 km of all the airports")
    assert "“all the airports”" in answer
    assert "“any airports”" in answer


@pytest.mark.parametrize(
    ("sentence", "title"),
    [
        ("nearest cities to each airport", "Nearest city to each airport"),
        ("from each airport, show nearest cities", "Nearest city to each airport"),
        ("the nearest main roads to all cities", "Nearest main road to each city"),
        ("which airports are nearest to each city", "Nearest airport to each city"),
        ("nearest city to airports", "Nearest city to each airport"),
        ("nearest cities over 1 million to each airport", "Nearest city over 1 million to each airport"),
        ("show the 3 nearest cities to each airport", "The 3 nearest cities to each airport"),
        (
            "nearest airports to each of the 5 largest cities",
            "Nearest airport to each of the 5 largest cities",
        ),
    ],
)
async def test_the_title_tells_how_many_nearest_ones_each_row_has(sentence: str, title: str) -> None:
    desk = Desk(World())
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert desk.analysis.titles[-1:] == [title], answer


@pytest.mark.parametrize(
    ("sentence", "by"),
    [
        ("merge countries by continent", ["continent"]),
        ("merge countries by continent into one polygon each", ["continent"]),
        ("merge countries of each continent into one polygon", ["continent"]),
        ("merge countries for each continent into a single shape", ["continent"]),
        ("merge countries per continent into one polygon", ["continent"]),
        ("merge countries into one polygon", None),
        ("merge countries by continent into one polygon", "not read"),
    ],
)
async def test_one_polygon_is_of_all_rows_or_of_each_group(sentence: str, by: list[str] | str | None) -> None:
    desk = Desk(World())
    answer = await Chat(desk.world, analyst=desk)(sentence)
    found = [(name, given.get("by")) for name, given in desk.analysis.steps]
    assert found == ([] if by == "not read" else [("dissolve", by)]), answer
