"""Columns that are called and filled in another language than the request."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat

PLANS = make_table(
    "data.plans", "POINT", "Detailed plans",
    [("id", "integer", ""), ("plan_namn", "text", "Plan name"), ("skede", "text", "Stage: Review, Adopted, In force"),
     ("start_ar", "integer", "Year the work began"), ("antagen_dat", "date", "Date of adoption"),
     ("overklagad", "text", "Appealed (ja/nej), empty where not yet adopted")],
    [(1, "Housing in Haga", "Adopted", 2015, "2019-04-01", "ja", (1.0, 1.0)),
     (2, "Heden offices", "In force", 2013, "2018-02-14", "nej", (1.1, 1.0)),
     (3, "School in Torpa", "Adopted", 2018, "2021-05-05", "nej", (2.0, 2.0)),
     (4, "Shops in Askim", "Review", 2019, None, None, (2.0, 2.1))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("plans that were appealed", [1]),
        ("plans that were not appealed", [2, 3]),
        ("plans adopted between 2018 and 2020", [1, 2]),
        ("plans named Heden offices", [2]),
    ],
)
async def test_rows_are_found(sentence: str, expected: list[int]) -> None:
    chat = Chat(World(PLANS))
    answer = await chat(f"show {sentence}")
    assert chat.layers, answer
    (layer,) = chat.layers.values()
    assert [row["id"] for row in chat.world.data.passing(layer.table, layer.filter)] == expected
