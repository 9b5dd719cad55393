"""A database that goes away in the middle of an analysis: the step is repeated once, or the turn fails and says so."""

from __future__ import annotations

from server.app import Server
from tests.integration.analysis.asking import LARGE_CITIES, hand_over
from tests.support.broken_steps import break_off, steps_held
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import client

ANALYSIS = ([LARGE_CITIES], [("finish", {"summary": "These are the large cities."})])


async def test_a_step_whose_connection_broke_is_run_once_more_and_says_so(
    server: Server, model: ScriptedModel, samples_url: str
) -> None:
    model.then(hand_over(), *ANALYSIS, ["Done."])
    async with client(server) as one:
        await one.ask("join")
        async with steps_held(samples_url) as database:
            await one.ask("chat", text="large cities, please")
            await break_off(database)
            await until(
                lambda: "reconnecting" in [each["phase"] for each in one.named("analysis_progress")], 30
            )
        ended = await one.hears("turn_finished")
        assert ended["status"] == "done"
        finished = one.named("analysis_finished")[0]
        assert "run again" in " ".join(finished["receipt"]["steps"][0]["notes"])
        assert [seq for seq, _ in one.numbered()] == list(range(1, ended["seq"] + 1))
        assert len(one.named("analysis_started")) == 1


async def test_a_step_that_loses_its_connection_twice_ends_the_turn_as_failed_with_words_to_try_again(
    server: Server, model: ScriptedModel, samples_url: str
) -> None:
    model.then(hand_over(), *ANALYSIS)
    async with client(server) as one:
        await one.ask("join")
        asked = len(model.requests)
        async with steps_held(samples_url) as database:
            await one.ask("chat", text="large cities, please")
            await break_off(database, but=await break_off(database))
            ended = await one.hears("turn_finished")
        assert ended["status"] == "failed"
        failed = one.named("analysis_failed")[0]
        assert failed["step"] == 1
        assert "database" in failed["reason"]
        said = one.named("ai_response")[-1]["message"]
        assert "database" in said
        assert "Try again" in said
        assert "will not help" not in str(one.events)
        assert len(model.requests) == asked + 2, "no model is asked about an outage"
        assert one.named("tool_finished")[-1]["ok"] is False
        assert [seq for seq, _ in one.numbered()] == list(range(1, ended["seq"] + 1))
        # The scripted answer of the analysis that failed is still to come.
        model.then(hand_over(), *ANALYSIS, ["Done."])
