"""Requests of a mobility officer: schools and their capacity, how pupils travel, stops, roads and accidents."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.costs import cost_of_name
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

SCHOOLS = make_table(
    "data.schools", "POINT", "School buildings (sites)",
    [("id", "integer", ""), ("name", "text", ""), ("lvl", "text", "Education level"), ("yr_built", "integer", ""),
     ("floor_m2", "integer", ""), ("cap_pup", "integer", "Capacity, number of pupils"),
     ("n_pup", "integer", "Pupils enrolled on 1 October 2024"), ("asb", "text", "Asbestos present Y/N"),
     ("bike_racks", "integer", ""), ("epc_lbl", "text", "Energy label A (best) to F"), ("surf", "text", "Playground")],
    [(1, "De Brug", "primary", 1950, 900, 300, 320, "Y", 20, "C", "cobbles", (1.0, 1.0)),
     (2, "De Muze", "primary", 1990, 800, 250, 200, "Y", 0, "F", "asphalt", (1.0, 1.1)),
     (3, "College Sint-Jan", "secondary", 1930, 700, 600, 550, "N", 60, "A", "grass", (1.0, 1.2))],
)  # fmt: skip
PUPILS = make_table(
    "data.pupils", "POINT", "School travel survey: sample of pupils, point = home address",
    [("id", "integer", ""), ("sch_id", "integer", "School (schools.id)"), ("grade", "integer", "Year of study 1 to 6"),
     ("birth_dt", "date", ""),
     ("surv_dt", "date", "Date of the survey"),
     ("travel_mode", "text", "Usual way to school: walk, bike, car, bus"),
     ("dist_m", "integer", "Distance home - school along the road, metres"),
     ("trav_min", "integer", "Travel time to school, minutes"), ("bus_pass", "text", "Has a season ticket Y/N")],
    [(1, 1, 1, "2018-02-01", "2024-10-01", "car", 2500, 9, "Y", (1.0, 1.0)),
     (2, 1, 2, "2017-02-01", "2024-10-02", "bike", 900, 6, "N", (1.0, 1.0)),
     (3, 3, 2, "2012-02-01", "2024-10-03", "walk", 300, 5, "N", (1.0, 1.2)),
     (4, 3, 3, "2011-02-01", "2024-10-04", "bus", 4000, 25, "Y", (1.0, 1.2))],
)  # fmt: skip
STOPS = make_table(
    "data.bus_stops", "POINT", "Stops",
    [("id", "integer", ""), ("stop_nm", "text", ""),
     ("acc_lvl", "integer", "Wheelchair accessibility: 0 = not accessible, 1 = with assistance, 2 = accessible"),
     ("stop_type", "text", "bus, tram or bus+tram")],
    [(1, "Zuid", 0, "bus", (1.0, 1.0)), (2, "Rabot", 1, "tram", (1.0, 1.1)),
     (3, "Dok", 2, "bus+tram", (1.0, 1.2)), (4, "Ham", None, "bus", (1.0, 1.3))],
)  # fmt: skip
ROADS = make_table(
    "data.roads", "LINESTRING", "Road sections",
    [("id", "integer", ""), ("spd_kmh", "integer", "Speed limit km/h"),
     ("bike_inf", "text", "Cycling infrastructure: none, marked (painted lane), separated (own path)")],
    [(1, 50, "none", (1.0, 1.0)), (2, 30, "marked", (1.0, 1.1)), (3, 70, "separated", (1.0, 1.2))],
)  # fmt: skip
ACCIDENTS = make_table(
    "data.accidents", "POINT", "Road accidents",
    [("id", "integer", ""), ("acc_dt", "date", ""), ("acc_hr", "integer", "Hour of the day 0-23"),
     ("sev", "text", "Severity"), ("n_inj", "integer", "Number of injured persons"),
     ("veh1", "text", "First road user involved"), ("veh2", "text", "Second road user involved"),
     ("sch_hrs", "boolean", "Happened in the school run hours"), ("road", "text", "")],
    [(1, "2024-01-02", 8, "fatal", 1, "car", "bicycle", True, "Kouter", (1.0, 1.0)),
     (2, "2024-02-03", 17, "serious", 2, "bicycle", None, False, "Kouter", (1.0, 1.1)),
     (3, "2023-03-04", 8, "slight", 0, "car", "car", True, "Dok", (1.0, 1.2)),
     (4, "2023-03-05", 22, "serious", None, "truck", "car", False, "Rooigem", (1.0, 1.3))],
)  # fmt: skip
DISTRICTS = make_table(
    "data.districts", "POLYGON", "Districts",
    [("id", "integer", ""), ("name", "text", "District name"), ("population", "integer", ""),
     ("area_km2", "number", ""), ("lez", "boolean", "District lies in the low emission zone")],
    [(1, "Ledeberg", 9816, 5.5, True, (1.0, 1.0)), (2, "Rabot", 8316, 4.2, False, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    desk = Desk(World(SCHOOLS, PUPILS, STOPS, ROADS, ACCIDENTS, DISTRICTS))
    desk.world.data.names["data.schools"] = "name"
    return Chat(desk.world, analyst=desk)


OVER = {"op": ">", "args": [{"property": "n_pup"}, {"property": "cap_pup"}]}


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("stops that are not wheelchair accessible", where("acc_lvl", "=", 0)),
        ("wheelchair accessible stops", where("acc_lvl", "=", 2)),
        ("tram stops", where("stop_type", "in", ["tram", "bus+tram"])),
        ("stops where stop_type is tram", where("stop_type", "=", "tram")),
        ("schools that are over capacity", OVER),
        (
            "schools with asbestos built before 1970",
            both(where("asb", "=", "Y"), where("yr_built", "<", 1970)),
        ),
        ("schools with more than 300 pupils", where("n_pup", ">", 300)),
        ("accidents with injuries", where("n_inj", ">", 0)),
        ("accidents with more than 1 injury", where("n_inj", ">", 1)),
        ("schools with an enrolment above 300", where("n_pup", ">", 300)),
        (
            "roads 50 km/h or more without bike infra",
            both(where("spd_kmh", ">=", 50), where("bike_inf", "=", "none")),
        ),
        ("pupils coming by car", where("travel_mode", "=", "car")),
        (
            "pupils with a bus pass who still come to school by car",
            both(where("bus_pass", "=", "Y"), where("travel_mode", "=", "car")),
        ),
        ("accidents with a truck involved", where("veh1", "=", "truck")),
        (
            "accidents with a car and a bicycle",
            both(
                both(where("veh1", "=", "car"), where("veh2", "=", "car"), op="or"),
                both(where("veh1", "=", "bicycle"), where("veh2", "=", "bicycle"), op="or"),
            ),
        ),
        ("cobbled schools", where("surf", "=", "cobbles")),
        ("accidents between 7 and 9 am", where("acc_hr", "in", [7, 8])),
        ("accidents at 5 pm", where("acc_hr", "=", 17)),
        ("pupils more than 2 km from school", where("dist_m", ">", 2000)),
        ("accidents during the school run hours", where("sch_hrs", "=", True)),
        ("where did fatal accidents happen", where("sev", "=", "fatal")),
        ("districts in the low emission zone", where("lez", "=", True)),
        ("districts in the LEZ", where("lez", "=", True)),
        ("pupils who live more than 2 km away from their school", where("dist_m", ">", 2000)),
    ],
)
async def test_the_rows_that_are_drawn(chat: Chat, sentence: str, filters: Any) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show fatal and serious accidents, fatal in red", where("sev", "in", ["fatal", "serious"])),
        ("show accidents in 2024, fatal ones in red",
         both(where("acc_dt", ">=", {"date": "2024-01-01"}), where("acc_dt", "<", {"date": "2025-01-01"}))),
    ],
)  # fmt: skip
async def test_the_colour_of_one_value_leaves_out_no_rows(chat: Chat, sentence: str, filters: Any) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer
    assert "coloured by `sev` (fatal in red)" in answer, answer


async def test_other_values_are_not_grey_beside_a_grey_one(chat: Chat) -> None:
    answer = await chat("show schools, secondary ones in grey")
    assert "(secondary in gray and primary in blue)" in answer, answer


async def test_numbers_of_things_are_the_column_that_counts_them(chat: Chat) -> None:
    answer = await chat("size the schools by number of pupils")
    assert "sized by `n_pup`" in answer, answer
    assert "16" not in await chat("total number of pupils in secondary schools")
    assert "550" in await chat("total number of pupils in secondary schools")


async def test_the_comment_of_a_result_tells_what_is_counted() -> None:
    near = make_table(
        "data.accidents_nearby", "POINT", "",
        [("id", "integer", ""), ("n_inj", "integer", "From data.accidents: Number of injured persons")],
        [(1, 1, (1.0, 1.0)), (2, 0, (1.0, 1.1)), (3, None, (1.0, 1.2))],
    )  # fmt: skip
    assert "There is 1 feature where n_inj > 0" in await Chat(World(near))("how many accidents had injuries")


async def test_a_distance_from_any_row_is_measured_on_the_map(chat: Chat) -> None:
    assert "dist_m" not in await chat("pupils more than 2 km from a school")


async def test_a_column_of_travel_times_or_distances(chat: Chat) -> None:
    await chat("pupils where sch_id is 1")
    assert "average `trav_min` of pupils where sch_id is 1 is 7.5" in await chat("avg travel time?")
    assert "average `dist_m` of pupils is 1,925" in await chat("average distance to school of pupils")
    assert "no route" in await chat("travel time from De Brug to De Muze")


async def test_groups_of_the_rows_that_were_counted(chat: Chat) -> None:
    await chat("how many pupils have a bus pass")
    answer = await chat("break down by grade")
    assert "by grade" in answer, answer
    assert "| 1 |" in answer, answer
    assert "| 2 |" not in answer, answer


@pytest.mark.parametrize(
    ("sentence", "figures"),
    [
        ("total capacity and enrolment by level", [("sum", "cap_pup"), ("sum", "n_pup")]),
        ("average capacity, floor area and bike racks of schools by level",
         [("mean", "cap_pup"), ("mean", "floor_m2"), ("mean", "bike_racks")]),
        ("average capacity and total floor area and bike racks by level",
         [("mean", "cap_pup"), ("sum", "floor_m2"), ("sum", "bike_racks")]),
    ],
)  # fmt: skip
async def test_a_function_is_of_all_columns_behind_it(sentence: str, figures: list[tuple[str, str]]) -> None:
    desk = Desk(World(SCHOOLS, PUPILS))
    await Chat(desk.world, analyst=desk)(sentence)
    ((name, arguments),) = desk.analysis.steps
    found = [(each["function"], each["column"]) for each in arguments["aggregates"] if "column" in each]
    assert (name, arguments["by"], found) == ("dissolve", ["lvl"], figures)


async def test_two_columns_side_by_side_are_no_list() -> None:
    lots = make_table(
        "data.lots", "POINT", "Lots",
        [("id", "integer", ""), ("land_use", "text", ""), ("floors", "integer", ""), ("area_m2", "number", "")],
        [(1, "homes", 2, 300.0, (1.0, 1.0)), (2, "shops", 1, 200.0, (1.0, 1.1))],
    )  # fmt: skip
    desk = Desk(World(lots))
    answer = await Chat(desk.world, analyst=desk)("total floor area by land use")
    assert desk.analysis.steps == [], answer


async def test_a_condition_behind_two_figures_is_that_of_both(chat: Chat) -> None:
    answer = await chat("number of accidents and total injured in 2024")
    assert "There are 2 accidents where" in answer, answer
    assert "is 3 (2 values)" in answer, answer
    answer = await chat("number of accidents and injured in Ledeberg")
    assert "There are" not in answer, answer


def test_a_key_is_no_level() -> None:
    assert columns_called((PUPILS[0],), ("school", "level")) == []
    assert columns_called((SCHOOLS[0],), ("school", "level")) == ["lvl"]


async def test_rows_of_the_first_of_a_ranking(chat: Chat) -> None:
    answer = await chat("which road has the most accidents")
    assert "Kouter has the most accidents: 2." in answer, answer
    await chat("show me those accidents")
    assert [each.filter for each in chat.layers.values()][-1] == where("road", "=", "Kouter")


async def test_rows_of_the_first_of_a_ranking_keep_its_condition(chat: Chat) -> None:
    await chat("which road has the most accidents in 2024")
    await chat("show me those accidents")
    assert "Kouter" in str(chat.calls)
    assert "2024" in str(chat.calls)


async def test_the_column_that_counts_is_ranked_rather_than_a_sample(chat: Chat) -> None:
    answer = await chat("which school has the most pupils")
    assert "**College Sint-Jan**: `n_pup` 550" in answer, answer


async def test_a_number_of_areas_per_area(chat: Chat) -> None:
    await chat("colour the districts by population")
    answer = await chat("per km2 pls")
    assert "per km² of districts" in answer, answer


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("which school has the worst energy label", "**De Muze**: `epc_lbl` F"),
        ("which school has the best energy label", "**College Sint-Jan**: `epc_lbl` A"),
        ("youngest pupil", "2018-02-01"),
        ("oldest pupil", "2011-02-01"),
        ("compare De Brug and De Muze by capacity", "**De Brug** has the greater `cap_pup`"),
        ("which hour has the most accidents", "8 has the most accidents: 2."),
    ],
)
async def test_the_first_row(chat: Chat, sentence: str, first: str) -> None:
    answer = await chat(sentence)
    assert first.replace("*", "") in answer.replace("*", ""), answer


async def test_texts_that_are_no_scale_have_no_worst(chat: Chat) -> None:
    assert "have no rank" in await chat("schools with the worst playground")


async def test_the_worst_of_numbers_without_a_scale_is_asked_for(chat: Chat) -> None:
    assert "the highest or the lowest?" in await chat("which school has the worst capacity")
    assert "College Sint-Jan" in await chat("the first one")


def test_initials_are_those_of_nouns() -> None:
    assert cost_of_name("alc", "text", ("as", "a", "line", "chart")) is None
    assert cost_of_name("wpz", "text", ("water", "protection", "zone")) is not None


async def test_a_sample_of_rows_is_told_from_the_number_of_a_row() -> None:
    table, rows = PUPILS
    referring = table.model_copy(update={"references": (("sch_id", "data.schools", "id"),)})
    desk = Desk(World(SCHOOLS, (referring, rows)))
    desk.world.data.names["data.schools"] = "name"
    chat = Chat(desk.world, analyst=desk)
    assert "the n_pup of De Brug or the pupils of De Brug?" in await chat("how many pupils does De Brug have")
    assert "`n_pup` 320" in await chat("the first one")


async def test_hours_are_those_of_the_column(chat: Chat) -> None:
    answer = await chat("accidents by hour")
    assert "Grouped by the column `acc_hr`" in answer, answer
