"""Charts of the previous answer, and the previous chart drawn in another way."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where
from tests.unit.offline.test_charts_along_time import CRASHES, DIVES, drawn

ALONG = {"kind": "line", "x": "crash_dt", "period": "month"}
BY_SEVERITY = {"kind": "bar", "x": "severity"}


@pytest.fixture
def chat() -> Chat:
    world = World(CRASHES, DIVES)
    return Chat(world, analyst=Desk(world))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("crashes per month, line chart", "split by severity", {**ALONG, "color": "severity"}),
        ("crashes per month, line chart", "one line per severity", {**ALONG, "color": "severity"}),
        ("crashes per month, line chart", "make it a bar chart", {**ALONG, "kind": "histogram"}),
        ("bar chart of crashes per month", "as a line chart please", ALONG),
        ("bar chart of crashes by severity", "as a line chart", BY_SEVERITY),
        ("bar chart of crashes by severity", "pie chart of that", BY_SEVERITY),
        ("crashes per month", "line chart please", ALONG),
        ("crashes per month", "chart it", {**ALONG, "kind": "histogram"}),
        ("crashes per month", "make it a line", ALONG),
        ("average kelp at adventure bay per year", "make that a chart",
         {"kind": "line", "x": "surv_date", "y": "kelp_pct", "period": "year", "aggregate": "mean",
          "filters": where("site", "=", "Adventure Bay")}),
    ],
)  # fmt: skip
async def test_the_same_figures_are_drawn(
    chat: Chat, first: str, second: str, expected: dict[str, Any]
) -> None:
    await chat(first)
    answer = await chat(second)
    assert drawn(chat) == expected, answer


async def test_a_line_chart_is_drawn_for_another_value(chat: Chat) -> None:
    await chat("average kelp at adventure bay per year, line chart")
    answer = await chat("and the same for tinderbox cove")
    assert drawn(chat)["filters"] == where("site", "=", "Tinderbox Cove"), answer


async def test_the_first_groups_are_drawn_as_bars(chat: Chat) -> None:
    await chat("average kelp by site")
    answer = await chat("just the top 5 as a bar chart")
    (analysed, _), (name, arguments) = chat.calls
    assert (analysed, name, arguments["kind"], arguments["x"]) == (
        "run_analysis",
        "make_chart",
        "bar",
        "site",
    ), answer


async def test_a_table_of_groups_becomes_a_line_and_then_bars_again(chat: Chat) -> None:
    await chat("crashes per month")
    await chat("make it a line")
    answer = await chat("as a bar chart")
    assert drawn(chat) == {**ALONG, "kind": "histogram"}, answer


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("crashes per month, line chart", "split by weather"),
        ("scatter plot of n_inj against ens_kwh", "make it a pie chart"),
        ("show crashes", "one line per severity"),
        ("how many crashes are there", "chart it"),
    ],
)
async def test_what_does_not_fit_draws_no_chart(chat: Chat, first: str, second: str) -> None:
    await chat(first)
    answer = await chat(second)
    assert "make_chart" not in [name for name, _ in chat.calls], answer
    assert "went wrong" not in answer
