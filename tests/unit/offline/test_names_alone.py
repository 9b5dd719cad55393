"""A name as the whole request, namesakes told apart, and short requests about what was zoomed to or answered."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain import FoundPlaces, Place
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


@pytest.mark.parametrize("text", ["Lima", "lima", "Lima?", "Germany", "Europe", "San Jose"])
async def test_a_place_as_the_whole_request_is_zoomed_to(chat: Chat, text: str) -> None:
    answer = await chat(text)
    assert chat.calls == [("zoom_to", {"place": text.rstrip("?")})]
    assert f"Zoomed to **{text.rstrip('?').title()}**" in answer


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
        (["which country has the most airports?", "top 3"], "which 3 countries have the most airports"),
        (
            ["which country has the most airports?", "top 3 as bar chart"],
            "which 3 countries have the most airports",
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
