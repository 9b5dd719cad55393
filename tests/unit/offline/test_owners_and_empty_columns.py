"""Owners before a noun, empty columns, and what stands on top, of cities and countries."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, no, where
from tests.unit.offline.test_cities_and_capitals import CITIES


@pytest.mark.parametrize(
    ("asked", "limit"),
    [
        ("Germany's two biggest cities", 2),
        ("what are Germany's two biggest cities?", 2),
        ("germanys two biggest cities", 2),
        ("what is Germany's biggest city?", 1),
        ("Germany's 2 biggest cities", 2),
    ],
)
async def test_the_owner_before_a_ranking_is_a_condition(asked: str, limit: int) -> None:
    chat = Chat(World(CITIES, COUNTRIES))
    answer = await chat(asked)
    (call,) = [arguments for name, arguments in chat.calls if name == "query_features"]
    assert (call["limit"], call["sort"], call["descending"]) == (limit, "population", True), answer
    assert where("country", "=", "Germany") in call["filters"]["args"]


AIRFIELDS = make_table(
    "data.airfields", "POINT", "Airfields",
    [("id", "integer", ""), ("name", "text", ""), ("city", "text", ""), ("country", "text", ""),
     ("elevation_m", "number", "")],
    [(1, "Grissom", "Peru", "United States", 247.0, (-86.1, 40.6)),
     (2, "Chinchero", "Cusco", "Peru", 3728.0, (-72.0, -13.4))],
)  # fmt: skip


@pytest.mark.parametrize("asked", ["show Peru's airfields", "Peru's airfields", "map Peru's airfields"])
async def test_a_country_owns_what_lies_in_it(asked: str) -> None:
    """Not what lies in a city of its name."""
    chat = Chat(World(AIRFIELDS, COUNTRIES))
    answer = await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [where("country", "=", "Peru")], answer


@pytest.mark.parametrize(
    "asked",
    [
        "countries with an empty capital",
        "which rows in countries have an empty capital?",
        "the records of countries that have a blank capital",
        "countries without a single capital",
    ],
)
async def test_an_empty_column_is_one_that_rows_have_empty(asked: str) -> None:
    chat = Chat(World(COUNTRIES))
    answer = await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [empty("capital")], answer


@pytest.mark.parametrize("asked", ["population of Germany vs Peru", "population of Germany versus Peru"])
async def test_places_set_against_each_other_are_rows_where_another_table_names_them_too(asked: str) -> None:
    """Not the total population of the cities by their `country`."""
    answer = await Chat(World(CITIES, COUNTRIES), analyst=Desk(World(CITIES, COUNTRIES)))(asked)
    assert "Germany has the greater `population`, 82,927,922" in answer


async def test_what_is_not_said_in_short_is_denied() -> None:
    chat = Chat(World(CITIES, COUNTRIES))
    await chat("cities whose timezone isn't Europe/Berlin and population over 5 million")
    wanted = both(no(where("timezone", "=", "Europe/Berlin")), where("population", ">", 5_000_000))
    assert [arguments["filters"] for _, arguments in chat.calls] == [wanted]


async def test_a_capital_that_is_not_known_is_empty() -> None:
    chat = Chat(World(COUNTRIES))
    await chat("countries where the capital isn't known")
    await chat("only those where the continent isn't empty")
    assert chat.calls[-1][1]["filters"] == both(empty("capital"), no(empty("continent")))


@pytest.mark.parametrize(
    ("words", "descending"), [("biggest on top", True), ("smallest on top", False), ("biggest first", True)]
)
async def test_a_table_begins_with_what_is_on_top(words: str, descending: bool) -> None:
    chat = Chat(World(COUNTRIES))
    answer = await chat(f"A table of the European countries with capital and area, {words}")
    ((name, call),) = chat.calls
    assert (name, call["sort"], call["descending"]) == ("query_features", "area_km2", descending), answer
    assert call["columns"][:3] == ["name", "area_km2", "capital"]


@pytest.mark.parametrize("asked", ["show me just Peru's cities", "give me just the cities in Peru"])
async def test_just_these_rows_are_shown(asked: str) -> None:
    chat = Chat(World(CITIES, COUNTRIES))
    answer = await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [where("country", "=", "Peru")], answer


@pytest.mark.parametrize("word", ["what", "who"])
async def test_a_question_word_owns_nothing(word: str) -> None:
    """`no row of reserves has the value “what”`."""
    reserves = make_table(
        "data.reserves", "POLYGON", "Nature reserves",
        [("id", "integer", ""), ("name", "text", ""), ("declared", "date", "")],
        [(1, "Heath", "1950-01-01", (1.0, 1.0))],
    )  # fmt: skip
    assert f"“{word}”" not in await Chat(World(reserves))(f"{word}'s the oldest nature reserve?")
