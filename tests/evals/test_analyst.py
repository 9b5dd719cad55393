"""The suite `analyst`: each case can be solved, its data hold what their formulas say, and a wrong file is noticed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from server.app import running
from server.evaluation.analyst import data
from server.evaluation.analyst.cases import AnalystCase, ExpectedContent, load
from server.evaluation.analyst.files import Content
from server.evaluation.analyst.judge import content_faults
from server.evaluation.analyst.run import AnalystEvaluation, markdown
from server.evaluation.analyst.script import CaseScript
from server.evaluation.run import Evaluation, Metered
from server.settings import Settings

CASES = load()
MAX_MEAN_REQUEST = 5000
"""Tokens, of the chat and the analyst together."""
MIN_CACHED = 0.4
"""Share of the tokens that repeat the beginning of an earlier request; a case of two requests has the least."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def analyst(samples_url: str) -> AsyncIterator[AnalystEvaluation]:
    script = CaseScript()
    model = Metered(script)
    async with running(Settings(database_url=samples_url, samples=False), model) as server:
        async with data.loaded(server.database):
            await server.registry.refresh()
            yield AnalystEvaluation(Evaluation(server, model, seconds=120), script)
        await server.registry.refresh()
        assert not [table.id for table in server.registry.tables() if table.name in data.FILES]


def test_there_are_at_least_forty_cases() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
async def test_the_script_solves_the_case(analyst: AnalystEvaluation, case: AnalystCase) -> None:
    tried = await analyst.attempt(case)
    assert not tried.faults, "; ".join(tried.faults)
    assert tried.refused == 0
    assert tried.requests == len(case.script)
    assert tried.calls == sum(len(reply) for reply in case.script if not isinstance(reply, str))
    assert 0 < tried.used.input_tokens / tried.requests < MAX_MEAN_REQUEST
    assert MIN_CACHED < tried.used.cached_tokens / tried.used.input_tokens < 1


async def test_an_answer_without_a_file_is_not_right(analyst: AnalystEvaluation) -> None:
    silent = CASES[0].model_copy(update={"script": ("I have exported the parcels.",)})
    tried = await analyst.attempt(silent)
    assert tried.faults == ("the answer links no file: 'I have exported the parcels.'",)
    assert "| ✗ | 0 | 0 | 1 |" in markdown([tried], "scripted")


async def test_refused_calls_of_the_analyst_are_counted(analyst: AnalystEvaluation) -> None:
    (case,) = [case for case in CASES if case.name == "a filter"]
    wrong = [{"filter": {"title": "wrong", "source": "data.eval_parcels", "filter": "zonne = 'A'"}}]
    tried = await analyst.attempt(
        case.model_copy(update={"script": (case.script[0], wrong, *case.script[1:])})
    )
    assert not tried.faults
    assert (tried.calls, tried.refused, tried.requests) == (5, 1, 6)
    assert "| a filter | ✓ | 5 | 1 | 6 |" in markdown([tried], "scripted")


async def test_a_file_in_another_system_is_not_right(analyst: AnalystEvaluation) -> None:
    (case,) = [case for case in CASES if case.name == "parcels as GeoPackage"]
    call = {"items": ["data.eval_parcels"], "format": "gpkg", "options": {"crs": "EPSG:3857"}}
    tried = await analyst.attempt(case.model_copy(update={"script": ([{"export": call}], "Here it is.")}))
    assert any("its crs is 'EPSG:3857', not 'EPSG:2154'" in fault for fault in tried.faults)


def test_each_expectation_notices_another_content() -> None:
    good = Content("a", ("id", "n"), [{"id": "001", "n": 1.5}], {"id": "text", "n": "number"}, "EPSG:2154")
    expected = ExpectedContent(
        name="a", crs="EPSG:2154", rows=1, columns=("id", "n"), types={"id": "text"}, values=({"id": "001"},),
        sums={"n": 1.5},
    )  # fmt: skip
    assert list(content_faults(expected, good)) == []
    others = (
        replace(good, name="b"),
        replace(good, crs="EPSG:4326"),
        replace(good, rows=[]),
        replace(good, columns=("n", "id")),
        replace(good, types={"id": "integer", "n": "number"}),
        replace(good, rows=[{"id": "1", "n": 1.5}]),
        replace(good, rows=[{"id": "001", "n": 2}]),
    )
    assert all(list(content_faults(expected, other)) for other in others)
