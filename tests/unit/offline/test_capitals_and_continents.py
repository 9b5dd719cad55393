"""Capitals and the airports nearest to them, and counts in percent, on a continent, and of places in others."""

from __future__ import annotations

import pytest

from agents.domain import FoundPlaces
from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat
from tests.unit.offline.test_cities_and_capitals import CITIES


@pytest.mark.parametrize(
    "asked",
    ["number of cities on the European continent", "how many cities are on the European continent?"],
)
async def test_a_continent_may_be_named_by_its_adjective(asked: str) -> None:
    chat = Chat(World(CITIES, COUNTRIES))
    assert "There are 3 cities where continent is Europe" in await chat(asked)


@pytest.mark.parametrize(
    ("asked", "share"),
    [
        ("how many cities in Germany have more than 1 million people, in percent?", "66.7 % of the 3 cities"),
        ("how many cities in Germany are capitals, as a percentage", "33.3 % of the 3 cities"),
        ("how many cities have more than 1 million people in %", "60 % of the 5 cities"),
    ],
)
async def test_a_count_in_percent_is_a_share(asked: str, share: str) -> None:
    assert (await Chat(World(CITIES, COUNTRIES))(asked)).startswith(share)


async def test_a_place_may_be_told_by_the_one_it_is_in() -> None:
    world, looked_up = World(CITIES, COUNTRIES), list[str]()

    async def find_place(text: str, limit: int = 5) -> FoundPlaces:
        looked_up.append(text)
        return FoundPlaces(places=())

    world.data.find_place = find_place  # type: ignore[method-assign]
    await Chat(world, analyst=Desk(world))("how far is Springfield in Peru from Springfield in Germany?")
    assert "Springfield, Peru" in looked_up


@pytest.mark.parametrize(
    "asked",
    [
        "for each capital in Europe the nearest airport and its distance in km",
        "for every capital in Europe, the nearest airport and the distance",
        "nearest airport to each capital in Europe with the distance in kilometres",
    ],
)
async def test_the_nearest_of_each_is_told_with_its_distance(asked: str) -> None:
    world = World(CITIES, COUNTRIES, AIRPORTS)
    desk = Desk(world)
    await Chat(world, analyst=desk)(asked)
    assert [name for name, _ in desk.analysis.steps] == ["filter", "nearest"]


async def test_the_largest_of_each_group_is_not_taken_for_the_largest_of_all() -> None:
    chat = Chat(World(CITIES, COUNTRIES))
    assert "Berlin" not in await chat("which capitals are the largest city of their country?")
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"])
