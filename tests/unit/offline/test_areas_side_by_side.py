"""Values, areas and columns that are set side by side in one line: of feeders, zones, crashes and localities."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, no, where

FEEDERS = make_table(
    "data.feeders", "LINESTRING", "11 kV feeders",
    [("id", "integer", ""), ("oh_ug", "text", "OH = overhead, UG = underground cable, MIX = both"),
     ("len_km", "number", "")],
    [(1, "OH", 10.0, (1.0, 1.0)), (2, "UG", 20.0, (1.0, 1.1)), (3, "MIX", 5.0, (1.0, 1.2))],
)  # fmt: skip
ZONES = make_table(
    "data.supply_zones", "POLYGON", "Supply zones",
    [("id", "integer", ""), ("zone_nm", "text", ""), ("region", "text", "Business region"),
     ("mtr_prepaid", "integer", "Prepaid (token) meters"), ("mtr_postpaid", "integer", ""),
     ("loss_pct", "number", "Energy losses, % of energy in")],
    [(1, "Kayole", "Nairobi South", 10, 20, 12.0, (1.0, 1.0)),
     (2, "Karen", "Nairobi West", 30, 40, 8.0, (1.0, 1.1))],
)  # fmt: skip
STATIONS = make_table(
    "data.substations", "POINT", "",
    [("id", "integer", ""), ("ss_name", "text", ""), ("peak_mva", "number", "")],
    [(1, "Nairobi South", 10.0, (1.0, 1.0)), (2, "Nairobi West", 12.0, (1.0, 1.1))],
)  # fmt: skip
CRASHES = make_table(
    "data.crashes", "POINT", "Road crashes",
    [("id", "integer", ""), ("crash_dt", "date", "Date of the crash"), ("severity", "text", ""),
     ("n_inj", "integer", "Persons injured")],
    [(1, "2023-01-05", "Fatal", 1, (1.0, 1.0)), (2, "2024-02-05", "Injury", 2, (1.0, 1.1))],
)  # fmt: skip
LOCALITIES = make_table(
    "data.localities", "POLYGON", "The localities of the city",
    [("id", "integer", ""), ("loc_name", "text", "")],
    [(1, "Kennedy", (1.0, 1.0)), (2, "Bosa", (1.0, 1.1)), (3, "Suba", (1.0, 1.2))],
)  # fmt: skip
COUNTS = make_table(
    "data.traffic_counts", "POINT", "",
    [("id", "integer", ""), ("cnt_date", "date", ""), ("cars", "integer", ""), ("motos", "integer", ""),
     ("works", "text", "")],
    [(1, "2024-01-05", 10, 20, "none", (1.0, 1.0)), (2, "2025-01-05", 12, 30, "planned", (1.0, 1.1))],
)  # fmt: skip
KENNEDY_BOSA = {"op": "in", "args": [{"property": "loc_name"}, ["Kennedy", "Bosa"]]}


@pytest.fixture
def desk() -> Desk:
    return Desk(World(FEEDERS, ZONES, STATIONS, CRASHES, LOCALITIES, COUNTS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def figures(step: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(each["function"], each.get("column")) for each in step["aggregates"]]


@pytest.mark.parametrize(
    ("sentence", "by", "figure"),
    [
        ("km of overhead vs underground", "oh_ug", ("sum", "len_km")),
        ("length of overhead vs underground feeders", "oh_ug", ("sum", "len_km")),
        ("compare losses nairobi west vs nairobi south", "region", ("mean", "loss_pct")),
        ("peak mva of Nairobi West vs Nairobi South", "ss_name", None),
    ],
)
async def test_values_of_one_column(
    chat: Chat, desk: Desk, sentence: str, by: str, figure: tuple[str, str] | None
) -> None:
    answer = await chat(sentence)
    found = [step for _, step in desk.analysis.steps if step.get("by") == [by]]
    assert [figures(step)[0] for step in found] == ([figure] if figure is not None else []), answer
    assert len(found) == (figure is not None), answer


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [
        ("crashes kennedy vs bosa", None),
        ("crashes in kennedy vs bosa", None),
        ("injured people kennedy vs bosa", ("sum", "n_inj")),
        ("kennedy vs bosa, average number of injured people", ("mean", "n_inj")),
        ("injured people kennedy vs bosa, 2023 and 2024", ("sum", "n_inj")),
    ],
)
async def test_rows_in_two_areas(
    chat: Chat, desk: Desk, sentence: str, figure: tuple[str, str] | None
) -> None:
    answer = await chat(sentence)
    (name, step) = desk.analysis.steps[-1]
    assert name == "spatial_join", (desk.analysis.steps, answer)
    assert figure is None or figure in figures(step), answer
    areas = [arguments["filter"] for each, arguments in desk.analysis.steps if each == "filter"]
    assert KENNEDY_BOSA in areas or step.get("source", {}).get("filter") == KENNEDY_BOSA, (
        desk.analysis.steps,
        answer,
    )


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("prepaid vs postpaid for the whole city", [("sum", "mtr_prepaid"), ("sum", "mtr_postpaid")]),
        ("compare prepaid and postpaid meters by region", [("sum", "mtr_prepaid"), ("sum", "mtr_postpaid")]),
        ("average cars vs motos", [("mean", "cars"), ("mean", "motos")]),
        ("compare average cars and motos by works", [("mean", "cars"), ("mean", "motos")]),
        ("cars vs motos in 2024", [("sum", "cars"), ("sum", "motos")]),
    ],
)
async def test_columns_side_by_side(
    chat: Chat, desk: Desk, sentence: str, expected: list[tuple[str, str]]
) -> None:
    answer = await chat(sentence)
    found = figures(desk.analysis.steps[-1][1]) if desk.analysis.steps else []
    assert [each for each in found if each[0] != "count"] == expected, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "crashes kennedy vs atlantis",
        "km of overhead vs purple",
        "compare kennedy and bosa",
        "cars vs unicorns in 2024",
        "prepaid vs postpaid in Kennedy vs Bosa by moons",
    ],
)
async def test_what_is_not_known_is_not_compared(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert not desk.analysis.steps, answer


async def test_rows_of_both_years(chat: Chat) -> None:
    answer = await chat("number of crashes in 2023 and 2024")
    in_both = [
        both(
            where("crash_dt", ">=", {"date": f"{each}-01-01"}),
            where("crash_dt", "<", {"date": f"{each + 1}-01-01"}),
        )
        for each in (2023, 2024)
    ]
    assert [call["filters"] for _, call in chat.calls] == [both(*in_both, op="or")], answer


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [
        ("did injured people go up from 2023 to 2024?", "sum"),
        ("did crashes go down between 2023 and 2024?", None),
        ("did average motos increase from 2024 to 2025?", "mean"),
    ],
)
async def test_figures_of_two_years(chat: Chat, desk: Desk, sentence: str, figure: str | None) -> None:
    answer = await chat(sentence)
    _, last = desk.analysis.steps[-1]
    assert last["by"] == ["year"], (desk.analysis.steps, answer)
    assert figure is None or figures(last)[0][0] == figure, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "did unicorns go up from 2023 to 2024?",
        "did crashes go up from 2023?",
        "did localities go up from 2023 to 2024?",
    ],
)
async def test_years_of_what_has_none_are_declined(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert not desk.analysis.steps, answer


SOUTH = where("region", "=", "Nairobi South")
NOT_SOUTH = both(no(SOUTH), empty("region"), op="or")


@pytest.mark.parametrize(
    ("first", "sentence"),
    [
        ("show supply zones in Nairobi South", "avg losses there compared to the rest"),
        ("show supply zones in Nairobi South", "average losses of them vs the others"),
        (
            "how many zones are there",
            "average losses of supply zones in Nairobi South compared with all others",
        ),
    ],
)
async def test_a_figure_of_rows_and_of_the_rest(chat: Chat, first: str, sentence: str) -> None:
    await chat(first)
    answer = await chat(sentence)
    asked = [(name, call["column"], call["filters"]) for name, call in chat.calls]
    assert asked == [("column_stats", "loss_pct", SOUTH), ("column_stats", "loss_pct", NOT_SOUTH)], answer


@pytest.mark.parametrize(
    "sentence", ["average losses of them vs the rest", "average moons of them vs the rest"]
)
async def test_there_is_no_rest_of_all_rows(chat: Chat, sentence: str) -> None:
    await chat("show supply zones")
    answer = await chat(sentence)
    assert "column_stats" not in [name for name, _ in chat.calls], answer
