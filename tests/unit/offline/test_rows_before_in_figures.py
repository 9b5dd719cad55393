"""Charts and lists about the rows that the message before drew or counted, in the order that is asked for."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, where

READINGS = make_table(
    "data.river_readings", "POINT", "Readings of river gauges",
    [("id", "integer", ""), ("gauge", "text", ""), ("taken_on", "date", "date of the reading"),
     ("flow", "number", "flow, m3/s")],
    [(1, "Old Mill", "2024-01-01", 4.0, (1.0, 1.0)),
     (2, "Old Mill", "2024-02-01", 6.5, (1.0, 1.0)),
     (3, "Weir", "2024-01-01", 9.0, (1.0, 1.1)),
     (4, "Weir", "2024-03-01", 1.0, (1.0, 1.1))],
)  # fmt: skip
OLD_MILL = where("gauge", "=", "Old Mill")


def _chat() -> Chat:
    return Chat(World(READINGS))


@pytest.mark.parametrize("before", ["show river readings at Old Mill", "how many river readings at Old Mill"])
@pytest.mark.parametrize(
    "asked", ["chart the flow over time", "line chart of flow over time", "histogram of flow"]
)
async def test_a_chart_shows_the_rows_spoken_of(before: str, asked: str) -> None:
    chat = _chat()
    await chat(before)
    await chat(asked)
    ((name, arguments),) = chat.calls
    drawn = chat.layers.get(arguments["data"])
    assert name == "make_chart"
    assert OLD_MILL in (arguments.get("filters"), drawn.filter if drawn else None)


async def test_a_chart_of_named_rows_is_not_about_the_rows_spoken_of() -> None:
    chat = _chat()
    await chat("how many river readings at Old Mill")
    await chat("chart the flow of river readings over time")
    assert [("filters" in arguments) for _, arguments in chat.calls] == [False]


@pytest.mark.parametrize(
    ("order", "descending"),
    [("oldest first", False), ("earliest first", False), ("newest first", True), ("latest first", True)],
)
async def test_dates_are_sorted_as_the_words_say(order: str, descending: bool) -> None:
    chat = _chat()
    await chat("show river readings at Old Mill")
    await chat(f"sort by taken on, {order}")
    ((_, arguments),) = chat.calls
    assert (arguments["sort"], arguments["descending"]) == ("taken_on", descending)
    await chat(f"list the river readings by taken on, {order}")
    ((_, arguments),) = chat.calls
    assert (arguments["sort"], arguments["descending"]) == ("taken_on", descending)


@pytest.mark.parametrize("ranked", ["which 2 of them have the highest flow", "top 2 by flow"])
async def test_the_other_end_of_a_ranking_is_not_that_of_the_first_rows(ranked: str) -> None:
    chat = _chat()
    await chat("show the river readings")
    assert "9" in await chat(ranked)
    answer = await chat("and the lowest?")
    assert "id" not in str(chat.calls[0][1].get("filters"))
    assert "4" in answer
    assert "9" not in answer
