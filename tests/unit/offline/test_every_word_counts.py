"""No request is answered when a word of it was not read: each example of the page, with a word put into it that means
nothing there, is declined, or the word is looked for in the data.
"""

from __future__ import annotations

import asyncio
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat
from tests.unit.offline.test_documentation import BLOCKS

NOT_ANSWERED = ("refused", "unread", "asked", "failed")
FREE_TEXT = re.compile(r"\b(?:rename|search|describe|where is|contains|calculate)\b")
"""Commands that take any words: a name of a layer or group, a text to look for, an expression that is checked later."""
LINES = [
    (kind, tuple(lines[:index]) if kind == "geoagent" else (), line)
    for kind, lines in BLOCKS
    if kind != "geoagent-refused"
    for index, line in enumerate(lines)
    if not FREE_TEXT.search(line)
]


@given(
    st.sampled_from(LINES),
    st.integers(0, 30),
    st.sampled_from(["frobnicated", "never", "northern", "runway"]),
)
@settings(max_examples=120, deadline=None)
def test_a_word_that_means_nothing_there_is_never_passed_over(
    example: tuple[str, tuple[str, ...], str], place: int, word: str
) -> None:
    kind, before, line = example
    words = line.split()
    place %= len(words) + 1
    text = " ".join([*words[:place], word, *words[place:]])

    async def talk() -> None:
        world = World()
        desk = Desk(world)
        chat = Chat(world, analyst=desk if kind == "geoagent-analysis" else None)
        for each in before:
            await chat(each)
        there = [layer.model_dump() for layer in world.map.layers()]
        answer = await chat(text)
        assert chat.finished is not None
        assert chat.finished.memory["offline"]["outcome"] in NOT_ANSWERED, (text, answer)
        if kind == "geoagent" and not re.search(r",| then | and ", line):
            assert [layer.model_dump() for layer in world.map.layers()] == there, text

    asyncio.run(talk())
