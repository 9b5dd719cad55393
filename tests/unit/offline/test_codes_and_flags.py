"""Requests of a mobility analyst: codes that comments explain in several words, and flags named with an article."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.language.names.comments import codes_explained
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, known, where

STOPS = make_table(
    "data.stops_delijn", "POINT", "Tram and bus stops of De Lijn",
    [("id", "integer", ""), ("name", "text", ""), ("vm", "text", "Mode: T = tram, B = bus, TB = tram and bus")],
    [(1, "Rabot", "T", (1.0, 1.0)), (2, "Sterre", "B", (1.0, 1.1)), (3, "Zuid", "TB", (1.0, 1.2))],
)  # fmt: skip
ZONES = make_table(
    "data.zones_30", "POLYGON", "30 km/h zones, school streets and cycle zones",
    [("id", "integer", ""), ("name", "text", ""),
     ("zone_type", "text", "Z30 = 30 km/h zone, SS = school street, FZ = cycle zone (fietszone)"),
     ("has_camera", "boolean", "ANPR or speed camera present"), ("v85_kmh", "integer", "V85 speed (km/h)"),
     ("pupils", "integer", "")],
    [(1, "Dampoort", "Z30", True, 30, None, (1.0, 1.0)), (2, "Ledeberg", "SS", False, 41, 300, (1.0, 1.1))],
)  # fmt: skip
COUNTS = make_table(
    "data.cycle_counts", "LINESTRING", "Street segments with a cycle counter",
    [("id", "integer", ""), ("street", "text", ""), ("counter_type", "text", ""), ("lit", "boolean", "Street lighting"),
     ("f_route", "text", "Cycle highway number, empty if none")],
    [(1, "Veldstraat", "camera", True, "F4", (1.0, 1.0)), (2, "Kouter", "loop", False, None, (1.0, 1.1))],
)  # fmt: skip
ACCIDENTS = make_table(
    "data.accidents", "POINT", "Traffic accidents",
    [("id", "integer", ""), ("weather", "text", "N = normal/dry, R = rain, M = mist/fog, G = ice or snow"),
     ("alc", "text", "Alcohol involved: J yes, N no")],
    [(1, "M", "J", (1.0, 1.0)), (2, "N", "N", (1.0, 1.1))],
)  # fmt: skip
WIJKEN = make_table(
    "data.wijken", "POLYGON", "Districts of the city",
    [("id", "integer", ""), ("wijk_nr", "text", "District number"), ("wijk_nm", "text", "District name"),
     ("inw_2024", "integer", "Inhabitants on 1 January 2024")],
    [(1, "01", "Dampoort", 9_000, (1.0, 1.0)), (2, "02", "Ledeberg", 8_000, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(STOPS, ZONES, COUNTS, ACCIDENTS, WIJKEN))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def test_a_code_is_explained_by_a_text_and_by_its_parts() -> None:
    found = codes_explained("T = tram, TB = tram and bus, M = mist/fog")
    assert found[("tram",)] == ("T", "TB")
    assert found[("tram", "and", "bus")] == found[("bus",)] == ("TB",)
    assert found[("mist",)] == found[("fog",)] == ("M",)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("tram stops", where("vm", "in", ["T", "TB"])),
        ("show the 30 km/h zones", where("zone_type", "=", "Z30")),
        ("school streets", where("zone_type", "=", "SS")),
        ("accidents in fog", where("weather", "=", "M")),
        ("accidents where alcohol was involved", where("alc", "=", "J")),
        ("zones with a camera", where("has_camera", "=", True)),
        ("school streets with a camera", both(where("zone_type", "=", "SS"), where("has_camera", "=", True))),
        ("unlit segments on a cycle highway", both(where("lit", "=", False), known("f_route"))),
    ],
)
async def test_what_is_drawn(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    """Tram stops were all stops, zones of 30 km/h those in which 30 was measured, and cameras were counters."""
    answer = await chat(sentence)
    assert chat.calls[-1][0] == "add_map_layer", answer
    assert chat.calls[-1][1]["filters"] == filters


async def test_rows_near_those_that_a_code_means(chat: Chat, desk: Desk) -> None:
    answer = await chat("accidents within 200 m of a school street")
    assert dict(desk.analysis.steps)["filter"]["filter"] == where("zone_type", "=", "SS"), answer


async def test_a_flag_is_kept_of_what_is_drawn(chat: Chat) -> None:
    await chat("show the 30 km/h zones")
    await chat("only those with a camera")
    both_of = both(where("zone_type", "=", "Z30"), where("has_camera", "=", True))
    assert chat.layers["zones_30"].filter == both_of


async def test_a_verb_is_no_group(chat: Chat) -> None:
    """The pupils were added up by `has_camera`."""
    answer = await chat("which one has the most pupils?")
    assert [name for name, _ in chat.calls] == ["cannot_do"] or chat.calls == [], answer


@pytest.mark.parametrize(
    "asked",
    [
        "which wijk has the most accidents",
        "accidents per wijk",
        "color the districts by accidents per 1000 inhabitants",
    ],
)
async def test_districts_by_the_singular_of_their_language_and_by_rates(
    chat: Chat, desk: Desk, asked: str
) -> None:
    answer = await chat(asked)
    joined = dict(desk.analysis.steps)["spatial_join"]
    assert (joined["source"], joined["other"]) == ("data.wijken", "data.accidents"), answer
