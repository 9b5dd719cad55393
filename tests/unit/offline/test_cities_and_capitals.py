"""Questions about cities with a flag for capitals: several facts of one row, and places among the rows near them."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

CITIES = make_table(
    "data.cities", "POINT", "Cities of the world",
    [("id", "integer", ""), ("name", "text", ""), ("country", "text", ""), ("continent", "text", ""),
     ("population", "integer", ""), ("is_capital", "boolean", ""), ("timezone", "text", "")],
    [(1, "Berlin", "Germany", "Europe", 3426354, True, "Europe/Berlin", (13.41, 52.52)),
     (2, "Hamburg", "Germany", "Europe", 1845229, False, "Europe/Berlin", (10.0, 53.55)),
     (3, "Ulm", "Germany", "Europe", 120451, False, "Europe/Berlin", (9.99, 48.4)),
     (4, "Lima", "Peru", "South America", 7737002, True, "America/Lima", (-77.03, -12.04)),
     (5, "Callao", "Peru", "South America", 813264, False, "America/Lima", (-77.13, -12.06))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "facts"),
    [
        ("whats the capital of Peru and how many people live in it", ("Lima", "`population` 7,737,002")),
        ("what is the capital of Germany and what is its population?", ("Berlin", "`population` 3,426,354")),
        ("capital of Peru and its time zone", ("Lima", "`timezone` America/Lima")),
        ("largest city of Germany and its timezone", ("Berlin", "`timezone` Europe/Berlin")),
        ("name the smallest city of Peru and its population", ("Callao", "`population` 813,264")),
    ],
)
async def test_each_fact_asked_of_a_row_is_answered(asked: str, facts: tuple[str, ...]) -> None:
    answer = await Chat(World(CITIES, COUNTRIES))(asked)
    assert all(each in answer for each in facts)


async def test_a_fact_of_the_place_itself_is_not_taken_for_one_of_its_capital() -> None:
    answer = await Chat(World(CITIES, COUNTRIES))("what is the area of Germany and what is its population?")
    assert "**Germany**: `area_km2` 357,021 km², `population` 82,927,922" in answer


@pytest.mark.parametrize(
    ("asked", "itself"),
    [
        ("which cities are within 50 km of Lima?", "This includes Lima itself."),
        ("capitals within 300 km of Hamburg", ""),
        ("airports within 50 km of Berlin", ""),
        ("the 2 cities nearest to Lima", ""),
    ],
)
async def test_a_place_among_the_rows_near_it_is_told(asked: str, itself: str) -> None:
    world = World(CITIES, COUNTRIES, AIRPORTS)
    answer = await Chat(world, analyst=Desk(world))(asked)
    assert "Interpreted as " in answer
    assert ("This includes" in answer) == bool(itself)
    assert itself in answer
