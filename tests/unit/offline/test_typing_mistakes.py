"""A request that is not read because of a typing mistake is offered with the right word, and changes nothing."""

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
    ("written", "offered"),
    [
        ("show the pumps coloured by manufactuer", "show the pumps coloured by manufacturer"),
        ("label the pumps with the heigth", "label the pumps with the height"),
        ("how many pumps are there by manufactuer?", "how many pumps are there by manufacturer?"),
    ],
)
async def test_the_corrected_request_is_offered(written: str, offered: str) -> None:
    chat = Chat(World(PUMPS))
    answer = await chat(written)
    assert f"- {offered}" in answer
    assert not chat.layers


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
