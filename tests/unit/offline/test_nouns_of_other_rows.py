"""A plural that is the noun of another table's rows is no column of these: `cities ending in burg`, beside `city`."""

from __future__ import annotations

from agents.domain import Table
from tests.unit.geo_agent.making import Row, make_table
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


async def test_facts_are_those_of_the_rows_compared_not_of_another_table_with_the_value() -> None:
    lands = make_table(
        "data.countries", "POLYGON", "Countries",
        [("id", "integer", ""), ("name", "text", ""), ("population", "integer", ""), ("area_km2", "number", "")],
        [(1, "Germany", 83, 357.0, (1.0, 1.0)), (2, "France", 67, 547.0, (2.0, 1.0))],
    )  # fmt: skip
    airports = _with_samples(AIRPORTS, country=("Germany",))
    chat = Chat(World(airports, _with_samples(lands)))
    answer = await chat("compare Germany and France by population and area")
    ((name, arguments),) = chat.calls
    assert (name, arguments["columns"]) == ("query_features", ["name", "population", "area_km2"]), answer


def _with_samples(made: tuple[Table, list[Row]], **samples: tuple[str, ...]) -> tuple[Table, list[Row]]:
    """The table with these common values alone, as the registry keeps them."""
    table, rows = made
    columns = tuple(each.model_copy(update={"samples": samples.get(each.name, ())}) for each in table.columns)
    return table.model_copy(update={"columns": columns}), rows
