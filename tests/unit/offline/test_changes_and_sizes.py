"""Changes between two columns, and sizes of parts: which columns are calculated with, and what is one group."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.meaning.row_names import name_column
from tests.unit.geo_agent.making import full, make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

PLACES = full(make_table(
    "data.towns",
    "POINT",
    "Towns",
    [("id", "integer", ""), ("name", "text", ""), ("2010", "integer", ""), ("2020", "integer", ""),
     ("Pop 2010", "integer", ""), ("Pop 2020", "integer", ""), ("region", "text", ""), ("rain mm", "number", "")],
    [(1, "Aston", 10, 20, 100, 200, "North", 5.0, (1.0, 1.0)),
     (2, "Burton", 30, 10, 900, 100, "South", 6.0, (2.0, 2.0))],
))  # fmt: skip


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


CASES = full(make_table(
    "data.health_areas", "POINT", "Health areas",
    [("id", "integer", ""), ("area_nm", "text", "Name of the area"), ("county", "text", ""),
     ("setting", "text", "Kind of settlement: urban or rural"), ("lyme_2022", "integer", ""),
     ("lyme_2023", "integer", "")],
    [(1, "A", "North", "rural", 10, 20, (1.0, 1.0)), (2, "B", "North", "urban", 30, 10, (2.0, 2.0)),
     (3, "C", "South", "rural", 30, 31, (3.0, 3.0))],
))  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "title"),
    [
        ("change in lyme from 2022 to 2023 of rural health areas by county",
         "Change of lyme from 2022 to 2023 of rural health areas by county"),
        ("increase in lyme of health areas where setting is rural from 2022 to 2023 by county",
         "Change of lyme from 2022 to 2023 of health areas where setting is rural by county"),
        ("change in lyme of health areas from 2022 to 2023 by county",
         "Change of lyme from 2022 to 2023 by county"),
        ("which county had the largest increase in lyme from 2022 to 2023?",
         "Change of lyme from 2022 to 2023"),
    ],
)  # fmt: skip
async def test_a_change_says_of_which_rows_it_is(sentence: str, title: str) -> None:
    world = World(CASES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    titles = desk.analysis.titles
    assert title in titles, (titles, answer)


@pytest.mark.parametrize(
    ("sentence", "falls"),
    [
        ("drop in lyme of health areas from 2022 to 2023 by county", True),
        ("decline in lyme of health areas from 2022 to 2023 by county", True),
        ("decrease in lyme of health areas from 2022 to 2023", True),
        ("growth of lyme of health areas from 2022 to 2023 by county", False),
        ("change in lyme of health areas from 2022 to 2023 by county", False),
    ],
)
async def test_what_fell_is_told_where_falling_is_asked_for(sentence: str, falls: bool) -> None:
    steps, answer = await asked(CASES, sentence=sentence)
    kept = [(step["filter"]["op"], step["filter"]["args"][1]) for name, step in steps if name == "filter"]
    assert kept == ([("<", 0)] if falls else []), answer
    assert [step.get("smallest") for name, step in steps if name == "top"] == ([True] if falls else [])
    assert any(name == "calculate" for name, _ in steps)


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


def links(rows: str, name: str, comment: str, of: str = "") -> tuple[Any, Any]:
    return make_table(
        f"data.{rows}", "LINESTRING", of,
        [("id", "integer", ""), (name, "text", comment), ("kind", "text", "Class of it"),
         ("pop_2015", "integer", ""), ("pop_2023", "integer", "")],
        [(1, "B 27", "trunk", 100, 50, (1.0, 1.0)), (2, "B 28", "minor", 100, 90, (2.0, 2.0))],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "name", "comment", "meant"),
    [
        ("road_links", "rd_no", "Number of the road", "rd_no"),
        ("bridges", "brdg_no", "Number in the register", "brdg_no"),
        ("municipalities", "munic_nm", "What it is called", "munic_nm"),
        ("hydrants", "dist_nm", "District", "kind"),
    ],
)
def test_rows_are_called_by_a_column_that_begins_with_their_noun(
    rows: str, name: str, comment: str, meant: str
) -> None:
    column = name_column(links(rows, name, comment)[0])
    assert column is not None
    assert column.name == meant


@pytest.mark.parametrize(
    "sentence",
    [
        "which municipality had the strongest pop decline from 2015 to 2023?",
        "which municipality lost the most pop from 2015 to 2023?",
    ],
)
async def test_rows_with_a_name_are_no_groups_of_it(sentence: str) -> None:
    table = links("municip_econ", "munic_nm", "Name of the municipality", "Municipalities")
    steps, answer = await asked(table, sentence=sentence)
    assert [name for name, _ in steps] == ["calculate", "calculate", "filter", "top"], answer


@pytest.mark.parametrize(
    "sentence", ["show one of the rivers", "one of the rivers", "show one of the rivers called Cedar"]
)
async def test_one_of_the_rows_is_not_all_of_them(sentence: str) -> None:
    chat = Chat(World(RIVERS))
    await chat(sentence)
    assert not chat.layers
