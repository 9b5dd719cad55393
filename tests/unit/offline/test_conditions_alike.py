"""Conditions whose words fit a second reading, which would give other rows."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from tests.unit.geo_agent.making import Row, make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, both, where

FARMS = make_table(
    "data.farms",
    "POINT",
    "Farms",
    [("id", "integer", ""), ("yield_kg", "integer", ""), ("founded", "integer", "Year of foundation")],
    [(1, 900, 1920, (1.0, 1.0)), (2, 1200, 1960, (2.0, 2.0))],
)
ROADS = make_table(
    "data.roads",
    "LINESTRING",
    "Roads",
    [("id", "integer", ""), ("lanes", "integer", "Number of lanes"), ("speed_kmh", "integer", "Speed limit")],
    [(1, 2, 50, (1.0, 1.0)), (2, 4, 100, (2.0, 2.0))],
)
WARDS = make_table(
    "data.wards",
    "POLYGON",
    "Wards",
    [("id", "integer", ""), ("households", "integer", "Number of households"), ("created", "date", "")],
    [(1, 1200, "2001-01-01", (1.0, 1.0)), (2, 1800, "2015-01-01", (2.0, 2.0))],
)


def sampled(made: tuple[Any, list[Row]], **samples: tuple[str, ...]) -> tuple[Any, list[Row]]:
    """As the registry has them: the most common values of text columns."""
    table, rows = made
    columns = tuple(each.model_copy(update={"samples": samples.get(each.name, ())}) for each in table.columns)
    return table.model_copy(update={"columns": columns}), rows


BOATS = sampled(
    make_table(
        "data.boats",
        "POINT",
        "Boats",
        [("id", "integer", ""), ("flag_code", "text", ""), ("crew_2010", "integer", ""),
         ("crew_2020", "integer", ""), ("pop_2010", "integer", "Population on board, 2010"),
         ("pop_2020", "integer", "Population on board, 2020")],
        [(1, "NO", 10, 20, 5, 5, (1.0, 1.0)), (2, None, 10, 10, 5, 9, (2.0, 2.0))],
    ),
    flag_code=("NO", "DE", "SE"),
)  # fmt: skip
DOG_AREAS = sampled(
    make_table(
        "data.dog_areas",
        "POINT",
        "Dog areas",
        [
            ("id", "integer", ""),
            ("dogs_yn", "text", "Dogs banned (Y/N)"),
            ("cats_yn", "text", "Cats allowed (Y/N)"),
        ],
        [(1, "Y", "Y", (1.0, 1.0)), (2, "N", "N", (2.0, 2.0))],
    ),
    dogs_yn=("Y", "N"),
    cats_yn=("Y", "N"),
)
CLINICS = make_table(
    "data.clinics",
    "POINT",
    "Clinics",
    [
        ("id", "integer", ""),
        ("rating", "integer", "Rating, 1 to 5"),
        ("injured", "integer", "Number of injured"),
    ],
    [(1, 4, 2, (1.0, 1.0)), (2, 5, 0, (2.0, 2.0))],
)


async def filters_of(world: World, sentence: str) -> tuple[list[Any], str]:
    """The filters of the layers that are drawn, and the answer."""
    chat = Chat(world)
    answer = await chat(sentence)
    return [layer.filter for layer in chat.layers.values()], answer


async def test_today_is_a_day() -> None:
    today = datetime.date.today().isoformat()
    permits = make_table(
        "data.permits", "POINT", "Permits",
        [("id", "integer", ""), ("status", "text", ""), ("issue_dt", "date", "Date of issue")],
        [(1, "Issued", today, (1.0, 1.0)), (2, "Issued", "2020-01-01", (2.0, 2.0))],
    )  # fmt: skip
    found, answer = await filters_of(
        World(sampled(permits, status=("Issued", "Applied"))), "permits issued today"
    )
    assert all("issue_dt" in str(each) for each in found), answer
    tasks = make_table(
        "data.tasks", "POINT", "Tasks",
        [("id", "integer", ""), ("status", "text", ""), ("done_on", "date", "Date on which the task was done")],
        [(1, "Done", today, (1.0, 1.0)), (2, "Done", "2020-01-01", (2.0, 2.0))],
    )  # fmt: skip
    chat = Chat(World(sampled(tasks, status=("Done", "Open"))))
    assert "There is 1 task" in await chat("how many tasks were done today?")


async def test_a_farm_is_not_harvested_before_a_year() -> None:
    found, answer = await filters_of(World(FARMS), "farms with yield above 1000 or before 1950")
    expected = both(where("yield_kg", ">", 1000), where("founded", "<", 1950), op="or")
    assert found in ([], [expected]), answer
    found, answer = await filters_of(World(WARDS), "wards with more than 1500 households and before 2010")
    assert [each for each in found if str(each).count("households") > 1] == [], answer


async def test_a_second_number_is_of_the_column_before_only_as_its_other_end() -> None:
    found, answer = await filters_of(World(ROADS), "roads with more than 2 lanes and over 80")
    assert [each for each in found if str(each).count("lanes") > 1] == [], answer
    found, answer = await filters_of(World(ROADS), "roads with more than 2 lanes and fewer than 6")
    assert found == [both(where("lanes", ">", 2), where("lanes", "<", 6))], answer
    found, answer = await filters_of(World(FARMS), "farms founded before 1950 or after 2000")
    assert found == [both(where("founded", "<", 1950), where("founded", ">", 2000), op="or")], answer


async def test_the_code_of_norway_is_a_value() -> None:
    found, answer = await filters_of(World(BOATS), "boats without a flag code")
    assert found == [{"op": "isNull", "args": [{"property": "flag_code"}]}], answer


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("dog areas where cats are allowed", [where("cats_yn", "=", "Y")]),
        ("dog areas where cats are not allowed", [where("cats_yn", "=", "N")]),
        ("dog areas where dogs are allowed", []),
        ("dog areas where dogs are not allowed", []),
        ("dog areas that allow cats", [where("cats_yn", "=", "Y")]),
        ("dog areas that allow dogs", []),
    ],
)
async def test_what_is_banned_is_not_allowed(sentence: str, filters: list[Any]) -> None:
    found, answer = await filters_of(World(DOG_AREAS), sentence)
    assert found == filters, answer


@pytest.mark.parametrize("sentence", ["clinics rated in 2020", "clinics injured in 2022"])
async def test_a_year_is_not_a_rating(sentence: str) -> None:
    found, answer = await filters_of(World(CLINICS), sentence)
    assert found == [], answer


@pytest.mark.parametrize("since", ["between 2010 and 2020", "since 2010"])
async def test_of_several_measures_none_grew_unsaid(since: str) -> None:
    chat = Chat(World(BOATS))
    answer = await chat(f"boats that grew by more than 10 % {since}")
    assert "pop_2010" not in str(chat.calls), answer
    answer = await chat("boats whose population grew by more than 10 % between 2010 and 2020")
    assert "pop_2010" in str(chat.calls), answer


async def test_a_question_back_keeps_the_words_of_the_request() -> None:
    made = make_table(
        "data.dog_areas",
        "POINT",
        "Dog areas",
        [("id", "integer", ""), ("reason", "text", ""), ("cause", "text", "")],
        [(1, "Flood", "Flood", (1.0, 1.0))],
    )
    chat = Chat(World(sampled(made, reason=("Flood",), cause=("Flood",))))
    answer = await chat("dog areas because of flood")
    assert "bereason" not in answer
    await chat("cause")
    assert [layer.filter for layer in chat.layers.values()] == [where("cause", "=", "Flood")]


@pytest.mark.parametrize(
    ("said", "hours"),
    [
        ("between 11 and 1 pm", [11, 12]),
        ("between 8 and 5 pm", [*range(8, 17)]),
        ("from 9 to 12 pm", [9, 10, 11]),
        ("between 6 and 9 pm", [18, 19, 20]),
        ("between 10 and 2 am", [22, 23, 0, 1]),
        ("from 6 to 22:00", [*range(6, 22)]),
    ],
)
async def test_hours_across_noon_begin_in_the_other_half(said: str, hours: list[int]) -> None:
    crashes = make_table(
        "data.crashes",
        "POINT",
        "Crashes",
        [("id", "integer", ""), ("crashed_at", "timestamp", "")],
        [(1, "2021-01-05T07:30:00", (1.0, 1.0))],
    )
    found, answer = await filters_of(World(crashes), f"crashes {said}")
    part = {"op": "hour", "args": [{"property": "crashed_at"}]}
    assert found == [{"op": "in", "args": [part, hours]}], answer
