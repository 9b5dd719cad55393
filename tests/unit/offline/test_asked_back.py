"""Analyses ask back where their words mean several tables, and the answer or an alternative goes on."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

QUESTION = "Which table do you mean: data.cities or data.countries?"


@pytest.fixture
def desk() -> Desk:
    return Desk(World())


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


async def test_the_alternatives_are_whole_requests(chat: Chat, desk: Desk) -> None:
    answer = await chat("which continent has the highest average population")
    assert answer.startswith(QUESTION)
    assert "- which continent has the highest average population of data.countries" in answer
    assert not desk.analysis.steps


@pytest.mark.parametrize(
    "sentence", ["countries", "data.countries", "average population of data.countries by continent"]
)
async def test_an_answer_runs_the_analysis_of_the_table(chat: Chat, desk: Desk, sentence: str) -> None:
    await chat("average population by continent")
    await chat(sentence)
    assert [(name, given["source"]) for name, given in desk.analysis.steps] == [
        ("dissolve", "data.countries")
    ]


async def test_the_question_is_data_of_the_turn(chat: Chat) -> None:
    await chat("average population by continent")
    question = chat.agent.history[-1].memory["offline"]["question"]
    assert tuple(question["options"]) == ("data.cities", "data.countries")
    assert tuple(question["requests"]) == (
        "average population of data.cities by continent",
        "average population of data.countries by continent",
    )


async def test_a_total_is_told_for_each_group(chat: Chat) -> None:
    answer = await chat("total population per continent")
    assert answer.startswith("Total population of countries by continent:")


async def test_what_follows_the_analysis_is_part_of_the_alternatives(chat: Chat, desk: Desk) -> None:
    answer = await chat("airports within 50 km of parks; zoom to Ulm")
    assert "- airports within 50 km of town.parks; zoom to Ulm" in answer
    assert not desk.analysis.steps
    await chat("town.parks")
    assert "town.parks" in str(desk.analysis.steps)
    assert chat.calls[-1][0] == "zoom_to"


@pytest.mark.parametrize("far", ["within 30 km only", "only within 30 km", "just 30 km", "30 km please"])
async def test_another_distance_than_those_offered(chat: Chat, far: str) -> None:
    assert "Which do you mean?" in await chat("airports near Berlin")
    await chat(far)
    assert chat.calls[0] == ("run_analysis", {"goal": "airports within 30 km of Berlin"})
