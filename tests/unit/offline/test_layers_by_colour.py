"""Layers that are meant by how they look or all at once, and the area that rows cover."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.offline.chatting import Chat


async def test_a_layer_is_known_by_its_colour_in_either_notation() -> None:
    chat = Chat()
    await chat("show airports in #ff0000")
    await chat("show countries in blue")
    await chat("hide the red layer")
    assert chat.calls == [("update_map_layer", {"layer_id": "airports", "visible": False})]
    await chat("remove the blue layer")
    assert chat.calls == [("remove_map_layer", {"layer_id": "countries"})]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("zoom to everything", "zoom_to"),
        ("set transparency of the airports to 30 %", {"layer_id": "airports", "opacity": 0.7}),
        ("how much area do the countries cover?", {"table": "data.countries", "column": "area_km2"}),
        (
            "how many square kilometres do the countries cover?",
            {"table": "data.countries", "column": "area_km2"},
        ),
    ],
)
async def test_sizes_and_all_layers(said: str, meant: Any) -> None:
    chat = Chat()
    await chat("show airports in red")
    answer = await chat(said)
    ((name, arguments),) = chat.calls
    assert meant in (name, arguments), answer
