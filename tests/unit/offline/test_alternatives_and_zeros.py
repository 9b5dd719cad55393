"""Conditions joined by `or`, comparisons that leave out the column of the one before, and counts that are 0."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, both, empty, known, where, within

FARMS = make_table(
    "data.farms", "POINT", "",
    [("id", "integer", ""), ("name", "text", ""), ("crop", "text", ""), ("district", "text", ""),
     ("workers", "integer", ""), ("sheds", "integer", ""), ("founded", "integer", ""), ("inspected", "date", "")],
    [(1, "Hill", "wheat", "Aston", 0, 1, 1890, "2020-05-01", (1.0, 1.0)),
     (2, "Lake", "barley", "Brook", None, 2, 1990, "2021-05-01", (2.0, 2.0)),
     (3, "Mill", "rye", "Brook", 4, None, 2005, "2022-05-01", (2.0, 2.0))],
)  # fmt: skip

PERU = where("country", "=", "Peru")
GERMANY = where("country", "=", "Germany")


async def filter_of(sentence: str, *tables: Any) -> Any:
    chat = Chat(World(*tables)) if tables else Chat()
    answer = await chat(sentence)
    assert len(chat.layers) == 1, answer
    (layer,) = chat.layers.values()
    return layer.filter


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        (
            "airports in Peru above 3000 m or below 100 m",
            both(PERU, both(where("elevation_m", ">", 3000), where("elevation_m", "<", 100), op="or")),
        ),
        (
            "airports above 3000 m or below 100 m in Peru",
            both(both(where("elevation_m", ">", 3000), where("elevation_m", "<", 100), op="or"), PERU),
        ),
        (
            "airports in Peru above 3000 m or below 100 m in Germany",
            both(
                both(PERU, where("elevation_m", ">", 3000)),
                both(where("elevation_m", "<", 100), GERMANY),
                op="or",
            ),
        ),
        (
            "airports in Peru above 3000 m or in Germany above 500 m",
            both(
                both(PERU, where("elevation_m", ">", 3000)),
                both(GERMANY, where("elevation_m", ">", 500)),
                op="or",
            ),
        ),
        (
            "airports above 400 m in Peru or in Germany",
            both(where("elevation_m", ">", 400), where("country", "in", ["Peru", "Germany"])),
        ),
        (
            "airports in Peru without an iata code or without a city",
            both(PERU, both(empty("iata"), empty("city"), op="or")),
        ),
    ],
)
async def test_alternatives_of_one_kind_belong_together(sentence: str, wanted: Any) -> None:
    assert await filter_of(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        (
            "farms founded before 1900 or after 2000",
            both(where("founded", "<", 1900), where("founded", ">", 2000), op="or"),
        ),
        (
            "farms founded before 1900, between 1950 and 1960 or after 2000",
            both(
                where("founded", "<", 1900),
                within("founded", 1950, 1960),
                where("founded", ">", 2000),
                op="or",
            ),
        ),
        (
            "farms founded between 1950 and 1960 or after 2000",
            both(within("founded", 1950, 1960), where("founded", ">", 2000), op="or"),
        ),
        (
            "farms founded after 1900 and before 2000",
            both(where("founded", ">", 1900), where("founded", "<", 2000)),
        ),
    ],
)
async def test_a_comparison_without_a_column_is_of_the_one_before(sentence: str, wanted: Any) -> None:
    assert await filter_of(sentence, FARMS) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("farms with no workers", where("workers", "=", 0)),
        ("farms without workers", where("workers", "=", 0)),
        ("farms that have workers", where("workers", ">", 0)),
        ("farms where workers is empty", empty("workers")),
        ("farms where workers is not empty", known("workers")),
        ("farms with missing workers", empty("workers")),
        ("farms without sheds", empty("sheds")),
    ],
)
async def test_nobody_is_counted_where_the_count_is_0(sentence: str, wanted: Any) -> None:
    assert await filter_of(sentence, FARMS) == wanted


async def test_alternatives_that_contradict_the_other_conditions_are_declined() -> None:
    chat = Chat(World(FARMS))
    answer = await chat("farms with wheat in Aston or barley in Brook")
    assert chat.layers == {}, answer
