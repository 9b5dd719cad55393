"""Rows that name the area that they belong to, in a column that is called as the areas are: `country` of airports."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.tables import CITIES, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

TABLE, ROWS = CITIES
ABROAD = {**ROWS[0], "id": 99, "name": "Saint-Denis", "country": "Reunion"}
NAMED = {"key": "country", "other_key": "name"}


async def _operations(sentence: str, world: World | None = None) -> list[str]:
    desk = Desk(world or World())
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert desk.analysis.steps, answer
    return [name for name, _ in desk.analysis.steps]


@pytest.mark.parametrize(
    "sentence",
    [
        "cities in countries with more than 50 million people",
        "cities within countries bigger than 500,000 km2",
    ],
)
async def test_rows_in_areas_are_those_that_name_them(sentence: str) -> None:
    assert await _operations(sentence) == ["filter", "select_by_attribute"]


@pytest.mark.parametrize(
    ("sentence", "operations"),
    [
        ("cities outside all countries", ["select_by_location"]),
        ("cities that lie in countries with more than 50 million people", ["filter", "select_by_location"]),
        ("cities inside countries with more than 50 million people", ["filter", "select_by_location"]),
        ("which country has the most airports within 100 km?", ["spatial_join", "top"]),
    ],
)
async def test_words_for_a_position_ask_where_rows_are(sentence: str, operations: list[str]) -> None:
    assert await _operations(sentence) == operations


async def test_rows_whose_area_is_unknown_are_counted_in_the_answer() -> None:
    others = [{**row, "id": 100 + row["id"]} for row in ROWS]
    desk = Desk(World((TABLE, [*ROWS, *others, ABROAD]), COUNTRIES))
    answer = await Chat(desk.world, analyst=desk)("number of cities in each country")
    assert desk.analysis.steps[-1][1]["other_key"] == "country"
    assert "Grouped by the column `country`; 1 row without a match left out." in answer


async def test_a_figure_in_each_area_is_that_of_the_rows_that_name_it() -> None:
    desk = Desk(World())
    answer = await Chat(desk.world, analyst=desk)("total population of cities in each country")
    ((operation, given),) = desk.analysis.steps
    assert (operation, given["by"]) == ("dissolve", ["country"]), answer
    assert "Grouped by the column `country`." in answer


async def test_names_that_the_areas_do_not_have_relate_nothing() -> None:
    coded = [{**row, "country": row["country"][:2].upper()} for row in ROWS]
    operations = await _operations("number of cities in each country", World((TABLE, coded), COUNTRIES))
    assert operations == ["spatial_join"]


async def test_rows_that_mostly_do_not_name_their_area_are_related_by_place() -> None:
    few = [{**row, "country": row["country"] if row["id"] < 10 else None} for row in ROWS]
    operations = await _operations("number of cities in each country", World((TABLE, few), COUNTRIES))
    assert operations == ["spatial_join"]


async def test_two_kinds_of_rows_are_counted_by_the_areas_that_they_name() -> None:
    operations = await _operations("countries with more cities than airports")
    assert operations == ["summarise", "join_by_attribute", "summarise", "join_by_attribute", "filter"]
