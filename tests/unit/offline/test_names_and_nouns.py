"""Names with a dash or a noun behind them, values that begin alike, prices, and lines that are measured."""

from __future__ import annotations

from typing import Any

import pytest

from agents.core.nearest import fold
from agents.offline.asked_once import AskedOnce
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.places import _tables_called
from agents.offline.meaning.row_names import is_code
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

ROADS = make_table(
    "data.forest_roads", "LINESTRING", "Forest roads",
    [("id", "integer", ""), ("road_name", "text", ""), ("condition", "text", ""), ("max_t", "integer", "")],
    [(1, "See", "poor", 40, (1.0, 1.0)), (2, "Langweg", "closed", 30, (1.0, 1.1)), (3, "Kurz", "good", 9, (1.0, 1.2))],
)  # fmt: skip
RESERVES = make_table(
    "data.protected", "POLYGON", "Areas under protection",
    [("id", "integer", ""), ("name", "text", ""), ("category", "text", ""), ("area_ha", "number", "")],
    [
        (1, "Glaswaldsee", "nature reserve", 10.0, (1.0, 1.0)), (2, "Park - Ruhe", "national park", 90.0, (1.0, 1.1)),
    ],
)  # fmt: skip
HUTS = make_table(
    "data.huts", "POINT", "Huts",
    [("id", "integer", ""), ("name", "text", ""), ("light", "text", "")],
    [(1, "Zoll", "Dark - lit", (1.0, 1.0)), (2, "Burg", "Dark - unlit", (1.0, 1.1)), (3, "Tal", "Day", (1.0, 1.2))],
)  # fmt: skip
SITES = make_table(
    "data.harvest_sites", "POINT", "Harvest sites",
    [("id", "integer", ""), ("name", "text", ""), ("measure", "text", ""), ("eur_per_fm", "number", ""),
     ("tariff_eur_hr", "number", "")],
    [(1, "A", "salvage logging", 70.0, 1.5, (1.0, 1.0)), (2, "B", "thinning", 90.0, 2.5, (1.0, 1.1))],
)  # fmt: skip


PERMITS = make_table(
    "data.permits", "POINT", "Permits",
    [("id", "integer", ""), ("ref", "text", ""), ("purpose", "text", ""), ("state", "text", "in force, expired"),
     ("vol_m3_y", "number", "authorised volume, m3 per year")],
    [(1, "A", "mill", "in force", 70.0, (1.0, 1.0)), (2, "B", "farm", "expired", 20.0, (1.0, 1.1))],
)  # fmt: skip
SAMPLES = make_table(
    "data.samples", "POINT", "Samples of water",
    [("id", "integer", ""), ("site", "text", ""), ("sampled_on", "date", ""), ("lab", "text", ""),
     ("NO3_mgl", "number", "nitrate, mg/l; limit 50")],
    [(1, "Fraga", "2019-05-21", "north", 60.0, (1.0, 1.0)), (2, "Caspe", "2023-05-21", "south", 9.0, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def chat() -> Chat:
    world = World(ROADS, RESERVES, HUTS, SITES, PERMITS, SAMPLES)
    return Chat(world, analyst=Desk(world))


@pytest.mark.parametrize("sentence", ["how many huts are in the dark?", "how many dark huts are there?"])
async def test_a_value_is_named_by_its_beginning(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    ((name, arguments),) = chat.calls
    like = {
        "op": "like",
        "args": [{"op": "casei", "args": [{"property": "light"}]}, {"op": "casei", "args": ["Dark -%"]}],
    }
    assert (name, arguments["filters"]) == ("count_features", like)


@pytest.mark.parametrize(
    ("sentence", "place"),
    [
        ("zoom to Park - Ruhe", "Park - Ruhe"),
        ("zoom to Glaswaldsee - show huts", "Glaswaldsee"),
    ],
)
async def test_a_dash_between_names_belongs_to_the_name(chat: Chat, sentence: str, place: str) -> None:
    await chat(sentence)
    assert chat.calls[0][1]["place"] == place


@pytest.mark.parametrize(
    ("noun", "kinds", "tables"),
    [
        ("reserve", True, ["data.protected"]),
        ("nature reserve", True, ["data.protected"]),
        ("nature reserve", False, []),
        ("glaswaldsee", True, []),
    ],
)
def test_a_noun_behind_a_name_may_be_the_kind_of_its_rows(noun: str, kinds: bool, tables: list[str]) -> None:
    world = World(RESERVES)
    vocabulary = Vocabulary(world.ports["registry"], [])
    found = _tables_called(vocabulary, tuple(noun.split()), kinds=kinds)
    assert [each.id for each in found] == tables


async def test_one_of_several_values_is_said_with_its_column(chat: Chat) -> None:
    await chat("roads in poor condition or closed")
    either = {"op": "or", "args": [where("condition", "=", "closed"), where("condition", "=", "poor")]}
    assert chat.calls[-1][1]["filters"] == either


@pytest.mark.parametrize("begin", ["average price per fm", "what was the average price per fm"])
async def test_money_per_unit_is_a_price(chat: Chat, begin: str) -> None:
    await chat(f"{begin} for salvage logging")
    ((name, arguments),) = chat.calls
    asked = (name, arguments["column"], arguments["filters"])
    assert asked == ("column_stats", "eur_per_fm", where("measure", "=", "salvage logging"))


async def test_a_price_for_an_hour_makes_no_groups(chat: Chat) -> None:
    await chat("the cheapest harvest site per hour")
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"])


async def test_lines_are_measured_where_a_unit_of_length_is_asked_for(chat: Chat) -> None:
    answer = await chat("how many km of forest roads do we have?")
    assert chat.calls[0][0] == "run_analysis", answer


async def test_a_row_is_compared_with_in_small_letters_too() -> None:
    asked = []
    for name in ("Germany", "germany"):
        chat = Chat()
        await chat(f"countries larger than {name}")
        asked.append(chat.calls[-1][1]["filters"])
    assert asked[0] == asked[1]
    assert asked[0]["op"] == ">"


async def test_a_chart_becomes_one_of_another_column(chat: Chat) -> None:
    await chat("bar chart of roads by condition")
    await chat("make it a pie of max t instead")
    ((name, arguments),) = chat.calls
    assert (name, arguments["data"], arguments["x"]) == ("make_chart", "data.forest_roads", "max_t")


async def test_the_same_question_is_put_to_the_data_once() -> None:
    asked: list[tuple[str, Any]] = []

    class Counting:
        async def count(self, table: str, filter: Any = None, within: Any = None) -> int:
            asked.append((table, filter))
            return len(asked)

    data = AskedOnce(Counting())  # type: ignore[arg-type]  # only what is asked here
    answers = [await data.count("data.huts", each) for each in (None, {"op": "isNull"}, None)]
    assert answers == [1, 2, 1]
    assert asked == [("data.huts", None), ("data.huts", {"op": "isNull"})]


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("vol_m3_y", False), ("number_of_pupils", False), ("no_car_pct", False), ("y", True), ("coord_y", True),
        ("plan_no", True), ("zip", True), ("lat", True),
    ],
)  # fmt: skip
def test_a_code_or_a_coordinate_is_no_measure(name: str, is_one: bool) -> None:
    assert is_code(name) == is_one


async def test_totals_of_a_column_per_year_are_told(chat: Chat) -> None:
    assert "70" in await chat("total permitted volume by purpose")


@pytest.mark.parametrize(
    "sentence",
    ["total authorised volume of the permits in force", "total permitted volume of permits in force"],
)
async def test_a_value_may_begin_with_in(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    ((_, arguments),) = chat.calls
    assert (arguments["column"], arguments["filters"]) == ("vol_m3_y", where("state", "=", "in force"))


async def test_when_the_last_row_was_taken_is_its_date(chat: Chat) -> None:
    await chat("when was the last sample taken?")
    ((name, arguments),) = chat.calls
    assert (name, arguments["sort"], arguments["limit"]) == ("query_features", "sampled_on", 1)


@pytest.mark.parametrize(
    "amount", ["over 50 mg/l nitrate", "over 50 mg/l of nitrate", "with nitrate over 50 mg/l"]
)
async def test_a_unit_that_only_a_comment_tells_is_read(chat: Chat, amount: str) -> None:
    await chat(f"how many samples are there {amount}?".replace("there over", "over"))
    assert chat.calls[-1][1]["filters"] == where("NO3_mgl", ">", 50)


def test_letters_with_a_stroke_are_found_without_it() -> None:
    assert fold("Łódź, Chełm, Tromsø") == "lodz, chelm, tromso"


@pytest.mark.parametrize(
    "asked",
    ["countries larger than Germany but with fewer people", "countries larger than Germany with less people"],
)
async def test_a_second_comparison_is_with_the_same_row(asked: str) -> None:
    chat = Chat()
    await chat(asked)
    ((_, arguments),) = chat.calls
    assert [each["op"] for each in arguments["filters"]["args"]] == [">", "<"]
    assert [each["args"][0]["property"] for each in arguments["filters"]["args"]] == [
        "area_km2",
        "population",
    ]
