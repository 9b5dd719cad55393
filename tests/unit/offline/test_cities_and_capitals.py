"""Questions about cities with a flag for capitals: several facts of one row, and places among the rows near them."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain import FoundPlaces, Place
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.offers.parts_named import parts_named
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, empty, where

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

STATIONS = make_table(
    "data.stations", "POINT", "Stations",
    [("id", "integer", ""), ("name", "text", ""), ("country", "text", ""), ("timezone", "text", "")],
    [(1, "Hauptbahnhof", "Germany", "Europe/Berlin", (13.4, 52.5))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "facts"),
    [
        ("whats the capital of Peru and how many people live in it", ("Lima", "`population` 7,737,002")),
        ("what is the capital of Germany and what is its population?", ("Berlin", "`population` 3,426,354")),
        ("capital of Peru and its time zone", ("Lima", "`timezone` America/Lima")),
        ("largest city of Germany and its timezone", ("Berlin", "`timezone` Europe/Berlin")),
        ("what is the population of the capital of Peru", ("Lima", "`population` 7,737,002")),
        ("time zone of the capital of Germany", ("Berlin", "`timezone` Europe/Berlin")),
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


@pytest.mark.parametrize(
    "asked",
    [
        "distance Berlin - Lima",
        "distance Berlin to Lima",
        "what's the distance Berlin – Lima in miles?",
        "Berlin to Lima distance",
    ],
)
async def test_a_distance_said_in_short(asked: str) -> None:
    world = World(CITIES, COUNTRIES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(asked)
    assert "Interpreted as Berlin, Germany; Lima, Peru." in answer
    assert [name for name, _ in desk.analysis.steps] == ["filter", "filter", "distance_matrix"]


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("what's the biggest city in each european country?", where("continent", "=", "Europe")),
        ("smallest city of every South American country", where("continent", "=", "South America")),
    ],
)
async def test_the_groups_may_be_those_within_a_continent(asked: str, rows: dict[str, Any]) -> None:
    world = World(CITIES, COUNTRIES)
    desk = Desk(world)
    await Chat(world, analyst=desk)(asked)
    (_, kept), (operation, top) = desk.analysis.steps
    assert kept["filter"] == rows
    assert (operation, top["by"], top["per"]) == ("top", "population", ["country"])


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("how many time zones does Germany have", where("country", "=", "Germany")),
        ("how many time zones are there in Peru?", where("country", "=", "Peru")),
        ("how many time zones are used in Europe", where("continent", "=", "Europe")),
    ],
)
async def test_the_values_of_a_column_are_counted_in_a_place(asked: str, kept: dict[str, Any]) -> None:
    chat = Chat(World(CITIES, COUNTRIES))
    assert "has 1 different value" in await chat(asked)
    assert chat.calls == [("column_stats", {"table": "data.cities", "column": "timezone", "filters": kept})]


async def test_of_several_tables_with_such_a_column_one_is_asked_for() -> None:
    chat = Chat(World(CITIES, STATIONS))
    answer = await chat("how many time zones does Germany have")
    assert answer.startswith("Which table do you mean: data.stations or data.cities?")


@pytest.mark.parametrize(
    "asked", ["satellite background please", "show satellite imagery", "which base maps are there?"]
)
async def test_the_base_map_is_said_to_be_chosen_by_hand(asked: str) -> None:
    assert "the base map is chosen by hand" in await Chat(World(CITIES, COUNTRIES))(asked)


async def test_a_table_of_satellites_is_no_base_map() -> None:
    satellites = make_table(
        "data.satellites", "POINT", "Satellites in orbit",
        [("id", "integer", ""), ("name", "text", "")], [(1, "Terra", (1.0, 1.0))],
    )  # fmt: skip
    chat = Chat(World(satellites))
    await chat("show the satellites")
    assert [name for name, _ in chat.calls] == ["add_map_layer"]


@pytest.mark.parametrize(
    ("asked", "fact"),
    [
        ("what is Germany's population", "**Germany**: `population` 82,927,922"),
        ("what's Peru's area and capital?", "**Peru**: `area_km2` 1,285,220 km², `capital` Lima"),
        ("what are the area and population of France", "`area_km2` 547,030 km², `population` 66,987,244"),
        ("what is the area of France and its capital", "`area_km2` 547,030 km², `capital` Paris"),
        ("what is the area of France and how many people live there", "`population` 66,987,244"),
        ("population and area of Germany and France", "| Germany | 82,927,922 | 357,021 |"),
        ("the capital and population of Peru, Germany and France", "| Peru | Lima | 31,989,256 |"),
        ("population and area of Europe", "`area_km2` of countries where continent is Europe is"),
        ("population and capital of Europe", "I cannot do that"),
        ("population and timezone of Peru's cities", "| Callao | 813,264 | America/Lima |"),
        ("name and population of cities in Peru", "| Callao | 813,264 |"),
    ],
)
async def test_facts_of_a_named_row(asked: str, fact: str) -> None:
    assert fact in await Chat(World(CITIES, COUNTRIES))(asked)


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        ("germanys population", "Read “germanys” as “germany's”."),
        (
            "what share of indias population lives in cities over 1 million?",
            "Read “indias” as “india's”.",
        ),
    ],
)
async def test_an_owner_may_lack_its_apostrophe(asked: str, right: str) -> None:
    answer = await Chat()(asked)
    assert answer.endswith(right)
    assert "population" in answer


@pytest.mark.parametrize(
    "asked",
    [
        "what share of the people of Germany live in cities over 2 million?",
        "share of people in Germany living in cities over 2 million",
    ],
)
async def test_a_share_of_people_living_in_some_cities(asked: str) -> None:
    chat = Chat(World(CITIES, COUNTRIES))
    assert (await chat(asked)).startswith("4.13 % of the total `population` of countries")


@pytest.mark.parametrize(
    ("asked", "filters"),
    [
        ("airports in peru and bolivia", where("country", "in", ["Peru", "Bolivia"])),
        (
            "how many airports are there in france, peru and bolivia",
            where("country", "in", ["France", "Peru", "Bolivia"]),
        ),
    ],
)
async def test_places_in_small_letters_are_alternatives_as_others_are(
    asked: str, filters: dict[str, Any]
) -> None:
    chat = Chat()
    await chat(asked)
    assert chat.calls[0][1]["filters"] == filters


TOWNS = make_table(
    "data.towns", "POINT", "Towns",
    [("id", "integer", ""), ("name", "text", ""), ("country", "text", ""), ("population", "integer", "")],
    [(1, "San Jose", "United States", 997368, (-121.9, 37.3)), (2, "San José", "Costa Rica", 335007, (-84.1, 9.9)),
     (3, "Perth", "Australia", 2039000, (115.9, -31.9)), (4, "Perth", "United Kingdom", 47180, (-3.4, 56.4)),
     (5, "Lima", "Peru", 7737002, (-77.0, -12.0))],
)  # fmt: skip


async def test_all_places_of_a_name_are_found_whatever_their_accents() -> None:
    chat = Chat(World(TOWNS, COUNTRIES))
    await chat("where are all the places called San Jose")
    ((name, arguments),) = chat.calls
    assert (name, arguments["table"]) == ("add_map_layer", "data.towns")
    assert arguments["filters"] == where("name", "in", ["San Jose", "San José"])
    assert "no place is called “Xyz”" in await chat("where are all the places called Xyz?")


@pytest.mark.parametrize(
    ("where_it_is", "said"),
    [
        ("united kingdom", "Interpreted as Perth, United Kingdom."),
        ("uk", "Interpreted as Perth, United Kingdom."),
        (
            "us",
            "no place called “Perth” is known to be in US. There are Perth, Australia; Perth, United Kingdom.",
        ),
    ],
)
async def test_another_place_of_the_name_is_meant_by_where_it_is(where_it_is: str, said: str) -> None:
    world = World(TOWNS)
    perths = [
        Place(
            name=row["name"],
            table="data.towns",
            kind="town",
            bounds=(*row["geom"], *row["geom"]),
            longitude=row["geom"][0],
            latitude=row["geom"][1],
            detail=row["country"],
            population=row["population"],
        )
        for row in TOWNS[1][2:4]
    ]

    async def find_place(text: str, limit: int = 5) -> FoundPlaces:
        name, _, hint = text.partition(", ")
        found = perths if name == "Perth" else []
        return FoundPlaces(
            places=tuple(each for each in found if hint.lower() == each.detail.lower()) or tuple(found)
        )

    world.data.find_place = find_place  # type: ignore[method-assign]
    chat = Chat(world, analyst=Desk(world))
    assert "Interpreted as Perth, Australia." in await chat("towns within 30 miles of Perth")
    assert said in await chat(f"no, the one in the {where_it_is}")


async def test_areas_are_coloured_by_a_count_of_the_same_request() -> None:
    world = World(CITIES, COUNTRIES)
    desk = Desk(world)
    await Chat(world, analyst=desk)(
        "count the cities over 1 million within each country of Europe and color the countries by it"
    )
    assert [name for name, _ in desk.analysis.steps] == ["filter", "filter", "summarise", "join_by_attribute"]
    assert desk.analysis.titles[-1] == "Number of cities over 1 million in each country of Europe"


@pytest.mark.parametrize(
    "asked",
    [
        "different colour for each country",
        "diffrent colors per country",
        "every country in a different color",
        "give each country a different colour",
    ],
)
async def test_each_value_gets_a_colour_of_its_own(asked: str) -> None:
    chat = Chat(World(TOWNS))
    await chat("show the towns")
    await chat(asked)
    ((_, arguments),) = chat.calls
    assert arguments["style"] == {"kind": "categorical", "column": "country"}


@pytest.mark.parametrize(
    "asked",
    [
        "color the cities by continent and size them by population",
        "colour the cities by continent and size by population",
        "show cities coloured by continent and size them by population",
    ],
)
async def test_colours_and_sizes_of_one_layer_do_not_replace_each_other(asked: str) -> None:
    chat = Chat(World(CITIES))
    assert "one column at a time, by size or by colour" in await chat(asked)
    assert not {name for name, _ in chat.calls} & {"add_map_layer", "update_map_layer", "run_analysis"}


@pytest.mark.parametrize(
    "asked",
    [
        "population of peru and germany",
        "which country has more people, peru or germany?",
    ],
)
async def test_names_in_small_letters_are_compared(asked: str) -> None:
    answer = await Chat(World(CITIES, COUNTRIES))(asked)
    assert "Germany has the greater `population`, 82,927,922" in answer


async def test_numbers_may_be_unknown() -> None:
    chat = Chat()
    await chat("show cities with unknown population")
    assert chat.calls[0][1]["filters"] == empty("population")


async def test_a_fact_of_the_row_of_a_code() -> None:
    world = World()
    munich = Place(
        name="Munich Airport", table="data.airports", kind="airport", bounds=(11.79, 48.35, 11.79, 48.35),
        longitude=11.79, latitude=48.35,
    )  # fmt: skip

    async def find_place(text: str, limit: int = 5) -> FoundPlaces:
        return FoundPlaces(places=(munich,) if text == "MUC" else ())

    world.data.find_place = find_place  # type: ignore[method-assign]
    assert "**Munich Airport**: `elevation_m` 453 m" in await Chat(world)("elevation of MUC")


def test_a_code_is_not_offered_for_a_preposition() -> None:
    world = World()
    vocabulary = Vocabulary(world.registry, ())
    vocabulary.know_values([(world.registry.get("data.cities"), "country_code", "IN")])
    assert parts_named("show cities in there", vocabulary, None) == []
    (parts,) = parts_named("show cities of IN", vocabulary, None)
    assert [*parts.values.values()] == [["IN"]]


@pytest.mark.parametrize(
    "asked",
    [
        "share of population living in cities by country",
        "what percentage of people live in cities per country",
        "population in cities as a share of the total population by country",
    ],
)
async def test_people_in_cities_are_a_share_of_all_people_of_the_country(asked: str) -> None:
    world = World(CITIES, COUNTRIES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(asked)
    assert len(desk.analysis.steps) == 4, answer
    (sums, summed), (joins, joined), (_, counted), (divides, divided) = desk.analysis.steps
    assert (sums, summed["source"], summed["by"]) == ("summarise", "data.cities", ["country"])
    assert (joins, joined["source"], joined["columns"]) == (
        "join_by_attribute", "data.countries", ["sum_population"],
    )  # fmt: skip
    assert (counted["columns"], counted["zero"]) == (["count"], True)
    assert (divides, divided["expression"]) == ("calculate", '100 * "sum_population" / "population"')


@pytest.mark.parametrize(
    "asked",
    ["share of population living in cities by continent", "cities of the country with the most airports"],
)
async def test_words_that_are_not_read_are_not_passed_over(asked: str) -> None:
    world = World(CITIES, COUNTRIES, AIRPORTS)
    desk = Desk(world)
    await Chat(world, analyst=desk)(asked)
    assert not desk.analysis.steps


async def test_names_as_labels_are_no_condition_behind_a_ranking() -> None:
    chat = Chat(World(CITIES, COUNTRIES))
    await chat("top 2 cities by population in Peru with names as labels")
    assert chat.calls[-1][1]["style"] == {"label": "name"}


async def test_what_a_place_owns_lies_in_it() -> None:
    stations = make_table(
        "data.stations", "POINT", "Stations",
        [("id", "integer", ""), ("city", "text", ""), ("country", "text", "")],
        [(1, "Peru", "United States", (-86.0, 40.7)), (2, "Lima", "Peru", (-77.0, -12.0)),
         (3, "Cusco", "Peru", (-71.9, -13.5))],
    )  # fmt: skip
    chat = Chat(World(stations))
    await chat("Peru's stations")
    assert chat.calls[0][1]["filters"] == where("country", "=", "Peru")
