"""Figures that no column tells: rows for so many of what areas count, people per area, and columns that count by the
words of their comments."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import full, make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

BOROUGHS = full(make_table(
    "data.boroughs", "MULTIPOLYGON", "Boroughs of the city",
    [("id", "integer", ""), ("name", "text", ""), ("region", "text", ""), ("population", "integer", ""),
     ("households", "integer", ""), ("mean_age", "integer", "")],
    [(1, "Abbey", "north", 900, 400, 40, (1.0, 1.0)), (2, "Bow", "south", 500, 200, 41, (2.0, 1.0))],
))  # fmt: skip
GARAGES = full(make_table(
    "data.garages", "POINT", "Garages",
    [("id", "integer", ""), ("name", "text", ""), ("operator", "text", ""),
     ("capacity", "integer", "Number of spaces"), ("avg_day", "integer", "Average visitors per day, 2024")],
    [(1, "Market", "City", 900, 70, (1.0, 1.0)), (2, "Station", "Private", 300, 95, (2.0, 1.0))],
))  # fmt: skip


async def asked(sentence: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    world = World(BOROUGHS, GARAGES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    return desk.analysis.steps, answer


async def called(sentence: str) -> tuple[str, dict[str, Any]]:
    chat = Chat(World(BOROUGHS, GARAGES))
    await chat(sentence)
    return chat.calls[0]


SPACES = "coalesce(sum_capacity, 0 / (1 - sign(count)))"
"""The total is 0 without garages, and unknown where none of those that are there has a value."""


@pytest.mark.parametrize(
    ("sentence", "name", "expression"),
    [
        ("how many garages per 1000 residents in each borough", "per_1000_people", '1000 * count / "population"'),
        ("garages per 10,000 households by borough", "per_10000_households", '10000 * count / "households"'),
        ("how many spaces per household in each borough", "per_household", f'1 * {SPACES} / "households"'),
        ("garage spaces per 100 residents by borough", "per_100_people", f'100 * {SPACES} / "population"'),
    ],
)  # fmt: skip
async def test_rows_and_what_they_count_are_divided_by_a_column_of_areas(
    sentence: str, name: str, expression: str
) -> None:
    steps, answer = await asked(sentence)
    assert [each for each, _ in steps] == ["spatial_join", "calculate"], answer
    assert (steps[-1][1]["name"], steps[-1][1]["expression"]) == (name, expression)


async def test_areas_of_one_value_are_merged_before_they_are_divided_by() -> None:
    steps, answer = await asked("garages per 1000 residents by region")
    assert [each for each, _ in steps] == ["dissolve", "spatial_join", "calculate"], answer
    assert (steps[0][1]["by"], steps[-1][1]["expression"]) == (["region"], '1000 * count / "sum_population"')
    assert "left out" in answer


@pytest.mark.parametrize(
    "sentence",
    ["garages per mean age by borough", "garages per 100 dragons by borough", "garages per id by borough"],
)
async def test_what_does_not_count_is_not_divided_by(sentence: str) -> None:
    steps, answer = await asked(sentence)
    assert not steps, answer


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("population density by borough", None),
        ("population density of boroughs", None),
        ("household density by borough, top 1", (1, False)),
        ("which borough has the highest population density?", (1, False)),
        ("the 2 least densely populated boroughs", (2, True)),
        ("most densely populated borough", (1, False)),
        ("top 2 boroughs by population per km2", (2, False)),
    ],
)
async def test_a_density_is_that_of_the_measured_areas(sentence: str, first: tuple[int, bool] | None) -> None:
    steps, answer = await asked(sentence)
    names = ["measure", "calculate", *(["top"] if first else [])]
    assert [each for each, _ in steps] == names, answer
    assert steps[1][1]["expression"].replace('"', "").endswith("* 1000000 / area_m2")
    if first is not None:
        assert (steps[-1][1]["n"], steps[-1][1].get("smallest", False)) == first
        assert steps[-1][1]["by"] == steps[1][1]["name"]


@pytest.mark.parametrize("sentence", ["mean age density by borough", "operator density by borough"])
async def test_a_density_of_what_does_not_add_up_is_declined(sentence: str) -> None:
    steps, answer = await asked(sentence)
    assert not steps, answer


@pytest.mark.parametrize(
    ("sentence", "by"),
    [("number of garages by borough, top 1", "count"), ("population by borough, top 1", "population")],
)
async def test_the_first_of_all_areas(sentence: str, by: str) -> None:
    steps, answer = await asked(sentence)
    assert (steps[-1][0], steps[-1][1]["by"], steps[-1][1]["n"]) == ("top", by, 1), answer


@pytest.mark.parametrize(
    ("sentence", "column"),
    [
        ("which garage has the most spaces?", "capacity"),
        ("busiest garage", "avg_day"),
        ("top 2 busiest garages", "avg_day"),
        ("which garage is the least busy?", "avg_day"),
    ],
)
async def test_what_a_comment_counts_is_ranked_by(sentence: str, column: str) -> None:
    _, arguments = await called(sentence)
    assert arguments["sort"] == column


async def test_what_a_comment_counts_is_compared() -> None:
    _, arguments = await called("garages with more than 500 spaces")
    assert arguments["filters"] == {"op": ">", "args": [{"property": "capacity"}, 500]}


WORKS = full(make_table(
    "data.works", "LINESTRING", "Road works",
    [("id", "integer", ""), ("street", "text", ""), ("cause", "text", ""), ("start_date", "date", ""),
     ("end_date", "date", "")],
    [(1, "Ring Road", "gas", "2024-01-01", "2024-01-11", (1.0, 1.0)),
     (2, "Mill Lane", "water", "2024-02-01", "2024-02-03", (2.0, 1.0))],
))  # fmt: skip
OUTAGES = make_table(
    "data.outages", "POINT", "Outages",
    [("id", "integer", ""), ("kind", "text", ""), ("started", "timestamp", ""), ("ended", "timestamp", ""),
     ("dur_min", "integer", "Duration in minutes")],
    [(1, "storm", "2024-01-01", "2024-01-02", 90, (1.0, 1.0))],
)  # fmt: skip
HUTS = make_table(
    "data.huts", "POINT", "Mountain huts",
    [("id", "integer", ""), ("name", "text", ""), ("owner", "text", ""), ("capacity", "integer", "Sleeping places")],
    [(1, "Corrour", "Club", 6, (1.0, 1.0)), (2, "Geldie", "Park", 8, (2.0, 1.0))],
)  # fmt: skip


async def steps_of(sentence: str, *tables: Any) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    world = World(*tables)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    return desk.analysis.steps, answer


@pytest.mark.parametrize(
    ("sentence", "figure", "unit"),
    [
        ("average length of the works in days", "mean", "days"),
        ("average length of a work in days by cause", "mean", "days"),
        ("how long did the works take on average?", "mean", "days"),
        ("how long do gas works last?", "mean", "days"),
        ("median duration of works by cause", "median", "days"),
        ("average duration of works in hours", "mean", "hours"),
        ("total duration of works by street", "sum", "days"),
    ],
)
async def test_how_long_something_lasted_is_the_time_between_its_dates(
    sentence: str, figure: str, unit: str
) -> None:
    steps, answer = await steps_of(sentence, WORKS)
    (_, timed), (name, summed) = steps[-2:]
    assert name == ("dissolve" if " by " in sentence else "summarise"), answer
    (change,) = timed["changes"]
    assert (change["column"], change["other"], change["unit"]) == ("start_date", "end_date", unit)
    assert figure in {each["function"] for each in summed["aggregates"]}


@pytest.mark.parametrize(
    ("sentence", "n", "smallest"),
    [
        ("longest works in days", 10, False),
        ("which work lasted the longest?", 1, False),
        ("which 2 works took the longest?", 2, False),
        ("the shortest work in days", 1, True),
    ],
)
async def test_rows_are_ranked_by_the_time_between_their_dates(sentence: str, n: int, smallest: bool) -> None:
    steps, answer = await steps_of(sentence, WORKS)
    assert [each for each, _ in steps] == ["columns", "top"], answer
    ranked = steps[1][1]
    assert (ranked["by"], ranked["n"], ranked.get("smallest", False)) == ("days_between", n, smallest)


async def test_whether_lines_or_their_times_are_long_is_asked() -> None:
    steps, answer = await steps_of("which work is the longest?", WORKS)
    assert not steps
    assert "by length" in answer
    assert "in days" in answer


@pytest.mark.parametrize("sentence", ["average length of the works", "longest works in years"])
async def test_a_time_that_is_not_sure_is_declined(sentence: str) -> None:
    steps, answer = await steps_of(sentence, WORKS)
    assert not steps, answer


async def test_a_column_tells_a_duration_better_than_two_dates() -> None:
    steps, answer = await steps_of("average duration of outages by kind", OUTAGES)
    assert [each for each, _ in steps] == ["dissolve"], answer
    assert steps[0][1]["aggregates"][0]["column"] == "dur_min"


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("how many people can sleep in the huts?", 14),
        ("how many people can sleep in Corrour?", 6),
        ("how many guests can sleep in huts of the Club?", 6),
    ],
)
async def test_how_many_can_do_something_is_what_a_comment_counts(sentence: str, value: int) -> None:
    answer = await Chat(World(HUTS))(sentence)
    assert f"is {value} (" in answer, answer


@pytest.mark.parametrize(
    "sentence", ["how many people can swim in the huts?", "how many people can sleep in the garages?"]
)
async def test_what_no_column_counts_is_declined(sentence: str) -> None:
    chat = Chat(World(HUTS, GARAGES))
    answer = await chat(sentence)
    assert not [name for name, _ in chat.calls if name != "cannot_do"], answer


@pytest.mark.parametrize(
    ("sentence", "by"),
    [("number of records by kind", "kind"), ("how many records per owner, most first", "owner")],
)
async def test_records_are_rows_of_the_only_table_with_that_column(sentence: str, by: str) -> None:
    steps, answer = await steps_of(sentence, OUTAGES, HUTS, BOROUGHS)
    assert steps[0][0] == "dissolve", answer
    assert (steps[0][1]["by"], steps[0][1]["aggregates"][0]["function"]) == ([by], "count")


async def test_records_by_a_column_of_areas_may_be_those_that_lie_in_them() -> None:
    steps, answer = await steps_of("number of records by region", OUTAGES, BOROUGHS)
    assert not steps, answer


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("how many times more people live in Abbey than in Bow?", "900: 1.8 times that of Bow"),
        ("how many times more households does Bow have than Abbey?", "400: 2 times that of Bow"),
        ("how many times as populous is Abbey as Bow?", "900: 1.8 times that of Bow"),
    ],
)
async def test_how_many_times_one_row_is_another(sentence: str, said: str) -> None:
    assert said in await Chat(World(BOROUGHS))(sentence)


async def test_no_age_is_a_number_of_times_another() -> None:
    chat = Chat(World(BOROUGHS))
    await chat("how many times older is Abbey than Bow?")
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"])


STOPS = full(make_table(
    "data.stops", "POINT", "Stops",
    [("id", "integer", ""), ("name", "text", ""), ("mode", "text", ""), ("boardings", "integer", ""),
     ("shelter", "boolean", "")],
    [(1, "Mill", "tram", 900, True, (1.0, 1.0)), (2, "Bow", "bus", 50, False, (2.0, 1.0))],
))  # fmt: skip
RACKS = make_table(
    "data.bike_racks", "POINT", "Racks for bikes", [("id", "integer", ""), ("stands", "integer", "")],
    [(1, 5, (1.0, 1.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        "stops with over 500 boardings and no bike rack within 300 m",
        "stops with more than 500 boardings but without a bike rack within 300 m",
    ],
)
async def test_a_condition_and_what_is_not_near(sentence: str) -> None:
    steps, answer = await steps_of(sentence, STOPS, RACKS)
    name, arguments = steps[-1]
    assert (name, arguments["predicate"], arguments["invert"]) == (
        "select_by_location",
        "within_distance",
        True,
    )
    assert "boardings" in str(steps), answer
