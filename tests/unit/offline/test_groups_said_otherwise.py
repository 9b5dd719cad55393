"""Groups with a suffix, of other tables and of rows spoken of: `block wise`, `bar chart by status`, `how many in each
block`, `compare organic carbon in two blocks`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table, referring
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

VILLAGES = make_table(
    "data.villages", "POLYGON", "Villages",
    [("id", "integer", ""), ("vill_code", "text", ""), ("vill_name", "text", ""), ("tehsil", "text", ""),
     ("block", "text", "Development block"), ("sub_div", "text", "Irrigation sub-division"),
     ("pop_2016", "integer", "")],
    [(1, "1", "Ladda", "Sunam", "Sunam", "Lehra", 900, (1.0, 1.0)),
     (2, "2", "Jhal", "Dirba", "Dirba", "Lehra", 800, (1.0, 1.1))],
)  # fmt: skip
WELLS = referring(
    make_table(
        "data.wells", "POINT", "Tube wells",
        [("id", "integer", ""), ("vill_code", "text", ""), ("status", "text", ""), ("pump", "text", ""),
         ("drill_dt", "date", ""), ("swl_ft", "number", "Static water level, feet below ground")],
        [(1, "1", "Defunct", "Diesel", "2014-02-01", 80.0, (1.0, 1.0)),
         (2, "1", "Working", "Solar", "2016-02-01", 90.0, (1.0, 1.01)),
         (3, "2", "Defunct", "Solar", "2019-02-01", 95.0, (1.0, 1.1))],
    ),
    ("vill_code", "data.villages", "vill_code"),
)  # fmt: skip
SAMPLES = make_table(
    "data.soil_samples", "POINT", "Soil samples",
    [("id", "integer", ""), ("oc_pct", "number", "Organic carbon, percent (below 0.4 low)")],
    [(1, 0.3, (1.0, 1.0)), (2, 0.6, (1.0, 1.1))],
)  # fmt: skip
APPLICATIONS = make_table(
    "data.applications", None, "Applications for subsidies",
    [("id", "integer", ""), ("scheme", "text", ""), ("status", "text", ""), ("appl_dt", "date", "Date of application"),
     ("dec_dt", "date", "Date of decision")],
    [(1, "Drip", "granted", "2023-12-01", "2024-01-02"), (2, "Solar", "pending", "2024-02-02", None)],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(VILLAGES, WELLS, SAMPLES, APPLICATIONS))


@pytest.fixture
def other_desk() -> Desk:
    return Desk(World(VILLAGES, WELLS, SAMPLES, APPLICATIONS))


async def last_calls(desk: Desk, *messages: str) -> list[tuple[str, dict[str, Any]]]:
    chat = Chat(desk.world, analyst=desk)
    for each in messages:
        await chat(each)
    return chat.calls


@pytest.mark.parametrize(
    ("messages", "goal"),
    [
        (["show defunct wells", "count them block wise"], "number of the layer `wells` block wise"),
        (["show defunct wells", "list them by pump with count"], "number of the layer `wells` by pump"),
        (["which wells are defunct?", "count them by pump"], "number of wells that are defunct by pump"),
        (["show defunct wells", "is there a soil sample within 100 m of any of them?"],
         "is there a soil sample within 100 m of the layer `wells`?"),
        (["which village has the most wells?", "and which ones have none at all"], "which village have no wells"),
    ],
)  # fmt: skip
async def test_these_groups_are_analysed(desk: Desk, messages: list[str], goal: str) -> None:
    assert await last_calls(desk, *messages) == [("run_analysis", {"goal": goal})]


@pytest.mark.parametrize(
    ("messages", "other_messages"),
    [
        (["number of wells block wise"], ["number of wells per block"]),
        (["average swl of wells sub division-wise"], ["average swl of wells per sub division"]),
        (["scheme wise applications in 2024"], ["applications in 2024 per scheme"]),
        (["applications status-wise in 2024"], ["applications per status in 2024"]),
        (["wells village wise in 2016"], ["wells per village in 2016"]),
        (["applications monthwise"], ["applications per month"]),
        (["applications by scheme wise"], ["number of applications per scheme"]),
        (["average oc block wise"], ["average oc per block"]),
        (["block wise population"], ["population per block"]),
        (["share of defunct wells pump wise"], ["share of defunct wells per pump"]),
        (["how many wells are defunct village wise"], ["how many wells are defunct per village"]),
        (["show defunct wells", "pump wise"], ["show defunct wells", "per pump"]),
        (["number of wells block wise", "and by pump?"], ["number of wells per block", "and by pump?"]),
        (["number of wells by pump", "and block wise?"], ["number of wells by pump", "and per block?"]),
        (["wells block wise", "which block has the most?"], ["wells per block", "which block has the most?"]),
    ],
)
async def test_a_group_may_have_a_suffix(
    desk: Desk, other_desk: Desk, messages: list[str], other_messages: list[str]
) -> None:
    assert [name for name, _ in await last_calls(desk, *messages)] == [
        name for name, _ in await last_calls(other_desk, *other_messages)
    ]
    assert desk.analysis.steps == other_desk.analysis.steps


PER_YEAR = {"kind": "histogram", "period": "year"}


@pytest.mark.parametrize(
    ("messages", "chart"),
    [
        (["show defunct wells", "bar chart by pump"], {"kind": "bar", "x": "pump", "data": "wells"}),
        (["show defunct wells", "chart of how many per year"], {**PER_YEAR, "x": "drill_dt", "data": "wells"}),
        (["how many applications were granted in 2024?", "make a bar chart of that for all years"],
         {**PER_YEAR, "x": "dec_dt", "data": "data.applications", "filters": where("status", "=", "granted")}),
        (["number of wells by pump", "bar chart by status"], {"kind": "bar", "x": "status", "data": "data.wells"}),
    ],
)  # fmt: skip
async def test_rows_spoken_of_are_charted(desk: Desk, messages: list[str], chart: dict[str, Any]) -> None:
    assert await last_calls(desk, *messages) == [("make_chart", chart)]


async def test_figures_of_a_layer_are_charted_and_not_counted(desk: Desk) -> None:
    messages = ["show defunct wells", "how many per year", "as a bar chart", "bar chart of them per year"]
    for end in (3, 4):
        name, chart = (await last_calls(desk, *messages[:end]))[-1]
        assert (name, chart["x"], chart["y"]) == ("make_chart", "year", "count")


@pytest.mark.parametrize(
    ("sentence", "operations", "first"),
    [
        ("average organic carbon per block", ["dissolve", "spatial_join"], {"by": ["block"]}),
        ("compare organic carbon in Sunam and Dirba blocks", ["filter", "dissolve", "spatial_join"],
         {"source": "data.villages", "filter": {"op": "in", "args": [{"property": "block"}, ["Sunam", "Dirba"]]}}),
        ("compare static water level in Sunam and Dirba blocks", ["filter", "join_by_attribute", "dissolve"],
         {"source": "data.villages", "filter": {"op": "in", "args": [{"property": "block"}, ["Sunam", "Dirba"]]}}),
        ("which block has the highest average organic carbon", ["dissolve", "spatial_join", "top"], {"by": ["block"]}),
        ("defunct wells by block", ["filter", "join_by_attribute", "dissolve"], {"source": "data.wells"}),
        ("map villages by number of wells", ["summarise", "join_by_attribute"],
         {"source": "data.wells", "by": ["vill_code"]}),
    ],
)  # fmt: skip
async def test_groups_are_those_of_other_tables(
    desk: Desk, sentence: str, operations: list[str], first: dict[str, Any]
) -> None:
    await last_calls(desk, sentence)
    assert [name for name, _ in desk.analysis.steps][: len(operations)] == operations
    assert first.items() <= desk.analysis.steps[0][1].items()


async def test_a_figure_of_a_year_is_no_group(desk: Desk) -> None:
    await last_calls(desk, "wells per village in 2016")
    assert "pop_2016" not in str(desk.analysis.steps)


async def test_rows_of_a_layer_are_grouped_by_what_they_refer_to(desk: Desk) -> None:
    await last_calls(desk, "show defunct wells", "how many in each block")
    assert [name for name, _ in desk.analysis.steps][:3] == ["filter", "join_by_attribute", "dissolve"]


@pytest.mark.parametrize(
    "sentence", ["how many by sub div villages", "top 2 wells swl wise", "show the Wise wells"]
)
async def test_other_words_are_no_groups(desk: Desk, sentence: str) -> None:
    assert "run_analysis" not in [name for name, _ in await last_calls(desk, sentence)]


async def test_a_block_that_is_also_a_tehsil_is_asked_about(desk: Desk) -> None:
    assert "tehsil" in await Chat(desk.world, analyst=desk)("compare static water level in Sunam and Dirba")


DISTRICTS = make_table(
    "data.districts", "POLYGON", "Districts",
    [("id", "integer", ""), ("name", "text", ""), ("pop_2013", "integer", ""),
     ("pop_2023", "integer", "Residents, 31 Dec 2023"), ("pop_u18", "integer", "Residents under 18 years (2023)"),
     ("pop_o65", "integer", ""), ("area_km2", "number", "")],
    [(1, "Leith", 900, 1000, 200, 150, 2.0, (1.0, 1.0)), (2, "Dean", 800, 900, 100, 250, 3.0, (1.0, 1.1))],
)  # fmt: skip
LAMPS = make_table(
    "data.street_lights", "POINT", "Street lights",
    [("id", "integer", ""), ("lamp", "text", ""), ("watt", "integer", "Power in watts"),
     ("inst_yr", "integer", "Year of installation")],
    [(1, "sodium", 70, 1999, (1.0, 1.0)), (2, "LED", 30, 2012, (1.0, 1.1))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("messages", "calls"),
    [
        (["how many people live in Leith?"],
         [("query_features", {"table": "data.districts", "filters": where("name", "=", "Leith")})]),
        (["colour districts by pop_2023", "5 classes, in blue"],
         [("update_map_layer", {"style": {"ramp": "Blues", "classes": 5}})]),
        (["how many people live in Leith?", "what share of them is over 65"],
         [("run_analysis", {"goal": "what share of residents is over 65 in Leith"})]),
        (["top 2 districts by population", "now by share of under 18s"],
         [("run_analysis", {"goal": "top 2 districts by share of under 18s"})]),
        (["show street lights", "chart total watt per year"],
         [("make_chart", {"kind": "bar", "x": "inst_yr", "y": "watt", "aggregate": "sum"})]),
        (["show street lights", "sum of their power in watt"], [("column_stats", {"column": "watt"})]),
        (["how many lights are sodium?", "what's their total wattage in kW"],
         [("column_stats", {"column": "watt", "filters": where("lamp", "=", "sodium")})]),
    ],
)  # fmt: skip
async def test_the_newest_people_classes_and_units_are_meant(
    messages: list[str], calls: list[tuple[str, dict[str, Any]]]
) -> None:
    made = await last_calls(Desk(World(DISTRICTS, LAMPS)), *messages)
    assert [name for name, _ in made] == [name for name, _ in calls]
    assert calls[0][1].items() <= made[0][1].items()


@pytest.mark.parametrize(
    ("sentence", "expression", "title"),
    [
        ("population density per district", "pop_2023 * 1 / area_km2", "Pop_2023 per km²"),
        ("2 districts with the highest share of under 18s", '100 * "pop_u18" / "pop_2023"', "Percentage of pop_u18"),
        ("colour districts by share of pop_o65", '100 * "pop_o65" / "pop_2023"', "Percentage of pop_o65"),
    ],
)  # fmt: skip
async def test_figures_of_people_are_divided(sentence: str, expression: str, title: str) -> None:
    desk = Desk(World(DISTRICTS, LAMPS))
    await last_calls(desk, sentence)
    name, arguments = desk.analysis.steps[0]
    assert (name, arguments["expression"]) == ("calculate", expression)
    assert title in desk.analysis.titles[0]


async def test_a_year_after_a_group_is_no_part_of_a_column_of_other_rows() -> None:
    fields = make_table(
        "data.crop_fields", "POINT", "",
        [("id", "integer", ""), ("fld_id", "integer", ""), ("crop_26", "text", "Crop 2026")],
        [(1, 10, "OATS", (1.0, 1.0)), (2, 11, "PEAS", (1.0, 1.1))],
    )  # fmt: skip
    harvest = referring(
        make_table(
            "data.yields", "POINT", "",
            [("id", "integer", ""), ("fld_id", "integer", ""), ("crop", "text", ""), ("harvested", "date", ""),
             ("yield_t", "number", "")],
            [(1, 10, "Peas", "2025-09-01", 3.0, (1.0, 1.0)), (2, 11, "Oats", "2026-09-01", 5.0, (1.0, 1.1))],
        ),
        ("fld_id", "data.crop_fields", "fld_id"),
    )  # fmt: skip
    desk = Desk(World(fields, harvest))
    answer = await Chat(desk.world, analyst=desk)("average yield t by crop 2026")
    kept, grouped = (call for name, call in desk.analysis.steps if name in ("filter", "dissolve"))
    assert grouped["by"] == ["crop"], answer
    assert "2026-01-01" in str(kept["filter"])


ROADS = make_table(
    "data.roads", "LINESTRING", "Road segments (asset register); one road can have several segments",
    [("id", "integer", ""), ("seg_id", "integer", ""), ("road_nm", "text", "")],
    [(1, 1, "Hill Road", (1.0, 1.0)), (2, 2, "Hill Road", (1.0, 1.1)), (3, 3, "Mill Road", (1.0, 1.2))],
)  # fmt: skip
STREET_TREES = referring(
    make_table(
        "data.street_trees", "POINT", "Street tree inventory",
        [("id", "integer", ""), ("seg_id", "integer", ""), ("health", "text", "")],
        [(at, seg, "Good", (1.0, 1.0)) for at, seg in enumerate((1, 1, 2, 2, 3, 3, 3))],
    ),
    ("seg_id", "data.roads", "seg_id"),
)  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    ["which road has the most trees", "which street has the most trees?", "number of trees by road",
     "trees per street", "top 5 streets by number of trees"],
)  # fmt: skip
async def test_a_road_is_all_of_its_segments(sentence: str) -> None:
    desk = Desk(World(ROADS, STREET_TREES))
    answer = await Chat(desk.world, analyst=desk)(sentence)
    (by,) = (call["by"] for name, call in desk.analysis.steps if name in ("dissolve", "summarise"))
    assert by == ["road_nm"], answer


async def test_segments_are_counted_by_themselves() -> None:
    desk = Desk(World(ROADS, STREET_TREES))
    answer = await Chat(desk.world, analyst=desk)("number of trees by road segment")
    (by,) = (call["by"] for name, call in desk.analysis.steps if name in ("dissolve", "summarise"))
    assert "seg_id" in by, answer


async def test_the_first_of_groups_is_called_by_its_name_not_by_its_code() -> None:
    suburbs = make_table(
        "data.suburbs", "POLYGON", "", [("id", "integer", ""), ("sub_cd", "text", ""), ("suburb", "text", "")],
        [(1, "SAL1", "Unley", (1.0, 1.0)), (2, "SAL2", "Mile End", (1.0, 1.1))],
    )  # fmt: skip
    permits = referring(
        make_table(
            "data.permits", "POINT", "", [("id", "integer", ""), ("sub_cd", "text", ""), ("status", "text", "")],
            [(1, "SAL1", "Refused", (1.0, 1.0)), (2, "SAL1", "Refused", (1.0, 1.1)), (3, "SAL2", "Open", (1.0, 1.1))],
        ),
        ("sub_cd", "data.suburbs", "sub_cd"),
    )  # fmt: skip
    answer = await Chat(world := World(suburbs, permits), analyst=Desk(world))(
        "which suburb has the most permits?"
    )
    assert "Unley has the most permits" in answer


async def test_a_plural_before_a_preposition_owns_no_column() -> None:
    """“canals” was read as “canal's”, with a column `in_svc` behind it."""
    lines = make_table(
        "data.irrig_lines", "POINT", "", [("id", "integer", ""), ("seg_nm", "text", ""), ("in_svc", "boolean", "")],
        [(1, "Canal", True, (1.0, 1.0)), (2, "Ditch", False, (1.0, 1.1))],
    )  # fmt: skip
    assert "canal's" not in await Chat(World(lines))("canals in Rudy")
