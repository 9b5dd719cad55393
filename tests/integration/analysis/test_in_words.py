"""Analyses in the words of the offline language, from the socket to PostGIS: what the documentation says, run.

That each example is read as an analysis is tested by `tests/unit/offline/test_documentation.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from agents.offline.language.vocabulary import Vocabulary
from agents.offline.parser import parse
from server.app import Server
from tests.support.server import client, local_server
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk

PAGE = (Path(__file__).parents[3] / "docs" / "offline-language.md").read_text("utf-8")
BLOCKS = re.findall(r"^```geoagent-(analysis|follow-ups)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
CONVERSATIONS = [
    lines
    for kind, block in BLOCKS
    for lines in ([[line] for line in block.splitlines()] if kind == "analysis" else [block.splitlines()])
]

CHOICES = ("method", "predicate", "shape")
"""Arguments whose value decides what an operation does."""


def different(conversations: list[list[str]]) -> list[list[str]]:
    """Those of which a step has an operation, an argument, a choice or a condition that no earlier one has."""
    world = World()
    vocabulary = Vocabulary(world.registry, world.map.layers(), Desk(world).operations())
    seen: set[tuple[str, str]] = set()
    found: list[list[str]] = []
    for lines in conversations:
        meant = {part for each in parse(lines[0], vocabulary) for part in _parts(each.intent)}
        if len(lines) > 1 or not meant <= seen:
            found.append(lines)
        seen |= meant
    return found


def _parts(of: object, owner: str = "") -> Iterator[tuple[str, str]]:
    """The fields, arguments, functions and choices that are set, each with the operation or class it belongs to."""
    if is_dataclass(of):
        owner = getattr(of, "operation", type(of).__name__)
        given = {field.name: getattr(of, field.name) for field in fields(of)}
        yield from _parts([pair for pair in given.items() if pair[1]], owner)
    elif isinstance(of, Mapping):
        yield owner, str(of.get("function"))
        yield from _parts([*of.items()], owner)
    elif isinstance(of, (list, tuple)):
        if len(of) == 2 and isinstance(of[0], str):
            yield owner, of[0]
            if of[0] in CHOICES:
                yield owner, str(of[1])
        for each in of:
            yield from _parts(each, owner)


async def test_every_kind_of_analysis_of_the_language_page_ends_with_a_result(fewer_samples_url: str) -> None:
    assert len(CONVERSATIONS) > 25
    failed: list[str] = []
    async with local_server(fewer_samples_url) as server:
        for lines in different(CONVERSATIONS):
            async with client(server) as one:
                await one.ask("join")
                for number, line in enumerate(lines, 1):
                    turn = await one.says(line)
                    done = one.named("analysis_finished")
                    if (
                        turn["status"] != "done"
                        or len(done) < number
                        or not done[-1]["receipt"]["steps"][-1]["rows"]
                    ):
                        failed.append(f"{line}: {one.named('ai_response')}")
    assert failed == []


async def test_figures_of_all_rows_are_told_without_their_number(offline_server: Server) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says("max and min elevation of airports")
        answer = one.named("ai_response")[-1]["message"]
        assert answer.startswith("Highest elevation and lowest elevation of airports."), answer
        assert "| max_elevation_m | count | min_elevation_m |" in answer


async def test_the_farthest_of_the_nearest(offline_server: Server) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says("nearest airport to each capital in Europe")
        await one.says("which one is the farthest")
        farthest = one.named("ai_response")[-1]["message"]
        await one.says("which 2 of them have the highest distance_m")
        assert "`distance_m`" in farthest
        assert farthest.split("**")[1] in one.named("ai_response")[-1]["message"].splitlines()[4], farthest


@pytest.mark.parametrize(
    ("whole", "part", "people"),
    [
        ("South America", "Brazil", "209,469,333"),
        ("Germany", "Berlin", "3,426,354"),
        ("South America", "France", "No row"),
    ],
)
async def test_people_of_a_part_are_those_who_live_in_it(
    offline_server: Server, whole: str, part: str, people: str
) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says(f"how many people live in {whole}")
        await one.says(f"and how many of them in {part.lower()}")
        assert people in one.named("ai_response")[-1]["message"]


@pytest.mark.parametrize("asked", ["what's its area", "how big is it?", "area in km2"])
async def test_its_area_is_that_of_the_shape_just_made(offline_server: Server, asked: str) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says("convex hull of all airports in Iceland")
        await one.says(asked)
        answer = one.named("ai_response")[-1]["message"]
        assert re.search(r"[\d,.]+ km²", answer), answer
        assert "103,000" not in answer, "the area of the country"


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("dissolve countries by continent, then show the two largest", "| Asia |"),
        (
            "calculate density = population / area_km2 for countries, then show the top 3 by density",
            "| Monaco |",
        ),
    ],
)
async def test_few_rows_stand_in_the_answer_in_their_order(
    offline_server: Server, words: str, first: str
) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says(words)
        answer = one.named("ai_response")[-1]["message"]
        rows = [line for line in answer.splitlines() if line.startswith("| ")]
        assert rows[2].startswith(first), answer
