"""Requests of a recreation planner: lists with columns, groups ranked by figures, the busiest month, and nouns that
are values although they resemble the names of tables."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

FACILITIES = make_table(
    "data.rec_facilities", "POINT", "Park buildings, arenas and outdoor rinks",
    [("id", "integer", ""), ("fac_name", "text", ""), ("fac_type", "text", ""), ("yr_built", "integer", ""),
     ("capacity", "integer", "Max. occupancy, people"), ("lighted", "boolean", "")],
    [(1, "Minto", "Arena", 1986, 1100, True, (1.0, 1.0)),
     (2, "Heron Road", "Outdoor rink", 1993, 60, False, (1.0, 1.1)),
     (3, "Kolbus", "Arena", 1974, 1000, False, (1.0, 1.2))],
)  # fmt: skip
PLAYGROUNDS = make_table(
    "data.playgrounds", "POINT", "Play areas in city parks",
    [("id", "integer", ""), ("park_nm", "text", "Park name"), ("cond_cd", "integer", "4 = poor, 5 = very poor"),
     ("repl_cost_cad", "number", "Replacement cost, CAD"), ("play_type", "text", ""),
     ("shade", "boolean", "Shade structure or mature trees")],
    [(1, "Minto Park", 5, 300.0, "Play structure", False, (1.0, 1.0)),
     (2, "Brewer Park", 4, 200.0, "Swings", True, (1.0, 1.1))],
)  # fmt: skip
PERMITS = make_table(
    "data.field_permits", "POINT", "Sports field bookings (permits)",
    [("id", "integer", ""), ("sport", "text", ""), ("holder", "text", "Permit holder (club or group)"),
     ("start_ts", "timestamp", "Start of the booking"), ("hrs", "number", "Booked hours"),
     ("fee_cad", "number", "Rental fee, CAD")],
    [(1, "soccer", "Eagles", "2025-05-01 10:00:00", 2.0, 50.0, (1.0, 1.0)),
     (2, "soccer", "Knights", "2025-05-02 10:00:00", 1.0, 40.0, (1.0, 1.1)),
     (3, "rugby", "Eagles", "2026-06-02 10:00:00", 3.0, 60.0, (1.0, 1.1))],
)  # fmt: skip
AREAS = make_table(
    "data.neighbourhoods", "POLYGON", "Neighbourhoods",
    [("id", "integer", ""), ("nbhd_name", "text", ""), ("pop_2021", "integer", "Population")],
    [(1, "Vanier", 100, (1.0, 1.0)), (2, "Avalon", 200, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(FACILITIES, PLAYGROUNDS, PERMITS, AREAS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


async def test_a_value_is_no_misspelt_table(chat: Chat) -> None:
    answer = await chat("show arenas")  # not the play areas
    (layer,) = chat.layers.values()
    assert (layer.table, layer.filter) == ("data.rec_facilities", where("fac_type", "=", "Arena")), answer


@pytest.mark.parametrize(
    ("sentence", "columns"),
    [
        ("list the arenas with their name and capacity", ["fac_name", "capacity"]),
        ("table of arenas with name, capacity and year built", ["fac_name", "capacity", "yr_built"]),
        ("list of the arenas with year built", ["fac_name", "yr_built"]),
    ],
)
async def test_a_list_has_the_columns_that_are_named(chat: Chat, sentence: str, columns: list[str]) -> None:
    answer = await chat(sentence)
    header = next(line for line in answer.splitlines() if line.startswith("|"))
    assert [each.strip() for each in header.strip("|").split("|")][: len(columns)] == columns, answer
    assert "2 rec facilities where fac_type is Arena" in answer, answer


async def test_rows_on_the_map_become_a_table_with_columns(chat: Chat) -> None:
    await chat("show arenas")
    answer = await chat("give me a table with name, capacity and year built")
    assert "| fac_name | capacity | yr_built |" in answer, answer


async def test_a_list_with_what_is_yes_or_no_is_narrowed(chat: Chat) -> None:
    assert "1 " in await chat("how many lighted facilities are there")


@pytest.mark.parametrize("sentence", ["lit facilities", "lighted facilities"])
async def test_forms_of_a_yes_or_no_column(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == where("lighted", "=", True), answer


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("top 5 permit holders by hours booked", "| Eagles | 5 | 2 |"),
        ("top 5 sports by fees", "| soccer | 90 | 2 |"),
        ("which holder has the most hours", "| Eagles | 5 | 2 |"),
    ],
)
async def test_groups_are_ranked_by_a_sum(chat: Chat, sentence: str, first: str) -> None:
    answer = await chat(sentence)
    assert answer.split(" |\n| ---")[1].splitlines()[1] == first, answer


@pytest.mark.parametrize("sentence", ["chart of bookings by sport", "number of bookings by sport"])
async def test_points_are_not_counted_in_points(desk: Desk, chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert not any(name == "spatial_join" for name, _ in desk.analysis.steps), answer
    assert "soccer" in answer or any(name == "make_chart" for name, _ in chat.calls), answer


async def test_areas_are_ranked_by_the_number_of_rows_in_them(desk: Desk, chat: Chat) -> None:
    answer = await chat("top 5 neighbourhoods by number of playgrounds")
    assert any(name == "spatial_join" for name, _ in desk.analysis.steps), answer


@pytest.mark.parametrize(
    "sentence", ["busiest month for bookings in 2025", "which month was the busiest for bookings"]
)
async def test_the_busiest_month(desk: Desk, chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert any(arguments.get("by") == ["month"] for _, arguments in desk.analysis.steps), answer


async def test_what_it_would_cost_to_replace_the_rows(chat: Chat) -> None:
    answer = await chat("what would it cost to replace all the playgrounds in very poor condition?")
    assert "The total `repl_cost_cad`" in answer, answer
    assert "300" in answer, answer


async def test_for_this_year_is_this_year(chat: Chat) -> None:
    answer = await chat("how many bookings are there for this year")
    assert "start_ts ≥" in answer, answer


async def test_a_whole_value_is_no_column_after_the_noun(chat: Chat) -> None:
    answer = await chat("how many playgrounds are play structure")
    assert "1 playground where play_type is Play structure" in answer, answer
