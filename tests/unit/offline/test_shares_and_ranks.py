"""Of what a share is, what the map shows of a table, who shares the first place, and which of two years is older."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

WELLS = make_table(
    "data.wells",
    "POINT",
    "Groundwater wells",
    [("id", "integer", ""), ("well_no", "text", ""), ("status", "text", ""), ("aquifer", "text", ""),
     ("depth_m", "number", ""), ("year_built", "integer", ""), ("drilled", "date", ""),
     ("area_sq_mi", "number", ""), ("traffic", "integer", ""), ("pump", "text", "")],
    [(1, "W-1", "active", "Upper", 30.0, 1931, "1931-05-01", 1.0, 4, "yes", (1.0, 1.0)),
     (2, "W-2", "active", "Lower", 90.0, 1984, "1984-05-01", 2.0, 5, "no", (2.0, 2.0)),
     (3, "W-3", "dry", "Lower", 90.0, 2016, "2016-05-01", 3.0, 6, "no", (3.0, 3.0)),
     (4, "W-4", "dry", "Lower", 40.0, 1990, "1990-05-01", 4.0, 7, "yes", (4.0, 4.0))],
)  # fmt: skip
ACTIVE = where("status", "=", "active")
LOWER = where("aquifer", "=", "Lower")


def well_chat() -> Chat:
    return Chat(World(WELLS))


@pytest.mark.parametrize(
    ("sentence", "part", "whole"),
    [
        ("what share of the wells is active?", ACTIVE, None),
        ("what share of the active wells is in the lower aquifer?", both(ACTIVE, LOWER), ACTIVE),
        ("what percentage of active wells are deeper than 50 m", both(ACTIVE, where("depth_m", ">", 50)), ACTIVE),
        ("percentage of active wells", ACTIVE, None),
    ],
)  # fmt: skip
async def test_a_share_is_of_the_rows_that_are_named(
    sentence: str, part: dict[str, Any], whole: dict[str, Any] | None
) -> None:
    chat = well_chat()
    answer = await chat(sentence)
    assert [call[1].get("filters") for call in chat.calls] == [part, whole], answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("how many wells are on the map?", "There are 2 wells where status is active."),
        ("average depth of the wells on the map", "is 60 m (2 values)"),
        ("the deepest well on the map", "**W-2**"),
    ],
)
async def test_what_is_on_the_map_is_what_its_layer_shows(sentence: str, answer: str) -> None:
    chat = well_chat()
    await chat("show active wells")
    assert answer in await chat(sentence)


async def test_what_a_renamed_layer_shows_is_counted_with_its_filter() -> None:
    chat = well_chat()
    await chat("show active wells")
    await chat("call it good ones here")
    assert "There are 2 wells" in await chat("how many good ones here are there?")


async def test_what_is_not_on_the_map_is_not_counted_there() -> None:
    assert "no layer on the map shows wells" in await well_chat()("how many wells are on the map?")


async def test_all_that_share_the_first_place_are_named() -> None:
    answer = await well_chat()("which well is the deepest?")
    assert answer.startswith("W-2 and W-3 have the greatest `depth_m`: 90 m.")


async def test_all_that_share_the_first_place_are_drawn() -> None:
    chat = well_chat()
    await chat("show the deepest well")
    (layer,) = chat.layers.values()
    assert (layer.filter, layer.name) == (where("id", "in", [2, 3]), "Deepest wells")


async def test_those_that_share_the_last_place_of_some_are_among_them() -> None:
    assert "W-3" in await well_chat()("top 1 wells by depth")


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("which well is the oldest?", "**W-1**"),
        ("the oldest well", "**W-1**"),
        ("the youngest well", "**W-3**"),
        ("the newest well", "**W-3**"),
    ],
)
async def test_the_oldest_has_the_earliest_year(sentence: str, answer: str) -> None:
    assert answer in await well_chat()(sentence)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("wells older than 1985", where("year_built", "<", 1985)),
        ("wells younger than 1985", where("year_built", ">", 1985)),
        ("wells built 1985 or older", where("year_built", "<=", 1985)),
        ("wells larger than 2 sq mi", where("area_sq_mi", ">", 2)),
        ("wells larger than 2 km", None),
        ("wells older than 30", None),
        ("wells with traffic over 5 km", None),
        ("wells with traffic over 5", where("traffic", ">", 5)),
        ("wells with a traffic fooer than 5", None),
        ("wells with a traffic thicker than 5", where("traffic", ">", 5)),
        ("wells with pump", where("pump", "=", "yes")),
        ("wells without pump", where("pump", "=", "no")),
    ],
)
async def test_what_is_older_was_built_before(sentence: str, filters: dict[str, Any] | None) -> None:
    chat = well_chat()
    answer = await chat(sentence)
    assert next((layer.filter for layer in chat.layers.values()), None) == filters, answer


@pytest.mark.parametrize(
    "sentence", ["colour wells by depth in YlOrBr", "colour wells by depth in GnBu", "wells in Nine"]
)
async def test_a_ramp_that_the_server_does_not_have_is_none(sentence: str) -> None:
    chat = well_chat()
    await chat(sentence)
    assert not chat.layers


async def test_a_ramp_is_named_as_the_server_names_it() -> None:
    chat = well_chat()
    await chat("colour wells by depth in rdylbu")
    assert chat.calls[0][1]["style"]["ramp"] == "RdYlBu"


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("which wells are dry?", "2 wells where status is dry"),
        ("which wells are contaminated?", "no row of wells has the value “contaminated”"),
        ("which wells lost water between 2010 and 2020?", "I did not understand “which wells lost water"),
    ],
)
async def test_which_rows_are_asked_for_is_read_or_said_to_be_unread(sentence: str, answer: str) -> None:
    assert answer in await well_chat()(sentence)


async def test_a_place_in_a_table_is_its_row() -> None:
    chat = Chat()
    await chat("zoom to the country France")
    assert chat.calls == [("zoom_to", {"place": "France"})]


TRACTS = make_table(
    "data.tracts",
    "POLYGON",
    "Census tracts",
    [("id", "integer", ""), ("name", "text", ""), ("pop_2010", "integer", ""), ("pop_2020", "integer", "")],
    [(1, "T-1", 10, 20, (1.0, 1.0))],
)  # fmt: skip
TOWNS = make_table(
    "data.towns",
    "POINT",
    "Towns",
    [("id", "integer", ""), ("name", "text", ""), ("population", "integer", "")],
    [(1, "Ulm", 126_000, (10.0, 48.4)), (2, "Neu-Ulm", 58_000, (10.0, 48.4)), (3, "Senden", 22_000, (10.0, 48.3))],
)  # fmt: skip


async def test_a_column_is_only_asked_about_where_the_table_has_the_row() -> None:
    assert "126,000" in await Chat(World(TRACTS, TOWNS))("population of Ulm")


async def test_what_could_be_said_instead_is_a_sentence() -> None:
    answer = await Chat(analyst=Desk(World()))("share airports somehow over the countries")
    assert "share out" in answer
    assert "of of" not in answer


STALLS = make_table(
    "data.stalls",
    "POINT",
    "Market stalls",
    [("id", "integer", ""), ("name", "text", ""), ("rating", "integer", "")],
    [(number, f"Stall {number}", 5 if number > 2 else 9, (1.0, 1.0)) for number in range(1, 31)],
)


@pytest.mark.parametrize(
    ("sentence", "calls"),
    [
        ("list the top 4 stalls by rating", ["query_features", "count_features"]),
        ("show the top 4 stalls by rating", ["query_features", "count_features", "add_map_layer"]),
    ],
)
async def test_a_tie_that_is_too_long_to_list_is_reported(sentence: str, calls: list[str]) -> None:
    chat = Chat(World(STALLS))
    answer = await chat(sentence)
    assert [name for name, _ in chat.calls] == calls
    assert (
        "The last place is shared: 30 stalls have a `rating` of 5 or more, and 4 of them are in this list."
        in answer
    )


async def test_a_ranking_without_a_tie_says_nothing_of_one() -> None:
    chat = Chat(World(STALLS))
    assert "shared" not in await chat("list the top 2 stalls by rating")
    assert [name for name, _ in chat.calls] == ["query_features"]


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        (
            "what share of the people of Germany lives in Ulm?",
            both(where("name", "=", "Ulm"), where("country", "=", "Germany")),
        ),
        (
            "what percentage of Germany's population lives in Ulm?",
            both(where("name", "=", "Ulm"), where("country", "=", "Germany")),
        ),
        ("what share of Germany's population lives in cities above 500,000 people?", None),
        ("what percentage of the population of Germany lives in cities with more than 500,000 people", None),
    ],
)
async def test_of_the_people_of_an_area_those_in_points_are_told(
    sentence: str, part: dict[str, Any] | None
) -> None:
    chat = Chat()
    answer = await chat(sentence)
    (_, one), (_, every) = chat.calls
    assert (one["table"], one["column"]) == ("data.cities", "population"), answer
    assert every == {
        "table": "data.countries",
        "column": "population",
        "filters": where("name", "=", "Germany"),
    }
    wanted = part or both(where("population", ">", 500000), where("country", "=", "Germany"))
    assert one["filters"] == wanted


async def test_a_capital_is_not_a_place_in_which_its_country_lies() -> None:
    chat = Chat()
    await chat("what share of the world population lives in Lima?")
    assert [name for name, _ in chat.calls] != ["column_stats", "column_stats"]
