"""Analyses that a scripted analyst runs, for tests over the socket."""

from __future__ import annotations

from typing import Any

import aiohttp

from server.app import Server
from tests.support.server import Child

GOAL = "Which 20 cities over 3,000,000 people are farthest from any airport?"
LARGE_CITIES = (
    "filter",
    {"source": "data.cities", "filter": "population > 3000000", "title": "Large cities"},
)
FARTHEST: list[list[Any]] = [
    [LARGE_CITIES],
    [("nearest", {"source": "step_1", "target": "data.airports", "title": "Nearest airport"})],
    [("top", {"source": "step_2", "by": "distance_m", "n": 20, "title": "Farthest cities"})],
    [("finish", {"summary": "These 20 cities are farthest from an airport."})],
]


def hand_over(goal: str = GOAL) -> list[Any]:
    return [("run_analysis", {"goal": goal})]


async def tables_of(server: Server | Child, map_id: str | None = None) -> set[str]:
    """The tables that the catalogue of a map lists."""
    address = "/api/tables" if map_id is None else f"/api/maps/{map_id}/tables"
    async with aiohttp.ClientSession(server.url) as session, session.get(address) as answer:
        return {table["id"] for table in (await answer.json())["tables"]}
