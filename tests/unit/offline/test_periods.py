"""A figure of each year, month, weekday or hour of the date that rows have."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

INCIDENTS = make_table(
    "data.incidents", "POINT", None,
    [("name", "text", ""), ("reported", "date", ""), ("response_min", "number", "")],
    [("a", "2021-01-05", 4.0, (1.0, 1.0)), ("b", "2021-01-09", 6.0, (2.0, 2.0)), ("c", "2022-01-03", 9.0, (3.0, 3.0))],
)  # fmt: skip


async def steps_of(sentence: str) -> list[tuple[str, dict[str, Any]]]:
    world = World(INCIDENTS)
    desk = Desk(world)
    await Chat(world, analyst=desk)(sentence)
    return desk.analysis.steps


@pytest.mark.parametrize(
    ("sentence", "period", "form"),
    [
        ("incidents per month", "month", "YYYY-MM"),
        ("how many incidents were there each month?", "month", "YYYY-MM"),
        ("how many incidents were reported per month?", "month", "YYYY-MM"),
        ("number of incidents by year", "year", "YYYY"),
        ("number of incidents reported per day", "day", "YYYY-MM-DD"),
    ],
)
async def test_rows_are_counted_in_periods(sentence: str, period: str, form: str) -> None:
    (dated, columns), (grouped, figures) = await steps_of(sentence)
    assert (dated, grouped) == ("columns", "dissolve")
    assert columns["changes"] == [
        {"function": "cast", "column": "reported", "to": "text", "format": form, "name": period}
    ]
    assert figures["by"] == [period]
    assert figures["aggregates"] == [{"function": "count", "name": "count"}]


async def test_a_figure_of_each_weekday() -> None:
    (_, columns), (_, figures) = await steps_of("average response of incidents by day of the week")
    part, names = columns["changes"]
    assert (part["part"], names["values"]["7"]) == ("weekday", "Sunday")
    assert figures["by"] == ["weekday"]
    assert figures["aggregates"][0] == {"function": "mean", "column": "response_min"}


async def test_the_period_with_the_most_rows() -> None:
    *_, (last, ranked) = await steps_of("which month had the most incidents in 2021?")
    assert (last, ranked["by"], ranked["n"], ranked["ties"]) == ("top", "count", 1, True)


async def test_rows_without_a_date_have_no_periods() -> None:
    answer = await Chat(World())("cities per month")
    assert "month" in answer
    assert "changed nothing" in answer or "cannot" in answer


async def test_a_quarter_is_one_of_a_year() -> None:
    (_, columns), *_ = await steps_of("number of incidents per quarter")
    assert [(each["function"], each.get("name", "")) for each in columns["changes"]] == [
        ("date_part", "year_of_quarter"),
        ("date_part", "number_of_quarter"),
        ("concatenate", "quarter"),
        ("drop", ""),
    ]


@pytest.mark.parametrize(
    ("sentence", "title"),
    [
        ("incidents on weekends", "Incidents on weekends"),
        ("how many incidents were there at the weekend?", "Incidents on weekend"),
        ("incidents on Mondays", "Incidents on Mondays"),
    ],
)
async def test_days_of_the_week_are_picked_out(sentence: str, title: str) -> None:
    desk = Desk(World(INCIDENTS))
    await Chat(desk.world, analyst=desk)(sentence)
    (_, columns), *_ = desk.analysis.steps
    assert columns["changes"][0]["part"] == "weekday"
    assert [each for _, each in desk.analysis.planned][1:] == [title]
