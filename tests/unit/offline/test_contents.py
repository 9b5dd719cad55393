"""Questions about what a table holds, and looks that are asked for by the terms of map makers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, where

COUNTRIES, CITIES, AIRPORTS = "data.countries", "data.cities", "data.airports"


def values(table: str, column: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "column_stats", {"table": table, "column": column, **more}


@pytest.mark.parametrize(
    ("sentence", "call"),
    [
        ("list all sizes of airports", values(AIRPORTS, "size")),
        ("which sizes are there?", values(AIRPORTS, "size")),
        ("how many different sizes are there?", values(AIRPORTS, "size")),
        ("most common size", values(AIRPORTS, "size")),
        ("what are the different sizes of airports in Germany",
         values(AIRPORTS, "size", filters=where("country", "=", "Germany"))),
        ("how many rows does cities have?", ("count_features", {"table": CITIES})),
        ("how many records are in airports", ("count_features", {"table": AIRPORTS})),
        ("how many columns does cities have?", ("describe_table", {"table": CITIES})),
    ],
)  # fmt: skip
async def test_what_a_table_holds(sentence: str, call: tuple[str, dict[str, Any]]) -> None:
    chat = Chat()
    answer = await chat(sentence)
    assert chat.calls == [call], answer


@pytest.mark.parametrize("sentence", ["list all airports", "list cities", "list the elevations"])
async def test_rows_and_numbers_are_no_values_of_a_column_of_texts(sentence: str) -> None:
    chat = Chat()
    await chat(sentence)
    assert "column_stats" not in [name for name, _ in chat.calls]


async def test_a_column_of_several_tables_is_asked_about() -> None:
    columns = [("id", "integer", ""), ("owner", "text", "")]
    tables = [
        make_table(f"data.{name}", "POINT", name, columns, [(1, "A", (1.0, 1.0))])
        for name in ("barns", "mills")
    ]
    chat = Chat(World(*tables))
    answer = await chat("how many different owners are there?")
    assert chat.calls == []
    assert "Which table do you mean" in answer


async def test_a_column_of_a_layer_is_the_one_that_is_meant() -> None:
    chat = Chat()
    await chat("show cities")
    await chat("which country codes are there?")
    assert chat.calls == [values(CITIES, "country_code")]


async def test_colours_are_reversed_and_reversed_back() -> None:
    chat = Chat()
    await chat("show airports")
    assert "a colour ramp needs a column" in await chat("reverse the colours")
    await chat("colour airports by elevation in viridis")
    for ramp in ("Viridis_r", "Viridis"):
        await chat("reverse the colours")
        ((_, arguments),) = chat.calls
        assert arguments["style"] == {"ramp": ramp}


@pytest.mark.parametrize(
    ("sentence", "method"),
    [
        ("use quantiles", "quantile"),
        ("use natural breaks", "jenks"),
        ("classify by equal intervals", "equal"),
        ("equal intervals for the airports", "equal"),
    ],
)
async def test_the_classes_of_a_layer_are_asked_for_by_their_method(sentence: str, method: str) -> None:
    chat = Chat()
    await chat("colour airports by elevation")
    await chat(sentence)
    ((_, arguments),) = chat.calls
    assert arguments["style"] == {"method": method}


@pytest.mark.parametrize(
    ("words", "opens"), [("closed gates", False), ("open gates", True), ("gates that are closed", False)]
)
async def test_the_opposite_of_a_flag(words: str, opens: bool) -> None:
    gates = make_table(
        "data.gates", "POINT", "Gates", [("id", "integer", ""), ("is_open", "boolean", "")],
        [(1, True, (1.0, 1.0)), (2, False, (2.0, 2.0))],
    )  # fmt: skip
    chat = Chat(World(gates))
    await chat(words)
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == where("is_open", "=", opens)


@pytest.mark.parametrize(
    "sentence", ["colour the airports in Germany blue", "colour the airports in Germany in blue"]
)
async def test_a_colour_at_the_end_is_no_part_of_a_place(sentence: str) -> None:
    chat = Chat()
    await chat(sentence)
    ((_, arguments),) = chat.calls
    assert (arguments["filters"], arguments["color"]) == (where("country", "=", "Germany"), "blue")


async def test_some_rows_of_a_layer_are_coloured_apart_and_not_all_of_it() -> None:
    chat = Chat()
    await chat("show cities")
    await chat("colour the 3 largest cities red")
    assert chat.layers["cities"].style.color != "red"
    (_, (name, arguments)) = chat.calls
    assert (name, arguments["color"]) == ("add_map_layer", "red")
