"""What is said of depths with `below`, `above`, `lowest` and `highest`: the lower, the greater the number."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, where

VILLAGES = make_table(
    "data.villages", "POINT", "Villages",
    [("id", "integer", ""), ("vill_name", "text", ""),
     ("gw_depth_m", "number", "Depth to groundwater in metres below ground, June 2024")],
    [(1, "Kamalpur", 10.0, (1.0, 1.0)), (2, "Ratta Khera", 34.0, (1.0, 1.1))],
)  # fmt: skip
WELLS = make_table(
    "data.wells", "POINT", "Wells",
    [("id", "integer", ""), ("name", "text", ""), ("water_table_depth_m", "number", ""),
     ("depth_ft", "integer", "Drilled depth, feet")],
    [(1, "A", 10.0, 50, (1.0, 1.0)), (2, "B", 34.0, 400, (1.0, 1.1))],
)  # fmt: skip
QUAKES = make_table(
    "data.quakes", "POINT", "Earthquakes",
    [("id", "integer", ""), ("depth_km", "number", "")],
    [(1, 10.0, (1.0, 1.0)), (2, 34.0, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    return Chat(World(VILLAGES, WELLS, QUAKES))


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("wells with water table below 30 m", where("water_table_depth_m", ">", 30)),
        ("wells with water table 30 m or below", where("water_table_depth_m", ">=", 30)),
        ("wells where the water table is above 20 m", where("water_table_depth_m", "<", 20)),
        ("wells where the water table is not above 20 m", where("water_table_depth_m", ">=", 20)),
        ("villages with groundwater under 30 m", where("gw_depth_m", ">", 30)),
        ("villages with groundwater lower than 30 m", where("gw_depth_m", ">", 30)),
        ("villages where groundwater is less than 30 m", where("gw_depth_m", "<", 30)),
        ("villages with groundwater deeper than 30 m", where("gw_depth_m", ">", 30)),
        ("wells with depth below 300 ft", where("depth_ft", "<", 300)),
        ("quakes deeper than 20 km", where("depth_km", ">", 20)),
    ],
)
async def test_what_lies_below_a_depth_is_deeper(
    chat: Chat, sentence: str, filters: dict[str, object]
) -> None:
    answer = await chat(sentence)
    assert [call.get("filters") for _, call in chat.calls] == [filters], answer


@pytest.mark.parametrize(
    ("sentence", "answer", "filters"),
    [
        ("villages where groundwater depth is below 30 m", "the first one", where("gw_depth_m", ">", 30)),
        (
            "villages where groundwater depth is below 30 m",
            "shallower than 30 m",
            where("gw_depth_m", "<", 30),
        ),
        ("villages where groundwater depth is above 30 m", "deeper than 30 m", where("gw_depth_m", ">", 30)),
        ("quakes below 20 km", "the second one", where("depth_km", "<", 20)),
        ("wells below 300 ft", "deeper than 300 ft", where("depth_ft", ">", 300)),
    ],
)
async def test_where_a_number_may_be_meant_it_is_asked(
    chat: Chat, sentence: str, answer: str, filters: dict[str, object]
) -> None:
    question = await chat(sentence)
    assert "deeper than" in question.splitlines()[0], question
    assert chat.calls == []
    await chat(answer)
    assert [call.get("filters") for _, call in chat.calls] == [filters]


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("which village has the lowest groundwater?", "Ratta Khera"),
        ("which village has the highest groundwater?", "Kamalpur"),
        ("which village has the lowest groundwater depth?", "Kamalpur"),
        ("which village has the greatest groundwater depth?", "Ratta Khera"),
    ],
)
async def test_the_lowest_of_what_lies_at_a_depth_is_the_deepest(
    chat: Chat, sentence: str, name: str
) -> None:
    assert (await chat(sentence)).startswith(f"**{name}**")


async def test_the_lowest_figure_of_what_lies_at_a_depth_is_not_guessed(chat: Chat) -> None:
    assert "it is not clear" in await chat("lowest groundwater of villages")
    assert "34 m" in await chat("maximum gw depth m of villages")
