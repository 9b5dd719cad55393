"""What a declined request offers instead: requests about what was said, which are understood on this very data."""

from __future__ import annotations

import pytest

from agents.offline import suggestions
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.features import Features
from agents.offline.meaning.intents import NotUnderstood
from agents.offline.meaning.steps import ColumnWords, step, step_in_full
from agents.offline.parser import parse
from server.maps.analyses.offered import OFFERED
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

WORLD = World()


@pytest.mark.parametrize(
    ("sentence", "about"),
    [
        ("cities frobnicated by continent", "number of cities by continent"),
        ("airports frobnicated by elevation", "top 10 airports by elevation"),
        ("frobnicate the countries", "countries"),
    ],
)
def test_what_is_offered_is_about_the_table_and_the_columns_that_were_said(sentence: str, about: str) -> None:
    offered = suggestions(WORLD.registry, like=sentence)
    assert about in offered[0]
    noun = sentence.split()[0] if "frobnicate the" not in sentence else "countries"
    assert all(noun in line for line in offered), offered


@pytest.mark.parametrize("table", [table.name for table in WORLD.registry.tables() if table.geometry_column])
def test_all_that_is_offered_for_the_columns_of_a_table_is_understood(table: str) -> None:
    vocabulary = Vocabulary(WORLD.registry, (), OFFERED)
    found = next(each for each in WORLD.registry.tables() if each.name == table)
    columns = " ".join(column.name.replace("_", " ") for column in found.columns)
    for line in suggestions(WORLD.registry, limit=40, like=f"{table.replace('_', ' ')} {columns}"):
        intents = [command.intent for command in parse(line, vocabulary)]
        assert not any(isinstance(each, NotUnderstood) for each in intents), line


@pytest.mark.parametrize("sentence", ["arcs of cities", "make points from the airports"])
async def test_coordinates_are_offered_only_from_columns_that_hold_them(sentence: str) -> None:
    desk = Desk(World())
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert "points from" not in answer
    assert "arcs from" not in answer


def test_meanings_of_a_change_of_columns_are_named_in_the_words_of_the_request() -> None:
    change = {"function": "cast", "column": ColumnWords("name"), "to": "date"}
    rows = Features.of_table(WORLD.registry.get("data.cities"))
    assert step_in_full(step("columns", rows, changes=[change])) == "columns source cities cast name date"


async def test_a_declined_request_offers_requests_about_its_table_only() -> None:
    answer = await Chat()("cities frobnicated by continent")
    offered = answer.partition("You could say:\n")[2].partition("\n\n")[0]
    assert offered
    assert all("cities" in line for line in offered.splitlines()), answer


@pytest.mark.parametrize(
    ("sentence", "own"),
    [
        ("airports higher than 500 m frobnicated", "airports higher than 500 m"),
        ("make the airports green and the frobnicated orange", "make the airports green\n"),
        ("average elevation of airports by country and frobnication", "average elevation of airports"),
    ],
)
async def test_what_can_be_read_of_a_declined_request_is_offered_first(sentence: str, own: str) -> None:
    answer = await Chat(World())(sentence)
    assert f"You could say:\n- {own}" in answer


def test_a_request_that_names_only_columns_is_about_the_table_that_has_them() -> None:
    assert "magnitude" in suggestions(WORLD.registry, like="average magnitude by frob")[0]


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("how many airports do we still frobnicate", "how many airports are there?"),
        ("highest airports frobnicated", "top 10 airports by elevation"),
        ("draw the airports frobnicated", "show airports"),
    ],
)
def test_the_first_offer_asks_for_the_same_kind_of_answer(sentence: str, first: str) -> None:
    assert suggestions(WORLD.registry, like=sentence)[0] == first


@pytest.mark.parametrize("sentence", ["airports in Frobnitz", "cities in Frobnitz"])
async def test_a_refusal_for_a_name_offers_requests_about_the_table_that_was_named(sentence: str) -> None:
    chat = Chat(World())
    answer = await chat(sentence)
    offered = [line[2:] for line in answer.splitlines() if line.startswith("- ")]
    assert "Frobnitz" in answer
    assert offered, answer
    assert all(sentence.split()[0] in line for line in offered), answer
    for line in offered:
        assert "cannot do that" not in await Chat(World())(line), line


async def test_an_offer_from_the_words_of_a_request_does_not_end_in_an_open_phrase() -> None:
    answer = await Chat(World())("how many airports do we still have running")
    assert "do we still\n" not in answer
    assert "- how many airports" in answer


async def test_words_of_a_request_are_not_offered_if_they_would_be_declined() -> None:
    answer = await Chat(World())("average annual rainfall of the countries")
    assert "countries by population" in answer
    assert "average of the countries" not in answer
