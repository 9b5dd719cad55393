"""`them`, after a question: the rows that it was about."""

from __future__ import annotations

from tests.unit.offline.chatting import Chat, both, where

PERU = where("country", "=", "Peru")


async def test_the_rows_of_a_question_are_drawn() -> None:
    chat = Chat()
    await chat("how many airports are there in Peru?")
    answer = await chat("show them in green")
    ((name, arguments),) = chat.calls
    assert name == "add_map_layer", answer
    assert (arguments["table"], arguments["filters"], arguments["color"]) == ("data.airports", PERU, "green")


async def test_the_next_question_is_about_the_same_rows() -> None:
    chat = Chat()
    await chat("how many airports are there in Peru?")
    await chat("which of them are above 2000 m?")
    assert chat.calls[0][1]["filters"] == both(PERU, where("elevation_m", ">", 2000))


async def test_what_changes_a_layer_leaves_the_rows_of_a_question_alone() -> None:
    """Without a layer there is nothing to filter."""
    chat = Chat()
    await chat("how many airports are there in Peru?")
    answer = await chat("only those above 2000 m")
    assert not chat.layers, answer


async def test_a_layer_of_the_same_rows_is_what_the_map_speaks_of() -> None:
    chat = Chat()
    await chat("show airports")
    await chat("how many of these are in Peru?")
    await chat("colour them by elevation")
    ((name, arguments),) = chat.calls
    assert name == "update_map_layer"
    assert arguments["style"]["column"] == "elevation_m"
