"""Requests of a flood authority: things that a table's comment mentions, short names of columns, heights over
something, shares of the rows spoken of, levels and readings of gauges."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

CLAIMS = make_table(
    "data.flood_claims", "POINT", "Claims and flood marks of flooded properties",
    [("id", "integer", ""), ("lodged", "date", "Date lodged"), ("prop_typ", "text", ""), ("suburb", "text", ""),
     ("dpth_ovflr", "number", "Depth of water over floor, m"), ("status", "text", ""), ("event", "text", ""),
     ("AMT_AUD", "number", "Amount claimed"), ("insured", "text", "Yes/No, empty if unknown")],
    [(1, "2022-03-01", "House", "Goodna", 1.6, "Open", "Feb 2022", 900.0, "No", (1.0, 1.0)),
     (2, "2022-02-28", "House", "Goodna", 0.4, "Paid", "Feb 2022", 700.0, "Yes", (1.0, 1.1)),
     (3, "2022-05-01", "Shop", "Milton", 1.8, "Paid", "Feb 2022", 500.0, "No", (1.0, 1.2)),
     (4, "2025-03-10", "Shop", "Milton", 0.2, "Open", "Mar 2025", 300.0, None, (1.0, 1.3))],
)  # fmt: skip
CROSSINGS = make_table(
    "data.xing_assets", "POINT", "Waterway crossings: bridges and culverts",
    [("asset_id", "integer", ""), ("asset_no", "text", ""), ("xing_typ", "text", "Type of crossing"),
     ("road_nm", "text", ""), ("ld_lim_t", "integer", ""), ("deck_mahd", "number", "Deck or crown level, m AHD"),
     ("insp_by", "text", "")],
    [(1, "BR-0001", "Bridge", "Warrego Hwy", 10, 12.5, "J Nguyen", (1.0, 1.0)),
     (2, "BR-0002", "Bridge", "Warrego Hwy", 42, 9.5, "S Walker", (1.0, 1.1)),
     (3, "CU-0003", "Culvert", "Mill Rd", None, 14.0, "S Walker", (1.0, 1.2))],
)  # fmt: skip
GAUGES = make_table(
    "data.river_gauges", "POINT", "River level gauging stations",
    [("stn_no", "text", "Station number"), ("stn_name", "text", ""), ("OWNER", "text", ""), ("stat", "text", ""),
     ("lvl_maj_m", "number", "Major flood level, m on gauge")],
    [("540003", "Teviot Brook at Weir", "BoM", "Faulty", 7.1, (1.0, 1.0)),
     ("540006", "Oxley Creek at Weir", "Council", "Operational", 8.4, (1.0, 1.1))],
)  # fmt: skip
READINGS = make_table(
    "data.gauge_readings", "POINT", "9 am readings at the gauges during the Feb 2022 flood",
    [("id", "integer", ""), ("stn_no", "text", "Station number"), ("obs_ts", "timestamp", ""),
     ("stage_m", "number", "Water level above gauge zero, m"), ("q_m3s", "number", "Discharge, m3 per second"),
     ("rain24", "number", "Rain in the 24 h to 9 am, mm")],
    [(1, "540003", "2022-02-26T09:00:00", 6.0, 100.0, 50.0, (1.0, 1.0)),
     (2, "540003", "2022-02-27T09:00:00", 9.5, 620.0, 180.0, (1.0, 1.0)),
     (3, "540006", "2022-02-27T09:00:00", 5.5, 320.0, 90.0, (1.0, 1.1))],
)  # fmt: skip
REFERRING = (
    READINGS[0].model_copy(update={"references": (("stn_no", "data.river_gauges", "stn_no"),)}),
    READINGS[1],
)
LEVEES = make_table(
    "data.levees", "POINT", "Levee register",
    [("id", "integer", ""), ("LEVEE_NM", "text", ""), ("next_insp", "date", "Next inspection due"),
     ("resp_ent", "text", "Who is responsible for the levee")],
    [(1, "Gatton North Levee", "2020-01-30", "Council", (1.0, 1.0)),
     (2, "Laidley Bund", "2020-02-17", "State", (1.0, 1.1)),
     (3, "Goodna Bund", "2999-01-01", "Council", (1.0, 1.2))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    desk = Desk(World(CLAIMS, CROSSINGS, GAUGES, REFERRING, LEVEES))
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("bridges with a load limit under 20 t", both(where("xing_typ", "=", "Bridge"), where("ld_lim_t", "<", 20))),
        ("claims with more than 1.5 m over floor", where("dpth_ovflr", ">", 1.5)),
        ("claims with less than 50 cm over floor", where("dpth_ovflr", "<", 0.5)),
        ("flooded houses in Goodna", both(where("prop_typ", "=", "House"), where("suburb", "=", "Goodna"))),
        ("uninsured properties", where("insured", "=", "No")),
        ("insured properties in Goodna", both(where("insured", "=", "Yes"), where("suburb", "=", "Goodna"))),
    ],
)  # fmt: skip
async def test_the_rows_that_are_drawn(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer


async def test_a_measure_without_what_is_measured(chat: Chat) -> None:
    answer = await chat("avg depth over floor of open claims")
    assert "average `dpth_ovflr` of flood_claims where status is Open is 0.9" in answer, answer


@pytest.mark.parametrize(
    ("before", "asked", "share"),
    [
        ("uninsured claims", "what percentage of claims is that", "50 % of the 4 flood claims"),
        ("which claims are open", "what percentage is that?", "50 % of the 4 flood claims"),
        ("show bridges", "what share of all crossings are those", "66.7 % of the 3 xing assets"),
    ],
)
async def test_the_share_of_the_rows_spoken_of(chat: Chat, before: str, asked: str, share: str) -> None:
    await chat(before)
    answer = await chat(asked)
    assert share in answer, answer


async def test_a_share_of_rows_that_were_not_spoken_of_is_declined(chat: Chat) -> None:
    await chat("uninsured claims")
    answer = await chat("what percentage of crossings is that")
    assert "I cannot do that" in answer, answer


@pytest.mark.parametrize("whose", ["for 540003", "for gauge 540003", "at Teviot Brook at Weir"])
async def test_a_line_along_time_for_one_station(chat: Chat, whose: str) -> None:
    answer = await chat(f"plot stage over time {whose}")
    made = {"kind": "line", "x": "obs_ts", "y": "stage_m", "filters": where("stn_no", "=", "540003")}
    assert chat.calls[0][1].items() >= made.items(), answer


@pytest.mark.parametrize("asked", ["same for discharge", "and discharge"])
async def test_the_same_chart_of_another_column(chat: Chat, asked: str) -> None:
    await chat("plot stage over time for 540003")
    answer = await chat(asked)
    made = {"kind": "line", "x": "obs_ts", "y": "q_m3s", "filters": where("stn_no", "=", "540003")}
    assert chat.calls[0][1].items() >= made.items(), answer


async def test_the_same_chart_of_a_text_is_declined(chat: Chat) -> None:
    await chat("histogram of stage")
    answer = await chat("same for station number")
    assert "I cannot do that" in answer, answer


async def test_a_figure_of_the_rows_of_a_code(chat: Chat) -> None:
    answer = await chat("max discharge for 540003")
    assert "greatest `q_m3s` of gauge_readings where stn_no is 540003 is 620" in answer, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "maximum stage per gauge in february 2022",
        "highest stage recorded at each gauge in the feb 2022 flood",
    ],
)
async def test_a_figure_of_the_rows_that_refer_to_each_gauge(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert "by gauge: Teviot Brook at Weir has the greatest" in answer, answer
    assert "Grouped by the column `stn_no`" in answer, answer


async def test_a_time_may_be_called_by_a_noun_of_the_comment(chat: Chat) -> None:
    answer = await chat("readings in the feb 2022 flood with stage above 9 m")
    assert "1 gauge reading where obs_ts ≥ 2022-02-01 and obs_ts < 2022-03-01 and stage_m > 9" in answer, (
        answer
    )


@pytest.mark.parametrize(("sentence", "count"), [("claims in feb 2022", 3), ("claims lodged in feb 2022", 1)])
async def test_a_value_that_is_a_time_is_meant_rather_than_a_date(
    chat: Chat, sentence: str, count: int
) -> None:
    assert f"{count} flood claim" in await chat(f"how many {sentence}")


async def test_the_only_amount_of_money_of_the_rows_in_a_state(chat: Chat) -> None:
    answer = await chat("total paid out by suburb")
    assert "Total AMT_AUD of flood claims paid out by suburb: Goodna has the greatest, 700" in answer, answer


async def test_the_greatest_on_record(chat: Chat) -> None:
    assert "greatest `q_m3s` of gauge_readings is 620" in await chat("max discharge on record")


@pytest.mark.parametrize(
    "sentence",
    [
        "overdue levees",
        "overdue levee inspections",
        "levees overdue for inspection",
        "levees whose inspection is overdue",
    ],
)
async def test_what_is_overdue_by_a_date_on_which_it_is_due_next(chat: Chat, sentence: str) -> None:
    assert "2 levees where next_insp < " in await chat(sentence)
    assert "1 levee where next_insp < " in await chat("which are council ones")


@pytest.mark.parametrize("number", ["no of", "# of", "no. of"])
async def test_the_number_of_things_in_short(chat: Chat, number: str) -> None:
    answer = await chat(f"{number} claims by suburb")
    assert "Number of claims by suburb" in answer, answer


async def test_a_column_of_some_hours(chat: Chat) -> None:
    answer = await chat("average 24h rain by gauge")
    assert "Average rain of gauge readings by gauge" in answer, answer


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("any of those owned by Council?", "There are 0"),
        ("any of those with a level above 7?", "stat is Faulty and lvl_maj_m > 7"),
    ],
)
async def test_any_of_those_are_counted(chat: Chat, asked: str, answered: str) -> None:
    await chat("which gauges are faulty")
    assert answered in await chat(asked)


async def test_how_far_the_nearest_is(chat: Chat) -> None:
    await chat("nearest gauge to bridge BR-0001")
    answer = await chat("how far is it")
    assert "is nearest to" in answer, answer


async def test_only_the_rows_near_some_of_the_others(chat: Chat) -> None:
    await chat("how many claims were within 500 m of a levee")
    answer = await chat("only levees with next inspection before 2021")
    assert "Claims within 500 m of levees with next inspection before 2021" in answer, answer


@pytest.mark.parametrize("sentence", ["show everything on the warrego hwy", "everything on Warrego Hwy"])
async def test_everything_with_a_value_of_one_table(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert "2 xing assets where road_nm is Warrego Hwy" in answer, answer
    assert "9.5" in await chat("which one has the lowest deck level")


@pytest.mark.parametrize(
    ("sentence", "answered"),
    [
        ("crossings with a load limit below 20 or unknown", "2 xing assets where ld_lim_t < 20 or ld_lim_t is empty"),
        ("claims with depth over 1 m, open status only", "1 flood claim where dpth_ovflr > 1 and status is Open"),
    ],
)  # fmt: skip
async def test_rows_without_a_value_too_and_only_those_of_a_value(
    chat: Chat, sentence: str, answered: str
) -> None:
    answer = await chat(sentence)
    assert answered in answer, answer


async def test_who_does_it_is_the_column_of_what_was_done_by_them(chat: Chat) -> None:
    answer = await chat("number of crossings by inspector")
    assert "by inspector" in answer, answer
    assert "Grouped by the column `insp_by`" in answer, answer


async def test_who_runs_things_is_their_owner_where_no_column_tells_it(chat: Chat) -> None:
    answer = await chat("gauges run by Council")
    assert "1 river gauge where OWNER is Council" in answer, answer


async def test_rows_are_called_by_their_own_code_and_not_by_the_name_of_something_else(chat: Chat) -> None:
    await chat("crossings on the warrego hwy")
    assert "**BR-0002**" in await chat("which one has the lowest deck level")
