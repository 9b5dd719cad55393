"""`geoagent eval` as people use it, with a provider's real SDK against a server that speaks its wire format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from server.evaluation.analyst.cases import load
from tests.integration.cli.test_commands import geoagent
from tests.support.children import Ran
from tests.support.model_server import Call, ModelServer, Reply, Say


async def evaluated(url: str, provider: ModelServer, *arguments: str) -> Ran:
    return await geoagent(
        "eval", "--model", "openai:gpt-5.1", *arguments,
        DATABASE_URL=url, OPENAI_API_KEY="k", OPENAI_BASE_URL=provider.base_url,
    )  # fmt: skip


HONEST = (
    Reply(Call("count_features", {"table": "data.airports"})),
    Reply(Say("There are 28,298 airports.")),
    Reply(Call("cannot_do", {"reason": "No table holds hospitals."})),
    Reply(Say("I cannot: no table holds hospitals.")),
)


async def test_a_model_behind_a_real_sdk_is_measured(samples_url: str) -> None:
    async with ModelServer(*HONEST) as provider:
        ran = await evaluated(samples_url, provider, "--only", "how many", "--only", "hospitals", "--json")
        assert provider.left == 0
        assert {asked.path for asked in provider.requests} == {"/v1/responses"}
    assert ran.status == 0, ran.err
    facts = json.loads(ran.out)
    assert (facts["model"], facts["cases"], facts["passed"]) == ("openai:gpt-5.1", 2, 2)
    assert (facts["tokens_in"], facts["tokens_out"]) == (400, 80)
    assert facts["cost"] > 0
    assert "✓ how many" in ran.err


async def test_what_a_model_only_says_it_did_fails_the_command(samples_url: str) -> None:
    async with ModelServer(Reply(Say("I have put the airports on the map in red."))) as provider:
        ran = await evaluated(samples_url, provider, "--only", "airports in red")
    assert ran.status == 1
    assert "| show | 1 | 0 (0%) | 0 | 1 | 0 | 0 | 100 | 20 |" in ran.out
    assert "- **airports in red** (declined)" in ran.out


async def test_the_offline_model_passes_with_a_no_to_what_is_beyond_it(samples_url: str) -> None:
    only = ("--only", "hospitals", "--only", "rents")
    ran = await geoagent("eval", "--model", "offline", *only, DATABASE_URL=samples_url)
    assert ran.status == 0, ran.err
    assert "| refuse | 2 | 2 (100%) | 0 | 0 |" in ran.out
    assert "Not passed" not in ran.out


async def test_one_category_of_the_analysts_suite_is_measured_with_its_own_script(samples_url: str) -> None:
    suite = ("--suite", "analyst", "--only", "formats", "--model", "scripted", "--json")
    ran = await geoagent("eval", *suite, DATABASE_URL=samples_url)
    assert ran.status == 0, ran.err
    facts = json.loads(ran.out)
    assert {case["name"] for case in facts} == {case.name for case in load(only=["formats"])}
    assert len(facts) > 5
    assert all(case["right"] and case["calls"] and case["tokens_in"] for case in facts)
    assert not any(case["refused_calls"] for case in facts)


async def test_the_report_is_written_between_the_marks_of_a_page(samples_url: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before\n\n<!-- analyst: begin (any) -->\nold\n<!-- analyst: end -->\n\nAfter\n")
    chosen = ("--suite", "analyst", "--only", "a filter", "--model", "scripted", "--out", str(page))
    ran = await geoagent("eval", *chosen, DATABASE_URL=samples_url)
    assert (ran.status, ran.out) == (0, ""), ran.err
    before, _, rest = page.read_text().partition("<!-- analyst: begin (any) -->\n")
    part, _, after = rest.partition("<!-- analyst: end -->")
    assert (before, after) == ("Before\n\n", "\n\nAfter\n")
    assert "old" not in part
    assert "| a filter | ✓ | 4 | 0 | 5 |" in part
    assert "tokens on average" in part
    chosen = ("--suite", "map", "--only", "hospitals", "--model", "offline", "--out", str(page))
    ran = await geoagent("eval", *chosen, DATABASE_URL=samples_url)
    assert ran.status != 0
    assert "has no part 'map'" in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(("--only", "nonsense"), "No case is called nonsense"), (("--model", "nonsense"), "nonsense")],
)
async def test_a_wrong_option_is_reported_in_one_sentence(
    samples_url: str, arguments: tuple[str, ...], told: str
) -> None:
    ran = await geoagent("eval", *arguments, DATABASE_URL=samples_url)
    assert ran.status == 1
    assert told in ran.err
    assert "Traceback" not in ran.err
