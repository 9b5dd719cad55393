"""Flags and missing values said with verbs, ages of rows in weeks, and corrections that name only what differs."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from agents.offline.conversation.other_times import with_time
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, where

PLOTS = make_table(
    "data.plots", "POINT", "Plots of the extension survey",
    [("id", "integer", ""), ("crop", "text", "Crop"), ("sow_dt", "date", "Date of sowing or planting"),
     ("burnt", "boolean", "Stubble burnt after harvest (paddy only)"),
     ("card_issued", "boolean", "Soil health card issued"),
     ("grant_eur", "number", "Grants paid so far (EUR)"), ("depth_m", "number", "Depth to groundwater in metres"),
     ("gw_cat", "text", "Groundwater category"),
     ("fu_req", "text", "Follow-up (re-survey) required Y/N"), ("lit", "text", "Lighting Y/N, empty = not surveyed")],
    [(1, "Paddy", "2024-06-10", True, True, 500.0, 4.0, "safe", "Y", "Y", (1.0, 1.0)),
     (2, "Maize", "2024-06-18", False, False, None, 30.0, "critical", "N", None, (1.0, 1.1)),
     (3, "Paddy", "2024-07-01", None, False, 900.0, None, None, "N", "N", (1.0, 1.2))],
)  # fmt: skip
PERMITS = make_table(
    "data.permits", "POINT", "Building permit applications",
    [("id", "integer", ""), ("status", "text", ""), ("officer", "text", "Officer"),
     ("appl_date", "date", "Date the application was received"),
     ("dec_date", "date", "Date of decision, empty while pending")],
    [(1, "granted", "K. Lange", "2024-06-10", "2024-09-01", (1.0, 1.0)),
     (2, "pending", "A. Winter", "2025-06-10", None, (1.0, 1.1)),
     (3, "pending", "K. Lange", "2025-06-12", None, (1.0, 1.2))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    return Chat(World(PLOTS, PERMITS))


@pytest.mark.parametrize(
    ("request_text", "filters"),
    [
        ("plots where stubble was burnt", where("burnt", "=", True)),
        ("plots where the stubble was not burnt", where("burnt", "=", False)),
        ("plots with card not issued", where("card_issued", "=", False)),
        ("plots whose health card has not yet been issued", where("card_issued", "=", False)),
        ("plots where no health card was issued", where("card_issued", "=", False)),
        ("plots where no follow-up was required", where("fu_req", "=", "N")),
        ("plots where the lighting was not surveyed", empty("lit")),
        ("plots that never got a grant", empty("grant_eur")),
        ("plots where the depth was not measured", empty("depth_m")),
        ("permits that haven't got a decision yet", empty("dec_date")),
        ("permits with no decision recorded", empty("dec_date")),
        ("permits where there was no decision", empty("dec_date")),
        ("permits decided by the end of june 2024", where("dec_date", "<", {"date": "2024-07-01"})),
        ("permits received by 1 march 2025", where("appl_date", "<", {"date": "2025-03-02"})),
        ("plots sown before 15 june 2024", where("sow_dt", "<", {"date": "2024-06-15"})),
        ("plots with groundwater deeper than 10 m", where("depth_m", ">", 10)),
    ],
)
async def test_what_verbs_say_of_a_column(chat: Chat, request_text: str, filters: dict[str, Any]) -> None:
    answer = await chat(request_text)
    assert chat.calls, answer
    assert chat.calls[0][1]["filters"] == filters


async def test_a_state_is_no_statement_about_another_column(chat: Chat) -> None:
    await chat("permits whose decision was not granted")
    assert all(empty("dec_date") != arguments.get("filters") for _, arguments in chat.calls)


@pytest.mark.parametrize(
    ("request_text", "days"),
    [
        ("permits older than 8 weeks", 56),
        ("pending permits older than 8 weeks", 56),
        ("permits pending for more than 8 weeks", 56),
        ("permits received more than a week ago", 7),
    ],
)
async def test_ages_in_weeks(chat: Chat, request_text: str, days: int) -> None:
    answer = await chat(request_text)
    assert chat.calls, answer
    first = datetime.date.today() - datetime.timedelta(days=days)
    older = where("appl_date", "<", {"date": first.isoformat()})
    pending = where("status", "=", "pending")
    assert chat.calls[0][1]["filters"] == (both(pending, older) if "pending" in request_text else older)


@pytest.mark.parametrize(
    ("before", "message", "filters"),
    [
        ("pending permits of K. Lange", "no, Winter's",
         both(where("status", "=", "pending"), where("officer", "=", "A. Winter"))),
        ("plots with paddy before 15 june 2024", "no i meant before 20 june",
         both(where("crop", "=", "Paddy"), where("sow_dt", "<", {"date": "2024-06-20"}))),
    ],
)  # fmt: skip
async def test_a_correction_replaces_what_it_names(
    chat: Chat, before: str, message: str, filters: dict[str, Any]
) -> None:
    await chat(before)
    answer = await chat(message)
    assert chat.calls, answer
    assert chat.calls[0][1]["filters"] == filters


async def test_another_place_takes_the_first_one_back() -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    await chat("airports within 300 km of Berlin")
    await chat("no sorry, Ulm")
    assert chat.calls == [("run_analysis", {"goal": "airports within 300 km of Ulm"})]
    await chat("no, cities")  # a request of its own
    assert [name for name, _ in chat.calls] == ["add_map_layer"]


@pytest.mark.parametrize(
    ("before", "message", "meant"),
    [
        ("plots sown before 15 june 2024", "what about after june 20", "plots sown after june 20 2024"),
        ("plots sown in June 2024", "and july?", "plots sown in july 2024"),
        ("plots sown after 15 june 2024", "and before 20 june", None),
    ],
)
def test_another_day(before: str, message: str, meant: str | None) -> None:
    assert with_time(before, message) == meant
