"""Columns drawn by their name, bubbles and dots, ages from years, and rows that an area has none of."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

HOSPITALS = make_table(
    "data.hospitals", "POINT", "Hospitals",
    [("id", "integer", ""), ("name", "text", ""), ("beds", "integer", ""), ("country_code", "text", ""),
     ("built_year", "integer", ""), ("height_m", "number", ""), ("height_ft", "number", "")],
    [(1, "Mercy", 120, "US", 1960, 12.0, 39.4, (1.0, 1.0)), (2, "Charity", 40, "CA", 1980, 30.0, 98.4, (1.0, 1.1))],
)  # fmt: skip
DISTRICTS = make_table(
    "data.districts", "POLYGON", "Districts",
    [("id", "integer", ""), ("name", "text", "")],
    [(1, "North", (1.0, 1.0)), (2, "South", (1.0, 1.1))],
)  # fmt: skip
TREES = make_table(
    "data.trees", "POINT", "Trees",
    [("id", "integer", ""), ("condition", "text", "")],
    [(1, "good", (1.0, 1.0)), (2, "dead", (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(HOSPITALS, DISTRICTS, TREES))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("asked", "style"),
    [
        ("show the beds of the hospitals", {"kind": "graduated", "column": "beds"}),
        ("map the number of beds per hospital", {"kind": "graduated", "column": "beds"}),
        ("display the height of hospitals on the map", {"kind": "graduated", "column": "height_m"}),
        ("hospitals by beds as bubbles", {"kind": "proportional", "column": "beds"}),
        ("hospitals as bubbles by beds", {"kind": "proportional", "column": "beds"}),
        ("hospitals as points coloured by beds", {"kind": "graduated", "column": "beds"}),
        ("show hospitals as bubbles", {"kind": "single"}),
    ],
)
async def test_a_column_is_drawn(chat: Chat, asked: str, style: dict[str, Any]) -> None:
    answer = await chat(asked)
    name, arguments = chat.calls[-1]
    assert name == "add_map_layer", answer
    assert {key: each for key, each in arguments["style"].items() if key in ("kind", "column")} == style


async def test_a_layer_coloured_by_a_number_becomes_bubbles_of_that_number(chat: Chat) -> None:
    await chat("hospitals by beds")
    await chat("as bubbles")
    assert chat.calls[-1][1]["style"] == {"kind": "proportional", "column": "beds"}


async def test_a_participle_is_not_a_code(chat: Chat) -> None:
    """“used” was read as the country US."""
    answer = await chat("which hospitals are used most")
    assert [name for name, _ in chat.calls] == ["cannot_do"]
    assert "used" in answer


@pytest.mark.parametrize("asked", ["average age of the hospitals", "how old are the hospitals on average"])
async def test_the_mean_age_is_told_from_years(chat: Chat, asked: str) -> None:
    answer = await chat(asked)
    years = datetime.date.today().year - 1970
    assert chat.calls[-1] == ("column_stats", {"table": "data.hospitals", "column": "built_year"}), answer
    assert f"That is {years} years before" in answer


async def test_areas_that_have_none_of_some_rows(chat: Chat, desk: Desk) -> None:
    """Whether “no” denied the trees or their state was asked back."""
    answer = await chat("districts with no dead trees")
    steps = dict(desk.analysis.steps)
    assert steps["filter"]["filter"] == where("condition", "=", "dead"), answer
    assert steps["select_by_location"]["invert"] is True
