"""The question before about another place, also one that is typed in small letters."""

from __future__ import annotations

import pytest

from agents.offline.conversation.pieces import with_piece
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, where

IN_FRANCE = where("country", "=", "France")


@pytest.mark.parametrize(
    "other",
    ["and France?", "and france?", "what about france", "population of France", "the population of france"],
)
async def test_the_fact_of_another_row(other: str) -> None:
    chat = Chat(World())
    assert (await chat("population of Germany")).startswith("**Germany**")
    assert (await chat(other)).startswith("**France**")


@pytest.mark.parametrize(
    ("before", "other"),
    [
        ("how many airports are in germany", "and france?"),
        ("how many airports does germany have", "and france?"),
        ("how many airports does germany have", "how many does france have?"),
        ("how many airports are in germany", "and how many are in france?"),
    ],
)
async def test_the_number_in_another_place(before: str, other: str) -> None:
    chat = Chat(World())
    await chat(before)
    await chat(other)
    assert chat.calls == [("count_features", {"table": "data.airports", "filters": IN_FRANCE})]


@pytest.mark.parametrize("other", ["and more?", "and again?", "and all?"])
async def test_words_of_the_language_are_no_places(other: str) -> None:
    chat = Chat(World())
    await chat("how many airports are in germany")
    await chat(other)
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"])


def test_another_end_of_a_way() -> None:
    assert (
        with_piece("how far is it from paris to berlin", "and to rome?") == "how far is it from paris to rome"
    )
    assert with_piece("which country has the most airports", "how many does brazil have") == (
        "how many airports does brazil have"
    )
