"""Follow-ups about one row or about all, numbers of rows in areas, years of dates, and names by their last word."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, empty

DISTRICTS = make_table(
    "data.districts",
    "POLYGON",
    "Districts",
    [("id", "integer", ""), ("name", "text", ""), ("pop_2010", "integer", ""), ("pop_2020", "integer", ""),
     ("plan", "text", "")],
    [(1, "North", 10, 30, "a", (1.0, 1.0)), (2, "South", 20, 15, None, (2.0, 2.0)),
     (3, "East", 30, 10, None, (3.0, 3.0))],
)  # fmt: skip
STOPS = make_table(
    "data.stops",
    "POINT",
    "Stops",
    [("id", "integer", ""), ("observer", "text", "Survey leader"), ("apply_dt", "date", "Application date"),
     ("issue_dt", "date", "Issue date"), ("riders", "integer", "")],
    [(1, "R. Tierney", None, None, 5, (1.0, 1.0)), (2, "M. Okafor", None, None, 7, (2.0, 2.0)),
     (3, "R. Tierney", None, None, 9, (3.0, 3.0))],
)  # fmt: skip


def chat_of() -> Chat:
    world = World(DISTRICTS, STOPS)
    return Chat(world, analyst=Desk(world))


async def test_it_is_the_one_row_that_was_ranked_first() -> None:
    chat = chat_of()
    await chat("which district has the highest pop_2020?")
    answer = await chat("show it on the map")
    assert [layer.count for layer in chat.layers.values()] == [1], answer


async def test_them_is_not_that_row() -> None:
    chat = chat_of()
    await chat("show districts")
    await chat("which of them has the highest pop_2020?")
    await chat("colour them by pop_2010")
    ((name, arguments),) = chat.calls
    assert (name, "filters" in arguments) == ("update_map_layer", False)


@pytest.mark.parametrize("second", ["and which ones lost population?", "which ones lost population?"])
async def test_which_ones_are_of_all_behind_the_first_of_a_ranking(second: str) -> None:
    chat = chat_of()
    await chat("which district grew the most between 2010 and 2020?")
    answer = await chat(second)
    assert "pop_2020 < pop_2010" in answer
    assert "2 districts" in answer


@pytest.mark.parametrize(
    ("second", "column"),
    [
        ("how many people live there in total as of 2020?", "pop_2020"),
        ("how many people live in them in 2010?", "pop_2010"),
    ],
)
async def test_people_are_those_of_the_year(second: str, column: str) -> None:
    chat = chat_of()
    await chat("districts without a plan")
    answer = await chat(second)
    ((name, arguments),) = chat.calls
    assert (name, arguments["column"], arguments["filters"]) == ("column_stats", column, empty("plan")), (
        answer
    )


@pytest.mark.parametrize(
    "asked",
    [
        "colour the districts by how many stops are in them",
        "a map of districts shaded by how many stops they have",
    ],
)
async def test_areas_are_coloured_by_the_number_of_rows_in_them(asked: str) -> None:
    world = World(DISTRICTS, STOPS)
    desk = Desk(world)
    await Chat(world, analyst=desk)(asked)
    ((operation, arguments),) = desk.analysis.steps
    assert (operation, arguments["source"], arguments["other"]) == (
        "spatial_join",
        "data.districts",
        "data.stops",
    )


async def test_classes_and_colours_are_used_together() -> None:
    chat = chat_of()
    await chat("colour the districts by pop_2020")
    await chat("use 4 quantile classes in greens")
    ((name, arguments),) = chat.calls
    assert name == "update_map_layer"
    assert arguments["style"].items() >= {"classes": 4, "ramp": "Greens", "method": "quantile"}.items()


@pytest.mark.parametrize("words", ["by issue year", "per issue year"])
async def test_groups_are_the_years_of_the_date_that_is_named(words: str) -> None:
    world = World(DISTRICTS, STOPS)
    desk = Desk(world)
    await Chat(world, analyst=desk)(f"number of stops {words}")
    (operation, arguments), *_ = desk.analysis.steps
    assert (operation, arguments["changes"][0]["column"]) == ("columns", "issue_dt")


async def test_people_are_found_by_their_last_name() -> None:
    chat = chat_of()
    answer = await chat("stops surveyed by Tierney")
    await chat("stops by Tierney")
    assert [layer.count for layer in chat.layers.values()][-1] == 2, answer
