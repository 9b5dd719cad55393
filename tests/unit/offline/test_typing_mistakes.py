"""A request that is not read because of plain typing mistakes is read without them, and the answer says so."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat

PUMPS = make_table(
    "data.pumps", "POINT", "Pumps",
    [("id", "integer", ""), ("maker", "text", "Manufacturer"), ("height_m", "number", "Height (m)")],
    [(1, "Ace", 3.0, (1.0, 1.0)), (2, "Bo", 4.0, (1.0, 1.1))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("written", "calls", "said"),
    [
        ("show the pumps coloured by manufactuer", ["add_map_layer"], "“manufactuer” as “manufacturer”"),
        ("label the pumps with the heigth", ["add_map_layer"], "“heigth” as “height”"),
        ("how many pumps are hihger than 3 m?", ["count_features"], "“hihger” as “higher”"),
        ("wich pummps are higher than 3 m?", ["query_features"], "“wich” as “which” and “pummps” as “pumps”"),
        (
            "shwo teh pumps wih height over 3 m",
            ["add_map_layer"],
            "“shwo” as “show”, “teh” as “the” and “wih” as “with”",
        ),
        (
            "lable the pumps with the heigth and colur them by maker",
            ["add_map_layer", "update_map_layer"],
            "“lable” as “label”, “heigth” as “height” and “colur” as “colour”",
        ),
    ],
)
async def test_plain_mistakes_are_corrected(written: str, calls: list[str], said: str) -> None:
    chat = Chat(World(PUMPS))
    answer = await chat(written)
    assert [name for name, _ in chat.calls] == calls
    assert answer.endswith(f"Read {said}.")


async def test_letters_of_another_english_word_are_no_mistake() -> None:
    chat = Chat(World(PUMPS))
    answer = await chat("show pumps at nigth")  # not `ninth`, which the language has
    assert not chat.layers
    assert "Read" not in answer


async def test_an_english_word_is_no_mistake() -> None:
    chat = Chat(World(PUMPS))
    answer = await chat("show the pumps coloured by marker")
    assert "pumps has no column “marker”. It has maker" in answer
    assert not chat.layers


async def test_the_next_turn_speaks_of_what_the_corrected_one_did() -> None:
    chat = Chat(World(PUMPS))
    await chat("show the pumps hihger than 3 m")
    await chat("colour them by heigth")
    ((name, arguments),) = chat.calls
    assert (name, arguments["style"]["column"]) == ("update_map_layer", "height_m")


@pytest.mark.parametrize("unknown", ["flanges", "turbines"])
async def test_other_unknown_words_are_not_replaced(unknown: str) -> None:
    chat = Chat(World(PUMPS))
    answer = await chat(f"show the pumps with {unknown}")
    assert unknown in answer
    assert "- show the pumps with" not in answer
    assert not chat.layers


async def test_a_column_is_not_called_by_the_whether_of_its_comment() -> None:
    chat = Chat(World(make_table(
        "data.pumps", "POINT", "Pumps",
        [("id", "integer", ""), ("tested", "boolean", "Whether it has been tested")],
        [(1, True, (1.0, 1.0)), (2, False, (1.0, 1.1))],
    )))  # fmt: skip
    for words in ("whether", "weather"):
        answer = await chat(f"colour pumps by {words}")
        assert f"I did not understand “colour pumps by {words}”" in answer
        assert not chat.layers
    assert "whether" not in answer
