"""Charts of the first groups of a ranking, which an analysis finds."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat


@pytest.mark.parametrize(
    ("sentence", "groups", "n"),
    [
        ("Please draw a bar chart of the ten countries with the most airports.", "country", 10),
        ("the five countries with the most airports, as a bar chart", "country", 5),
        ("top 3 continents by number of cities as a chart", "continent", 3),
        ("chart of the 4 countries with the most cities", "country", 4),
    ],
)
async def test_a_bar_for_each_of_the_first_groups(sentence: str, groups: str, n: int) -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    answer = await chat(sentence)
    assert desk.analysis.steps[-1][1]["n"] == n, answer
    ((first, _), (name, arguments)) = chat.calls
    assert (first, name) == ("run_analysis", "make_chart")
    assert (arguments["kind"], arguments["x"], arguments["y"]) == ("bar", groups, "count")
    assert arguments["data"].startswith("analysis.")


@pytest.mark.parametrize(
    "sentence",
    [
        "bar chart of the ten purple countries with the most airports",
        "pie chart of the ten countries with the most airports",
        "scatter plot of the ten countries with the most airports",
        "bar chart of the ten countries with the most unicorns",
    ],
)
async def test_no_chart_of_what_is_not_known(sentence: str) -> None:
    chat = Chat(world := World(), analyst=Desk(world))
    answer = await chat(sentence)
    assert "make_chart" not in [name for name, _ in chat.calls], answer
