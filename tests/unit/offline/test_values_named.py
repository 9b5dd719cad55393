"""Words of a request that only values of the data are called: which are found, and how often they are looked up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import pytest

from agents.offline import values_named
from agents.offline.language.vocabulary import Value
from agents.offline.meaning.scene import Scene
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat

STANDS = make_table(
    "data.stands",
    "POINT",
    "Stands of trees",
    [("id", "integer", ""), ("species", "text", "")],
    [(1, "Chêne vert", (1.0, 1.0)), (2, "Hêtre", (2.0, 2.0)), (3, "Hêtre", (3.0, 3.0)), (4, "Frêne", (4.0, 4.0))],
)  # fmt: skip


def stands() -> World:
    """Of whose values the registry knows none."""
    table, rows = STANDS
    columns = tuple(each.model_copy(update={"samples": ()}) for each in table.columns)
    return World((table.model_copy(update={"columns": columns}), rows))


@pytest.mark.parametrize(
    ("sentence", "species", "rows"),
    [("show the hêtres", "Hêtre", 2), ("show the chêne verts", "Chêne vert", 1)],
)
async def test_a_value_with_accents_is_found(sentence: str, species: str, rows: int) -> None:
    chat = Chat(stands())
    answer = await chat(sentence)
    assert [name for name, _ in chat.calls] == ["add_map_layer"], answer
    assert species in str(chat.calls[0][1]["filters"])
    (layer,) = chat.layers.values()
    assert len(chat.world.data.passing("data.stands", layer.filter)) == rows


async def test_the_values_are_looked_up_once_for_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = Chat(stands())
    asked: list[str] = []
    look_up = values_named._look_up

    async def counted(scene: Scene, text: str, found: list[Value]) -> None:
        asked.append(text)
        await look_up(scene, text, found)

    monkeypatch.setattr(values_named, "_look_up", counted)
    await chat("show the hêtres, then zoom to Berlin")
    assert [name for name, _ in chat.calls] == ["add_map_layer", "zoom_to"]
    assert len(asked) == 1
    await chat("show the hêtres, then zoom to Berlin")
    assert len(asked) == 2


async def test_tables_that_do_not_answer_in_time_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = Chat(stands())

    async def slow(*_: Any, **__: Any) -> Mapping[str, Any]:
        await asyncio.sleep(60)
        return {}

    monkeypatch.setattr(values_named, "SECONDS", 0.01)
    monkeypatch.setattr(chat.world.data, "find_texts", slow)
    started = time.monotonic()
    assert "no table here is about “hêtres”" in await chat("show the hêtres")
    assert time.monotonic() - started < 30
