"""Names of rows in one word with their noun, long numbers, days without a year, and codes in short."""

from __future__ import annotations

import datetime

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, where

BUURTEN = make_table(
    "data.buurten", "POLYGON", "Neighbourhoods",
    [("id", "integer", ""), ("gebied", "text", ""), ("buurtnaam", "text", "")],
    [(1, "Feijenoord", "Bloemhof", (1.0, 1.0)), (2, "Feijenoord", "Hillesluis", (1.0, 1.1))],
)  # fmt: skip
POSTS = make_table(
    "data.posts", "POINT", "Posts",
    [("id", "integer", ""), ("post_no", "integer", ""), ("cod", "text", ""), ("checked_on", "date", "")],
    [(1, 1_750_024_691_357_802_481, "A1", "2026-01-01", (1.0, 1.0)), (2, 12, "A2", "2020-01-01", (1.0, 1.1))],
)  # fmt: skip


async def test_a_compound_with_the_noun_of_the_rows_is_their_name() -> None:
    chat = Chat(World(BUURTEN))
    answer = await chat("label the buurten with their name")
    (layer,) = chat.layers.values()
    assert layer.style.label is not None, answer
    assert "buurtnaam" in layer.style.label, answer


@pytest.mark.parametrize("words", ["with post number", "where post_no is"])
async def test_all_digits_of_a_long_number_are_compared(words: str) -> None:
    chat = Chat(World(POSTS))
    answer = await chat(f"how many posts {words} 1750024691357802481")
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == where("post_no", "=", 1_750_024_691_357_802_481), answer


@pytest.mark.parametrize("words", ["1 November", "november 1", "the 1st of november"])
async def test_a_day_without_a_year_is_the_last_such_day(words: str) -> None:
    today = datetime.date.today()
    day = datetime.date(today.year - ((today.month, today.day) < (11, 1)), 11, 1)
    chat = Chat(World(POSTS))
    answer = await chat(f"posts checked since {words}")
    (layer,) = chat.layers.values()
    assert layer.filter == where("checked_on", ">=", {"date": day.isoformat()}), answer


async def test_a_code_in_short() -> None:
    chat = Chat(World(POSTS))
    await chat("show posts")
    answer = await chat("label them with the code")
    assert "`cod`" in answer, answer
