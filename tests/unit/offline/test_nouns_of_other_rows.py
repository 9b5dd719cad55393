"""A plural that is the noun of another table's rows is no column of these: `cities ending in burg`, beside `city`."""

from __future__ import annotations

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

AIRPORTS = make_table(
    "data.airports", "POINT", "Airports",
    [("id", "integer", ""), ("name", "text", ""), ("city", "text", "City that it serves"), ("country", "text", "")],
    [(1, "Freiburg Airfield", "Freiburg", "Germany", (1.0, 1.0))],
)  # fmt: skip
CITIES = make_table(
    "data.cities", "POINT", "Cities", [("id", "integer", ""), ("name", "text", ""), ("country", "text", "")],
    [(1, "Freiburg", "Germany", (1.0, 1.0)), (2, "Salzburg", "Austria", (2.0, 1.0))],
)  # fmt: skip


async def test_airports_are_not_counted_for_cities() -> None:
    own = Desk(World(AIRPORTS, CITIES))
    answer = await Chat(own.world, analyst=own)('number of cities ending in "burg" per country')
    assert all(arguments["source"] != "data.airports" for _, arguments in own.analysis.steps), answer
