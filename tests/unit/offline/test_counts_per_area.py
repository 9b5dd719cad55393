"""What belongs to areas by a key is counted by it, whatever the wording; what is `in each` of them lies there."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table, referring
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

VILLAGES = make_table(
    "data.villages", "POLYGON", "Villages",
    [("vill_code", "text", ""), ("vill_name", "text", "")],
    [("V1", "Kamalpur", (1.0, 1.0)), ("V2", "Ratta Khera", (8.0, 8.0))],
)  # fmt: skip
TUBEWELLS = referring(
    make_table(
        "data.tubewells", "POINT", "Tubewells",
        [("tw_no", "text", ""), ("vill_code", "text", ""), ("owner", "text", "")],
        [("T1", "V1", "A", (1.0, 1.0)), ("T2", "V1", "B", (8.0, 8.0)), ("T3", None, "B", (8.0, 8.0))],
    ),
    ("vill_code", "data.villages", "vill_code"),
)  # fmt: skip
BY_KEY = {"source": "data.tubewells", "by": ["vill_code"]}


@pytest.fixture
def desk() -> Desk:
    return Desk(World(VILLAGES, TUBEWELLS))


@pytest.mark.parametrize(
    "sentence",
    [
        "number of tubewells per village",
        "how many tubewells are there per village?",
        "tubewells per village",
        "number of tubewells for each village",
    ],
)
async def test_what_belongs_to_areas_is_counted_by_its_key(desk: Desk, sentence: str) -> None:
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert desk.analysis.steps[0] == ("summarise", BY_KEY), answer
    assert desk.analysis.steps[1][0] == "join_by_attribute"
    assert "Grouped by the column `vill_code`; 1 row without a match left out." in answer


@pytest.mark.parametrize("sentence", ["number of tubewells in each village", "tubewells within each village"])
async def test_what_lies_in_areas_is_counted_there(desk: Desk, sentence: str) -> None:
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert [name for name, _ in desk.analysis.steps] == ["spatial_join"], answer


WELLS = make_table(
    "data.wells", "POINT", "Wells",
    [("id", "integer", ""), ("ward", "text", ""), ("flow", "number", ""), ("depth", "number", "")],
    [(1, "A", 2.0, 5.0, (1.0, 1.0)), (2, "A", None, 6.0, (1.0, 1.1)), (3, "B", 4.0, 7.0, (1.0, 1.2))],
)  # fmt: skip
OF_ALL = "`count` is that of all rows, also of those without a value of `flow`."


@pytest.mark.parametrize(
    ("sentence", "is_told"),
    [
        ("average flow of wells by ward", True),
        ("total flow of wells per ward", True),
        ("average flow of wells in each village", True),
        ("average depth of wells by ward", False),
        ("number of wells by ward", False),
    ],
)
async def test_a_count_of_rows_without_a_value_is_told(sentence: str, is_told: bool) -> None:
    desk = Desk(World(WELLS, VILLAGES))
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert desk.analysis.steps, answer
    assert (OF_ALL in answer) == is_told, answer


async def test_what_is_near_areas_is_counted_by_place_also_where_a_key_relates_it(desk: Desk) -> None:
    answer = await Chat(desk.world, analyst=desk)("number of tubewells within 2 km of each village")
    assert [name for name, _ in desk.analysis.steps] == ["spatial_join"], answer
