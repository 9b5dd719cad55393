"""Distances among rows: the closest pair, each row's nearest other, lines between places, several distances at once."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where
from tests.unit.offline.test_cities_and_capitals import CITIES


def asking() -> tuple[Chat, Desk]:
    world = World(CITIES, COUNTRIES, AIRPORTS)
    desk = Desk(world)
    return Chat(world, analyst=desk), desk


@pytest.mark.parametrize(
    ("asked", "operation", "smallest"),
    [
        ("the two closest cities in the world", "nearest", True),
        ("which two airports are nearest to each other?", "nearest", True),
        ("the closest pair of capitals", "nearest", True),
        ("which two cities in Germany are farthest apart", "distance_matrix", False),
        ("the two capitals farthest from each other", "distance_matrix", False),
    ],
)
async def test_the_closest_and_the_farthest_pair_of_some_rows(
    asked: str, operation: str, smallest: bool
) -> None:
    chat, desk = asking()
    await chat(asked)
    *kept, (name, pairs), (last, top) = desk.analysis.steps
    assert [each for each, _ in kept] in ([], ["filter"])
    assert (name, last, top["by"], top["n"]) == (operation, "top", "distance_m", 1)
    assert pairs["source"] == pairs["target" if smallest else "other"]
    assert bool(top.get("smallest")) == smallest


@pytest.mark.parametrize(
    "asked",
    [
        "nearest capital to each capital",
        "which capital is farthest from any other capital?",
        "which capital is farthest from its nearest other capital",
    ],
)
async def test_rows_are_not_their_own_neighbours(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    (_, kept), (operation, near), *_ = desk.analysis.steps
    assert kept["filter"] == where("is_capital", "=", True)
    assert (operation, near["source"], near["target"]) == ("nearest", "step_1", "step_1")


async def test_the_nearest_of_a_table_to_some_of_its_rows_is_another_row() -> None:
    chat, desk = asking()
    await chat("nearest airport to each airport in Germany")
    *_, (operation, near), (last, kept) = desk.analysis.steps
    assert (operation, near["source"], near["target"]) == ("nearest", "data.airports", "data.airports")
    assert (last, kept["filter"]) == ("filter", where("country", "=", "Germany"))


@pytest.mark.parametrize(
    "asked",
    [
        "draw a line from Lima to Berlin with its length",
        "line between Lima and Berlin",
        "add a straight line from Lima to Berlin",
        "how far apart are Lima and Berlin?",
    ],
)
async def test_a_line_between_two_places_with_its_length(asked: str) -> None:
    chat, desk = asking()
    assert "Interpreted as Lima, Peru; Berlin, Germany." in await chat(asked)
    assert [name for name, _ in desk.analysis.steps] == ["filter", "filter", "distance_matrix"]


@pytest.mark.parametrize(
    ("asked", "distances"),
    [
        ("population within 50 km, 100 km and 200 km of Lima", ["50 km", "100 km", "200 km"]),
        (
            "how many airports are within 50, 100 and 200 miles of Lima?",
            ["50 miles", "100 miles", "200 miles"],
        ),
        ("airports within 1 km and 2 km of Lima", ["1 km", "2 km"]),
    ],
)
async def test_each_of_several_distances_is_answered(asked: str, distances: list[str]) -> None:
    chat, _ = asking()
    await chat(asked)
    goals = [arguments["goal"] for name, arguments in chat.calls if name == "run_analysis"]
    assert len(goals) == len(distances)
    assert all(far in goal for far, goal in zip(distances, goals, strict=True))


async def test_distances_of_several_things_are_no_list() -> None:
    chat, _ = asking()
    await chat("cities within 10 km and airports within 20 km of Lima")
    assert "add_map_layer" not in [name for name, _ in chat.calls]


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        (
            "countries with more than 1 city and fewer than 20 airports",
            both(where("number_of_cities", ">", 1), where("number_of_airports", "<", 20)),
        ),
        (
            "which countries have at least 2 cities but no airports?",
            both(where("number_of_cities", ">=", 2), where("number_of_airports", "=", 0)),
        ),
    ],
)
async def test_rows_with_numbers_of_two_kinds_of_others(asked: str, kept: object) -> None:
    chat, desk = asking()
    await chat(asked)
    assert [name for name, _ in chat.calls] == ["run_analysis"]
    assert desk.analysis.steps[-1][1]["filter"] == kept


async def test_the_ratio_of_two_counts_in_areas() -> None:
    chat, desk = asking()
    await chat("what is the ratio of cities to airports per country")
    assert desk.analysis.steps[-1][1]["expression"] == '"number_of_cities" / "number_of_airports"'


@pytest.mark.parametrize(
    "asked", ["ratio of population to area per continent", "ratio of the population to area by continent"]
)
async def test_the_ratio_of_two_columns_of_groups(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    assert desk.analysis.steps[-1][1]["expression"] == "sum_population * 1 / sum_area_km2"
