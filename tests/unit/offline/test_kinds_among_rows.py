"""A table that is called after one kind of its rows: what was taken for the noun is told."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

TOLD = "also those whose `area_type` is not Locality"


def _world() -> World:
    table, rows = make_table(
        "data.localities", "POLYGON", "The localities of the city and the neighbouring municipalities",
        [("loc_code", "text", ""), ("loc_name", "text", ""), ("area_type", "text", "Locality or Municipality"),
         ("pop_2024", "integer", ""), ("status", "text", "")],
        [("01", "Suba", "Locality", 1278433, "Open", (1.0, 1.0)), ("02", "Chapinero", "Locality", 1, "", (8.0, 8.0)),
         ("25754", "Soacha", "Municipality", 810418, "", (20.0, 20.0))],
    )  # fmt: skip
    samples = {"area_type": ("Locality", "Municipality")}
    columns = tuple(each.model_copy(update={"samples": samples.get(each.name, ())}) for each in table.columns)
    crashes = make_table(
        "data.crashes", "POINT", "Crashes", [("id", "integer", "")], [(1, (1.0, 1.0)), (2, (20.0, 20.0))]
    )
    return World((table.model_copy(update={"columns": columns}), rows), crashes)


@pytest.mark.parametrize(
    ("sentence", "is_told"),
    [
        ("localities with more than 500.000 inhabitants", True),
        ("how many localities are there?", True),
        ("average pop_2024 of localities", True),
        ("number of crashes in each locality", True),
        ("which localities have no crashes?", True),
        ("municipalities with more than 500.000 inhabitants", False),
        ("localities where area_type is Locality", False),
        ("total pop_2024 of the localities without the municipalities", False),
        ("how many crashes are there?", False),
    ],
)
async def test_rows_of_other_kinds_are_told(sentence: str, is_told: bool) -> None:
    desk = Desk(_world())
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert "cannot" not in answer, answer
    assert (TOLD in answer) == is_told, answer
