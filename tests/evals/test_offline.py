"""Every case, put to the offline model: right where its language covers the request, else an honest no."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from agents.models import build
from server.app import running
from server.evaluation.cases import Case, load
from server.evaluation.judge import judge
from server.evaluation.run import Evaluation, Metered
from server.settings import Settings
from tests.evals.mutants import mutants

COVERED = [case for case in load() if case.offline == "answers"]
ALTERED = {
    "how many", "how many in a country", "neighbours of a country", "near large cities, coloured", "a new row",
    "narrowed once", "graduated", "hospitals", "the nearest of some to each",
}  # fmt: skip
"""Cases of all kinds, whose right outcome is altered in every way, to see whether they would notice."""
BEYOND = [case for case in load() if case.offline == "declines"]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def evaluation(samples_url: str) -> AsyncIterator[Evaluation]:
    model = Metered(build("offline", {}))
    async with running(Settings(database_url=samples_url, samples=False), model) as server:
        yield Evaluation(server, model, seconds=120)


@pytest.mark.parametrize("case", COVERED, ids=lambda case: case.name.replace(" ", "-"))
async def test_what_the_language_covers_is_right(evaluation: Evaluation, case: Case) -> None:
    tried = await evaluation.attempt(case)
    assert tried.judgement.verdict == "right", tried.judgement.faults
    assert tried.outcome.unbacked == [], tried.outcome.answer
    if case.name in ALTERED:
        unnoticed = [
            what for what, other in mutants(case, tried.outcome) if judge(case, other).verdict == "right"
        ]
        assert unnoticed == []


@pytest.mark.parametrize("case", BEYOND, ids=lambda case: case.name.replace(" ", "-"))
async def test_what_it_does_not_cover_is_not_replaced_by_something_else(
    evaluation: Evaluation, case: Case
) -> None:
    """It says that it did not understand, or why it cannot be done, and the map is as it was."""
    tried = await evaluation.attempt(case)
    assert tried.judgement.verdict in ("right", "asked", "declined"), tried.judgement.faults
    if tried.judgement.verdict == "declined":
        said = tried.outcome.answer
        assert said.startswith(("I did not understand", "I understood", "I cannot do that")), said


async def test_a_case_leaves_no_map_and_no_table_behind(evaluation: Evaluation) -> None:
    before = {table.id for table in evaluation.server.registry.tables()}
    (case,) = load(only=["airports near a city"])
    tried = await evaluation.attempt(case)
    assert tried.outcome.layers[0].is_result
    await evaluation.server.registry.refresh()
    assert {table.id for table in evaluation.server.registry.tables()} == before
    layer = tried.outcome.layers[0].layer
    map_id = tried.outcome.events[0].map_id
    assert await evaluation.server.maps.lookup.layer(map_id, layer.id, layer.version + 1) is None
