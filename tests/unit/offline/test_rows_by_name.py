"""Rows called by their name after the noun, who owns something, columns compared with each other, years and decades."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, no, where, within

PARCELS = make_table(
    "data.parcels",
    "POINT",
    "Parcels and their land use",
    [("id", "integer", ""), ("parcel_no", "text", ""), ("owner", "text", ""), ("district", "text", ""),
     ("built_year", "integer", ""), ("floors", "integer", ""), ("dwellings", "integer", ""), ("opened", "date", "")],
    [(1, "P-010", "City", "North", 1974, 2, 3, "1974-03-01", (1.0, 1.0)),
     (2, "P-011", "Church", "South", 1990, 4, 1, "1990-03-01", (2.0, 2.0))],
)  # fmt: skip
CANALS = make_table(
    "data.canals",
    "LINESTRING",
    "Canals",
    [("id", "integer", ""), ("status", "text", "")],
    [(1, "open", (1.0, 1.0))],
)
FRANCE = where("name", "=", "France")


def columns(one: str, op: str, other: str) -> dict[str, Any]:
    return {"op": op, "args": [{"property": one}, {"property": other}]}


@pytest.mark.parametrize(
    "sentence", ["show the country France", "country France", "show country France in red"]
)
async def test_a_name_after_the_noun_is_that_row(sentence: str) -> None:
    chat = Chat()
    await chat(sentence)
    assert chat.layers["countries"].filter == FRANCE


async def test_how_far_a_row_with_a_code_is_from_the_nearest_of_others() -> None:
    world = World(PARCELS, CANALS)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("how far is parcel P-011 from the nearest canal?")
    (_, chosen), (name, near) = desk.analysis.steps
    assert (name, near["target"]) == ("nearest", "data.canals"), answer
    assert chosen["filter"] == where("parcel_no", "=", "P-011")


async def test_a_value_after_a_noun_in_the_plural_is_a_condition() -> None:
    chat = Chat()
    await chat("show airports Germany")
    assert chat.layers["airports"].filter == where("country", "=", "Germany")


async def test_the_layer_of_a_table_is_its_layer() -> None:
    chat = Chat()
    await chat("show airports and cities")
    await chat("hide the layer of airports")
    assert [layer.id for layer in chat.layers.values() if not layer.visible] == ["airports"]


@pytest.mark.parametrize(
    "sentence", ["who owns parcel P-010?", "who owns P-010", "Who owns the parcel P-010?"]
)
async def test_who_owns_a_row_is_its_owner(sentence: str) -> None:
    chat = Chat(World(PARCELS))
    answer = await chat(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("query_features", where("parcel_no", "=", "P-010"))
    assert "City" in answer


async def test_who_owns_is_not_answered_where_no_column_says_it() -> None:
    chat = Chat()
    assert "“owns” is not a word of this language" in await chat("who owns Ulm Airfield?")
    assert [name for name, _ in chat.calls] == ["cannot_do"]


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show parcels where floors > dwellings", columns("floors", ">", "dwellings")),
        ("parcels with more floors than dwellings", columns("floors", ">", "dwellings")),
        ("parcels whose floors are at most dwellings", columns("floors", "<=", "dwellings")),
        ("parcels where dwellings is not more than floors", columns("dwellings", "<=", "floors")),
        ("show parcels built in the 1970s", within("built_year", 1970, 1979)),
        ("show parcels not built in the 1970s", no(within("built_year", 1970, 1979))),
        ("show parcels built after the 1970s", where("built_year", ">", 1979)),
        ("show parcels built before the 1980s", where("built_year", "<", 1980)),
    ],
)
async def test_what_is_compared_is_what_was_said(sentence: str, filters: dict[str, Any] | None) -> None:
    chat = Chat(World(PARCELS))
    answer = await chat(sentence)
    found = next((layer.filter for layer in chat.layers.values()), None)
    assert found == filters, answer


async def test_a_participle_before_a_decade_means_its_own_column() -> None:
    chat = Chat(World(PARCELS))
    await chat("parcels opened in the 1970s")
    assert chat.layers["parcels"].filter == {
        "op": "and",
        "args": [
            {"op": ">=", "args": [{"property": "opened"}, {"date": "1970-01-01"}]},
            {"op": "<", "args": [{"property": "opened"}, {"date": "1980-01-01"}]},
        ],
    }


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("show airports where elevation_m > elevation_ft", "elevation_m is in m and elevation_ft is in ft"),
        ("show countries where population > continent", "cannot be compared"),
        ("show countries where population = population", "is population itself"),
        ("show cities with population in the 1970s", "holds no dates and no years"),
    ],
)
async def test_what_cannot_be_compared_is_refused_with_the_reason(sentence: str, reason: str) -> None:
    chat = Chat()
    assert reason in await chat(sentence)
    assert chat.layers == {}


@pytest.mark.parametrize(
    ("sentence", "function", "column"),
    [
        ("number of dwellings per district", "sum", "dwellings"),
        ("total dwellings by district", "sum", "dwellings"),
        ("average floors per district", "mean", "floors"),
    ],
)
async def test_a_figure_of_the_only_table_with_both_columns(
    sentence: str, function: str, column: str
) -> None:
    world = World(PARCELS)
    desk = Desk(world)
    await Chat(world, analyst=desk)(sentence)
    count = {"function": "count", "name": "count"}
    aggregates = [{"function": function, "column": column}, count]
    assert desk.analysis.steps == [
        ("dissolve", {"source": "data.parcels", "by": ["district"], "aggregates": aggregates})
    ]


async def test_a_figure_whose_rows_may_be_others_is_not_answered() -> None:
    world = World(PARCELS)
    chat = Chat(world, analyst=Desk(world))
    await chat("show parcels in North")
    await chat("total dwellings per district")
    assert chat.calls == []


async def test_of_several_tables_with_both_columns_one_is_asked_for() -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("average population per continent")
    assert "Which table do you mean: data.cities or data.countries?" in answer
    assert desk.analysis.steps == []


async def test_people_who_live_in_two_places_are_added_up() -> None:
    chat = Chat()
    answer = await chat("how many people live in Germany and France together?")
    assert "149,915,166" in answer, answer
    assert "66,987,244" in await chat("how many people live in France?")


async def test_of_several_rows_of_a_name_one_is_compared() -> None:
    chat = Chat()
    assert "Paris, France; or Paris, United States" in await chat("is Paris bigger than Ulm?")


@pytest.mark.parametrize("said", ["show C-10057", "show ticket C-10057"])
async def test_a_code_names_its_row_whatever_its_column_is_called(said: str) -> None:
    columns = [("id", "integer", ""), ("ticket", "text", ""), ("category", "text", "")]
    rows = [(each, f"C-{10000 + each}", "noise", (float(each % 50), 1.0)) for each in range(1, 60)]
    chat = Chat(World(make_table("data.complaints", "POINT", "Complaints", columns, rows)))
    await chat(said)
    assert [name for name, _ in chat.calls] != ["cannot_do"]
    assert "C-10057" in str(chat.calls)
