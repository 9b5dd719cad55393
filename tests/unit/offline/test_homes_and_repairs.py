"""Requests of a housing officer: rows named by a state, states of two columns, what was not done since a day, the other
end of a ranking, nouns in a list, and the date of several that is taken."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.meaning.row_names import name_column
from tests.unit.geo_agent.making import make_table, referring
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, where

AREAS = make_table(
    "data.neighbourhoods", "POLYGON", "Housing neighbourhoods",
    [("id", "integer", ""), ("nbh_code", "text", "Neighbourhood code"), ("nbh_name", "text", ""),
     ("simd_dec", "integer", "SIMD decile, 1 = most deprived, 10 = least deprived")],
    [(1, "N01", "Govan", 1, (1.0, 1.0)), (2, "N02", "Milton", 2, (1.0, 1.1)), (3, "N03", "Yoker", 9, (1.0, 1.2))],
)  # fmt: skip
HOMES = referring(
    make_table(
        "data.stock", "POINT", "Housing stock, one row per property",
        [("id", "text", "Property reference"), ("addr", "text", ""), ("nbh_code", "text", ""), ("status", "text", ""),
         ("tenure", "text", ""), ("beds", "integer", "Number of bedrooms"), ("damp", "boolean", "Damp was found"),
         ("heat_src", "text", ""), ("epc", "text", "Energy band A (best) to G (worst)"),
         ("adapted", "text", "Adapted for wheelchairs, Y/N")],
        [("GH1", "1 Mill Road", "N01", "Void", "Sheltered", 3, False, "Gas CH", "C", "Y", (1.0, 1.0)),
         ("GH2", "2 Mill Road", "N01", "Void", "Social rent", 2, False, "Electric", "D", "N", (1.0, 1.1)),
         ("GH3", "3 Old Mill Road", "N02", "Let", "Sheltered", 2, True, "Electric", "F", "N", (1.0, 1.2))],
    ),
    ("nbh_code", "data.neighbourhoods", "nbh_code"),
)  # fmt: skip
JOBS = make_table(
    "data.repairs", "POINT", "Repair jobs",
    [("id", "integer", ""), ("trade", "text", ""), ("raised_dt", "date", ""),
     ("compl_dt", "date", "Completed on, empty if it was not"), ("job_status", "text", ""),
     ("cost_gbp", "number", "Invoiced cost in pounds")],
    [(1, "Gas", "2024-01-01", "2024-02-01", "Completed", 80.0, (1.0, 1.0)),
     (2, "Roofer", "2024-05-01", None, "Open", None, (1.0, 1.1))],
)  # fmt: skip
SALES = referring(
    make_table(
        "data.house_sales", "POINT", "Sales of houses",
        [("id", "integer", ""), ("nbh_code", "text", ""), ("price", "integer", "Sale price in pounds"),
         ("sold_dt", "date", ""), ("prop_type", "text", ""), ("buyer", "text", "")],
        [(1, "N01", 100_000, "2024-01-01", "Flat", "First time buyer", (1.0, 1.0)),
         (2, "N02", 200_000, "2024-02-01", "Detached", "Owner occupier", (1.0, 1.1)),
         (3, "N03", 300_000, "2025-02-01", "Terraced house", "Owner occupier", (1.0, 1.2))],
    ),
    ("nbh_code", "data.neighbourhoods", "nbh_code"),
)  # fmt: skip
APPS = make_table(
    "data.planning_apps", "POINT", "Planning applications",
    [("id", "integer", ""), ("recd_dt", "date", "Date received"),
     ("decis_dt", "date", "Date of decision, empty while pending"), ("decision", "text", "")],
    [(1, "2023-10-01", "2024-01-01", "Granted", (1.0, 1.0)), (2, "2024-10-01", None, "Pending", (1.0, 1.1))],
)  # fmt: skip
GREEN = make_table(
    "data.green_spaces", "POLYGON", "Open space audit: parks and play areas",
    [("id", "integer", ""), ("kind", "text", ""), ("area_ha", "number", ""), ("owner", "text", ""),
     ("qual", "text", "Good, Fair, Poor; empty = not inspected"), ("insp_dt", "date", "Date of last inspection")],
    [(1, "Public park", 2.0, "GCC", "Poor", "2023-01-01", (1.0, 1.0)),
     (2, "Play area", 1.0, "GCC", "Good", "2025-01-01", (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    desk = Desk(World(AREAS, HOMES, JOBS, SALES, APPS, GREEN))
    return Chat(desk.world, analyst=desk)


VOID = where("status", "=", "Void")


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show all voids", VOID),
        ("3 bed voids with no damp", both(where("beds", "=", 3), VOID, where("damp", "=", False))),
        ("void and adapted properties", both(VOID, where("adapted", "=", "Y"))),
        ("green spaces not inspected since start of 2024",
         both(where("insp_dt", "<", {"date": "2024-01-01"}), empty("insp_dt"), op="or")),
        ("flats sold for under 150k to first time buyers",
         both(where("prop_type", "=", "Flat"), where("price", "<", 150_000), where("buyer", "=", "First time buyer"))),
        ("flats under 150k sold to first time buyers",
         both(where("prop_type", "=", "Flat"), where("price", "<", 150_000), where("buyer", "=", "First time buyer"))),
        ("gas heated stock", where("heat_src", "=", "Gas CH")),
        ("F rated stock", where("epc", "=", "F")),
        ("neighbourhoods in the most deprived decile", where("simd_dec", "=", 1)),
        ("stock below EPC C", where("epc", "in", ["D", "F"])),
        ("stock with an EPC better than D", where("epc", "=", "C")),
        ("stock with EPC D or below", where("epc", "in", ["D", "F"])),
        ("stock on Mill Road", where("addr", "in", ["1 Mill Road", "2 Mill Road"])),
        ("ok just show the sheltered ones then", where("tenure", "=", "Sheltered")),
        ("planning apps granted in 2024",
         both(where("decision", "=", "Granted"), where("decis_dt", ">=", {"date": "2024-01-01"}),
              where("decis_dt", "<", {"date": "2025-01-01"}))),
    ],
)  # fmt: skip
async def test_the_rows_that_are_drawn(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer


async def test_two_states_that_a_row_may_have_both_are_asked_about(chat: Chat) -> None:
    answer = await chat("void and sheltered properties")
    assert "status is Void and tenure is Sheltered or the status is Void or tenure is Sheltered" in answer
    await chat("status is Void and tenure is Sheltered")
    (layer,) = chat.layers.values()
    assert layer.filter == both(VOID, where("tenure", "=", "Sheltered"))


async def test_a_noun_in_the_singular_may_follow_others_to_show(chat: Chat) -> None:
    await chat("show stock, repairs and green space")
    assert {each.table for each in chat.layers.values()} == {
        "data.stock", "data.repairs", "data.green_spaces",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "goal"),
    [
        ("top 2 neighbourhoods by median sale price", "and the 2 cheapest",
         "bottom 2 neighbourhoods by median sale price"),
        ("top 2 neighbourhoods by median sale price", "and the bottom 1",
         "bottom 1 neighbourhoods by median sale price"),
        ("which 2 neighbourhoods have the most stock", "and the lowest 2",
         "which 2 neighbourhoods have the fewest stock"),
    ],
)  # fmt: skip
async def test_the_other_end_is_that_of_all_that_were_ranked(
    chat: Chat, before: str, after: str, goal: str
) -> None:
    await chat(before)
    answer = await chat(after)
    assert chat.calls == [("run_analysis", {"goal": goal})], answer


def test_a_code_of_other_rows_is_no_name() -> None:
    named = name_column(HOMES[0])
    assert named is not None
    assert named.name == "id"


async def test_several_rows_are_nearest_in_the_plural() -> None:
    chat = Chat(world := World(), analyst=Desk(world))
    assert "airports nearest to Berlin" in await chat("what are the nearest airports to Berlin")


async def test_the_date_of_several_that_was_taken_is_told(chat: Chat) -> None:
    assert "Interpreted as 2024 (raised_dt)." in await chat("number of repairs by trade in 2024")


async def test_a_size_is_that_of_rows_that_have_the_value(chat: Chat) -> None:
    answer = await chat("hectares of public park by owner")
    assert "Total area_ha of green spaces of public park by owner" in answer


@pytest.mark.parametrize(
    ("sentence", "title"),
    [
        ("how long does a repair take on average, in days", "Average days between raised_dt and compl_dt of a repair"),
        ("average time to complete a repair", "Average days between raised_dt and compl_dt of a repair"),
        ("how long do planning apps take", "Average days between recd_dt and decis_dt of planning apps"),
        ("total spend on repairs by trade", "Total spend on repairs by trade"),
        ("which neighbourhoods have no play area", "Neighbourhoods that have no play area"),
        ("which neighbourhood has the most open repairs", "the most open repairs"),
    ],
)  # fmt: skip
async def test_what_is_answered(chat: Chat, sentence: str, title: str) -> None:
    answer = await chat(sentence)
    assert title in answer, answer


async def test_the_slowest_group_is_that_of_the_times_before(chat: Chat) -> None:
    await chat("how long does a repair take on average")
    await chat("which trade is slowest")
    assert chat.calls == [("run_analysis", {"goal": "how long does a repair take on average by trade"})]


async def test_a_noun_for_several_values_is_told_with_its_column(chat: Chat) -> None:
    assert "Interpreted as park (kind)." in await chat("number of parks by owner")


async def test_a_name_of_an_area_ends_before_a_period(chat: Chat) -> None:
    answer = await chat("stock in Govan last year")
    assert "Govan last year" not in answer, answer


async def test_a_figure_beside_another_is_of_the_same_rows(chat: Chat) -> None:
    await chat("total cost and number of repairs completed in 2024")
    (_, total), (_, count) = chat.calls
    assert total["filters"] == count["filters"]


@pytest.mark.parametrize(
    "sentence",
    ["show stock and blargs in govan", "how many beds and blargs were there in 2024"],
)
async def test_nothing_is_done_for_a_part_whose_conditions_belong_to_unknown_words(
    chat: Chat, sentence: str
) -> None:
    answer = await chat(sentence)
    assert not chat.layers, answer
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"]), answer


async def test_rows_with_a_flag_have_a_colour_and_the_others_are_grey(chat: Chat) -> None:
    await chat("colour stock: damp in red and the rest grey")
    (layer,) = chat.layers.values()
    style = layer.style.model_dump(exclude_none=True)
    assert (style["column"], style["values"]) == ("damp", ({"value": True, "color": "red"},))
