"""Requests that were once read as something else, which changed a layer."""

from __future__ import annotations

import pytest

from tests.unit.offline.chatting import Chat


async def test_hiding_a_bare_word_hides_a_layer_and_never_the_rows_with_that_value() -> None:
    chat = Chat()
    await chat("show airports")
    for words in ("hide the seaplanes", "hide the large", "remove the military", "drop medium"):
        answer = await chat(words)
        assert chat.layers["airports"].filter is None, answer
        assert chat.layers["airports"].visible, answer
    await chat("hide the large ones")
    assert chat.layers["airports"].filter is not None


@pytest.mark.parametrize(
    "question",
    ["which size has the most letters?", "which name contains Ulm?", "which country has the most pilots?"],
)
async def test_a_question_about_a_column_never_filters_a_layer(question: str) -> None:
    chat = Chat()
    await chat("show airports")
    answer = await chat(question)
    assert chat.layers["airports"].filter is None, answer


async def test_an_amount_is_never_looked_for_as_a_text() -> None:
    chat = Chat()
    answer = await chat("show airports whose name has more than 1 million letters")
    assert chat.layers == {}, answer
    await chat("show airports whose name has Ulm")
    assert chat.layers["airports"].filter is not None


@pytest.mark.parametrize(
    "words", ["remove the layer on top", "remove the top layer", "delete the topmost layer"]
)
async def test_the_top_layer_is_the_one_on_top_whichever_was_spoken_of_last(words: str) -> None:
    chat = Chat()
    await chat("show airports")
    await chat("show cities")
    await chat("colour the airports red")
    await chat(words)
    assert list(chat.layers) == ["airports"]
    assert chat.layers["airports"].filter is None
    await chat("show cities")
    await chat("make the bottom layer blue")
    assert chat.calls == [("update_map_layer", {"layer_id": "airports", "color": "blue"})]
