"""Figures that no column tells: rows for so many of what areas count, people per area, and columns that count by the
words of their comments."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import full, make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

BOROUGHS = full(make_table(
    "data.boroughs", "MULTIPOLYGON", "Boroughs of the city",
    [("id", "integer", ""), ("name", "text", ""), ("region", "text", ""), ("population", "integer", ""),
     ("households", "integer", ""), ("mean_age", "integer", "")],
    [(1, "Abbey", "north", 900, 400, 40, (1.0, 1.0)), (2, "Bow", "south", 500, 200, 41, (2.0, 1.0))],
))  # fmt: skip
GARAGES = full(make_table(
    "data.garages", "POINT", "Garages",
    [("id", "integer", ""), ("name", "text", ""), ("operator", "text", ""),
     ("capacity", "integer", "Number of spaces"), ("avg_day", "integer", "Average visitors per day, 2024")],
    [(1, "Market", "City", 900, 70, (1.0, 1.0)), (2, "Station", "Private", 300, 95, (2.0, 1.0))],
))  # fmt: skip


async def asked(sentence: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    world = World(BOROUGHS, GARAGES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    return desk.analysis.steps, answer


async def called(sentence: str) -> tuple[str, dict[str, Any]]:
    chat = Chat(World(BOROUGHS, GARAGES))
    await chat(sentence)
    return chat.calls[0]


SPACES = "coalesce(sum_capacity, 0 / (1 - sign(count)))"
"""The total is 0 without garages, and unknown where none of those that are there has a value."""


@pytest.mark.parametrize(
    ("sentence", "name", "expression"),
    [
        ("how many garages per 1000 residents in each borough", "per_1000_people", '1000 * count / "population"'),
        ("garages per 10,000 households by borough", "per_10000_households", '10000 * count / "households"'),
        ("how many spaces per household in each borough", "per_household", f'1 * {SPACES} / "households"'),
        ("garage spaces per 100 residents by borough", "per_100_people", f'100 * {SPACES} / "population"'),
    ],
)  # fmt: skip
async def test_rows_and_what_they_count_are_divided_by_a_column_of_areas(
    sentence: str, name: str, expression: str
) -> None:
    steps, answer = await asked(sentence)
    assert [each for each, _ in steps] == ["spatial_join", "calculate"], answer
    assert (steps[-1][1]["name"], steps[-1][1]["expression"]) == (name, expression)


async def test_areas_of_one_value_are_merged_before_they_are_divided_by() -> None:
    steps, answer = await asked("garages per 1000 residents by region")
    assert [each for each, _ in steps] == ["dissolve", "spatial_join", "calculate"], answer
    assert (steps[0][1]["by"], steps[-1][1]["expression"]) == (["region"], '1000 * count / "sum_population"')
    assert "left out" in answer


@pytest.mark.parametrize(
    "sentence",
    ["garages per mean age by borough", "garages per 100 dragons by borough", "garages per id by borough"],
)
async def test_what_does_not_count_is_not_divided_by(sentence: str) -> None:
    steps, answer = await asked(sentence)
    assert not steps, answer


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("population density by borough", None),
        ("population density of boroughs", None),
        ("household density by borough, top 1", (1, False)),
        ("which borough has the highest population density?", (1, False)),
        ("the 2 least densely populated boroughs", (2, True)),
        ("most densely populated borough", (1, False)),
        ("top 2 boroughs by population per km2", (2, False)),
    ],
)
async def test_a_density_is_that_of_the_measured_areas(sentence: str, first: tuple[int, bool] | None) -> None:
    steps, answer = await asked(sentence)
    names = ["measure", "calculate", *(["top"] if first else [])]
    assert [each for each, _ in steps] == names, answer
    assert steps[1][1]["expression"].replace('"', "").endswith("* 1000000 / area_m2")
    if first is not None:
        assert (steps[-1][1]["n"], steps[-1][1].get("smallest", False)) == first
        assert steps[-1][1]["by"] == steps[1][1]["name"]


@pytest.mark.parametrize("sentence", ["mean age density by borough", "operator density by borough"])
async def test_a_density_of_what_does_not_add_up_is_declined(sentence: str) -> None:
    steps, answer = await asked(sentence)
    assert not steps, answer


@pytest.mark.parametrize(
    ("sentence", "by"),
    [("number of garages by borough, top 1", "count"), ("population by borough, top 1", "population")],
)
async def test_the_first_of_all_areas(sentence: str, by: str) -> None:
    steps, answer = await asked(sentence)
    assert (steps[-1][0], steps[-1][1]["by"], steps[-1][1]["n"]) == ("top", by, 1), answer


@pytest.mark.parametrize(
    ("sentence", "column"),
    [
        ("which garage has the most spaces?", "capacity"),
        ("busiest garage", "avg_day"),
        ("top 2 busiest garages", "avg_day"),
        ("which garage is the least busy?", "avg_day"),
    ],
)
async def test_what_a_comment_counts_is_ranked_by(sentence: str, column: str) -> None:
    _, arguments = await called(sentence)
    assert arguments["sort"] == column


async def test_what_a_comment_counts_is_compared() -> None:
    _, arguments = await called("garages with more than 500 spaces")
    assert arguments["filters"] == {"op": ">", "args": [{"property": "capacity"}, 500]}
