"""Requests of scripted conversations stay small and begin as the ones before; `python -m tests.bench requests`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.requests import ANALYSES, CHAT, TABLES, analysis, chat, measured, tokens

MAX_FIRST_CHAT = 3200
MAX_MEAN_CHAT = 3850
MAX_FIRST_ANALYST = 8000
MAX_MEAN_ANALYST = 9000
GROWN = "requests have grown: shorten descriptions, or add what the new tool takes, see docs/extending.md#add-a-tool"
BENCHMARKS = Path(__file__).resolve().parents[3] / "docs" / "benchmarks.md"
PUBLISHED = 0.05
"""By which the published sizes may differ from the measured ones."""
MIN_CACHED = 0.7
"""Share of all tokens that repeat the beginning of the request before."""
LONG_DEFINITION = 60
"""Characters; a reference and the definition's name take about as many."""


async def test_the_first_request_over_three_tables_is_small() -> None:
    first, *_ = await chat(3, CHAT[:1])
    assert tokens(first) < MAX_FIRST_CHAT, GROWN


@pytest.mark.parametrize("count", TABLES)
async def test_the_number_of_tables_costs_little(count: int) -> None:
    first, *_ = await chat(count, CHAT[:1])
    assert tokens(first) < MAX_FIRST_CHAT + 2000
    own, *_ = await analysis(*ANALYSES[0], count)
    assert tokens(own) < MAX_FIRST_ANALYST


async def test_the_requests_of_conversations_are_small_and_can_be_cached() -> None:
    of_chat, of_analyst = await measured()
    assert of_chat.mean < MAX_MEAN_CHAT, GROWN
    assert of_analyst.first < MAX_FIRST_ANALYST
    assert of_analyst.mean < MAX_MEAN_ANALYST
    assert min(of_chat.cached, of_analyst.cached) > MIN_CACHED
    assert of_analyst.requests == sum(len(replies) for _, replies in ANALYSES)


async def test_the_published_sizes_are_those_that_are_measured() -> None:
    page = BENCHMARKS.read_text("utf-8")

    def published(row: str) -> int:
        found = re.search(rf"\| {re.escape(row)} \| ([\d,]+) \|", page)
        assert found is not None, row
        return int(found[1].replace(",", ""))

    of_chat, of_analyst = await measured()
    for row, size in (
        ("first request of the chat, 3 tables", of_chat.first),
        ("first request of the analyst, 3 tables", of_analyst.first),
        ("mean request of the chat", of_chat.mean),
        ("mean request of the analyst", of_analyst.mean),
    ):
        assert published(row) == pytest.approx(size, rel=PUBLISHED)


async def test_no_tool_states_a_definition_twice() -> None:
    """`$ref` reaches only definitions of the same tool: there it would save nothing."""
    requests = [*await chat(3, CHAT), *[each for one in ANALYSES for each in await analysis(*one)]]
    for tool in {tool.name: tool for request in requests for tool in request.tools}.values():
        found = Counter(definitions(tool.parameters))
        assert not [each for each, times in found.items() if times > 1], tool.name


def definitions(node: Any) -> Iterator[str]:
    """All schemas inside a schema that are long enough to be worth a reference."""
    if isinstance(node, dict):
        text = json.dumps(node, sort_keys=True)
        if len(text) > LONG_DEFINITION:
            yield text
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from definitions(each)
