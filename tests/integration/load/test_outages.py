"""A database that goes away in the middle of an analysis: the step is repeated once, or the turn fails and says so. A
turn that a busy server refuses fails, too, and says when to try again."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from agents.core.testing import Reply
from server.app import Server
from server.database.lanes import Lane
from tests.integration.analysis.asking import LARGE_CITIES, hand_over
from tests.support.broken_steps import ANYBODY, break_off, held, steps_held
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import Client, client, local_server

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
            await until(lambda: "reconnecting" in [each["phase"] for each in one.named("analysis_progress")])
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
        message = one.named("ai_response")[-1]["message"]
        assert "database" in message
        assert "Try again" in message
        assert "will not help" not in str(one.events)
        assert len(model.requests) == asked + 2, "no model is asked about an outage"
        assert one.named("tool_finished")[-1]["ok"] is False
        assert [seq for seq, _ in one.numbered()] == list(range(1, ended["seq"] + 1))
        # The scripted answer of the analysis that failed is still to come.
        model.then(hand_over(), *ANALYSIS, ["Done."])


async def test_a_tool_whose_connection_breaks_ends_the_turn_as_failed_with_words_to_try_again(
    samples_url: str,
) -> None:
    async with local_server(samples_url, profile_share=0) as server, client(server) as one:
        await one.ask("join")
        await one.says("centroids of the countries")
        async with held(samples_url, "geoagent.recipe") as database:
            await one.ask("chat", text="save this as recipe middles")
            await break_off(database, who=ANYBODY)
            ended = await one.hears("turn_finished", 2)
        assert ended["status"] == "failed"
        said = one.named("ai_response")[-1]["message"]
        assert "The database cannot be reached" in said
        assert "Try again" in said
        assert "will not help" not in str(one.events)
        assert [seq for seq, _ in one.numbered()] == list(range(1, ended["seq"] + 1))
        assert (await one.says("save this as recipe middles"))["status"] == "done"
        assert [each["recipe"]["name"] for each in one.named("recipe_saved")] == ["middles"]


async def ends_as_busy(one: Client, lane: Lane, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The turn of this message ends as failed with an invitation to try again while others have the whole lane."""
    monkeypatch.setattr(lane, "_wait", 0.5)
    async with AsyncExitStack() as others:
        for number in range(lane.size):
            await others.enter_async_context(lane.place(f"map {number}"))
        await one.ask("chat", text=text)
        ended = await one.hears("turn_finished")
    assert ended["status"] == "failed"
    message = one.named("ai_response")[-1]["message"]
    assert "The server is busy" in message
    assert "Try again in 3 seconds" in message
    assert "unreachable" not in str(one.events)
    assert all(each["ok"] is False for each in one.named("tool_finished"))
    assert [seq for seq, _ in one.numbered()] == list(range(1, ended["seq"] + 1))


@pytest.mark.parametrize("waiting_for", ["a place for its step", "a connection"])
async def test_an_analysis_that_is_refused_as_busy_ends_the_turn_as_failed(
    server: Server, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, waiting_for: str
) -> None:
    places = server.analyses.at_once
    lane = places if waiting_for == "a place for its step" else server.database.lanes["analyses"]
    model.replies.clear()
    model.then(hand_over(), *ANALYSIS)
    async with client(server) as one:
        await one.ask("join")
        asked = len(model.requests)
        await ends_as_busy(one, lane, "large cities, please", monkeypatch)
        failed = one.named("analysis_failed")[0]
        assert "busy" in failed["reason"]
        assert "Try again" in failed["advice"]
        assert len(model.requests) == asked + 2, "no model is asked about a busy server"


COUNTED: list[Reply] = [[("count_features", {"table": "data.cities"})], "There are many."]


async def test_a_tool_that_is_refused_as_busy_ends_the_turn_as_failed(
    samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        local_server(samples_url, ScriptedModel(*COUNTED), profile_share=0) as server,
        client(server) as one,
    ):
        await one.ask("join")
        await ends_as_busy(one, server.database.lanes["interactive"], "how many cities?", monkeypatch)


async def test_a_message_to_the_offline_model_that_is_refused_as_busy_ends_as_failed(
    samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with local_server(samples_url, profile_share=0) as server, client(server) as one:
        await one.ask("join")
        lane = server.database.lanes["interactive"]
        await ends_as_busy(one, lane, "how many cities are there in Germany?", monkeypatch)
