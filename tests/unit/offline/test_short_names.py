"""Names of tables and columns that are cut short: `river_seg`, `dpth_ft`, `precip_mm`."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.language.names.costs import is_short_for
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat

WELLS = make_table(
    "data.wells", "POINT", None,
    [("well_id", "text", ""), ("dpth_ft", "number", ""), ("stat", "text", "")],
    [("W-1", 100.0, "active", (1.0, 1.0)), ("W-2", 300.0, "sealed", (2.0, 2.0))],
)  # fmt: skip
RIVERS = make_table(
    "data.river_seg", "LINESTRING", None,
    [("seg_id", "integer", ""), ("nam", "text", ""), ("len_mi", "number", ""), ("strahler", "integer", "")],
    [(1, "Aare", 3.0, 2, (1.0, 1.0)), (2, "Emme", 5.0, 1, (2.0, 2.0))],
)  # fmt: skip
WEATHER = make_table(
    "data.wx_stations", "POINT", None,
    [("stn", "text", ""), ("name", "text", ""), ("precip_mm", "number", ""), ("district", "text", "")],
    [("S1", "One", 900.0, "North", (1.0, 1.0)), ("S2", "Two", 1100.0, "South", (2.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("average depth of the wells in metres", "60.96 m"),
        ("longest river segment", "**Emme**: `len_mi` 5 mi"),
        ("average precipitation of the stations", "1,000 mm"),
    ],
)
async def test_a_name_cut_short_is_known_by_the_whole_word(sentence: str, told: str) -> None:
    assert told in await Chat(World(WELLS, RIVERS, WEATHER))(sentence)


STORES = make_table(
    "data.warehouses", "POINT", None,
    [("name", "text", ""), ("built_year", "integer", "")],
    [("One", 1950, (1.0, 1.0)), ("Two", None, (2.0, 2.0))],
)  # fmt: skip
QUAKES = make_table("data.earthquakes", "POINT", None, [("name", "text", "")], [("One", (1.0, 1.0))])


@pytest.mark.parametrize(
    "sentence",
    ["how many houses are there?", "warehouses without buildings", "total age of the warehouses"],
)
async def test_a_word_that_only_resembles_a_name_does_not_mean_it(sentence: str) -> None:
    """Warehouses are no houses, rows without a year of construction are not rows without buildings, and a year is
    no age."""
    chat = Chat(World(STORES))
    answer = await chat(sentence)
    assert [name for name, _ in chat.calls] == ["cannot_do"], answer


async def test_another_noun_for_the_same_things_means_their_table() -> None:
    assert "1" in await Chat(World(QUAKES))("how many quakes are there?")


async def test_a_table_cut_short_is_coloured_by_its_column() -> None:
    chat = Chat(World(RIVERS))
    answer = await chat("style river segments by strahler order")
    assert chat.calls[0][1]["style"] == {"kind": "graduated", "column": "strahler"}, answer


@pytest.mark.parametrize(
    ("short", "word", "expected"),
    [
        ("dpth", "depth", True),
        ("precip", "precipitation", True),
        ("wdth", "width", True),
        ("stat", "status", True),
        ("city", "cities", False),
        ("name", "named", False),
        ("rate", "rated", False),
        ("lat", "late", False),
        ("depth", "depth", False),
    ],
)
def test_what_a_word_is_short_for(short: str, word: str, expected: Any) -> None:
    assert is_short_for(short, word) is expected


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("remove everything except the airports", ["airports"]),
        ("delete all layers but airports and cities", ["airports", "cities"]),
    ],
)
async def test_all_layers_but_some_are_removed(sentence: str, left: list[str]) -> None:
    chat = Chat()
    await chat("show airports, cities and countries")
    answer = await chat(sentence)
    assert sorted(chat.layers) == left, answer


async def test_all_layers_but_one_are_hidden() -> None:
    chat = Chat()
    await chat("show airports, cities and countries")
    await chat("hide everything except the cities")
    assert [layer.id for layer in chat.layers.values() if layer.visible] == ["cities"]
    assert "no other layer" in await Chat()("show airports, then hide everything but the airports")
