"""Requests of a cleansing department: kinds that end with the noun of the table, weekdays as texts, pounds, joined
names, and what is asked next."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

BINS = make_table(
    "data.street_bins",
    "POINT",
    "On-street bins",
    [("id", "integer", ""), ("bin_no", "text", ""), ("kind", "text", ""), ("sensor", "boolean", "")],
    [(1, "LB1", "litter bin", True, (1.0, 40.0)), (2, "LB2", "dog waste bin", False, (2.0, 41.0))],
)  # fmt: skip
ROUNDS = make_table(
    "data.collection_rounds",
    "LINESTRING",
    "Kerbside collection rounds",
    [("id", "integer", ""), ("round_code", "text", ""), ("stream", "text", ""), ("day", "text", "")],
    [(1, "R01", "recycling", "Mon", (1.0, 40.0)), (2, "R02", "refuse", "Tue", (2.0, 41.0))],
)  # fmt: skip
TIPS = make_table(
    "data.fly_tips",
    "POINT",
    "Fly-tipping cases",
    [("id", "integer", ""), ("case_ref", "text", ""), ("COST_GBP", "number", "Clearance cost in pounds"),
     ("evidence", "boolean", "Evidence found")],
    [(1, "FT-1", 300.0, True, (1.0, 40.0)), (2, "FT-2", 100.0, False, (2.0, 41.0))],
)  # fmt: skip


def _world() -> World:
    return World(BINS, ROUNDS, TIPS)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show the litter bins", where("kind", "=", "litter bin")),
        ("show the dog waste bins", where("kind", "=", "dog waste bin")),
        ("show the monday rounds", where("day", "=", "Mon")),
        ("recycling rounds on Monday", both(where("stream", "=", "recycling"), where("day", "=", "Mon"))),
        ("fly tips that cost over £200", where("COST_GBP", ">", 200)),
        ("flytips over £200", where("COST_GBP", ">", 200)),
        ("how many fly tips had evidence", where("evidence", "=", True)),
    ],
)
async def test_rows_as_people_call_them(sentence: str, filters: dict[str, object]) -> None:
    chat = Chat(_world())
    await chat(sentence)
    assert chat.calls[0][1]["filters"] == filters


async def test_a_superlative_of_all_we_have_had() -> None:
    assert (await Chat(_world())("what's the dearest fly tip we've had")).startswith("**FT-1**")


async def test_a_part_of_a_name_is_not_the_same_rows_again() -> None:
    """Each fly tip is near itself, so that none would be far from all."""
    world = _world()
    answer = await Chat(world, analyst=Desk(world))("fly tips more than 3km from any tip")
    assert "I would take “tip” for the same rows as “fly tips”" in answer
