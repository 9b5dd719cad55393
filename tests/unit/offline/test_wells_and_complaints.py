"""Requests of a water officer: thousands with dots, figures of a year, states, alarms, means, and what was not done."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, like, where

STATIONS = make_table(
    "data.pumping_stations", "POINT", "Pumping stations",
    [("id", "integer", ""), ("name", "text", ""), ("kwh_2025", "integer", "energy use in 2025, kWh"),
     ("last_insp", "date", "date of last inspection")],
    [(1, "Oudwijk", 41_000, "2025-05-01", (1.0, 1.0)), (2, "Lunetten", 12_000, None, (1.0, 1.1))],
)  # fmt: skip
POINTS = make_table(
    "data.level_points", "POINT", "Water level measuring points",
    [("id", "integer", ""), ("alarm", "text", "high water alarm active, Y/N"), ("read_at", "date", "last reading"),
     ("calib_date", "date", "last calibration")],
    [(1, "Y", "2026-01-01", "2020-05-01", (1.0, 1.0)), (2, "N", "2026-01-01", None, (1.0, 1.1))],
)  # fmt: skip
WATERWAYS = make_table(
    "data.waterways", "LINESTRING", "Watercourses",
    [("id", "integer", ""), ("mtn_state", "text", "maintenance state: good, poor"), ("manager", "text", "")],
    [(1, "good", "HDSR", (1.0, 1.0)), (2, "poor", "Rijkswaterstaat", (1.0, 1.1))],
)  # fmt: skip
COMPLAINTS = make_table(
    "data.flood_complaints", "POINT", "Complaints",
    [("id", "integer", ""), ("cat", "text", "category"), ("street", "text", ""), ("channel", "text", ""),
     ("reported_on", "date", ""), ("closed_on", "date", "")],
    [(1, "water in street", "Main Street", "app", "2025-05-01", "2025-05-11", (1.0, 1.0)),
     (2, "flooded cellar", "Mill Lane", "phone", "2025-06-01", None, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(STATIONS, POINTS, WATERWAYS, COMPLAINTS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def years_ago(count: int) -> str:
    today = datetime.date.today()
    try:
        return today.replace(year=today.year - count).isoformat()
    except ValueError:
        return today.replace(year=today.year - count, day=28).isoformat()


IN_STREET = where("cat", "=", "water in street")


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show pumping stations that used more than 30.000 kWh in 2025", where("kwh_2025", ">", 30_000)),
        ("waterways in poor condition", where("mtn_state", "=", "poor")),
        (
            "waterways except the one of Rijkswaterstaat",
            {"op": "not", "args": [where("manager", "=", "Rijkswaterstaat")]},
        ),
        ("complaints about water in the street", IN_STREET),
        ("complaints with water in the street", IN_STREET),
        ("complaints that came in through the app", where("channel", "=", "app")),
        ("measuring points with the alarm on right now", where("alarm", "=", "Y")),
        ("measuring points with the alarm off", where("alarm", "=", "N")),
    ],
)
async def test_what_is_drawn(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    answer = await chat(sentence)
    assert chat.calls[-1][0] == "add_map_layer", answer
    assert chat.calls[-1][1]["filters"] == filters


async def test_what_was_not_done_for_years(chat: Chat) -> None:
    answer = await chat("measuring points not calibrated for more than two years")
    before = where("calib_date", "<", {"date": years_ago(2)})
    assert chat.calls[-1][1]["filters"] == both(before, empty("calib_date"), op="or"), answer


async def test_what_was_not_done_in_the_last_years(chat: Chat) -> None:
    """The last years were those of another date."""
    answer = await chat("measuring points not calibrated in the last 2 years")
    used = str(chat.calls[-1][1]["filters"])
    assert "calib_date" in used, answer
    assert "read_at" not in used


async def test_only_values_of_a_kind_follow_an_article_in_their_name(chat: Chat) -> None:
    await chat("show complaints")
    await chat("only the ones with water in the street")
    assert chat.layers["flood_complaints"].filter == IN_STREET


@pytest.mark.parametrize(
    "asked",
    [
        "how long does it take on average before a complaint is closed, in days?",
        "how long does it take until a complaint is closed",
    ],
)
async def test_the_time_before_something_is_done(chat: Chat, desk: Desk, asked: str) -> None:
    answer = await chat(asked)
    (change,) = next(step["changes"] for name, step in desk.analysis.steps if name == "columns")
    assert (change["column"], change["other"]) == ("reported_on", "closed_on"), answer


async def test_the_first_rows_of_what_is_coloured_by_a_number(chat: Chat) -> None:
    await chat("pumping stations by kwh 2025")
    await chat("only the top 1")
    assert (
        chat.world.data.passing("data.pumping_stations", chat.layers["pumping_stations"].filter)[0]["id"] == 1
    )


@pytest.mark.parametrize("asked", ["pumping stations starting with O", "pumping stations that end with wijk"])
async def test_rows_by_the_beginning_or_end_of_their_name(chat: Chat, asked: str) -> None:
    await chat(asked)
    drawn = chat.world.data.passing("data.pumping_stations", chat.calls[-1][1]["filters"])
    assert [row["name"] for row in drawn] == ["Oudwijk"]


async def test_the_article_is_a_letter_where_a_name_begins_with_it(chat: Chat) -> None:
    await chat("pumping stations starting with A")
    assert chat.calls[-1][1]["filters"] == like("name", "A%")
