"""A long step is stored by one statement that PostgreSQL computes in several processes; still it tells how far it is
and can be stopped. What PostgreSQL by itself would leave to one process, because of a correlated subquery, is computed
by ranges of its source."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pandas import isna
from sqlalchemy import func, text

from server.gis.analysis import disk, ranges, runner, storage, watch
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepRunner, Task
from server.gis.analysis.watch import Progress
from server.gis.operations.support.base import Step
from server.gis.operations.support.geometry import uniting
from tests.integration.operations.conftest import Bench

ROWS = 8_000
STEP = PlannedStep(
    id="step_1", operation="buffer", arguments={"source": "data.many", "distance": "50 m"}, title="Buffers"
)
CORRELATED = PlannedStep(
    id="step_1",
    operation="nearest",
    arguments={"source": "data.many", "target": "data.many", "k": 5},
    title="Neighbours",
)


@pytest.fixture(autouse=True)
def long_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "SHORT_COST", 0.0)
    monkeypatch.setattr(runner, "PARALLEL_COST", 0.0)
    monkeypatch.setattr(storage, "PORTION_PAGES", 1)
    monkeypatch.setattr(disk, "CHECK_INTERVAL_S", 0.02)
    monkeypatch.setattr(watch, "REPORT_INTERVAL_S", 0.03)
    monkeypatch.setattr(watch, "MIN_REPORT_INTERVAL_S", 0.02)


async def many(bench: Bench) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.many",
        "CREATE TABLE data.many (id int PRIMARY KEY, geom geometry(Point, 4326)) WITH (parallel_workers = 2)",
        "INSERT INTO data.many SELECT i, ST_SetSRID(ST_MakePoint(9 + (i % 100) / 1e4, 48 + i / 1e6), 4326)"
        f" FROM generate_series(1, {ROWS}) AS i",
        "ANALYZE data.many",
    )


async def test_it_tells_how_far_it_is(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await many(bench)
    at_once = storage.at_once
    plans: list[str] = []

    def planned(name: str, step: Step, rows: str | None = None) -> str:
        plans.append(at_once(name, step, rows))
        return plans[-1]

    monkeypatch.setattr(storage, "at_once", planned)
    seen: list[Progress] = []

    async def tell(progress: Progress) -> None:
        seen.append(progress)

    steps = StepRunner(bench.database.writer, bench.registry, Budget(), bench.database.owner)
    result = await steps.run(STEP, {}, "in_parallel", tell)
    assert result.rows == ROWS
    async with bench.database.writer.begin() as connection:
        plan = (
            await connection.execute(text(f"EXPLAIN {plans[0].replace('in_parallel', 'again')}"))
        ).scalars()
        assert any("Gather" in line for line in plan)
    computing = [each for each in seen if each.phase == "computing" and each.percent is not None]
    percents = [each.percent or 0.0 for each in computing]
    assert percents == sorted(percents)
    assert len({percent for percent in percents if 0 < percent < 90}) > 2
    assert {each.rows for each in computing if (each.percent or 0.0) < 85} == {None}, (
        "nobody has counted them yet"
    )
    assert (await bench.rows(result.table.id)).fid.tolist() == list(range(1, ROWS + 1))


async def test_what_is_correlated_is_computed_in_several_processes_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await many(bench)
    plan = StepRunner._plan

    async def with_process(self: StepRunner, task: Task) -> Step:
        planned = await plan(self, task)
        return replace(planned, select=planned.select.add_columns(func.pg_backend_pid().label("process")))

    seen: list[Progress] = []

    async def tell(progress: Progress) -> None:
        seen.append(progress)

    steps = StepRunner(bench.database.writer, bench.registry, Budget(), bench.database.owner)
    alone = await StepRunner(bench.database.writer, bench.registry, Budget()).run(
        CORRELATED, {}, "alone", tell
    )
    seen.clear()
    before = await kept(bench)
    monkeypatch.setattr(StepRunner, "_plan", with_process)
    result = await steps.run(CORRELATED, {}, "by_ranges", tell)
    rows = await bench.rows(result.table.id)
    assert rows.process.nunique() > 1
    assert rows.fid.tolist() == list(range(1, len(rows) + 1))
    by = ["id", "distance_m", "near_id"]
    found, expected = (
        each[by].sort_values(by).reset_index(drop=True) for each in (rows, await bench.rows(alone.table.id))
    )
    assert found.equals(expected)
    percents = [each.percent or 0.0 for each in seen if each.phase == "computing"]
    assert percents == sorted(percents)
    assert len({percent for percent in percents if 20 < percent < 90}) > 2
    assert await kept(bench) - before == {"by_ranges", "by_ranges_pkey"}


async def kept(bench: Bench) -> set[str]:
    """Names of everything in the schema of results but spatial indexes."""
    names = (
        "SELECT relname FROM pg_class WHERE relnamespace = 'analysis'::regnamespace AND relname NOT LIKE '%geom_idx'"
        " UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'analysis'::regnamespace"
    )
    async with bench.database.owner.connect() as connection:
        return set((await connection.execute(text(names))).scalars())


@pytest.mark.parametrize("step", [STEP, CORRELATED], ids=["by the planner", "by ranges"])
async def test_it_is_stopped_at_once_and_leaves_nothing(bench: Bench, step: PlannedStep) -> None:
    await many(bench)
    before = await kept(bench)
    begun = asyncio.Event()

    async def tell(progress: Progress) -> None:
        if progress.phase == "computing" and (progress.percent or 0.0) < 90:
            begun.set()

    steps = StepRunner(bench.database.writer, bench.registry, Budget(), bench.database.owner)
    running = asyncio.create_task(steps.run(step, {}, "stopped", tell))
    await asyncio.wait_for(begun.wait(), 20)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await kept(bench) == before


async def test_it_may_take_as_long_as_its_portions_together(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await many(bench)
    at_once = storage.at_once

    def with_limit(name: str, step: Step, rows: str | None = None) -> str:
        return at_once(name, step, rows).replace(
            "made.* FROM", "made.*, current_setting('statement_timeout') AS allowed FROM", 1
        )

    async def tell(_progress: Progress) -> None:
        pass

    monkeypatch.setattr(storage, "at_once", with_limit)
    steps = StepRunner(bench.database.writer, bench.registry, Budget(seconds=60), bench.database.owner)
    result = await steps.run(STEP, {}, "allowed", tell)
    assert set((await bench.rows(result.table.id)).allowed) == {"40min"}, "MAX_PORTIONS of a minute"


async def test_what_it_will_store_is_estimated_from_some_rows(bench: Bench) -> None:
    """The estimate is what percents are of."""
    await many(bench)
    expected: list[float] = []
    expected_size = storage.expected_size

    async def noted(*arguments: object) -> float:
        expected.append(await expected_size(*arguments))  # type: ignore[arg-type]
        return expected[-1]

    steps = StepRunner(bench.database.writer, bench.registry, Budget(), bench.database.owner)

    async def tell(_progress: Progress) -> None:
        pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "expected_size", noted)
        await steps.run(STEP, {}, "measured", tell)
    (size,) = expected
    async with bench.database.owner.connect() as connection:
        stored = await connection.scalar(text("SELECT pg_table_size('analysis.measured')"))
    assert size == pytest.approx(stored, rel=0.25)


@pytest.mark.parametrize("by", [["owner"], []], ids=["of each owner", "of all"])
async def test_shapes_united_by_ranges_are_those_united_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, by: list[str]
) -> None:
    """Among the owners are one without a name and one without a shape."""
    await bench.make(
        "DROP TABLE IF EXISTS data.lots",
        "CREATE TABLE data.lots AS SELECT i AS id, CASE WHEN i % 7 > 0 THEN 'owner ' || i % 7 END AS owner,"
        " ST_Translate(ST_MakeEnvelope(9, 48, 9.001, 48.001, 4326), (i % 40) / 1e3, (i / 40) / 1e3)"
        "::geometry(Polygon, 4326) AS geom FROM generate_series(0, 1599) AS i",
        "INSERT INTO data.lots VALUES (1600, 'nowhere', NULL)",
        "ANALYZE data.lots",
    )
    at_once = (await bench.run("dissolve", source="data.lots", by=by)).rows
    begun: list[int] = []
    begin = ranges.begin

    def noted(*arguments: Any) -> Any:
        begun.append(len(arguments[3]))
        return begin(*arguments)

    monkeypatch.setattr(uniting, "SMALL_BYTES", 0)
    monkeypatch.setattr(storage, "DIVIDED_BYTES", 0)
    monkeypatch.setattr(storage, "MAX_RANGE_PAGES", 1)
    monkeypatch.setattr(ranges, "begin", noted)
    answer = await bench.run("dissolve", source="data.lots", by=by)
    assert len(begun) == 1
    assert begun[0] > 4
    assert len(answer.rows) == len(at_once) == (8 if by else 1)
    for found, expected in zip(answer.rows.itertuples(), at_once.itertuples(), strict=True):
        assert found.count == expected.count
        assert (found.geom is None) == (expected.geom is None)
        assert found.geom is None or found.geom.equals(expected.geom)
        assert not by or isna(found.owner) == isna(expected.owner)


async def test_keys_and_indexes_are_made_with_the_usual_settings(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else PostgreSQL starts processes for the key of ten rows, too."""
    await many(bench)
    finish = storage.finish

    def watched(*arguments: Any) -> Iterator[str]:
        yield (
            "CREATE TABLE analysis.settings_seen AS SELECT current_setting('min_parallel_table_scan_size') AS now,"
            " reset_val AS usual FROM pg_settings WHERE name = 'min_parallel_table_scan_size'"
        )
        yield from finish(*arguments)

    async def tell(_progress: Progress) -> None:
        pass

    monkeypatch.setattr(storage, "finish", watched)
    steps = StepRunner(bench.database.writer, bench.registry, Budget(), bench.database.owner)
    await steps.run(STEP, {}, "with_usual_settings", tell)
    async with bench.database.writer.begin() as connection:
        seen = (await connection.execute(text("SELECT now, usual FROM analysis.settings_seen"))).one()
        in_pages = (
            await connection.execute(text("SELECT pg_size_bytes(:now) / 8192"), {"now": seen.now})
        ).scalar_one()
    assert str(in_pages) == seen.usual
