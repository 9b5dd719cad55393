"""Another limit or distance, kinds of one table near each other, names with apostrophes, newest columns and lengths in
areas: of food shops, city areas and cycle lanes."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.conversation.pieces import with_limit, with_piece
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

SHOPS = make_table(
    "data.food_estab", "POINT", "Licensed food establishments",
    [("lic_no", "integer", ""), ("dba_name", "text", "Doing business as"), ("facil_typ", "text", "Facility type")],
    [(1, "McDonald's", "Restaurant", (1.0, 1.0)), (2, "MCDONALD'S", "Restaurant", (1.0, 1.001)),
     (3, "BURR SCHOOL", "School", (1.0, 1.002)), (4, "Cork", "Liquor", (1.0, 1.003)),
     (5, "Stop & Go", "Grocery Store", (1.0, 1.1)), (6, "Corner", "Corner Store", (1.0, 1.1))],
)  # fmt: skip
TESTS = make_table(
    "data.lead_tests", "POINT", "Lead in drinking water",
    [("id", "integer", ""), ("bldg_typ", "text", "Building type"), ("pb_ppb", "number", "")],
    [(1, "SCHOOL", 3.0, (1.0, 1.0)), (2, "SF", 9.0, (1.0, 1.1))],
)  # fmt: skip
AREAS = make_table(
    "data.localities", "POLYGON", "",
    [("loc_code", "text", "Code of the locality"), ("loc_name", "text", ""), ("pop_2018", "integer", ""),
     ("pop_2024", "integer", ""), ("area_km2", "number", ""), ("PCT_POV", "number", "Percent below poverty level"),
     ("wait_d", "integer", "Wait in days"), ("managed_by", "text", "")],
    [("01", "Suba", 100, 120, 2.0, 12.0, 9, "Ines", (1.0, 1.0)),
     ("02", "Bosa", 200, 190, 1.0, 44.0, 30, "Otto", (1.1, 1.1))],
)  # fmt: skip
LANES = make_table(
    "data.cycle_lanes", "LINESTRING", "",
    [("id", "integer", ""), ("street", "text", ""), ("cover_pct", "number", "")],
    [(1, "Av Suba", 10.0, (1.0, 1.0)), (2, "Cl 26", 30.0, (1.1, 1.1))],
)  # fmt: skip

COLONIES = make_table(
    "data.seabird_colony", "POINT", "",
    [("id", "integer", ""), ("species", "text", ""), ("n_pairs", "integer", "Breeding pairs counted")],
    [(1, "Little Penguin", 40, (1.0, 1.0)), (2, "Shy Albatross", 900, (1.1, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(SHOPS, TESTS, AREAS, LANES, COLONIES))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("before", "message", "request_meant"),
    [
        ("areas with poverty over 30%", "what about 40%", "areas with poverty over 40%"),
        ("areas with poverty over 30%", "and over 40%?", "areas with poverty over 40%"),
        ("areas with a wait over 20 days", "make it 30 days", "areas with a wait over 30 days"),
        ("areas with poverty over 30%", "under 10%", "areas with poverty under 10%"),
        ("areas with poverty over 30%", "and under 60%", None),  # a range
        ("areas with poverty over 30%", "what about 40 days", None),
        ("areas with poverty over 30%", "what about 2024", None),
        ("areas with poverty over 30% and area over 2", "what about 40%", None),
    ],
)
def test_another_limit_takes_the_place_of_the_only_one(
    before: str, message: str, request_meant: str | None
) -> None:
    assert with_limit(before, message) == request_meant


@pytest.mark.parametrize(
    ("message", "distance"),
    [
        ("make it a mile", "a mile"), ("make it half a mile", "half a mile"), ("now 1/2 mile", "1/2 mile"),
        ("2 km instead", "2 km"),
    ],
)  # fmt: skip
def test_another_distance_may_be_a_part_of_a_unit(message: str, distance: str) -> None:
    for before in ("shops within 1/4 mile of a school", "shops within 500 m of a school"):
        assert with_piece(before, message) == f"shops within {distance} of a school"


@pytest.mark.parametrize("sentence", ["localities with poverty over 50%", "poverty over 50%, localities"])
async def test_a_limit_of_drawn_rows_is_replaced(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    answer = await chat("what about 40%")
    (layer,) = chat.layers.values()
    assert layer.filter == where("PCT_POV", ">", 40), answer


@pytest.mark.parametrize(
    ("distance", "stored"),
    [("1/4 mile", "0.25 mi"), ("a mile", "1 mi"), ("half a mile", "0.5 mi"), ("500 m", "500 m")],
)
async def test_kinds_of_one_table_near_each_other(chat: Chat, desk: Desk, distance: str, stored: str) -> None:
    """`school` is a value of another table, too."""
    answer = await chat(f"restaurants within {distance} of a school")
    filters = [(call["source"], call["filter"]) for name, call in desk.analysis.steps if name == "filter"]
    kinds = [("data.food_estab", where("facil_typ", "=", kind)) for kind in ("Restaurant", "School")]
    assert sorted(filters, key=str) == sorted(kinds, key=str), answer
    (near,) = [call for name, call in desk.analysis.steps if name == "select_by_location"]
    assert near["distance"] == stored


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show the liquor stores", where("facil_typ", "=", "Liquor")),
        ("Ines's localities", where("managed_by", "=", "Ines")),
        ("localities with poverty over 30%", where("PCT_POV", ">", 30)),
        ("cycle lanes with cover under 20%", where("cover_pct", "<", 20)),
    ],
)
async def test_values_and_columns_in_short(chat: Chat, sentence: str, filters: Any) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer


@pytest.mark.parametrize(
    ("sentence", "expression"),
    [
        ("colour the localities by population density", "pop_2024"),
        ("which locality has the highest population density", "pop_2024"),
        ("the 2 most densely populated localities", "pop_2024"),
    ],
)
async def test_a_density_is_that_of_the_last_year(
    chat: Chat, desk: Desk, sentence: str, expression: str
) -> None:
    answer = await chat(sentence)
    (density,) = [call["expression"] for name, call in desk.analysis.steps if name == "calculate"]
    assert expression in density, answer


@pytest.mark.parametrize(
    "sentence", ["km of cycle lanes per locality", "how many km of cycle lanes are in each locality"]
)
async def test_lengths_in_areas_are_cut_at_their_borders(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    names = [name for name, _ in desk.analysis.steps]
    assert names[:3] == ["intersection", "measure", "calculate"], (
        answer
    )  # columns of two tables are not in memory


@pytest.mark.parametrize("sentence", ["add the names as labels", "show them w/ names", "put the names on"])
async def test_names_are_labels(chat: Chat, sentence: str) -> None:
    await chat("show the localities")
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.style.label == "loc_name", answer


async def test_the_request_with_a_name_that_may_be_meant_is_offered(chat: Chat) -> None:
    answer = await chat("localities managed by Inez")
    assert "- localities managed by Ines" in answer


@pytest.mark.parametrize(
    "sentence", ["how many breeding pairs of little penguins all up", "number of pairs of little penguins"]
)
async def test_counted_things_of_rows_are_added_up(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    ((name, call),) = chat.calls
    assert (name, call["column"]) == ("column_stats", "n_pairs"), answer
    assert call["filters"] == where("species", "=", "Little Penguin")


async def test_other_values_are_added_too(chat: Chat) -> None:
    await chat("show the liquor stores")
    answer = await chat("add the grocery stores too")
    (layer,) = chat.layers.values()
    either = both(where("facil_typ", "=", "Liquor"), where("facil_typ", "=", "Grocery Store"), op="or")
    assert layer.filter == either, answer


async def test_a_style_of_one_value_among_colours_is_declined(chat: Chat) -> None:
    answer = await chat("food estab coloured by facility type, liquor thick")
    assert not chat.layers, answer


async def test_names_that_may_be_meant_are_no_markup() -> None:
    boats = make_table(
        "data.boats", "POINT", "",
        [("id", "integer", ""), ("owner", "text", "")],
        [(1, "Ines *Pol*", (1.0, 1.0)), (2, "Otto", (1.0, 1.1))],
    )  # fmt: skip
    answer = await Chat(World(boats))("boats of Ines Poll")
    assert "Did you mean Ines \\*Pol\\*?" in answer
    assert "- boats of Ines \\*Pol\\*" in answer
