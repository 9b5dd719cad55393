"""Questions about one table whose pieces stand in any order: rows, conditions, a figure, groups, an order, the form."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import full, make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

LOSSES = make_table(
    "data.storm_losses", "POINT", None,
    [("id", "integer", ""), ("loss_no", "text", ""), ("cause_loss", "text", ""), ("paid_eur", "integer", ""),
     ("roof_dmg_eur", "integer", ""), ("status", "text", ""), ("adjuster", "text", ""), ("loss_dt", "date", ""),
     ("closed_dt", "date", ""), ("insured", "boolean", "")],
    [(1, "L-1", "hail", 900, 1000, "paid", "Ito", "2020-01-01", "2020-02-01", True, (1.0, 1.0)),
     (2, "L-2", "hail", 500, 700, "denied", "Roy", "2020-03-01", "2020-03-11", False, (2.0, 1.0)),
     (3, "L-3", "wind gust", 300, 4000, "paid", "Ito", "2021-01-01", "2021-01-21", True, (3.0, 1.0))],
)  # fmt: skip
FLATS = full(make_table(
    "data.flats", "POINT", None,
    [("id", "integer", ""), ("district", "text", ""), ("rent_eur", "integer", ""), ("price_eur", "integer", ""),
     ("floor_area_m2", "number", ""), ("built", "integer", ""), ("tenure", "text", ""), ("balcony", "boolean", "")],
    [(1, "North", 700, 210000, 70.0, 1930, "rented", True, (1.0, 2.0)),
     (2, "South", 900, 300000, 80.0, 1990, "owned", False, (2.0, 2.0)),
     (3, "South", 600, 180000, 60.0, 1948, "rented", True, (3.0, 2.0))],
))  # fmt: skip
CLINICS = full(make_table(
    "data.clinics", "POINT", None,
    [("id", "integer", ""), ("name", "text", ""), ("operator", "text", ""), ("beds", "integer", ""),
     ("nurses", "integer", ""), ("district", "text", "")],
    [(1, "Alba", "City", 80, 20, "North", (1.0, 3.0)), (2, "Bona", "Church", 120, 40, "South", (2.0, 3.0))],
))  # fmt: skip
COUNT = {"function": "count", "name": "count"}
Steps = list[tuple[str, dict[str, Any]]]


async def asked(sentence: str) -> tuple[Chat, Steps, str]:
    world = World(LOSSES, FLATS, CLINICS)
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    answer = await chat(sentence)
    return chat, desk.analysis.steps, answer


PAID = ("storm_losses", "cause_loss", "sum", "paid_eur")
BEDS = ("clinics", "operator", "sum", "beds")
RENT = ("flats", "tenure", "mean", "rent_eur")


@pytest.mark.parametrize(
    ("sentence", "meant"),
    [
        ("What was paid in total per cause of loss? Highest first please.", PAID),
        ("Per cause of loss, what was paid in total?", PAID),
        ("Storm losses by cause of loss and as a table: total paid", PAID),
        ("How many clinic beds does each operator run?", BEDS),
        ("How many beds do the clinics have for each operator, most first", BEDS),
        ("for each tenure, give me the average rent of the flats, highest first", RENT),
        ("average rent in each tenure of flats, as a list", RENT),
        ("What rent do the flats have on average, by tenure?", RENT),
        ("Flats: average rent for each tenure, most expensive first", RENT),
    ],
)
async def test_a_figure_of_each_group_is_read_in_any_order(sentence: str, meant: tuple[str, ...]) -> None:
    source, by, function, column = meant
    _, steps, answer = await asked(sentence)
    figure = {"function": function, "column": column}
    wanted = {"source": f"data.{source}", "by": [by], "aggregates": [figure, COUNT]}
    assert steps == [("dissolve", wanted)], answer


BUILT, DENIED = where("built", "<", 1950), where("status", "=", "denied")


@pytest.mark.parametrize(
    ("sentence", "condition", "by", "column"),
    [
        ("What is the median rent in flats built before 1950, by district?", BUILT, "district", "rent_eur"),
        ("By district: median price of the flats built before 1950", BUILT, "district", "price_eur"),
        ("Median roof damage per adjuster for denied storm losses, highest first", DENIED, "adjuster", "roof_dmg_eur"),
        ("By adjuster, the median roof damage of storm losses that were denied", DENIED, "adjuster", "roof_dmg_eur"),
    ],
)  # fmt: skip
async def test_conditions_stand_where_they_are_said(
    sentence: str, condition: Any, by: str, column: str
) -> None:
    _, steps, answer = await asked(sentence)
    (first, kept), (_, grouped) = steps
    assert (first, kept["filter"]) == ("filter", condition), answer
    assert (grouped["by"], grouped["aggregates"][0]) == ([by], {"function": "median", "column": column})


@pytest.mark.parametrize(
    "sentence",
    [
        "average days between loss and closed, by adjuster",
        "By adjuster: days between loss and closed on average",
        "what is the mean time from loss to closed for each adjuster?",
        "on average how many days does it take from loss to closed for each adjuster",
    ],
)
async def test_the_time_between_two_dates_of_a_row(sentence: str) -> None:
    _, steps, answer = await asked(sentence)
    (_, added), (_, grouped) = steps
    assert added["changes"] == [
        {"function": "date_difference", "column": "loss_dt", "other": "closed_dt", "unit": "days",
         "name": "days_between"}
    ], answer  # fmt: skip
    assert (grouped["by"], grouped["aggregates"][0]["function"]) == (["adjuster"], "mean")


@pytest.mark.parametrize(
    "sentence",
    [
        "Percentage of denied losses for each adjuster, as a table",
        "By adjuster, highest first: what share of the losses was denied?",
        "share of losses that were denied, by adjuster",
    ],
)
async def test_a_share_of_each_group_in_any_order(sentence: str) -> None:
    _, steps, answer = await asked(sentence)
    names = [name for name, _ in steps]
    assert names == ["filter", "dissolve", "summarise", "join_by_attribute", "calculate"], answer
    assert steps[0][1]["filter"] == DENIED


async def test_which_condition_is_the_part_is_never_guessed() -> None:
    _, steps, answer = await asked(
        "By adjuster, highest first: share of losses with hail and more than 500 paid"
    )
    assert steps == [], answer


@pytest.mark.parametrize(
    ("sentence", "how", "column"),
    [
        ("As a bar chart please: the average rent of flats in each district", "mean", "rent_eur"),
        ("average rent by district of the flats built before 1950, as bars", "mean", "rent_eur"),
    ],
)
async def test_bars_in_any_order(sentence: str, how: str, column: str) -> None:
    chat, _, answer = await asked(sentence)
    (name, arguments), *_ = chat.calls
    assert (name, arguments["kind"], arguments["x"]) == ("make_chart", "bar", "district"), answer
    assert (arguments["y"], arguments["aggregate"]) == (column, how)


@pytest.mark.parametrize(
    "sentence",
    [
        "average rent of flats by purple district, highest first",
        "average rent of flats by district and never on Sundays, as a table",
        "average rent of flats other than district, as a table",
        "average rent and price of flats by district, oldest first",
    ],
)
async def test_a_word_that_is_in_no_piece_is_never_passed_over(sentence: str) -> None:
    chat, steps, answer = await asked(sentence)
    assert steps == [], answer
    assert not [name for name, _ in chat.calls if name not in ("cannot_do", "run_analysis")], answer


@pytest.mark.parametrize(
    ("sentence", "by", "column", "smallest"),
    [
        ("Which operator runs the most clinic beds?", "operator", "sum_beds", False),
        ("On which district is the sum of the price of flats the lowest?", "district", "sum_price_eur", True),
        (
            "In which district is the average rent of the flats the highest?",
            "district",
            "mean_rent_eur",
            False,
        ),
    ],
)
async def test_the_first_group_in_any_order(sentence: str, by: str, column: str, smallest: bool) -> None:
    _, steps, answer = await asked(sentence)
    (_, grouped), (last, ranked) = steps
    assert (grouped["by"], last, ranked["by"], ranked["n"]) == ([by], "top", column, 1), answer
    assert ranked.get("smallest", False) is smallest


@pytest.mark.parametrize(
    ("sentence", "column"),
    [
        ("Which two losses had the largest roof damage? Give me their number, cause and the amount.", "roof_dmg_eur"),
        ("the two losses with the largest roof damage, with their loss number and cause", "roof_dmg_eur"),
    ],
)  # fmt: skip
async def test_rows_in_an_order_with_the_columns_that_are_named(sentence: str, column: str) -> None:
    chat, _, answer = await asked(sentence)
    (name, arguments), *_ = chat.calls
    assert (name, arguments["sort"], arguments["limit"]) == ("query_features", column, 2), answer
    assert {"loss_no", "cause_loss", column} <= set(arguments["columns"])


@pytest.mark.parametrize(
    ("sentence", "function", "column"),
    [
        ("number and average rent of the flats with a balcony", "mean", "rent_eur"),
        ("Flats with a balcony: how many, and the total price", "sum", "price_eur"),
    ],
)
async def test_the_number_of_rows_and_a_figure_of_them(sentence: str, function: str, column: str) -> None:
    _, steps, answer = await asked(sentence)
    (_, kept), (name, arguments) = steps
    assert kept["filter"] == where("balcony", "=", True), answer
    assert (name, arguments["aggregates"][-1]) == ("summarise", {"function": function, "column": column})


@pytest.mark.parametrize(
    ("sentence", "expression"),
    [
        ("Price per square metre by district, most expensive first", "sum_price_eur * 1 / sum_floor_area_m2"),
        ("by district: average price of flats per square metre", "sum_price_eur * 1 / sum_floor_area_m2"),
        ("nurses per bed of the clinics for each district, highest first", "sum_nurses * 1 / sum_beds"),
    ],
)
async def test_totals_are_divided_in_any_order(sentence: str, expression: str) -> None:
    _, steps, answer = await asked(sentence)
    assert [name for name, _ in steps] == ["dissolve", "calculate"], answer
    assert steps[1][1]["expression"] == expression


@pytest.mark.parametrize(
    ("sentence", "by", "function"),
    [
        ("Average rent of the flats in North and South", "district", "mean"),
        ("median rent of flats in South and in North", "district", "median"),
    ],
)
async def test_an_average_of_several_values_is_that_of_each(sentence: str, by: str, function: str) -> None:
    _, steps, answer = await asked(sentence)
    (_, kept), (name, grouped) = steps
    assert sorted(kept["filter"]["args"][1]) == ["North", "South"], answer
    assert (name, grouped["by"]) == ("dissolve", [by])
    assert grouped["aggregates"][0] == {"function": function, "column": "rent_eur"}


@pytest.mark.parametrize(
    "sentence", ["average rent of flats in North or South", "total rent of flats in North and South"]
)
async def test_a_total_of_several_values_is_that_of_all(sentence: str) -> None:
    chat, steps, answer = await asked(sentence)
    assert [name for name, _ in chat.calls] == ["column_stats"], answer
    assert steps == []


@pytest.mark.parametrize(
    "sentence",
    [
        "What percent of the flats of each tenure has a balcony?",
        "By tenure, highest first: share of flats with a balcony",
    ],
)
async def test_a_share_by_a_column_of_yes_and_no(sentence: str) -> None:
    _, steps, answer = await asked(sentence)
    passing = {"function": "count", "name": "passing"}
    assert steps == [
        ("filter", {"source": "data.flats", "filter": where("balcony", "=", True)}),
        ("dissolve", {"source": "data.flats", "by": ["tenure"], "aggregates": [COUNT]}),
        ("summarise", {"source": "step_1", "by": ["tenure"], "aggregates": [passing]}),
        ("join_by_attribute", {"source": "step_2", "other": "step_3", "key": "tenure", "other_key": "tenure",
                               "columns": ["passing"], "zero": True}),
        ("calculate", {"source": "step_4", "name": "percent", "expression": "100 * passing / count"}),
    ], answer  # fmt: skip
