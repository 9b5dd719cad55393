"""Requests of a water utility and of a health analyst: flags, times until something was done, units."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

ZONES = make_table(
    "data.pressure_zones", "POLYGON", "Pressure zones",
    [("id", "integer", ""), ("name", "text", ""), ("households", "integer", "")],
    [(1, "Paranhos", 9000, (1.0, 1.0)), (2, "Antas", 4000, (1.0, 1.1))],
)  # fmt: skip
LEAKS = make_table(
    "data.leak_reports", "POINT", "Leaks",
    [("id", "integer", ""), ("reported_on", "date", ""), ("repaired_on", "date", ""), ("repaired", "boolean", ""),
     ("severity", "text", ""), ("loss_l", "integer", "")],
    [
        (1, "2024-01-01", "2024-01-05", True, "major", 9000, (1.0, 1.0)),
        (2, "2025-01-02", None, False, "minor", 300, (1.0, 1.1)),
    ],
)  # fmt: skip
MAINS = make_table(
    "data.water_mains", "LINESTRING", "Water mains",
    [("id", "integer", ""), ("material", "text", ""), ("renewal_planned", "boolean", "")],
    [(1, "PVC", True, (1.0, 1.0)), (2, "ductile iron", False, (1.0, 1.1))],
)  # fmt: skip
VALVES = make_table(
    "data.valves", "POINT", "Valves",
    [("id", "integer", ""), ("vtype", "text", ""), ("status", "text", "")],
    [(1, "PRV", "open", (1.0, 1.0)), (2, "gate", "closed", (1.0, 1.1))],
)  # fmt: skip
MONITORS = make_table(
    "data.aq_monitors", "POINT", "Diffusion tubes",
    [("id", "integer", ""), ("site_name", "text", ""), ("site_type", "text", ""),
     ("no2_ugm3", "number", ""), ("is_reference", "boolean", "")],
    [(1, "Temple Way", "roadside", 44.0, True, (1.0, 1.0)), (2, "Old Market", "kerbside", 30.5, False, (1.0, 1.1))],
)  # fmt: skip
CLINICS = make_table(
    "data.clinics", "POINT", "Vaccination clinics",
    [("id", "integer", ""), ("venue", "text", ""), ("clinic_date", "date", ""),
     ("vaccine", "text", ""), ("doses", "integer", "Doses given")],
    [(1, "Ashton Gate", "2024-01-01", "Flu", 40, (1.0, 1.0)), (2, "City Hall", "2024-05-01", "MMR", 60, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(ZONES, LEAKS, MAINS, VALVES, MONITORS, CLINICS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("open leaks", where("repaired", "=", False)),
        ("how many leaks are still open?", where("repaired", "=", False)),
        ("how many open leaks do we still have", where("repaired", "=", False)),
        ("mains that are not planned for renewal", no(where("renewal_planned", "=", True))),
        ("which mains are planned for renewal", where("renewal_planned", "=", True)),
        ("show pvc mains", where("material", "=", "PVC")),
        ("show all PRVs", where("vtype", "=", "PRV")),
        ("air quality monitors at roadside sites", where("site_type", "=", "roadside")),
        ("show the references", where("is_reference", "=", True)),
        ("how many references are there", where("is_reference", "=", True)),
    ],
)  # fmt: skip
async def test_rows_by_flags_acronyms_and_initials(
    chat: Chat, sentence: str, filters: dict[str, Any]
) -> None:
    answer = await chat(sentence)
    assert chat.calls, answer
    assert chat.calls[-1][1].get("filters") == filters


@pytest.mark.parametrize("hidden", ["hide the pvc", "hide the PVC"])
async def test_an_acronym_is_hidden_in_any_case(chat: Chat, hidden: str) -> None:
    await chat("show the mains")
    await chat(hidden)
    assert chat.layers["water_mains"].filter == no(where("material", "=", "PVC"))


async def test_a_flag_in_the_plural_is_hidden_in_the_layer(chat: Chat) -> None:
    await chat("show the monitors")
    await chat("hide the references")
    assert chat.layers["aq_monitors"].filter == no(where("is_reference", "=", True))


@pytest.mark.parametrize("what", ["total litres lost", "total loss", "sum of the litres lost"])
async def test_a_unit_before_a_measure(chat: Chat, what: str) -> None:
    await chat(what)
    assert chat.calls[-1][1]["column"] == "loss_l"


@pytest.mark.parametrize(
    "sentence",
    ["how long does it take us to repair a leak on average", "average time to repair leaks"],
)
async def test_the_time_until_something_was_done(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert desk.analysis.steps, answer
    assert "repaired_on" in str(desk.analysis.steps[0])
    assert "reported_on" in str(desk.analysis.steps[0])


async def test_a_value_of_the_same_column_replaces_the_one_asked_about_before(chat: Chat) -> None:
    await chat("what's the average no2 at roadside sites")
    await chat("and kerbside?")
    assert chat.calls[-1][1]["filters"] == where("site_type", "=", "kerbside")


@pytest.mark.parametrize("asked", ["how many doses were given in 2024?", "total doses in 2024"])
async def test_a_part_of_a_sum_is_summed(chat: Chat, asked: str) -> None:
    await chat(asked)
    await chat("how many of those were flu")
    name, arguments = chat.calls[-1]
    in_2024 = both(
        where("clinic_date", ">=", {"date": "2024-01-01"}), where("clinic_date", "<", {"date": "2025-01-01"})
    )
    assert (name, arguments["column"]) == ("column_stats", "doses")
    assert arguments["filters"]["args"] == [*in_2024["args"], where("vaccine", "=", "Flu")]


@pytest.mark.parametrize(
    "sentence", ["bar chart of leaks per year by severity", "leaks per year and severity as a chart"]
)
async def test_a_chart_by_period_and_class_leaves_neither_out(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    for name, arguments in chat.calls:
        assert name != "make_chart" or (arguments["period"], arguments["color"]) == ("year", "severity")


@pytest.mark.parametrize("sentence", ["leaks since 2024 per zone", "major leaks per pressure zone"])
async def test_rows_with_conditions_are_counted_per_area(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert [name for name, _ in desk.analysis.steps] == ["filter", "spatial_join"], answer


async def test_a_figure_of_rows_without_a_noun_is_that_of_each_area(chat: Chat, desk: Desk) -> None:
    answer = await chat("avg no2 by zone")
    assert [name for name, _ in desk.analysis.steps] == ["spatial_join"], answer
    assert [name for name, _ in chat.calls] == ["run_analysis"]


@pytest.mark.parametrize("sentence", ["show households of zones", "map the households of the pressure zones"])
async def test_areas_are_coloured_by_the_number_asked_for(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    assert chat.layers["pressure_zones"].style.column == "households"


@pytest.mark.parametrize(
    "sentence", ["extrude the pressure zones by households", "show zones in 3D by households"]
)
async def test_areas_are_extruded(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    assert chat.layers["pressure_zones"].style.extrude == "households"


async def test_valves_by_type_and_status(chat: Chat, desk: Desk) -> None:
    answer = await chat("valves by type and status")
    assert "vtype" in str(desk.analysis.steps), answer


async def test_a_histogram_with_the_column_before_it(chat: Chat) -> None:
    await chat("no2 histogram of the monitors")
    name, arguments = chat.calls[-1]
    assert (name, arguments["kind"], arguments["x"]) == ("make_chart", "histogram", "no2_ugm3")


@pytest.mark.parametrize("asked", ["and their households", "what about their households?"])
async def test_a_column_of_a_list_is_asked_for_afterwards(chat: Chat, asked: str) -> None:
    await chat("list the pressure zones")
    await chat(asked)
    name, arguments = chat.calls[-1]
    assert name == "query_features"
    assert "households" in arguments["columns"]


async def test_a_question_is_narrowed_behind_its_closing_words(chat: Chat) -> None:
    await chat("how many open leaks do we have right now?")
    await chat("only the minor ones")
    name, arguments = chat.calls[-1]
    assert name == "count_features"
    assert arguments["filters"] == both(where("repaired", "=", False), where("severity", "=", "minor"))
