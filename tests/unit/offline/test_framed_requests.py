"""Remarks around a request, countries and currencies in other words, rows by a part of their name, typed SQL."""

from __future__ import annotations

import pytest

from agents.core import AssistantMessage
from agents.offline.frames.framed import framed
from agents.offline.language.vocabulary import Vocabulary
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, no, where
from tests.unit.offline.test_cities_and_capitals import CITIES

WORLD = (CITIES, COUNTRIES, AIRPORTS)


@pytest.mark.parametrize(
    ("asked", "remark"),
    [
        ("how many cities are in Germany? Don't make something up.", "Don't make something up."),
        ("How many cities are in Germany? That's what my client wants.", "That's what my client wants."),
        ("I'm new here. How many cities are in Germany?", "I'm new here."),
        ("For a report I need the number of cities in Germany", "For a report"),
        ("Data quality check: how many cities are in Germany?", "Data quality check"),
        ("Question 3: how many cities are in Germany?", "Question 3"),
        ("how many cities are in Germany, for my homework", "for my homework"),
    ],
)
async def test_a_remark_is_not_used_and_told(asked: str, remark: str) -> None:
    answer = await Chat(World(*WORLD))(asked)
    assert "There are 3 cities where country is Germany" in answer
    assert f"“{remark}” was taken for a remark and not used." in answer


@pytest.mark.parametrize(
    "asked",
    [
        "how many cities are there? It's the ones in Germany I want.",
        "how many cities are there? That's above 500000 people.",
        "how many cities are there? I'm looking at Zanzibar.",
        "City check: how many are there?",
        "Not this one: how many cities are there?",
        "how many cities are there? No hamlets.",
        "Zanzibar: how many cities",
    ],
)
def test_what_names_something_is_no_remark(asked: str) -> None:
    assert framed(asked, Vocabulary(World(*WORLD).registry, ()), None)[1] == ()


AIRFIELDS = make_table(
    "data.airfields", "POINT", "Airfields",
    [("iata", "text", "IATA code"), ("region", "text", "State"), ("country", "text", "")],
    [
        ("USA", "North Carolina", "United States", (1.0, 1.0)),
        ("ATL", "Georgia", "United States", (2.0, 2.0)),
        ("TBS", "Tbilisi", "Georgia", (3.0, 3.0)),
    ],
)  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "filters"),
    [
        ("United States airfields", where("country", "=", "United States")),
        ("show airfields except the United States", no(where("country", "=", "United States"))),
    ],
)
async def test_a_country_is_no_code_that_is_another_name_of_it(asked: str, filters: object) -> None:
    chat = Chat(World(AIRFIELDS))
    await chat(asked)
    assert chat.calls[0][1]["filters"] == filters


@pytest.mark.parametrize(
    "asked",
    [
        "how many airfields are in Georgia, and I mean the country not the US state",
        "how many airfields are in Georgia, I mean the country",
        "how many airfields are in Georgia (I mean the country)",
    ],
)
async def test_the_kind_of_place_may_be_said_behind(asked: str) -> None:
    assert "There is 1 airfield where country is Georgia" in await Chat(World(AIRFIELDS))(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "select name, population from cities where country = 'Peru' order by population desc",
        "SELECT count(*) FROM cities",
    ],
)
async def test_sql_that_is_typed_is_not_run_and_told_so(asked: str) -> None:
    chat = Chat(World(*WORLD))
    assert "SQL is only run behind “/sql”" in await chat(asked)
    assert [name for name, _ in chat.calls] == ["cannot_do"]


@pytest.mark.parametrize(
    "asked", ["How did Berlin grow since the year 2000?", "population of Berlin in 1990"]
)
async def test_figures_of_other_times_are_declined_where_no_table_has_any(asked: str) -> None:
    assert "no table here holds dates or years" in await Chat(World(CITIES, COUNTRIES))(asked)


FIELDS = make_table(
    "data.fields", "POINT", "Airfields",
    [("id", "integer", ""), ("name", "text", ""), ("icao", "text", "ICAO code")],
    [
        (1, "Keflavik International Airport", "BIKF", (1.0, 1.0)),
        (2, "London Heathrow Airport", "EGLL", (2.0, 2.0)),
        (3, "Heathrow Airport", "TE17", (3.0, 3.0)),
    ],
)  # fmt: skip


async def test_a_row_may_be_called_by_a_part_of_its_name() -> None:
    chat = Chat(World(FIELDS))
    assert "`icao` BIKF" in await chat("whats the ICAO code of Keflavik")
    asked = await chat("icao code of Heathrow")
    assert asked.startswith("Which Heathrow do you mean: London Heathrow Airport; or Heathrow Airport?")
    assert "EGLL" in await chat("London Heathrow Airport")


NATIONS = make_table(
    "data.nations", "POLYGON", "Nations",
    [("name", "text", ""), ("continent", "text", ""), ("currency", "text", "ISO code of the currency")],
    [
        ("Mali", "Africa", "XOF", (1.0, 1.0)),
        ("Chad", "Africa", "XAF", (1.0, 1.1)),
        ("Peru", "South America", "PEN", (1.0, 1.2)),
    ],
)  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("how many nations pay in CFA francs?", "There are 2 nations where currency is XOF or XAF"),
        ("how many nations use the CFA franc?", "There are 2 nations where currency is XOF or XAF"),
        ("what currency do they use in Peru", "`currency` PEN"),
    ],
)
async def test_money_is_the_currency_of_a_row(asked: str, said: str) -> None:
    assert said in await Chat(World(NATIONS))(asked)


async def test_what_is_not_on_the_map_is_removed_already() -> None:
    chat = Chat(World(*WORLD))
    await chat("get rid of the countries layer and give me just the cities in Peru in black")
    assert [name for name, _ in chat.calls] == ["add_map_layer"]
    texts = [each.text for each in chat.agent.history if isinstance(each, AssistantMessage)]
    assert texts[0] == "The map is empty already."
