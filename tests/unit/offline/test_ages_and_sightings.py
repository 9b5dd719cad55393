"""Ages counted from today, months in small letters, birds of sightings, and lists sorted afterwards."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

MAINS = make_table(
    "data.water_mains", "LINESTRING", "Water mains",
    [("id", "integer", ""), ("material", "text", ""), ("installed", "integer", "Year"), ("breaks", "integer", ""),
     ("n_breaks_5y", "integer", "Number of breaks in the last five years")],
    [(1, "PVC", 1999, 0, 0, (1.0, 1.0)), (2, "cast iron", 1925, 4, 1, (1.0, 1.1))],
)  # fmt: skip
TREES = make_table(
    "data.trees", "POINT", "Trees",
    [("id", "integer", ""), ("species", "text", ""), ("planted", "date", "")],
    [(1, "Oak", "1970-05-01", (1.0, 1.0)), (2, "Lime", "2020-05-01", (1.0, 1.1))],
)  # fmt: skip
BIRDS = make_table(
    "data.bird_sightings", "POINT", "Sightings",
    [("id", "integer", ""), ("species", "text", ""), ("individuals", "integer", ""), ("habitat", "text", ""),
     ("breeding", "boolean", ""), ("seen_on", "date", "")],
    [(1, "White stork", 12, "wetland", True, "2021-05-01", (1.0, 1.0)),
     (2, "Lapwing", 3, "field", False, "2021-06-01", (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(MAINS, TREES, BIRDS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def years_ago(years: int) -> str:
    today = datetime.date.today()
    return today.replace(year=today.year - years, day=min(today.day, 28)).isoformat()


@pytest.mark.parametrize(
    ("sentence", "op"),
    [
        ("mains older than 50 years", "<"),
        ("mains over 50 years old", "<"),
        ("mains installed more than 50 years ago", "<"),
        ("mains younger than 50 years", ">"),
        ("mains installed less than 50 years ago", ">"),
    ],
)
async def test_an_age_is_counted_back_from_this_year(chat: Chat, sentence: str, op: str) -> None:
    answer = await chat(sentence)
    assert chat.calls, answer
    assert chat.calls[-1][1]["filters"] == where("installed", op, datetime.date.today().year - 50)


@pytest.mark.parametrize(
    "sentence",
    ["trees older than 20 years", "trees planted over 20 years ago", "trees more than 20 years old"],
)
async def test_an_age_is_counted_back_from_today(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert chat.calls, answer
    filters = chat.calls[-1][1]["filters"]
    assert (filters["op"], filters["args"][0]) == ("<", {"property": "planted"})
    assert filters["args"][1]["date"][:7] == years_ago(20)[:7]


@pytest.mark.parametrize("sentence", ["birds seen in may", "show birds seen in May", "sightings in may"])
async def test_a_month_in_small_letters(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert chat.calls, answer
    month = {"op": "=", "args": [{"op": "month", "args": [{"property": "seen_on"}]}, 5]}
    assert chat.calls[-1][1]["filters"] == month


@pytest.mark.parametrize("sentence", ["breeding birds", "show breeding birds"])
async def test_what_was_seen_names_the_sightings(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    assert chat.layers["bird_sightings"].filter == where("breeding", "=", True)


@pytest.mark.parametrize(
    ("sentence", "column"),
    [("how many birds were seen?", "individuals"), ("how many storks", "individuals")],
)
async def test_birds_are_counted_by_their_individuals(chat: Chat, sentence: str, column: str) -> None:
    answer = await chat(sentence)
    assert chat.calls[-1][1].get("column") == column, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "how many birds per habitat",
        "how many storks per habitat",
        "which habitat has the most birds",
        "which habitat has the most storks",
    ],
)
async def test_birds_of_groups_are_counted_by_their_individuals(
    chat: Chat, desk: Desk, sentence: str
) -> None:
    answer = await chat(sentence)
    grouped = next(
        (arguments for name, arguments in desk.analysis.steps if name in ("dissolve", "summarise")), {}
    )
    figures: list[dict[str, Any]] = grouped.get("aggregates") or []
    assert {"function": "sum", "column": "individuals"} in figures, answer


@pytest.mark.parametrize(
    "sentence", ["how many sightings per habitat", "which habitat has the most sightings"]
)
async def test_sightings_are_counted_as_rows(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert desk.analysis.steps, answer
    assert "individuals" not in str(desk.analysis.steps)


@pytest.mark.parametrize(
    ("asked", "column", "descending"),
    [
        ("sort by breaks", "breaks", True),
        ("sort them by material", "material", False),
        ("by breaks", "breaks", True),
    ],
)
async def test_a_list_is_sorted_afterwards(chat: Chat, asked: str, column: str, descending: bool) -> None:
    await chat("list the mains with more than 1 break")
    await chat(asked)
    name, arguments = chat.calls[-1]
    assert (name, arguments["sort"]) == ("query_features", column)
    assert bool(arguments.get("descending")) is descending


@pytest.mark.parametrize("asked", ["what is the oldest", "what's the oldest", "which is the oldest one"])
async def test_the_first_of_the_layer_spoken_of(chat: Chat, asked: str) -> None:
    await chat("show the trees")
    await chat(asked)
    assert chat.calls[-1][1]["sort"] == "planted"
