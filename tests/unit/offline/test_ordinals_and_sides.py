"""One place of a ranking (`the second deepest`), sides of the equator, and layers named by how they are drawn."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat

WELLS = make_table(
    "data.wells",
    "POINT",
    "Wells",
    [("id", "integer", ""), ("name", "text", ""), ("depth_m", "number", ""), ("rate", "number", "")],
    [(1, "Ash", 30.0, 5.0, (1.0, -40.0)), (2, "Birch", 90.0, 7.0, (2.0, 20.0)),
     (3, "Cedar", 70.0, 7.0, (-3.0, 50.0)), (4, "Dogwood", 40.0, 1.0, (-4.0, -1.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("second deepest well", "Cedar"),
        ("what is the third deepest well?", "Dogwood"),
        ("which well has the 2nd greatest depth?", "Cedar"),
        ("second-shallowest well", "Dogwood"),
        ("the 4th deepest well", "Ash"),
        ("which well has the second most depth", "Cedar"),
    ],
)
async def test_one_place_of_a_ranking(sentence: str, named: str) -> None:
    answer = await Chat(World(WELLS))(sentence)
    assert answer.startswith(f"**{named}**")


async def test_a_place_behind_shared_ones_is_nobodys() -> None:
    answer = await Chat(World(WELLS))("the well with the second highest rate")
    assert "share a better place by rate" in answer


async def test_there_is_no_place_beyond_the_rows() -> None:
    assert "fewer than 7 rows" in await Chat(World(WELLS))("the seventh deepest well")


@pytest.mark.parametrize(
    ("sentence", "west", "south", "east", "north"),
    [
        ("wells south of the equator", -180, -90, 180, 0),
        ("wells in the northern hemisphere", -180, 0, 180, 90),
        ("show wells north of 60 degrees", -180, 60, 180, 90),
        ("wells north of 45° S", -180, -45, 180, 90),
        ("wells west of greenwich", -180, -90, 0, 90),
        ("wells east of longitude 20", 20, -90, 180, 90),
        ("wells that lie below the equator", -180, -90, 180, 0),
    ],
)
async def test_sides_of_parallels_and_meridians(
    sentence: str, west: float, south: float, east: float, north: float
) -> None:
    chat = Chat(World(WELLS))
    await chat(sentence)
    ((_, arguments),) = chat.calls
    (ring,) = arguments["filters"]["args"][1]["coordinates"]
    assert [*ring[0], *ring[2]] == pytest.approx([west, south, east, north], abs=1e-6)


@pytest.mark.parametrize(
    "sentence", ["wells north of 60", "wells north of 95 degrees", "wells east of the equator"]
)
async def test_what_is_no_parallel_is_not_taken_for_one(sentence: str) -> None:
    chat = Chat(World(WELLS))
    await chat(sentence)
    assert not chat.layers


@pytest.mark.parametrize(
    ("sentence", "style"),
    [
        ("make the hexbins smaller", {"kind": "hexbin", "size": 21.3}),
        ("colour the hexbins red", {"kind": "hexbin", "ramp": "Reds"}),
        ("color the hexagons pink", {"kind": "hexbin", "color": "#ffc0cb"}),
        ("show as normal points again", {"kind": "single"}),
    ],
)
async def test_a_layer_is_named_by_how_it_is_drawn(sentence: str, style: dict[str, object]) -> None:
    chat = Chat(World(WELLS))
    await chat("show wells as hexbins")
    await chat(sentence)
    drawn = chat.layers["wells"].style
    assert {name: getattr(drawn, name) for name in style} == style


async def test_a_bigger_heat_map_is_bigger_than_the_usual_one() -> None:
    chat = Chat(World(WELLS))
    await chat("show wells as a heat map")
    await chat("make the heat map bigger")
    assert chat.layers["wells"].style.size == 27.0


async def test_cells_of_a_figure_count_again_where_none_is_said() -> None:
    chat = Chat(World(WELLS))
    await chat("hexbins of wells by total depth")
    assert chat.layers["wells"].style.statistic == "sum"
    await chat("hexbins of wells")
    drawn = chat.layers["wells"].style
    assert (drawn.kind, drawn.column, drawn.statistic) == ("hexbin", None, None)
