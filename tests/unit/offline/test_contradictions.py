"""What a new condition takes the place of."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.language.conditions.contradictions import without_contradicted
from tests.unit.offline.chatting import both, where

FRANCE, HIGH = where("country", "=", "France"), where("elevation_m", ">", 1000)


def since(year: int) -> dict[str, Any]:
    return where("opened", ">=", {"date": f"{year}-01-01"})


def before(year: int) -> dict[str, Any]:
    return where("opened", "<", {"date": f"{year}-01-01"})


def of_year(year: int) -> dict[str, Any]:
    return {"op": "=", "args": [{"op": "year", "args": [{"property": "opened"}]}, year]}


def within(name: str, west: float, east: float) -> dict[str, Any]:
    corners = [[west, 0], [east, 0], [east, 1], [west, 1], [west, 0]]
    place = {"type": "Polygon", "coordinates": [corners], "name": name}
    return {"op": "s_intersects", "args": [{"property": "geom"}, place]}


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        (FRANCE, where("country", "=", "Spain"), None),
        (both(HIGH, FRANCE), where("country", "in", ["Spain", "Italy"]), HIGH),
        (both(HIGH, since(2021), before(2022)), both(since(2022), before(2023)), HIGH),
        (both(since(2022), before(2023)), both(since(2021), before(2022)), None),
        (of_year(2021), of_year(2022), None),
        (where("elevation_m", "<", 1000), where("elevation_m", ">=", 1000), None),
        (where("elevation_m", "=", 5), HIGH, None),
        (both(HIGH, within("Farr", 0, 1)), within("Moy", 1, 2), HIGH),
        (within("Farr", 0, 1.001), within("Moy", 1, 2), None),
    ],
)
def test_conditions_that_cannot_hold_together_are_replaced(
    old: dict[str, Any], new: dict[str, Any], kept: dict[str, Any] | None
) -> None:
    assert without_contradicted(old, new) == kept


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (FRANCE, HIGH),
        (where("country", "in", ["France", "Spain"]), FRANCE),
        (both(since(2021), before(2024)), both(since(2022), before(2023))),
        (where("elevation_m", "<=", 1000), where("elevation_m", ">=", 1000)),
        (where("elevation_m", "=", "high"), HIGH),
        (both(FRANCE, where("country", "=", "Spain"), op="or"), where("country", "=", "Italy")),
        (where("country", "=", {"property": "owner"}), where("country", "=", "Spain")),
        (within("Farr", 0, 1), within("the east of Farr", 0.5, 2)),
        (within("Farr", 0, 1), both(within("Moy", 2, 3), within("Farr", 0, 1), op="or")),
    ],
)
def test_other_conditions_stay(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert without_contradicted(old, new) == old
