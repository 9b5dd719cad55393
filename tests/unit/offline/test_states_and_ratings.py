"""Numbers that were given (`rated 4 or 5`), and values by when they are so (`currently closed`)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.filtering import properties
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, both, where, within

VALVES = make_table(
    "data.valves",
    "POINT",
    "Valves",
    [("id", "integer", ""), ("kind", "text", ""), ("normal_pos", "text", ""), ("current_pos", "text", ""),
     ("cond_rating", "integer", "Condition rating, 1 to 5"), ("basin", "text", ""), ("size_mm", "integer", "")],
    [(1, "gate", "open", "closed", 4, "North", 100, (1.0, 1.0)),
     (2, "gate", "closed", "closed", 5, "South", 150, (2.0, 2.0)),
     (3, "ball", "open", "open", 3, "North", 200, (3.0, 3.0)),
     (4, "ball", "closed", "open", 2, "South", 250, (4.0, 4.0))],
)  # fmt: skip
SWITCHES = make_table(
    "data.switches",
    "POINT",
    "Switches",
    [("id", "integer", ""), ("is_open", "boolean", ""), ("normally_open", "boolean", "")],
    [(1, True, False, (1.0, 1.0)), (2, False, True, (2.0, 2.0))],
)
CLOSED, OPEN = where("current_pos", "=", "closed"), where("normal_pos", "=", "open")


def with_samples() -> World:
    """As the registry has them: the most common values of a text column."""
    table, rows = VALVES
    samples = {
        "kind": ("gate", "ball"),
        "normal_pos": ("open", "closed"),
        "current_pos": ("closed", "open"),
        "basin": ("North", "South"),
    }
    columns = tuple(each.model_copy(update={"samples": samples.get(each.name, ())}) for each in table.columns)
    return World((table.model_copy(update={"columns": columns}), rows), SWITCHES)


def rated(*numbers: int) -> dict[str, Any]:
    return both(*(where("cond_rating", "=", each) for each in numbers), op="or")


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("valves rated 5", where("cond_rating", "=", 5)),
        ("valves rated 4 or 5", rated(4, 5)),
        ("valves that are rated above 3", where("cond_rating", ">", 3)),
        ("valves rated 3 to 4", within("cond_rating", 3, 4)),
        ("valves rated at least 4 in the North basin",
         both(where("cond_rating", ">=", 4), where("basin", "=", "North"))),
        ("closed valves", CLOSED),
        ("normally open valves", OPEN),
        ("valves closed right now although they should normally be open", both(CLOSED, OPEN)),
        ("valves that are normally open but currently closed", both(OPEN, CLOSED)),
        ("closed valves that should be open", both(CLOSED, OPEN)),
        ("currently closed gate valves", both(CLOSED, where("kind", "=", "gate"))),
        ("switches that are open right now although they are normally closed",
         both(where("is_open", "=", True), where("normally_open", "=", False))),
    ],
)  # fmt: skip
async def test_the_column_is_found_by_what_was_done_or_when_it_is_so(
    sentence: str, filters: dict[str, Any]
) -> None:
    chat = Chat(with_samples())
    answer = await chat(sentence)
    assert [layer.filter for layer in chat.layers.values()] == [filters], answer


@pytest.mark.parametrize(
    "sentence", ["valves rated 4 or worse", "valves that should be rated 5", "valves built 5"]
)
async def test_numbers_of_unknown_sense_are_declined(sentence: str) -> None:
    chat = Chat(with_samples())
    await chat(sentence)
    assert not chat.layers


PERMITS = make_table(
    "data.permits",
    "POINT",
    "Permits",
    [("id", "integer", ""), ("status", "text", ""), ("apply_dt", "text", ""), ("issue_dt", "date", "Issue date"),
     ("shut_on", "date", "Closed or suspended since"), ("final_dt", "date", "")],
    [(1, "Issued", "a", "2022-02-01", None, None, (1.0, 1.0)),
     (2, "Final", "b", "2022-03-01", None, "2023-01-01", (2.0, 2.0)),
     (3, "Closed", "c", "2021-03-01", "2022-01-01", None, (3.0, 3.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "filtered"),
    [
        ("permits issued in 2022", ["issue_dt"]),
        ("permits issued in 2021 or 2022", ["issue_dt"]),
        ("permits issued between March and June 2022", ["issue_dt"]),
        ("issued permits", ["status"]),
    ],
)
async def test_what_was_done_at_a_time_is_found_by_its_date(sentence: str, filtered: list[str]) -> None:
    chat = Chat(World(PERMITS))
    await chat(sentence)
    (filters,) = [arguments["filters"] for name, arguments in chat.calls if name == "add_map_layer"]
    assert sorted(properties(filters)) == filtered


async def test_a_date_of_two_things_does_not_replace_the_state() -> None:
    chat = Chat(World(PERMITS))
    await chat("permits closed in 2022")
    filters = [arguments.get("filters") for name, arguments in chat.calls if name == "add_map_layer"]
    assert all("status" in properties(each) for each in filters)
