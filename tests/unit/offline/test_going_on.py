"""What follows a question, kinds of areas, contractions without their apostrophe, and figures that rows have."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

SIGHTINGS = make_table(
    "data.sightings", "POINT", "Sightings of animals",
    [("id", "integer", ""), ("species", "text", ""), ("n_ind", "integer", ""), ("obs_date", "date", ""),
     ("verified", "boolean", "")],
    [
        (1, "red squirrel", 2, "2016-05-01", True, (1.0, 1.0)), (2, "pine marten", 1, "2021-05-01", False, (1.0, 1.1)),
        (3, "otter", 3, "2023-05-01", True, (1.0, 1.2)), (4, "red squirrel", 1, "2022-01-01", True, (1.1, 1.1)),
    ],
)  # fmt: skip
ZONES = make_table(
    "data.habitat_zones", "POLYGON", "Habitat zones",
    [("id", "integer", ""), ("name", "text", ""), ("habitat", "text", ""), ("sector", "text", "")],
    [(1, "Gaick", "native pinewood", "north", (1.0, 1.0)), (2, "Feshie", "montane", "south", (1.0, 1.1))],
)  # fmt: skip
TRAILS = make_table(
    "data.trails", "LINESTRING", "Trails",
    [("id", "integer", ""), ("name", "text", ""), ("difficulty", "text", ""), ("len_km", "number", ""),
     ("dogs_ok", "boolean", "")],
    [(1, "Ryvoan", "easy", 4.0, True, (1.0, 1.0)), (2, "Lairig", "strenuous", 30.0, False, (1.0, 1.1))],
)  # fmt: skip

ROUTES = make_table(
    "data.delivery_routes", "LINESTRING", "Delivery routes",
    [("id", "integer", ""), ("label", "text", ""), ("cold", "boolean", "")],
    [(1, "R01", True, (1.0, 1.0)), (2, "R02", False, (1.0, 1.1))],
)  # fmt: skip
RIVALS = make_table(
    "data.competitors", "POINT", "Competitors",
    [("id", "integer", ""), ("brand", "text", ""), ("surface_m2", "number", "")],
    [(1, "Lidl", 900.0, (1.0, 1.0)), (2, "Aldi", 700.0, (1.0, 1.1)), (3, "Auchan", 2000.0, (1.1, 1.1))],
)  # fmt: skip
SALES = make_table(
    "data.sales_districts", "POLYGON", "Sales districts",
    [("id", "integer", ""), ("name", "text", ""), ("zone", "text", ""), ("households", "integer", ""),
     ("income", "number", "")],
    [(1, "Bron", "north", 9000, 21000.0, (1.0, 1.0)), (2, "Vaise", "north", 7000, 25000.0, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    world = World(SIGHTINGS, ZONES, TRAILS, ROUTES, RIVALS)
    return Chat(world, analyst=Desk(world))


BETWEEN_YEARS = both(
    where("species", "=", "otter"), where("obs_date", ">=", {"date": "2015-01-01"}),
    where("obs_date", "<", {"date": "2021-01-01"}),
)  # fmt: skip
SQUIRRELS = {"op": "casei", "args": ["% squirrel"]}


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("how many otter sightings between 2015 and 2020?", BETWEEN_YEARS),
        ("trails where dogs arent allowed", where("dogs_ok", "=", False)),
        ("trails where dogs aren't allowed", where("dogs_ok", "=", False)),
        (
            "show pine marten and red squirrel records",
            where("species", "in", ["pine marten", "red squirrel"]),
        ),
    ],
)
async def test_rows_are_those_that_the_words_mean(chat: Chat, sentence: str, filters: Any) -> None:
    await chat(sentence)
    assert [arguments["filters"] for _, arguments in chat.calls] == [filters]


async def test_a_value_of_areas_is_where_rows_lie(chat: Chat) -> None:
    await chat("sightings in native pinewood")
    ((name, arguments),) = chat.calls
    assert (name, arguments["goal"]) == ("run_analysis", "sightings in native pinewood")


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        (
            "hide the squirrels",
            no({"op": "like", "args": [{"op": "casei", "args": [{"property": "species"}]}, SQUIRRELS]}),
        ),
        ("hide the otter ones", no(where("species", "=", "otter"))),
        ("exclude otter", no(where("species", "=", "otter"))),
    ],
)
async def test_rows_are_left_out_by_their_value(chat: Chat, sentence: str, filters: Any) -> None:
    await chat("show sightings")
    await chat(sentence)
    assert chat.calls[-1][1]["filters"] == filters


@pytest.mark.parametrize(
    ("sentences", "filters"),
    [
        (
            ("how many easy trails are there?", "and the strenuous ones?"),
            where("difficulty", "=", "strenuous"),
        ),
        (("total km of easy trails", "and strenuous?"), where("difficulty", "=", "strenuous")),
    ],
)
async def test_another_kind_takes_the_place_of_the_one_in_the_question(
    chat: Chat, sentences: tuple[str, str], filters: Any
) -> None:
    await chat(sentences[0])
    ((asked, _),) = chat.calls
    await chat(sentences[1])
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == (asked, filters)


async def test_a_kind_that_was_left_out_is_not_left_out_again(chat: Chat) -> None:
    await chat("how many trails are not easy?")
    await chat("and the strenuous ones?")
    assert chat.calls[-1][1]["filters"] != no(where("difficulty", "=", "strenuous"))


@pytest.mark.parametrize(
    ("sentence", "species", "is_last"),
    [
        ("when was the last red squirrel seen?", "red squirrel", True),
        ("when was an otter last seen?", "otter", True),
        ("when was the first red squirrel recorded?", "red squirrel", False),
    ],
)
async def test_when_a_kind_was_seen_is_its_latest_or_earliest_date(
    chat: Chat, sentence: str, species: str, is_last: bool
) -> None:
    await chat(sentence)
    arguments = chat.calls[-1][1]
    assert (arguments["sort"], arguments["descending"], arguments["limit"]) == ("obs_date", is_last, 1)
    assert where("species", "=", species) in (arguments["filters"], *arguments["filters"]["args"])


async def test_the_few_rows_of_a_list_are_those_that_are_shown(chat: Chat) -> None:
    await chat("list 2 sightings")
    await chat("show those")
    assert chat.calls[-1][1]["filters"] == where("id", "in", [1, 2])


async def test_what_goes_on_after_a_row_was_shown_is_about_the_question(chat: Chat) -> None:
    await chat("which trail is the longest?")
    await chat("where is it?")
    assert [name for name, _ in chat.calls] == ["add_map_layer", "zoom_to"]
    answer = await chat("and the shortest?")
    assert "Ryvoan" in answer


@pytest.mark.parametrize("words", ["on the map", "on a map"])
async def test_rows_of_a_question_are_shown_on_a_map(chat: Chat, words: str) -> None:
    await chat("how many trails are easy?")
    await chat(f"show that {words}")
    assert chat.calls[-1][1]["filters"] == where("difficulty", "=", "easy")


@pytest.mark.parametrize(
    ("sentence", "operations"),
    [
        ("which is the longest delivery route?", ["measure", "top"]),
        ("the 2 shortest delivery routes", ["measure", "top"]),
        ("total length of delivery routes in km", ["measure", "calculate", "summarise"]),
    ],
)
async def test_lines_are_measured_where_no_column_tells_how_long_they_are(
    sentence: str, operations: list[str]
) -> None:
    world = World(ROUTES, TRAILS)
    desk = Desk(world)
    await Chat(world, analyst=desk)(sentence)
    assert [name for name, _ in desk.analysis.steps] == operations


async def test_a_column_that_tells_how_long_lines_are_is_taken(chat: Chat) -> None:
    await chat("which is the longest trail?")
    ((name, arguments),) = chat.calls
    assert (name, arguments["sort"]) == ("query_features", "len_km")


async def test_a_ranking_becomes_a_chart(chat: Chat) -> None:
    await chat("top 2 trails by length")
    await chat("make it a bar chart")
    name, arguments = chat.calls[-1]
    assert (name, arguments["x"], arguments["y"]) == ("make_chart", "name", "len_km")


@pytest.mark.parametrize("near", ["one of our trails", "any of the trails", "a trail"])
async def test_each_one_of_the_rows_will_do_as_what_is_near(chat: Chat, near: str) -> None:
    await chat(f"sightings within 500 m of {near}")
    assert [name for name, _ in chat.calls] == ["run_analysis"]


@pytest.mark.parametrize(
    ("sentence", "aggregate"),
    [("households per zone as a bar chart", "sum"), ("income per zone as a bar chart", None)],
)
async def test_bars_of_things_add_up_and_others_do_not(sentence: str, aggregate: str | None) -> None:
    chat = Chat(World(SALES))
    await chat(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["x"], arguments.get("aggregate")) == ("make_chart", "zone", aggregate)
