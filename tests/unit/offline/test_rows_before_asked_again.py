"""Follow-ups about the rows of the answer before: one more of them, where they are, how many people live there, which
is the nearest."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, where

EUROPE = where("continent", "=", "Europe")


async def said(conversation: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    """The calls of the last message, and its answer."""
    world = World()
    chat = Chat(world, analyst=Desk(world))
    for text in conversation.split(" | "):
        answer = await chat(text)
    return chat.calls, answer


def named(*names: str) -> dict[str, Any]:
    return both(*(where("name", "=", each) for each in names), op="or")


@pytest.mark.parametrize(
    ("conversation", "name", "arguments"),
    [
        ("compare the population of france and germany | add peru", "query_features",
         {"filters": named("France", "Germany", "Peru"), "sort": "population"}),
        ("compare the population of france, germany and peru | and include china too", "query_features",
         {"filters": named("France", "Germany", "Peru", "China")}),
        ("compare the population of france and germany | add peru | bar chart", "make_chart",
         {"x": "name", "y": "population", "filters": where("id", "in", [1, 2, 4])}),
        ("compare the population of france and germany | add the airports", "add_map_layer",
         {"table": "data.airports"}),
        ("which countries are in europe | how many people live there in total?", "column_stats",
         {"column": "population", "filters": EUROPE}),
        ("are there cities without a population value? | which countries are they in", "column_stats",
         {"table": "data.cities", "column": "country", "filters": empty("population")}),
        ("show cities in europe | in which countries are they?", "column_stats",
         {"table": "data.cities", "column": "country", "filters": EUROPE}),
        ("how many people live in europe | how many of them live in peru", "column_stats",
         {"column": "population", "filters": both(EUROPE, where("name", "=", "Peru"))}),
        ("show airports | hide them | ok show again", "update_map_layer", {"layer_id": "airports", "visible": True}),
        ("nearest airport to Ulm | and the 2 nearest with an iata code?", "run_analysis",
         {"goal": "2 nearest airports with an iata code to Ulm"}),
        ("which airport is closest to Ulm? | show the nearest 3", "run_analysis",
         {"goal": "3 nearest airports to Ulm"}),
        ("which airports are within 500 km of Ulm? | which is the closest", "run_analysis",
         {"goal": "nearest airport to Ulm"}),
        ("nearest city to Munich | what's its population", "query_features",
         {"columns": ["name", "population"]}),
    ],
)  # fmt: skip
async def test_rows_before_are_asked_again(conversation: str, name: str, arguments: dict[str, Any]) -> None:
    calls, answer = await said(conversation)
    assert calls, answer
    assert calls[-1][0] == name, answer
    assert {each: calls[-1][1].get(each) for each in arguments} == arguments


@pytest.mark.parametrize(
    "conversation",
    [
        "airports within 500 km of a capital | which is the closest",  # to which of them
        "how many people live in south america | how many of them in paris",  # in no city there
    ],
)
async def test_rows_that_are_not_told_are_declined(conversation: str) -> None:
    _, answer = await said(conversation)
    assert "I cannot do that" in answer or "I did not understand" in answer or "No row" in answer, answer
