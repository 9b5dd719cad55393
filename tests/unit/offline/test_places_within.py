"""Places of one name in several countries: the wider place is read, told, or asked about; they are never mixed."""

from __future__ import annotations

import pytest

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
