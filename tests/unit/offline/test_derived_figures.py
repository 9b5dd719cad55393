"""Figures that are worked out of two columns, whatever the order of the pieces: changes, rates, shares of totals, and
values set against each other.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import full, make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

WARDS = full(make_table(
    "data.wards", "MULTIPOLYGON", "Wards of the city",
    [("id", "integer", ""), ("ward_name", "text", ""), ("borough", "text", ""), ("pop_2011", "integer", ""),
     ("pop_2021", "integer", ""), ("burglaries_2022", "integer", ""), ("burglaries_2023", "integer", ""),
     ("households", "integer", ""), ("renters", "integer", "")],
    [(1, "Abbey", "Camden", 900, 1000, 5, 9, 400, 100, (1.0, 1.0)),
     (2, "Bow", "Hackney", 500, 450, 8, 4, 200, 150, (2.0, 1.0))],
))  # fmt: skip
SALES = make_table(
    "data.house_sales", "POINT", "Sales of houses",
    [("id", "integer", ""), ("town", "text", ""), ("price_eur", "integer", ""), ("sold", "date", "")],
    [(1, "Leeds", 200, "2020-01-01", (1.0, 2.0)), (2, "York", 300, "2021-01-01", (2.0, 2.0)),
     (3, "Hull", 100, "2022-01-01", (3.0, 2.0))],
)  # fmt: skip
LANES = make_table(
    "data.lanes", "LINESTRING", "Cycle lanes",
    [("id", "integer", ""), ("street", "text", ""), ("bikes_day", "integer", "Bikes per day"),
     ("len_m", "integer", "Length in metres"), ("boardings", "integer", ""), ("routes", "integer", ""),
     ("traffic_2019", "integer", "Average daily traffic"),
     ("traffic_2023", "integer", "Average daily traffic"), ("accident_rate_2019", "number", ""),
     ("accident_rate_2023", "number", "")],
    [(1, "Ring Road", 10, 100, 5, 2, 7, 8, 1.0, 2.0, (1.0, 1.0)),
     (2, "Mill Lane", 20, 200, None, 4, 9, None, 1.0, 2.0, (2.0, 1.0))],
)  # fmt: skip
ECONOMY = full(make_table(
    "data.municip", "MULTIPOLYGON", "Municipalities",
    [("id", "integer", ""), ("county", "text", ""), ("settlement", "text", "rural, urban or intermediate"),
     ("avg_wage_eur", "number", "Average wage"), ("gdp_eur", "number", ""), ("median_rent_eur", "number", ""),
     ("renters_pct", "number", "Renters in percent"), ("homes", "integer", ""), ("pop", "integer", ""),
     ("yield_t_ha", "number", "Yield in tonnes per hectare"), ("area_ha", "number", ""), ("taxes_eur", "number", "")],
    [(1, "Ostalb", "rural", 3000.0, 9e6, 700.0, 40.0, 100, 200, 8.0, 5.0, 1.0, (1.0, 1.0)),
     (2, "Brenztal", "urban", 4000.0, 8e6, 900.0, 50.0, 300, 400, 9.0, 6.0, 2.0, (2.0, 1.0))],
))  # fmt: skip
POP, BURGLARIES = '"pop_2021" - "pop_2011"', '"burglaries_2023" - "burglaries_2022"'


async def asked(sentence: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    world = World(WARDS, SALES, LANES, ECONOMY)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    return desk.analysis.steps, answer


@pytest.mark.parametrize(
    ("sentence", "change", "by", "n", "op"),
    [
        ("Which five wards had the largest increase in burglaries from 2022 to 2023?", BURGLARIES, "change", 5, ">"),
        ("the 3 wards with the biggest decline in burglaries from 2022 to 2023", BURGLARIES, "change", 3, "<"),
        ("Top 3 wards by population growth 2011-2021 in percent", POP, "change_in_percent", 3, ">"),
        ("top 5 wards by percent growth of population 2011-2021", POP, "change_in_percent", 5, ">"),
        ("which ward lost the most population between 2011 and 2021?", POP, "change", 1, "<"),
        ("In percent: which 2 wards grew the most in population from 2011 to 2021?", POP, "change_in_percent", 2, ">"),
        ("which 3 wards grew fastest in population from 2011 to 2021?", POP, "change_in_percent", 3, ">"),
        ("which 2 wards had the greatest increase in burglaries from 2022 to 2023?", BURGLARIES, "change", 2, ">"),
    ],
)  # fmt: skip
async def test_rows_are_ranked_by_their_change(sentence: str, change: str, by: str, n: int, op: str) -> None:
    steps, answer = await asked(sentence)
    assert [name for name, _ in steps] == ["calculate", "calculate", "filter", "top"], answer
    expressions = [step["expression"] for _, step in steps[:2]]
    assert change in expressions
    assert (steps[2][1]["filter"]["op"], steps[3][1]["by"], steps[3][1]["n"]) == (op, by, n)
    assert steps[3][1].get("smallest", False) is (op == "<")


@pytest.mark.parametrize(
    "sentence",
    [
        "By how many percent did the total population of the wards change from 2011 to 2021, for each borough?",
        "percent change of population 2011-2021 per borough",
        "Per borough: population growth between 2011 and 2021 in percent",
        "population change by borough from 2011 to 2021 in percent",
    ],
)
async def test_the_change_of_the_totals_of_each_group(sentence: str) -> None:
    steps, answer = await asked(sentence)
    (merged, totals), *calculated = steps
    assert (merged, totals["by"]) == ("dissolve", ["borough"]), answer
    assert calculated[-1][1]["expression"] == ('100.0 * ("sum_pop_2021" - "sum_pop_2011") / "sum_pop_2011"')


@pytest.mark.parametrize(
    ("sentence", "n"),
    [
        ("which 2 boroughs had the greatest increase in burglaries from 2022 to 2023?", 2),
        ("which 3 boroughs grew fastest in population from 2011 to 2021?", 3),
        ("which borough had the greatest increase in burglaries from 2022 to 2023?", 1),
        ("which 2 boroughs had the largest decline in burglaries from 2022 to 2023, in percent?", 2),
    ],
)
async def test_as_many_groups_are_ranked_by_their_change_as_were_asked_for(sentence: str, n: int) -> None:
    steps, answer = await asked(sentence)
    assert (steps[-1][0], steps[-1][1]["n"]) == ("top", n), answer


@pytest.mark.parametrize(
    ("sentence", "expression"),
    [
        ("burglaries 2023 per 1,000 households by borough", "sum_burglaries_2023 * 1000 / sum_households"),
        ("for each borough, renters per 100 households of the wards", "sum_renters * 100 / sum_households"),
        ("By borough: burglaries 2022 per 10,000 households", "sum_burglaries_2022 * 10000 / sum_households"),
        ("renters as a percentage of households, by borough", "sum_renters * 100 / sum_households"),
        ("for each borough, the renters in percent of the households", "sum_renters * 100 / sum_households"),
    ],
)
async def test_the_totals_of_two_columns_are_divided(sentence: str, expression: str) -> None:
    steps, answer = await asked(sentence)
    assert [name for name, _ in steps] == ["dissolve", "calculate"], answer
    assert steps[-1][1]["expression"] == expression


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [
        ("Number of house sales above 50 €: Leeds vs Hull", ("count", None)),
        ("Leeds vs York vs Hull: average price of the house sales", ("mean", "price_eur")),
        ("house sales, median price, Leeds versus York", ("median", "price_eur")),
        ("compare the average price of house sales in Leeds and Hull", ("mean", "price_eur")),
    ],
)
async def test_values_set_against_each_other_are_groups(
    sentence: str, figure: tuple[str, str | None]
) -> None:
    steps, answer = await asked(sentence)
    assert steps[-1][0] == "dissolve", answer
    (_, merged) = steps[-1]
    assert merged["by"] == ["town"]
    assert (merged["aggregates"][0]["function"], merged["aggregates"][0].get("column")) == figure


@pytest.mark.parametrize(
    "sentence",
    [
        "which wards had the largest purple increase in burglaries between 2022 and 2023?",
        "Top 3 wards by population growth 2011-2019 in percent",
        "renters as a percentage of castles, by borough",
        "Number of house sales: Leeds vs Mordor",
        "burglaries 2023 per 1,000 dragons by borough",
        "which ward had the largest change of population from 2011 to 2021?",
    ],
)
async def test_what_is_not_known_is_declined(sentence: str) -> None:
    steps, answer = await asked(sentence)
    assert not steps, answer


@pytest.mark.parametrize(
    "sentence",
    ["bar chart of house sales per month for 2021", "For 2021, house sales per month as a bar chart"],
)
async def test_a_chart_of_one_year(sentence: str) -> None:
    chat = Chat(World(WARDS, SALES))
    answer = await chat(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["x"], arguments["period"]) == ("make_chart", "sold", "month"), answer
    assert len(arguments["filters"]["args"]) == 2


async def test_the_number_of_rows_and_a_figure_of_two_columns_in_other_units() -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(
        "airports in peru above 1000 m: how many and their mean elevation"
    )
    ((_, step),) = [each for each in desk.analysis.steps if each[0] == "summarise"]
    assert [each["function"] for each in step["aggregates"]] == ["count", "mean"], answer


@pytest.mark.parametrize(
    "sentence",
    [
        "Which house sales have a price above 150? Most expensive first, with the town, please.",
        "Which house sales have a price above 150? Most expensive first, with their town",
    ],
)
async def test_a_column_behind_the_order_is_listed(sentence: str) -> None:
    chat = Chat(World(WARDS, SALES))
    answer = await chat(sentence)
    (name, arguments), *_ = chat.calls
    assert name == "query_features", answer
    assert where("price_eur", ">", 150) in arguments["filters"]["args"]
    assert "town" in arguments["columns"]


@pytest.mark.parametrize(
    ("sentence", "columns"),
    [
        ("boardings per route by street", {"boardings", "routes"}),
        ("boardings as a percentage of routes, by street", {"boardings", "routes"}),
        ("change of traffic of the lanes from 2019 to 2023 by street", {"traffic_2019", "traffic_2023"}),
    ],
)
async def test_totals_are_of_the_same_rows(sentence: str, columns: set[str]) -> None:
    steps, answer = await asked(sentence)
    assert [name for name, _ in steps][:2] == ["filter", "dissolve"], answer
    kept = steps[0][1]["filter"]["args"]
    assert {each["args"][0]["args"][0]["property"] for each in kept} == columns
    assert all(each["op"] == "not" for each in kept)


@pytest.mark.parametrize(
    "sentence",
    [
        "wage by county",
        "average wage as a percentage of GDP by county",
        "renters as a percentage of homes by county",
        "taxes as a percentage of pop by county",
        "yield per hectare by county",
        "wage per home by county",
        "bikes per day on Ring Road vs Mill Lane",
        "bikes per day by street",
        "taxes per median rent by county",
        "change of accident rate of the lanes from 2019 to 2023 by street",
        "which street had the greatest increase in accident rate from 2019 to 2023?",
    ],
)
async def test_averages_rates_and_shares_are_not_added_up(sentence: str) -> None:
    steps, answer = await asked(sentence)
    used = [each for _, step in steps for each in step.get("aggregates", ())]
    assert all(each["function"] not in ("sum", "count") for each in used), answer
    assert all(name != "calculate" for name, _ in steps), answer


@pytest.mark.parametrize(
    "sentence",
    [
        "average wage by county",
        "average wage by settlement",
        "average wage by type of settlement (rural, urban, intermediate)",
    ],
)
async def test_averages_are_averaged(sentence: str) -> None:
    steps, answer = await asked(sentence)
    figures = [each for _, step in steps for each in step.get("aggregates", ())]
    assert {each["function"] for each in figures if each["function"] != "count"} <= {"mean"}, answer


async def test_money_is_a_share_of_money() -> None:
    steps, answer = await asked("taxes as a percentage of GDP by county")
    assert steps[-1][1]["expression"] == "sum_taxes_eur * 100 / sum_gdp_eur", answer
