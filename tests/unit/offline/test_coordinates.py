"""Distances from coordinates, parallels and meridians, and views of coordinates."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat

MONUMENTS = make_table(
    "data.monuments",
    "POINT",
    "Monuments",
    [("id", "integer", ""), ("name", "text", ""), ("height_m", "number", "")],
    [(1, "Newgrange", 12.0, (-6.475, 53.695)), (2, "Knowth", 10.0, (-6.491, 53.701)),
     (3, "Dowth", 15.0, (-6.450, 53.704)), (4, "Tara", 5.0, (-6.612, 53.578))],
)  # fmt: skip
NORTH_SEA = make_table(
    "data.rigs",
    "POINT",
    "Rigs",
    [("id", "integer", ""), ("name", "text", "")],
    [(1, "Alpha", (2.0, 58.0)), (2, "Bravo", (3.0, 59.0))],
)


async def _filter(sentence: str, world: World | None = None) -> dict[str, Any]:
    chat = Chat(world or World(MONUMENTS))
    await chat(sentence)
    ((_, arguments),) = chat.calls
    return arguments.get("filters") or arguments["filter"]


@pytest.mark.parametrize(
    ("sentence", "longitude", "latitude", "metres"),
    [
        ("show the monuments within 2 km of 53.69, -6.47", -6.47, 53.69, 2000),
        ("monuments within 500 m of 53.6947,-6.4755", -6.4755, 53.6947, 500),
        ("how many monuments are within 5 km of 53.69 N 6.47 W?", -6.47, 53.69, 5000),
        ("show monuments within 5 km of lat 53.69 lon -6.47", -6.47, 53.69, 5000),
        ("show monuments within 5 km of POINT(-6.47 53.69)", -6.47, 53.69, 5000),
        ("monuments in a radius of 2 km around the point (53.69, -6.47)", -6.47, 53.69, 2000),
        ("how many monuments are less than 3 miles from -6.47, 53.69", -6.47, 53.69, 4828.032),
    ],
)
async def test_what_lies_near_coordinates(
    sentence: str, longitude: float, latitude: float, metres: float
) -> None:
    found = await _filter(sentence)
    assert found["op"] == "s_dwithin"
    assert found["args"][1]["coordinates"] == [longitude, latitude]
    assert found["args"][2] == pytest.approx(metres)


async def test_rows_beyond_a_distance_of_coordinates() -> None:
    found = await _filter("show monuments more than 10 km from 53.69, -6.47")
    assert found["op"] == "not"
    assert found["args"][0]["op"] == "s_dwithin"


@pytest.mark.parametrize(
    ("sentence", "position"),
    [
        ("rigs within 50 km of 58.1, 2.1", [2.1, 58.1]),
        ("rigs within 50 km of 2.1, 58.1", [2.1, 58.1]),
        ("rigs within 50 km of 120.5, 10.5", [120.5, 10.5]),
    ],
)
async def test_coordinates_are_in_the_order_in_which_they_lie_in_the_data(
    sentence: str, position: list[float]
) -> None:
    found = await _filter(sentence, World(NORTH_SEA))
    assert found["args"][1]["coordinates"] == position


@pytest.mark.parametrize(
    "sentence",
    [
        "show monuments within 5 km of 99.5, 95.5",
        "show monuments within 5 km of 53 N 6 N",
        "show monuments within 5 km of 12, 10",
    ],
)
async def test_what_are_no_coordinates_is_declined(sentence: str) -> None:
    chat = Chat(World(MONUMENTS))
    await chat(sentence)
    assert not chat.layers


@pytest.mark.parametrize(
    ("sentence", "degrees"),
    [
        ("show the monuments within 100 km of the equator", 0.0),
        ("how many monuments are less than 500 km from the arctic circle", 66.5636),
    ],
)
async def test_what_lies_near_a_parallel(sentence: str, degrees: float) -> None:
    found = await _filter(sentence)
    corners = found["args"][1]["coordinates"]
    assert (corners[0], corners[-1]) == ([-180.0, degrees], [180.0, degrees])
    assert found["args"][2] in (100_000, 500_000)


async def test_the_side_of_the_polar_circle() -> None:
    (ring,) = (await _filter("show monuments above the polar circle"))["args"][1]["coordinates"]
    assert ring[0][1] == pytest.approx(66.5636)


@pytest.mark.parametrize("sentence", ["zoom to 53.69, -6.47", "go to 53.69 N 6.47 W", "fly to -6.47, 53.69"])
async def test_the_view_moves_to_coordinates(sentence: str) -> None:
    chat = Chat(World(MONUMENTS))
    await chat(sentence)
    west, south, east, north = chat.calls[0][1]["bounds"]
    assert ((west + east) / 2, (south + north) / 2) == pytest.approx((-6.47, 53.69), abs=1e-5)
    assert north - south == pytest.approx(0.018, abs=0.001)


@pytest.mark.parametrize(
    "sentence",
    [
        "which monuments does the equator cross?",
        "how many monuments are on the equator",
        "show monuments on the equator",
    ],
)
async def test_what_a_parallel_crosses(sentence: str) -> None:
    found = await _filter(sentence)
    assert (found["op"], found["args"][1]["name"]) == ("s_intersects", "the equator")


@pytest.mark.parametrize(
    ("words", "box"),
    [
        ("in the box 5, 45, 11, 48", [5, 45, 11, 48]),
        ("inside the bounding box 5,45 to 11,48 (lon,lat)", [5, 45, 11, 48]),
        ("within the rectangle (45, 5, 48, 11) (lat/lon)", [5, 45, 11, 48]),
    ],
)
async def test_rows_are_selected_by_a_box(words: str, box: list[float]) -> None:
    chat = Chat(World())
    answer = await chat(f"airports {words}")
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == {"op": "s_intersects", "args": [{"property": "geom"}, {"bbox": box}]}, (
        answer
    )
