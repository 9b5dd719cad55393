"""Times of day, decades, what was spent on something, and the one farthest to a side of those that are shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

BREAKS = make_table(
    "data.main_breaks",
    "POINT",
    "Breaks of water mains",
    [("id", "integer", ""), ("cause", "text", ""), ("reported_at", "timestamp", ""), ("repair_cost", "integer", ""),
     ("year_laid", "integer", "")],
    [(1, "frost", "2021-01-05T07:30:00", 500, 1931, (1.0, 1.0)),
     (2, "corrosion", "2022-02-05T23:10:00", 900, 1965, (2.0, 2.0))],
)  # fmt: skip
PERMITS = make_table(
    "data.permits",
    "POINT",
    "Permits",
    [
        ("id", "integer", ""),
        ("received", "date", ""),
        ("closed", "date", ""),
        ("repair_cost_eur", "integer", ""),
    ],
    [(1, "2021-01-05", "2021-02-05", 10, (1.0, 1.0))],
)


@pytest.mark.parametrize(
    ("said", "hours"),
    [
        ("main breaks between 6 and 9 am", [6, 7, 8]),
        ("main breaks from 22:00 to 2:00", [22, 23, 0, 1]),
        ("main breaks after 10 pm", [22, 23]),
        ("main breaks before 3 am", [0, 1, 2]),
        ("main breaks between 4 and 6 in the afternoon", [16, 17]),
    ],
)
async def test_times_of_day_are_whole_hours(said: str, hours: list[int]) -> None:
    chat = Chat(World(BREAKS))
    answer = await chat(said)
    part = {"op": "hour", "args": [{"property": "reported_at"}]}
    assert [layer.filter for layer in chat.layers.values()] == [{"op": "in", "args": [part, hours]}], answer


@pytest.mark.parametrize("said", ["main breaks after 10", "main breaks at 9:30", "main breaks after 9:30 pm"])
async def test_other_times_are_not_taken_for_hours(said: str) -> None:
    chat = Chat(World(BREAKS))
    await chat(said)
    assert "hour" not in str([layer.filter for layer in chat.layers.values()])


async def test_days_have_no_hours() -> None:
    chat = Chat(World(PERMITS))
    await chat("permits received after 10 pm")
    assert not chat.layers


@pytest.mark.parametrize(
    ("said", "column"),
    [
        ("how much did we spend on repairs of the main breaks?", "repair_cost"),
        ("how much was spent on repairs of main breaks since 2021?", "repair_cost"),
        ("how much did we spend on repairs for permits received in 2021", "repair_cost_eur"),
    ],
)
async def test_what_was_spent_on_something_is_the_total_of_its_cost(said: str, column: str) -> None:
    chat = Chat(World(BREAKS, PERMITS))
    answer = await chat(said)
    assert [arguments.get("column") for _, arguments in chat.calls] == [column], answer


@pytest.mark.parametrize(
    ("said", "change"),
    [
        ("main breaks reported per decade", {"column": "reported_at", "format": "YYYY"}),
        ("main breaks laid per decade", {"column": "year_laid"}),
    ],
)
async def test_decades_are_made_of_dates_and_years(said: str, change: dict[str, Any]) -> None:
    world = World(BREAKS)
    desk = Desk(world)
    await Chat(world, analyst=desk)(said)
    first = desk.analysis.steps[0][1]["changes"][0]
    assert {**first, **change, "name": "decade"} == first


async def test_of_rows_that_no_layer_shows_nothing_is_made() -> None:
    world = World(BREAKS, PERMITS)
    chat = Chat(world, analyst=Desk(world))
    await chat("show permits")
    await chat("how many main breaks are there since 2022?")
    answer = await chat("which of them is the furthest north?")
    assert "no layer on the map is called “them”" in answer


async def test_the_northernmost_of_those_that_are_shown_is_found() -> None:
    world = World(BREAKS, PERMITS)
    chat = Chat(world, analyst=Desk(world))
    await chat("show main breaks since 2021")
    await chat("which of them is the furthest north?")
    assert [name for name, _ in chat.calls] == ["run_analysis"]
