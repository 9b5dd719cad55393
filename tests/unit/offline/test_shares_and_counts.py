"""What a share is of is not what its column holds, and a condition that cannot be read in full is not read in part."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat

SCHOOLS = make_table(
    "data.schools", "POINT", "Schools",
    [("id", "integer", ""), ("sch_name", "text", ""), ("nor", "integer", "Number on roll (pupils)"),
     ("pct_walk", "number", "% of pupils who walk or scoot to school")],
    [(1, "Castle Primary", 200, 40.0, (1.0, 1.0)), (2, "Mill High", 1000, 20.0, (1.0, 1.1))],
)  # fmt: skip
WARDS = make_table(
    "data.wards", "POLYGON", "Electoral wards",
    [("id", "integer", ""), ("wd_nm", "text", ""), ("hh", "integer", "Households"),
     ("pct_informal", "number", "Share of households in informal dwellings (%)"),
     ("twenty_zone", "boolean", "20 mph zone"), ("imd_dec", "integer", "Deprivation decile, 1 = most deprived")],
    [(1, "Armley", 9000, 40.0, True, 2, (1.0, 1.0)), (2, "Roundhay", 7000, 5.0, False, 9, (1.0, 1.1))],
)  # fmt: skip
SURVEYS = make_table(
    "data.speed_surveys", "POINT", "Speed surveys",
    [("id", "integer", ""), ("site_ref", "text", ""), ("mean_mph", "number", "")],
    [(1, "S01", 31.0, (1.0, 1.0)), (2, "S02", 22.0, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    return Chat(World(SCHOOLS, WARDS, SURVEYS))


@pytest.mark.parametrize(
    ("request_", "column"),
    [
        ("average number of pupils of schools", "nor"),
        ("total pupils of schools", "nor"),
        ("average share of pupils who walk", "pct_walk"),
    ],
)
async def test_pupils_are_counted_where_a_column_counts_them(chat: Chat, request_: str, column: str) -> None:
    answer = await chat(request_)
    assert f"`{column}`" in answer, answer


async def test_a_percentage_is_not_compared_with_a_number_of_households(chat: Chat) -> None:
    answer = await chat("wards with more than 30 % of households in shacks")
    assert chat.layers == {}, answer
    answer = await chat("wards where pct informal is over 30 %")
    (layer,) = chat.layers.values()
    assert layer.filter == {"op": ">", "args": [{"property": "pct_informal"}, 30]}, answer


@pytest.mark.parametrize(
    "request_",
    [
        "wards with a 20mph zone and a deprivation decile of 3 or lower",
        "which survey site has the highest traffic",
    ],
)
async def test_nothing_is_done_for_a_part_of_the_words(chat: Chat, request_: str) -> None:
    answer = await chat(request_)
    assert chat.layers == {}, answer
    assert [name for name, _ in chat.calls if name != "cannot_do"] == [], answer
