"""Rows that are described by their columns: abbreviated names, flags, codes, densities, and examples in comments."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, both, where

SEWER_COLUMNS = [
    ("no", "text", ""), ("system", "text", ""), ("yr_laid", "integer", "Year of construction"),
    ("last_insp", "date", ""), ("rehab_due", "boolean", ""), ("pipe_nm", "text", ""),
]  # fmt: skip
SEWER_ROWS = [
    ("a", "combined", 1940, "2020-01-01", True, "Upper", (1.0, 1.0)),
    ("b", "storm", 1990, "2021-01-01", False, "Lower", (2.0, 2.0)),
]
SEWERS = make_table("data.sewers", "LINESTRING", None, SEWER_COLUMNS, SEWER_ROWS)
LAID, DUE = where("yr_laid", "<", 1950), where("rehab_due", "=", True)


async def test_the_code_of_a_row_is_not_that_of_its_country() -> None:
    chat = Chat()
    answer = await chat("show airports labelled with their code")
    assert chat.calls == []
    assert "icao or iata" in answer
    await chat("show airports with an iata code in red, labelled with the code")
    assert chat.calls[0][1]["style"]["label"] == "iata"


async def test_rows_in_an_order_are_listed() -> None:
    chat = Chat()
    await chat("countries with more than 10 million people, largest first")
    assert [name for name, _ in chat.calls] == ["query_features"]


@pytest.mark.parametrize(
    ("sentence", "arguments"),
    [
        ("combined sewers laid before 1950 where rehab is due",
         {"filters": {"op": "and", "args": [where("system", "=", "combined"), LAID, DUE]}}),
        ("sewers where rehab is not due", {"filters": where("rehab_due", "=", False)}),
        ("sewers last inspected before 2021", {"filters": where("last_insp", "<", {"date": "2021-01-01"})}),
        ("show sewers labelled", {"style": {"label": "pipe_nm"}}),
        ("show sewers labelled by name", {"style": {"label": "pipe_nm"}}),
    ],
)  # fmt: skip
async def test_rows_by_abbreviated_columns_and_flags(sentence: str, arguments: dict[str, Any]) -> None:
    chat = Chat(World(SEWERS))
    answer = await chat(sentence)
    assert chat.calls == [("add_map_layer", {"table": "data.sewers", **arguments})], answer


async def test_a_number_per_area_is_a_density() -> None:
    chat = Chat()
    await chat("countries with more than 10 million people but fewer than 60 per km2")
    assert chat.calls[0][1]["filters"]["args"][1] == where("population_density", "<", 60)


async def test_a_value_before_a_part_of_its_table_s_name_is_of_its_rows() -> None:
    chat = Chat(World(make_table("data.sewer_pipes", "LINESTRING", None, SEWER_COLUMNS, SEWER_ROWS)))
    await chat("combined sewers laid before 1950")
    ((name, arguments),) = chat.calls
    assert name == "add_map_layer"
    assert arguments["filters"] == both(where("system", "=", "combined"), where("yr_laid", "<", 1950))


async def test_an_example_in_a_comment_is_a_value_and_no_word_for_the_column() -> None:
    chat = Chat()
    await chat("airports with icao code EDDF")
    assert chat.calls[0][1]["filters"] == where("icao", "=", "EDDF")


PLAYGROUNDS = make_table(
    "data.playgrounds", "POINT", "Playgrounds",
    [("id", "integer", ""), ("name", "text", ""), ("address", "text", ""), ("opened", "integer", "")],
    [(1, "North", None, 2000, (1.0, 1.0)), (2, "South", None, 2010, (1.0, 1.1))],
)  # fmt: skip


async def test_a_column_without_a_value_is_listed_only_where_it_is_asked_for() -> None:
    assert "| name | opened |" in await Chat(World(PLAYGROUNDS))("list the playgrounds")
    assert "address" in await Chat(World(PLAYGROUNDS))("list the playgrounds without an address")


async def test_no_row_is_said_of_all_conditions() -> None:
    answer = await Chat(World(PLAYGROUNDS))("list the playgrounds with address")
    assert answer.startswith("No row of playgrounds where address is not empty.")
