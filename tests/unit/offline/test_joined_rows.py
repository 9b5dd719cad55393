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
