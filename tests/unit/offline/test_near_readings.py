"""Words that resemble a style, a size or a command, but say which rows are meant: read so, or declined."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

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

CLAIMS = make_table(
    "data.claims", "POINT", None,
    [("id", "integer", ""), ("status", "text", ""), ("cause", "text", "")],
    [(1, "open", "hail", (1.0, 1.0)), (2, "paid", "wind", (2.0, 2.0))],
)  # fmt: skip
PATHS = make_table(
    "data.footpaths", "POINT", None,
    [("id", "integer", ""), ("open_yn", "text", "Open to the public, Y or N (closed)")],
    [(1, "Y", (1.0, 1.0)), (2, "N", (2.0, 2.0))],
)  # fmt: skip

QUAKES = make_table(
    "data.earthquakes", "POINT", None, [("id", "integer", ""), ("felt", "text", "")],
    [(1, "not felt", (1.0, 1.0)), (2, "widely", (1.0, 2.0)), (3, "locally", (2.0, 2.0))],
)  # fmt: skip
PARCELS = make_table(
    "data.parcels", "POINT", None, [("id", "integer", ""), ("use", "text", ""), ("area_m2", "number", "")],
    [(1, "vacant", 400.0, (1.0, 1.0)), (2, "shop", 300.0, (1.0, 2.0))],
)  # fmt: skip


async def asked(sentence: str) -> tuple[Chat, list[tuple[str, dict[str, Any]]], str]:
    world = World(TREES, HOSPITALS, TOWNS, CLAIMS, PATHS, QUAKES, PARCELS)
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


@pytest.mark.parametrize(
    ("sentence", "column", "value"),
    [
        ("open claims", "status", "open"),
        ("open claims by cause", "status", "open"),
        ("open footpaths", "open_yn", "Y"),
    ],
)
async def test_open_is_said_of_the_rows_that_may_be(sentence: str, column: str, value: str) -> None:
    chat, _, answer = await asked(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("add_map_layer", where(column, "=", value)), answer


@pytest.mark.parametrize("sentence", ["open the claims", "open trees"])
async def test_open_shows_other_rows(sentence: str) -> None:
    chat, _, answer = await asked(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter is None, answer


@pytest.mark.parametrize(
    ("sentence", "groups"),
    [
        ("trees per species and district as a bar chart", ("species", "district")),
        ("how many trees per species and district as a bar chart", ("species", "district")),
        ("trees by species and district as bars", ("species", "district")),
        ("claims per cause and status as a bar chart", ("cause", "status")),
    ],
)
async def test_bars_of_two_groups_are_one_chart(sentence: str, groups: tuple[str, str]) -> None:
    chat, steps, answer = await asked(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["x"], arguments["color"], steps) == ("make_chart", *groups, []), answer


NOT_VACANT, SMALL = no(where("use", "=", "vacant")), where("area_m2", "<=", 500)


@pytest.mark.parametrize(
    ("sentence", "condition"),
    [
        ("how many earthquakes were not felt widely", no(where("felt", "=", "widely"))),
        ("how many earthquakes were not felt locally", no(where("felt", "=", "locally"))),
        ("how many earthquakes were not felt", where("felt", "=", "not felt")),
        ("how many parcels are neither vacant nor larger than 500 m2", both(NOT_VACANT, SMALL)),
        ("how many parcels are neither larger than 500 m2 nor vacant", both(SMALL, NOT_VACANT)),
    ],
)
async def test_what_rows_are_not(sentence: str, condition: dict[str, Any]) -> None:
    chat, _, answer = await asked(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("count_features", condition), answer


@pytest.mark.parametrize(
    "sentence", ["line chart of the number of trees per district", "number of trees per district as a line chart"]
)  # fmt: skip
async def test_a_line_through_groups_is_bars_and_says_so(sentence: str) -> None:
    chat, _, answer = await asked(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["kind"], arguments["x"]) == ("make_chart", "bar", "district")
    assert answer.endswith("Lines are drawn along numbers and times: these are bars.")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("nearest hospital to the town Aston, dist in m", "**Alba** is nearest to Aston: 222,390.17 m."),
        ("closest hospital to town Burton", "**Bona** is nearest to Burton: 111.2 km."),
        ("which town is farthest from a hospital?", "**Aston** is farthest: 222.4 km from Alba."),
        ("nearest town to hospital Bona, with the distance", "**Burton** is nearest to Bona: 111.2 km."),
    ],
)
async def test_the_nearest_one_is_told_by_its_name(said: str, told: str) -> None:
    world = World(HOSPITALS, TOWNS)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(said)
    assert answer.startswith(told), answer
    assert not any("each" in title for title in desk.analysis.titles[-1:])
