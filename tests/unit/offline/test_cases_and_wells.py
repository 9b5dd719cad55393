"""States that a comment lists, zeros that it explains, and areas whose name is also a word of a column's comment."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

CASES = make_table(
    "data.cases", "POINT", "Notified cases",
    [("id", "integer", ""), ("class", "text", "confirmed / suspected / discarded"), ("owner", "text", "owned by")],
    [(1, "confirmed", "A", (1.0, 1.0)), (2, "suspected", "B", (1.0, 1.1)), (3, "discarded", None, (1.0, 1.2))],
)  # fmt: skip
WELLS = make_table(
    "data.wells", "POINT", "Wells",
    [("id", "integer", ""), ("nitrate_mgl", "number", "Nitrate at the last sample, mg/l (0 = not found)")],
    [(1, 0.0, (1.0, 1.0)), (2, 3.5, (1.0, 1.1)), (3, None, (1.0, 1.2))],
)  # fmt: skip
DISTRICTS = make_table(
    "data.pump_districts", "POLYGON", "Districts by pump",
    [("id", "integer", ""), ("name", "text", ""), ("gauged", "text", "Y = district inlet has a gauge")],
    [(1, "Ash", "Y", (1.0, 1.0)), (2, "Elm", "N", (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(CASES, WELLS, DISTRICTS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize("state", ["confirmed", "suspected", "discarded"])
async def test_a_state_that_is_a_value_is_not_any_value_of_its_column(chat: Chat, state: str) -> None:
    await chat(f"show {state} cases")
    assert chat.calls[0][1]["filters"] == where("class", "=", state), chat.calls


async def test_what_has_a_measured_thing_has_more_than_an_explained_zero(chat: Chat) -> None:
    await chat("wells with nitrate")
    assert chat.calls[0][1]["filters"] == where("nitrate_mgl", ">", 0), chat.calls
    await chat("reset the map")
    await chat("wells without nitrate")
    assert chat.calls[0][1]["filters"] == where("nitrate_mgl", "=", 0), chat.calls


@pytest.mark.parametrize("verb", ["has", "has had", "had"])
async def test_areas_that_have_had_the_most_are_rows_of_their_table(
    chat: Chat, desk: Desk, verb: str
) -> None:
    await chat(f"which district {verb} the most wells")
    assert [name for name, _ in desk.analysis.steps] == ["spatial_join", "top"]
