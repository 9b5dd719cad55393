"""Codes that rows of two tables share, such as that of their country, are no key between them."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

TOWNS = make_table(
    "data.towns", "POINT", "Towns",
    [("name", "text", ""), ("country_code", "text", "ISO code of the country")],
    [("Ulm", "DE", (1.0, 1.0)), ("Essen", "DE", (1.0, 1.1)), ("Lima", "PE", (1.1, 1.1))],
)  # fmt: skip
STRIPS = make_table(
    "data.strips", "POINT", "Landing strips",
    [("name", "text", ""), ("country_code", "text", "ISO code of the country")],
    [("A", "DE", (1.0, 1.0)), ("B", "DE", (1.0, 1.1)), ("C", "PE", (1.1, 1.1))],
)  # fmt: skip


@pytest.mark.parametrize("asked", ["towns per strip", "number of towns by strip"])
async def test_a_code_that_several_rows_share_numbers_none_of_them(asked: str) -> None:
    world = World(TOWNS, STRIPS)
    desk = Desk(world)
    await Chat(world, analyst=desk)(asked)
    assert not desk.analysis.steps
