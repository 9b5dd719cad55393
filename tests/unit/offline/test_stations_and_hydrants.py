"""Follow-ups and groups over the tables of a fire service: another flag, the farthest row, the time of the dispatch."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.conversation.memory import Memory, Rows
from agents.offline.conversation.other_rows import in_other_place
from agents.offline.conversation.spoken import Again, Spoken
from agents.offline.language.vocabulary import Vocabulary
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

STATIONS = make_table(
    "data.fire_stations", "POINT", "",
    [("id", "integer", ""), ("stn_name", "text", ""), ("hazmat_yn", "text", ""), ("water_rescue_yn", "text", ""),
     ("step_free", "text", "")],
    [(1, "Downtown", "Y", "N", "Yes", (1.0, 1.0)), (2, "Varsity", "N", "Y", "Partial", (1.0, 1.1)),
     (3, "Bowness", "N", "N", "No", (1.0, 1.2))],
)  # fmt: skip
INCIDENTS = make_table(
    "data.incidents", "POINT", "",
    [("id", "integer", ""), ("inc_type", "text", ""), ("dispatch_dt", "timestamp", ""),
     ("arrive_dt", "timestamp", ""), ("clear_dt", "timestamp", ""), ("building_id", "integer", "")],
    [(1, "Medical", "2025-03-01 10:00:00", "2025-03-01 10:07:00", "2025-03-01 11:00:00", 4, (1.0, 1.0)),
     (2, "Structure Fire", "2024-03-01 10:00:00", "2024-03-01 10:07:00", "2024-03-01 11:00:00", 9, (1.0, 1.1))],
)  # fmt: skip
HYDRANTS = make_table(
    "data.hydrants", "POINT", "Fire hydrants",
    [("id", "integer", ""), ("hyd_id", "text", ""), ("in_svc", "text", "In service: Y / N"),
     ("oos_reason", "text", "Why out of service"), ("flow_lpm", "integer", ""), ("main_dia_mm", "integer", "")],
    [(1, "H1", "Y", None, 1900, 150, (1.0, 1.0)), (2, "H2", "N", "Frozen", 900, 200, (1.0, 1.1))],
)  # fmt: skip
INSPECTIONS = make_table(
    "data.bldg_insp", "POINT", "Inspections of buildings",
    [("id", "integer", ""), ("insp_dt", "date", ""), ("result", "text", ""), ("insp_type", "text", ""),
     ("reinsp_due", "date", "Re-inspection due date")],
    [(1, "2024-01-01", "Pass", "Re-inspection", None, (1.0, 1.0)),
     (2, "2025-01-01", "Fail", "Annual", "2026-03-01", (1.0, 1.1))],
)  # fmt: skip
SHOPS = make_table(
    "data.comercio", "POINT", "Shops, cafes and restaurants (ground floor survey)",
    [("id", "integer", ""), ("nome_estab", "text", "name of the shop"), ("loja_hist", "boolean", "historic shop"),
     ("situacao", "text", "vago = vacant, obras = under works, aberto = open")],
    [(1, "Sol", True, "vago", (1.0, 1.0)), (2, "Flor", False, "obras", (1.0, 1.1)),
     (3, "Tejo", False, "aberto", (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(STATIONS, INCIDENTS, HYDRANTS, INSPECTIONS, SHOPS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize("sentence", ["what about water rescue", "how about water rescue?"])
async def test_another_flag_takes_the_place_of_the_one_before(chat: Chat, sentence: str) -> None:
    await chat("stations with hazmat")
    answer = await chat(sentence)
    assert [each.filter for each in chat.layers.values()][-1] == where("water_rescue_yn", "=", "Y"), answer


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("incidents in march 2025", both(where("dispatch_dt", ">=", {"timestamp": "2025-03-01T00:00:00Z"}),
                                         where("dispatch_dt", "<", {"timestamp": "2025-04-01T00:00:00Z"}))),
        ("stations that are not partial", no(where("step_free", "=", "Partial"))),
        ("stations that are not step free", where("step_free", "=", "No")),
        ("hydrants out of service", where("in_svc", "=", "N")),
        ("show the vacant shops", where("situacao", "=", "vago")),
        ("inspections with re-inspection due date in 2026",
         both(where("reinsp_due", ">=", {"date": "2026-01-01"}), where("reinsp_due", "<", {"date": "2027-01-01"}))),
        ("stations where step free is not partial", no(where("step_free", "=", "Partial"))),
    ],
)  # fmt: skip
async def test_times_and_denials(chat: Chat, sentence: str, filters: Any) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer


async def test_other_values_are_added_where_it_says_too(chat: Chat) -> None:
    await chat("show the shops under works")
    answer = await chat("and the vacant ones too")
    (layer,) = chat.layers.values()
    assert layer.filter == {
        "op": "or",
        "args": [where("situacao", "=", "obras"), where("situacao", "=", "vago")],
    }, answer


def test_rows_in_another_place_are_not_those_in_the_one_before(chat: Chat) -> None:
    place = {"op": "s_intersects", "args": [{"property": "geom"}, {"type": "Polygon", "coordinates": []}]}
    rows = Rows("data.comercio", both(place, where("loja_hist", "=", True)))
    spoken = Spoken(Memory(rows=rows), None, Vocabulary(chat.world.registry, ()))
    again = Again("how many of them are vacant in Benfica", rows)
    elsewhere = in_other_place(again, spoken, "and in Benfica?")
    assert elsewhere == Again(again.text, Rows("data.comercio", where("loja_hist", "=", True)))
    assert in_other_place(again, spoken, "how many of them are vacant in Benfica") == again


@pytest.mark.parametrize(
    ("sentence", "by"),
    [
        ("number of inspections by result for each year", ["result", "year"]),
    ],
)
async def test_groups_one_after_the_other(chat: Chat, desk: Desk, sentence: str, by: list[str]) -> None:
    answer = await chat(sentence)
    assert desk.analysis.steps, answer
    assert desk.analysis.steps[-1][1]["by"] == by, answer


async def test_numbers_of_rows_are_not_averaged(chat: Chat, desk: Desk) -> None:
    answer = await chat("average building id of incidents by inc type")
    assert not desk.analysis.steps, answer


async def test_figures_of_groups_with_numbers_are_charted() -> None:
    table, rows = make_table(
        "data.flow_by_diameter", "POINT", "",
        [("id", "integer", ""), ("main_dia_mm", "integer", ""), ("mean_flow_lpm", "number", ""),
         ("count", "integer", "")],
        [(1, 150, 4487.4, 87, (1.0, 1.0)), (2, 200, 4084.0, 87, (1.0, 1.1))],
    )  # fmt: skip
    chat = Chat(World((table.model_copy(update={"is_result": True}), rows)))
    await chat("colour flow by diameter by mean flow")
    answer = await chat("show that as a chart")
    ((name, call),) = chat.calls
    assert (name, call["x"], call["y"]) == ("make_chart", "main_dia_mm", "mean_flow_lpm"), answer


async def test_a_flag_is_not_counted_by_its_values(chat: Chat) -> None:
    answer = await chat("how many hazmats are there")
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"]), answer
