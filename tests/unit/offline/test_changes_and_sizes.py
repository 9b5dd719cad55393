"""Changes between two columns, and sizes of parts: which columns are calculated with, and what is one group."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

PLACES = make_table(
    "data.towns",
    "POINT",
    "Towns",
    [("id", "integer", ""), ("name", "text", ""), ("2010", "integer", ""), ("2020", "integer", ""),
     ("Pop 2010", "integer", ""), ("Pop 2020", "integer", ""), ("region", "text", ""), ("rain mm", "number", "")],
    [(1, "Aston", 10, 20, 100, 200, "North", 5.0, (1.0, 1.0)),
     (2, "Burton", 30, 10, 900, 100, "South", 6.0, (2.0, 2.0))],
)  # fmt: skip


async def asked(*tables: Any, sentence: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    world = World(*tables)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    return desk.analysis.steps, answer


@pytest.mark.parametrize(
    ("sentence", "expressions"),
    [
        ("pop change from 2010 to 2020 in the towns",
         ['100.0 * ("Pop 2020" - "Pop 2010") / "Pop 2010"', '"Pop 2020" - "Pop 2010"']),
        ("which town has the biggest gap between pop 2010 and pop 2020?", ['abs("Pop 2010" - "Pop 2020")']),
        ("average rain of towns by region in cm", ['"mean_rain mm" * 0.1']),
        ("share of the total pop 2010 by region", ['100 * "sum_Pop 2010" / 1000']),
    ],
)  # fmt: skip
async def test_columns_are_quoted_in_calculations(sentence: str, expressions: list[str]) -> None:
    steps, answer = await asked(PLACES, sentence=sentence)
    assert [step["expression"] for name, step in steps if name == "calculate"] == expressions, answer


@pytest.mark.parametrize(
    ("sentence", "op", "smallest"),
    [
        ("which town lost the most pop from 2010 to 2020?", "<", True),
        ("which town gained the most pop from 2010 to 2020?", ">", False),
        ("in which region did pop rise the most from 2010 to 2020, in percent?", ">", False),
        ("which region did the pop fall most between 2010 and 2020?", "<", True),
        ("which town changed the most pop from 2010 to 2020?", "", None),
        ("which town changed the most from 2010 to 2020?", "", None),
    ],
)
async def test_only_what_has_lost_can_have_lost_the_most(
    sentence: str, op: str, smallest: bool | None
) -> None:
    steps, answer = await asked(PLACES, sentence=sentence)
    assert [step["filter"]["op"] for name, step in steps if name == "filter"] == ([op] if op else []), answer
    assert [step.get("smallest", False) for name, step in steps if name == "top"] == (
        [smallest] if op else []
    )


def areas(*key: str, more: str = "state") -> tuple[Any, Any]:
    table, rows = make_table(
        "data.counties", "MULTIPOLYGON", "Counties",
        [("id", "integer", ""), ("name", "text", ""), (more, "text", "")],
        [(1, "Washington", "Ohio", (1.0, 1.0)), (2, "Washington", "Iowa", (2.0, 2.0))],
    )  # fmt: skip
    return table.model_copy(update={"key": key}), rows


RIVERS = make_table(
    "data.rivers", "LINESTRING", "Rivers", [("id", "integer", ""), ("title", "text", "")],
    [(1, "Cedar", (1.0, 1.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("key", "by"),
    [(("id",), ["counties_id", "name"]), (("state",), ["state", "name"]), (("name",), ["name"]), ((), None)],
)
async def test_areas_of_one_name_stay_apart(key: tuple[str, ...], by: list[str] | None) -> None:
    steps, answer = await asked(
        areas(*key), RIVERS, sentence="how many km of rivers are there in each county?"
    )
    assert [step.get("by") for name, step in steps if name == "dissolve"] == ([by] if by else []), answer
    assert bool(steps) == bool(by), answer
