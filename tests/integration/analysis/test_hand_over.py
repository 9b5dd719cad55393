"""What the chat's turn makes of an analysis: its status, its cost, and the tables that it left."""

from __future__ import annotations

import json

from agents.core import Limits, ModelError
from agents.core.testing import ScriptedModel
from agents.geo_agent import GeoAgent
from server.app import Server
from tests.integration.analysis.asking import FARTHEST, GOAL, LARGE_CITIES, hand_over
from tests.support.models import play
from tests.support.server import client


async def test_a_model_that_fails_in_an_analysis_makes_the_call_fail_and_the_map_shows_why(
    server: Server, model: ScriptedModel
) -> None:
    refused = ModelError("refused_key", "The key in OPENAI_API_KEY was refused by OpenAI.")
    play(model, hand_over(), [refused], ["I could not."])
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (call,) = one.named("tool_finished")
        (failed,) = one.named("analysis_failed")
    assert not call["ok"]
    assert "OPENAI_API_KEY was refused" in call["result"]
    assert "OPENAI_API_KEY was refused" in failed["reason"]


async def test_what_an_analysis_uses_counts_for_the_turn(server: Server, model: ScriptedModel) -> None:
    play(model, hand_over(), *FARTHEST, ["Here they are."])
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        usage = one.named("turn_finished")[-1]["usage"]
    assert len(model.requests) == 6
    assert (usage["input_tokens"], usage["output_tokens"]) == (60, 30)


async def test_a_limit_of_the_turn_bounds_its_analyses(
    server: Server, model: ScriptedModel, monkeypatch: object
) -> None:
    bounded = Limits(tokens=60)
    monkeypatch.setattr(GeoAgent, "limits", bounded)  # type: ignore[attr-defined]
    again = [[LARGE_CITIES]] * 20
    play(model, hand_over(), *again)
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (call,) = one.named("tool_finished")
        turn = one.named("turn_finished")[-1]
    assert not call["ok"]
    assert len(model.requests) == 4  # 15 tokens each: one of the chat, three of the analyst
    assert turn["status"] == "failed"
    assert turn["usage"]["input_tokens"] == 40


async def test_the_model_learns_which_tables_an_analysis_left(server: Server, model: ScriptedModel) -> None:
    play(model, hand_over(), *FARTHEST, ["Here they are."])
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (done,) = one.named("analysis_finished")
    content = model.requests[-1].messages[-1].results[-1].content  # type: ignore[union-attr]
    words, _, data = content.partition("\n<data>\n")
    assert words == "These 20 cities are farthest from an airport."
    (output,) = json.loads(data.removesuffix("\n</data>"))["outputs"]
    assert output["table"] == done["table"]
    assert (output["rows"], output["geometry"], output["crs"]) == (20, "POINT", "EPSG:4326")
    assert "distance_m (number)" in output["columns"]
