"""Requests with several things in a row: flags after `with`, values of columns alike, nouns cut short."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

PARKS = make_table(
    "data.parks", "POLYGON", "City parks",
    [("id", "integer", ""), ("park_name", "text", ""), ("splash_pad", "boolean", ""),
     ("restroom", "text", "Public restroom Y/N"), ("has_plygrd", "text", "Playground Y/N")],
    [(1, "Grant Park", True, "Y", "Y", (1.0, 1.0)), (2, "Mill Park", True, "N", "N", (1.0, 1.1)),
     (3, "Hill Park", False, "Y", "Y", (1.0, 1.2))],
)  # fmt: skip
VISITS = make_table(
    "data.playground_insp", "POINT", "Playground safety inspections",
    [("id", "integer", ""), ("inspector", "text", ""), ("score", "integer", "")],
    [(1, "T. Nguyen", 80, (1.0, 1.0)), (2, "T. Nguyen", 60, (1.0, 1.1)), (3, "R. Ortiz", 70, (1.0, 1.2))],
)  # fmt: skip
ACCIDENTS = make_table(
    "data.accidents", "POINT", "Traffic accidents",
    [("id", "integer", ""), ("acc_dt", "date", ""), ("severity", "text", ""), ("n_inj", "integer", "Number of injured"),
     ("party_1", "text", "First road user"), ("party_2", "text", "Second road user"), ("is_junction", "boolean", ""),
     ("light_cond", "integer", "1 = daylight, 2 = dusk, 3 = dark with street lighting, 4 = dark without lighting"),
     ("vmax_kmh", "integer", "Speed limit in km/h")],
    [(1, "2023-01-05", "fatal", 1, "car", "pedestrian", True, 3, 50, (1.0, 1.0)),
     (2, "2024-02-05", "slight", 2, "pedestrian", "car", False, 4, 30, (1.0, 1.1)),
     (3, "2024-03-05", "slight", 0, "car", "car", False, 1, 30, (1.0, 1.2))],
)  # fmt: skip
PATHS = make_table(
    "data.cycle_counts", "LINESTRING", "Street segments with a counter",
    [("id", "integer", ""), ("street", "text", ""), ("infra", "text", "Type of cycling infrastructure"),
     ("bikes_wd", "integer", "Cyclists per weekday"), ("width_m", "number", "Width of the cycle path (m)")],
    [(1, "Kouter", "separated path", 900, 1.2, (1.0, 1.0)), (2, "Coupure", "shared path", 800, 2.5, (1.0, 1.1)),
     (3, "Muide", "mixed traffic", 300, 1.4, (1.0, 1.2))],
)  # fmt: skip
STOPS = make_table(
    "data.stops", "POINT", "Bus stops",
    [("id", "integer", ""), ("stop_name", "text", ""), ("bike_racks", "integer", "Number of bike racks"),
     ("cap_ev", "integer", "Spaces with EV charger"), ("accessible", "text", "Wheelchair accessible: yes, partly, no")],
    [(1, "Rabot", 4, 2, "yes", (1.0, 1.0)), (2, "Zuid", 0, 0, "partly", (1.0, 1.1)),
     (3, "Dok", 2, 0, "no", (1.0, 1.2))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(PARKS, VISITS, ACCIDENTS, PATHS, STOPS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


PEDESTRIAN = both(where("party_1", "=", "pedestrian"), where("party_2", "=", "pedestrian"), op="or")


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        (
            "parks with a splash pad and restrooms",
            both(where("splash_pad", "=", True), where("restroom", "=", "Y")),
        ),
        (
            "parks with a splash pad, restrooms and a playground",
            both(where("splash_pad", "=", True), where("restroom", "=", "Y"), where("has_plygrd", "=", "Y")),
        ),
        ("accidents with pedestrians", PEDESTRIAN),
        ("pedestrian accidents", PEDESTRIAN),
        ("accidents with a pedestrian at a junction", both(PEDESTRIAN, where("is_junction", "=", True))),
        ("accidents involving pedestrians at junctions", both(PEDESTRIAN, where("is_junction", "=", True))),
        ("accidents in the dark", where("light_cond", "in", [3, 4])),
        (
            "segments narrower than 2 m and there's mixed traffic",
            both(where("width_m", "<", 2), where("infra", "=", "mixed traffic")),
        ),
        ("stops with EV chargers", where("cap_ev", ">", 0)),
        ("stops that are not wheelchair accessible", where("accessible", "=", "no")),
        ("wheelchair accessible stops", where("accessible", "=", "yes")),
    ],
)
async def test_what_is_drawn(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    """Accidents were those with a pedestrian in one of two columns only."""
    answer = await chat(sentence)
    assert [name for name, _ in chat.calls] == ["add_map_layer"], answer
    assert chat.calls[-1][1]["filters"] == filters


@pytest.mark.parametrize(
    "sentence",
    [
        "parks with restrooms and stops",
        "parks with restrooms and no stops",
        "cycle paths",
        "cycle paths narrower than 1.5 m",
    ],
)
async def test_what_may_mean_something_else_is_declined(chat: Chat, sentence: str) -> None:
    """Parks with restrooms and all stops were drawn, and paths of which “cycle” was left out."""
    await chat(sentence)
    assert not chat.layers


async def test_a_kind_is_called_by_its_noun(chat: Chat, desk: Desk) -> None:
    await chat("average bikes per weekday by infrastructure")
    assert "infra" in str(desk.analysis.steps)


async def test_values_are_compared_with_ones(chat: Chat) -> None:
    answer = await chat("average speed limit of fatal accidents vs slight ones")
    assert "by severity" in answer


async def test_who_did_the_most(chat: Chat) -> None:
    assert "T. Nguyen" in await chat("who did the most inspections?")


async def test_another_value_joins_those_of_its_column(chat: Chat) -> None:
    """Fatal accidents of all years were added to slight ones of 2024."""
    await chat("slight accidents since 2024")
    await chat("and add fatal too")
    severity = both(where("severity", "=", "slight"), where("severity", "=", "fatal"), op="or")
    assert chat.calls[-1][1]["filters"]["args"][0] == severity


async def test_the_first_row_is_told_with_another_fact(chat: Chat) -> None:
    answer = await chat("which accident had the most injured and when did it happen?")
    assert "I understood" in answer  # its date is not called so
    await chat("which segment has the most bikes and how wide is it?")
    assert chat.calls[-1][1]["sort"] == "bikes_wd"
    assert "width_m" in chat.calls[-1][1]["columns"]


@pytest.mark.parametrize(
    "asked", ["sort by bike racks, top 2", "top 2 by bike racks", "the 2 with the most bike racks"]
)
async def test_the_first_rows_of_those_spoken_of_are_listed(chat: Chat, asked: str) -> None:
    await chat("show the stops")
    answer = await chat(asked)
    name, arguments = chat.calls[-1]
    assert name == "query_features", answer
    assert (arguments["sort"], arguments["descending"], arguments["limit"]) == ("bike_racks", True, 2)


async def test_what_we_did_is_a_value(chat: Chat) -> None:
    applications = make_table(
        "data.applications", "POINT", "Planning applications",
        [("id", "integer", ""), ("decision", "text", "")],
        [(1, "Refused", (1.0, 1.0)), (2, "Approved", (1.0, 1.1))],
    )  # fmt: skip
    desk = Desk(World(applications))
    chat = Chat(desk.world, analyst=desk)
    assert "There is 1 application" in await chat("how many applications did we refuse?")
    await chat("applications we approved")
    assert chat.calls[-1][1]["filters"] == where("decision", "=", "Approved")


async def test_riders_are_called_after_their_vehicles() -> None:
    rides = make_table(
        "data.crashes", "POINT", "Crashes",
        [("id", "integer", ""), ("vehicle", "text", "")],
        [(1, "bicycle", (1.0, 1.0)), (2, "car", (1.0, 1.1))],
    )  # fmt: skip
    desk = Desk(World(rides))
    chat = Chat(desk.world, analyst=desk)
    for asked in ("crashes with cyclists", "bike crashes"):
        await chat(asked)
        assert chat.calls[-1][1]["filters"] == where("vehicle", "=", "bicycle"), asked


@pytest.mark.parametrize("said", ["but no", "and no", "but without any"])
async def test_rows_with_one_thing_and_without_rows_of_another_table(
    chat: Chat, desk: Desk, said: str
) -> None:
    """Parks with playgrounds were drawn, and then inspections refused."""
    await chat(f"parks with restrooms {said} inspections")
    assert [name for name, _ in chat.calls] == ["run_analysis"]
    assert dict(desk.analysis.steps)["select_by_location"]["invert"] is True


async def test_darker_colours_are_more_anyway(chat: Chat) -> None:
    await chat("colour the segments by cyclists, darker green = more")
    style = chat.calls[-1][1]["style"]
    assert (style["column"], style["ramp"]) == ("bikes_wd", "Greens")
