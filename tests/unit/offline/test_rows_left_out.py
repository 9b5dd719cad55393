"""Rows that are left out, those of which the value is unknown, and names that several things have."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

LANDS = make_table(
    "data.lands", "POLYGON", "Lands",
    [("id", "integer", ""), ("name", "text", ""), ("continent", "text", ""), ("region", "text", "")],
    [
        (1, "Antarctica", "Antarctica", None, (1.0, 1.0)), (2, "Bouvet Island", "Antarctica", "south", (1.0, 1.1)),
        (3, "Chad", "Africa", "south", (1.1, 1.1)), (4, "Monaco", "Europe", "north", (1.1, 1.0)),
    ],
)  # fmt: skip
WARDS = make_table(
    "data.wards", "POLYGON", "Wards",
    [("id", "integer", ""), ("name", "text", ""), ("area", "text", ""),
     ("no_car_pct", "number", "% households with no car or van")],
    [(1, "Easton", "South", 30.0, (1.0, 1.0)), (2, "Redland", "North", 20.0, (1.0, 1.1))],
)  # fmt: skip
STOPS = make_table(
    "data.stops", "POINT", "Stops",
    [("id", "integer", ""), ("name", "text", ""), ("shelter", "boolean", ""), ("lit", "boolean", "")],
    [(1, "Church", True, False, (1.0, 1.0)), (2, "School", False, True, (1.0, 1.1))],
)  # fmt: skip
SCHEMES = make_table(
    "data.schemes", "POLYGON", "Transport programme: scheme areas",
    [("id", "integer", ""), ("title", "text", ""), ("funder", "text", ""),
     ("cost_gbp_k", "number", "Budget in thousand pounds"), ("tariff_gbp_hr", "number", "")],
    [
        (1, "Old City", "Council", 100.0, 2.0, (1.0, 1.0)), (2, "Quays", "Council", 50.0, 1.0, (1.0, 1.1)),
        (3, "Hill", "Homes", 70.0, 3.0, (1.1, 1.1)),
    ],
)  # fmt: skip
FINDINGS = make_table(
    "data.beetle_findings", "POINT", "Findings of beetles",
    [("id", "integer", ""), ("found_on", "date", ""), ("cleared_on", "date", ""), ("trees", "integer", "")],
    [(1, "2023-05-01", "2023-06-01", 4, (1.0, 1.0)), (2, "2024-05-01", None, 9, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    world = World(LANDS, WARDS, STOPS, SCHEMES, FINDINGS)
    return Chat(world, analyst=Desk(world))


async def test_what_is_left_out_takes_no_rows_without_a_value_with_it(chat: Chat) -> None:
    await chat("show lands")
    await chat("exclude the north ones")
    left = {
        "op": "or",
        "args": [no(where("region", "=", "north")), {"op": "isNull", "args": [{"property": "region"}]}],
    }
    assert chat.calls[-1][1]["filters"] == left


async def test_where_all_rows_have_a_value_none_are_spoken_of_without_one(chat: Chat) -> None:
    await chat("show lands")
    await chat("exclude Africa")
    assert chat.calls[-1][1]["filters"] == no(where("continent", "=", "Africa"))


async def test_a_name_of_a_row_and_of_a_kind_is_asked_about(chat: Chat) -> None:
    await chat("show lands")
    assert "Which do you mean by “Antarctica”" in await chat("exclude Antarctica")
    await chat("the name")
    assert chat.calls[-1][1]["filters"] == no(where("name", "=", "Antarctica"))


async def test_a_column_of_those_without_something_is_not_taken_for_what_they_lack(chat: Chat) -> None:
    await chat("colour the wards by households without a car")
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"])


async def test_but_no_leaves_out(chat: Chat) -> None:
    await chat("stops with a shelter but no lit")
    assert chat.calls[-1][1]["filters"] == both(where("shelter", "=", True), where("lit", "=", False))


async def test_areas_are_named_by_a_value_and_its_column(chat: Chat) -> None:
    await chat("stops in the south area")
    ((name, arguments),) = chat.calls
    assert (name, arguments["goal"]) == ("run_analysis", "stops in the south area")
    await chat("how many wards are in the south area?")
    assert chat.calls[-1][1]["filters"] == where("area", "=", "South")


@pytest.mark.parametrize(
    ("sentence", "aggregate"),
    [("bar chart of cost by funder", "sum"), ("bar chart of tariff by funder", None)],
)
async def test_money_adds_up_and_prices_do_not(chat: Chat, sentence: str, aggregate: str | None) -> None:
    await chat(sentence)
    assert chat.calls[-1][1].get("aggregate") == aggregate


async def test_what_nothing_is_called_is_refused_before_it_is_asked_how_near(chat: Chat) -> None:
    answer = await chat("air quality near Old City")
    assert "air quality" in answer
    assert "within 500 m" not in answer


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("how many findings are there", None),
        ("and how many of those are not cleared yet", {"op": "isNull", "args": [{"property": "cleared_on"}]}),
    ],
)
async def test_two_wordings_of_one_meaning_are_not_asked_about(
    chat: Chat, sentence: str, filters: Any
) -> None:
    await chat("how many findings are there")
    await chat(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments.get("filters")) == ("count_features", filters)


async def test_the_date_on_which_something_was_cleared_is_not_when_it_was_found(chat: Chat) -> None:
    await chat("whats the number of findings in 2024")
    ((_, arguments),) = chat.calls
    assert "found_on" in str(arguments["filters"])
    assert "cleared_on" not in str(arguments["filters"])
