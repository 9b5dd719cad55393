"""A chart without a layer is drawn again of fewer of its rows: `leave out …`, `only …`, `the same for … only`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

PERU, LARGE = where("country", "=", "Peru"), where("size", "=", "large")


@pytest.mark.parametrize(
    ("second", "filters"),
    [
        ("only the large ones", LARGE),
        ("only large airports", LARGE),
        ("only those in Peru", PERU),
        ("leave out Peru", no(PERU)),
        ("the same for large ones only please", LARGE),
        ("now the same, just for those in Peru", PERU),
    ],
)
async def test_the_chart_before_is_drawn_of_these_rows(second: str, filters: dict[str, Any]) -> None:
    chat = Chat(World())
    await chat("bar chart of the average elevation of airports by country")
    ((_, first),) = chat.calls
    answer = await chat(second)
    assert chat.calls == [("make_chart", {**first, "filters": filters})], answer
    assert not chat.layers


async def test_each_narrowing_is_added_to_those_before() -> None:
    chat = Chat(World())
    await chat("number of airports by country as a bar chart")
    await chat("only the large ones")
    await chat("leave out Peru")
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("make_chart", both(LARGE, no(PERU)))


async def test_a_layer_of_the_rows_is_filtered_instead() -> None:
    chat = Chat(World())
    await chat("show airports")
    await chat("bar chart of airports by country")
    await chat("only the large ones")
    assert [name for name, _ in chat.calls] == ["update_map_layer"]


@pytest.mark.parametrize("second", ["only the purple ones", "leave out the unicorns"])
async def test_what_no_row_has_draws_no_chart(second: str) -> None:
    chat = Chat(World())
    await chat("bar chart of airports by country")
    await chat(second)
    assert "make_chart" not in [name for name, _ in chat.calls]


async def test_a_share_is_broken_down() -> None:
    chat = Chat(world := World(), analyst=Desk(world))
    await chat("what share of the airports is large?")
    await chat("break that down by country")
    assert chat.calls[0] == ("run_analysis", {"goal": "what share of the airports is large by country"})
