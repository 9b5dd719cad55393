"""A figure of each year, month, weekday or hour of the date that rows have."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

INCIDENTS = make_table(
    "data.incidents", "POINT", None,
    [("name", "text", ""), ("kind", "text", ""), ("reported", "date", ""), ("response_min", "number", "")],
    [
        ("a", "fire", "2021-01-05", 4.0, (1.0, 1.0)), ("b", "medical", "2021-01-09", 6.0, (2.0, 2.0)),
        ("c", "fire", "2022-01-03", 9.0, (3.0, 3.0)),
    ],
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


WEEKEND = {"op": "in", "args": [{"op": "weekday", "args": [{"property": "reported"}]}, [6, 7]]}
MONDAY = {"op": "=", "args": [{"op": "weekday", "args": [{"property": "reported"}]}, 1]}
JANUARY = {"op": "=", "args": [{"op": "month", "args": [{"property": "reported"}]}, 1]}
WINTER = {"op": "in", "args": [{"op": "month", "args": [{"property": "reported"}]}, [11, 12, 1, 2]]}


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("incidents on weekends", WEEKEND),
        ("weekend incidents", WEEKEND),
        ("how many incidents were there at the weekend?", WEEKEND),
        ("incidents on Mondays", MONDAY),
        ("incidents in January", JANUARY),
        ("show incidents reported in January", JANUARY),
        ("incidents from November to February", WINTER),
        ("fire incidents on weekends", both(where("kind", "=", "fire"), WEEKEND)),
        (
            "incidents on 8 January 2021",
            both(
                {"op": ">=", "args": [{"property": "reported"}, {"date": "2021-01-08"}]},
                {"op": "<", "args": [{"property": "reported"}, {"date": "2021-01-09"}]},
            ),
        ),
    ],
)
async def test_days_of_the_week_and_months_of_every_year_are_conditions(
    sentence: str, filters: dict[str, Any]
) -> None:
    chat = Chat(World(INCIDENTS))
    answer = await chat(sentence)
    assert chat.calls[0][1].get("filters") == filters, answer


@pytest.mark.parametrize(
    ("words", "first", "following"),
    [
        ("between March and June 2021", "2021-03-01", "2021-07-01"),
        ("reported between March and June 2021", "2021-03-01", "2021-07-01"),
        ("from March to May 2020", "2020-03-01", "2020-06-01"),
        ("from 3 March to 5 June 2021", "2021-03-03", "2021-06-06"),
    ],
)
async def test_a_year_that_is_said_once_is_that_of_both_ends(words: str, first: str, following: str) -> None:
    chat = Chat(World(INCIDENTS))
    answer = await chat(f"incidents {words}")
    date = {"property": "reported"}
    assert chat.calls[0][1]["filters"] == both(
        {"op": ">=", "args": [date, {"date": first}]}, {"op": "<", "args": [date, {"date": following}]}
    ), answer


@pytest.mark.parametrize(
    "words", ["from November to February 2021", "from March to 5 June 2021", "from 31 June to 2 July 2021"]
)
async def test_ends_that_are_not_two_days_or_months_of_one_year_are_not_guessed(words: str) -> None:
    chat = Chat(World(INCIDENTS))
    assert "changed nothing" in await chat(f"incidents {words}")
    assert not chat.calls


async def test_a_month_is_said_by_its_name() -> None:
    answer = await Chat(World(INCIDENTS))("how many incidents in March?")
    assert "the month of reported is March" in answer


@pytest.mark.parametrize(
    "sentence", ["incidents in Fall River", "incidents in Spring", "incidents in Spring 2023"]
)
async def test_a_season_with_a_capital_may_be_a_place(sentence: str) -> None:
    chat = Chat(World(INCIDENTS))
    answer = await chat(sentence)
    assert not [name for name, _ in chat.calls if name != "cannot_do"], answer
