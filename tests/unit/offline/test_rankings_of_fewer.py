"""Conditions after a ranking: it is made again of the rows that are left, also as a layer, chart or analysis."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.language.names.vague import without_vague
from agents.offline.language.vocabulary import Vocabulary
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, known, no, where

EUROPE, NOT_CHINA = where("continent", "=", "Europe"), no(where("country", "=", "China"))
PEOPLE, DENSE, HIGH = known("population"), known("population_density"), known("elevation_m")


async def said(conversation: str) -> list[tuple[str, dict[str, Any]]]:
    """The calls of the last message."""
    world = World()
    chat = Chat(world, analyst=Desk(world))
    for text in conversation.split(" | "):
        answer = await chat(text)
    assert chat.calls, answer
    return chat.calls


@pytest.mark.parametrize(
    ("conversation", "filters", "limit"),
    [
        ("top 5 countries by population density | only those over 100,000 km2",
         both(where("area_km2", ">", 100_000), DENSE), 5),
        ("top 5 countries by population density | leave out countries under 10 million people",
         both(where("population", ">=", 10_000_000), DENSE), 5),
        ("top 5 countries by population density | without the tiny ones, at least 100,000 km2",
         both(where("area_km2", ">=", 100_000), DENSE), 5),
        ("top 5 countries by population density | just europe", both(EUROPE, DENSE), 5),
        ("list the 3 highest airports | without the ones in china", both(NOT_CHINA, HIGH), 3),
        ("list the 3 highest airports | exclude airports without an iata code", both(known("iata"), HIGH), 3),
        ("which city is the largest? | and without china", both(NOT_CHINA, PEOPLE), 1),
        ("show the 3 largest cities | leave out china", both(NOT_CHINA, PEOPLE), 3),
        ("show the 3 largest cities | only those in europe", both(EUROPE, PEOPLE), 3),
        ("show the 3 largest cities | colour them by population | only europe", both(EUROPE, PEOPLE), 3),
        ("show the 3 largest cities | only europe | and without germany",
         both(EUROPE, no(where("country", "=", "Germany")), PEOPLE), 3),
        ("bar chart of the 3 biggest cities in the world | leave out those in china", both(NOT_CHINA, PEOPLE), 3),
        ("top 3 countries by population as a bar chart | only europe", both(EUROPE, PEOPLE), 3),
        ("most densely populated countries, top 5, but leave out the tiny ones under 100,000 km2",
         both(where("area_km2", ">=", 100_000), DENSE), 5),
        ("top 5 countries by population density, excluding anything smaller than 100,000 km2",
         both(where("area_km2", ">=", 100_000), DENSE), 5),
        ("top 5 countries by population density, without those under 100,000 km2",
         both(where("area_km2", ">=", 100_000), DENSE), 5),
        ("show the 3 largest cities but only those in europe", both(EUROPE, PEOPLE), 3),
        ("top 5 cities by population as table", PEOPLE, 5),
        ("top 5 cities by population as list", PEOPLE, 5),
    ],
)  # fmt: skip
async def test_a_ranking_of_rows_is_made_again(conversation: str, filters: Any, limit: int) -> None:
    name, arguments = (await said(conversation))[0]
    assert (name, arguments["filters"], arguments["limit"]) == ("query_features", filters, limit)


@pytest.mark.parametrize(
    ("conversation", "last"),
    [
        ("show the 3 largest cities | only europe", "update_map_layer"),
        ("bar chart of the 3 biggest cities | only europe", "make_chart"),
    ],
)
async def test_a_ranking_made_again_keeps_its_form(conversation: str, last: str) -> None:
    assert [name for name, _ in await said(conversation)] == ["query_features", last]


@pytest.mark.parametrize(
    ("conversation", "goal"),
    [
        ("airports per million inhabitants by country, top 3 | leave out countries under 10 million people",
         "airports per million inhabitants by country not under 10 million people, top 3"),
        ("number of airports by country, top 3 | leave out airports without an iata code",
         "number of airports by country with an iata code, top 3"),
        ("number of cities by country, top 3 | leave out cities under 100,000 people",
         "number of cities by country not under 100,000 people, top 3"),
        ("2 airports nearest to Berlin | only those with an iata code",
         "2 airports with an iata code nearest to Berlin"),
        ("which 3 countries have the most airports | without germany",
         "which 3 countries have the most airports that are not germany"),
    ],
)  # fmt: skip
async def test_a_ranking_of_an_analysis_is_made_again(conversation: str, goal: str) -> None:
    assert await said(conversation) == [("run_analysis", {"goal": goal})]


@pytest.mark.parametrize(
    "conversation",
    [
        "number of cities by country, top 3 | leave out countries under 10 million people",
        "which 2 countries have the most cities | only those over 100 million people",
    ],
)
async def test_a_condition_on_ranked_groups_is_none_on_what_is_counted(conversation: str) -> None:
    """Countries with the most cities of 10 million people were shown."""
    world = World()
    chat = Chat(world, analyst=Desk(world))
    for text in conversation.split(" | "):
        answer = await chat(text)
    assert chat.calls == [], chat.calls
    assert "I did not understand" in answer


@pytest.mark.parametrize(
    ("conversation", "call"),
    [
        ("list the 3 highest airports | how many of them are in Peru", "count_features"),
        ("bar chart of the 3 biggest cities | remove the chart", "remove_chart"),
        ("show the 3 largest cities | no fill, only the outlines", "update_map_layer"),
    ],
)
async def test_rows_that_were_ranked_are_spoken_of_as_before(conversation: str, call: str) -> None:
    assert [name for name, _ in await said(conversation)] == [call]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("only the big ones, over 500k", "only those over 500k"),
        ("without the tiny ones, at least 1000 km2", "only those at least 1000 km2"),
        ("without the tiny ones, under 1000 km2", "without those under 1000 km2"),
        ("leave out the small countries (under 1 million people)",
         "leave out the countries under 1 million people"),
        ("show the big cities in Germany, over 500k", "show the cities in Germany over 500k"),
        ("just the larger ones, at least 100,000 km2", "just those at least 100,000 km2"),
        ("big cities, with more than 1 million people", "cities with more than 1 million people"),
        ("only the big ones with more than 1 million people", "only those with more than 1 million people"),
        ("big cities with airports above 500 m", None),  # the quantity is of other rows
        ("big cities, with airports above 500 m", None),
        ("big cities near airports, above 500 m", None),
        ("high airports, above 500 m", None),  # may be a kind, as high schools are
        ("the old ones, before 1900", "those before 1900"),
        ("only the big ones, under 500k", None),
        ("wells with high nitrate, more than 50 mg/l", None),
        ("only the large ones, above 500 m", None),  # a value of the column `size`
        ("show the big cities", None),
    ],
)  # fmt: skip
def test_a_quantity_explains_an_adjective_before_it(text: str, meant: str | None) -> None:
    assert without_vague(text, Vocabulary(World().registry, ())) == (meant or text)


async def test_an_adjective_that_a_quantity_explains_filters_a_layer() -> None:
    conversation = "show cities in germany | no, only the big ones, over 500k"
    ((name, arguments),) = await said(conversation)
    wanted = both(where("country", "=", "Germany"), where("population", ">", 500_000))
    assert (name, arguments["filters"]) == ("update_map_layer", wanted)


async def test_a_layer_drawn_after_a_ranking_is_filtered() -> None:
    ((name, arguments),) = await said(
        "show the 3 largest cities | colour countries by population | only europe"
    )
    assert (name, arguments["layer_id"], arguments["filters"]) == ("update_map_layer", "countries", EUROPE)


@pytest.mark.parametrize(
    "request_", ["top 3 countries by number of airports, but leave out those under 1 million people"]
)
async def test_rows_left_out_of_ranked_groups_in_one_request_are_not_understood(request_: str) -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    assert "but not “" in await chat(request_)
    assert not chat.calls
