"""Requests of a planning office: dates of decisions, states of named buildings, grades with signs, other months."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

APPLICATIONS = make_table(
    "data.planning_apps", "POINT", "Planning applications received since 2018",
    [("id", "integer", ""), ("app_type", "text", "FU = full, OT = outline, TR = trees"), ("decision", "text", ""),
     ("recd_dt", "date", "Date received"), ("dec_dt", "date", "Date of decision (empty while pending)"),
     ("priv_homes", "integer", "")],
    [(1, "FU", "Refused", "2023-12-01", "2024-02-01", 3, (1.0, 1.0)),
     (2, "OT", "Approved", "2023-05-01", "2023-06-01", 4, (1.0, 1.1)),
     (3, "OT", "Pending", "2024-05-01", None, 5, (1.0, 1.2))],
)  # fmt: skip
BUILDINGS = make_table(
    "data.listed_bldgs", "POINT", "Listed buildings",
    [("id", "integer", ""), ("name", "text", ""), ("grade", "text", "I, II* or II"), ("cond", "text", ""),
     ("at_risk_yn", "text", "On the heritage at risk register (Y/N)"), ("built_yr", "integer", "")],
    [(1, "Temple Works", "I", "Very bad", "Y", 1840, (1.0, 1.0)),
     (2, "Mill Hall", "II*", "Good", "N", 1901, (1.0, 1.1)),
     (3, "Corn Exchange", "II", "Good", "N", 1864, (1.0, 1.2))],
)  # fmt: skip
INSPECTIONS = make_table(
    "data.inspections", "POINT", "Site inspections",
    [("id", "integer", ""), ("insp_dt", "date", ""), ("result", "text", "")],
    [(1, "2023-03-05", "Pass", (1.0, 1.0)), (2, "2023-04-05", "Fail", (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(APPLICATIONS, BUILDINGS, INSPECTIONS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def during(column: str, first: str, after: str) -> list[dict[str, Any]]:
    return [where(column, ">=", {"date": first}), where(column, "<", {"date": after})]


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        (
            "applications refused in 2024",
            both(where("decision", "=", "Refused"), *during("dec_dt", "2024-01-01", "2025-01-01")),
        ),
        ("planning applications since 2024", where("recd_dt", ">=", {"date": "2024-01-01"})),
        (
            "pending applications since 2024",
            both(where("decision", "=", "Pending"), where("recd_dt", ">=", {"date": "2024-01-01"})),
        ),
        ("grade II* buildings", where("grade", "=", "II*")),
        ("grade II buildings", where("grade", "=", "II")),
    ],
)
async def test_what_is_drawn(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    answer = await chat(sentence)
    assert chat.calls[-1][0] == "add_map_layer", answer
    assert chat.calls[-1][1]["filters"] == filters


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("is temple works at risk", "Yes"),
        ("is temple works on the at risk register?", "Yes"),
        ("is mill hall at risk", "No"),
        ("is temple works grade I", "Yes"),
    ],
)
async def test_the_state_of_a_named_row(chat: Chat, sentence: str, verdict: str) -> None:
    """A flag “Y” was told as “No”."""
    assert (await chat(sentence)).startswith(f"{verdict}: **")


async def test_a_colour_for_one_value_among_others(chat: Chat) -> None:
    """Only the rows with that value were drawn."""
    await chat("listed buildings by condition, red for very bad")
    name, arguments = chat.calls[-1]
    assert name == "add_map_layer"
    assert "filters" not in arguments
    assert arguments["style"]["values"] == [
        {"value": "Very bad", "color": "red"}, {"value": "Good", "color": "#0072b2"}
    ]  # fmt: skip


async def test_another_month_replaces_the_month_of_what_is_drawn(chat: Chat) -> None:
    """April was looked for among the rows of March."""
    await chat("inspections in March 2023")
    for asked, first, after in (
        ("and in april?", "2023-04-01", "2023-05-01"),
        ("and may?", "2023-05-01", "2023-06-01"),
        ("and june 2024", "2024-06-01", "2024-07-01"),
    ):
        answer = await chat(asked)
        assert chat.layers["inspections"].filter == both(*during("insp_dt", first, after)), answer


@pytest.mark.parametrize(
    "asked",
    ["average number of days from received to decision", "average days between received and decision"],
)
async def test_days_between_dates_that_comments_name(chat: Chat, desk: Desk, asked: str) -> None:
    answer = await chat(asked)
    (change,) = next(step["changes"] for name, step in desk.analysis.steps if name == "columns")
    assert (change["column"], change["other"]) == ("recd_dt", "dec_dt"), answer


@pytest.mark.parametrize(
    ("asked", "distance"),
    [
        ("inspections near listed buildings, say within 300 m", "300 m"),
        ("inspections within 50 m of outline applications", "50 m"),
        ("inspections within 50 m of an outline application", "50 m"),
    ],
)
async def test_rows_near_others(chat: Chat, desk: Desk, asked: str, distance: str) -> None:
    answer = await chat(asked)
    assert desk.analysis.steps[-1][1]["distance"] == distance, answer


async def test_the_rate_of_a_value(chat: Chat, desk: Desk) -> None:
    assert "50 % of the 2 inspections" in await chat("what is the fail rate")
    answer = await chat("refused rate by app type")
    assert "Percentage of planning apps with refused by" in answer
