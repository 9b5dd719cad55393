"""Requests of a warden: animals by the ends of their names, what was seen when, and questions about other rows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, like, no, where

SIGHTINGS = make_table(
    "data.wildlife_sightings", "POINT", "Wildlife sightings",
    [("id", "integer", ""), ("species", "text", ""), ("cnt", "integer", "number of animals seen"),
     ("obs_date", "date", ""), ("observer", "text", ""), ("certainty", "text", ""),
     ("with_young", "boolean", "seen with cubs, calves or kids")],
    [(1, "black bear", 2, "2022-05-01", "J. Lee", "confirmed", True, (1.0, 1.0)),
     (2, "grizzly bear", 1, "2023-06-01", "S. Patel", "unsure", False, (1.0, 1.1)),
     (3, "cougar", 1, "2024-06-01", "S. Patel", "confirmed", False, (1.0, 1.2)),
     (4, "mule deer", 6, "2024-07-01", "J. Lee", "confirmed", False, (1.0, 1.3))],
)  # fmt: skip
STANDS = make_table(
    "data.forest_stands", "POLYGON", "Forest stands",
    [("id", "integer", ""), ("LEAD_SP", "text", "Leading (dominant) tree species"), ("age_yrs", "integer", ""),
     ("burned", "boolean", "")],
    [(1, "Douglas-fir", 210, True, (1.0, 1.0)), (2, "red alder", 60, False, (1.0, 1.1))],
)  # fmt: skip
TRAILS = make_table(
    "data.hiking_trails", "LINESTRING", "Trails",
    [("id", "integer", ""), ("trail_name", "text", ""), ("length_km", "number", ""), ("status", "text", "")],
    [(1, "Chief", 3.2, "open", (1.0, 1.0)), (2, "Black Tusk", 8.9, "closed", (1.0, 1.1))],
)  # fmt: skip
ZONES = make_table(
    "data.park_zones", "POLYGON", "Zones of the park",
    [("id", "integer", ""), ("name", "text", ""), ("zone_type", "text", "")],
    [(1, "Estuary", "wilderness", (1.0, 1.0)), (2, "Falls", "recreation", (1.0, 1.1))],
)  # fmt: skip


TREES = make_table(
    "data.street_trees", "POINT", "Street trees with the last maintenance job",
    [("id", "integer", ""), ("maint_type", "text", "last maintenance job, empty = none since 2020"),
     ("maint_date", "date", ""), ("maint_eur", "integer", "cost of that job in euro")],
    [(1, "pruning", "2022-05-01", 180, (1.0, 1.0)), (2, None, None, None, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(SIGHTINGS, STANDS, TRAILS, ZONES, TREES))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def during(year: int) -> dict[str, Any]:
    return both(
        where("obs_date", ">=", {"date": f"{year}-01-01"}),
        where("obs_date", "<", {"date": f"{year + 1}-01-01"}),
    )


BEARS = like("species", "% bear")


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show bears", BEARS),
        ("show bears or cougars", {"op": "or", "args": [where("species", "=", "cougar"), BEARS]}),
        ("black bears seen in 2022", both(where("species", "=", "black bear"), *during(2022)["args"])),
        ("show cougars spotted in 2024", both(where("species", "=", "cougar"), *during(2024)["args"])),
        ("trails that aren't open, can you put those on the map", no(where("status", "=", "open"))),
        ("total length of trails thats open right now", where("status", "=", "open")),
    ],
)
async def test_rows(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    answer = await chat(sentence)
    assert chat.calls, answer
    assert chat.calls[-1][1].get("filters") == filters


@pytest.mark.parametrize(
    "words", ["dominant tree species", "dominant species", "leading species", "tree species"]
)
async def test_a_comment_with_an_alternative_in_parentheses(chat: Chat, words: str) -> None:
    answer = await chat(f"stands coloured by {words}")
    assert chat.calls, answer
    assert chat.calls[-1][1]["style"]["column"] == "LEAD_SP"


async def test_the_only_ones_with_a_status(chat: Chat) -> None:
    await chat("show trails")
    await chat("just the closed ones")
    assert chat.layers["hiking_trails"].filter == where("status", "=", "closed")


@pytest.mark.parametrize("asked", ["how many cougars are there", "how many bears are there"])
async def test_animals_are_added_up(chat: Chat, asked: str) -> None:
    answer = await chat(asked)
    name, arguments = chat.calls[-1]
    assert (name, arguments["table"], arguments["column"]) == (
        "column_stats", "data.wildlife_sightings", "cnt",
    ), answer  # fmt: skip
    assert "total `cnt`" in answer


@pytest.mark.parametrize(
    "asked", ["size the sightings by number of animals", "sightings sized by number of animals"]
)
async def test_a_number_of_things_in_a_comment(chat: Chat, asked: str) -> None:
    answer = await chat(asked)
    assert chat.calls, answer
    assert chat.calls[-1][1]["style"]["column"] == "cnt"


@pytest.mark.parametrize(
    ("asked", "descending"),
    [("when was the last black bear sighting", True), ("when was the first black bear sighting", False)],
)
async def test_the_last_time(chat: Chat, asked: str, descending: bool) -> None:
    answer = await chat(asked)
    name, arguments = chat.calls[-1]
    assert (name, arguments["sort"], arguments["descending"], arguments["limit"]) == (
        "query_features", "obs_date", descending, 1,
    ), answer  # fmt: skip


async def test_a_figure_of_other_rows(chat: Chat) -> None:
    await chat("average age of the burned stands")
    await chat("and the ones that didn't burn")
    name, arguments = chat.calls[-1]
    assert (name, arguments["column"]) == ("column_stats", "age_yrs")
    assert arguments["filters"] == no(where("burned", "=", True))
    await chat("and the ones older than 100 years")
    assert chat.calls[-1][1]["filters"] == where("age_yrs", ">", 100)
    await chat("average age of the burned stands")
    await chat("and of those older than 100 years")
    assert chat.calls[-1][1]["filters"] == both(where("burned", "=", True), where("age_yrs", ">", 100))


async def test_most_of_other_rows(chat: Chat, desk: Desk) -> None:
    await chat("sightings per zone")
    answer = await chat("which one has the most bear sightings")
    assert "% bear" in str(desk.analysis.steps), answer


@pytest.mark.parametrize(
    "sentence",
    [
        "trees with no maintenance since 2020",
        "how many trees have had no maintenance since 2020",
        "trees not maintained since 2020",
        "trees that have not been maintained since 2020",
    ],
)
async def test_what_was_not_done_since_a_year(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert chat.calls, answer
    before = where("maint_date", "<", {"date": "2020-01-01"})
    never = {"op": "isNull", "args": [{"property": "maint_date"}]}
    assert chat.calls[-1][1]["filters"] == {"op": "or", "args": [before, never]}


@pytest.mark.parametrize("asked", ["who logged the most sightings", "who's recorded the most sightings"])
async def test_who_saw_most(chat: Chat, desk: Desk, asked: str) -> None:
    answer = await chat(asked)
    assert "observer" in str(desk.analysis.steps), answer


@pytest.mark.parametrize(("year", "column"), [(2022, "cnt_2022"), (2023, "cnt_2023")])
async def test_a_figure_of_another_year(year: int, column: str) -> None:
    counters = make_table(
        "data.bike_counters", "POINT", "Bicycle counting stations",
        [("id", "integer", ""), ("station", "text", ""), ("since", "date", ""), ("cnt_2022", "integer", ""),
         ("cnt_2023", "integer", "bicycles counted in 2023, both directions")],
        [(1, "Glacis", "2011-05-31", 1_157_789, 1_375_523, (1.0, 1.0)),
         (2, "Lendkai", "2022-05-31", 1_572_890, 1_626_860, (1.0, 1.1))],
    )  # fmt: skip
    chat = Chat(World(counters))
    answer = await chat(f"how many bicycles were counted in {year}")
    assert chat.calls, answer
    assert chat.calls[-1] == ("column_stats", {"table": "data.bike_counters", "column": column})


async def test_a_figure_of_a_year_without_column_is_declined() -> None:
    counters = make_table(
        "data.bike_counters", "POINT", "Bicycle counting stations",
        [("id", "integer", ""), ("since", "date", ""), ("cnt_2023", "integer", "bicycles counted in 2023")],
        [(1, "2011-05-31", 1_375_523, (1.0, 1.0)), (2, "2022-05-31", 1_626_860, (1.0, 1.1))],
    )  # fmt: skip
    chat = Chat(World(counters))
    await chat("how many bicycles were counted in 2022")
    assert chat.calls[-1][0] == "cannot_do"
