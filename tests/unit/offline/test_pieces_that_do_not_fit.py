"""Questions of figures and groups of which each word counts: what a reading would pass over is declined."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.meaning.conditions import without_wording
from agents.offline.meaning.steps import ColumnWords
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where
from tests.unit.offline.test_pieces_in_any_order import CLINICS, FLATS, LOSSES

PIPES = make_table(
    "data.pipes", "POINT", None,
    [("id", "integer", ""), ("material", "text", ""), ("length_km", "number", "")],
    [(1, "clay", 2.0, (1.0, 1.0)), (2, "pvc", 3.0, (2.0, 2.0)), (3, "clay", 4.0, (3.0, 3.0))],
)  # fmt: skip
WARDS = make_table(
    "data.wards", "POLYGON", None,
    [("id", "integer", ""), ("ward", "text", "")], [(1, "A", (1.0, 1.0)), (2, "B", (2.0, 2.0))],
)  # fmt: skip


async def asked(sentence: str) -> tuple[Chat, Desk, str]:
    world = World(LOSSES, FLATS, CLINICS, PIPES, WARDS)
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    return chat, desk, await chat(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "fewest beds by operator of clinics",
        "flats by district: how much, as a table",
        "lowest price per square metre by district of the flats",
        "By adjuster: largest share of denied losses",
        "fewest storm losses by adjuster as a bar chart",
        "what share of the total price of rented flats is in North",
        "what share of the total price of flats in North is rented",
        "share of rented flats with a balcony",
        "count flats in each district, sorted by number of clinics",
        "wards with at least 1 clinic, sorted by number of flats",
        "By district: average age of flats",
        "average age of flats by district",
    ],
)
async def test_what_is_not_read_in_full_is_declined(sentence: str) -> None:
    chat, desk, answer = await asked(sentence)
    assert desk.analysis.steps == [], answer
    assert not [name for name, _ in chat.calls if name not in ("cannot_do", "run_analysis")], answer


@pytest.mark.parametrize(
    ("sentence", "last", "by", "least_first"),
    [
        ("fewest storm losses by adjuster", "top", "count", True),
        ("share of rented flats by district, lowest first", "sort", "percent", True),
        ("share of rented flats by district, top 3", "top", "percent", False),
        ("price per square metre of the flats by district, lowest first", "top", "price_eur_per_m2", True),
        ("count flats in each district, sorted by number of flats", "sort", "count", False),
        ("wards with at least 1 clinic, sorted by number of clinics", "sort", "count", False),
    ],
)
async def test_groups_are_ranked_by_their_figure(
    sentence: str, last: str, by: str, least_first: bool
) -> None:
    _, desk, answer = await asked(sentence)
    name, arguments = desk.analysis.steps[-1]
    assert (name, arguments["by"]) == (last, by), answer
    assert bool(arguments.get("smallest") or arguments.get("ascending")) is least_first


RENTED, BALCONY, NORTH = (
    where("tenure", "=", "rented"),
    where("balcony", "=", True),
    where("district", "=", "North"),
)


@pytest.mark.parametrize(
    ("sentence", "whole", "part"),
    [
        ("what percent of rented flats has a balcony", RENTED, BALCONY),
        ("what percent of flats with a balcony is rented", BALCONY, RENTED),
        ("what share of rented flats is in North", RENTED, NORTH),
    ],
)
async def test_a_share_is_of_the_rows_before_the_verb(sentence: str, whole: Any, part: Any) -> None:
    chat, _, answer = await asked(sentence)
    (_, passing), (_, every) = chat.calls
    assert every["filters"] == whole, answer
    assert passing["filters"]["args"] == [whole, part]


async def test_a_share_of_each_group_takes_no_figure_besides() -> None:
    _, desk, answer = await asked(
        "percentage of rented flats by district, and label each district with its total rent"
    )
    assert [name for name, _ in desk.analysis.steps][-1] == "calculate", answer
    assert not any("column" in each for _, step in desk.analysis.steps for each in step.get("aggregates", ()))


async def test_a_title_says_a_condition_as_a_clause() -> None:
    _, desk, answer = await asked("By operator: how many clinics are not in North")
    assert desk.analysis.titles[-1] == "Number of clinics that are not in North by operator", answer


async def test_one_row_is_named_in_the_singular() -> None:
    _, _, answer = await asked("denied losses by adjuster")
    assert "1 storm loss where" in answer


def test_plans_of_different_columns_are_different() -> None:
    rent, price = ColumnWords("rent"), ColumnWords("price")
    assert without_wording(rent) != without_wording(price)
    assert without_wording(rent) == without_wording(ColumnWords("Rent"))
