"""Recipes over the socket: saved from an analysis, run again with other values, by hand, by words and by a model."""

from __future__ import annotations

import aiohttp

from server.app import Server
from tests.integration.analysis.asking import FARTHEST, GOAL, hand_over
from tests.support.models import ScriptedModel
from tests.support.server import Client, client, local_server

ASKED = "airports within 50 km of Berlin"


async def asked(one: Client, goal: str = ASKED) -> str:
    """Have an analysis run; its id."""
    await one.says(goal)
    return str(one.named("analysis_finished")[-1]["analysis_id"])


async def test_a_recipe_is_saved_by_hand_seen_by_all_and_run_with_other_values(
    offline_server: Server,
) -> None:
    async with client(offline_server) as one, client(offline_server) as two:
        await one.ask("join")
        await two.ask("join", map_id=one.map_id)
        analysis = await asked(one)
        address = f"/api/maps/{one.map_id}/analyses/{analysis}/recipe"
        async with aiohttp.ClientSession(offline_server.url) as session, session.get(address) as answer:
            suggested = {each["name"]: each["default"] for each in (await answer.json())["parameters"]}
        assert suggested["distance"] == "50 km"
        await one.ask("recipe_save", analysis_id=analysis, name="Near Berlin", parameters=["distance"])
        saved = (await two.hears("recipe_saved"))["recipe"]
        assert [(each["name"], each["kind"]) for each in saved["parameters"]] == [("distance", "length")]
        before = one.named("analysis_finished")[-1]["rows"]
        answer = await two.ask(
            "recipe_run", name="near berlin", values={"distance": "400 km"}, client_id="c1"
        )
        again = await two.ask("recipe_run", name="near berlin", values={"distance": "400 km"}, client_id="c1")
        assert again["turn_id"] == answer["turn_id"]
        await one.hears("turn_finished", 2)
        done = one.named("analysis_finished")[-1]
        assert done["rows"] > before
        assert done["receipt"]["steps"][-1]["arguments"]["distance"] == "400 km"
        layer = one.named("layer_added")[-1]["layer"]
        assert (layer["count"], "400 km" in layer["name"], "50 km" in layer["name"]) == (
            done["rows"],
            True,
            False,
        )
        started = one.named("analysis_started")[-1]
        assert (started["steps_known"], len(started["plan"])) == (True, len(done["receipt"]["steps"]))
        assert str(done["rows"]) in one.named("ai_response")[-1]["message"]


async def test_recipes_are_in_the_snapshot_and_are_renamed_and_removed(offline_server: Server) -> None:
    async with client(offline_server) as one, client(offline_server) as two:
        await one.ask("join")
        analysis = await asked(one)
        await one.ask("recipe_save", analysis_id=analysis, name="Near Berlin")
        assert await one.refused("recipe_save", analysis_id=analysis, name="NEAR berlin") == "conflict"
        snapshot = (await two.ask("join", map_id=one.map_id))["snapshot"]
        assert [each["name"] for each in snapshot["recipes"]] == ["Near Berlin"]
        await two.ask("recipe_rename", name="Near Berlin", new_name="Around Berlin")
        assert (await one.hears("recipe_renamed"))["new_name"] == "Around Berlin"
        assert await one.refused("recipe_run", name="Near Berlin") == "unknown_recipe"
        await one.ask("recipe_remove", name="Around Berlin")
        assert (await two.hears("recipe_removed"))["name"] == "Around Berlin"
        assert (await two.ask("join", map_id=one.map_id))["snapshot"]["recipes"] == []


async def test_a_recipe_is_of_its_map_and_a_wrong_wish_is_refused(offline_server: Server) -> None:
    async with client(offline_server) as one, client(offline_server) as two:
        await one.ask("join")
        await two.ask("join")
        analysis = await asked(one)
        assert await two.refused("recipe_save", analysis_id=analysis, name="Mine") == "not_found"
        assert (
            await one.refused("recipe_save", analysis_id=analysis, name="x", parameters=["size"])
            == "invalid_payload"
        )
        await one.ask("recipe_save", analysis_id=analysis, name="Near Berlin")
        assert await two.refused("recipe_run", name="Near Berlin") == "unknown_recipe"
        for values in ({"distanc": "3 km"}, {"distance": ""}, {"distance": "3 km, source = data.cities"}):
            assert await one.refused("recipe_run", name="Near Berlin", values=values) == "invalid_payload"


async def test_values_that_the_operations_refuse_end_the_analysis_with_the_reason(
    offline_server: Server,
) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        analysis = await asked(one)
        await one.ask("recipe_save", analysis_id=analysis, name="Near Berlin")
        await one.ask("recipe_run", name="Near Berlin", values={"distance": "far"})
        failed = await one.hears("analysis_failed")
        assert failed["name"] is not None
        assert "far" in failed["reason"] or "length" in failed["reason"]
        await one.hears("turn_finished", 2)
        assert one.named("ai_response")[-1]["message"]


async def test_the_offline_language_saves_lists_runs_renames_and_removes(offline_server: Server) -> None:
    async with client(offline_server) as one:
        await one.ask("join")

        async def answer_to(text: str) -> str:
            await one.says(text)
            return str(one.named("ai_response")[-1]["message"])

        assert "no recipes yet" in await answer_to("which recipes are there?")
        await one.says(ASKED)
        assert "run recipe near Berlin with" in await answer_to("save this as recipe near Berlin")
        assert "distance 50 km" in await answer_to("list recipes")
        rows = one.named("analysis_finished")[-1]["rows"]
        await answer_to("run recipe near berlin with distance 400 km")
        assert one.named("analysis_finished")[-1]["rows"] > rows
        assert "has no parameter" in await answer_to("run recipe near Berlin with size 3")
        assert (
            "no recipe" in await answer_to("run recipe nowhere")
            or "nowhere" in one.named("ai_response")[-1]["message"]
        )
        assert "“far”" in await answer_to("rename recipe near berlin to far")
        await answer_to("remove recipe far")
        assert "no recipes yet" in await answer_to("list recipes")


async def test_a_model_is_offered_the_recipes_of_the_map_as_they_are_now(samples_url: str) -> None:
    model = ScriptedModel(
        hand_over(),
        *FARTHEST,
        ["These."],
        [("save_recipe", {"name": "Remote cities"})],
        [("run_recipe", {"recipe": "Remote cities", "values": {"n": 3}})],
        ["Here are three."],
    )
    async with local_server(samples_url, model) as server, client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        await one.says("save it, then only three")
        saving = next(request for request in model.requests if "Remote cities" in str(request.messages[-1]))
        assert "Remote cities" in str(
            next(tool for tool in saving.tools if tool.name == "run_recipe").parameters
        )
        done = one.named("analysis_finished")[-1]
        assert done["rows"] == 3
        assert one.named("ai_response")[-1]["message"] == "Here are three."
        calls = len(model.requests)
        await one.ask("recipe_run", name="Remote cities", values={"n": 4})
        await one.hears("turn_finished", 3)
        assert one.named("analysis_finished")[-1]["rows"] == 4
        assert len(model.requests) == calls, "what a hand asked for needs no language model"
