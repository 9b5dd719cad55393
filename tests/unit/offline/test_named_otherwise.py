"""Things that people call by other words than their tables do: streets of segments, counties of boundaries, changes."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.language.names.columns import columns_called
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import singular
from agents.offline.meaning.intents import Analyse
from agents.offline.parser import parse
from server.maps.analyses.offered import OFFERED
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Calls, Chat, where

ROADS = make_table(
    "data.road_segs", "LINESTRING", "Road centreline segments",
    [("id", "integer", ""), ("rd_name", "text", "Road name"), ("oneway_yn", "text", "One-way road (Y/N)"),
     ("crash_5yr", "integer", "Reported crashes 2019-2023"), ("lanes", "integer", "Number of through lanes"),
     ("vehicles", "integer", "Average daily vehicles")],
    [(1, "Hill Road", "N", 5, 2, 900, (1.0, 1.0)), (2, "Hill Road", "N", 6, 2, 900, (2.0, 2.0)),
     (3, "Mill Road", "Y", 9, 4, 1500, (3.0, 3.0))],
)  # fmt: skip
ZONES = make_table(
    "data.zoning_dist", "POLYGON", "Zoning districts in force",
    [("id", "integer", ""), ("zone_cd", "text", "Zone code"), ("zone_cat", "text", "Zone category")],
    [(1, "R1", "Residential", (1.0, 1.0)), (2, "C1", "Commercial", (2.0, 2.0))],
)  # fmt: skip
PERMITS = make_table(
    "data.bldg_permits", "POINT", "Building permits applied for 2018-2024",
    [("id", "integer", ""), ("use_cd", "text", "Use"), ("apply_dt", "date", "Application date"),
     ("issue_dt", "date", "Issue date"), ("val_usd", "number", "Declared value"), ("hood", "text", "Neighborhood name"),
     ("status", "text", ""), ("units_new", "integer", "New units")],
    [(1, "Homes", "2021-01-01", "2021-02-01", 5.0, "East", "Issued", 3, (1.0, 1.0)),
     (2, "Shops", "2022-01-01", None, 7.0, "West", "Open", 4, (2.0, 2.0))],
)  # fmt: skip
TOWNS = make_table(
    "data.hood_councils", "MULTIPOLYGON", "Neighborhood council boundaries with census figures",
    [("id", "integer", ""), ("hood_name", "text", "Neighborhood name"), ("pop_2010", "integer", "Population, 2010"),
     ("pop_2020", "integer", "Population, 2020")],
    [(1, "East", 100, 80, (1.0, 1.0)), (2, "West", 100, 130, (2.0, 2.0))],
)  # fmt: skip
PARISHES = make_table(
    "data.parish_boundaries", "MULTIPOLYGON", "Boundaries", [("id", "integer", ""), ("parish_name", "text", "")],
    [(1, "Upton", (1.0, 1.0))],
)  # fmt: skip
SCHOOLS = make_table(
    "data.schools", "POINT", "Schools, October headcount",
    [("id", "integer", ""), ("name", "text", ""), ("enr_2018", "integer", "Students enrolled, October 2018"),
     ("enr_2023", "integer", "Students enrolled, October 2023"), ("frl_pct", "number", "Students with free lunch")],
    [(1, "Oak", 100, 80, 20.0, (1.0, 1.0)), (2, "Elm", 100, 130, 30.0, (2.0, 2.0))],
)  # fmt: skip


STOPS = make_table(
    "data.stops", "POINT", "Bus stops",
    [("id", "integer", ""), ("stop_name", "text", "Stop name"), ("shelter_yn", "text", "Shelter present (Y/N)"),
     ("button", "boolean", "Call button works")],
    [(1, "A", "Y", True, (1.0, 1.0)), (2, "B", "N", False, (2.0, 2.0))],
)  # fmt: skip


async def asked(sentence: str) -> tuple[Calls, Desk, str]:
    desk = Desk(World(ROADS, TOWNS, PARISHES, SCHOOLS, ZONES, PERMITS))
    chat = Chat(desk.world, analyst=desk)
    answer = await chat(sentence)
    return chat.calls, desk, answer


@pytest.mark.parametrize(
    "sentence", ["Which road has the most crashes overall?", "which road has the most crashes"]
)
async def test_a_road_is_all_of_its_segments(sentence: str) -> None:
    _, desk, _ = await asked(sentence)
    assert [name for name, _ in desk.analysis.steps] == ["dissolve", "top"]
    assert desk.analysis.steps[0][1]["by"] == ["rd_name"]


@pytest.mark.parametrize(
    "sentence",
    [
        "which road segment has the most crashes?",
        "which road has the most lanes?",
        "which road has the most vehicles?",
    ],
)
async def test_a_segment_and_what_lies_side_by_side_is_one_row(sentence: str) -> None:
    calls, desk, _ = await asked(sentence)
    assert (desk.analysis.steps, [name for name, _ in calls]) == ([], ["query_features"])


@pytest.mark.parametrize(
    ("sentence", "table"),
    [
        ("show the parishes in red", "data.parish_boundaries"),
        ("show the neighbourhoods in red", "data.hood_councils"),
    ],
)
async def test_areas_are_called_by_their_name_column(sentence: str, table: str) -> None:
    calls, _, _ = await asked(sentence)
    assert calls[0][1]["table"] == table


def changed(late: str, op: str, early: str, calculation: str = "", by: float = 0.0) -> dict[str, Any]:
    value: Any = {"property": early}
    return where(late, op, {"op": calculation, "args": [value, by]} if calculation else value)


@pytest.mark.parametrize(
    ("sentence", "filter"),
    [
        (
            "show schools that lost more than 15 % of their students between 2018 and 2023",
            changed("enr_2023", "<", "enr_2018", "*", 0.85),
        ),
        (
            "show schools that gained at least 20 students since 2018",
            changed("enr_2023", ">=", "enr_2018", "+", 20),
        ),
        ("show schools that lost students", changed("enr_2023", "<", "enr_2018")),
        (
            "show councils whose population grew by more than 20 % between 2010 and 2020",
            changed("pop_2020", ">", "pop_2010", "*", 1.2),
        ),
        (
            "show councils with a population growth of over 20 % between 2010 and 2020",
            changed("pop_2020", ">", "pop_2010", "*", 1.2),
        ),
        (
            "I'm looking for councils that grew by more than 20 % between 2010 and 2020",
            changed("pop_2020", ">", "pop_2010", "*", 1.2),
        ),
    ],
)
async def test_rows_are_kept_by_how_much_they_changed(sentence: str, filter: dict[str, Any]) -> None:
    calls, _, answer = await asked(sentence)
    assert next(each for _, each in calls if "filters" in each)["filters"] == filter, answer


async def test_a_loss_of_less_than_a_share_is_a_loss() -> None:
    calls, _, _ = await asked("show schools that lost less than 5 % of their students between 2018 and 2023")
    few, loss = changed("enr_2023", ">", "enr_2018", "*", 0.95), changed("enr_2023", "<", "enr_2018")
    assert calls[0][1]["filters"] == {"op": "and", "args": [few, loss]}


def read(sentence: str) -> tuple[Any, ...]:
    """The steps as which a request is read."""
    world = World(ROADS, TOWNS, PARISHES, SCHOOLS, ZONES, PERMITS, STOPS)
    (command,) = parse(sentence, Vocabulary(world.registry, (), OFFERED))
    return command.intent.steps if isinstance(command.intent, Analyse) else ()


def operations(steps: tuple[Any, ...]) -> list[str]:
    return [getattr(each, "operation", "group") for each in steps]


def argument(made: Any, name: str) -> Any:
    return dict(made.arguments)[name]


@pytest.mark.parametrize(
    ("sentence", "by", "measure"),
    [
        ("total length in miles of each kind of road name", "rd_name", "length"),
        ("total length of the roads by road name in miles", "rd_name", "length"),
        ("miles of roads by road name", "rd_name", "length"),
        ("acres of land per zone code, largest first", "zone_cd", "area"),
        ("how many hectares of zoning per zone category", "zone_cat", "area"),
    ],
)
def test_the_size_of_groups_is_measured_where_no_column_tells_it(
    sentence: str, by: str, measure: str
) -> None:
    steps = read(sentence)
    assert operations(steps) == ["measure", "calculate", "dissolve"]
    assert (argument(steps[0], "measures"), argument(steps[2], "by")[0].text) == ([measure], by)


@pytest.mark.parametrize(
    ("sentence", "more"),
    [("which road has the most crashes per mile?", ["top"]), ("crashes per km by road", [])],
)
def test_rates_by_length_are_measured(sentence: str, more: list[str]) -> None:
    steps = read(sentence)
    assert operations(steps) == ["measure", "dissolve", "calculate", *more]
    assert argument(steps[1], "by")[0].text == "rd_name"


@pytest.mark.parametrize(
    "sentence",
    [
        "How long does it take on average from application to issue of a permit, by use?",
        "how long did it take from application to issue per use",
    ],
)
def test_how_long_it_takes_is_the_time_between_two_dates(sentence: str) -> None:
    steps = read(sentence)
    assert operations(steps) == ["columns", "group"]
    change = argument(steps[0], "changes")[0]
    assert (change["column"].text, change["other"].text, steps[1].by) == ("apply_dt", "issue_dt", "use_cd")


@pytest.mark.parametrize("noun", ["", "single "])
def test_the_first_of_each_group_is_by_the_column_that_names_it(noun: str) -> None:
    steps = read(f"the {noun}most expensive permit in each neighbourhood")
    assert operations(steps) == ["top"]
    assert [each.text for each in argument(steps[0], "per")] == ["hood"]


def meant(sentence: str) -> Any:
    """What a request of one command means."""
    world = World(ROADS, TOWNS, PARISHES, SCHOOLS, ZONES, PERMITS, STOPS)
    (command,) = parse(sentence, Vocabulary(world.registry, (), OFFERED))
    return command.intent


@pytest.mark.parametrize(
    ("sentence", "op"),
    [
        ("permits applied for before 2022", "<"),
        ("permits applied for since January 2020", ">="),
        ("permits that were applied for in 2021", "="),
    ],
)
def test_what_was_applied_for_has_the_date_of_it(sentence: str, op: str) -> None:
    where = meant(sentence).where
    assert (where.op, where.column.columns) == (op, ("apply_dt",))


@pytest.mark.parametrize(
    "sentence",
    [
        "How many building permits were applied for in each year? Make it a bar chart",
        "bar chart of permits applied for per year",
        "bar chart of permits by application year",
    ],
)
def test_bars_of_years_are_of_the_date_that_is_named(sentence: str) -> None:
    chart = meant(sentence)
    assert (chart.kind, chart.period, chart.columns[0].columns) == ("histogram", "year", ("apply_dt",))


def test_a_line_by_year_is_of_years_and_not_of_days() -> None:
    chart = meant("line chart of the median declared value of permits per application year")
    assert (chart.kind, chart.period, chart.how) == ("line", "year", "median")


def test_groups_are_ranked_by_what_their_rows_count() -> None:
    steps = read("top 10 neighbourhoods by number of new units in permits applied for since January 2020")
    assert (operations(steps), steps[0].by, steps[0].aggregate["function"]) == (
        ["group", "top"],
        "hood",
        "sum",
    )


@pytest.mark.parametrize(
    ("sentence", "column", "value"),
    [
        ("stops where a shelter is present", "shelter_yn", True),
        ("stops where a call button works", "button", True),
        ("stops where a shelter is not present", "shelter_yn", False),
        ("stops that dont have a shelter", "shelter_yn", False),
    ],
)
def test_what_is_there_is_a_column_of_yes_and_no(sentence: str, column: str, value: bool) -> None:
    where = meant(sentence).where
    assert (where.column.columns, where.value) == ((column,), value)


@pytest.mark.parametrize(
    ("words", "miles"),
    [
        ("a quarter mile", 0.25),
        ("half a mile", 0.5),
        ("a half mile", 0.5),
        ("three quarters of a mile", 0.75),
    ],
)
def test_parts_of_a_unit_are_lengths(words: str, miles: float) -> None:
    (buffer,) = read(f"buffer the stops with a shelter by {words}")
    distance = argument(buffer, "distance")
    assert (distance.value, distance.unit.symbol) == (miles, "mi")


@pytest.mark.parametrize(
    "names", [("rm_name", "dist_nm"), ("rm_name", "district_name"), ("dist_nm", "rm_name")]
)
async def test_districts_are_labelled_by_their_own_names(names: tuple[str, str]) -> None:
    made = make_table(
        "data.districts", "POLYGON", "", [("id", "integer", ""), *((each, "text", "") for each in names)],
        [(1, "Rudy", "Outlook", (1.0, 1.0))],
    )  # fmt: skip
    chat = Chat(World(made))
    answer = await chat("show the districts labelled by name")
    (layer,) = chat.layers.values()
    assert layer.style.label == next(each for each in names if each != "rm_name"), answer


@pytest.mark.parametrize(
    ("comment", "words", "is_called"),
    [
        ("Development applications (DA) lodged by portal", ("das",), True),
        ("District metered areas (DMA) of the network", ("dma",), True),
        ("Development applications (DAs)", ("das",), True),
        ("Applications lodged by portal (DA)", ("das",), False),  # no initials of the words before
        ("Council trees. Development applications of owners (DA)", ("das",), False),
    ],
)
def test_rows_are_called_by_the_acronym_in_the_comment_of_their_table(
    comment: str, words: tuple[str, ...], is_called: bool
) -> None:
    rows = [(1, "New dwelling", (1.0, 1.0))]
    made = make_table("data.d_apps", "POINT", comment, [("id", "integer", ""), ("kind", "text", "")], rows)
    match = Vocabulary(World(made).registry, ()).match_table(words)
    assert (match is not None and match.found[0].id == "data.d_apps") == is_called


@pytest.mark.parametrize(
    ("plural", "one"),
    [("potatoes", "potato"), ("tomatoes", "tomato"), ("mangoes", "mango"), ("tornadoes", "tornado"),
     ("volcanoes", "volcano"), ("shoes", "shoe"), ("canoes", "canoe"), ("toes", "toe")],
)  # fmt: skip
def test_plurals_in_oes(plural: str, one: str) -> None:
    assert singular(plural) == one


@pytest.mark.parametrize(
    ("sentence", "low", "after"),
    [
        ("permits applied for in may and june 2022", "2022-05-01", "2022-07-01"),
        ("permits applied for in November and December 2021", "2021-11-01", "2022-01-01"),
        ("permits applied for in march and june 2022", None, None),
    ],
)
async def test_months_in_a_row_are_one_period(sentence: str, low: str | None, after: str | None) -> None:
    chat = Chat(World(PERMITS))
    answer = await chat(sentence)
    found = str([layer.filter for layer in chat.layers.values()])
    assert (low is None) == (chat.layers == {}), answer
    assert low is None or (low in found and str(after) in found), answer


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (("common_nm", "BOT_NAME"), ["BOT_NAME"]),
        (("common_name", "kind"), ["common_name"]),
        (("sci_name", "species_cd"), ["species_cd"]),
        (("street_name", "common"), []),
    ],
)
def test_names_of_plants_are_species(names: tuple[str, str], meant: list[str]) -> None:
    made, _ = make_table(
        "data.trees", "POINT", "", [("id", "integer", ""), *((each, "text", "") for each in names)],
        [(1, "Jacaranda", "Other", (1.0, 1.0))],
    )  # fmt: skip
    assert columns_called((made,), ("species",)) == meant
