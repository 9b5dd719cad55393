"""Changes of columns and repairs in words: which steps they become."""

# ruff: noqa: E501  one request a line

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

AIRPORTS, CITIES, COUNTRIES = "data.airports", "data.cities", "data.countries"


def change(source: str, function: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return "columns", {"source": source, "changes": [{"function": function, **arguments}]}


SAID: list[tuple[str, tuple[str, dict[str, Any]]]] = [
    ("make the column name of cities a date with format DD/MM/YYYY", change(CITIES, "cast", column="name", to="date", format="DD/MM/YYYY")),
    ("convert name of cities to a date in the format dd.mm.yyyy", change(CITIES, "cast", column="name", to="date", format="DD.MM.YYYY")),
    ("convert population of cities to integer", change(CITIES, "cast", column="population", to="integer")),
    ("make the column name of cities upper case", change(CITIES, "upper", column="name")),
    ("lowercase name of cities", change(CITIES, "lower", column="name")),
    ("title case the column name of cities", change(CITIES, "title", column="name")),
    ('replace "International" by "Intl" in name of airports', change(AIRPORTS, "replace", column="name", find="International", value="Intl")),
    ("concatenate name and country of cities as label", change(CITIES, "concatenate", columns=["name", "country"], separator=" ", name="label")),
    ("concatenate name and country of cities with a comma as label", change(CITIES, "concatenate", columns=["name", "country"], separator=",", name="label")),
    ("pad the column name of cities to 8 characters with 0", change(CITIES, "pad", column="name", length=8, value="0")),
    ("fill missing values of population of cities with 0", change(CITIES, "fill", column="population", value=0)),
    ('fill missing country of cities with "unknown"', change(CITIES, "fill", column="country", value="unknown")),
    ('add a column source with value "survey" to cities', change(CITIES, "constant", name="source", value="survey")),
    ("rank the cities by population", change(CITIES, "rank", name="rank", columns=["population"], descending=True)),
    ("rank the cities by population in ascending order", change(CITIES, "rank", name="rank", columns=["population"], descending=False)),
    ("reorder the columns of cities: population, name", change(CITIES, "order", columns=["population", "name"])),
    ("add row numbers to cities", change(CITIES, "number_rows", name="number")),
    ("shrink countries by 5 km", ("buffer", {"source": COUNTRIES, "distance": "-5 km"})),
    ("make countries valid", ("make_valid", {"source": COUNTRIES})),
    ("clean the coverage of countries", ("clean_coverage", {"source": COUNTRIES})),
    ("remove gaps and overlaps below 10 ha in countries", ("clean_coverage", {"source": COUNTRIES, "below": "10 ha"})),
    ("remove holes below 10 ha from countries", ("tidy", {"source": COUNTRIES, "holes": "10 ha"})),
    ("force ring orientation of countries counterclockwise", ("tidy", {"source": COUNTRIES, "rings": "counterclockwise"})),
    ("remove duplicate geometries of countries", ("deduplicate", {"source": COUNTRIES})),
    ("reproject cities to Lambert-93", ("reproject", {"source": CITIES, "srid": 2154})),
    ("reproject the cities to UTM zone 32N", ("reproject", {"source": CITIES, "srid": 32632})),
    ("reproject cities to UTM 19 south", ("reproject", {"source": CITIES, "srid": 32719})),
    ("fill all holes of countries", ("tidy", {"source": COUNTRIES, "holes": 600_000_000_000_000})),
    ("convert cities to WGS84", ("reproject", {"source": CITIES, "srid": 4326})),
    ("transform the cities to British National Grid", ("reproject", {"source": CITIES, "srid": 27700})),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "step"), SAID, ids=[goal for goal, _step in SAID])
async def test_words_become_changes(goal: str, step: tuple[str, dict[str, Any]]) -> None:
    desk = Desk(World())
    answer = await Chat(World(), analyst=desk)(goal)
    assert desk.analysis.steps == [step], answer


async def test_an_example_of_a_projection_names_a_system() -> None:
    answer = await Chat(World(), analyst=Desk(World()))("reproject the cities to something nice")
    assert "reproject the cities to EPSG:3857" in answer
