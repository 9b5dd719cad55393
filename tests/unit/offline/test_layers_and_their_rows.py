"""What a layer shows, hidden or not, and what is asked about it, answered as it was said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import AIRPORTS
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, like, where

WELLS = make_table(
    "data.wells",
    "POINT",
    "Groundwater wells",
    [("id", "integer", "Number of the row"), ("name", "text", "Name of the well"), ("status", "text", "open or closed"),
     ("depth_in", "number", "Depth of the well"), ("drilled", "integer", "Year in which it was built")],
    [(1, "Elm", "closed", 40.0, None, (0.0, 0.0)), (2, "Oak", "open", 30.0, 1950, (0.1, 0.0)),
     (3, "Ash", "closed", 20.0, 1960, (0.2, 0.0)), (4, "Fir", "open", 25.0, 1970, (0.3, 0.0))],
)  # fmt: skip
SEGMENTS = make_table(
    "data.street_segs",
    "LINESTRING",
    "Street segments",
    [
        ("id", "integer", "Number of the row"),
        ("st_name", "text", "Name of the street"),
        ("lanes", "integer", "Number of lanes"),
        ("crash_5yr", "integer", "Crashes in five years"),
    ],
    [(1, "Elm St", 2, 9, (0.0, 0.0)), (2, "Oak St", 4, 6, (0.1, 0.0)), (3, "Oak St", 2, 7, (0.2, 0.0))],
)
CLOSED = where("status", "=", "closed")


def well_chat() -> Chat:
    return Chat(World(WELLS, AIRPORTS))


@pytest.mark.parametrize(
    ("request_text", "call"),
    [
        ("hide the closed wells", ("update_map_layer", {"layer_id": "wells", "visible": False})),
        ("remove the closed wells", ("remove_map_layer", {"layer_id": "wells"})),
    ],
)
async def test_a_layer_of_only_these_rows_is_hidden_itself(request_text: str, call: Any) -> None:
    chat = well_chat()
    await chat("show the closed wells")
    answer = await chat(request_text)
    assert chat.calls == [call], answer


async def test_rows_of_a_layer_that_shows_others_are_left_out() -> None:
    chat = well_chat()
    await chat("show wells")
    await chat("hide the closed wells")
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == {"op": "not", "args": [CLOSED]}


async def test_a_hidden_layer_is_named() -> None:
    chat = well_chat()
    await chat("show wells")
    await chat("hide them")
    assert "“Wells” is hidden" in await chat("how many wells are on the map?")


async def test_which_on_the_map_are_those_of_the_layer() -> None:
    chat = Chat()
    await chat("show airports in Peru")
    answer = await chat("which airports on the map are above 200 m?")
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]["args"][0]) == ("query_features", where("country", "=", "Peru")), (
        answer
    )


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which of those wells is the deepest?", "Elm"),
        ("which is the deepest?", "Elm"),
        ("which has the lowest depth?", "Ash"),
    ],
)
async def test_which_of_those_is_one_row(question: str, name: str) -> None:
    chat = well_chat()
    await chat("show wells")
    assert (await chat(question)).startswith(f"**{name}**")


async def test_rows_without_a_value_are_not_counted_silently() -> None:
    answer = await well_chat()("top 2 wells by drilled")
    assert answer.startswith("2 of 3 wells where drilled is not empty"), answer


@pytest.mark.parametrize("code", ["bo", "pe"])
async def test_codes_of_countries_are_in_capitals(code: str) -> None:
    chat = Chat()
    answer = await chat(f"how many airports in {code}")
    assert [name for name, _ in chat.calls if name != "cannot_do"] == [], answer
    assert "1 airport" in await chat(f"how many airports in {code.upper()}")


async def test_a_depth_in_inches_is_told_with_its_unit() -> None:
    assert "40 inch" in await well_chat()("which well is the deepest?")


@pytest.mark.parametrize("shown", ["show streets with 2 lanes", "show street segments with 4 lanes"])
async def test_one_segment_is_not_the_street_with_the_most(shown: str) -> None:
    chat = Chat(World(SEGMENTS))
    await chat(shown)
    answer = await chat("which street has the most crashes?")
    assert not [name for name, _ in chat.calls if name != "cannot_do"], answer


@pytest.mark.parametrize(
    "request_text",
    [
        "list countries starting with B",
        "which countries begin with B?",
        "countries starting with the letter B",
        "show countries beginning with B",
    ],
)
async def test_the_first_letter_is_that_of_the_name(request_text: str) -> None:
    chat = Chat()
    await chat("show airports whose name starts with El")
    answer = await chat(request_text)
    ((_, arguments),) = chat.calls
    assert (arguments["table"], arguments["filters"]) == ("data.countries", like("name", "B%")), answer


async def test_another_superlative_is_of_the_rows_of_the_question_before() -> None:
    chat = Chat()
    await chat("show cities in Germany")
    await chat("which city in China is the biggest?")
    assert (await chat("which is the smallest?")).startswith("**Beijing**")


async def test_a_superlative_alone_is_not_of_the_column_of_the_question_before() -> None:
    chat = Chat()
    await chat("show countries")
    await chat("which has the lowest population density?")
    await chat("which is the smallest?")
    assert chat.calls[0][1]["sort"] == "area_km2"


async def test_another_distance_takes_the_place_of_the_one_before() -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    await chat("airports within 100 km of Munich")
    await chat("and within 200 km?")
    assert chat.calls == [("run_analysis", {"goal": "airports within 200 km of Munich"})]
