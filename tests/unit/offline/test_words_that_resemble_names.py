"""Words that only resemble the name of a column or a table, or its comment: what they say is no figure of it."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.language.names.columns import columns_called
from agents.offline.language.words import name_words
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, no, where

WARDS = make_table(
    "data.wards", "POLYGON", "",
    [("id", "integer", ""), ("ward", "text", ""), ("region", "text", ""), ("homes", "integer", ""),
     ("fires", "integer", ""), ("renter_cnt", "integer", ""), ("employer_cnt", "integer", ""),
     ("prisoner_total", "integer", ""), ("resident_cnt", "integer", "")],
    [(1, "A", "N", 10, 1, 5, 6, 7, 8, (1.0, 1.0)), (2, "B", "S", 20, 2, 5, 6, 7, 8, (2.0, 2.0))],
)  # fmt: skip
TRACTS = make_table(
    "data.tracts", "POLYGON", "",
    [("id", "integer", ""), ("tract", "text", ""), ("homes", "integer", ""), ("fire_cnt", "integer", ""),
     ("road_km", "number", ""), ("school_cnt", "integer", ""), ("land_area_ha", "number", ""),
     ("land_ha", "number", "")],
    [(1, "A", 10, 1, 5.0, 6, 7.0, 1.0, (1.0, 1.0)), (2, "B", 20, 2, 5.0, 6, 7.0, 2.0, (2.0, 2.0))],
)  # fmt: skip
OZONE = make_table(
    "data.measurements", "POINT", "Station measurements of ozone",
    [("id", "integer", ""), ("station_id", "integer", ""), ("ozone", "number", "")],
    [(1, 7, 5.0, (1.0, 1.0)), (2, 7, 6.0, (1.0, 1.0)), (3, 7, 8.0, (1.0, 1.0))],
)  # fmt: skip
ORDERS = make_table(
    "data.orders", "POINT", "Customer orders",
    [("id", "integer", ""), ("customer_id", "integer", ""), ("total_eur", "integer", "")],
    [(1, 1, 5, (1.0, 1.0)), (2, 1, 6, (2.0, 2.0))],
)  # fmt: skip
CARE_HOMES = make_table(
    "data.care_homes", "POINT", "",
    [("id", "integer", ""), ("name", "text", ""), ("beds", "integer", "")],
    [(1, "A", 6, (1.0, 1.0)), (2, "B", 8, (2.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "table"),
    [
        ("average rent of the wards by region", WARDS),
        ("total prisons of the wards by region", WARDS),
        ("number of employees of the wards by region", WARDS),
        ("total employees of the wards by region", WARDS),
        ("how many prisons do the wards have by region", WARDS),
        ("total homeless of the wards by region", WARDS),
        ("total firefighters of the wards by region", WARDS),
        ("total homeless in the tracts", TRACTS),
        ("tracts with more than 10 homeless", TRACTS),
        ("tracts with more than 3 schoolchildren", TRACTS),
        ("tracts with more than 5 landslides", TRACTS),
        ("total landslide area of the tracts", TRACTS),
        ("which tract has the most firefighters", TRACTS),
        ("tracts by number of firefighters", TRACTS),
        ("total roadworks of tracts", TRACTS),
        ("how many stations are there", OZONE),
        ("show stations", OZONE),
        ("how many customers are there", ORDERS),
        ("how many properties are there", CARE_HOMES),
        ("show houses", CARE_HOMES),
    ],
)
async def test_a_word_that_resembles_a_name_means_nothing_there(sentence: str, table: Any) -> None:
    world = World(table)
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    answer = await chat(sentence)
    assert not desk.analysis or not desk.analysis.steps, answer
    assert {name for name, _ in chat.calls} <= {"cannot_do", "run_analysis"}, answer


@pytest.mark.parametrize(
    ("column", "kind", "said", "is_meant"),
    [
        ("renter_cnt", "integer", "rent", False),
        ("renter_cnt", "integer", "number of renters", True),
        ("renter_pct", "number", "rent", False),
        ("rent_eur", "integer", "renters", False),
        ("vacant_pct", "number", "vacancy rate", True),
        ("paid_eur", "integer", "payment", True),
        ("install_yr", "integer", "year of installation", True),
        ("install_yr", "integer", "installation", False),
        ("flooded_ha", "number", "flooding area", True),
        ("closed_dt", "date", "closing", True),
        ("unins_cnt", "integer", "uninsured", True),
        ("precip_mm", "number", "precipitation", True),
        ("home_cnt", "integer", "homeless", False),
        ("road_km", "number", "roadworks", False),
        ("fire_area_ha", "number", "firefighter area", False),
        ("meadow_cnt", "integer", "number of measurements", False),
        ("meas_date", "date", "meadow date", False),
    ],
)
def test_another_form_or_the_beginning_of_a_word(column: str, kind: Any, said: str, is_meant: bool) -> None:
    table, _ = make_table("data.rows", None, "", [(column, kind, "")], [])
    assert (columns_called((table,), name_words(said)) == [column]) is is_meant


SHOPS = make_table(
    "data.shops", "POINT", "",
    [("id", "integer", ""), ("name", "text", ""), ("status", "text", ""), ("h24", "boolean", "Open around the clock"),
     ("ramp", "boolean", "Accessible for wheelchairs")],
    [(1, "Foo", "open", False, True, (1.0, 1.0)), (2, "Bar", "closing", True, False, (2.0, 2.0))],
)  # fmt: skip
CLAIMS = make_table(
    "data.claims", "POINT", "",
    [("id", "integer", ""), ("name", "text", ""), ("insured", "text", "")],
    [(1, "a", "Yes", (1.0, 1.0)), (2, "b", "yes", (2.0, 2.0)), (3, "c", "No", (3.0, 3.0)), (4, "d", "Y", (3.0, 3.0))],
)  # fmt: skip
INSURED = where("insured", "in", ["Y", "Yes", "yes"])


@pytest.mark.parametrize(
    ("sentence", "table", "filters"),
    [
        ("how many open shops are there", SHOPS, where("status", "=", "open")),
        ("how many shops are open", SHOPS, where("status", "=", "open")),
        ("how many accessible shops are there", SHOPS, where("ramp", "=", True)),
        ("how many claims are insured", CLAIMS, INSURED),
        ("how many claims with insured = yes", CLAIMS, INSURED),
        ("how many claims are not insured", CLAIMS, no(INSURED)),
        ("how many uninsured claims are there", CLAIMS, where("insured", "=", "No")),
    ],
)
async def test_what_is_stored_counts_and_all_of_it(
    sentence: str, table: Any, filters: dict[str, Any]
) -> None:
    chat = Chat(World(table))
    answer = await chat(sentence)
    assert [arguments.get("filters") for _, arguments in chat.calls] == [filters], answer


async def test_a_flag_is_not_denied_where_the_word_is_a_value() -> None:
    chat = Chat(World(SHOPS))
    answer = await chat("show closed shops")
    assert not chat.layers, answer


@pytest.mark.parametrize(
    "sentence", ["show wards in the N region", "wards in the N region", "how many wards are in the N region?"]
)
async def test_a_value_with_the_noun_of_its_column_is_no_area(sentence: str) -> None:
    world = World(WARDS)
    chat = Chat(world, analyst=Desk(world))
    answer = await chat(sentence)
    assert [arguments.get("filters") for _, arguments in chat.calls] == [where("region", "=", "N")], answer
