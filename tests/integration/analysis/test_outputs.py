"""An analysis with several results: all are drawn and kept, run again by a recipe, and dropped one by one."""

from __future__ import annotations

from typing import Any

from agents.core import ToolMessage
from server.app import Server
from tests.integration.analysis.asking import hand_over
from tests.support.models import ScriptedModel, play
from tests.support.server import client

STEPS: list[Any] = [
    [("filter", {"source": "data.cities", "filter": "population > 3000000", "title": "Large cities"})],
    [("summarise", {"source": "step_1", "by": ["country"], "title": "By country"})],
    [("buffer", {"source": "step_1", "distance": "50 km", "title": "Around them"})],
]


def _content(message: Any) -> str:
    assert isinstance(message, ToolMessage)
    return message.results[-1].content


async def test_all_outputs_are_drawn_listed_and_reported_to_the_model(
    server: Server, model: ScriptedModel
) -> None:
    play(
        model,
        hand_over("large cities, their countries and what is around them"),
        *STEPS,
        [("finish", {"summary": "Done.", "outputs": ["step_1", "step_9"]})],
        [("finish", {"summary": "Done.", "outputs": ["step_1", "By country"]})],
        ["All are there."],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("large cities and so on")
        refused = next(request for request in model.requests if "step_9" in str(request.messages[-1]))
        assert "Steps: step_1, step_2, step_3" in _content(refused.messages[-1])
        layers = [event["layer"] for event in one.named("layer_added")]
        assert [layer["name"] for layer in layers] == ["Large cities", "Around them"]
        (done,) = one.named("analysis_finished")
        assert [output["name"] for output in done["outputs"]] == ["Large cities", "By country"]
        assert done["table"] == layers[1]["table"]
        tables = {done["table"], *(output["table"] for output in done["outputs"])}
        result = _content(model.requests[-1].messages[-1])
        assert all(table in result for table in tables)


async def test_a_further_result_is_dropped_by_itself_and_outlives_the_last_one(
    server: Server, model: ScriptedModel
) -> None:
    play(
        model,
        hand_over("large cities and their countries"),
        *STEPS[:2],
        [("finish", {"summary": "Done.", "outputs": ["step_1"]})],
        ["All are there."],
        ["Look."],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("large cities and their countries")
        (done,) = one.named("analysis_finished")
        (kept,) = [output["table"] for output in done["outputs"]]
        (layer,) = [event["layer"] for event in one.named("layer_added")]
        assert layer["table"] == kept
        assert await one.refused("result_drop", table=kept) == "conflict"
        await one.ask("result_drop", table=done["table"])
        await one.ask("layer_remove", layer_id=layer["id"])
        await one.ask("result_drop", table=kept)
        assert await one.refused("result_drop", table=kept) == "unknown_table"


async def test_a_recipe_makes_all_outputs_again(server: Server, model: ScriptedModel) -> None:
    play(
        model,
        hand_over("large cities and what is around them"),
        *(STEPS[0], STEPS[2]),
        [("finish", {"summary": "Done.", "outputs": ["step_1"]})],
        ["All are there."],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("large cities and what is around them")
        (done,) = one.named("analysis_finished")
        assert (await one.ask("recipe_save", analysis_id=done["analysis_id"], name="Large"))["ok"]
        await one.ask("recipe_run", name="Large", values={"distance": "20 km"})
        await one.hears("turn_finished", 2)
        again = one.named("analysis_finished")[-1]
        assert [output["name"] for output in again["outputs"]] == ["Large cities"]
        assert len(one.named("layer_added")) == 4
        assert "outputs" not in one.named("ai_response")[-1]["message"]
