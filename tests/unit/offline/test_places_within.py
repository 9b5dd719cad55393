"""Places of one name in several countries: the wider place is read, told, or asked about; they are never mixed."""

from __future__ import annotations

import pytest

from agents.offline.language.names.vague import without_vague
from agents.offline.language.vocabulary import Vocabulary
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, both, where

SHOPS = make_table(
    "data.shops", "POINT", "Shops",
    [("id", "integer", ""), ("name", "text", ""), ("town", "text", ""), ("country", "text", "")],
    [
        (1, "a", "Newcastle", "Australia", (1.0, 1.0)),
        (2, "b", "Newcastle", "Ireland", (2.0, 2.0)),
        (3, "c", "Newcastle", "Ireland", (3.0, 3.0)),
        (4, "d", "Limerick", "Ireland", (4.0, 4.0)),
        (5, "e", "Long Bridge", "Ireland", (5.0, 5.0)),
    ],
)  # fmt: skip
BRIDGES = make_table(
    "data.bridges",
    "POINT",
    "Bridges",
    [("id", "integer", ""), ("name", "text", "")],
    [(1, "Long", (1.0, 1.0))],
)
IRISH = both(where("town", "=", "Newcastle"), where("country", "=", "Ireland"))


@pytest.fixture
def chat() -> Chat:
    return Chat(World(SHOPS, BRIDGES))


async def test_a_town_of_several_countries_is_asked_about(chat: Chat) -> None:
    answer = await chat("shops in Newcastle")
    assert chat.calls == []
    assert "Newcastle, Ireland" in answer
    assert "Newcastle, Australia" in answer
    await chat('shops in "Newcastle, Ireland"')
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == IRISH


async def test_a_town_and_its_country_are_both_read(chat: Chat) -> None:
    await chat("shops in Newcastle, Ireland")
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == IRISH


async def test_a_town_that_is_not_in_that_country_is_declined(chat: Chat) -> None:
    answer = await chat("shops in Limerick, Australia")
    assert chat.layers == {}
    assert "Limerick, Australia" in answer


async def test_a_town_of_one_country_needs_no_other_words(chat: Chat) -> None:
    await chat("shops in Limerick")
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == where("town", "=", "Limerick")


async def test_a_name_that_ends_with_the_noun_of_a_table_is_the_value_that_is_written_so(chat: Chat) -> None:
    await chat("shops in Long Bridge")
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == where("town", "=", "Long Bridge")


AIRFIELDS = make_table(
    "data.airfields", "POINT", "Airfields",
    [("id", "integer", ""), ("name", "text", ""), ("town", "text", ""), ("country", "text", "")],
    [
        (1, "a", "Peru", "United States", (1.0, 1.0)),
        (2, "b", "Lima", "Peru", (2.0, 2.0)),
        (3, "c", "America", "Netherlands", (3.0, 3.0)),
        (4, "d", "Leeds", "United Kingdom", (4.0, 4.0)),
    ],
)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "country"),
    [
        ("Peruvian airfields", "Peru"),
        ("american airfields", "United States"),
        ("US airfields", "United States"),
        ("show US airfields", "United States"),
        ("UK airfields", "United Kingdom"),
    ],
)
async def test_the_adjective_of_a_country_means_the_country_and_no_town(words: str, country: str) -> None:
    chat = Chat(World(AIRFIELDS))
    answer = await chat(words)
    assert chat.calls[0][1]["filters"] == where("country", "=", country), answer


@pytest.mark.parametrize("words", ["show us airfields", "SHOW US AIRFIELDS"])
async def test_us_is_a_pronoun_in_small_letters_and_where_all_are_capitals(words: str) -> None:
    chat = Chat(World(AIRFIELDS))
    await chat(words)
    assert "filters" not in chat.calls[0][1]


STRIPS = make_table(
    "data.strips", "POINT", "Landing strips",
    [("id", "integer", ""), ("city", "text", ""), ("region", "text", "State or province"), ("country", "text", "")],
    [
        (1, "Atlanta", "Georgia", "United States", (1.0, 1.0)),
        (2, "Atlanta", "Texas", "United States", (2.0, 2.0)),
        (3, "Tbilisi", "Tbilisi", "Georgia", (3.0, 3.0)),
    ],
)  # fmt: skip
GEORGIAN = both(where("region", "=", "Georgia"), where("country", "=", "United States"))


@pytest.mark.parametrize(
    ("place", "filters"),
    [
        ("Georgia, United States", GEORGIAN),
        ("the US state of Georgia", GEORGIAN),
        ("georgia, the us state", GEORGIAN),
        ("Atlanta, Georgia", both(where("city", "=", "Atlanta"), where("region", "=", "Georgia"))),
    ],
)
async def test_a_name_of_two_kinds_of_places_is_the_one_in_that_place(place: str, filters: object) -> None:
    chat = Chat(World(STRIPS))
    await chat(f"strips in {place}")
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == filters


def test_a_kind_of_place_behind_a_name_is_put_before_it() -> None:
    vocabulary = Vocabulary(World(STRIPS).registry, ())
    assert without_vague("strips in Georgia, the US state", vocabulary) == "strips in the US state of Georgia"
    assert without_vague("strips in Georgia, the best ones", vocabulary) == "strips in Georgia, the best ones"
