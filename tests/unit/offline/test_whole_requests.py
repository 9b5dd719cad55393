"""Requests whose pieces stand in any order: lists, maps and charts of one table, and what is asked about `them`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, no, where

STOPS = make_table(
    "data.tram_stops", "POINT", None,
    [("id", "integer", ""), ("stop_code", "text", ""), ("stop_name", "text", ""), ("shelter", "text", ""),
     ("bench", "text", ""), ("zone", "text", ""), ("brd", "integer", ""), ("rent_eur", "integer", ""),
     ("opened_dt", "date", ""), ("insp_dt", "date", ""), ("lit", "boolean", "")],
    [(1, "K1", "Mill Road", "Y", "N", "North", 80, 700, "2020-01-01", "2021-02-01", True, (1.0, 1.0)),
     (2, "K2", "Old Gate", "N", "Y", "South", 120, 900, "2021-03-01", "2022-03-11", False, (2.0, 1.0)),
     (3, "K3", "Library", "N", "N", "South", 300, 600, "2021-01-01", "2023-01-21", True, (3.0, 1.0))],
)  # fmt: skip
PIPES = make_table(
    "data.water_pipes", "LINESTRING", None,
    [("id", "integer", ""), ("pipe_no", "text", ""), ("material", "text", ""), ("breaks", "integer", ""),
     ("diameter_mm", "integer", ""), ("street", "text", ""), ("rehab_year", "integer", ""),
     ("length_m", "number", "")],
    [(1, "P1", "PVC", 3, 100, "Mill Lane", None, 50.0, (1.0, 2.0)),
     (2, "P2", "steel", 5, 300, "Ring Road", 2026, 70.0, (2.0, 2.0)),
     (3, "P3", "iron", 6, 200, "Mill Lane", None, 90.0, (3.0, 2.0))],
)  # fmt: skip


async def asked(sentence: str, *more: str) -> tuple[Chat, str]:
    world = World(STOPS, PIPES)
    chat = Chat(world, analyst=Desk(world))
    answer = await chat(sentence)
    for each in more:
        answer = await chat(each)
    return chat, answer


def since(first: str, after: str) -> tuple[Any, Any]:
    return where("opened_dt", ">=", {"date": first}), where("opened_dt", "<", {"date": after})


SHELTERLESS, BENCHLESS = where("shelter", "=", "N"), where("bench", "=", "N")
STEEL = where("material", "=", "steel")


@pytest.mark.parametrize(
    ("sentence", "kept", "columns"),
    [
        ("Which pipes have no rehab year? List the pipe number, street and diameter.", empty("rehab_year"),
         ("pipe_no", "street", "diameter_mm")),
        ("Pipes of steel: give me the street and the diameter", STEEL, ("street", "diameter_mm")),
        ("List street and breaks of the pipes with 4 breaks or more", where("breaks", ">=", 4), ("street", "breaks")),
        ("the tram stops that don't have a shelter, with their zone", SHELTERLESS, ("zone",)),
        ("Tram stops without a shelter? Name the zone and the stop code please", SHELTERLESS, ("zone", "stop_code")),
    ],
)  # fmt: skip
async def test_a_list_of_the_columns_that_are_named(
    sentence: str, kept: Any, columns: tuple[str, ...]
) -> None:
    chat, answer = await asked(sentence)
    (name, arguments), *_ = chat.calls
    assert (name, arguments.get("filters")) == ("query_features", kept), answer
    assert set(columns) <= set(arguments["columns"])


@pytest.mark.parametrize(
    ("sentence", "kept", "style"),
    [
        ("Tram stops with more than 100 brd that have a bench: map them in red, labelled by zone",
         both(where("brd", ">", 100), where("bench", "=", "Y")), {"color": "red", "label": "zone"}),
        ("Steel pipes, drawn 4 px wide please, and label them with the street", STEEL, {"size": 4.0}),
        ("In blue and 3 px wide, map the pipes of steel", STEEL, {"size": 3.0}),
        ("pipes w/ 4 breaks or more, Mill Lane - red, thicker lines",
         both(where("breaks", ">=", 4), where("street", "=", "Mill Lane")), {"color": "red"}),
        ("Pipes of steel: map them as triangles", STEEL, {}),
        ("Steel pipes, diameter 300 or 400, in red",
         both(STEEL, both(where("diameter_mm", "=", 300), where("diameter_mm", "=", 400), op="or")), {"color": "red"}),
        ("I would like to see the steel pipes, colour by diameter, label with the street", STEEL, {}),
    ],
)  # fmt: skip
async def test_a_map_in_any_order(sentence: str, kept: Any, style: dict[str, Any]) -> None:
    chat, answer = await asked(sentence)
    (name, arguments), *_ = chat.calls
    assert (name, arguments["filters"]) == ("add_map_layer", kept), answer
    drawn = {**arguments, **arguments.get("style", {})}
    assert {name: drawn.get(name) for name in style} == style


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("How many tram stops have neither a shelter nor a bench?", both(SHELTERLESS, BENCHLESS)),
        ("how many tram stops with neither a bench nor a shelter are there", both(BENCHLESS, SHELTERLESS)),
        ("how many stops don't have a shelter?", SHELTERLESS),
        ("How many tram stops do not have a bench?", BENCHLESS),
        ("how many pipes, leaving out steel?", no(STEEL)),
        ("How many pipes have 4 breaks or more?", where("breaks", ">=", 4)),
        ("tram stops w/o a bench: how many?", BENCHLESS),
        ("Would you be so kind as to count the pipes, leaving out the steel ones?", no(STEEL)),
        ("How many pipes, leaving out all pipes below 200 mm?", where("diameter_mm", ">=", 200)),
        ("How many pipes, if one leaves out the pipes with less than 4 breaks?", where("breaks", ">=", 4)),
        ("number of pipes with 3 breaks or fewer", where("breaks", "<=", 3)),
    ],
)  # fmt: skip
async def test_what_rows_do_not_have(sentence: str, kept: Any) -> None:
    chat, answer = await asked(sentence)
    (name, arguments), *_ = chat.calls
    assert (name, arguments["filters"]) == ("count_features", kept), answer


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("Line chart: number of tram stops opened per year",
         {"kind": "line", "x": "opened_dt", "period": "year"}),
        ("As a pie chart: how many pipes are there of each material?", {"kind": "pie", "x": "material"}),
        ("Each street's share of world breaks, as a pie chart", {"kind": "pie", "x": "street", "y": "breaks"}),
        ("Total breaks of the pipes for each street as a pie chart", {"kind": "pie", "x": "street", "y": "breaks"}),
        ("Each street's share of all breaks of the pipes, as a pie", {"kind": "pie", "x": "street", "y": "breaks"}),
        ("pipes per material, bar chart", {"kind": "bar", "x": "material"}),
        ("I would be grateful if you could draw the tram stops opened per year as a line chart",
         {"kind": "line", "x": "opened_dt", "period": "year"}),
        ("For the steel pipes, a histogram of the diameter", {"kind": "histogram", "x": "diameter_mm"}),
    ],
)  # fmt: skip
async def test_charts_of_every_kind(sentence: str, wanted: dict[str, Any]) -> None:
    chat, answer = await asked(sentence)
    (name, arguments), *_ = chat.calls
    if wanted["kind"] == "pie":
        wanted = {**wanted, "kind": "bar"}  # the parts of a pie are drawn as bars
    assert name == "make_chart", answer
    assert wanted.items() <= arguments.items(), answer


@pytest.mark.parametrize(
    "second", ["which two of them have the most brd?", "Of these, which 2 have the highest brd?"]
)
async def test_rows_of_the_question_before_are_ranked(second: str) -> None:
    chat, answer = await asked("How many tram stops have no shelter?", second)
    (name, arguments), *_ = chat.calls
    assert (name, arguments["sort"], arguments["limit"]) == ("query_features", "brd", 2), answer
    assert SHELTERLESS in arguments["filters"]["args"]


@pytest.mark.parametrize(
    ("sentence", "figures"),
    [
        ("max + min diameter of the pipes per street", [("max", "diameter_mm"), ("min", "diameter_mm")]),
        ("For each street, avg and median diameter of its pipes", [("mean", "diameter_mm"), ("median", "diameter_mm")]),
        ("pipes by street: total breaks, avg diameter", [("sum", "breaks"), ("mean", "diameter_mm")]),
    ],
)  # fmt: skip
async def test_several_figures_of_each_group(sentence: str, figures: list[tuple[str, str]]) -> None:
    world = World(STOPS, PIPES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    ((name, arguments),) = desk.analysis.steps
    assert (name, arguments["by"]) == ("dissolve", ["street"]), answer
    assert [(each["function"], each.get("column")) for each in arguments["aggregates"][:-1]] == figures


@pytest.mark.parametrize(
    "sentence",
    [
        "average and total diameter of the pipes by purple street",
        "how many pipes, leaving out purple ones",
        "pipes of steel, Mordor Lane - red",
        "max + min diameter of pipes per material in Mordor",
        "tram stops w/o a roof: how many?",
    ],
)
async def test_what_is_not_known_is_not_passed_over(sentence: str) -> None:
    chat, answer = await asked(sentence)
    assert not [name for name, _ in chat.calls if name not in ("cannot_do", "run_analysis")] or (
        "no row" in answer or "cannot" in answer
    ), answer


@pytest.mark.parametrize("place", ["Riverside", "the district Mill Park"])
async def test_a_length_in_a_place_is_never_that_of_whole_lines(place: str) -> None:
    chat, answer = await asked(f"how many kilometres of pipes are there in {place}?")
    assert "column_stats" not in [name for name, _ in chat.calls], answer


@pytest.mark.parametrize(
    "sentence",
    ["What's the highest airport in Peru, in metres?", "In feet, what is the highest airport in Peru?"],
)
async def test_the_first_row_in_a_unit(sentence: str) -> None:
    chat = Chat()
    answer = await chat(sentence)
    (name, arguments), *_ = chat.calls
    assert (name, arguments["sort"]) == ("query_features", "elevation_m"), answer


@pytest.mark.parametrize(
    "sentence",
    ["show the steel and the iron pipes", "steel and iron pipes", "show the steel and iron pipes on the map"],
)
async def test_values_of_one_column_side_by_side_are_alternatives(sentence: str) -> None:
    chat, answer = await asked(sentence)
    assert chat.world.map.layers()[0].filter == {
        "op": "in",
        "args": [{"property": "material"}, ["steel", "iron"]],
    }, answer


@pytest.mark.parametrize("sentence", ["steel pipes that are iron", "pipes of steel whose material is iron"])
async def test_rows_that_cannot_be_are_declined(sentence: str) -> None:
    chat, answer = await asked(sentence)
    assert chat.finished is not None
    assert not chat.world.map.layers(), answer
    assert chat.finished.memory["offline"]["outcome"] == "refused", answer


@pytest.mark.parametrize(
    "sentence",
    [
        "highest diameter frobnicated of the water pipes",
        "average breaks of the forms by material of water pipes",
        "dissolve water pipes by material and label each material with frobnicated its total breaks",
        "dissolve water pipes by material, then show the frobnicated three longest",
    ],
)
async def test_words_that_name_nothing_are_not_passed_over(sentence: str) -> None:
    chat, answer = await asked(sentence)
    assert chat.finished is not None
    assert chat.finished.memory["offline"]["outcome"] in ("refused", "unread", "asked"), answer


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("no. of tram stops w/o a bench", BENCHLESS),
        ("# of pipes w/ 4 breaks or more", where("breaks", ">=", 4)),
        ("cnt of steel pipes", STEEL),
        ("how many pipes, steel only", STEEL),
        ("no. of tram stops, opened 1 Jan - 31 Mar 2021", both(*since("2021-01-01", "2021-04-01"))),
        ("cnt of tram stops opened 1 Dec 2020 - 5 Jan 2021", both(*since("2020-12-01", "2021-01-06"))),
        ("# of tram stops opened Jan - Mar 2021", both(*since("2021-01-01", "2021-04-01"))),
    ],
)
async def test_counts_in_short(sentence: str, kept: Any) -> None:
    chat, answer = await asked(sentence)
    (name, arguments), *_ = chat.calls
    assert (name, arguments["filters"]) == ("count_features", kept), answer


@pytest.mark.parametrize(
    ("sentence", "operation", "said"),
    [
        ("# of pipes with breaks below 4 or breaks above 5, by street", "dissolve", "street"),
        ("no. of tram stops inspected before 2022 or never inspected, by zone", "dissolve", "zone"),
        ("pct of tram stops w/ a bench, by zone", "dissolve", "zone"),
        ("tram stops w/in 200 km of pipe P1", "select_by_location", "200 km"),
        ("streets w/ at least 2 pipes, cnt each", "filter", "2"),
        ("total length PVC vs steel vs iron", "dissolve", "material"),
        ("avg brd, North vs South", "dissolve", "zone"),
        ("tram stops by zone, cnt", "dissolve", "zone"),
        ("stop code K1 vs K2: no. of stops and avg rent", "dissolve", "rent_eur"),
        ("avg breaks of pipes, pipe no P1 vs P3", "filter", "P3"),
        ("pipes by material: number, mean diameter and max breaks", "dissolve", "max"),
        ("count and total rent of tram stops by zone", "dissolve", "rent_eur"),
    ],
)
async def test_analyses_in_short(sentence: str, operation: str, said: str) -> None:
    world = World(STOPS, PIPES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    done = [arguments for name, arguments in desk.analysis.steps if name == operation]
    assert done, answer
    assert said in str(done[-1]), answer


async def test_only_with_several_numbers_narrows_the_filter() -> None:
    chat, answer = await asked("show pipes", "only diameter 100 and 300")
    ((name, arguments),) = chat.calls
    meant = both(where("diameter_mm", "=", 100), where("diameter_mm", "=", 300), op="or")
    assert (name, arguments["filters"]) == ("update_map_layer", meant), answer


async def test_a_histogram_of_some_rows_only() -> None:
    chat, answer = await asked("histogram of breaks, PVC only")
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("make_chart", where("material", "=", "PVC")), answer


SECTORS = make_table(
    "data.patrol_beats", "POLYGON", None,
    [("id", "integer", ""), ("sector", "text", ""), ("officers", "integer", "")],
    [(1, "Adam", 3, (1.0, 1.0)), (2, "Boy", 4, (2.0, 1.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        "tram stops per patrol sector, cnt + avg rent",
        "avg rent of tram stops per sector",
        "for each sector: number of tram stops and mean rent",
    ],
)
async def test_figures_in_the_areas_of_each_value(sentence: str) -> None:
    world = World(STOPS, SECTORS)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    (merge, merged), (join, joined) = desk.analysis.steps
    assert (merge, merged["by"], join) == ("dissolve", ["sector"], "spatial_join"), answer
    assert {"function": "mean", "column": "rent_eur"} in joined["aggregates"]
    assert desk.analysis.titles[-1].startswith("Average "), answer


@pytest.mark.parametrize("sentence", ["count", "counts", "count and total rent of tram stops by zone"])
async def test_words_of_the_language_are_no_typing_mistakes(sentence: str) -> None:
    countries = make_table("data.countries", "POLYGON", None, [("id", "integer", "")], [(1, (1.0, 1.0))])
    world = World(STOPS, countries)
    chat = Chat(world, analyst=Desk(world))
    answer = await chat(sentence)
    assert not chat.layers, answer
