"""Years, values and times that are set side by side, rankings with a number, and columns that share a word: of water
mains, wells and samples."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, no, where

BURSTS = make_table(
    "data.bursts", "POINT", "",
    [("id", "integer", ""), ("job_no", "text", ""), ("job_type", "text", ""), ("reported", "date", ""),
     ("repaired", "date", ""), ("cause", "text", ""), ("road", "text", ""), ("loss_m3", "number", ""),
     ("repair_cost_gbp", "number", ""), ("contractor", "text", "")],
    [(1, "J1", "burst main", "2024-01-05", "2024-01-08", "frost", "Bath Road", 10.0, 100.0, "Kier", (1.0, 1.0)),
     (2, "J2", "burst main", "2024-02-05", "2024-02-25", "frost", "Bath Road", 20.0, 300.0, "Lewis Civil", (1.0, 1.1)),
     (3, "J3", "visible leak", "2025-01-05", "2025-02-05", "corrosion", "Bath Road", 30.0, 500.0, "Kier", (1.1, 1.1)),
     (4, "J4", "visible leak", "2025-06-05", None, "corrosion", "Wells Road", 5.0, None, "Kier", (1.2, 1.1))],
)  # fmt: skip
MAINS = make_table(
    "data.mains", "LINESTRING", "",
    [("id", "integer", ""), ("pipe_ref", "text", ""), ("street", "text", ""), ("mat", "text", "material"),
     ("len_m", "number", "")],
    [(1, "M1", "Bath Road", "CI", 100.0, (1.0, 1.0)), (2, "M2", "Bath Road", "DI", 50.0, (1.0, 1.1)),
     (3, "M3", "Wells Road", "CI", 20.0, (1.0, 1.2)), (4, "M4", "Wells Road", "PVC", 70.0, (1.0, 1.3))],
)  # fmt: skip
WELLS = make_table(
    "data.wells", "POINT", "",
    [("id", "integer", ""), ("reg_no", "text", ""), ("well_dpth_ft", "integer", "Well depth, feet below land surface"),
     ("dtw_ft", "number", "Depth to water, feet below land surface"), ("wtr_use", "text", "")],
    [(1, "55-1", 1600, 300.0, "DOM", (1.0, 1.0)), (2, "55-2", 400, 120.0, "IRR", (1.0, 1.1))],
)  # fmt: skip
BASINS = make_table(
    "data.basins", "POLYGON", "Groundwater basins",
    [("id", "integer", ""), ("basin_nm", "text", ""),
     ("mgmt_typ", "text", "AMA = Active Management Area, NONE = no designation")],
    [(1, "Phoenix", "AMA", (1.0, 1.0)), (2, "Parker", "NONE", (1.0, 1.1))],
)  # fmt: skip
SAMPLES = make_table(
    "data.wq_samples", "POINT", "Water quality lab results",
    [("id", "integer", ""), ("analyte", "text", ""), ("rslt", "number", "Result concentration, see units"),
     ("units", "text", ""), ("mcl", "number", "Maximum contaminant level"), ("over_mcl", "boolean", "Exceeds the MCL"),
     ("tds_mgl", "integer", "Total dissolved solids, mg/L")],
    [(1, "Nitrate", 12.0, "mg/L", 10.0, True, 1600, (1.0, 1.0)),
     (2, "Arsenic", 4.0, "ug/L", 100.0, False, 500, (1.0, 1.1)),
     (3, "Nitrate", 2.0, "mg/L", 10.0, False, 700, (1.0, 1.1))],
)  # fmt: skip
SPRINGS = make_table(
    "data.springs", "POINT", "",
    [("id", "integer", ""), ("spr_nm", "text", ""), ("land_own", "text", "Land ownership"), ("temp_c", "number", "")],
    [(1, "Gillard", "BLM", 82.0, (1.0, 1.0)), (2, "Agua", "State", 29.0, (1.0, 1.1))],
)  # fmt: skip
BUILDINGS = make_table(
    "data.buildings", "POINT", "",
    [("id", "integer", ""), ("site_name", "text", ""), ("epc", "text", ""), ("bldg_type", "text", ""),
     ("run_dt", "date", ""), ("managed_by", "text", ""), ("gas_kwh_2024", "integer", ""),
     ("gas_kwh_2025", "integer", "gas use 2025, kWh")],
    [(number, f"Site {number}", label, "School", "2024-01-01", "Association", 10, 20, (1.0, 1.0))
     for number, label in enumerate(("B", "G", "A", "E", "F"))],
)  # fmt: skip
HEAT_NETWORK = make_table(
    "data.heat_network",
    "LINESTRING",
    "",
    [("id", "integer", ""), ("status", "text", "")],
    [(1, "Live", (1.0, 1.0))],
)
JOBS = make_table(
    "data.repair_jobs", "POINT", "",
    [("id", "integer", ""), ("trade", "text", ""), ("expr_dt", "date", "")],
    [(1, "Heating", "2027-03-01", (1.0, 1.0)), (2, "Roofing", "2028-01-01", (1.0, 1.0))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(BURSTS, MAINS, WELLS, BASINS, SAMPLES, SPRINGS, BUILDINGS, HEAT_NETWORK, JOBS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def in_year(column: str, year: int) -> Any:
    return both(
        where(column, ">=", {"date": f"{year}-01-01"}), where(column, "<", {"date": f"{year + 1}-01-01"})
    )


@pytest.mark.parametrize(
    ("sentence", "first", "verdict"),
    [
        ("compare bursts in 2024 and 2025", 2024, "2 bursts"),
        ("compare the number of bursts in 2024 and 2025", 2024, "2 bursts"),
        ("did we have more bursts in 2025 than in 2024?", 2025, "No: 2 bursts"),
        ("were there more bursts in 2024 than 2025", 2024, "No: 2 bursts"),
    ],
)
async def test_years_are_counted_and_compared(chat: Chat, sentence: str, first: int, verdict: str) -> None:
    answer = await chat(sentence)
    assert answer.startswith(verdict), answer
    second = 2024 + 2025 - first
    counted = [(name, call["filters"]) for name, call in chat.calls]
    assert counted == [("count_features", in_year("reported", each)) for each in (first, second)], answer


@pytest.mark.parametrize(
    ("sentence", "by", "figure"),
    [
        ("bursts 2024 vs 2025", ["year"], "count"),
        ("total repair cost 2024 vs 2025", ["year"], "sum_repair_cost_gbp"),
        ("compare repair cost in 2024 and 2025", ["year"], "sum_repair_cost_gbp"),
        ("compare number of bursts 2024 and 2025 by contractor", ["contractor", "year"], "count"),
        ("average repair cost of bursts in 2024 vs 2025 per contractor", ["contractor", "year"],
         "mean_repair_cost_gbp"),
        ("gas use 2024 vs 2025 by bldg type", ["bldg_type"], "sum_gas_kwh_2024"),
        ("average gas use 2024 vs 2025", None, "mean_gas_kwh_2025"),
        ("compare CI and DI mains", ["mat"], "count"),
        ("compare length of CI and DI mains", ["mat"], "sum_len_m"),
        ("compare number of CI and DI mains by street", ["street", "mat"], "count"),
        ("average repair cost of burst main vs visible leak", ["job_type"], "mean_repair_cost_gbp"),
        ("compare average repair cost of burst mains and visible leaks", ["job_type"], "mean_repair_cost_gbp"),
        ("compare corrosion and frost bursts per year", ["year", "cause"], "count"),
    ],
)  # fmt: skip
async def test_figures_of_values_and_years(
    chat: Chat, desk: Desk, sentence: str, by: list[str] | None, figure: str
) -> None:
    answer = await chat(sentence)
    last = desk.analysis.steps[-1][1] if desk.analysis.steps else {}
    assert last.get("by") == by, (desk.analysis.steps, answer)
    made = [
        each.get("name") or f"{each['function']}_{each.get('column')}" for each in last.get("aggregates", [])
    ]
    assert figure in (made or ["count"]), answer


async def test_numbers_of_rows_are_compared_by_value(chat: Chat) -> None:
    answer = await chat("compare Kier and Lewis Civil by number of bursts")
    assert answer.startswith("3 bursts where contractor is Kier, and 1 burst where"), answer


async def test_compared_values_without_rows_are_declined(chat: Chat, desk: Desk) -> None:
    await chat("compare frost and corrosion")
    assert not desk.analysis.steps
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"])


@pytest.mark.parametrize(
    ("sentence", "column", "limit"),
    [
        ("longest mains, top 2", "len_m", 2),
        ("biggest bursts by loss, top 3", "loss_m3", 3),
        ("bursts sorted by loss, top 2", "loss_m3", 2),
    ],
)
async def test_a_number_after_a_ranking(chat: Chat, sentence: str, column: str, limit: int) -> None:
    answer = await chat(sentence)
    (_, query) = chat.calls[0]
    assert (query["sort"], query["descending"], query["limit"]) == (column, True, limit), answer


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("how many bursts did Kier repair in 2024", in_year("repaired", 2024)["args"]),
        ("how many bursts did Kier repair", [no(empty("repaired"))]),
        ("how many bursts did Kier do in 2025", in_year("reported", 2025)["args"]),
    ],
)  # fmt: skip
async def test_what_somebody_did_is_dated_by_its_own_column(chat: Chat, sentence: str, filters: Any) -> None:
    answer = await chat(sentence)
    ((name, call),) = chat.calls
    assert (name, call["filters"]) == ("count_features", both(where("contractor", "=", "Kier"), *filters)), (
        answer
    )


@pytest.mark.parametrize("noun", ["repairs", "repair"])
async def test_what_was_done_is_not_its_cost(chat: Chat, desk: Desk, noun: str) -> None:
    answer = await chat(f"which contractor did the most {noun}")
    assert "repair_cost_gbp" not in str(desk.analysis.steps), answer


@pytest.mark.parametrize(
    ("sentence", "last"),
    [
        ("bursts that took more than 10 days to repair", ("filter", where("days_between", ">", 10))),
        ("which burst took the longest to fix", ("top", 1)),
        ("which bursts took the shortest to repair", ("top", 10)),
    ],
)
async def test_rows_by_the_time_that_they_took(
    chat: Chat, desk: Desk, sentence: str, last: tuple[str, Any]
) -> None:
    answer = await chat(sentence)
    (added, changes), (name, arguments) = desk.analysis.steps
    assert (added, changes["changes"][0]["column"], changes["changes"][0]["other"]) == (
        "columns", "reported", "repaired"
    ), answer  # fmt: skip
    assert (name, arguments.get("filter", arguments.get("n"))) == last, answer
    assert name == "filter" or arguments["ties"] is True


@pytest.mark.parametrize(
    "sentence",
    ["bursts that took more than a year to repair", "mains that took longer than 2 days to repair"],
)
async def test_times_that_cannot_be_told_exactly_or_have_no_dates_are_declined(
    chat: Chat, desk: Desk, sentence: str
) -> None:
    await chat(sentence)
    assert not desk.analysis.steps


async def test_first_groups_of_rows(chat: Chat, desk: Desk) -> None:
    await chat("top 5 roads for bursts")
    assert [(name, each.get("by"), each.get("n")) for name, each in desk.analysis.steps] == [
        ("summarise", ["road"], None), ("top", "count", 5)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("wells deeper than 1500 ft", where("well_dpth_ft", ">", 1500)),
        ("wells with a depth over 1500 ft", where("well_dpth_ft", ">", 1500)),
        ("wells with a depth to water over 200 ft", where("dtw_ft", ">", 200)),
        ("springs in the state", None),
        ("springs on state land", where("land_own", "=", "State")),
        (
            "nitrate samples over the MCL",
            both(where("analyte", "=", "Nitrate"), where("over_mcl", "=", True)),
        ),
        ("buildings with an epc of E or worse", {"op": "in", "args": [{"property": "epc"}, ["E", "F", "G"]]}),
        ("buildings run by an association", where("managed_by", "=", "Association")),
        ("buildings with epc B or better", {"op": "in", "args": [{"property": "epc"}, ["A", "B"]]}),
        ("jobs expiring in 2027", in_year("expr_dt", 2027)),
    ],
)
async def test_columns_and_values_that_share_words(chat: Chat, sentence: str, filters: Any) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer


@pytest.mark.parametrize(
    "sentence", ["average depth of the wells", "average well depth", "average depth of DOM wells"]
)
async def test_the_depth_of_a_well_is_not_that_of_its_water(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert [call.get("column") for _, call in chat.calls] == ["well_dpth_ft"], answer


async def test_the_highest_is_that_of_the_number_before(chat: Chat) -> None:
    await chat("samples with tds over 400")
    await chat("whats the highest")
    name, call = chat.calls[0]
    assert (name, call["sort"], call["filters"]) == (
        "query_features", "tds_mgl", both(where("tds_mgl", ">", 400), no(empty("tds_mgl")))
    )  # fmt: skip


async def test_results_in_units_of_their_own_are_asked_about(chat: Chat) -> None:
    answer = await chat("nitrate results above 10 mg/L")
    assert answer.startswith("Which column do you mean by “10 mg/L”: tds_mgl or rslt?"), answer
    answer = await chat("rslt")
    (layer,) = chat.layers.values()
    assert layer.filter == both(where("analyte", "=", "Nitrate"), where("rslt", ">", 10)), answer


@pytest.mark.parametrize("sentence", ["how many wells in each AMA", "number of wells per AMA"])
async def test_a_value_is_no_group(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert "mgmt_typ" not in str(desk.analysis.steps), answer


@pytest.mark.parametrize("sentence", ["how many of them have a frost burst", "how many have a frost burst"])
async def test_rows_that_others_have_are_not_counted_instead(chat: Chat, sentence: str) -> None:
    await chat("show mains on Bath Road")
    answer = await chat(sentence)
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"]), answer


@pytest.mark.parametrize("sentence", ["only the heating ones", "only heating"])
async def test_a_value_in_the_words_of_another_table(chat: Chat, sentence: str) -> None:
    await chat("show repair jobs")
    answer = await chat(sentence)
    assert [each.filter for each in chat.layers.values()] == [where("trade", "=", "Heating")], answer


async def test_areas_without_rows_in_them(chat: Chat, desk: Desk) -> None:
    answer = await chat("basins with no wells in them")
    assert [name for name, _ in desk.analysis.steps] == ["select_by_location"], answer
    assert desk.analysis.steps[0][1]["invert"] is True


@pytest.mark.parametrize(
    "sentence",
    ["line chart of total repair cost per month", "repair cost of bursts per month as a line chart"],
)
async def test_a_figure_along_time(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    ((name, call),) = chat.calls
    drawn = {each: call.get(each) for each in ("kind", "x", "y", "aggregate", "period")}
    assert (name, drawn) == (
        "make_chart",
        {"kind": "line", "x": "reported", "y": "repair_cost_gbp", "aggregate": "sum", "period": "month"},
    ), answer


async def test_a_layer_is_split_by_a_column(chat: Chat, desk: Desk) -> None:
    await chat("show bursts")
    answer = await chat("split by cause")
    assert [each.get("by") for _, each in desk.analysis.steps] == [["cause"]], answer


async def test_shading_the_areas_that_were_counted_adds_nothing(chat: Chat, desk: Desk) -> None:
    answer = await chat("number of wells per basin, shade the basins")
    assert [name for name, _ in desk.analysis.steps] == ["spatial_join"], answer
