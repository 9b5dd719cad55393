"""Columns of the rows themselves: those that groups are values of, and those that tell no time of a figure."""

from __future__ import annotations

from typing import Any

import pytest

from agents.geo.wording.phrases import is_year
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Calls, Chat

SITES = make_table(
    "data.habitat_sites", "MULTIPOLYGON", "Habitat sites",
    [("id", "integer", ""), ("site_name", "text", ""), ("habitat", "text", "Habitat type"),
     ("area_ha", "number", ""), ("red_species", "integer", ""), ("total_staff", "integer", "")],
    [(1, "Moor", "fen", 10.0, 5, 2, (1.0, 1.0)), (2, "Carr", "heath", 20.0, 7, 3, (2.0, 2.0))],
)  # fmt: skip
ZONING = make_table(
    "data.zoning", "MULTIPOLYGON", "Zones", [("id", "integer", ""), ("zone_code", "text", "")],
    [(1, "R1", (1.0, 1.0))],
)  # fmt: skip
VALVES = make_table(
    "data.valves", "POINT", "",
    [("id", "integer", ""), ("valve_no", "text", ""), ("pzone", "text", "Pressure zone"),
     ("vstatus", "text", "Status")],
    [(1, "V1", "Low", "closed", (1.0, 1.0)), (2, "V2", "High", "open", (2.0, 2.0))],
)  # fmt: skip
HYDRANTS = make_table(
    "data.hydrants", "POINT", "", [("id", "integer", ""), ("label", "text", "")], [(1, "H1", (1.0, 1.0))]
)  # fmt: skip
ROADS = make_table(
    "data.road_segments", "LINESTRING", "",
    [("id", "integer", ""), ("surface", "text", ""), ("aadt", "integer", "Average daily traffic"),
     ("lanes", "integer", ""), ("year_built", "integer", "")],
    [(1, "asphalt", 900, 2, 2010, (1.0, 1.0)), (2, "gravel", 100, 1, 1890, (2.0, 2.0))],
)  # fmt: skip


async def asked(sentence: str) -> tuple[Calls, Desk, str]:
    desk = Desk(World(SITES, ZONING, VALVES, HYDRANTS, ROADS))
    chat = Chat(desk.world, analyst=desk)
    answer = await chat(sentence)
    return chat.calls, desk, answer


@pytest.mark.parametrize(
    ("sentence", "by"),
    [
        ("red species per hectare by habitat", ["habitat"]),
        ("red species per hectare for each habitat", ["habitat"]),
        ("red species per hectare of each habitat site", None),
    ],
)
async def test_a_density_is_of_each_value_of_the_column_that_is_named(
    sentence: str, by: list[str] | None
) -> None:
    _, desk, answer = await asked(sentence)
    grouped = [step["by"] for name, step in desk.analysis.steps if "by" in step and name != "top"]
    assert grouped == ([by] if by else []), answer


@pytest.mark.parametrize(
    ("sentence", "operation", "by"),
    [
        ("which zone has the most valves?", "summarise", ["pzone"]),
        ("which zone has the most closed valves?", "summarise", ["pzone"]),
        ("which zone has the most hydrants?", "spatial_join", None),
    ],
)
async def test_rows_are_counted_by_their_own_column_before_the_areas_of_another_table(
    sentence: str, operation: str, by: Any
) -> None:
    _, desk, answer = await asked(sentence)
    steps = [(name, step) for name, step in desk.analysis.steps if name != "filter"]
    assert (steps[0][0], steps[0][1].get("by")) == (operation, by), answer


@pytest.mark.parametrize(
    ("sentence", "is_answered"),
    [
        ("average traffic in 2010", False),
        ("maximum traffic of road segments in 2021", False),
        ("total lanes of road segments in 2010", False),
        ("average traffic by surface in 2010", False),
        ("average traffic of road segments built in 2010", True),
        ("average traffic of road segments where year built is 2010", True),
        ("how many road segments in 2010?", True),
    ],
)
async def test_a_year_of_building_is_none_of_a_figure(sentence: str, is_answered: bool) -> None:
    calls, desk, answer = await asked(sentence)
    answered = {"column_stats", "count_features"} & {name for name, _ in calls}
    assert bool(answered or desk.analysis.steps) == is_answered, answer


@pytest.mark.parametrize(
    ("sentence", "are_drawn"),
    [
        ("valves closed - how many?", False),
        ("valves closed, how many?", False),
        ("valves that are closed - how many?", False),
        ("show valves closed - how many?", True),
    ],
)
async def test_nothing_is_drawn_unasked_where_rows_are_counted(sentence: str, are_drawn: bool) -> None:
    calls, _, answer = await asked(sentence)
    names = [name for name, _ in calls]
    assert "count_features" in names, answer
    assert ("add_map_layer" in names) == are_drawn, answer


@pytest.mark.parametrize(
    ("sentence", "title"),
    [
        ("average total staff of habitat sites by habitat",
         "Average total staff of habitat sites by habitat"),
        ("compare the total staff of fen and heath", "Total staff of habitat sites by habitat"),
        ("number of road segments built before 1900 or not built after 1950 by surface",
         "Number of road segments built before 1900 or not built after 1950 by surface"),
    ],
)  # fmt: skip
async def test_a_title_says_nothing_twice(sentence: str, title: str) -> None:
    _, desk, answer = await asked(sentence)
    assert title in desk.analysis.titles, (desk.analysis.titles, answer)


@pytest.mark.parametrize(
    ("column", "item", "expected"),
    [
        ("dwell_built_per_ha", 1.39, False), ("sum_dwell_built", 4900, False), ("sum_dwell_built", 1287, False),
        ("built_area", 12345.6, False), ("year_built", 1987, True), ("mean_year_built", 1987.35, True),
        ("built", None, True), ("founded", 850, True), ("built", 1999, True), ("plant_yr", 1990, True),
    ],
)  # fmt: skip
def test_what_was_built_is_no_year(column: str, item: float | None, expected: bool) -> None:
    assert is_year(column, item) is expected
