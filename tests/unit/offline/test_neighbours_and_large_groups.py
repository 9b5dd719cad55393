"""The number of neighbours of areas, and figures of those groups only that have enough rows."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

VISITS = make_table(
    "data.visits", "POINT", "Visits of wells",
    [("id", "integer", ""), ("crew", "text", ""), ("cost_eur", "number", ""), ("minutes", "integer", "")],
    [(1, "North", 10.0, 5, (1.0, 1.0)), (2, "North", 30.0, 7, (1.0, 1.1)), (3, "South", 90.0, 9, (1.0, 1.2))],
)  # fmt: skip


def at_least_two() -> dict[str, object]:
    return {"op": ">=", "args": [{"property": "count"}, 2]}


@pytest.mark.parametrize(
    "asked",
    [
        "total cost of visits by crew, only crews with at least 2 visits",
        "total visit cost by crew, but only for crews with at least 2 visits",
        "total cost of visits per crew for crews with 2 or more visits",
        "total cost by crew with at least 2 visits",
        "total cost of visits by crew having at least two visits",
        "number of visits by crew, only crews with at least 2",
        "total cost of visits by crew, only crews with at least 2 visits, highest first",
    ],
)
async def test_only_groups_with_enough_rows_are_kept(asked: str) -> None:
    desk = Desk(World(VISITS))
    await Chat(desk.world, analyst=desk)(asked)
    (grouped, by), (operation, kept), (last, _) = desk.analysis.steps
    assert (grouped, by["by"], operation, last) == ("dissolve", ["crew"], "filter", "top")
    assert kept["filter"] == at_least_two()


@pytest.mark.parametrize(
    "asked",
    [
        "total cost of visits by crew, only crews with at least 2 wells",
        "total cost of visits by crew, only teams with at least 2 visits",
        "average population of countries by continent, only continents with more than 100 airports",
    ],
)
async def test_numbers_of_other_rows_do_not_choose_the_groups(asked: str) -> None:
    desk = Desk(World(VISITS, AIRPORTS, COUNTRIES))
    await Chat(desk.world, analyst=desk)(asked)
    assert desk.analysis.steps == []


@pytest.mark.parametrize(
    ("asked", "operations"),
    [
        ("which country has the most neighbours", ["spatial_join", "top"]),
        ("which country borders the most other countries?", ["spatial_join", "top"]),
        ("top 5 countries by number of neighbouring countries", ["spatial_join", "top"]),
        ("countries with more than 8 neighbours", ["spatial_join", "filter"]),
        ("countries that border at least 7 countries", ["spatial_join", "filter"]),
        ("number of neighbours per country", ["spatial_join"]),
        ("how many neighbours does each country have?", ["spatial_join"]),
    ],
)
async def test_the_neighbours_of_each_area_are_counted(asked: str, operations: list[str]) -> None:
    desk = Desk(World(COUNTRIES, AIRPORTS))
    await Chat(desk.world, analyst=desk)(asked)
    assert [name for name, _ in desk.analysis.steps] == operations
    joined = desk.analysis.steps[0][1]
    assert (joined["source"], joined["other"], joined["predicate"]) == (
        "data.countries",
        "data.countries",
        "touches",
    )


async def test_the_neighbours_of_one_area_are_counted() -> None:
    desk = Desk(World(COUNTRIES, AIRPORTS))
    await Chat(desk.world, analyst=desk)("how many neighbours does Germany have?")
    assert [(name, step.get("predicate")) for name, step in desk.analysis.steps][-1] == (
        "select_by_location",
        "touches",
    )


@pytest.mark.parametrize("asked", ["which country borders the most airports", "airports with 3 neighbours"])
async def test_only_areas_of_one_table_are_neighbours(asked: str) -> None:
    desk = Desk(World(COUNTRIES, AIRPORTS))
    await Chat(desk.world, analyst=desk)(asked)
    assert desk.analysis.steps == []
