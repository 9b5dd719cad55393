"""Numbers of rows in two places, compared: `does Germany have more airports than France?`"""

from __future__ import annotations

import pytest

from tests.unit.offline.chatting import Chat, where

GERMANY, FRANCE = where("country", "=", "Germany"), where("country", "=", "France")


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("does Germany have more cities than France?", "Yes: 4 cities where country is Germany, and 2"),
        ("are there more cities in Germany than in France?", "Yes: 4 cities where country is Germany, and 2"),
        ("are there fewer cities in Germany than in France?", "No: 4 cities where country is Germany, and 2"),
        ("which has more cities, Germany or France?", "4 cities where country is Germany, and 2"),
        ("compare the number of cities in Germany and France", "4 cities where country is Germany, and 2"),
    ],
)
async def test_rows_of_two_places_are_counted_and_compared(sentence: str, verdict: str) -> None:
    chat = Chat()
    answer = await chat(sentence)
    assert answer.startswith(verdict), answer
    assert [(name, call["filters"]) for name, call in chat.calls] == [
        ("count_features", GERMANY),
        ("count_features", FRANCE),
    ]


async def test_conditions_hold_on_both_sides() -> None:
    chat = Chat()
    answer = await chat("does Germany have more cities with more than 1 million people than France?")
    assert answer.startswith("Yes: 3 cities where"), answer
    assert [len(call["filters"]["args"]) for _, call in chat.calls] == [2, 2]


@pytest.mark.parametrize("sentence", ["are there more cities in Germany than in Atlantis?"])
async def test_a_place_that_is_not_there_is_named(sentence: str) -> None:
    assert "Atlantis" in await Chat()(sentence)


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("how many more people live in Germany than in France?", "Germany has the greater `population`"),
        ("how many fewer people does France have than Germany?", "Germany has the greater `population`"),
        ("is Germany bigger than France, and by how much?", "No: France has the greater `area_km2`"),
        (
            "does Germany have more people than France, and by how many?",
            "Yes: Germany has the greater `population`",
        ),
        ("by how much is Germany's population larger than France's?", "Germany has the greater `population`"),
        (
            "how much bigger is the population of Germany than that of France",
            "Germany has the greater `population`",
        ),
        ("by how many people is Germany larger than France?", "Germany has the greater `population`"),
        ("is Germany's area larger than France's?", "No: France has the greater `area_km2`"),
        ("which is larger, Germany's area or that of France?", "France has the greater `area_km2`"),
        ("does Germany have a larger area than France?", "No: France has the greater `area_km2`"),
        ("what is the difference between Germany's area and France's", "France has the greater `area_km2`"),
        ("compare Germany's and France's area", "France has the greater `area_km2`"),
    ],
)
async def test_two_places_are_compared_with_their_difference(sentence: str, verdict: str) -> None:
    answer = await Chat()(sentence)
    assert answer.startswith(verdict), answer
    assert " more than " in answer
