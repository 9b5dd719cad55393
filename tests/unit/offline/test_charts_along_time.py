"""Charts of figures per month and year, whose parts are said in any order: of crashes, dives and cycle lanes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

CRASHES = make_table(
    "data.crashes", "POINT", "Road crashes",
    [("id", "integer", ""), ("crash_dt", "date", "Date of the crash"), ("severity", "text", ""),
     ("n_inj", "integer", "Persons injured"), ("ens_kwh", "number", "Energy not supplied, kWh")],
    [(1, "2024-01-05", "Fatal", 1, 5.0, (1.0, 1.0)), (2, "2024-02-05", "Injury", 2, 6.0, (1.0, 1.1)),
     (3, "2025-01-05", "Injury", 0, 7.0, (1.1, 1.1))],
)  # fmt: skip
DIVES = make_table(
    "data.dives", "POINT", "Dive surveys",
    [("id", "integer", ""), ("site", "text", ""), ("surv_date", "date", ""), ("fish_spp", "integer", ""),
     ("kelp_pct", "number", "")],
    [(1, "Tinderbox Cove", "2024-01-05", 10, 20.0, (1.0, 1.0)),
     (2, "Adventure Bay", "2025-02-05", 12, 30.0, (1.0, 1.1))],
)  # fmt: skip
LANES = make_table(
    "data.cycle_lanes", "LINESTRING", "",
    [("id", "integer", ""), ("street", "text", ""), ("len_m", "number", ""), ("built_yr", "integer", "")],
    [(1, "Calle 26", 100.0, 2019, (1.0, 1.0)), (2, "Calle 72", 200.0, 2020, (1.0, 1.1))],
)  # fmt: skip
STOPS = make_table(
    "data.bus_stops", "POINT", "Bus stops and stations",
    [("id", "integer", ""), ("stop_name", "text", ""), ("brd_wkd", "integer", "Boardings on an average weekday")],
    [(1, "Niza", 100, (1.0, 1.0)), (2, "Ricaurte", 200, (1.0, 1.1))],
)  # fmt: skip
OUTAGES = make_table(
    "data.outages", "POINT", "",
    [("id", "integer", ""), ("start_ts", "timestamp", ""), ("rest_ts", "timestamp", "Time of full restoration")],
    [(1, "2025-02-05T10:00:00", "2025-02-05T11:00:00", (1.0, 1.0))],
)  # fmt: skip
IN_2024 = both(
    where("crash_dt", ">=", {"date": "2024-01-01"}), where("crash_dt", "<", {"date": "2025-01-01"})
)
COUNTED = {"kind": "line", "x": "crash_dt", "period": "month"}
INJURED = {"kind": "line", "x": "crash_dt", "y": "n_inj", "aggregate": "sum"}


@pytest.fixture
def chat() -> Chat:
    world = World(CRASHES, DIVES, LANES, STOPS, OUTAGES)
    return Chat(world, analyst=Desk(world))


def drawn(chat: Chat) -> dict[str, Any]:
    """The arguments of the only call, a chart, but its data."""
    ((name, arguments),) = chat.calls
    assert name == "make_chart"
    return {key: value for key, value in arguments.items() if key != "data"}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("crashes per month in 2024, line chart", {**COUNTED, "filters": IN_2024}),
        ("line chart of crashes per month in 2024", {**COUNTED, "filters": IN_2024}),
        ("in 2024, crashes per month as a line", {**COUNTED, "filters": IN_2024}),
        ("monthly crashes in 2024 as a line", {**COUNTED, "filters": IN_2024}),
        ("line chart of monthly crashes", COUNTED),
        ("crashes by month as a chart", {**COUNTED, "kind": "histogram"}),
        ("line chart of crashes per month in 2024 split by severity",
         {**COUNTED, "filters": IN_2024, "color": "severity"}),
        ("crashes per month by severity, line chart", {**COUNTED, "color": "severity"}),
        ("people injured per month, line chart", {**INJURED, "period": "month"}),
        ("chart the people injured per year", {**INJURED, "period": "year"}),
        ("crashes over time, line chart", {"kind": "line", "x": "crash_dt"}),
        ("fish species over time at tinderbox cove, chart",
         {"kind": "line", "x": "surv_date", "y": "fish_spp",
          "filters": where("site", "=", "Tinderbox Cove")}),
        ("average kelp at adventure bay per year, line chart",
         {"kind": "line", "x": "surv_date", "y": "kelp_pct", "aggregate": "mean", "period": "year",
          "filters": where("site", "=", "Adventure Bay")}),
        ("length of cycle lanes per year, chart", {"kind": "bar", "x": "built_yr", "y": "len_m", "aggregate": "sum"}),
        ("line chart of cycle lanes built per year", {"kind": "line", "x": "built_yr"}),
        ("histogram of weekday boardings at stops", {"kind": "histogram", "x": "brd_wkd"}),
        ("outages per month since jan 2025, line chart",
         {"kind": "line", "x": "start_ts", "period": "month",
          "filters": where("start_ts", ">=", {"timestamp": "2025-01-01T00:00:00Z"})}),
    ],
)  # fmt: skip
async def test_charts_along_time(chat: Chat, sentence: str, expected: dict[str, Any]) -> None:
    answer = await chat(sentence)
    assert drawn(chat) == expected, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "crashes per week in 2024, line chart",
        "purple crashes per month, line chart",
        "crashes per month by weather, line chart",
        "kilometres of crashes per month, line chart",
    ],
)
async def test_what_is_not_known_draws_no_chart(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert "make_chart" not in [name for name, _ in chat.calls], answer


@pytest.mark.parametrize(
    "sentence",
    [
        "km of cycle lanes built per year as a bar chart",
        "bar chart of km of cycle lanes built per year",
        "total energy not supplied per month as a bar chart",
    ],
)
async def test_totals_of_periods_become_bars_of_an_analysis(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    (analysed, _), (name, arguments) = chat.calls
    assert (analysed, name, arguments["kind"]) == ("run_analysis", "make_chart", "bar"), answer
    assert arguments["data"].startswith("analysis."), answer


@pytest.mark.parametrize(
    ("sentence", "x", "y"),
    [
        ("is there a relation between persons injured and energy not supplied", "ens_kwh", "n_inj"),
        ("correlation of energy not supplied and persons injured", "n_inj", "ens_kwh"),
        ("persons injured against energy as a scatter plot", "ens_kwh", "n_inj"),
    ],
)
async def test_a_relation_of_two_columns_is_a_scatter_plot(chat: Chat, sentence: str, x: str, y: str) -> None:
    answer = await chat(sentence)
    assert drawn(chat) == {"kind": "scatter", "x": x, "y": y}, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "is there a relation between persons injured and weather",
        "correlation of severity and persons injured",
    ],
)
async def test_a_relation_of_what_is_no_number_is_declined(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert "make_chart" not in [name for name, _ in chat.calls], answer


@pytest.mark.parametrize(
    "sentence",
    [
        "bar chart of surveyed lanes built since 2019 per year",
        "surveyed lanes built since 2019 per year, chart",
        "line chart of surveyed lanes built since 2019 per year",
    ],
)
async def test_a_period_is_that_of_the_date_with_a_condition(sentence: str) -> None:
    surveyed = make_table(
        "data.surveyed_lanes", "LINESTRING", "",
        [("id", "integer", ""), ("built_yr", "integer", ""), ("last_survey", "date", "")],
        [(1, 2019, "2024-01-05", (1.0, 1.0)), (2, 2020, "2025-01-05", (1.0, 1.1))],
    )  # fmt: skip
    chat = Chat(World(surveyed))
    answer = await chat(sentence)
    assert drawn(chat)["x"] == "built_yr", answer
    assert drawn(chat)["filters"] == where("built_yr", ">=", 2019), answer
