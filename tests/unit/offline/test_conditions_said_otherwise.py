"""Conditions in other words (`min. 5 million people`, `yet have fewer inhabitants`), and groups of a country."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, known, where
from tests.unit.offline.test_cities_and_capitals import CITIES
from tests.unit.offline.test_owners_and_empty_columns import AIRFIELDS

DENSE = known("population_density")


@pytest.mark.parametrize(
    ("asked", "filters"),
    [
        ("countries with min. 5 million people", where("population", ">=", 5_000_000)),
        ("countries with max. 5 million people", where("population", "<=", 5_000_000)),
        ("countries whose population tops 100 million", where("population", ">", 100_000_000)),
        ("countries whose area surpasses 1 million km2", where("area_km2", ">", 1_000_000)),
        ("countries that are larger than France yet have fewer inhabitants",
         both(where("area_km2", ">", 547_030.0), where("population", "<", 66_987_244))),
        ("list every country row where the capital is empty", empty("capital")),
        ("show the country rows without a capital", empty("capital")),
        ("airports sitting above 3000 m", where("elevation_m", ">", 3000)),
        ("the 5 most crowded countries, leave out everything under a million people",
         both(where("population", ">=", 1_000_000), DENSE)),
        ("which 5 countries are the most crowded? leave out everything under a million people",
         both(where("population", ">=", 1_000_000), DENSE)),
        ("which 5 countries are the most crowded? exclude those under a million people",
         both(where("population", ">=", 1_000_000), DENSE)),
    ],
)  # fmt: skip
async def test_conditions_in_other_words(asked: str, filters: dict[str, Any]) -> None:
    chat = Chat(World())
    answer = await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [filters], answer


@pytest.mark.parametrize("asked", ["Peru: how many airfields?", "Peru: how many airfields are there?"])
async def test_a_place_before_a_colon_is_the_widest_of_its_name(asked: str) -> None:
    """Not the city of Peru in Indiana."""
    chat = Chat(World(AIRFIELDS, COUNTRIES))
    answer = await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [where("country", "=", "Peru")], answer


@pytest.mark.parametrize(
    "asked",
    [
        "cities that have no airport with an iata code inside 100 km",
        "cities without an airport with an iata code within 100 km",
        "cities lacking an iata airport within 100 km",
        "cities that lack an airport with an iata code within 100 km",
    ],
)
async def test_what_lies_in_a_distance_may_have_a_condition(asked: str) -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(asked)
    (kept, near) = desk.analysis.steps
    assert kept[1]["filter"] == known("iata"), answer
    assert (near[1]["distance"], near[1]["invert"]) == ("100 km", True)


STATES = make_table(
    "data.fields", "POINT", "Airfields",
    [("id", "integer", ""), ("name", "text", ""), ("region", "text", "State, province or other subdivision"),
     ("country", "text", ""), ("elevation_m", "number", "")],
    [(1, "Dalby", "Queensland", "Australia", 344.0, (151.3, -27.2)),
     (2, "Roma", "Queensland", "Australia", 315.0, (148.8, -26.5)),
     (3, "Marfa", "Texas", "United States", 1481.0, (-104.0, 30.3))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "operation"),
    [
        ("rank the Australian states by fields", "dissolve"),
        ("rank Australian states by number of fields", "dissolve"),
        ("fields per Australian state", "dissolve"),
        ("the highest field in every Australian state", "top"),
        ("the lowest field per Australian state", "top"),
    ],
)
async def test_groups_may_be_those_of_a_country(asked: str, operation: str) -> None:
    world = World(STATES, COUNTRIES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(asked)
    assert operation in [name for name, _ in desk.analysis.steps], answer
    assert where("country", "=", "Australia") in [each.get("filter") for _, each in desk.analysis.steps]


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("rank countries by number of cities, first 3", 3),
        ("number of cities by country, the first two", 2),
        ("rank countries by no. of cities, first 3", 3),
    ],
)
async def test_the_first_of_a_ranking_are_those_at_its_top(asked: str, first: int) -> None:
    world = World(CITIES, COUNTRIES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(asked)
    assert [each["n"] for name, each in desk.analysis.steps if name == "top"] == [first], answer


async def test_the_first_of_a_list_are_those_in_its_order() -> None:
    chat = Chat(World(CITIES, COUNTRIES))
    await chat("cities in Peru sorted by name, first 2")
    ((_, call),) = chat.calls
    assert (call["limit"], call["sort"], call["descending"]) == (2, "name", False)


MILLION = where("population", ">=", 1_000_000)


@pytest.mark.parametrize(
    ("asked", "filters"),
    [
        ("million-plus cities", MILLION),
        ("show million-cities", MILLION),
        ("1 million+ cities", MILLION),
        ("cities of 1 million plus in Germany", both(MILLION, where("country", "=", "Germany"))),
        ("large cities (a million and up) in Germany", both(MILLION, where("country", "=", "Germany"))),
        ("large cities, 1 million or more, in Germany", both(MILLION, where("country", "=", "Germany"))),
        ("airports (above 3000 m) in Bolivia",
         both(where("elevation_m", ">", 3000), where("country", "=", "Bolivia"))),
        ("airports that carry an iata code", known("iata")),
        ("airports in Bolivia, iata only", both(where("country", "=", "Bolivia"), known("iata"))),
        ("airports above 3000 m, only with an iata code", both(where("elevation_m", ">", 3000), known("iata"))),
    ],
)  # fmt: skip
async def test_amounts_and_codes_said_in_short(asked: str, filters: dict[str, Any]) -> None:
    chat = Chat(World())
    answer = await chat(asked)
    assert chat.calls[-1][1]["filters"] == filters, answer


async def test_a_share_of_rows_that_carry_something() -> None:
    assert "85.7 % of the 14 airports" in await Chat(World())("what share of airports carries an iata code?")


async def test_a_large_city_with_a_small_number_is_not_explained_by_it() -> None:
    chat = Chat(World())
    await chat("large cities, 20,000 or fewer")
    assert [name for name, _ in chat.calls] == ["cannot_do"]


@pytest.mark.parametrize(
    "asked",
    [
        "count airports with iata vs without",
        "how many airports have an iata code and how many don't?",
        "number of airports with and without an iata code",
    ],
)
async def test_rows_that_have_it_and_those_that_do_not_are_counted(asked: str) -> None:
    chat = Chat(World())
    answer = await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [known("iata"), empty("iata")], answer


FLOWN = make_table(
    "data.fields", "POINT", "Airfields",
    [("id", "integer", ""), ("name", "text", ""),
     ("served", "text", "Code of three letters; only where airlines fly")],
    [(1, "Dalby", "DBY", (151.3, -27.2)), (2, "Marfa", None, (-104.0, 30.3))],
)  # fmt: skip


@pytest.mark.parametrize("asked", ["airline fields", "show fields where airlines fly"])
async def test_rows_of_a_value_are_called_by_its_comment(asked: str) -> None:
    chat = Chat(World(FLOWN))
    answer = await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [known("served")], answer


@pytest.mark.parametrize(
    "asked",
    [
        "cities within 5 degrees of the equator",
        "cities within five degrees from the equator",
        "cities lying on the equator, give or take 5 degrees",
    ],
)
async def test_what_lies_so_many_degrees_from_a_line(asked: str) -> None:
    chat = Chat(World())
    answer = await chat(asked)
    north, south = chat.calls[0][1]["filters"]["args"]
    names = [each["args"][1]["name"] for each in (north, south)]
    assert [each.rpartition(" of ")[2] for each in names] == ["latitude -5", "latitude 5"], answer


SERVED = make_table(
    "data.fields", "POINT", "Airfields",
    [("id", "integer", ""), ("name", "text", ""), ("town", "text", "City or place served"),
     ("code", "text", "Code of the airfield")],
    [(1, "Dalby West", "Dalby", "DBY", (151.3, -27.2)), (2, "Marfa", "Alpine", "DBY", (-104.0, 30.3))],
)  # fmt: skip


@pytest.mark.parametrize(
    "asked", ["fields serving Dalby", "which fields serve Dalby?", "fields that serve Dalby"]
)
async def test_what_serves_a_place_has_it_in_the_column_of_places_served(asked: str) -> None:
    chat = Chat(World(SERVED))
    answer = await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [where("town", "=", "Dalby")], answer


@pytest.mark.parametrize(
    "asked",
    [
        "are there any codes used by more than one field?",
        "which codes are used more than once?",
        "duplicate codes",
        "codes used twice among fields",
    ],
)
async def test_values_that_several_rows_have(asked: str) -> None:
    world = World(SERVED)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(asked)
    names = [name for name, _ in desk.analysis.steps]
    assert names == ["summarise", "filter"], answer
    assert desk.analysis.steps[-1][1]["filter"] == where("count", ">", 1)
