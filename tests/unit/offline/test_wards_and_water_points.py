"""Requests of a road safety officer and a health officer: yes/no columns in the words of their comments, things that do
not work, figures a day, colours of explained numbers, names of areas with two parts, and `which ones`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

WARDS = make_table(
    "data.wards", "POLYGON", "Wards",
    [("id", "integer", ""), ("wd_nm", "text", ""), ("pop_2021", "integer", "Residents"),
     ("twenty_zone", "boolean", "Ward-wide 20 mph zone in force")],
    [(1, "Headingley & Hyde Park", 30_000, True, (1.0, 1.0)), (2, "Armley", 20_000, False, (1.0, 1.1))],
)  # fmt: skip
COLLISIONS = make_table(
    "data.collisions", "POINT", "Road collisions",
    [("id", "integer", ""), ("rd_name", "text", "Road"), ("sev", "integer", "1 = fatal, 2 = serious, 3 = slight"),
     ("happened", "date", "")],
    [(1, "A64 York Road", 1, "2024-01-01", (1.0, 1.0)), (2, "A64 York Road", 2, "2024-02-01", (1.0, 1.1)),
     (3, "Tong Road", 3, "2024-02-01", (1.0, 1.1))],
)  # fmt: skip
STOPS = make_table(
    "data.bus_stops", "POINT", "Bus stops",
    [("id", "integer", ""), ("street", "text", ""), ("shelter", "boolean", "Has a shelter"),
     ("brd_wkdy", "integer", "Average boardings per weekday")],
    [(1, "Tong Road", True, 300, (1.0, 1.0)), (2, "Main Street", False, 20, (1.0, 1.1))],
)  # fmt: skip
POINTS = make_table(
    "data.water_points", "POINT", "Water points",
    [("id", "integer", ""), ("wp_type", "text", ""), ("functional", "text", "yes / no, null = not inspected")],
    [(1, "standpipe", "yes", (1.0, 1.0)), (2, "standpipe", "no", (1.0, 1.1)), (3, "borehole", "no", (1.0, 1.2))],
)  # fmt: skip
TREES = make_table(
    "data.street_trees", "POINT", "Street trees",
    [("id", "integer", ""), ("sig_tree", "text", "On the Exceptional / Significant Tree Register (Y/N)"),
     ("under_pl", "boolean", "Under power lines"), ("followup", "boolean", "Follow-up required")],
    [(1, "Y", True, False, (1.0, 1.0)), (2, "N", False, True, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    desk = Desk(World(WARDS, COLLISIONS, STOPS, POINTS, TREES))
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("wards with a 20 mph zone", where("twenty_zone", "=", True)),
        ("wards without a 20 mph zone", no(where("twenty_zone", "=", True))),
        ("significant trees", where("sig_tree", "=", "Y")),
        ("trees that need follow up", where("followup", "=", True)),
        ("broken water points", where("functional", "=", "no")),
        (
            "standpipes that are broken",
            both(where("wp_type", "=", "standpipe"), where("functional", "=", "no")),
        ),
        ("bus stops with more than 200 boardings a day", where("brd_wkdy", ">", 200)),
        ("bus stops with more than 200 daily boardings", where("brd_wkdy", ">", 200)),
        ("collisions on york road", where("rd_name", "=", "A64 York Road")),
    ],
)
async def test_the_rows_that_are_drawn(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer


async def test_how_many_are_under_power_lines_written_as_one_word(chat: Chat) -> None:
    assert "1 street tree where under_pl is yes" in await chat("how many trees are under powerlines")


async def test_what_does_not_work_is_not_what_works(chat: Chat) -> None:
    answer = await chat("which water points are not working")
    assert "functional is not yes" in answer, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "colour collisions by severity, red for fatal orange for serious yellow for slight",
        "colour collisions by severity: fatal red, serious orange, slight yellow",
    ],
)
async def test_colours_of_explained_numbers(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert "`sev` (1 in red, 2 in orange and 3 in yellow)" in answer, answer


async def test_which_ones_lists_the_rows_that_were_counted(chat: Chat) -> None:
    answer = await chat("are there any broken water points? which ones")
    assert "There are 2 water points where functional is no." in answer, answer
    assert "| standpipe |" in answer, answer


async def test_areas_are_ranked_by_a_number_per_residents(chat: Chat) -> None:
    answer = await chat("top ten wards by collisions per 1000 residents")
    assert "most collisions per 1,000 people" in answer, answer


FINDINGS = make_table(
    "data.findings", "POINT", "Inspection findings",
    [("id", "integer", ""), ("finding", "text", ""), ("fixed_dt", "date", "date it was repaired; empty = still open"),
     ("electric", "boolean", "Run with an electric truck")],
    [(1, "no smoke detectors", None, True, (1.0, 1.0)), (2, "loose wires", "2024-01-01", False, (1.0, 1.1))],
)  # fmt: skip


async def test_open_is_a_state_that_a_comment_explains() -> None:
    chat = Chat(World(FINDINGS))
    answer = await chat("open findings")
    (layer,) = chat.layers.values()
    assert layer.filter == {"op": "isNull", "args": [{"property": "fixed_dt"}]}, answer


@pytest.mark.parametrize("sentence", ["findings without smoke detectors", "how many findings are run"])
async def test_a_denied_value_and_a_verb_of_a_comment_are_nothing_by_themselves(sentence: str) -> None:
    chat = Chat(World(FINDINGS))
    answer = await chat(sentence)
    assert answer.startswith("I cannot do that"), answer
