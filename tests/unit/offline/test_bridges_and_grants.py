"""Requests in words of comments: scales, codes, flags as nouns, synonyms, states by the date of their decision."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

BRIDGES = make_table(
    "data.bridges", "POINT", "Bridge register: one row per span and pier",
    [("id", "integer", ""), ("br_no", "text", ""),
     ("cond", "integer", "condition rating: 1 = very good, 2 = good, 3 = fair, 4 = poor, 5 = critical"),
     ("cap", "integer", "load capacity class: 1 high, 2 middle, 3 low"),
     ("toll_br", "text", "Toll bridge on a county road, Y/N"), ("mat", "text",
      "material: ST steel, CO concrete, TI timber, MA masonry, AL aluminium, Br brick"),
     ("owner_typ", "text", "owner"), ("corroded", "text", "corrosion: yes, no, suspected"),
     ("former_use", "text", ""), ("renewed_yr", "integer", "year of the last renewal"),
     ("trucks_day", "integer", "Trucks per day"), ("brd_wkdy", "integer", "boardings per weekday"),
     ("protected", "boolean", "listed monument / protection order applies"), ("valley", "text", "")],
    [(1, "B1", 1, 1, "Y", "ST", "private", "yes", "railway", 1990, 10, 7, True, "Elm", (1.0, 1.0)),
     (2, "B2", 2, 2, "N", "CO", "county", "no", "canal", 2005, 20, 8, False, "Oak", (1.0, 1.1)),
     (3, "B3", 3, 3, "Y", "TI", "private", "suspected", "tramway", 2010, 30, 9, True, "Elm", (1.0, 1.2)),
     (4, "B4", 4, 1, "N", "MA", "county", "no", "railway", 1985, 40, 6, False, "Oak", (1.0, 1.3)),
     (5, "B5", 5, 2, "N", "AL", "county", "no", "railway", 1985, 40, 5, True, "Oak", (1.0, 1.4)),
     (6, "B6", 5, 2, "N", "Br", "county", "no", "railway", 1985, 40, 5, True, "Elm", (1.0, 1.5))],
)  # fmt: skip
GRANTS = make_table(
    "data.grants", "POINT", "Grant applications",
    [("id", "integer", ""), ("ref", "text", ""), ("status", "text", ""), ("received_on", "date", ""),
     ("decided_on", "date", ""), ("seats_new", "integer", "number of additional seats (places)")],
    [(1, "G1", "approved", "2021-05-01", "2022-01-01", 3, (1.0, 1.0)),
     (2, "G2", "rejected", "2021-06-01", "2021-09-01", 4, (1.0, 1.1)),
     (3, "G3", "withdrawn", "2021-07-01", None, 5, (1.0, 1.2))],
)  # fmt: skip
PARISHES = make_table(
    "data.parishes", "POLYGON", "Parishes",
    [("id", "integer", ""), ("name", "text", ""), ("county", "text", ""), ("inw", "integer", "inhabitants, 2021"),
     ("hh", "number", "persons per household"), ("inc", "integer", "median income")],
    [(1, "Ashby", "North", 900, 2.1, 30, (1.0, 1.0)), (2, "Thorpe", "South", 1900, 2.4, 40, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    desk = Desk(World(BRIDGES, GRANTS, PARISHES))
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("corroded bridges", where("corroded", "=", "yes")),
        ("bridges that are corroded or suspected", both(
            where("corroded", "=", "yes"), where("corroded", "=", "suspected"), op="or")),
        ("bridges in poor condition or worse", where("cond", ">=", 4)),
        ("bridges in good condition or better", where("cond", "<=", 2)),
        ("exclude the critical bridges", {"op": "not", "args": [where("cond", "=", 5)]}),
        ("show toll bridges", where("toll_br", "=", "Y")),
        ("toll bridges in poor condition", both(where("cond", "=", 4), where("toll_br", "=", "Y"))),
        ("brick bridges", where("mat", "=", "Br")),
        ("aluminium bridges", where("mat", "=", "AL")),
        ("show former railways", where("former_use", "=", "railway")),
        ("piers not renewed since 2000", where("renewed_yr", "<", 2000)),
        ("show listed monuments among the steel bridges", both(
            where("mat", "=", "ST"), where("protected", "=", True))),
        ("refused grants", where("status", "=", "rejected")),
        ("grants approved in 2022", both(where("status", "=", "approved"), both(
            where("decided_on", ">=", {"date": "2022-01-01"}), where("decided_on", "<", {"date": "2023-01-01"})))),
    ],
)  # fmt: skip
async def test_rows_shown(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    await chat(sentence)
    assert _parts(chat.calls[0][1].get("filters")) == _parts(filters), chat.calls


def _parts(filters: dict[str, Any] | None) -> list[str]:
    """All conditions, in any order."""
    assert filters is not None
    nested = (
        [_parts(each) for each in filters["args"]] if filters["op"] in ("and", "or") else [[repr(filters)]]
    )
    return sorted(each for parts in nested for each in parts)


async def test_a_scale_whose_ends_are_neither_good_nor_bad_has_no_worse(chat: Chat) -> None:
    """High capacity may be better or worse."""
    await chat("bridges of middle load capacity class or worse")
    assert [name for name, _ in chat.calls] == ["cannot_do"] or not chat.calls


@pytest.mark.parametrize(
    ("sentence", "column"),
    [
        ("colour the parishes by population", "inw"),
        ("colour the bridges by passengers", "brd_wkdy"),
        ("size the bridges by riders per weekday", "brd_wkdy"),
        ("size the bridges by trucks per day", "trucks_day"),
        ("colour the grants by new places", "seats_new"),
    ],
)
async def test_a_column_by_a_synonym_in_its_comment(chat: Chat, sentence: str, column: str) -> None:
    await chat(sentence)
    assert column in str(chat.calls[0][1]), chat.calls


async def test_two_values_in_two_colours(chat: Chat) -> None:
    await chat("show approved grants in green, rejected grants in red and withdrawn ones in grey")
    ((name, arguments),) = chat.calls
    assert (name, arguments["style"]["column"]) == ("add_map_layer", "status"), chat.calls
    assert "withdrawn" in str(arguments["filters"])
    assert "rejected" in str(arguments["style"])


@pytest.mark.parametrize(
    "sentence",
    ["are there more toll bridges in Elm or in Oak", "where are there more toll bridges, in Elm or Oak?"],
)
async def test_more_rows_in_one_place_or_in_another(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    assert [name for name, _ in chat.calls] == ["count_features"] * 2, chat.calls


@pytest.mark.parametrize("sentence", ["median income in Ashby", "average income in Ashby?"])
async def test_a_figure_of_the_area_that_is_named(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("column_stats", where("name", "=", "Ashby")), chat.calls


async def test_a_value_with_its_column_named_before(chat: Chat) -> None:
    await chat("show bridges")
    await chat("only the former tramways")
    assert chat.calls[-1][1]["filters"] == where("former_use", "=", "tramway")
    await chat("hide the critical ones")
    assert "cond" in str(chat.calls[-1][1]["filters"])


HIVES = make_table(
    "data.hives", "POINT", "Bee hives, one row per hive and season",
    [("id", "integer", ""), ("hive_no", "text", ""), ("yr", "integer", ""), ("first_swarm", "date", ""),
     ("colony", "integer", "Bees counted"), ("kind", "text", ""), ("honey_kg", "number", "honey, kg"),
     ("wear_state", "text", ""),
     ("state", "text", "H = healthy, WI = weak infested, WB = weak bare")],
    [(1, "H1", 2024, None, 900, "log", 3.0, "good", "H", (1.0, 1.0)),
     (2, "H2", 2025, "2025-05-01", 700, "box", 4.0, "fair", "WI", (1.0, 1.1)),
     (3, "H3", 2025, None, 800, "box", 5.0, "very poor", "WB", (1.0, 1.2))],
)  # fmt: skip


@pytest.fixture
def hives() -> Chat:
    return Chat(World(HIVES))


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("hives in 2025", where("yr", "=", 2025)),  # by first_swarm, those that never swarmed were left out
        (
            "hives in fair shape or worse",
            {"op": "in", "args": [{"property": "wear_state"}, ["fair", "very poor"]]},
        ),
        ("weak hives", {"op": "in", "args": [{"property": "state"}, ["WI", "WB"]]}),
        ("infested hives", where("state", "=", "WI")),
    ],
)
async def test_years_and_parts_of_explanations(hives: Chat, sentence: str, filters: dict[str, Any]) -> None:
    await hives(sentence)
    assert hives.calls[0][1].get("filters") == filters


async def test_a_figure_with_the_word_size(hives: Chat) -> None:
    await hives("average colony size")
    assert hives.calls[0] == ("column_stats", {"table": "data.hives", "column": "colony"})


async def test_a_chart_of_groups_by_a_number_adds_it_up(hives: Chat) -> None:
    await hives("pie chart of kind by honey")
    ((_, arguments),) = hives.calls
    assert (arguments["x"], arguments["y"]) == ("kind", "honey_kg"), arguments


@pytest.mark.parametrize("sentence", ["how many log vs box hives", "how many hives are log versus box"])
async def test_two_values_are_counted(hives: Chat, sentence: str) -> None:
    await hives(sentence)
    assert [arguments["filters"] for _, arguments in hives.calls] == [
        where("kind", "=", "log"), where("kind", "=", "box")
    ]  # fmt: skip


SURVEYS = make_table(
    "data.moth_counts", "POINT", "Moth counts, one row per species and trap",
    [("id", "integer", ""), ("sp", "text", ""), ("trap", "text", ""), ("n", "integer", "")],
    [(1, "Herald", "T1", 3, (1.0, 1.0)), (2, "Drinker", "T1", 4, (1.0, 1.0)), (3, "Herald", "T2", 5, (1.0, 1.1))],
)  # fmt: skip


async def test_a_row_is_not_called_after_what_a_column_tells() -> None:
    """Two traps have three rows."""
    chat = Chat(World(SURVEYS))
    answer = await chat("how many traps are there")
    assert "2 different values" in answer, answer


async def test_a_row_is_called_as_the_comment_says(chat: Chat) -> None:
    await chat("how many piers are there")
    assert chat.calls == [("count_features", {"table": "data.bridges"})]


CLUBS = make_table(
    "data.clubs", "POINT", "Sports clubs",
    [("id", "integer", ""), ("club", "text", ""), ("wl", "integer", "children on the waiting list")],
    [(1, "A", 0, (1.0, 1.0)), (2, "B", 4, (1.0, 1.1)), (3, "C", None, (1.0, 1.2))],
)  # fmt: skip


async def test_none_on_a_list_is_no_list() -> None:
    """Clubs with 0 children were clubs with a waiting list."""
    chat = Chat(World(CLUBS))
    await chat("clubs with a waiting list")
    assert chat.calls[0][1]["filters"] == where("wl", ">", 0)
