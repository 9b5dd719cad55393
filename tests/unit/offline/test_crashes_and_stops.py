"""Requests of a transport planner: crashes for collisions, ranges of years, conditions after areas, states of today."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

DISTRICTS = make_table(
    "data.districts", "POLYGON", "Districts",
    [("id", "integer", ""), ("name", "text", ""), ("sector", "text", ""), ("pop_2023", "integer", "")],
    [(1, "Maupas", "West", 12390, (1.0, 1.0)), (2, "Bellevaux", "North", 4372, (1.0, 1.1))],
)  # fmt: skip
COLLISIONS = make_table(
    "data.road_collisions", "POINT", "Road collisions",
    [("id", "integer", ""), ("acc_date", "date", ""), ("severity", "text", ""),
     ("injured", "integer", "Number of people injured"), ("main_party", "text", "")],
    [(1, "2018-02-01", "fatal", 0, "cyclist", (1.0, 1.0)), (2, "2020-03-01", "serious", 2, "pedestrian", (1.0, 1.1)),
     (3, "2023-03-01", "slight", 1, "car", (1.0, 1.1))],
)  # fmt: skip
ROADWORKS = make_table(
    "data.roadworks", "LINESTRING", "Roadworks",
    [("id", "integer", ""), ("street", "text", ""), ("status", "text", ""), ("closure", "text", ""),
     ("start_date", "date", ""), ("end_date", "date", "")],
    [(1, "Rue Centrale", "ongoing", "full", "2023-01-01", "2023-05-01", (1.0, 1.0)),
     (2, "Rue de Morges", "finished", "partial", "2022-01-01", "2022-05-01", (1.0, 1.1))],
)  # fmt: skip
STOPS = make_table(
    "data.bus_stops", "POINT", "Bus stops",
    [("id", "integer", ""), ("stop_name", "text", ""), ("access", "text", ""), ("lines", "text", "")],
    [(1, "Flon", "full", "8/9/18", (1.0, 1.0)), (2, "Ouchy", "none", "9", (1.0, 1.1)),
     (3, "Gare", "none", "19/2", (1.0, 1.2)), (4, "Cour", "none", "2/9", (1.0, 1.3))],
)  # fmt: skip
GARAGES = make_table(
    "data.parking_garages", "POINT", "Car parks",
    [("id", "integer", ""), ("name", "text", ""), ("spaces", "integer", ""), ("price_chf_h", "number", ""),
     ("park_ride", "boolean", "")],
    [(1, "Riponne", 1190, 4.5, False, (1.0, 1.0)), (2, "Vennes", 1200, 1.5, True, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(DISTRICTS, COLLISIONS, ROADWORKS, STOPS, GARAGES))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def years(first: int, last: int) -> dict[str, Any]:
    return both(
        where("acc_date", ">=", {"date": f"{first}-01-01"}),
        where("acc_date", "<", {"date": f"{last + 1}-01-01"}),
    )


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show fatal crashes", where("severity", "=", "fatal")),
        ("show me all fatal and serious crashes", where("severity", "in", ["fatal", "serious"])),
        ("show collisions with cyclists", where("main_party", "=", "cyclist")),
        ("show collisions with cyclists or pedestrians", where("main_party", "in", ["cyclist", "pedestrian"])),
        ("heatmap of pedestrian accidents", where("main_party", "=", "pedestrian")),
        ("full closures on the map", where("closure", "=", "full")),
        ("show full closures", where("closure", "=", "full")),
        ("which roadworks are ongoing right now", where("status", "=", "ongoing")),
        ("roadworks currently ongoing", where("status", "=", "ongoing")),
        ("collisions 2018-2020", years(2018, 2020)),
        ("how many collisions in 2018 - 2020", years(2018, 2020)),
        ("how many crashes from 2018–2020", years(2018, 2020)),
    ],
)  # fmt: skip
async def test_rows_by_plurals_states_and_ranges_of_years(
    chat: Chat, sentence: str, filters: dict[str, Any]
) -> None:
    answer = await chat(sentence)
    assert chat.calls, answer
    assert chat.calls[-1][1].get("filters") == filters


async def test_rows_of_two_years_at_once_are_declined(chat: Chat) -> None:
    answer = await chat("collisions in 2018 in 2020")
    assert not chat.layers, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "collisions per district since 2020",
        "collisions per district in 2020",
        "number of collisions per district in 2018-2020",
        "collisions per district since 2020, most first",
        "injured per district since 2020",
        "injured per district for 2018-2020, biggest first",
        "average injured per district since 2020",
    ],
)
async def test_times_after_the_areas_are_those_of_the_rows(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert [name for name, _ in desk.analysis.steps] == ["filter", "spatial_join"], answer
    assert "acc_date" in str(desk.analysis.steps[0])
    assert "20" in answer.splitlines()[0], "the years are told"


async def test_a_condition_after_the_areas_that_only_they_have_is_theirs(chat: Chat, desk: Desk) -> None:
    answer = await chat("collisions per district in the north sector")
    assert [name for name, _ in desk.analysis.steps] == ["filter", "spatial_join"], answer
    assert desk.analysis.steps[0][1]["source"] == "data.districts"


@pytest.mark.parametrize("sentence", ["top 2 biggest car parks", "the biggest garage"])
async def test_the_biggest_garage_has_the_most_spaces(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    assert chat.calls[-1][1]["sort"] == "spaces"


async def test_two_words_that_only_begin_like_a_table_show_nothing(chat: Chat) -> None:
    answer = await chat("park and ride garages")
    assert not chat.layers, answer


@pytest.mark.parametrize("asked", ["pie chart please", "bar chart", "chart it", "as a bar chart"])
async def test_the_previous_answer_is_charted_by_the_kind_alone(chat: Chat, desk: Desk, asked: str) -> None:
    await chat("collisions by severity")
    answer = await chat(asked)
    assert chat.calls[-1][0] == "make_chart", answer
    assert chat.calls[-1][1]["data"] in chat.layers


async def test_the_same_thing_by_another_column(chat: Chat, desk: Desk) -> None:
    await chat("number of collisions by severity")
    await chat("same thing by main party")
    assert "main_party" in str(desk.analysis.steps[-1])


async def test_hiding_the_plural_of_a_value(chat: Chat) -> None:
    await chat("show crashes")
    await chat("hide the pedestrians")
    assert chat.layers["road_collisions"].filter == no(where("main_party", "=", "pedestrian"))


@pytest.mark.parametrize("sentence", ["stops on line 9", "bus stops with line 9", "stops served by line 9"])
async def test_an_item_of_a_list_in_a_text(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert "3 bus stops" in answer


async def test_a_value_that_no_list_holds_is_refused(chat: Chat) -> None:
    await chat("stops on line 1")
    assert [name for name, _ in chat.calls] == ["cannot_do"]


@pytest.mark.parametrize(
    "sentence",
    [
        "how many parking spaces per district",
        "how many parking spaces are there in each district",
        "how many parking spaces do we have per district",
    ],
)
async def test_a_figure_of_points_in_each_area(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert [name for name, _ in desk.analysis.steps] == ["spatial_join"], answer
    assert "spaces" in str(desk.analysis.steps[0])


async def test_a_figure_of_points_by_a_column_of_areas(chat: Chat, desk: Desk) -> None:
    await chat("how many parking spaces are there in total")
    answer = await chat("and per sector")
    assert [name for name, _ in desk.analysis.steps] == ["dissolve", "spatial_join"], answer
    assert "spaces" in str(desk.analysis.steps[1])
