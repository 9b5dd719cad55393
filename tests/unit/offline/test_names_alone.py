"""A name as the whole request, namesakes told apart, and short requests about what was zoomed to or answered."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain import FoundPlaces, Place
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where
from tests.unit.offline.test_cities_and_capitals import CITIES


def place(name: str, country: str, population: float, east: float) -> Place:
    return Place(
        name=name, table="data.cities", kind="city", detail=country, population=population,
        bounds=(east, 9.0, east, 9.0), longitude=east, latitude=9.0,
    )  # fmt: skip


SAN_JOSES = (
    place("San Jose", "United States", 997368, -122.0),
    place("San José", "Costa Rica", 335007, -84.0),
    place("San José", "Costa Rica", 31430, -83.0),
)


@pytest.fixture
def chat() -> Chat:
    world = World(CITIES, COUNTRIES, AIRPORTS)
    known = world.data.find_place

    async def find_place(text: str, limit: int = 5) -> FoundPlaces:
        name, _, hint = text.partition(",")
        if name.lower() != "san jose":
            return await known(text, limit)
        return FoundPlaces(
            places=tuple(each for each in SAN_JOSES if hint.strip() in each.detail.lower()) or SAN_JOSES
        )

    world.data.find_place = find_place  # type: ignore[method-assign]
    return Chat(world, analyst=Desk(world))


@pytest.mark.parametrize(
    "text", ["Lima", "lima", "Lima?", "Germany", "Europe", "San Jose", "the Netherlands"]
)
async def test_a_place_as_the_whole_request_is_zoomed_to(chat: Chat, text: str) -> None:
    answer = await chat(text)
    name = text.rstrip("?").removeprefix("the ")
    assert chat.calls == [("zoom_to", {"place": name})]
    assert f"Zoomed to **{name.title()}**" in answer


@pytest.mark.parametrize("text", ["Lima, Atlantis", "Nowhere", "Lima Berlin", "cities"])
async def test_other_words_alone_are_no_place(chat: Chat, text: str) -> None:
    await chat(text)
    assert "zoom_to" not in [name for name, _ in chat.calls]


async def test_a_place_alone_after_a_question_asks_it_again(chat: Chat) -> None:
    await chat("how many airports are there in Germany?")
    await chat("Peru")
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("count_features", where("country", "=", "Peru"))


async def test_namesakes_of_one_country_are_told_apart_by_their_population(chat: Chat) -> None:
    answer = await chat("zoom to san jose")
    assert "Zoomed to **San Jose** (city, United States)." in answer
    assert "(city, Costa Rica, population 335,007)" in answer
    assert "(city, Costa Rica, population 31,430)" in answer
    await chat("the one in costa rica")
    assert chat.calls == [("zoom_to", {"place": "san jose, costa rica"})]


@pytest.mark.parametrize(
    ("asked", "columns"),
    [
        ("highest airport", {"country"}),
        ("list the 3 highest airports", {"country"}),
        ("list cities called Lima", {"country", "population"}),
        ("smallest countries", {"continent"}),
    ],
)
async def test_lists_say_in_which_country_a_name_is(chat: Chat, asked: str, columns: set[str]) -> None:
    await chat(asked)
    assert columns <= {*chat.calls[0][1]["columns"]}


@pytest.mark.parametrize(
    ("asked", "descending"),
    [
        ("list the German cities sorted by population", True),
        ("list the German cities ordered by population ascending", False),
        ("list the German cities sorted by name", False),
        ("cities in Germany, sorted by population, as a table", True),
    ],
)
async def test_the_greatest_amounts_come_first_in_a_sorted_list(
    chat: Chat, asked: str, descending: bool
) -> None:
    await chat(asked)
    query = chat.calls[0][1]
    assert (query["descending"], query["limit"] >= 10) == (descending, True)


@pytest.mark.parametrize(
    ("messages", "goal"),
    [
        (["Lima", "airports within 50 km of it"], "airports within 50 km of Lima"),
        (["where is Lima?", "airports within 50 km of it"], "airports within 50 km of Lima"),
        (["which country has the most airports?", "top 3"], "top 3 country by number of airports"),
        (
            ["which country has the most airports?", "top 3 as bar chart"],
            "top 3 country by number of airports",
        ),
    ],
)
async def test_what_was_zoomed_to_or_ranked_is_asked_about(
    chat: Chat, messages: list[str], goal: str
) -> None:
    for message in messages:
        await chat(message)
    assert chat.calls[0] == ("run_analysis", {"goal": goal})


async def test_people_living_there_are_those_of_the_place_zoomed_to(chat: Chat) -> None:
    await chat("Lima")
    assert "`population` 7,737,002" in await chat("how many people live there?")


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("which cities are in Peru", where("country", "=", "Peru")),
        ("largest city in Germany", "Berlin"),
    ],
)
async def test_the_answer_is_shown_on_the_map(chat: Chat, asked: str, shown: Any) -> None:
    await chat(asked)
    await chat("show on map")
    filters = chat.layers["cities"].filter
    assert filters == shown or where("name", "=", shown) in filters["args"]


async def test_rows_inside_of_what_was_drawn_are_counted(chat: Chat) -> None:
    await chat("show the country Peru")
    await chat("how many cities inside")
    ((name, arguments),) = chat.calls
    assert (name, arguments["goal"]) == ("run_analysis", "how many cities are in the layer `countries`")


@pytest.mark.parametrize("asked", ["cities near Lima", "show me the cities near Lima"])
@pytest.mark.parametrize("far", ["30 km", "within 30 km"])
async def test_another_distance_answers_which_of_those_near_are_meant(
    chat: Chat, asked: str, far: str
) -> None:
    assert "Which do you mean?" in await chat(asked)
    await chat(far)
    assert chat.calls[0] == ("run_analysis", {"goal": asked.replace("near", "within 30 km of")})


@pytest.mark.parametrize(
    ("asked", "filters"),
    [
        ("how many airports does the us have", [where("country", "=", "United States")]),
        ("how many us airports are there", [where("country", "=", "United States")]),
        (
            "how many more airports does the us have than Peru",
            [where("country", "=", "United States"), where("country", "=", "Peru")],
        ),
        ("are there more airports than cities in Peru?", [where("country", "=", "Peru")] * 2),
        (
            "are there more airports in Germany than cities in Peru?",
            [where("country", "=", "Germany"), where("country", "=", "Peru")],
        ),
    ],
)
async def test_a_place_is_read_for_all_rows_that_it_is_said_of(
    chat: Chat, asked: str, filters: list[dict[str, Any]]
) -> None:
    await chat(asked)
    assert [arguments.get("filters") for _, arguments in chat.calls] == filters


@pytest.mark.parametrize(
    "messages", [["how many airports does Peru have?", "and the us?"], ["us airports", "how many are there?"]]
)
async def test_the_us_is_the_country(chat: Chat, messages: list[str]) -> None:
    for message in messages:
        await chat(message)
    assert chat.calls[-1][1]["filters"] == where("country", "=", "United States")


async def test_more_than_two_rows_are_compared(chat: Chat) -> None:
    answer = await chat("population of Germany vs France vs Peru")
    assert "Germany has the greatest `population`" in answer
    assert len(chat.calls[0][1]["filters"]["args"]) >= 2


@pytest.mark.parametrize(
    "asked", ["largest country on each continent", "largest country by area on each continent"]
)
async def test_the_first_on_each_is_that_of_each_group(chat: Chat, asked: str) -> None:
    await chat(asked)
    assert isinstance(chat.agent.analyst, Desk)
    ((name, arguments),) = chat.agent.analyst.analysis.steps
    assert (name, arguments["by"], arguments["per"]) == ("top", "area_km2", ["continent"])


async def test_a_code_in_capitals_behind_its_noun_names_the_row(chat: Chat) -> None:
    known = chat.world.data.rows["data.airports"][0]
    await chat(
        f"show the airport {known['icao']}" if known.get("icao") else f"show the airport {known['iata']}"
    )
    assert [layer.count for layer in chat.layers.values()] == [1]


@pytest.mark.parametrize("asked", ["hide the base map", "remove the base map", "turn the basemap off"])
async def test_the_base_map_is_told_to_be_chosen_by_hand(chat: Chat, asked: str) -> None:
    assert "the base map is chosen by hand" in await chat(asked)


@pytest.mark.parametrize(
    "asked", ["total population and area by continent", "total population and area of countries by continent"]
)
async def test_a_figure_is_of_all_columns_behind_it(chat: Chat, asked: str) -> None:
    await chat(asked)
    assert isinstance(chat.agent.analyst, Desk)
    ((name, arguments),) = chat.agent.analyst.analysis.steps
    figures = [(each["function"], each.get("column")) for each in arguments["aggregates"][:2]]
    assert (name, arguments["by"]) == ("dissolve", ["continent"])
    assert figures == [("sum", "population"), ("sum", "area_km2")]


async def test_a_word_of_many_names_is_no_part_of_one() -> None:
    coasts = make_table(
        "data.harbours", "POINT", "Harbours", [("id", "integer", ""), ("name", "text", ""), ("country", "text", "")],
        [(1, "Abidjan", "Ivory Coast", (-4.0, 5.3)), (2, "Callao", "Peru", (-77.1, -12.1))],
    )  # fmt: skip
    chat = Chat(World(coasts))
    assert "“the coast”" in await chat("harbours on the coast")
    assert not chat.layers


async def test_a_word_of_other_names_is_no_part_of_a_value() -> None:
    harbours = make_table(
        "data.harbours", "POINT", "Harbours", [("id", "integer", ""), ("name", "text", ""), ("town", "text", "")],
        [(1, "Container Harbour", "International Falls", (1.0, 1.0)),
         (2, "First International Harbour", "Ulm", (2.0, 2.0)),
         (3, "Old International Harbour", "Ulm", (2.0, 2.0))],
    )  # fmt: skip
    chat = Chat(World(harbours))
    await chat("how many international harbours are there")
    assert where("town", "=", "International Falls") not in [each.get("filters") for _, each in chat.calls]


async def test_rows_that_are_not_named_are_not_those_of_a_table_that_the_map_does_not_show(
    chat: Chat,
) -> None:
    await chat("show airports above 3000 m")
    await chat("Germany in red")
    assert {layer.table for layer in chat.layers.values()} == {"data.airports"}


async def test_people_living_there_are_not_those_of_the_country_whose_capital_was_told(chat: Chat) -> None:
    await chat("what is the capital of Peru")
    assert "31,989,256" not in await chat("how many people live there")


@pytest.mark.parametrize("asked", ["where is europe", "show me Europe", "map of Europe"])
async def test_a_continent_is_zoomed_to(chat: Chat, asked: str) -> None:
    await chat(asked)
    assert [(name, arguments["place"].lower()) for name, arguments in chat.calls] == [("zoom_to", "europe")]


async def test_a_name_of_other_rows_is_not_offered_instead_of_itself() -> None:
    answer = await Chat()("number of airlines of Berlin")
    assert "no row of airlines has the value “Berlin”" in answer
    assert "Did you mean" not in answer


async def test_a_name_of_a_country_and_of_a_town_means_the_country() -> None:
    table, rows = AIRPORTS
    town = {**rows[11], "id": 99, "name": "Illinois Valley", "city": "Peru"}
    chat = Chat(World((table, [town, *rows])))
    await chat("show airports in Peru")
    assert chat.layers["airports"].filter == where("country", "=", "Peru")


@pytest.mark.parametrize("looked_up", ["where is San Jose?", "San Jose"])
async def test_several_places_that_were_looked_up_are_spoken_of(chat: Chat, looked_up: str) -> None:
    await chat(looked_up)
    await chat("the biggest one")
    ((name, query),) = chat.calls
    kept = {"op": "in", "args": [{"property": "name"}, ["San Jose", "San José"]]}
    assert (name, query["filters"]["args"][0], query["sort"]) == ("query_features", kept, "population")


@pytest.mark.parametrize("asked", ["the highest one", "and the highest?", "which one is the highest?"])
async def test_the_first_of_rows_that_were_counted(chat: Chat, asked: str) -> None:
    await chat("how many airports are there in Germany?")
    await chat(asked)
    ((name, query),) = chat.calls
    assert (name, query["sort"], query["descending"]) == ("query_features", "elevation_m", True)


async def test_it_is_unclear_after_a_choice_that_was_declined(chat: Chat) -> None:
    await chat("show cities in Germany")
    await chat("i mean the foobar one")
    assert "it is not clear which rows you mean" in await chat("airports within 30 miles of it")


@pytest.mark.parametrize(
    "asked", ["i mean the peruvian one", "I mean the one in Peru", "what about the one in Peru"]
)
async def test_one_of_several_rows_drawn_is_chosen(chat: Chat, asked: str) -> None:
    await chat("show cities above 1 million people")
    await chat(asked)
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]["args"][1]) == ("update_map_layer", where("country", "=", "Peru"))


@pytest.mark.parametrize(
    "asked", ["does Peru have a city?", "does Peru have any cities above 1 million people?"]
)
async def test_what_a_place_has_is_counted(chat: Chat, asked: str) -> None:
    await chat(asked)
    ((name, arguments),) = chat.calls
    assert (name, "Peru" in str(arguments["filters"])) == ("count_features", True)


@pytest.mark.parametrize("text", ["all the Limas", "where are all the Limas?", "show the Limas"])
async def test_the_plural_of_a_name_is_all_rows_of_that_name(chat: Chat, text: str) -> None:
    answer = await chat(text)
    assert [arguments["filters"] for _, arguments in chat.calls] == [where("name", "=", "Lima")], answer


@pytest.mark.parametrize(
    ("text", "table", "filters"),
    [
        ("is_capital = true", "data.cities", where("is_capital", "=", True)),
        ("timezone = 'America/Lima'", "data.cities", where("timezone", "=", "America/Lima")),
        ("elevation_m > 400", "data.airports", where("elevation_m", ">", 400)),
        ("iso_a2 is PE", "data.countries", where("iso_a2", "=", "PE")),
    ],
)
async def test_a_condition_alone_is_of_the_only_table_with_its_column(
    chat: Chat, text: str, table: str, filters: dict[str, Any]
) -> None:
    answer = await chat(text)
    assert [(call["table"], call["filters"]) for _, call in chat.calls] == [(table, filters)], answer


async def test_of_several_tables_with_the_column_of_a_condition_one_is_asked_for(chat: Chat) -> None:
    assert "Which table do you mean: data.cities or data.countries?" in await chat("population > 5000000")
