"""Sizes of requests to a model, as bytes / 4: the first one by number of tables, and those of scripted conversations.

`python -m tests.bench requests`. Nothing is timed: the numbers are the same on every machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agents.analyst import Analyst
from agents.core.model import ModelRequest
from agents.domain import Column, Table
from agents.geo_agent import GeoAgent
from agents.ports import AnalysisReport
from server.evaluation.analyst.script import common_beginning, serialised
from server.maps.analyses.offered import OFFERED
from tests.bench.rows import Row
from tests.support.models import ScriptedModel
from tests.unit.geo_agent.tables import AIRPORTS, CITIES, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import MemoryAnalysis

TABLES = (3, 30, 10_000)
HIGH = {"op": ">", "args": [{"property": "elevation_m"}, 500]}

CHAT: Sequence[tuple[str, Sequence[Any]]] = (
    ("show the airports", [[("add_map_layer", {"table": "data.airports"})], "The airports are on the map."]),
    (
        "only the high ones, in red",
        [
            [("update_map_layer", {"layer_id": "airports", "filters": HIGH, "color": "red"})],
            "Only those above 500 m are shown.",
        ],
    ),
    ("how many are that?", [[("count_features", {"table": "data.airports", "filters": HIGH})], "Some."]),
    (
        "which country has the most people?",
        [
            [("describe_table", {"table": "data.countries"})],
            [
                (
                    "query_features",
                    {"table": "data.countries", "sort": "population", "descending": True, "limit": 3},
                )
            ],
            "The first one.",
        ],
    ),
    (
        "colour the countries by population and draw a chart",
        [
            [("add_map_layer", {"table": "data.countries", "style": {"column": "population"}})],
            [("make_chart", {"kind": "bar", "data": "data.countries", "x": "continent", "y": "population"})],
            "Both are there.",
        ],
    ),
    (
        "which cities are far from any airport?",
        [[("run_analysis", {"goal": "cities far from airports"})], "These."],
    ),
    ("zoom to Germany", [[("zoom_to", {"place": "Germany"})], "There it is."]),
)
"""The user's messages and the replies to each."""

_LARGE = ("filter", {"source": "data.cities", "filter": "population > 1000000", "title": "Large cities"})
_PLAN = {
    "steps": [{"operation": "filter", "title": "Large"}, {"operation": "nearest", "title": "Nearest airport"}]
}
ANALYSES: Sequence[tuple[str, Sequence[Any]]] = (
    (
        "which large cities are farthest from any airport?",
        [
            [("describe_table", {"table": "data.cities"})],
            [("plan", _PLAN), _LARGE],
            [("nearest", {"source": "step_1", "target": "data.airports", "title": "Nearest airport"})],
            [("top", {"source": "step_2", "by": "population", "n": 5, "title": "Farthest"})],
            [("query_features", {"table": "data.cities", "limit": 5})],
            [("finish", {"summary": "These are farthest."})],
        ],
    ),
    (
        "how many airports does each country have?",
        [
            [("describe_table", {"table": "data.airports"}), ("describe_table", {"table": "data.countries"})],
            [("spatial_join", {"source": "data.countries", "other": "data.airports", "title": "Airports"})],
            [("top", {"source": "step_1", "by": "population", "n": 10, "title": "Most"})],
            [("finish", {"summary": "Counted."})],
        ],
    ),
    (
        "areas within 50 km of large cities, by country",
        [
            [_LARGE],
            [("buffer", {"source": "step_1", "distance": "50 km", "title": "Around"})],
            [("dissolve", {"source": "step_2", "by": ["country"], "title": "By country"})],
            [("measure", {"source": "step_3", "title": "Areas"})],
            [("finish", {"summary": "Done."})],
        ],
    ),
)


class EveryOperation(MemoryAnalysis):
    """Offers the real operations; each leaves the rows of its source."""

    def operations(self) -> Any:
        return OFFERED

    _filter = _nearest = _top = _spatial_join = _buffer = _dissolve = _measure = MemoryAnalysis._as_it_is  # type: ignore[assignment]


class Desk:
    """An analyst that is done at once: its own requests are measured apart."""

    async def run(self, goal: str, session: Any, context: Any = None) -> AnalysisReport:
        return AnalysisReport("These cities are far from any airport.")

    async def recipes(self, session: Any) -> list[Any]:
        return []


def plain_table(number: int) -> Table:
    columns = [Column(name=f"attribute_{n}", kind="number", sql_type="double precision") for n in range(12)]
    return Table(
        id=f"data.things_{number}", schema_name="data", name=f"things_{number}", key=("id",),
        columns=tuple(columns), geometry_column="geom", geometry_type="POINT", srid=4326, row_estimate=1000,
    )  # fmt: skip


def world_of(count: int) -> World:
    return World(COUNTRIES, CITIES, AIRPORTS, *((plain_table(number), []) for number in range(count - 3)))


def tokens(request: ModelRequest) -> int:
    return len(serialised(request).encode()) // 4


async def chat(
    count: int = 3, conversation: Sequence[tuple[str, Sequence[Any]]] = CHAT
) -> list[ModelRequest]:
    """The requests of a conversation over so many tables."""
    model = ScriptedModel(*(reply for _, replies in conversation for reply in replies))
    agent = GeoAgent(model, **world_of(count).ports, analyst=Desk(), exporter=Desk())  # type: ignore[arg-type]
    for text, _ in conversation:
        await agent.chat(text)
    return model.requests


async def analysis(goal: str, replies: Sequence[Any], count: int = 3) -> list[ModelRequest]:
    """The requests of one analysis over so many tables."""
    world = world_of(count)
    model = ScriptedModel(*replies)
    await Analyst(model, **world.ports, session=EveryOperation(world)).chat(goal)
    return model.requests


@dataclass(frozen=True)
class Measured:
    """Requests of conversations, in tokens."""

    first: int
    mean: int
    requests: int
    cached: float
    """Share of all tokens that are the beginning of the request before, so that a prompt cache serves them."""

    @classmethod
    def of(cls, conversations: Sequence[Sequence[ModelRequest]]) -> Measured:
        sizes = [tokens(request) for requests in conversations for request in requests]
        known = 0
        for requests in conversations:
            texts = [serialised(request) for request in requests]
            known += sum(common_beginning(one, other) for one, other in pairwise(texts))
        firsts = [tokens(requests[0]) for requests in conversations]
        mean = sum(sizes) // len(sizes)
        return cls(max(firsts), mean, len(sizes), known / 4 / sum(sizes))


async def measured() -> tuple[Measured, Measured]:
    """The scripted chat and the scripted analyses, over three tables."""
    return (
        Measured.of([await chat()]),
        Measured.of([await analysis(goal, replies) for goal, replies in ANALYSES]),
    )


async def measure(postgis: object = None) -> list[Row]:
    """Rows for the table of benchmarks."""
    rows = []
    for count in TABLES:
        first, own = await chat(count, CHAT[:1]), await analysis(*ANALYSES[0], count)
        note = f"analyst: {tokens(own[0]):,}"
        rows.append(
            Row(f"first request of the chat over {count:,} tables", f"{tokens(first[0]):,} tokens", note)
        )
    for name, found in zip(("chat", "analyst"), await measured(), strict=True):
        cached = f"{found.requests} requests, {found.cached:.0%} of the tokens can come from a prompt cache"
        rows.append(Row(f"mean request of the {name}", f"{found.mean:,} tokens", cached))
    return rows


if __name__ == "__main__":
    for row in asyncio.run(measure()):
        print(*row, sep=" | ")
