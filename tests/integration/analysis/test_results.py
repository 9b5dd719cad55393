"""Results of analyses belong to the map that asked: besides it only copies see them, and they are kept until it drops
them, which it cannot while a copy shows them.

Tests with a server of their own come first: the shared one would take their turns."""

from __future__ import annotations

import asyncpg
import pytest
from sqlalchemy import text

from server.app import Server
from tests.integration.analysis.asking import FARTHEST, GOAL, LARGE_CITIES, hand_over, tables_of
from tests.support.looking import until
from tests.support.models import ScriptedModel, play
from tests.support.server import Client, client, local_server


async def result_of(one: Client) -> str:
    """The table that an analysis left on the client's map."""
    await one.says(GOAL)
    return str(one.named("analysis_finished")[-1]["table"])


async def test_a_table_that_a_user_created_in_the_schema_of_results_is_visible_to_all_maps(
    samples_url: str,
) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute("CREATE TABLE IF NOT EXISTS analysis.by_hand AS SELECT 1 AS a")
    try:
        async with local_server(samples_url) as server, client(server) as one:
            await one.ask("join")
            assert "analysis.by_hand" in await tables_of(server)
            assert await one.refused("result_drop", table="analysis.by_hand") == "unknown_table"
    finally:
        await connection.execute("DROP TABLE analysis.by_hand")
        await connection.close()


async def test_results_take_no_more_room_than_a_map_has(samples_url: str) -> None:
    everything = ("filter", {"source": "data.cities", "filter": "population > 0", "title": "All cities"})
    model = ScriptedModel(hand_over(), [everything], [("cannot_do", {"reason": "No room."})])
    async with local_server(samples_url, model, result_space=0.2) as server, client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        assert any(
            "Drop results that are not needed" in str(request.messages[-1]) for request in model.requests
        )
        (failed,) = one.named("analysis_failed")
        assert (failed["step"], failed["name"], failed["table"]) == (1, "All cities", None)
        assert await server.analyses.store.bytes_of(one.map_id) == 0


async def test_a_full_map_starts_no_step_until_a_result_is_dropped(samples_url: str) -> None:
    model = ScriptedModel(hand_over(), [LARGE_CITIES], [("finish", {"summary": "Done."})])
    async with local_server(samples_url, model) as server, client(server) as one:
        await one.ask("join")
        result = await result_of(one)
        used = await server.analyses.store.bytes_of(one.map_id)
    again = ScriptedModel(hand_over(), [LARGE_CITIES], [("cannot_do", {"reason": "Full."})])
    async with local_server(samples_url, again, result_space=used / 1e6) as server, client(server) as two:
        await two.ask("join", map_id=one.map_id)
        await two.says(GOAL)
        assert "Drop results" in str(again.requests[2].messages[-1])
        (layer,) = [event["layer"] for event in one.named("layer_added")]
        await two.ask("layer_remove", layer_id=layer["id"])
        await two.ask("result_drop", table=result)
        again.then(hand_over(), [LARGE_CITIES], [("finish", {"summary": "Done."})])
        await two.says(GOAL)
        assert len(two.named("analysis_finished")) == 1


async def test_a_server_runs_only_so_many_steps_at_once_and_says_who_waits(samples_url: str) -> None:
    model = ScriptedModel()
    async with local_server(samples_url, model, analyses=1) as server, client(server) as one:
        await one.ask("join")
        async with server.analyses.at_once.place("somebody else"):
            model.then(hand_over(), [LARGE_CITIES], [("finish", {"summary": "Done."})])
            await one.ask("chat", text=GOAL)
            await until(
                lambda: [each for each in one.named("analysis_progress") if each["phase"] == "waiting"]
            )
            assert one.named("analysis_finished") == []
        await one.hears("analysis_finished")


async def test_a_map_lists_its_results_and_neither_their_steps_nor_those_of_others(
    server: Server, model: ScriptedModel
) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one, client(server) as two:
        await one.ask("join")
        await two.ask("join")
        result = await result_of(one)
        steps = [step["table"] for step in one.named("analysis_finished")[0]["receipt"]["steps"]]
        assert steps[-1] == result
        everybodys = await tables_of(server)
        assert await tables_of(server, one.map_id) == everybodys | {result}
        assert await tables_of(server, two.map_id) == everybodys
        assert not everybodys & set(steps)
        for table in steps:
            assert await two.refused("layer_add", table=table) == "unknown_table"
        await one.ask("layer_add", table=result)
        assert await one.refused("layer_add", table=steps[0]) == "unknown_table"


async def test_a_model_is_offered_the_results_of_its_own_map_only(
    server: Server, model: ScriptedModel
) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one, client(server) as two:
        await one.ask("join")
        await two.ask("join")
        result = await result_of(one)
        steps = one.named("analysis_finished")[0]["receipt"]["steps"]
        for who, seen in ((one, {result}), (two, set[str]())):
            model.requests.clear()
            await who.says("hello")
            offered = str(model.requests[0].tools)
            assert {step["table"] for step in steps if step["table"] in offered} == seen
        # While it ran, the analyst could look into each step.
        model.then(hand_over(), [LARGE_CITIES], [("finish", {"summary": "Done."})])
        model.requests.clear()
        await one.says(GOAL)
        last = next(request for request in reversed(model.requests) if "finish" in str(request.tools))
        newest = one.named("analysis_finished")[-1]["table"]
        assert newest in str(last.messages)


async def test_a_result_is_dropped_by_hand_once_no_layer_shows_it(
    server: Server, model: ScriptedModel
) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one, client(server) as two:
        await one.ask("join")
        result = await result_of(one)
        (layer,) = [event["layer"] for event in one.named("layer_added")]
        await two.ask("join")
        assert await two.refused("result_drop", table=result) == "unknown_table"
        await two.ask("join", map_id=one.map_id)
        assert await one.refused("result_drop", table=result) == "conflict"
        await one.ask("layer_remove", layer_id=layer["id"])
        await one.ask("result_drop", table=result)
        assert (await two.hears("result_dropped"))["table"] == result
        assert result not in await tables_of(server, one.map_id)
        steps = one.named("analysis_finished")[0]["receipt"]["steps"]
        assert await existing(server, [step["table"] for step in steps]) == []
        assert await one.refused("result_drop", table=result) == "unknown_table"


async def test_an_agent_drops_a_result_when_it_is_asked_to(server: Server, model: ScriptedModel) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one:
        await one.ask("join")
        result = await result_of(one)
        (layer,) = [event["layer"] for event in one.named("layer_added")]
        drop = [("drop_result", {"table": result})]
        model.then(drop, [("remove_map_layer", {"layer_id": layer["id"]})], drop, ["It is gone."])
        await one.says("drop the result")
        finished = [event for event in one.named("tool_finished") if event["name"] == "drop_result"]
        assert [event["ok"] for event in finished] == [False, True]
        assert "Remove that layer first" in finished[0]["result"]
        assert await existing(server, [result]) == []


async def test_what_a_stopped_analysis_had_finished_is_its_result(
    server: Server, model: ScriptedModel
) -> None:
    play(
        model,
        hand_over(),
        FARTHEST[0],
        [("cannot_do", {"reason": "The rest is not there.", "alternative": "See the large cities."})],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (failed,) = one.named("analysis_failed")
        assert failed["step"] is None
        assert failed["table"] in await tables_of(server, one.map_id)
        assert [step["title"] for step in failed["receipt"]["steps"]] == ["Large cities"]


async def test_results_of_maps_that_are_gone_are_collected(server: Server, model: ScriptedModel) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        kept = {step["table"] for step in one.named("analysis_finished")[0]["receipt"]["steps"]}
        assert not kept & {f"analysis.{name}" for name in await server.results.collect()}
        async with server.database.owner.begin() as connection:
            await connection.execute(text("DELETE FROM geoagent.map WHERE id = :id"), {"id": one.map_id})
        assert kept <= {f"analysis.{name}" for name in await server.results.collect()}
        assert await existing(server, sorted(kept)) == []


async def test_a_result_is_kept_and_can_be_read_while_a_copy_of_its_map_shows_it(
    server: Server, model: ScriptedModel
) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one, client(server) as two:
        await one.ask("join")
        result = await result_of(one)
        (layer,) = [event["layer"] for event in one.named("layer_added")]
        await two.ask("join", map_id=(await one.ask("copy"))["map_id"])
        await one.ask("layer_remove", layer_id=layer["id"])
        refusal = (await one.send("result_drop", {"map_id": one.map_id, "table": result}))["error"]
        assert refusal["code"] == "conflict"
        assert "A copy of this map" in refusal["message"]
        assert two.map_id not in refusal["message"]
        assert result in await tables_of(server, two.map_id)
        added = await two.ask("layer_add", table=result)
        assert await two.refused("result_drop", table=result) == "unknown_table"
        for layer_id in (layer["id"], added["layer_id"]):
            assert await one.refused("result_drop", table=result) == "conflict"
            await two.ask("layer_remove", layer_id=layer_id)
        assert result not in await tables_of(server, two.map_id)
        await one.ask("result_drop", table=result)
        assert await existing(server, [result]) == []


async def test_a_layer_whose_result_was_dropped_stays_away(server: Server, model: ScriptedModel) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one, client(server) as two:
        await one.ask("join")
        result = await result_of(one)
        (layer,) = [event["layer"] for event in one.named("layer_added")]
        await two.ask("join", map_id=(await one.ask("copy"))["map_id"])
        both = (await two.ask("layer_add", table="data.airports"))["seq"]
        await two.ask("restore", seq=0)
        await one.ask("layer_remove", layer_id=layer["id"])
        await one.ask("result_drop", table=result)

        assert await two.refused("restore", seq=both) == "conflict"
        assert await layers_of(two) == []
        stays_away = f"“{layer['name']}” cannot be restored"
        assert stays_away in (await two.ask("undo"))["what"]
        assert await layers_of(two) == ["airports"]
        # Also where nothing is left of a step, what lies beyond it is in reach.
        await two.ask("undo")
        await two.ask("undo")
        assert await two.refused("undo") == "nothing_to_undo"
        assert stays_away in (await two.ask("redo"))["what"]
        assert await layers_of(two) == []
        assert stays_away not in (await two.ask("redo"))["what"]
        assert await layers_of(two) == ["airports"]


@pytest.mark.parametrize("first", ["the undo", "the drop"])
async def test_an_undo_while_a_result_is_dropped_never_leaves_a_layer_without_data(
    server: Server, model: ScriptedModel, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The undo comes where it hurts most: between the decision that nobody shows the table and its end."""
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one, client(server) as two:
        await one.ask("join")
        await two.ask("join", map_id=one.map_id)
        result = await result_of(one)
        (layer,) = [event["layer"] for event in one.named("layer_added")]
        await one.ask("layer_remove", layer_id=layer["id"])
        drop_tables = server.results._drop_tables

        async def meanwhile(names: list[str]) -> None:
            if first == "the undo":
                await two.ask("undo")
            await drop_tables(names)

        monkeypatch.setattr(server.results, "_drop_tables", meanwhile)
        await one.ask("result_drop", table=result)
        if first == "the drop":
            assert "cannot be restored" in (await one.ask("undo"))["what"]
        shown = await layers_of(one)
        assert (shown != []) == (await existing(server, [result]) != []) == (first == "the undo")


async def test_what_a_copy_shows_outlives_the_map_that_it_was_copied_from(
    server: Server, model: ScriptedModel
) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one, client(server) as two:
        await one.ask("join")
        result = await result_of(one)
        (layer,) = [event["layer"] for event in one.named("layer_added")]
        steps = [step["table"] for step in one.named("analysis_finished")[0]["receipt"]["steps"]]
        await two.ask("join", map_id=(await one.ask("copy"))["map_id"])
        async with server.database.owner.begin() as connection:
            await connection.execute(text("DELETE FROM geoagent.map WHERE id = :id"), {"id": one.map_id})
        await server.results.collect()
        assert await existing(server, steps) == [result]
        assert result in await tables_of(server, two.map_id)
        await two.ask("layer_remove", layer_id=layer["id"])
        await server.results.collect()
        assert await existing(server, steps) == []


async def test_a_map_runs_one_analysis_at_a_time(server: Server, model: ScriptedModel) -> None:
    short = [[LARGE_CITIES], [("finish", {"summary": "Done."})], ["There."]]
    play(model, hand_over(), *short, hand_over(), *short)
    async with client(server) as one, client(server) as two:
        await one.ask("join")
        await two.ask("join", map_id=one.map_id)
        await one.ask("chat", text=GOAL)
        await two.ask("chat", text=GOAL)
        await one.hears("turn_finished", 2)
        events_seen = [
            name for _, name in one.numbered() if name in ("analysis_started", "analysis_finished")
        ]
        assert events_seen == ["analysis_started", "analysis_finished"] * 2


async def existing(server: Server, tables: list[str]) -> list[str]:
    query = text(
        "SELECT name FROM unnest(CAST(:names AS text[])) AS name WHERE to_regclass(name) IS NOT NULL"
    )
    async with server.database.owner.connect() as connection:
        return list((await connection.execute(query, {"names": tables})).scalars())


async def layers_of(one: Client) -> list[str]:
    return [layer["id"] for layer in (await one.ask("join", map_id=one.map_id))["snapshot"]["layers"]]
