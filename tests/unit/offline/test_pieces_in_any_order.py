"""Questions about one table whose pieces stand in any order: rows, conditions, a figure, groups, an order, the form."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
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
FLATS = make_table(
    "data.flats", "POINT", None,
    [("id", "integer", ""), ("quarter", "text", ""), ("rent_eur", "integer", ""), ("price_eur", "integer", ""),
     ("floor_area_m2", "number", ""), ("built", "integer", ""), ("tenure", "text", ""), ("balcony", "boolean", "")],
    [(1, "North", 700, 210000, 70.0, 1930, "rented", True, (1.0, 2.0)),
     (2, "South", 900, 300000, 80.0, 1990, "owned", False, (2.0, 2.0)),
     (3, "South", 600, 180000, 60.0, 1948, "rented", True, (3.0, 2.0))],
)  # fmt: skip
CLINICS = make_table(
    "data.clinics", "POINT", None,
    [("id", "integer", ""), ("name", "text", ""), ("operator", "text", ""), ("beds", "integer", ""),
     ("nurses", "integer", ""), ("district", "text", "")],
    [(1, "Alba", "City", 80, 20, "North", (1.0, 3.0)), (2, "Bona", "Church", 120, 40, "South", (2.0, 3.0))],
)  # fmt: skip
COUNT = {"function": "count", "name": "count"}
Steps = list[tuple[str, dict[str, Any]]]


async def asked(sentence: str) -> tuple[Chat, Steps, str]:
    world = World(LOSSES, FLATS, CLINICS)
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    answer = await chat(sentence)
    return chat, desk.analysis.steps, answer


@pytest.mark.parametrize(
    ("sentence", "source", "by", "function", "column"),
    [
        ("What was paid in total per cause of loss? Highest first please.", "storm_losses", "cause_loss", "sum", "paid_eur"),
        ("Per cause of loss, what was paid in total?", "storm_losses", "cause_loss", "sum", "paid_eur"),
        ("By adjuster and as a table: median roof damage of the storm losses", "storm_losses", "adjuster", "median", "roof_dmg_eur"),
        ("How many clinic beds does each operator run?", "clinics", "operator", "sum", "beds"),
        ("How many nurses do the clinics have in each district, most first", "clinics", "district", "sum", "nurses"),
        ("for each quarter, give me the average rent of the flats, highest first", "flats", "quarter", "mean", "rent_eur"),
        ("average price in each quarter of flats, as a list", "flats", "quarter", "mean", "price_eur"),
        ("What rent do the flats have on average, by tenure?", "flats", "tenure", "mean", "rent_eur"),
        ("Flats: average rent for each tenure, most expensive first", "flats", "tenure", "mean", "rent_eur"),
    ],
)  # fmt: skip
async def test_a_figure_of_each_group_is_read_in_any_order(
    sentence: str, source: str, by: str, function: str, column: str
) -> None:
    _, steps, answer = await asked(sentence)
    figure = {"function": function, "column": column}
    assert steps == [("dissolve", {"source": f"data.{source}", "by": [by], "aggregates": [figure, COUNT]})], (
        answer
    )


@pytest.mark.parametrize(
    ("sentence", "wanted", "by", "column"),
    [
        ("What is the median rent in flats built before 1950, by quarter?", where("built", "<", 1950), "quarter", "rent_eur"),
        ("By quarter: median price of the flats built before 1950", where("built", "<", 1950), "quarter", "price_eur"),
        ("Median roof damage per adjuster for storm losses that were denied, highest first", where("status", "=", "denied"), "adjuster", "roof_dmg_eur"),
    ],
)  # fmt: skip
async def test_conditions_stand_where_they_are_said(sentence: str, wanted: Any, by: str, column: str) -> None:
    _, steps, answer = await asked(sentence)
    (first, kept), (_, grouped) = steps
    assert (first, kept["filter"]) == ("filter", wanted), answer
    assert (grouped["by"], grouped["aggregates"][0]) == ([by], {"function": "median", "column": column})
