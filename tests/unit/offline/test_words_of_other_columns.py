"""Words that a comment only mentions, years that a column is of, and rows of another table than those spoken of."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, where

PLANTS = make_table(
    "data.plants", "POINT", "Plants",
    [("id", "integer", ""), ("sort", "text", "Common name"),
     ("trt", "text", "Treated against emerald ash borer: Y/N, only recorded for ash")],
    [(1, "White ash", "Y", (1.0, 1.0)), (2, "White ash", "N", (1.0, 1.1)), (3, "Oak", "N", (1.0, 1.2))],
)  # fmt: skip
ROUTES = make_table(
    "data.routes", "LINESTRING", "Routes",
    [("id", "integer", ""), ("name", "text", ""), ("riders_23", "integer", "Boardings in calendar year 2023"),
     ("start_dt", "date", "Date the route entered service")],
    [(1, "a", 30, "2020-01-01", (1.0, 1.0)), (2, "b", 20, "2023-02-01", (1.0, 1.1))],
)  # fmt: skip
PLACES = make_table(
    "data.facilities", "POINT", "Facilities",
    [("id", "integer", ""), ("name", "text", ""), ("kind", "text", "PLAY = playground, LIB = library")],
    [(1, "a", "PLAY", (1.0, 1.0)), (2, "b", "LIB", (1.0, 1.1))],
)  # fmt: skip


async def asked(sentence: str) -> tuple[str, Chat]:
    chat = Chat(World(PLANTS, ROUTES, PLACES))
    return await chat(sentence), chat


@pytest.mark.parametrize("sentence", ["where are the ash plants?", "show the ash plants"])
async def test_a_flag_is_not_named_by_what_its_comment_only_mentions(sentence: str) -> None:
    answer, chat = await asked(sentence)
    assert "where sort ends with ash" in answer
    assert chat.layers


async def test_a_flag_is_named_by_what_its_comment_begins_with() -> None:
    _, chat = await asked("show the treated plants")
    assert chat.calls == [("add_map_layer", {"table": "data.plants", "filters": where("trt", "=", "Y")})]


@pytest.mark.parametrize(
    "sentence", ["What was the busiest route in 2023?", "which route was the busiest in 2023"]
)
async def test_a_year_that_the_ranking_column_is_of_is_no_date(sentence: str) -> None:
    answer, _ = await asked(sentence)
    assert "`riders_23` 30" in answer


async def test_a_year_that_it_is_not_of_is_a_date() -> None:
    answer, _ = await asked("What was the busiest route in 2020?")
    assert "start_dt" in answer


@pytest.mark.parametrize("sentence", ["which playgrounds were those?", "and which playgrounds were these"])
async def test_rows_that_are_asked_for_by_rows_of_another_table_are_not_all_rows(sentence: str) -> None:
    _, chat = await asked(sentence)
    assert not chat.layers
