"""Short requests as people type them: `records` of a value, `300+`, another noun of a table, `how many by town?`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

CENTRES = make_table(
    "data.relief_ctr", "POINT", "Relief centres and shelters, county plan",
    [("id", "integer", ""), ("ctr_name", "text", "Name of the centre"), ("town", "text", "Town"),
     ("status", "text", "Open or Closed"), ("cap", "integer", "Capacity (persons)"),
     ("pets_yn", "text", "Pets accepted (Y/N)"),
     ("closed_on", "date", "Closed or reduced since"), ("reason", "text", "")],
    [(1, "Mill Hall", "Alton", "Open", 300, "Y", "2024-01-02", "Repairs", (1.0, 1.0)),
     (2, "Gate School", "Alton", "Closed", 120, "N", "2024-01-02", "Flooding", (2.0, 2.0)),
     (3, "North Camp", "Belton", "Open", 80, "Y", None, None, (3.0, 3.0))],
)  # fmt: skip
SIGHTINGS = make_table(
    "data.nature_obs", "POINT", "Species observations, 2015-2024",
    [("id", "integer", ""), ("com_name", "text", "Common name"), ("obs_date", "date", "Date of observation"),
     ("obs_type", "text", "Type of observation"), ("visits", "integer", "Number of people who came (daily visits)")],
    [(1, "gorse", "2016-05-01", "Sighting", 4, (1.0, 1.0)), (2, "masked owl", "2020-05-01", "Nest", 2, (2.0, 2.0)),
     (3, "masked owl", "2020-07-01", "Sighting", 1, (3.0, 3.0))],
)  # fmt: skip
PATHS = make_table(
    "data.path_net", "LINESTRING", "Footpaths and bridleways",
    [("id", "integer", ""), ("kind", "text", "Footpath or bridleway"), ("length_m", "number", "")],
    [(1, "footpath", 30.0, (1.0, 1.0)), (2, "bridleway", 60.0, (2.0, 2.0))],
)  # fmt: skip


def chat_over_tables() -> tuple[World, Chat]:
    world = World(CENTRES, SIGHTINGS, PATHS)
    return world, Chat(world, analyst=Desk(world))


@pytest.mark.parametrize(
    ("said", "table", "filters"),
    [
        ("show the shelters", "relief_ctr", None),
        ("open shelters, capacity 100+", "relief_ctr", both(where("status", "=", "Open"), where("cap", ">=", 100))),
        ("relief centres with capacity 100+", "relief_ctr", where("cap", ">=", 100)),
        ("shelters pets ok + open", "relief_ctr", both(where("pets_yn", "=", "Y"), where("status", "=", "Open"))),
        ("shelters where pets are not allowed", "relief_ctr", where("pets_yn", "=", "N")),
        ("shelters not closed", "relief_ctr", no(where("status", "=", "Closed"))),
        ("shelters not yet closed", "relief_ctr", no(where("status", "=", "Closed"))),
        ("shelters closed because of flooding", "relief_ctr",
         both(where("status", "=", "Closed"), where("reason", "=", "Flooding"))),
        ("show the gorse records", "nature_obs", where("com_name", "=", "gorse")),
        ("masked owl points", "nature_obs", where("com_name", "=", "masked owl")),
        ("show the bridleways", "path_net", where("kind", "=", "bridleway")),
    ],
)  # fmt: skip
async def test_rows_are_found_by_other_nouns_for_them(said: str, table: str, filters: Any) -> None:
    world, chat = chat_over_tables()
    answer = await chat(said)
    (layer,) = world.map.layers()
    assert (layer.table, layer.filter) == (f"data.{table}", filters), answer


@pytest.mark.parametrize(
    ("shown", "said", "figures"),
    [
        ("show the open shelters", "how many are there by town?", [("Alton", 1), ("Belton", 1)]),
        ("show the shelters", "how many of them per town?", [("Alton", 2), ("Belton", 1)]),
        ("show the masked owl records", "how many are there per year?", [("2020", 2)]),
    ],
)
async def test_the_rows_shown_are_counted_in_groups(
    shown: str, said: str, figures: list[tuple[str, int]]
) -> None:
    _, chat = chat_over_tables()
    await chat(shown)
    answer = await chat(said)
    for value, number in figures:
        assert f"| {value} | {number} |" in answer


@pytest.mark.parametrize("said", ["how many are there per year?", "how many per kind?"])
async def test_a_number_of_nothing_is_not_counted_in_a_table_that_nobody_named(said: str) -> None:
    _, chat = chat_over_tables()
    await chat(said)
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"])


async def test_it_is_said_that_a_noun_is_for_all_rows() -> None:
    _, chat = chat_over_tables()
    assert "no column that separates shelters from its other rows" in await chat(
        "how many shelters are open?"
    )
    assert "separates" not in await chat("show the bridleways")


async def test_a_noun_that_is_in_names_of_some_rows_is_not_one_for_all() -> None:
    hospitals = make_table(
        "data.hospitals", "POINT", "Hospitals and clinics", [("id", "integer", ""), ("name", "text", "")],
        [(1, "City Hospital", (1.0, 1.0)), (2, "Mill Clinic", (2.0, 2.0))],
    )  # fmt: skip
    world = World(hospitals)
    chat = Chat(world, analyst=Desk(world))
    await chat("show the clinics")
    assert [name for name, _ in chat.calls] == ["cannot_do"]
    assert "2 hospitals" in await chat("show the hospitals")


@pytest.mark.parametrize(
    ("said", "chart"),
    [
        ("pie chart shelter status", {"data": "data.relief_ctr", "x": "status"}),
        ("bar chart of the average daily visits by common name",
         {"data": "data.nature_obs", "x": "com_name", "y": "visits", "aggregate": "mean"}),
    ],
)  # fmt: skip
async def test_columns_are_charted_by_other_words_of_comments(said: str, chart: dict[str, Any]) -> None:
    _, talk = chat_over_tables()
    await talk(said)
    assert talk.calls == [("make_chart", {"kind": "bar", **chart})]


@pytest.mark.parametrize(
    ("said", "rows", "others"),
    [
        ("shelters outside any park zone, not closed", no(where("status", "=", "Closed")), None),
        ("shelters inside a park zone and are open", where("status", "=", "Open"), None),
        ("shelters in flood park zones which are open", where("status", "=", "Open"), where("kind", "=", "flood")),
        ("relief centres within 2 km of a masked owl nest", None,
         both(where("com_name", "=", "masked owl"), where("obs_type", "=", "Nest"))),
    ],
)  # fmt: skip
async def test_values_behind_other_rows_are_those_of_the_rows_that_have_them(
    said: str, rows: Any, others: Any
) -> None:
    parks = make_table(
        "data.park_ext", "POLYGON", None, [("id", "integer", ""), ("kind", "text", "")],
        [(1, "flood", (1.0, 1.0)), (2, "dry", (2.0, 2.0))],
    )  # fmt: skip
    world = World(CENTRES, SIGHTINGS, parks)
    chat = Chat(world, analyst=(desk := Desk(world)))
    answer = await chat(said)
    steps = desk.analysis.steps
    filters = {each["source"]: each["filter"] for name, each in steps if name == "filter"}
    assert filters.get("data.relief_ctr") == rows, answer
    assert filters.get("data.park_ext", filters.get("data.nature_obs")) == others, answer
    assert steps[-1][0] == "select_by_location", answer


async def test_points_have_no_points_in_them() -> None:
    _, chat = chat_over_tables()
    await chat("which shelters have no observation?")
    assert [name for name, _ in chat.calls] == ["cannot_do"]


async def test_rows_of_a_value_are_sized_by_a_column() -> None:
    world, chat = chat_over_tables()
    answer = await chat("Size the masked owl points by daily visits")
    (layer,) = world.map.layers()
    assert (layer.style.kind, layer.style.column) == ("proportional", "visits"), answer
    assert layer.filter == where("com_name", "=", "masked owl")
