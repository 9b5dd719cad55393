"""Requests of a parks manager: rows that a comment mentions, open requests, and areas in acres."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

NEIGHBORHOODS = make_table(
    "data.neighborhoods", "POLYGON", "City neighborhoods",
    [("id", "integer", ""), ("name", "text", ""), ("canopy_pct", "number", "Tree canopy cover, percent of area")],
    [(1, "Lents", 20.5, (1.0, 1.0)), (2, "Cully", 30.0, (1.0, 1.1))],
)  # fmt: skip
TREES = make_table("data.trees", "POINT", "Tree inventory", [("id", "integer", "")], [(1, (1.0, 1.0))])
PARKS = make_table(
    "data.parks", "POLYGON", "Park properties",
    [("id", "integer", ""), ("park_name", "text", ""), ("acres", "number", ""),
     ("dog_offleash", "boolean", "Off-leash dog area")],
    [(1, "Forest Park", 1180.0, False, (1.0, 1.0)), (2, "Lents Park", 38.0, True, (1.0, 1.1))],
)  # fmt: skip
REQUESTS = make_table(
    "data.maint_requests", "POINT", "Maintenance requests",
    [("id", "integer", ""), ("category", "text", ""), ("status", "text", "")],
    [(1, "Hazard tree", "Open", (1.0, 1.0)), (2, "Hazard tree", "Closed", (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(NEIGHBORHOODS, TREES, PARKS, REQUESTS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    "asked", ["which neighborhood has the most trees?", "neighborhood with the most trees"]
)
async def test_rows_are_counted_and_not_what_a_comment_says_of_them(
    chat: Chat, desk: Desk, asked: str
) -> None:
    """The neighborhood with the widest canopy was told."""
    answer = await chat(asked)
    joined = dict(desk.analysis.steps)["spatial_join"]
    assert (joined["source"], joined["other"]) == ("data.neighborhoods", "data.trees"), answer


async def test_a_comment_still_names_its_column(chat: Chat) -> None:
    await chat("which neighborhood has the most canopy")
    assert chat.calls[-1][1]["sort"] == "canopy_pct"


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        (
            "open hazard tree requests",
            both(where("category", "=", "Hazard tree"), where("status", "=", "Open")),
        ),
        ("parks over 100 acres", where("acres", ">", 100)),
        ("parks larger than 100 acres", where("acres", ">", 100)),
    ],
)
async def test_what_is_drawn(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    """All requests about hazard trees were drawn: “open” was taken for the verb."""
    answer = await chat(sentence)
    assert chat.calls[-1][0] == "add_map_layer", answer
    assert chat.calls[-1][1]["filters"] == filters


@pytest.mark.parametrize("asked", ["total area of the parks", "total acreage of the parks"])
async def test_acres_are_areas(chat: Chat, asked: str) -> None:
    await chat(asked)
    assert chat.calls[-1] == ("column_stats", {"table": "data.parks", "column": "acres"})
    assert "Forest Park" in await chat("biggest park")


async def test_rows_do_not_lack_themselves() -> None:
    """Inspections without a date of inspection were looked for, and none found."""
    inspections = make_table(
        "data.playground_insp", "POINT", "Playground inspections",
        [("id", "integer", ""), ("insp_date", "date", ""), ("result", "text", "")],
        [(1, "2026-01-01", "Pass", (1.0, 1.0))],
    )  # fmt: skip
    desk = Desk(World(PARKS, inspections))
    answer = await Chat(desk.world, analyst=desk)("parks with playgrounds but no inspections")
    assert "I understood “parks”" in answer
