"""`last year` and the like are counted from today."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from agents.offline.language.conditions.times.relative import take_relative_days
from agents.offline.language.cursor import cursor_of
from agents.offline.meaning.conditions import Between, Compare
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat
from tests.unit.offline.test_periods import INCIDENTS

TODAY = datetime.date(2024, 5, 31)


class _Date(datetime.date):
    @classmethod
    def today(cls) -> datetime.date:
        return TODAY


@pytest.fixture(autouse=True)
def on_that_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datetime, "date", _Date)


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("in the last 30 days", "2024-05-01", "2024-05-31"),
        ("in the past 2 weeks", "2024-05-17", "2024-05-31"),
        ("within the last 3 months", "2024-02-29", "2024-05-31"),
        ("in the last 5 years", "2019-05-31", "2024-05-31"),
        ("in the last year", "2023-05-31", "2024-05-31"),
        ("in the past month", "2024-04-30", "2024-05-31"),
        ("last month", "2024-04-01", "2024-04-30"),
        ("this month", "2024-05-01", "2024-05-31"),
        ("last quarter", "2024-01-01", "2024-03-31"),
        ("this week", "2024-05-27", "2024-06-02"),
        ("last week", "2024-05-20", "2024-05-26"),
    ],
)
def test_a_time_before_today_is_from_day_to_day(words: str, first: str, last: str) -> None:
    found = take_relative_days(cursor_of(words))
    assert isinstance(found, Between)
    assert (getattr(found.low, "text", ""), getattr(found.high, "text", "")) == (first, last)


@pytest.mark.parametrize(
    ("words", "value"), [("last year", "2023"), ("this year", "2024"), ("yesterday", "2024-05-30")]
)
def test_a_year_or_a_day_is_meant_as_a_whole(words: str, value: str) -> None:
    found = take_relative_days(cursor_of(words))
    assert isinstance(found, Compare)
    assert getattr(found.value, "text", "") == value


@pytest.mark.parametrize(
    "words", ["last name", "the last", "this layer", "in the last 5 rows", "past the bridge"]
)
def test_other_words_after_last_and_this_are_left_alone(words: str) -> None:
    cursor = cursor_of(words)
    assert take_relative_days(cursor) is None
    assert cursor.at == 0


@pytest.mark.parametrize(
    "sentence", ["incidents last year", "incidents reported last year", "incidents in last year"]
)
async def test_rows_of_last_year_are_those_with_a_date_in_it(sentence: str) -> None:
    chat = Chat(World(INCIDENTS))
    await chat(sentence)
    ((_, arguments),) = chat.calls
    assert [_value(each) for each in arguments["filters"]["args"]] == [
        (">=", "2023-01-01"),
        ("<", "2024-01-01"),
    ]


def _value(part: dict[str, Any]) -> tuple[str, str]:
    return part["op"], part["args"][1]["date"]
