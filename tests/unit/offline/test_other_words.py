"""Other words for the same, and what is known not to be done: neither is ever misread as another command."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, no, where

AIRPORTS, CITIES, COUNTRIES = ("data.airports", "data.cities", "data.countries")


def counted(table: str, filters: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
    return "count_features", {"table": table, **({"filters": filters} if filters else {})}


@pytest.mark.parametrize(
    ("sentence", "call"),
    [
        ("how many airports does Germany have?", counted(AIRPORTS, where("country", "=", "Germany"))),
        ("are there airports above 2000 m?", counted(AIRPORTS, where("elevation_m", ">", 2000))),
        ("is there any airport in Bolivia?", counted(AIRPORTS, where("country", "=", "Bolivia"))),
        (
            "how many cities in Germany have more than a million inhabitants?",
            counted(CITIES, both(where("country", "=", "Germany"), where("population", ">", 1_000_000))),
        ),
    ],
)
async def test_a_question_in_other_words_is_the_same_question(sentence: str, call: tuple[str, Any]) -> None:
    chat = Chat()
    answer = await chat(sentence)
    assert chat.calls == [call], answer


@pytest.mark.parametrize(
    ("sentence", "table", "filters"),
    [
        (
            "cities in Germany bigger than 500k",
            CITIES,
            both(where("country", "=", "Germany"), where("population", ">", 500_000)),
        ),
        (
            "cities in Europe except Germany",
            CITIES,
            both(where("continent", "=", "Europe"), no(where("country", "=", "Germany"))),
        ),
        ("give me a map of the cities in France", CITIES, where("country", "=", "France")),
    ],
)
async def test_a_filter_in_other_words_is_the_same_filter(
    sentence: str, table: str, filters: dict[str, Any]
) -> None:
    chat = Chat()
    answer = await chat(sentence)
    (call,) = chat.calls
    assert (call[0], call[1]["table"], call[1]["filters"]) == ("add_map_layer", table, filters), answer


@pytest.mark.parametrize(
    ("sentence", "operations"),
    [
        ("how many countries are there per continent?", ["dissolve"]),
        ("number of airports per country", ["dissolve"]),
        ("countries with more than 2 airports", ["summarise", "join_by_attribute", "filter"]),
        ("hot spots of airports", ["grid", "hot_spots"]),
        (
            "buffer the cities in Germany by 50 km and count airports by country inside",
            ["filter", "buffer", "select_by_location", "summarise"],
        ),
        ("countries bordering Germany", ["filter", "select_by_location"]),
    ],
)  # fmt: skip
async def test_an_analysis_in_other_words_is_handed_over(sentence: str, operations: list[str]) -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    answer = await chat(sentence)
    assert chat.calls[0] == ("run_analysis", {"goal": sentence}), answer
    assert [name for name, _ in desk.analysis.steps] == operations
    assert "cannot" not in answer


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Delete all airports of Germany from the database.", "only reads your tables"),
        ("drop the table airports", "only reads your tables"),
        ("add a new airport in Berlin", "only reads your tables"),
        ("update the population of Berlin to 4 million", "only reads your tables"),
        ("alter the column elevation_m", "only reads your tables"),
        ("export the airports", "which kind of file"),
        ("save this map", "saved by hand"),
        ("play the earthquakes by month", "not played by words"),
        ("airport with the longest name", "by the alphabet"),
        ("show airports in Germany, coloured by type", "airports has no column “type”. It has name"),
        ("colour countries by gdp per capita", "countries has no column “gdp per capita”. It has name"),
    ],
)
async def test_what_is_not_done_is_refused_for_its_true_reason(sentence: str, reason: str) -> None:
    chat = Chat()
    answer = await chat(sentence)
    assert [name for name, _ in chat.calls] == ["cannot_do"], answer
    assert reason in answer


async def test_a_continent_is_a_place_and_other_groups_of_rows_are_none() -> None:
    chat = Chat()
    assert await chat("zoom to Europe") == "Zoomed to **Europe** (continent)."
    assert chat.calls == [("zoom_to", {"place": "Europe"})]
    rows = chat.world.data.rows["data.countries"]
    chat.world.data.rows["data.countries"] = [{**row, "continent": "Benelux"} for row in rows]
    assert "several countries have in common" in await chat("zoom to Benelux")
    assert [name for name, _ in chat.calls] == ["cannot_do"]


async def test_two_columns_at_once_are_not_drawn_as_one() -> None:
    chat = Chat()
    answer = await chat("colour airports by country and size by elevation")
    assert chat.calls == [], answer
    assert chat.layers == {}


@pytest.mark.parametrize(
    ("sentence", "color"),
    [
        ("show airports within 500 km of Berlin in dark green", "darkgreen"),
        ("airports within 500 km of Berlin in red please", "red"),
        ("buffer the cities by 5 km in blue, then show the three largest", None),
        ("airports within 500 km of Berlin in Red", None),
    ],
)
async def test_a_result_has_the_colour_that_was_said_at_the_end(sentence: str, color: str | None) -> None:
    desk = Desk(World())
    await Chat(desk.world, analyst=desk)(sentence)
    style = desk.analysis.style
    assert (style.color if style is not None else None) == color


async def test_a_result_is_drawn_as_was_said_with_it() -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    await chat("show the airports within 500 km of Berlin, coloured by elevation_m")
    assert desk.analysis.style is not None
    assert (desk.analysis.style.kind, desk.analysis.style.column) == ("graduated", "elevation_m")


async def test_points_have_no_size_and_hold_nothing() -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    await chat("dissolve the airports by country and show the two largest")
    assert [name for name, _ in desk.analysis.steps] == ["dissolve", "top"]
    assert desk.analysis.steps[-1][1]["by"] == "count"
    await chat("show airports in Germany")
    answer = await chat("how many cities are in them?")
    assert "points, and nothing lies in a point" in answer


async def test_each_of_some_gets_its_nearest_of_others() -> None:
    world = World()
    desk = Desk(world)
    await Chat(world, analyst=desk)("nearest city over 1 million to each airport in Germany")
    nearest = next(arguments for name, arguments in desk.analysis.steps if name == "nearest")
    source = next(arguments for name, arguments in desk.analysis.steps if name == "filter")
    assert source["source"] == AIRPORTS
    assert nearest["source"] == "step_1"


async def test_a_time_slider_is_a_column_of_the_layer() -> None:
    chat = Chat()
    await chat("show earthquakes")
    answer = await chat("time slider for them")
    ((name, arguments),) = chat.calls
    assert name == "update_map_layer"
    assert set(arguments["style"]) == {"time"}
    assert "slid through" in answer
    await chat("time slider for the airports")
    assert [name for name, _ in chat.calls] == ["cannot_do"]


def asked(table: str, column: str, filters: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
    return "column_stats", {"table": table, "column": column, **({"filters": filters} if filters else {})}


@pytest.mark.parametrize(
    ("sentence", "call"),
    [
        (
            "highest elevation of the airports in Germany",
            asked(AIRPORTS, "elevation_m", where("country", "=", "Germany")),
        ),
        ("the lowest elevation of airports", asked(AIRPORTS, "elevation_m")),
        ("how many airports have no iata code?", counted(AIRPORTS, empty("iata"))),
        ("how many airports were there in Germany?", counted(AIRPORTS, where("country", "=", "Germany"))),
        ("total number of airports in Germany", counted(AIRPORTS, where("country", "=", "Germany"))),
        ("how many airports are there in the world?", counted(AIRPORTS)),
    ],
)
async def test_a_figure_is_asked_for_in_many_words(sentence: str, call: tuple[str, Any]) -> None:
    chat = Chat()
    answer = await chat(sentence)
    assert chat.calls == [call], answer


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("what is the largest city in the world?", "Shanghai"),
        ("which city in Germany has the most inhabitants?", "Berlin"),
        ("which country in Africa has the largest area?", "Côte d'Ivoire"),
    ],
)
async def test_the_one_with_the_most_is_named_also_within_a_place(sentence: str, name: str) -> None:
    assert (await Chat()(sentence)).startswith(f"**{name}**")


async def test_a_condition_and_a_style_in_one_sentence_make_one_layer() -> None:
    chat = Chat()
    await chat("find airports in Germany higher than 100 m and show them as big blue circles")
    ((name, arguments),) = chat.calls
    assert name == "add_map_layer"
    assert arguments["filters"] == both(where("country", "=", "Germany"), where("elevation_m", ">", 100))
    assert (arguments["color"], arguments["style"]) == ("blue", {"kind": "single", "size": 7.5})


async def test_the_distance_between_two_places_is_measured_between_their_rows() -> None:
    world = World()
    desk = Desk(world)
    await Chat(world, analyst=desk)("how far is Berlin from Ulm?")
    assert [operation for operation, _ in desk.analysis.steps] == ["filter", "filter", "distance_matrix"]


async def test_an_average_after_an_analysis_is_not_about_its_result() -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    await chat("countries within 500 km of Berlin")
    await chat("average population density of Europe")
    assert not any("analysis." in str(arguments) for _, arguments in chat.calls)
