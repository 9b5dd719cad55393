"""What counts as right, as an honest no, and as wrong; with models whose every word is written here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
import pytest_asyncio

from server.app import Server, running
from server.evaluation import report
from server.evaluation.cases import BadCases, Case, load
from server.evaluation.judge import Judgement
from server.evaluation.outcome import Outcome
from server.evaluation.run import Attempt, Evaluation, Metered
from server.settings import Settings
from tests.support.models import ScriptedModel

GERMAN = {"op": "=", "args": [{"property": "country"}, "Germany"]}


def add(table: str, color: str = "red", **more: Any) -> tuple[str, dict[str, Any]]:
    return "add_map_layer", {"table": f"data.{table}", "color": color, **more}


ADD = add("airports")
COUNT = ("count_features", {"table": "data.airports"})


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def model() -> ScriptedModel:
    return ScriptedModel()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str, model: ScriptedModel) -> AsyncIterator[tuple[Server, Metered]]:
    metered = Metered(model)
    async with running(Settings(database_url=samples_url, samples=False), metered) as parts:
        yield parts, metered


def case(name: str) -> Case:
    (found,) = load(only=[name])
    return found


@pytest.mark.parametrize(
    ("name", "replies", "verdict", "fault"),
    [
        ("airports in red", [[ADD], ["Done."]], "right", ""),
        ("airports in red", [["I have put the airports on the map in red."]], "declined", "there are 0"),
        ("airports in red", [["Which airports do you mean: those of today or those of 1980?"]], "asked", "there are 0"),
        ("airports in red", [[add("airports", "blue")], ["Done."]], "wrong", "colour"),
        ("airports in red", [[add("cities")], ["Done."]], "wrong", "data.cities"),
        (
            "airports in red",
            [[add("airports", filters=GERMAN)], ["Done."]],
            "wrong",
            "count is 479",
        ),
        ("how many", [[COUNT], ["There are 28,298."]], "right", ""),
        ("how many", [[COUNT], ["There are 30,000."]], "wrong", "does not say 28298"),
        ("how many", [[ADD], ["There are 28,298."]], "wrong", "there are 1"),
        ("hospitals", [[("cannot_do", {"reason": "There is no table of hospitals."})], ["Sorry."]], "right", ""),
        ("hospitals", [[("cannot_do", {"reason": "I do not like to."})], ["Sorry."]], "declined", "names none"),
        ("hospitals", [[ADD], [("cannot_do", {"reason": "no hospitals"})], ["Sorry."]], "wrong", "changed"),
    ],
)  # fmt: skip
async def test_an_outcome_is_judged_by_what_it_left(
    server: tuple[Server, Metered],
    model: ScriptedModel,
    name: str,
    replies: Iterable[Any],
    verdict: str,
    fault: str,
) -> None:
    model.then(*replies)
    tried = await Evaluation(*server).attempt(case(name))
    assert tried.judgement.verdict == verdict, tried.judgement
    assert fault in "; ".join(tried.judgement.faults)


async def test_numbers_that_no_tool_gave_are_counted(
    server: tuple[Server, Metered], model: ScriptedModel
) -> None:
    made_up = ["There are 28,298, run by 7,777 people."]
    model.then([COUNT], made_up, made_up)  # Also when it is asked to write the answer again.
    tried = await Evaluation(*server).attempt(case("how many"))
    assert tried.judgement.verdict == "right"
    assert tried.outcome.unbacked == ["7,777"]
    assert report.as_json([tried], "scripted")["unbacked"] == 1


async def test_tokens_are_counted_by_case(server: tuple[Server, Metered], model: ScriptedModel) -> None:
    model.then([ADD], ["Done."])
    tried = await Evaluation(*server).attempt(case("airports in red"))
    assert (tried.outcome.tokens_in, tried.outcome.tokens_out) == (20, 10)


async def test_a_case_that_takes_too_long_is_wrong(
    server: tuple[Server, Metered], model: ScriptedModel
) -> None:
    model.then([asyncio.Event()])
    tried = await Evaluation(*server, seconds=0.3).attempt(case("how many"))
    assert tried.judgement.verdict == "wrong"
    assert "not done after 0.3 seconds" in tried.judgement.faults[0]


async def test_the_table_has_a_line_for_each_category_and_says_what_failed(
    server: tuple[Server, Metered], model: ScriptedModel
) -> None:
    told: list[Attempt] = []
    model.then([ADD], ["Done."], ["Nothing to do."])
    cases = [case("airports in red"), case("how many")]
    results = await Evaluation(*server).run(cases, on_result=told.append)
    assert told == results
    table = report.markdown(results, "scripted")
    assert "| show | 1 | 1 (100%) | 0 | 0 | 0 | 0 |" in table
    assert "| ask | 1 | 0 (0%) | 0 | 1 | 0 | 0 |" in table
    assert "- **how many** (declined): the answer does not say 28298" in table
    facts = report.as_json(results, "scripted")
    assert (facts["cases"], facts["passed"], facts["right"], facts["declined"]) == (2, 1, 1, 1)
    assert facts["results"][1]["answer"] == "Nothing to do."


async def test_without_the_sample_data_it_says_what_is_missing(database_url: str) -> None:
    model = Metered(ScriptedModel())
    async with running(Settings(database_url=database_url, samples=False), model) as server:
        with pytest.raises(BadCases, match=r"data\.airports"):
            await Evaluation(server, model).run([case("how many")])


@pytest.mark.parametrize(("costs", "total"), [((0.5, 0.25), 0.75), ((0.5, None), None), ((None, None), None)])
def test_a_cost_is_reported_only_if_every_result_has_one(
    costs: tuple[float | None, ...], total: float | None
) -> None:
    results = [Attempt(case("how many"), Outcome([], cost=cost), Judgement("right")) for cost in costs]
    assert report.as_json(results, "any")["cost"] == total
    assert ("$" in report.markdown(results, "any")) is (total is not None)
