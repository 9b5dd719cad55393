"""Titles, colours and legends wished of charts; columns named by their axes; the values beyond the first ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

LANDS = make_table(
    "data.countries", "POLYGON", "Countries",
    [("id", "integer", ""), ("name", "text", ""), ("continent", "text", ""), ("currency", "text", ""),
     ("population", "integer", "Number of inhabitants"), ("area_km2", "number", "Area in square kilometres")],
    [(1, "France", "Europe", "EUR", 67, 547.0, (2.0, 47.0)), (2, "Peru", "Andes", "PEN", 32, 1285.0, (-75.0, -9.0)),
     (3, "Mali", "Africa", "XOF", 19, 1240.0, (-4.0, 17.0))],
)  # fmt: skip


async def charted(sentence: str) -> tuple[dict[str, Any], str]:
    chat = Chat(World(LANDS))
    answer = await chat(sentence)
    assert [name for name, _ in chat.calls] == ["make_chart"], answer
    assert chat.failed == []
    return chat.calls[0][1], answer


async def test_a_title_and_colours_of_the_groups_of_an_analysis() -> None:
    desk = Desk(world := World())
    chat = Chat(world, analyst=desk)
    answer = await chat('Bar chart: ten countries with the most airports, dark green bars, title "Airports"')
    assert desk.analysis.steps[-1][1]["n"] == 10
    assert (chat.calls[-1][0], chat.calls[-1][1]["title"]) == ("make_chart", "Airports")
    assert "The colours of charts cannot be chosen." in answer


@pytest.mark.parametrize(
    ("sentence", "title", "note"),
    [
        ('countries by continent as a bar chart, titled "Lands"', "Lands", ""),
        ('pie chart of population by continent with the title "People"', "People", "these are bars"),
        ("horizontal bar chart of countries by continent in teal and no legend", None, "colours of charts"),
        ("bar chart of countries by continent with the values on the bars", None, "not written on bars"),
        ("bar chart of countries by continent, no legend", None, ""),
    ],
)
async def test_wishes_at_the_end_of_a_request(sentence: str, title: str | None, note: str) -> None:
    arguments, answer = await charted(sentence)
    assert (arguments["kind"], arguments["x"], arguments.get("title")) == ("bar", "continent", title)
    assert note in answer
    assert note or "cannot be chosen" not in answer


@pytest.mark.parametrize(
    "sentence",
    [
        "scatter plot, area on x and population on y, one dot per country",
        "scatter plot of countries, area on x and population on y",
        "scatter plot: x = area, y = population of the countries",
        "scatter chart with population on the y axis and area on the x axis",
    ],
)
async def test_columns_by_their_axes(sentence: str) -> None:
    arguments, _ = await charted(sentence)
    assert (arguments["kind"], arguments["x"], arguments["y"]) == ("scatter", "area_km2", "population")


@pytest.mark.parametrize(
    ("sentence", "n"),
    [
        ('doughnut diagram of countries by currency, everything after the top 6 as "other"', 6),
        ("pie chart of countries by currency, the rest after the top 4 grouped as other", 4),
        ("bar chart of countries by currency, everything beyond the top 2", 2),
    ],
)
async def test_values_after_the_first_share_a_bar(sentence: str, n: int) -> None:
    arguments, _ = await charted(sentence)
    assert arguments == {"kind": "bar", "data": "data.countries", "x": "currency", "bins": n}


async def test_slices_are_shares() -> None:
    arguments, _ = await charted("pie chart with the share of each continent in the world's population")
    assert (arguments["x"], arguments["y"], arguments["aggregate"]) == ("continent", "population", "sum")


@pytest.mark.parametrize(
    "sentence",
    [
        "bar chart of the share of each continent in the population",
        "histogram of population, everything after the top 3 as other",
        "bar chart of countries by continent in Orange",
    ],
)
async def test_what_a_chart_does_not_show_is_not_read(sentence: str) -> None:
    chat = Chat(world := World(LANDS), analyst=Desk(world))
    await chat(sentence)
    assert "make_chart" not in [name for name, _ in chat.calls]


async def test_the_first_areas_of_a_count_are_one_analysis() -> None:
    desk = Desk(world := World())
    chat = Chat(world, analyst=desk)
    await chat("bar chart: airports above 100 m by country, the top 3")
    assert [name for name, _ in chat.calls if name == "make_chart" or name == "run_analysis"] == [
        "run_analysis"
    ]
    assert desk.analysis.steps[-1][1]["n"] == 3
    assert where("elevation_m", ">", 100) in [each.get("filter") for _, each in desk.analysis.steps]
