"""Words that resemble a style, a size or a command, but say which rows are meant: read so, or declined."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

TREES = make_table(
    "data.trees", "POINT", None,
    [("id", "integer", ""), ("species", "text", ""), ("district", "text", ""), ("height_m", "number", "")],
    [(1, "oak", "Lakeside", 12.0, (1.0, 1.0)), (2, "silver maple", "Hills", 9.0, (2.0, 1.0)),
     (3, "lime", "Hills", 7.0, (3.0, 1.0))],
)  # fmt: skip
HOSPITALS = make_table(
    "data.hospitals", "POINT", None,
    [("id", "integer", ""), ("name", "text", ""), ("beds", "integer", "")],
    [(1, "Alba", 80, (1.0, 3.0)), (2, "Bona", 120, (2.0, 3.0))],
)  # fmt: skip
TOWNS = make_table(
    "data.towns", "POINT", None,
    [("id", "integer", ""), ("name", "text", ""), ("pop_2015", "integer", ""), ("pop_2023", "integer", "")],
    [(1, "Aston", 100, 200, (1.0, 1.0)), (2, "Burton", 9000, 9900, (2.0, 2.0))],
)  # fmt: skip


async def asked(sentence: str) -> tuple[Chat, list[tuple[str, dict[str, Any]]], str]:
    world = World(TREES, HOSPITALS, TOWNS)
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    answer = await chat(sentence)
    return chat, desk.analysis.steps, answer


def drawn(chat: Chat) -> list[str]:
    return [name for name, _ in chat.calls if name not in ("cannot_do", "run_analysis")]


@pytest.mark.parametrize(
    "sentence",
    [
        "olive trees",
        "orange trees",
        "plum trees in Lakeside",
        "big hospitals",
        "small hospitals",
        "tiny hospitals",
        "large towns",
        "list large hospitals",
        "hollow trees",
        "thick trees",
        "transparent trees",
        "large recorded trees",
        "fill large trees red",
        "every tree but oaks in green",
        "show all trees but oaks",
    ],
)
async def test_a_word_before_the_noun_is_no_style(sentence: str) -> None:
    chat, steps, answer = await asked(sentence)
    assert (drawn(chat), steps) == ([], []), answer


@pytest.mark.parametrize(
    "sentence",
    [
        "trees in Lakeside: olive",
        "olive, trees in Lakeside",
        "show in olive the trees in Lakeside",
        "as olive dots: the trees in Lakeside",
    ],
)
async def test_a_style_behind_the_rows_or_apart_from_them(sentence: str) -> None:
    chat, _, answer = await asked(sentence)
    (layer,) = chat.layers.values()
    assert layer.style.color == "#808000", answer


@pytest.mark.parametrize(
    ("sentence", "measures"),
    [
        ("buffer hospitals by 1 km; how many are covered", False),
        ("buffer hospitals by 1 km; how many are left", False),
        ("buffer hospitals by 1 km; how many are inside", False),
        ("buffer hospitals by 1 km; how much is covered", True),
        ("buffer hospitals by 1 km; how many km2 are covered", True),
    ],
)
async def test_how_many_is_no_area(sentence: str, measures: bool) -> None:
    _, steps, answer = await asked(sentence)
    assert ("measure" in [name for name, _ in steps]) is measures, answer


@pytest.mark.parametrize(
    ("sentence", "by"),
    [
        ("which town grew fastest between 2015 and 2023", "change_in_percent"),
        ("which town grew the strongest from 2015 to 2023", "change_in_percent"),
        ("which town grew most between 2015 and 2023", "change"),
    ],
)
async def test_the_fastest_growth_is_that_in_percent(sentence: str, by: str) -> None:
    _, steps, answer = await asked(sentence)
    assert [step["by"] for name, step in steps if name == "top"] == [by], answer
