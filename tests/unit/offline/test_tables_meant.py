"""Of tables with the same noun, and of tables that nobody named, those are meant that have what is said of rows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

AIR = make_table(
    "data.air_stations", "POINT", "Air quality stations",
    [("id", "integer", ""), ("station", "text", ""), ("type", "text", ""), ("pm10", "number", ""),
     ("since", "date", "")],
    [(1, "Harbour", "traffic", 41.5, "1990-05-01", (1.0, 1.0)),
     (2, "Mill", "background", 12.0, "2001-05-01", (2.0, 2.0))],
)  # fmt: skip
FIRE = make_table(
    "data.fire_stations", "POINT", "Fire stations",
    [("id", "integer", ""), ("name", "text", ""), ("engines", "integer", "")],
    [(1, "Harbour", 3, (1.0, 1.0)), (2, "Lakeside", 1, (2.0, 2.0))],
)  # fmt: skip
PARCELS = make_table(
    "data.parcels", "POINT", "Parcels",
    [("id", "integer", ""), ("parcel_no", "text", ""), ("price", "text", "")],
    [(1, "P-1", "1,200", (1.0, 1.0)), (2, "P-2", "900", (2.0, 2.0))],
)  # fmt: skip
TO_NUMBER = {"changes": [{"function": "cast", "column": "price", "to": "number"}]}


@pytest.mark.parametrize(
    ("sentence", "table", "filters"),
    [
        ("stations with pm10 above 30", AIR, where("pm10", ">", 30)),
        ("stations with more than 2 engines", FIRE, where("engines", ">", 2)),
        ("traffic stations", AIR, where("type", "=", "traffic")),
        (
            "traffic stations with pm10 above 30",
            AIR,
            both(where("type", "=", "traffic"), where("pm10", ">", 30)),
        ),
        (
            "stations that have been measuring since before 1995",
            AIR,
            where("since", "<", {"date": "1995-01-01"}),
        ),
    ],
)
async def test_the_table_that_has_the_column_or_the_value_is_meant(
    sentence: str, table: Any, filters: dict[str, Any]
) -> None:
    chat = Chat(World(AIR, FIRE))
    answer = await chat(sentence)
    assert [(layer.table, layer.filter) for layer in chat.layers.values()] == [(table[0].id, filters)], answer


SITES = make_table(
    "data.sites", "POINT", "Habitats",
    [("id", "integer", ""), ("habitat", "text", ""), ("area_ha", "number", "")],
    [(1, "fen", 2.5, (1.0, 1.0)), (2, "heath", 4.0, (2.0, 2.0)), (3, "fen", 1.5, (3.0, 3.0))],
)  # fmt: skip


PARKS = make_table(
    "data.parks", "POINT", "Parks",
    [("id", "integer", ""), ("name", "text", ""), ("area_ha", "number", "")],
    [(1, "Riverside", 7.0, (1.0, 1.0))],
)  # fmt: skip


async def test_a_figure_is_of_the_only_table_with_the_value() -> None:
    chat = Chat(World(SITES, PARKS))
    answer = await chat("total area of fen in hectares")
    ((name, arguments),) = chat.calls
    assert (name, arguments["table"], arguments["column"]) == ("column_stats", "data.sites", "area_ha")
    assert arguments["filters"] == where("habitat", "=", "fen"), answer


@pytest.mark.parametrize("sentence", ["total area of marsh", "total area of Riverside"])
async def test_without_the_value_or_for_a_name_the_table_is_asked_for(sentence: str) -> None:
    chat = Chat(World(SITES, PARKS))
    assert "Which table do you mean" in await chat(sentence)
    assert chat.calls == []


async def test_a_figure_is_of_the_table_that_has_its_column() -> None:
    chat = Chat(World(AIR, FIRE))
    assert "41.5" in await chat("average pm10 at traffic stations")
    assert "4 engines" not in await chat("total engines of the stations")
    assert chat.calls == [("column_stats", {"table": "data.fire_stations", "column": "engines"})]


@pytest.mark.parametrize(
    "sentence", ["show stations", "how many stations are there?", "stations named Harbour"]
)
async def test_several_that_fit_are_asked_about(sentence: str) -> None:
    chat = Chat(World(AIR, FIRE))
    assert "Which table do you mean: data.air_stations or data.fire_stations?" in await chat(sentence)
    assert not chat.layers


async def test_a_table_whose_extent_is_not_known_may_be_meant() -> None:
    table, rows = AIR
    world = World((table.model_copy(update={"bounds": None}), rows), FIRE, PARCELS)
    answer = await Chat(world, analyst=Desk(world))("stations within 50 km of parcels")
    assert "Which table do you mean: data.air_stations or data.fire_stations?" in answer


async def test_the_steps_of_an_analysis_are_of_the_table_that_has_their_columns() -> None:
    world = World(AIR, FIRE, PARCELS)
    desk = Desk(world)
    await Chat(world, analyst=desk)("stations with more than 2 engines within 50 km of parcels")
    assert desk.analysis.steps[0] == (
        "filter",
        {"source": "data.fire_stations", "filter": where("engines", ">", 2)},
    )


@pytest.mark.parametrize("before", [[], ["show parcels"]])
async def test_a_column_that_one_table_has_is_changed_without_naming_it(before: list[str]) -> None:
    world = World(PARCELS, FIRE)
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    for each in before:
        await chat(each)
    answer = await chat("make the column price a number")
    assert desk.analysis.steps == [("columns", {"source": "data.parcels", **TO_NUMBER})], answer


@pytest.mark.parametrize("noun", ["parcel survey", "messy"])
async def test_a_column_that_several_tables_have_is_changed_in_the_one_that_is_named(noun: str) -> None:
    named = make_table(
        f"data.{noun.replace(' ', '_')}",
        None,
        "",
        [("id", "integer", ""), ("price", "text", "")],
        [(1, "1,200")],
    )
    desk = Desk(world := World(PARCELS, named))
    answer = await Chat(world, analyst=desk)(f"make the column price of {noun} a number")
    assert desk.analysis.steps == [("columns", {"source": named[0].id, **TO_NUMBER})], answer


async def test_duplicates_within_a_distance_are_dropped() -> None:
    world = World(PARCELS)
    desk = Desk(world)
    await Chat(world, analyst=desk)("drop duplicates of parcels within 1 m")
    assert desk.analysis.steps == [("deduplicate", {"source": "data.parcels", "tolerance": "1 m"})]


@pytest.mark.parametrize(
    ("sentence", "rate"),
    [
        ("how many air stations are there, on average per year?", "per year on average"),
        ("average number of air stations per day", "per day on average"),
        ("how many air stations were there per hour on average?", "per hour on average"),
    ],
)
async def test_rows_in_a_time_are_counted_from_the_first_to_the_last(sentence: str, rate: str) -> None:
    chat = Chat(World(AIR))
    answer = await chat(sentence)
    assert rate in answer
    assert "From 1990-05-01 to 2001-05-01" in answer


def _wells(number: int) -> Any:
    return make_table(
        f"data.tbl_well_{number:02}", "POINT", f"Groundwater wells of district {number}. By the water office.",
        [("well_id", "text", ""), ("dpth_ft", "number", ""), ("stat", "text", "")],
        [(f"W-{number}", 60.0, "active", (1.0, 1.0)), (f"X-{number}", 90.0, "sealed", (2.0, 2.0))],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("wells of district 3", None),
        ("show the wells in district 3", None),
        ("wells of district 3 deeper than 70 ft", where("dpth_ft", ">", 70)),
        ("active wells in district 3", where("stat", "=", "active")),
    ],
)
@pytest.mark.parametrize("others", [[], [_wells(2), _wells(13)]])
async def test_what_a_comment_says_of_all_rows_chooses_the_table(
    sentence: str, filters: Any, others: Any
) -> None:
    chat = Chat(World(_wells(3), *others))
    answer = await chat(sentence)
    shown = [(layer.table, layer.filter) for layer in chat.layers.values()]
    assert shown == [("data.tbl_well_03", filters)], answer


async def test_a_part_of_what_a_comment_says_is_no_place_of_all_rows() -> None:
    chat = Chat(World(_wells(3)))
    assert "no row of tbl_well_03" in await chat("wells of district 33")
    assert not chat.layers
