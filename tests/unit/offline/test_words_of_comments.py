"""Measures, flags, dates and verbs that only the comments of short or foreign column names tell of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

PATHS = make_table(
    "data.paths", "LINESTRING", "Cycle paths",
    [
        ("id", "integer", ""), ("gatunamn", "text", "Street name"), ("belaggn", "text", "Surface"),
        ("bredd_m", "number", "Width in metres"), ("langd_m", "number", "Length in metres"),
        ("anl_ar", "integer", "Year built"), ("vader", "boolean", "Has a shelter"),
    ],
    [
        (1, "Nya", "Gravel", 1.5, 900.0, 1976, True, (1.0, 1.0)),
        (2, "Tuve", "Gravel", 2.5, 400.0, 2023, False, (1.0, 1.1)),
        (3, "Askim", "Asphalt", 3.5, 700.0, 1990, True, (1.0, 1.2)),
    ],
)  # fmt: skip
WORKS = make_table(
    "data.plan_wk", "POLYGON", "Planned works on the network",
    [("id", "integer", ""), ("wk_ref", "text", "Reference of the work order"), ("st_dt", "date", "Planned start"),
     ("end_dt", "date", "Planned end")],
    [(1, "W1", "2026-12-24", "2027-01-10", (1.0, 1.0)), (2, "W2", "2026-11-01", "2026-11-20", (1.0, 1.1))],
)  # fmt: skip
TRANSFORMERS = make_table(
    "data.dtx", "POINT", "Distribution transformers",
    [("id", "integer", ""), ("tx_no", "text", "Transformer number on the plate"), ("mfr", "text", "Manufacturer"),
     ("ld_pct", "number", "Peak loading, % of rating")],
    [(1, "T1", "Ace", 131.0, (1.0, 1.0)), (2, "T2", "Ace", 64.0, (1.0, 1.1)), (3, "T3", "Bo", 99.0, (1.0, 1.2))],
)  # fmt: skip
OUTAGES = make_table(
    "data.outage", "POINT", "Outages",
    [("id", "integer", ""), ("cause", "text", "Cause of the outage"), ("dur_min", "integer", "Duration in minutes"),
     ("cust_aff", "integer", "Number of customers affected")],
    [(7, "Lightning", 30, 5, (1.0, 1.0)), (8, "Storm", 90, 6, (1.0, 1.1)), (9, "Storm", 20, 9, (1.0, 1.2))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("request_text", "filters"),
    [
        ("paths narrower than 2 m", where("bredd_m", "<", 2)),
        ("paths without a shelter", where("vader", "=", False)),
        ("paths with a shelter", where("vader", "=", True)),
        ("paths built before 1980", where("anl_ar", "<", 1980)),
        ("works starting after 1 December 2026", where("st_dt", ">=", {"date": "2026-12-02"})),
        ("works ending before 1 January 2027", where("end_dt", "<", {"date": "2027-01-01"})),
        ("transformers loaded above 100 %", where("ld_pct", ">", 100)),
    ],
)
async def test_the_column_is_found_by_its_comment(request_text: str, filters: dict[str, Any]) -> None:
    chat = Chat(World(PATHS, WORKS, TRANSFORMERS, OUTAGES))
    answer = await chat(request_text)
    assert chat.calls, answer
    assert chat.calls[0][1]["filters"] == filters


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        ("oldest gravel path", "**Nya**: `anl_ar` 1976"),
        ("newest path", "**Tuve**: `anl_ar` 2023"),
        ("longest gravel path", "**Nya**: `langd_m` 900 m"),
        ("widest path", "**Askim**: `bredd_m` 3.5 m"),
        ("most loaded transformer", "**T1**: `ld_pct` 131 %"),
        ("which of the transformers is the least loaded?", "**T2**: `ld_pct` 64 %"),
        ("which outage lasted the longest?", "**One row**: `id` 8, `dur_min` 90 minutes"),
        ("which outage affected the most customers?", "**One row**: `id` 9, `cust_aff` 9"),
        ("how many customers were affected?", "The total `cust_aff` of outage is 20"),
        ("how many customers were affected by storm?", "where cause is Storm is 15"),
    ],
)
async def test_the_first_row_and_totals(request_text: str, answer: str) -> None:
    chat = Chat(World(PATHS, WORKS, TRANSFORMERS, OUTAGES))
    assert answer in await chat(request_text)


async def test_a_verb_of_no_column_is_not_passed_over() -> None:
    chat = Chat(World(PATHS, OUTAGES))
    answer = await chat("which outage lost the most customers?")
    assert not chat.calls or chat.calls[0][0] == "cannot_do", answer


BURSTS = make_table(
    "data.pipe_bursts", "POINT", "Pipe bursts",
    [("id", "integer", ""), ("crew", "text", "Repair crew"), ("rep_dt", "date", "Date reported"),
     ("fix_dt", "date", "Date repaired (empty: still open)"), ("rd_closed", "text", "Road closed (Y/N)")],
    [(1, "Sul", "2024-01-01", None, "N", (1.0, 1.0)), (2, "Sul", "2024-01-02", "2024-01-05", "Y", (1.0, 1.1))],
)  # fmt: skip
IS_EMPTY = {"op": "isNull", "args": [{"property": "fix_dt"}]}


@pytest.mark.parametrize(
    ("request_text", "filters"),
    [
        ("bursts that are still open", IS_EMPTY),
        ("open bursts", IS_EMPTY),
        ("show bursts that were repaired", {"op": "not", "args": [IS_EMPTY]}),
        ("bursts with a closed road", where("rd_closed", "=", "Y")),
    ],
)
async def test_open_is_what_has_no_date_of_its_end(request_text: str, filters: dict[str, Any]) -> None:
    chat = Chat(World(BURSTS))
    answer = await chat(request_text)
    assert chat.calls, answer
    assert chat.calls[0][1]["filters"] == filters


async def test_a_closed_road_closes_no_burst() -> None:
    chat = Chat(World(BURSTS))
    await chat("closed bursts")
    assert not chat.layers


@pytest.mark.parametrize(
    ("request_text", "count"), [("bursts about Sul", 2), ("how many bursts are there regarding Sul?", 2)]
)
async def test_what_rows_are_about_is_a_value(request_text: str, count: int) -> None:
    chat = Chat(World(BURSTS))
    answer = await chat(request_text)
    assert chat.calls, answer
    assert chat.calls[0][1]["filters"] == where("crew", "=", "Sul")
    assert f"{count} " in answer


async def test_of_those_how_many_are_so() -> None:
    chat = Chat(World(BURSTS))
    await chat("how many bursts were reported in 2024?")
    answer = await chat("of those, how many are repaired?")
    assert answer.startswith("There is 1 pipe burst"), answer


FINDS = make_table(
    "data.finds", "POINT", "Small finds",
    [("id", "integer", ""), ("wt_g", "number", "Weight (g)"), ("mus", "text", "Museum that keeps the find")],
    [(1, 3.0, "Argos", (1.0, 1.0)), (2, 5.0, "Argos", (1.0, 1.1))],
)  # fmt: skip
MUSEUMS = make_table(
    "data.museums", "POINT", "Museums", [("id", "integer", ""), ("museum", "text", "Name")],
    [(1, "Argos", (2.0, 2.0))],
)  # fmt: skip


async def test_nothing_lies_in_points_so_the_own_column_groups() -> None:
    world = World(FINDS, MUSEUMS)
    desk = Desk(world)
    await Chat(world, analyst=desk)("average weight of the finds for each museum")
    ((operation, arguments),) = desk.analysis.steps
    assert operation == "dissolve"
    assert arguments["by"] == ["mus"]
