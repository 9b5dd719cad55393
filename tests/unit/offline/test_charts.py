"""Charts in plain words: which call they become, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, where
from tests.unit.offline.test_periods import INCIDENTS

ELEVATION = {"kind": "histogram", "data": "data.airports", "x": "elevation_m"}
BY_COUNTRY = {"data": "data.airports", "x": "country"}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("histogram of elevation of airports", ELEVATION),
        ("histogram of the airports' elevation", None),
        ("draw me a histogram of elevation", ELEVATION),
        ("show the distribution of elevation of airports", ELEVATION),
        ("show a histogram of elevation of airports in Germany",
         {**ELEVATION, "filters": where("country", "=", "Germany")}),
        ("chart airports by country", {"kind": "bar", **BY_COUNTRY}),
        ("bar chart of the number of airports by country", {"kind": "bar", **BY_COUNTRY}),
        ("make a bar chart of the highest elevation", None),
        ("chart average elevation by country", {"kind": "bar", **BY_COUNTRY, "y": "elevation_m", "aggregate": "mean"}),
        ("chart population by continent of countries",
         {"kind": "bar", "data": "data.countries", "x": "continent", "y": "population", "aggregate": "sum"}),
        ("box plot of elevation by country", {"kind": "box", **BY_COUNTRY, "y": "elevation_m"}),
        ("scatter population against area of countries",
         {"kind": "scatter", "data": "data.countries", "x": "area_km2", "y": "population"}),
        ("plot population against area for the countries in Europe",
         {"kind": "scatter", "data": "data.countries", "x": "area_km2", "y": "population",
          "filters": where("continent", "=", "Europe")}),
        ("Is there a relation between population and area? A scatter plot would be nice",
         {"kind": "scatter", "data": "data.countries", "x": "area_km2", "y": "population"}),
        ("does population depend on area for countries in Europe?",
         {"kind": "scatter", "data": "data.countries", "x": "area_km2", "y": "population",
          "filters": where("continent", "=", "Europe")}),
        ("scatter plot of population and area of countries coloured by continent",
         {"kind": "scatter", "data": "data.countries", "x": "area_km2", "y": "population", "color": "continent"}),
        ("line chart of population by area of countries",
         {"kind": "line", "data": "data.countries", "x": "area_km2", "y": "population"}),
    ],
)  # fmt: skip
async def test_words_become_a_chart(sentence: str, expected: dict[str, Any] | None) -> None:
    chat = Chat()
    answer = await chat(sentence)
    made = [arguments for name, arguments in chat.calls if name == "make_chart"]
    assert made == ([expected] if expected else []), answer
    assert chat.failed == []
    if expected:
        assert answer.startswith("Here is a chart: ")


async def test_of_the_layer_that_is_spoken_of_what_it_shows() -> None:
    chat = Chat()
    await chat("show airports above 2000 m")
    answer = await chat("histogram of elevation")
    assert chat.calls == [("make_chart", {**ELEVATION, "data": "airports"})]
    assert "of 4 rows" in answer


async def test_plotting_a_table_still_draws_it_on_the_map() -> None:
    chat = Chat()
    await chat("plot airports")
    assert [name for name, _ in chat.calls] == ["add_map_layer"]


async def test_several_commands_with_a_chart_among_them() -> None:
    chat = Chat()
    await chat("show airports in red and histogram of elevation, then zoom to airports")
    assert [name for name, _ in chat.calls] == ["add_map_layer", "make_chart", "zoom_to"]


async def test_the_newest_chart_is_removed_and_none_is_admitted() -> None:
    chat = Chat()
    assert "no charts" in await chat("remove the chart")
    await chat("histogram of elevation of airports")
    assert await chat("remove the chart") == "Removed the chart **Airports by elevation (m)**."


@pytest.mark.parametrize(
    "sentence",
    [
        "top 3 countries by population as a bar chart",
        "bar chart of the top 3 countries by population",
        "show the 3 most populous countries as bars",
    ],
)
async def test_the_first_rows_are_charted_by_what_ranks_them(sentence: str) -> None:
    chat = Chat()
    await chat(sentence)
    (asked, ranked), (charted, arguments) = chat.calls
    assert (asked, ranked["sort"], ranked["limit"]) == ("query_features", "population", 3)
    assert (charted, arguments["kind"], arguments["x"], arguments["y"]) == (
        "make_chart",
        "bar",
        "name",
        "population",
    )


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("bar chart of incidents per month", {"kind": "histogram", "period": "month"}),
        (
            "bar chart of incidents per year and kind",
            {"kind": "histogram", "period": "year", "color": "kind"},
        ),
        ("line chart of incidents per year", {"kind": "line", "period": "year"}),
    ],
)
async def test_rows_are_charted_by_whole_periods(sentence: str, expected: dict[str, Any]) -> None:
    chat = Chat(World(INCIDENTS))
    await chat(sentence)
    assert chat.calls == [("make_chart", {"data": "data.incidents", "x": "reported", **expected})]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("airports by country as a bar chart", {"kind": "bar", **BY_COUNTRY}),
        ("how many airports are there per country as a bar chart", {"kind": "bar", **BY_COUNTRY}),
        ("plot the number of airports per country", {"kind": "bar", **BY_COUNTRY}),
        ("pie chart: breakdown of airports by country", {"kind": "bar", **BY_COUNTRY}),
        ("pie chart of elevation by country",
         {"kind": "bar", **BY_COUNTRY, "y": "elevation_m", "aggregate": "sum"}),
        ("average elevation by country as a chart",
         {"kind": "bar", **BY_COUNTRY, "y": "elevation_m", "aggregate": "mean"}),
        ("bar chart: number of airports per country in Europe, sorted from high to low", {"kind": "bar", **BY_COUNTRY}),
        ("histogram of airport elevation above 1000 m", ELEVATION),
        ("bar chart of population by country, highest first",
         {"kind": "bar", "data": "data.countries", "x": "name", "y": "population", "aggregate": "sum"}),
    ],
)  # fmt: skip
async def test_a_chart_may_be_named_first_or_last(sentence: str, expected: dict[str, Any]) -> None:
    chat = Chat()
    answer = await chat(sentence)
    ((name, arguments),) = chat.calls
    arguments.pop("filters", None)
    assert (name, arguments) == ("make_chart", expected), answer


@pytest.mark.parametrize(
    "sentence",
    [
        "bar chart of airports by towered, sorted from high to low",
        "bar chart of airports by elevation, highest first",
        "scatter plot of population and area of countries, sorted",
        "line chart of population by area of countries, sorted",
        "histogram of elevation of airports, ordered by value",
    ],
)
async def test_an_order_that_a_chart_does_not_have_is_not_read(sentence: str) -> None:
    chat = Chat()
    answer = await chat(sentence)
    assert [name for name, _ in chat.calls if name != "cannot_do"] == [], answer


async def test_what_was_shown_last_becomes_a_chart() -> None:
    chat = Chat()
    await chat("colour airports by country")
    await chat("as a pie chart please")
    assert chat.calls == [("make_chart", {"kind": "bar", "data": "airports", "x": "country"})]
    await chat("great, make that a bar chart")
    assert chat.calls == [("make_chart", {"kind": "bar", "data": "airports", "x": "country"})]
    await chat("show airports in red")
    assert "no column" in await chat("as a bar chart")
