"""People per row, people of rows found before, names side by side, and nouns for rows of another name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.offline.chatting import both, where
from tests.unit.offline.test_pairs_and_distances import asking

GERMANY_AND_FRANCE = both(where("id", "=", 1), where("id", "=", 2), op="or")


@pytest.mark.parametrize(
    "asked",
    [
        "people per airport in Germany and France",
        "inhabitants per airport: Germany and France",
        "residents per airport for each country",
    ],
)
async def test_people_per_row_are_those_of_areas(asked: str) -> None:
    """They were those of the cities, grouped by the code of the country, as if that numbered airports."""
    chat, desk = asking()
    await chat(asked)
    *before, (_, counts), (join, joined), (last, rate) = desk.analysis.steps
    assert (counts["by"], join, joined["columns"]) == (["country"], "join_by_attribute", ["count"])
    assert (last, rate["expression"]) == ("calculate", '"population" / count')
    assert [each["filter"] for _, each in before] == ([] if "each" in asked else [GERMANY_AND_FRANCE])


@pytest.mark.parametrize("asked", ["total population per airport", "population of cities per airport"])
async def test_a_key_of_countries_is_none_of_airports(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    assert not any("country_code" in str(each) for _, each in desk.analysis.steps)


@pytest.mark.parametrize(
    ("asked", "operations"),
    [
        ("cities within 600 km of Berlin and how many people live in them altogether", ["summarise"]),
        ("cities within 600 km of Berlin and their total population", ["summarise"]),
        ("merge Germany and France into one shape and tell me how many people live there", []),
    ],
)
async def test_the_people_of_the_rows_before(asked: str, operations: list[str]) -> None:
    chat, desk = asking()
    told = await chat(asked)
    _, (found, of), *rest = desk.analysis.steps
    assert found == ("dissolve" if "merge" in asked else "select_by_location")
    assert [name for name, _ in rest] == operations
    wanted: Any = [{"function": "count"}, {"function": "sum", "column": "population"}]
    assert (rest[0][1] if rest else of)["aggregates"] == wanted
    assert "has the greatest" not in told


async def test_a_ring_has_no_people_of_its_own() -> None:
    chat, desk = asking()
    told = await chat("buffer Berlin by 50 km and tell me how many people live there")
    assert told.startswith("I cannot do that")
    assert desk.analysis.steps == []


@pytest.mark.parametrize(
    "asked",
    [
        "how many people are in the catchment of Ulm Airfield, say 60 km",
        "how many people live in the 60 km catchment area of Ulm Airfield",
        "how many residents of cities within 60 km of Ulm Airfield?",
    ],
)
async def test_the_people_of_a_catchment(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    _, (near, by), (last, total) = desk.analysis.steps
    assert (near, by["source"], by["distance"]) == ("select_by_location", "data.cities", "60 km")
    assert (last, total["aggregates"][-1]["function"]) == ("summarise", "sum")


@pytest.mark.parametrize(
    "asked",
    [
        "put Germany, France and China side by side: area, population",
        "Germany, France and China side by side by area and population",
        "Germany vs France vs China: area and population",
    ],
)
async def test_rows_side_by_side(asked: str) -> None:
    chat, _ = asking()
    told = await chat(asked)
    assert all(name in told for name in ("Germany", "France", "China", "area_km2", "population"))


async def test_towns_are_cities_where_nothing_else_is_called_so() -> None:
    chat, _ = asking()
    told = await chat("how many towns are there in Germany?")
    assert "cities" in told
    assert "Read “towns” as “cities”" in told
