"""Requests of a park ranger: fees in dollars, what is allowed, groups in the plural, and what goes on after a count."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, like, no, where

SIGHTINGS = make_table(
    "data.wildlife_obs", "POINT", "Wildlife sightings",
    [("id", "integer", ""), ("species_grp", "text", ""), ("cnt", "integer", ""), ("seen_on", "date", ""),
     ("observer", "text", "")],
    [(1, "bears", 2, "2022-05-01", "J. Lee", (1.0, 1.0)), (2, "birds", 5, "2022-06-01", "S. Patel", (1.0, 1.1))],
)  # fmt: skip
STANDS = make_table(
    "data.forest_stands", "POLYGON", "Forest stands",
    [("id", "integer", ""), ("species", "text", ""), ("burned", "boolean", ""), ("burn_yr", "integer", "")],
    [(1, "Douglas fir", True, 2016, (1.0, 1.0)), (2, "Red alder", False, None, (1.0, 1.1))],
)  # fmt: skip
TRAILS = make_table(
    "data.hiking_trails", "LINESTRING", "Trails",
    [("id", "integer", ""), ("trail_name", "text", ""), ("difficulty", "text", ""), ("dogs", "boolean", "")],
    [(1, "Chief", "easy", True, (1.0, 1.0)), (2, "Black Tusk", "difficult", False, (1.0, 1.1))],
)  # fmt: skip
CAMPSITES = make_table(
    "data.campsites", "POINT", "Campsites",
    [("id", "integer", ""), ("name", "text", ""), ("pads", "integer", ""), ("fee_cad", "number", ""),
     ("has_water", "boolean", "")],
    [(1, "Alice Lake", 30, 23.0, True, (1.0, 1.0)), (2, "Brohm", 12, 12.0, False, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(SIGHTINGS, STANDS, TRAILS, CAMPSITES))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("campsites under 20 dollars", where("fee_cad", "<", 20)),
        ("campgrounds with water", where("has_water", "=", True)),
        ("trails that allow dogs", where("dogs", "=", True)),
        ("trails where dogs are allowed", where("dogs", "=", True)),
        ("easy trails that allow dogs", both(where("difficulty", "=", "easy"), where("dogs", "=", True))),
        ("show bear sightings", where("species_grp", "=", "bears")),
        ("free campsites", where("fee_cad", "=", 0)),
        ("how many campsites are free", where("fee_cad", "=", 0)),
        ("stands that didn't burn", no(where("burned", "=", True))),
        ("stands burned after 2014", where("burn_yr", ">", 2014)),
        ("stands that burned in 2015 or later", where("burn_yr", ">=", 2015)),
        ("douglas stands", like("species", "douglas %")),
    ],
)  # fmt: skip
async def test_fees_flags_and_groups(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    answer = await chat(sentence)
    assert chat.calls, answer
    assert chat.calls[-1][1].get("filters") == filters


async def test_the_cheapest_has_the_lowest_fee(chat: Chat) -> None:
    await chat("cheapest campsite")
    assert chat.calls[-1][1]["sort"] == "fee_cad"


async def test_animals_are_counted_by_their_number(chat: Chat) -> None:
    await chat("how many bears were seen in 2022")
    assert chat.calls[-1][1]["column"] == "cnt"
    await chat("how many bear sightings in 2022")
    assert chat.calls[-1][0] == "count_features"


async def test_who_has_the_most_of_what_was_counted(chat: Chat, desk: Desk) -> None:
    await chat("how many sightings are there")
    answer = await chat("and which observer has the most?")
    assert "observer" in str(desk.analysis.steps[0]), answer


@pytest.mark.parametrize("asked", ["show them as a table", "show them in a table", "show those as a list"])
async def test_rows_are_listed_as_a_table(chat: Chat, asked: str) -> None:
    await chat("show the campsites with water")
    await chat(asked)
    name, arguments = chat.calls[-1]
    assert (name, arguments["filters"]) == ("query_features", where("has_water", "=", True))


@pytest.mark.parametrize(
    ("sentence", "limit"),
    [("pads of the two cheapest campsites", 2), ("what are the pads of the 2 cheapest campsites", 2)],
)
async def test_a_column_of_the_first_rows(chat: Chat, sentence: str, limit: int) -> None:
    answer = await chat(sentence)
    name, arguments = chat.calls[-1]
    assert (name, arguments["sort"], arguments["limit"]) == ("query_features", "fee_cad", limit), answer
    assert "pads" in arguments["columns"]


async def test_the_first_of_what_was_counted(chat: Chat) -> None:
    await chat("how many campsites have water")
    await chat("list the 2 cheapest")
    name, arguments = chat.calls[-1]
    assert (name, arguments["sort"]) == ("query_features", "fee_cad")


async def test_the_opposite_of_a_condition_replaces_it(chat: Chat) -> None:
    await chat("show the burned stands")
    await chat("now the ones that didn't burn")
    assert chat.layers["forest_stands"].filter == no(where("burned", "=", True))
