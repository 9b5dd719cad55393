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
