"""Requests of a grid operator and a licensing officer: follow-ups of declined requests, shares, flags, nearest rows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

TRANSFORMERS = make_table(
    "data.transformers", "POINT", "Secondary transformers",
    [("id", "integer", ""), ("ct_code", "text", ""), ("ct_type", "text", "pole, indoor"),
     ("oil_pcb", "text", "oil contaminated with PCB: Y/N, U = unknown"),
     ("cond", "integer", "condition: 1 very good, 2 good, 3 fair, 4 poor, 5 replace"),
     ("cust_lv", "integer", "customers connected")],
    [(1, "CT1", "pole", "Y", 4, 12, (1.0, 1.0)), (2, "CT2", "indoor", "N", 2, 30, (1.0, 1.1)),
     (3, "CT3", "pole", "U", 3, 7, (1.0, 1.2))],
)  # fmt: skip
FEEDERS = make_table(
    "data.mv_feeders", "LINESTRING", "Medium voltage feeder lines",
    [("id", "integer", ""), ("feeder", "text", ""), ("type", "text", "OH = overhead, UG = underground cable"),
     ("len_m", "number", "length in metres")],
    [(1, "L1", "OH", 1200.0, (1.0, 1.0)), (2, "L2", "UG", 800.0, (1.0, 1.1))],
)  # fmt: skip
HMOS = make_table(
    "data.hmo_register", "POINT", "Public register of licensed HMOs",
    [("id", "integer", ""), ("lic_ref", "text", ""), ("lic_status", "text", "")],
    [(1, "HMO/1", "Expired", (1.0, 1.0)), (2, "HMO/2", "Licensed", (1.0, 1.1))],
)  # fmt: skip
PREMISES = make_table(
    "data.licensed_premises", "POINT", "Premises licences",
    [("id", "integer", ""), ("trading_name", "text", ""), ("capacity", "integer", "")],
    [(1, "Rook & Gaskill", 90, (1.0, 1.0)), (2, "Fibbers", 704, (1.0, 1.1))],
)  # fmt: skip
INSPECTIONS = make_table(
    "data.inspections", "POINT", "Housing inspections",
    [("id", "integer", ""), ("insp_type", "text", ""), ("outcome", "text", "")],
    [(1, "Fire safety", "Fail", (1.0, 1.0)), (2, "Fire safety", "Pass", (1.0, 1.1)),
     (3, "Complaint visit", "Pass", (1.0, 1.2))],
)  # fmt: skip
STREETS = make_table(
    "data.streets", "LINESTRING", "Street gazetteer",
    [("id", "integer", ""), ("street_nm", "text", ""), ("footstreet", "boolean", "In the pedestrian zone"),
     ("width_m", "integer", "")],
    [(1, "Stonegate", True, 6, (1.0, 1.0)), (2, "Bootham", False, 9, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(TRANSFORMERS, FEEDERS, HMOS, PREMISES, INSPECTIONS, STREETS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("transformers with PCB oil", where("oil_pcb", "=", "Y")),
        ("transformers without PCB oil", where("oil_pcb", "=", "N")),
        ("show footstreets only", where("footstreet", "=", True)),
    ],
)
async def test_rows_shown(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    await chat(sentence)
    assert chat.calls[0][1].get("filters") == filters, chat.calls


@pytest.mark.parametrize("declined", ["show the foobars", "transformers near a street"])
async def test_a_figure_after_a_declined_request_is_not_of_all_rows(chat: Chat, declined: str) -> None:
    await chat(declined)
    assert not chat.calls or chat.calls[0][0] == "cannot_do"
    answer = await chat("total customers connected")
    assert [name for name, _ in chat.calls] == ["cannot_do"]
    assert "total customers connected of transformers" in answer
    await chat("total customers connected of transformers")
    assert [name for name, _ in chat.calls] == ["column_stats"]


@pytest.mark.parametrize(
    ("first", "then", "filters", "among"),
    [
        ("what share of transformers is in condition 4 or 5?", "and pole ones?", None, where("ct_type", "=", "pole")),
        ("what percentage of inspections failed", "and for fire safety ones?", where("outcome", "=", "Fail"),
         where("insp_type", "=", "Fire safety")),
    ],
)  # fmt: skip
async def test_a_share_is_asked_of_other_rows(
    chat: Chat, first: str, then: str, filters: dict[str, Any] | None, among: dict[str, Any]
) -> None:
    await chat(first)
    await chat(then)
    asked = [call["filters"] for name, call in chat.calls if name == "count_features"]
    assert among in asked, chat.calls
    assert filters is None or both(among, filters) in asked


async def test_rows_near_others_follow_rows_that_were_drawn(chat: Chat, desk: Desk) -> None:
    await chat("show pole transformers")
    await chat("within 300 m of an overhead line")
    name, arguments = desk.analysis.steps[-1]
    assert (name, arguments["distance"]) == ("select_by_location", "300 m")
    assert ("filter", where("type", "=", "OH")) in [
        (name, given.get("filter")) for name, given in desk.analysis.steps
    ]


async def test_near_with_a_distance_after_it(chat: Chat, desk: Desk) -> None:
    await chat("transformers near a street, say 1.5 km")
    assert desk.analysis.steps[-1][1]["distance"] == "1.5 km"


@pytest.mark.parametrize(("noun", "number"), [("hmo", 1), ("hmos", 10)])
async def test_one_row_is_nearest_for_a_singular_noun(chat: Chat, desk: Desk, noun: str, number: int) -> None:
    await chat(f"{noun} nearest to a street")
    assert desk.analysis.steps[-1][1]["n"] == number
