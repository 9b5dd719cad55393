"""Numbers with their unit, measure or thing counted, before a noun or right behind it: `6 m wide`, `two-lane roads`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

ROADS = make_table(
    "data.roads",
    "LINESTRING",
    "Roads",
    [("id", "integer", ""), ("surface", "text", ""), ("lanes", "integer", "Number of lanes"),
     ("wid_m", "number", "Carriageway width (m)"), ("spd_kmh", "integer", "Speed limit (km/h)"),
     ("toll_pct", "integer", "Share of the toll (%)"), ("lit_yn", "text", "Street lights on (Y/N)"),
     ("bike_yn", "text", "Cycle access (Y/N)"), ("phone", "text", "Number of the emergency phone")],
    [(1, "gravel", 1, 3.0, 50, 1, "Y", "Y", None, (1.0, 1.0)),
     (2, "gravel", 2, 6.0, 80, 5, "N", "N", "12", (2.0, 2.0)),
     (3, "paved", 2, 6.0, 100, 1, "Y", "N", None, (3.0, 3.0)),
     (4, "paved", 4, 9.0, 100, 2, "N", "Y", "14", (4.0, 4.0))],
)  # fmt: skip
GRAVEL, TWO_LANES = where("surface", "=", "gravel"), where("lanes", "=", 2)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show the 6 m wide roads", where("wid_m", "=", 6)),
        ("roads 6 m wide", where("wid_m", "=", 6)),
        ("roads that are 3 m wide", where("wid_m", "=", 3)),
        ("two-lane roads", TWO_LANES),
        ("all 2-lane roads in red", TWO_LANES),
        ("show two lane gravel roads", both(TWO_LANES, GRAVEL)),
        ("gravel roads one lane", both(GRAVEL, where("lanes", "=", 1))),
        ("100 km/h roads", where("spd_kmh", "=", 100)),
        ("1% roads", where("toll_pct", "=", 1)),
        ("roads, cyclists ok", None),
        ("roads cycles ok", where("bike_yn", "=", "Y")),
        ("roads without a phone no.", {"op": "isNull", "args": [{"property": "phone"}]}),
    ],
)
async def test_the_number_is_that_of_the_column_it_counts_or_measures(
    sentence: str, filters: dict[str, Any] | None
) -> None:
    chat = Chat(World(ROADS))
    answer = await chat(sentence)
    assert [layer.filter for layer in chat.layers.values()] == ([filters] if filters else []), answer


@pytest.mark.parametrize(
    "sentence", ["500 m roads", "5 roads", "30 kg roads", "roads 20 m", "3-storey roads"]
)
async def test_no_number_is_compared_with_what_it_may_not_mean(sentence: str) -> None:
    chat = Chat(World(ROADS))
    answer = await chat(sentence)
    assert not chat.layers, answer


async def test_a_number_word_before_a_value_counts_the_rows() -> None:
    world = World(ROADS)
    chat = Chat(world, analyst=Desk(world))
    answer = await chat("three gravel roads closest to Berlin")
    assert "several things" not in answer
    assert [name for name, _ in chat.calls] == ["run_analysis"], answer
