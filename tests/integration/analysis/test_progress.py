"""What people see of an analysis while it runs: the plan, how far it is, and the same for who comes later.

Tests with a server of their own come first: the shared one would take their turns."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from server.app import Server
from server.gis.analysis import watch as watching
from server.gis.analysis.watch import Progress, StepWatch
from tests.integration.analysis.asking import FARTHEST, GOAL, LARGE_CITIES, hand_over, tables_of
from tests.support.looking import until
from tests.support.models import ScriptedModel, play
from tests.support.server import Client, client, local_server

PLAN = [
    {"operation": "filter", "title": "Large cities"},
    {"operation": "nearest", "title": "Nearest airport"},
    {"operation": "top", "title": "Farthest cities"},
]


async def test_the_offline_model_tells_all_its_steps_before_the_first(samples_url: str) -> None:
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        await one.says("the 10 cities farthest from any airport")
        (started,) = one.named("analysis_started")
        (done,) = one.named("analysis_finished")
        ran = [step["title"] for step in done["receipt"]["steps"]]
        assert len(ran) > 1
        assert [step["title"] for step in started["plan"]] == ran


async def test_a_plan_that_was_announced_is_whole_from_the_start(
    server: Server, model: ScriptedModel
) -> None:
    first = [("plan", {"steps": PLAN}), *FARTHEST[0]]
    play(model, hand_over(), first, *FARTHEST[1:])
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (started,) = one.named("analysis_started")
        assert [step["title"] for step in started["plan"]] == [step["title"] for step in PLAN]
        assert started["steps_known"] is True
        assert one.named("analysis_planned") == []
        updates = one.named("analysis_progress")
        assert {(each["steps"], each["steps_known"]) for each in updates} == {(3, True)}
        ends = [(each["step"], each["name"]) for each in updates if each["percent"] == 100]
        assert ends == [(number, step["title"]) for number, step in enumerate(PLAN, 1)]


async def test_without_a_plan_it_grows_with_the_steps_and_says_so(
    server: Server, model: ScriptedModel
) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (started,) = one.named("analysis_started")
        assert (len(started["plan"]), started["steps_known"]) == (1, False)
        assert [len(each["plan"]) for each in one.named("analysis_planned")] == [2, 3]
        assert not any(each["steps_known"] for each in one.named("analysis_progress"))
        assert all(each["step"] <= each["steps"] for each in one.named("analysis_progress"))


async def test_an_analyst_that_changes_its_plan_shows_the_new_one(
    server: Server, model: ScriptedModel
) -> None:
    play(
        model,
        hand_over(),
        [("plan", {"steps": PLAN}), LARGE_CITIES],
        [("plan", {"steps": [{"operation": "top", "title": "Largest"}]})],
        [("top", {"source": "step_1", "by": "population", "n": 5, "title": "Largest"})],
        [("finish", {"summary": "Done."})],
    )
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (planned,) = one.named("analysis_planned")
        assert [step["title"] for step in planned["plan"]] == ["Large cities", "Largest"]
        assert one.named("analysis_progress")[-1]["steps"] == 2


@pytest.mark.parametrize("comes", ["again", "back"])
async def test_who_comes_in_the_middle_sees_the_same_progress(
    samples_url: str, comes: str, server: Server, model: ScriptedModel
) -> None:
    play(model, hand_over(), FARTHEST[0], [("nearest", {**FARTHEST[1][0][1], "source": "data.slow"})])
    connection = await asyncpg.connect(samples_url)
    try:
        async with client(server) as one, client(server) as two:
            await slow_table(server, connection)
            joined = await one.ask("join")
            await one.ask("chat", text=GOAL)
            known = await until(
                lambda: [each for each in one.named("analysis_progress") if each["elapsed_ms"] > 1500]
            )
            if comes == "again":
                answer = await two.ask("join", map_id=one.map_id)
                progress = answer["snapshot"]["progress"]
            else:
                answer = await two.ask("join", map_id=one.map_id, after_seq=joined["seq"])
                progress = answer["progress"]
            (seen,) = progress
            same = ("analysis_id", "step", "steps", "name", "steps_known")
            assert {name: seen[name] for name in same} == {name: known[0][name] for name in same}
            assert seen["step"] == 2
            assert seen["elapsed_ms"] > 0
            await until(lambda: two.named("analysis_progress"))
            await two.ask("cancel")
            failed = await two.hears("analysis_failed")
            assert (failed["step"], failed["name"]) == (2, "Nearest airport")
            assert [step["title"] for step in failed["receipt"]["steps"]] == ["Large cities"]
            assert failed["table"] in await tables_of(server, one.map_id)
            assert (await three(server, one)) == []
    finally:
        await connection.execute("DROP TABLE IF EXISTS data.slow")
        await connection.close()


async def three(server: Server, one: Client) -> list[object]:
    """What somebody sees of the progress who comes when it is over."""
    async with client(server) as late:
        snapshot = (await late.ask("join", map_id=one.map_id))["snapshot"]
        return list(snapshot["progress"])


async def slow_table(server: Server, connection: asyncpg.Connection) -> None:
    """Shapes with so many vertices that finding what is nearest to them takes long."""
    await connection.execute(
        "CREATE TABLE IF NOT EXISTS data.slow AS SELECT row_number() OVER () AS id, c.name,"
        " ST_Segmentize(c.geom::geography, 2000)::geometry(MultiPolygon, 4326) AS geom FROM data.countries AS c"
    )
    await until(lambda: _knows(server, "data.slow"))


async def _knows(server: Server, table: str) -> bool:
    await server.registry.refresh()
    return any(each.id == table for each in server.registry.tables())


async def test_percent_comes_from_postgresql_while_it_builds_an_index(
    samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    updates: list[Progress] = []

    async def tell(progress: Progress) -> None:
        updates.append(progress)

    monkeypatch.setattr(watching, "PROGRESS_DELAY_S", 0.0)
    monkeypatch.setattr(watching, "REPORT_INTERVAL_S", watching.MIN_REPORT_INTERVAL_S)
    shapes = "SELECT ST_Buffer(ST_MakePoint(i % 1000, i / 1000), 0.4, 8) AS geom FROM generate_series(1, 20000) AS i"
    async with local_server(samples_url) as server:
        engine = server.database.writer
        async with StepWatch("test", tell, engine) as watch, engine.begin() as connection:
            watch.pid = int((await connection.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one())
            await connection.exec_driver_sql(f"CREATE TEMPORARY TABLE many ON COMMIT DROP AS {shapes}")
            watch.part("storing", 0, 1)
            # Reading the rows takes long: each is buffered for the index.
            await connection.exec_driver_sql("CREATE INDEX ON many USING gist (ST_Buffer(geom, 0.1, 64))")
        percents = [each.percent for each in updates if each.phase == "storing" and each.percent is not None]
        assert percents == sorted(percents)
        assert percents[-1] == 100
        assert any(90 < percent < 100 for percent in percents)


async def test_portions_give_percent_rows_and_what_is_left() -> None:
    updates: list[Progress] = []

    async def tell(progress: Progress) -> None:
        updates.append(progress)

    async with StepWatch("test", tell, None) as watch:  # type: ignore[arg-type]  # nothing asks PostgreSQL here
        for portion in range(4):
            watch.computed(portion / 4, portion * 10)
            await asyncio.sleep(0.3)
    measured = [each for each in updates if each.estimate_ms is not None]
    assert [each.percent for each in updates] == sorted(each.percent or 0 for each in updates)
    assert updates[-1].percent == 100
    assert {each.rows for each in updates} >= {10, 20, 30}
    assert measured
    for each in measured:
        assert each.percent is not None
        expected = each.elapsed_ms * (100 - each.percent) / each.percent
        assert each.estimate_ms == pytest.approx(expected)


async def test_what_is_left_is_unknown_until_something_was_computed() -> None:
    """Spark is asked how far it is long before its first task has ended."""
    updates: list[Progress] = []

    async def tell(progress: Progress) -> None:
        updates.append(progress)

    async with StepWatch("test", tell, None) as watch:  # type: ignore[arg-type]  # nothing asks PostgreSQL here
        watch.part("preparing", 0, 1)
        await until(lambda: updates)
        watch.computed(0.0, None)
        await until(lambda: [each for each in updates if each.elapsed_ms > watching.MIN_ELAPSED_MS + 100])
        waiting = list(updates)
        watch.computed(0.5, None)
        await until(lambda: [each for each in updates if each.estimate_ms is not None])
    assert {each.estimate_ms for each in waiting} == {None}
    half = next(each for each in updates if each.estimate_ms is not None)
    assert half.percent == 55  # 20 are for what was prepared, and 10 for what is to be stored
    assert half.estimate_ms is not None
    assert half.estimate_ms < half.elapsed_ms * 45 / 35


async def test_progress_that_cannot_be_sent_stops_no_step() -> None:
    calls = 0

    async def tell(progress: Progress) -> None:
        nonlocal calls
        calls += 1
        if progress.percent != 100:
            raise OSError("nobody listens")

    async with StepWatch("test", tell, None) as watch:  # type: ignore[arg-type]  # nothing asks PostgreSQL here
        watch.computed(0.5, 1)
        await until(lambda: calls)
