"""An analysis from a person's question to the layer on the map, over the socket: watched, repaired, stopped."""

from __future__ import annotations

import aiohttp
import asyncpg
import pytest

from server.app import Server
from tests.integration.analysis.asking import FARTHEST, GOAL, hand_over
from tests.support.looking import until
from tests.support.models import ScriptedModel, play
from tests.support.server import client


async def test_an_analysis_ends_as_a_layer_with_a_receipt(server: Server, model: ScriptedModel) -> None:
    play(model, hand_over(), *FARTHEST, ["Here they are."], ["The 20 cities are on the map."])
    async with client(server) as one:
        await one.ask("join")
        finished = await one.says(GOAL)
        assert finished["status"] == "done"
        names = [name for _, name in one.numbered()]
        assert names.index("analysis_started") < names.index("layer_added") < names.index("analysis_finished")
        (layer,) = [event["layer"] for event in one.named("layer_added")]
        assert layer["count"] == 20
        (done,) = one.named("analysis_finished")
        steps = done["receipt"]["steps"]
        assert [step["operation"] for step in steps] == ["filter", "nearest", "top"]
        assert steps[-1]["rows"] == 20
        assert "WGS 84" in " ".join(steps[1]["notes"])
        assert layer["table"] == done["table"]
        assert one.named("analysis_progress")[0]["name"] == "Large cities"


async def test_the_analyst_shows_a_step_in_a_chart(server: Server, model: ScriptedModel) -> None:
    play(
        model,
        hand_over("large cities by continent"),
        [("filter", {"source": "data.cities", "filter": "population > 3000000", "title": "Large"})],
        [("make_chart", {"kind": "histogram", "data": "step_1"})],
        [("make_chart", {"kind": "histogram", "data": "step_1", "x": "population"})],
        [("finish", {"summary": "Done."})],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("large cities")
        (added,) = one.named("chart_added")
        (done,) = one.named("analysis_finished")
        assert added["chart"]["table"] == done["table"]
        assert added["chart"]["rows"] == done["receipt"]["steps"][0]["rows"] > 50
        assert added["turn_id"] == (await one.hears("turn_finished"))["turn_id"]


async def test_the_analyst_repairs_a_step_that_failed(server: Server, model: ScriptedModel) -> None:
    play(
        model,
        hand_over("large cities"),
        [("filter", {"source": "data.cities", "filter": "populaton > 3000000", "title": "Large"})],
        [("filter", {"source": "data.cities", "filter": "population > 3000000", "title": "Large"})],
        [("finish", {"summary": "Done."})],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("large cities")
        repair = next(request for request in model.requests if "populaton" in str(request.messages))
        assert "population" in repair.messages[-1].results[0].content
        assert repair.messages[-1].results[0].ok is False
        assert len(one.named("analysis_finished")) == 1


async def test_an_analysis_without_rows_says_which_step_emptied_it(
    server: Server, model: ScriptedModel
) -> None:
    play(
        model,
        hand_over("giants"),
        [("filter", {"source": "data.cities", "filter": "population > 900000000", "title": "Giants"})],
        [("finish", {"summary": "No city has so many people."})],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("giants")
        (done,) = one.named("analysis_finished")
        assert done["receipt"]["steps"][0]["rows"] == 0
        assert (done["rows"], done["emptied_by"]) == (0, {"step": 1, "name": "Giants"})
        assert one.named("layer_added") == []
        assert any("No row is left" in str(request.messages[-1]) for request in model.requests)


async def test_the_step_that_emptied_a_result_is_the_one_that_had_rows_to_work_on(
    server: Server, model: ScriptedModel
) -> None:
    nowhere = {"source": "data.airports", "filter": "name = 'Nowhere'", "title": "Nowhere"}
    near = {
        "source": "step_1",
        "other": "step_2",
        "predicate": "within_distance",
        "distance": "5 km",
        "title": "Near",
    }
    play(
        model,
        hand_over("giants"),
        [("filter", {"source": "data.cities", "filter": "population > 3000000", "title": "Large"})],
        [("filter", nowhere)],
        [("select_by_location", near)],
        [("top", {"source": "step_3", "by": "population", "n": 5, "title": "Five"})],
        [("finish", {"summary": "None."})],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("giants")
        (done,) = one.named("analysis_finished")
        assert [step["rows"] > 0 for step in done["receipt"]["steps"]] == [True, False, False, False]
        assert done["emptied_by"] == {"step": 2, "name": "Nowhere"}


async def test_an_analysis_that_gives_up_on_a_step_says_which_why_and_what_to_try(
    server: Server, model: ScriptedModel
) -> None:
    wrong = ("filter", {"source": "data.cities", "filter": "populaton > 1", "title": "Large"})
    play(
        model,
        hand_over("large"),
        [wrong],
        [("cannot_do", {"reason": "No such column.", "alternative": "Use population."})],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("large")
        (failed,) = one.named("analysis_failed")
        assert (failed["step"], failed["name"]) == (1, "Large")
        assert (failed["reason"], failed["advice"]) == ("No such column.", "Use population.")
        assert failed["table"] is None


async def test_an_analyst_that_refuses_ends_the_analysis_as_failed(
    server: Server, model: ScriptedModel
) -> None:
    play(
        model,
        hand_over("traffic"),
        [("cannot_do", {"reason": "No table has traffic counts.", "alternative": "Show the roads."})],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says("traffic")
        (failed,) = one.named("analysis_failed")
        assert failed["reason"] == "No table has traffic counts."
        assert failed["advice"] == "Show the roads."


@pytest.mark.parametrize("by_whom", ["the same person", "somebody else"])
async def test_stopping_cancels_the_statement_in_postgresql(
    samples_url: str, by_whom: str, server: Server, model: ScriptedModel
) -> None:
    slow = (
        "distance_matrix",
        {"source": "data.large", "other": "data.large", "name": "name", "other_name": "name"},
    )
    play(model, hand_over("all distances"), [slow])
    connection = await asyncpg.connect(samples_url)
    await connection.execute(
        "DROP TABLE IF EXISTS data.large;"
        "CREATE TABLE data.large AS SELECT c.name, ST_Segmentize(c.geom::geography, 1000)::geometry(MultiPolygon, 4326)"
        " AS geom FROM data.countries AS c"
    )
    async with client(server) as one, client(server) as two:
        await until(lambda: _knows(server, "data.large"))
        await one.ask("join")
        await two.ask("join", map_id=one.map_id)
        await one.ask("chat", text="all distances")
        await until(lambda: _working(connection))
        stopper = one if by_whom == "the same person" else two
        await stopper.ask("cancel")
        # How soon is measured by `python -m tests.bench.stops`.
        await until(lambda: _idle(connection))
        await two.hears("analysis_failed")
        assert (await two.hears("turn_finished"))["status"] == "cancelled"
    await connection.close()


async def test_a_cross_join_of_large_tables_is_refused_before_it_starts(
    server: Server, model: ScriptedModel
) -> None:
    pairs = {"source": "data.cities", "other": "data.airports", "name": "name", "other_name": "name"}
    play(model, hand_over("all pairs"), [("distance_matrix", {**pairs, "title": "All pairs"})])
    async with client(server) as one:
        await one.ask("join")
        await one.says("all pairs")
        assert any("Filter the tables first" in str(request.messages[-1]) for request in model.requests)
        assert one.named("analysis_finished") == []


async def _knows(server: Server, table: str) -> bool:
    await server.registry.refresh()
    return any(each.id == table for each in server.registry.tables())


async def _working(connection: asyncpg.Connection) -> int:
    return int(
        await connection.fetchval(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE state = 'active' AND query ~ '^(INSERT INTO|CREATE TABLE) .?analysis'"
        )
    )


async def _idle(connection: asyncpg.Connection) -> bool:
    return await _working(connection) == 0


async def test_an_analysis_ends_once(server: Server, model: ScriptedModel) -> None:
    """The map hears of one end, whatever a model calls beside it, and the analyst's model is not asked again."""
    end = ("finish", {"summary": "Done."})
    later = [("cannot_do", {"reason": "no"}), FARTHEST[0][0], end]
    play(model, hand_over(), *FARTHEST[:1], [end, *later], ["It is on the map."])
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        ended = [name for name in ("analysis_finished", "analysis_failed") for _ in one.named(name)]
        assert ended == ["analysis_finished"]
        assert len(one.named("layer_added")) == 1
        assert len(one.named("analysis_finished")[0]["receipt"]["steps"]) == 1
        assert len(model.requests) == 4
        assert one.named("ai_response")[-1]["message"] == "It is on the map."


async def test_every_column_of_a_result_says_where_it_came_from(server: Server, model: ScriptedModel) -> None:
    play(model, hand_over(), *FARTHEST, ["Here they are."])
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        address = f"/api/maps/{one.map_id}/tables/{one.named('analysis_finished')[0]['table']}"
        async with aiohttp.ClientSession(server.url) as session, session.get(address) as answer:
            columns = {each["name"]: each["comment"] for each in (await answer.json())["columns"]}
    assert columns["population"].startswith("From data.cities: ")
    assert "spheroid" in columns["distance_m"]
    untold = [name for name, comment in columns.items() if not comment and name not in ("fid", "geom")]
    assert untold == []
