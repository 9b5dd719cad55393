"""Years of what a yes/no column says: `restored since 2015` means `restor_yr`, not the date of the survey."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, both, where

STREAMS = make_table(
    "data.streams", "LINESTRING", "Streams",
    [("id", "integer", ""), ("name", "text", ""), ("restored", "boolean", ""),
     ("restor_yr", "integer", "year of restoration"), ("survey_dt", "date", "")],
    [(1, "Alb", True, 2012, "2022-05-01", (1.0, 1.0)), (2, "Elz", True, 2018, "2022-06-01", (2.0, 1.0)),
     (3, "Breg", False, None, "2022-07-01", (3.0, 1.0))],
)  # fmt: skip


async def test_the_year_of_a_state_is_that_of_its_column() -> None:
    chat = Chat(World(STREAMS))
    answer = await chat("restored streams since 2015")
    assert chat.calls[-1][1]["filters"] == both(
        where("restored", "=", True), where("restor_yr", ">=", 2015)
    ), answer


@pytest.mark.parametrize(
    ("sentence", "op"), [("streams restored since 2015", ">="), ("streams restored in 2018", "=")]
)
async def test_a_state_with_a_year_is_the_column_of_its_years(sentence: str, op: str) -> None:
    chat = Chat(World(STREAMS))
    answer = await chat(sentence)
    assert chat.calls[-1][1]["filters"] == where("restor_yr", op, int(sentence[-4:])), answer
