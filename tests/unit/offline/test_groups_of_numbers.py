"""Numbers that nearly every row has its own of make no groups; densities of groups are those of all their rows."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

SITES = make_table(
    "data.sites", "POINT", "Nature sites",
    [("id", "integer", ""), ("name", "text", ""), ("area_ha", "number", "Area in hectares"),
     ("visitors", "integer", "Visitors per year"), ("opened", "integer", "Year of opening")],
    [(n, f"Site {n}", 10.5 + n, 100 * n, 1950 + n, (1.0, 1.0)) for n in range(1, 41)],
)  # fmt: skip


@pytest.mark.parametrize(
    "sentence", ["number of sites by area", "top 20 sites by visitors as table", "visitors by hectare"]
)
async def test_a_measurement_makes_no_groups(sentence: str) -> None:
    own = Desk(World(SITES))
    answer = await Chat(own.world, analyst=own)(sentence)
    assert all(operation not in ("dissolve", "summarise") for operation, _ in own.analysis.steps), answer


async def test_years_make_groups() -> None:
    own = Desk(World(SITES))
    await Chat(own.world, analyst=own)("number of sites by year of opening")
    assert own.analysis.steps[-1][1]["by"] == ["opened"]


LANDS = make_table(
    "data.lands", "POLYGON", "Lands",
    [("id", "integer", ""), ("name", "text", ""), ("continent", "text", ""),
     ("population", "integer", "Number of inhabitants"), ("area_km2", "number", "Area in square kilometres"),
     ("population_density", "number", "Inhabitants per square kilometre")],
    [(1, "Ana", "East", 10, 1.0, 10.0, (1.0, 1.0)), (2, "Bo", "East", 10, 2.0, 5.0, (2.0, 1.0)),
     (3, "Cy", "West", 10, 4.0, 2.5, (3.0, 1.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        "population density by continent",
        "population density per continent",
        "which continent has the highest population density",
    ],
)
async def test_the_density_of_a_group_is_that_of_its_totals(sentence: str) -> None:
    own = Desk(World(LANDS))
    await Chat(own.world, analyst=own)(sentence)
    steps = dict(own.analysis.steps)
    assert [each["column"] for each in steps["dissolve"]["aggregates"][:2]] == ["population", "area_km2"]
    assert steps["calculate"]["expression"] == "sum_population * 1 / sum_area_km2"


async def test_an_average_density_is_that_of_the_rows() -> None:
    own = Desk(World(LANDS))
    await Chat(own.world, analyst=own)("average population density by continent")
    figure, _ = own.analysis.steps[-1][1]["aggregates"]
    assert figure == {"function": "mean", "column": "population_density"}


async def test_the_densest_row_is_ranked_by_its_column() -> None:
    chat = Chat(World(LANDS))
    assert "**Ana**" in await chat("which land has the highest population density")
