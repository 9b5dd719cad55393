"""Requests of a grid operator and a licensing officer: follow-ups of declined requests, shares, flags, nearest rows."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, where

TRANSFORMERS = make_table(
    "data.transformers", "POINT", "Secondary transformers",
    [("id", "integer", ""), ("ct_code", "text", ""), ("ct_type", "text", "pole, indoor"),
     ("oil_pcb", "text", "oil contaminated with PCB: Y/N, U = unknown"),
     ("cond", "integer", "condition: 1 very good, 2 good, 3 fair, 4 poor, 5 replace"),
     ("cust_lv", "integer", "customers connected"), ("kva", "integer", "rated power, kVA")],
    [(1, "CT1", "pole", "Y", 4, 12, 630, (1.0, 1.0)), (2, "CT2", "indoor", "N", 2, 30, 100, (1.0, 1.1)),
     (3, "CT3", "pole", "U", 5, 7, 400, (1.0, 1.2))],
)  # fmt: skip
FEEDERS = make_table(
    "data.mv_feeders", "LINESTRING", "Medium voltage feeder lines",
    [("id", "integer", ""), ("feeder", "text", ""), ("type", "text", "OH = overhead, UG = underground cable"),
     ("len_m", "number", "length in metres"), ("cod_sub", "text", "code of the substation")],
    [(1, "L1", "OH", 1200.0, "ST-001", (1.0, 1.0)), (2, "L2", "UG", 800.0, "ST-002", (1.0, 1.1))],
)  # fmt: skip
HMOS = make_table(
    "data.hmo_register", "POINT", "Register of licensed HMOs",
    [("id", "integer", ""), ("lic_ref", "text", ""), ("lic_status", "text", ""),
     ("lic_type", "text", "MAN = mandatory (5+ occupiers), ADD = additional licensing"),
     ("mng_agent", "text", "Managing agent, blank if self-managed"), ("student_let", "boolean", ""),
     ("issued_on", "date", ""), ("expires_on", "date", ""), ("max_occ", "integer", "Maximum permitted occupiers")],
    [(1, "HMO/1", "Expired", "MAN", "YPP", True, "2015-01-01", "2020-01-01", 9, (1.0, 1.0)),
     (2, "HMO/2", "Licensed", "ADD", None, False, "2025-01-01", "2030-01-01", 3, (1.0, 1.1))],
)  # fmt: skip
PREMISES = make_table(
    "data.licensed_premises", "POINT", "Premises licences",
    [("id", "integer", ""), ("trading_name", "text", ""), ("capacity", "integer", "")],
    [(1, "Rook & Gaskill", 90, (1.0, 1.0)), (2, "Fibbers", 704, (1.0, 1.1))],
)  # fmt: skip
INSPECTIONS = make_table(
    "data.inspections", "POINT", "Housing inspections",
    [("id", "integer", ""), ("insp_type", "text", ""), ("outcome", "text", "")],
    [(1, "Fire safety", "Fail", (1.0, 1.0)), (2, "Fire safety", "Pass", (1.0, 1.1)),
     (3, "Complaint visit", "Pass", (1.0, 1.2))],
)  # fmt: skip
STREETS = make_table(
    "data.streets", "LINESTRING", "Street gazetteer",
    [("id", "integer", ""), ("street_nm", "text", ""), ("footstreet", "boolean", "In the pedestrian zone"),
     ("width_m", "integer", "")],
    [(1, "Stonegate", True, 6, (1.0, 1.0)), (2, "Bootham", False, 9, (1.0, 1.1))],
)  # fmt: skip


SUBSTATIONS = make_table(
    "data.substations", "POINT", "HV/MV substations",
    [("id", "integer", ""), ("name", "text", ""), ("kv_prim", "number", "primary voltage, kV"),
     ("kv_sec", "number", "secondary voltage, kV"), ("mva_inst", "number", "installed capacity, MVA"),
     ("cod_sub", "text", "")],
    [(1, "Patraix", 132.0, 20.0, 40.0, "ST-001", (1.0, 1.0)), (2, "Aqua", 66.0, 11.0, 60.0, "ST-002", (1.0, 1.1))],
)  # fmt: skip
OUTAGES = make_table(
    "data.outages", "POINT", "Supply interruptions",
    [("id", "integer", ""), ("inc_no", "text", ""), ("start_ts", "timestamp", ""), ("cause", "text", ""),
     ("dur_min", "integer", "duration, minutes (null while not restored)")],
    [(1, "I-1", "2024-10-29T00:00:00", "flooding", None, (1.0, 1.0)),
     (2, "I-2", "2023-01-01T00:00:00", "storm", 546, (1.0, 1.1))],
)  # fmt: skip
CHARGERS = make_table(
    "data.ev_chargers", "POINT", "EV charging points",
    [("id", "integer", ""), ("site", "text", ""), ("kw_max", "number", "max. charging power, kW"),
     ("public_yn", "boolean", "open to the public"), ("kwh_2025", "integer", "energy delivered in 2025, kWh")],
    [(1, "Glorieta", 50.0, True, 900, (1.0, 1.0)), (2, "Marina", 7.4, False, 1200, (1.0, 1.1))],
)  # fmt: skip
COMPLAINTS = make_table(
    "data.noise_complaints", "POINT", "Noise complaints received",
    [("id", "integer", ""), ("case_no", "text", ""), ("noise_src", "text", ""),
     ("priority", "integer", "1 = urgent, 2 = normal, 3 = low"), ("status", "text", ""),
     ("db_laeq", "number", "Measured level dB LAeq, null if not measured"),
     ("abatement_ntc", "text", "Abatement notice served (Y/N)"), ("closed_on", "date", "")],
    [(1, "N-1", "Barking dog", 1, "Open", 52.0, "Y", None, (1.0, 1.0)),
     (2, "N-2", "Loud music", 2, "NFA", 61.5, "N", "2024-05-01", (1.0, 1.1)),
     (3, "N-3", "Loud music", 3, "Closed", 60.0, "N", "2024-05-02", (1.0, 1.1))],
)  # fmt: skip
DISTRICTS = make_table(
    "data.city_districts", "POLYGON", "Districts",
    [("id", "integer", ""), ("name", "text", ""), ("plan_ev_2030", "integer", "planned EV charging points by 2030")],
    [(1, "Manises", 149, (1.0, 1.0)), (2, "Patraix", 20, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(
        World(
            TRANSFORMERS,
            FEEDERS,
            HMOS,
            PREMISES,
            INSPECTIONS,
            STREETS,
            SUBSTATIONS,
            OUTAGES,
            CHARGERS,
            COMPLAINTS,
            DISTRICTS,
        )
    )


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


async def test_rows_are_counted_and_not_those_that_a_column_plans(chat: Chat, desk: Desk) -> None:
    """The district with the most planned chargers was told."""
    answer = await chat("which district has the most ev chargers")
    joined = dict(desk.analysis.steps)["spatial_join"]
    assert (joined["source"], joined["other"]) == ("data.city_districts", "data.ev_chargers"), answer


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("transformers with PCB oil", where("oil_pcb", "=", "Y")),
        ("transformers without PCB oil", where("oil_pcb", "=", "N")),
        ("show footstreets only", where("footstreet", "=", True)),
        ("132 kV substations", where("kv_prim", "=", 132)),
        ("substations with 20 kV", where("kv_sec", "=", 20)),
        ("transformers of 400 kVA or more that are pole", both(
            where("kva", ">=", 400), where("ct_type", "=", "pole"))),
        ("any outage still not restored?", empty("dur_min")),
        ("outages since 29 october 2024 caused by flooding", both(
            where("start_ts", ">=", {"timestamp": "2024-10-29T00:00:00Z"}), where("cause", "=", "flooding"))),
        ("public chargers, 50 kW or more", both(where("public_yn", "=", True), where("kw_max", ">=", 50))),
        ("transformers in poor condition or to be replaced, red", both(
            where("cond", "=", 4), where("cond", "=", 5), op="or")),
        ("urgent noise complaints that are still open", both(
            where("priority", "=", 1), where("status", "=", "Open"))),
        ("abatement notices served", where("abatement_ntc", "=", "Y")),
        ("complaints closed as NFA", where("status", "=", "NFA")),
        ("show student lets", where("student_let", "=", True)),
        ("hmos with no managing agent", empty("mng_agent")),
        ("self-managed hmos", empty("mng_agent")),
        ("show me expired hmo licences", where("lic_status", "=", "Expired")),
        ("additional hmos", where("lic_type", "=", "ADD")),
        ("hmos with more than 5 occupants", where("max_occ", ">", 5)),
        ("feeders from the Patraix substation", where("cod_sub", "=", "ST-001")),
        ("expired hmos since 2019", both(
            where("lic_status", "=", "Expired"), where("expires_on", ">=", {"date": "2019-01-01"}))),
    ],
)  # fmt: skip
async def test_rows_shown(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    await chat(sentence)
    assert chat.calls[0][1].get("filters") == filters, chat.calls


@pytest.mark.parametrize("declined", ["show the foobars", "transformers near a street"])
async def test_a_figure_after_a_declined_request_is_not_of_all_rows(chat: Chat, declined: str) -> None:
    await chat(declined)
    assert not chat.calls or chat.calls[0][0] == "cannot_do"
    answer = await chat("total customers connected")
    assert [name for name, _ in chat.calls] == ["cannot_do"]
    assert "total customers connected of transformers" in answer
    await chat("total customers connected of transformers")
    assert [name for name, _ in chat.calls] == ["column_stats"]


@pytest.mark.parametrize(
    ("first", "then", "filters", "among"),
    [
        ("what share of transformers is in condition 4 or 5?", "and pole ones?", None, where("ct_type", "=", "pole")),
        ("what percentage of inspections failed", "and for fire safety ones?", where("outcome", "=", "Fail"),
         where("insp_type", "=", "Fire safety")),
    ],
)  # fmt: skip
async def test_a_share_is_asked_of_other_rows(
    chat: Chat, first: str, then: str, filters: dict[str, Any] | None, among: dict[str, Any]
) -> None:
    await chat(first)
    await chat(then)
    asked = [call["filters"] for name, call in chat.calls if name == "count_features"]
    assert among in asked, chat.calls
    assert filters is None or both(among, filters) in asked


async def test_rows_near_others_follow_rows_that_were_drawn(chat: Chat, desk: Desk) -> None:
    await chat("show pole transformers")
    await chat("within 300 m of an overhead line")
    name, arguments = desk.analysis.steps[-1]
    assert (name, arguments["distance"]) == ("select_by_location", "300 m")
    assert ("filter", where("type", "=", "OH")) in [
        (name, given.get("filter")) for name, given in desk.analysis.steps
    ]


async def test_near_with_a_distance_after_it(chat: Chat, desk: Desk) -> None:
    await chat("transformers near a street, say 1.5 km")
    assert desk.analysis.steps[-1][1]["distance"] == "1.5 km"


@pytest.mark.parametrize(("noun", "number"), [("hmo", 1), ("hmos", 10)])
async def test_one_row_is_nearest_for_a_singular_noun(chat: Chat, desk: Desk, noun: str, number: int) -> None:
    await chat(f"{noun} nearest to a street")
    assert desk.analysis.steps[-1][1]["n"] == number


@pytest.mark.parametrize(
    ("first", "then", "column"),
    [
        ("show public chargers", "and what's the total energy they delivered in 2025", "kwh_2025"),
        ("show pole transformers", "how many customers are they connected", None),
        ("total installed MVA of the 132 kV substations", "", "mva_inst"),
    ],
)
async def test_a_figure_by_what_rows_do(chat: Chat, first: str, then: str, column: str | None) -> None:
    await chat(first)
    if then:
        await chat(then)
    assert [call["column"] for name, call in chat.calls if name == "column_stats"] == (
        [column] if column else []
    )


async def test_the_first_of_the_rows_drawn_in_few_words(chat: Chat) -> None:
    await chat("show outages")
    await chat("which was the longest")
    assert chat.calls[0][1]["sort"] == "dur_min"


async def test_periods_after_today_need_a_column(chat: Chat) -> None:
    today = datetime.date.today()
    await chat("hmos expiring in the next 30 days")
    ends = [{"date": (today + datetime.timedelta(days=days)).isoformat()} for days in (0, 31)]
    assert chat.calls[0][1]["filters"] == both(
        where("expires_on", ">=", ends[0]), where("expires_on", "<", ends[1])
    )
    await chat("hmos next year")
    assert not any(name == "add_map_layer" for name, _ in chat.calls)


@pytest.mark.parametrize(
    ("sentence", "column"),
    [("colour hmos by licence type", "lic_type"), ("size the noise complaints by decibel level", "db_laeq")],
)
async def test_columns_of_abbreviated_words(chat: Chat, sentence: str, column: str) -> None:
    await chat(sentence)
    assert column in str(chat.calls[0][1]["style"])


async def test_a_value_is_mistyped_in_the_plural(chat: Chat) -> None:
    answer = await chat("show transfomers")
    assert (
        "Read “transfomers” as “transformers”" in answer or chat.calls[0][1]["table"] == "data.transformers"
    )


async def test_a_list_of_as_many_at_the_other_end(chat: Chat) -> None:
    await chat("list the 2 biggest hmos by occupants")
    await chat("and the 2 smallest")
    assert {key: chat.calls[0][1][key] for key in ("sort", "limit")} == {"sort": "max_occ", "limit": 2}
    assert not chat.calls[0][1].get("descending")


async def test_another_place_takes_that_of_a_share(chat: Chat) -> None:
    await chat("what share of the inspections in Fishergate is of the type Fire safety?")
    await chat("and in Clifton?")
    assert "Fishergate" not in str(chat.calls) + str(chat.failed)
