"""Different values that are counted once each: species, currencies, time zones; they are not the rows of a table."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

OBSERVATIONS = make_table(
    "data.species_obs", "POINT", "Species observations from field work",
    [("id", "integer", ""), ("obs_no", "text", ""), ("sci_name", "text", ""), ("taxon_grp", "text", ""),
     ("observer", "text", ""), ("verified", "boolean", "record checked by a second expert")],
    [(1, "O1", "Lynx lynx", "mammal", "Ebner", True, (0.2, 0.2)),
     (2, "O2", "Lynx lynx", "mammal", "Dold", False, (0.3, 0.3)),
     (3, "O3", "Vipera berus", "reptile", "Ebner", True, (0.4, 0.4))],
)  # fmt: skip
RESERVES = make_table(
    "data.reserves", "POLYGON", "Nature reserves", [("id", "integer", ""), ("name", "text", "")],
    [(1, "Napf", (0.3, 0.3)), (2, "Belchen", (5.0, 5.0))],
)  # fmt: skip
LANDS = make_table(
    "data.lands", "POLYGON", "Lands",
    [("id", "integer", ""), ("name", "text", ""), ("continent", "text", ""), ("currency", "text", "")],
    [(1, "Ana", "East", "EUR", (1.0, 1.0)), (2, "Bo", "East", "EUR", (2.0, 1.0)),
     (3, "Cy", "West", "USD", (3.0, 1.0))],
)  # fmt: skip


def desk() -> Desk:
    return Desk(World(OBSERVATIONS, RESERVES, LANDS))


def figure(column: str) -> dict[str, Any]:
    return {"function": "distinct", "column": column}


@pytest.mark.parametrize(
    ("sentence", "column", "by"),
    [
        ("number of currencies per continent", "currency", ["continent"]),
        ("which continent has the most currencies", "currency", ["continent"]),
        ("number of different currencies by continent", "currency", ["continent"]),
        ("number of species by taxon group", "sci_name", ["taxon_grp"]),
        ("which observer has the most species", "sci_name", ["observer"]),
    ],
)
async def test_different_values_are_counted_by_a_column(sentence: str, column: str, by: list[str]) -> None:
    own = desk()
    answer = await Chat(own.world, analyst=own)(sentence)
    groups = dict(own.analysis.steps)["dissolve"]
    assert groups["by"] == by, answer
    assert groups["aggregates"][0] == figure(column)


@pytest.mark.parametrize(
    "sentence",
    [
        "count species per reserve",
        "how many species are in each reserve",
        "which reserve has the most species",
    ],
)
async def test_species_are_counted_in_areas(sentence: str) -> None:
    own = desk()
    answer = await Chat(own.world, analyst=own)(sentence)
    operation, arguments = own.analysis.steps[0]
    assert operation == "spatial_join", answer
    assert figure("sci_name") in arguments["aggregates"]


async def test_species_are_values_not_observations() -> None:
    chat = Chat(desk().world)
    assert "2 different values" in await chat("how many species are there")
    assert "3" in await chat("how many species observations are there")


async def test_a_column_of_yes_and_no_ranks_nothing() -> None:
    chat = Chat(desk().world)
    assert "have no rank" in await chat("which observer has the most records")


async def test_numbers_of_rows_are_no_kinds() -> None:
    own = desk()
    await Chat(own.world, analyst=own)("number of observations per observer")
    assert own.analysis.steps[-1][1]["aggregates"] == [{"function": "count", "name": "count"}]


@pytest.mark.parametrize(
    "sentence", ["which currency is used by the most lands?", "which currency do the most lands use"]
)
async def test_the_value_of_most_rows(sentence: str) -> None:
    own = desk()
    answer = await Chat(own.world, analyst=own)(sentence)
    (_, groups), (_, top) = own.analysis.steps
    assert (groups["by"], top["by"]) == (["currency"], "count"), answer
