"""Analyses in the words of the offline language, from the socket to PostGIS: what the documentation says, run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from server.app import Server
from tests.support.server import client, local_server

PAGE = (Path(__file__).parents[3] / "docs" / "offline-language.md").read_text("utf-8")
BLOCKS = re.findall(r"^```geoagent-(analysis|follow-ups)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
CONVERSATIONS = [
    lines
    for kind, block in BLOCKS
    for lines in ([[line] for line in block.splitlines()] if kind == "analysis" else [block.splitlines()])
]


async def test_every_analysis_of_the_language_page_ends_with_a_result(fewer_samples_url: str) -> None:
    assert len(CONVERSATIONS) > 25
    failed: list[str] = []
    async with local_server(fewer_samples_url) as server:
        for lines in CONVERSATIONS:
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
