"""Figures in the words of people: of groups, of rows that are not named, side by side, between years, and as shares."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, where, within

STOPS = make_table(
    "data.pt_stops",
    "POINT",
    "Public transport stops",
    [("id", "integer", ""), ("stop_nm", "text", "Name of the stop"), ("mode", "text", ""),
     ("operator", "text", ""), ("tariff_zone", "text", ""), ("bench", "boolean", ""),
     ("board_wd", "integer", "Boardings on an average weekday; empty where never counted"),
     ("board_sun", "integer", "Boardings on an average Sunday"), ("lines_ct", "integer", ""),
     ("opened", "date", ""), ("last_insp", "date", "Date of the last inspection"),
     ("cost_keur", "number", "Building cost in thousand euros"),
     ("riders_2010", "integer", ""), ("riders_2020", "integer", ""),
     ("plan_ct", "integer", "Planned shelters"), ("built_ct", "integer", "Shelters built so far")],
    [(1, "Main Station", "tram", "City", "A", True, 900, 400, 5, "1990-05-01", "2022-04-01", 620.0, 10, 20, 9, 2,
      (1.0, 1.0)),
     (2, "Mill Lane", "bus", "Regio", "B", False, None, 20, 1, "2001-05-01", None, 40.0, 40, 20, 4, 4, (2.0, 2.0)),
     (3, "Old Gate", "bus", "City", "A", True, 300, 90, 2, "1985-05-01", "2023-06-01", 90.0, 30, 45, 5, 1, (3.0, 3.0))],
)  # fmt: skip
TABLE = "data.pt_stops"


def grouped(by: str, function: str, column: str = "") -> tuple[str, dict[str, Any]]:
    count = {"function": "count", "name": "count"}
    figures = [{"function": function, "column": column}, count] if column else [count]
    return ("dissolve", {"source": TABLE, "by": [by], "aggregates": figures})


async def steps_of(sentence: str) -> list[tuple[str, dict[str, Any]]]:
    world = World(STOPS)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    assert desk.analysis.steps, answer
    return [step for step in desk.analysis.steps if step[0] != "filter"]


@pytest.mark.parametrize(
    ("sentence", "step"),
    [
        ("how many stops do we have per mode?", grouped("mode", "count")),
        ("for each mode, how many stops are there?", grouped("mode", "count")),
        ("number of stops by mode, highest first", grouped("mode", "count")),
        ("average weekday boardings per tariff zone", grouped("tariff_zone", "mean", "board_wd")),
        ("per tariff zone, what is the average number of lines?", grouped("tariff_zone", "mean", "lines_ct")),
        ("by operator, the total boardings on a Sunday", grouped("operator", "sum", "board_sun")),
        ("sum of building cost per operator", grouped("operator", "sum", "cost_keur")),
        ("add up the Sunday boardings by mode, in descending order", grouped("mode", "sum", "board_sun")),
        ("sum up the building costs of the stops by mode, highest first", grouped("mode", "sum", "cost_keur")),
        ("what are the median weekday boardings per mode of the stops", grouped("mode", "median", "board_wd")),
    ],
)  # fmt: skip
async def test_a_figure_of_each_group_may_be_said_in_any_order(sentence: str, step: Any) -> None:
    assert step in await steps_of(sentence)


@pytest.mark.parametrize(
    ("sentence", "by", "ranked", "smallest"),
    [
        ("which mode has the most boardings on a weekday on average?", "mode", "mean_board_wd", False),
        ("in which tariff zone were the most Sunday boardings overall?", "tariff_zone", "sum_board_sun", False),
        ("in which mode were the most Sunday boardings counted overall?", "mode", "sum_board_sun", False),
        ("which operator got the fewest Sunday boardings?", "operator", "sum_board_sun", True),
        ("which operator has the lowest average Sunday boardings?", "operator", "mean_board_sun", True),
    ],
)  # fmt: skip
async def test_the_group_with_the_most_of_what_is_counted(
    sentence: str, by: str, ranked: str, smallest: bool
) -> None:
    *_, (grouping, arguments), (last, top) = await steps_of(sentence)
    assert (grouping, arguments["by"], last, top["by"]) == ("dissolve", [by], "top", ranked)
    assert bool(top.get("smallest")) == smallest


@pytest.mark.parametrize(
    "sentence", ["who operates the most stops?", "which company operates the most stops?"]
)
async def test_who_does_something_most_is_told_by_the_column_of_it(sentence: str) -> None:
    (summed, arguments), (last, top) = await steps_of(sentence)
    assert (summed, arguments["by"], last, top["by"]) == ("summarise", ["operator"], "top", "count")


@pytest.mark.parametrize(
    "sentence",
    [
        "average Sunday boardings of bus vs tram stops",
        "compare the average Sunday boardings of bus and tram stops",
        "what are the average Sunday boardings of bus stops compared with tram stops?",
    ],
)
async def test_values_that_are_set_against_each_other_are_told_apart(sentence: str) -> None:
    assert await steps_of(sentence) == [
        ("dissolve", {**grouped("mode", "mean", "board_sun")[1], "source": "step_1"})
    ]


async def test_a_year_is_told_and_never_the_rows_without_a_date() -> None:
    world = World(STOPS)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("in which year were the most stops inspected?")
    (_, kept), (_, ranked) = desk.analysis.steps[-2:]
    assert kept["filter"] == {"op": "not", "args": [empty("year")]}, answer
    assert ranked["by"] == "count"


async def test_the_rows_that_are_named_are_compared_and_no_others() -> None:
    lanes, mains = (
        make_table(
            f"data.{name}", "LINESTRING", "",
            [("id", "integer", ""), ("street", "text", ""), ("length_m", "number", "")],
            [(1, "Mill Lane", 5.0, (1.0, 1.0)), (2, "Ring Road", 7.0, (2.0, 2.0))],
        )
        for name in ("cycle_lanes", "water_mains")
    )  # fmt: skip
    world = World(mains, lanes)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(
        "compare the total length of the cycle lanes on Mill Lane and Ring Road"
    )
    assert desk.analysis.steps[0][1]["source"] == "data.cycle_lanes", answer


CHANGE = '"riders_2020" - "riders_2010"'
IN_PERCENT = f'100.0 * ({CHANGE}) / "riders_2010"'


@pytest.mark.parametrize(
    ("sentence", "expressions"),
    [
        ("riders change 2010 to 2020 in the stops, absolute and in percent", [CHANGE, IN_PERCENT]),
        ("riders change from 2010 to 2020 in percent", [CHANGE, IN_PERCENT]),
        ("which stop gained the most riders between 2010 and 2020?", [IN_PERCENT, CHANGE]),
        (
            "which stop has the biggest gap between planned and built shelters?",
            ['abs("plan_ct" - "built_ct")'],
        ),
    ],
)
async def test_the_difference_of_two_columns_is_calculated(sentence: str, expressions: list[str]) -> None:
    steps = await steps_of(sentence)
    assert [arguments["expression"] for name, arguments in steps if name == "calculate"] == expressions
    assert (steps[-1][0] == "top") == sentence.startswith("which")


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("how many stops have never been counted on a weekday?", empty("board_wd")),
        ("how many stops were never inspected?", empty("last_insp")),
        ("how many stops have not been inspected since 2023?",
         both({"op": "<", "args": [{"property": "last_insp"}, {"date": "2023-01-01"}]}, empty("last_insp"), op="or")),
        ("how many stops are in tariff zone A?", where("tariff_zone", "=", "A")),
        ("how many stops cost more than 500 thousand euros?", where("cost_keur", ">", 500)),
        ("how many stops were opened in spring 1990?",
         both({"op": ">=", "args": [{"property": "opened"}, {"date": "1990-03-01"}]},
              {"op": "<", "args": [{"property": "opened"}, {"date": "1990-06-01"}]})),
        ("how many stops were opened in the second quarter of 1990?",
         both({"op": ">=", "args": [{"property": "opened"}, {"date": "1990-04-01"}]},
              {"op": "<", "args": [{"property": "opened"}, {"date": "1990-07-01"}]})),
    ],
)  # fmt: skip
async def test_rows_that_are_counted(sentence: str, filters: Any) -> None:
    chat = Chat(World(STOPS))
    answer = await chat(sentence)
    assert [call[1].get("filters") for call in chat.calls] == [filters], answer


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("are there more bus stops than tram stops?", "Yes: 2 pt stops where mode is bus, and 1 pt stop"),
        ("how many more bus stops than tram stops are there?", "The difference is 1."),
        ("which has more weekday boardings, Main Station or Old Gate?", "**Main Station**|Main Station has"),
        ("what is the difference in weekday boardings between Main Station and Old Gate?", "600 more than Old Gate"),
        ("compare Main Station and Old Gate", "| Old Gate |"),
        ("compare Main Station with Old Gate: mode, tariff zone", "| Old Gate | bus | A |"),
        ("which stop was opened first?", "**Old Gate**"),
        ("what share of the Sunday boardings is in tariff zone A?", "96.1 % of the total `board_sun`"),
    ],
)  # fmt: skip
async def test_rows_and_numbers_are_compared(sentence: str, said: str) -> None:
    chat = Chat(World(STOPS))
    answer = await chat(sentence)
    assert any(each in answer for each in said.split("|") if each) if said[0] != "|" else said in answer, (
        answer
    )


@pytest.mark.parametrize(
    ("before", "piece", "whole"),
    [
        ("average Sunday boardings of stops by mode", "and the median?", "median Sunday boardings of stops by mode"),
        ("average Sunday boardings of stops by mode", "by operator?", "average Sunday boardings of stops by operator"),
        ("how many stops are there?", "and per mode?", "how many stops are there per mode"),
        ("which operator has the most stops?", "and the fewest?", "which operator has the fewest stops"),
    ],
)  # fmt: skip
async def test_a_piece_takes_the_place_of_its_kind_in_the_question_before(
    before: str, piece: str, whole: str
) -> None:
    world = World(STOPS)
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    await chat(before)
    answer = await chat(piece)
    assert chat.calls == [("run_analysis", {"goal": whole})], answer


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("more than 10 m", where("elevation_m", "<", -10)),
        ("10 m or more", where("elevation_m", "<=", -10)),
        ("at most 10 m", where("elevation_m", ">=", -10)),
        ("lower than 50 m", where("elevation_m", "<", -50)),
        ("higher than 50 m", where("elevation_m", ">", -50)),
        ("above 50 m", where("elevation_m", ">", -50)),
        ("between 10 and 20 m", within("elevation_m", -20, -10)),
        ("under 50 m", None),
        ("up to 50 m", None),
        ("between -10 and 20 m", None),
    ],
)
async def test_metres_below_sea_level_are_negative(words: str, expected: dict[str, Any] | None) -> None:
    chat = Chat()
    answer = await chat(f"how many airports lie {words} below sea level?")
    found = [call[1].get("filters") for call in chat.calls if call[0] == "count_features"]
    assert found == ([expected] if expected else []), answer


@pytest.mark.parametrize("sentence", ["how high are they on average?", "which of these is the highest?"])
async def test_what_was_asked_about_is_spoken_of_again(sentence: str) -> None:
    chat = Chat()
    await chat("how many airports are there in Germany?")
    answer = await chat(sentence)
    assert "where country is Germany" in answer or "Germany" in str(chat.calls), answer


async def test_which_the_other_is_ranked_among_the_same_rows() -> None:
    chat = Chat()
    answer = await chat("which airport in Germany is the highest and which the lowest?")
    asked = [arguments for name, arguments in chat.calls if name == "query_features"]
    assert [each["descending"] for each in asked] == [True, False], answer
    assert asked[0]["filters"] == asked[1]["filters"]


async def test_a_condition_is_no_piece_of_a_question() -> None:
    chat = Chat(World(STOPS))
    await chat("how many stops are there?")
    answer = await chat("count the stops with a bench")
    assert [call[1].get("filters") for call in chat.calls] == [where("bench", "=", True)], answer
