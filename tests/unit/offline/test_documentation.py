"""Every example of docs/offline-language.md, run as it stands, block by block."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

PAGE = (Path(__file__).parents[3] / "docs" / "offline-language.md").read_text("utf-8")
BLOCKS = [
    ("geoagent-analysis" if kind == "geoagent-follow-ups" else kind, block.strip().splitlines())
    for kind, block in re.findall(r"^```(geoagent[a-z-]*)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
]


def test_the_page_has_examples() -> None:
    assert sum(len(lines) for _, lines in BLOCKS) > 60


@pytest.mark.parametrize(("kind", "lines"), BLOCKS, ids=[lines[0] for _, lines in BLOCKS])
async def test_a_conversation_of_the_page(kind: str, lines: list[str]) -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world) if kind == "geoagent-analysis" else None)
    for line in lines:
        answer = await chat(line)
        names = [name for name, _ in chat.calls]
        if kind == "geoagent-analysis":
            assert names[-1] == "run_analysis", (line, answer)
            assert "I cannot" not in answer, (line, answer)
            continue
        if kind == "geoagent-refused":
            assert names == ["cannot_do"], (line, answer)
            continue
        assert chat.failed == [], line
        assert "cannot_do" not in names, (line, answer)
        assert names or line == "what is on the map?", (line, answer)
        assert all(layer.count for layer in chat.layers.values()), (line, answer)
