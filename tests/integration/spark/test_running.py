"""A step on Spark is chosen, told, stopped and lost without a trace."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.engines import Engines
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepRunner
from server.gis.analysis.watch import Progress
from server.gis.errors import InvalidQuestion, NotStarted, TooExpensive, UnknownColumn
from server.gis.lake.register import Lake
from server.gis.lake.storage import LakeStorage
from server.gis.overviews import build
from server.gis.overviews.build import OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.ladder import OverviewStore
from server.gis.overviews.work import OverviewWork
from server.gis.profiles.versions import DataVersions
from server.settings import Settings
from server.spark.cluster import LocalCluster
from tests.integration.spark.conftest import SECONDS, SparkBench
from tests.support import lake as datasets
from tests.support.children import temporary_folder
from tests.support.looking import PATIENCE, until

PAIRS = PlannedStep(
    id="step_1",
    operation="spatial_join",
    arguments={"source": "data.many", "other": "data.many_2", "aggregates": [{"function": "count"}]},
    title="Pairs of boxes",
)
"""Each of 3,000 boxes meets each of 3,000: some seconds of work."""


async def _silent(_progress: Progress) -> None:
    pass


async def _many(bench: SparkBench) -> None:
    for name in ("many", "many_2"):
        await bench.make(
            f"CREATE TABLE IF NOT EXISTS data.{name} AS SELECT n AS id, ST_Buffer(ST_SetSRID("
            "ST_MakePoint(8 + n * 1e-5, 50), 4326), 1, 64) AS geom FROM generate_series(1, 3000) AS n"
        )


def _left_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def _results(bench: SparkBench, name: str) -> int:
    async with bench.database.owner.connect() as connection:
        found = await connection.scalar(
            text("SELECT count(*) FROM pg_tables WHERE tablename = :name"), {"name": name}
        )
        return int(found or 0)


async def test_a_step_that_postgis_would_not_start_runs_on_spark(bench: SparkBench) -> None:
    strict = Budget(cost=1.0)
    engines = Engines(StepRunner(bench.database.writer, bench.registry, strict), bench.spark)
    step = PlannedStep(
        id="step_1",
        operation="summarise",
        arguments={"source": "data.airports", "by": ["country"]},
        title="Airports",
    )
    made = await engines.run(step, {}, "by_country_on_spark", _silent)
    assert "Apache Sedona" in made.receipt.engine
    assert made.receipt.spark_sql is not None
    assert "GROUP BY" in made.receipt.spark_sql
    assert any(
        note.startswith("Computed on Spark. In PostGIS: Airports was not started")
        for note in made.receipt.notes
    )
    assert any("tasks" in note and "rows read" in note for note in made.receipt.notes)
    alone = Engines(StepRunner(bench.database.writer, bench.registry, strict))
    with pytest.raises(NotStarted):
        await alone.run(step, {}, "by_country_alone", _silent)


async def test_rows_that_were_copied_for_a_step_are_read_once(bench: SparkBench) -> None:
    """Not before it, too, to learn their columns."""
    made = await bench.run_on_spark("filter", source="data.airports", filter="id > 0")
    assert any("in 1 task: " in note for note in made.receipt.notes), made.receipt.notes


async def test_a_step_that_is_verified_runs_on_both_engines(bench: SparkBench) -> None:
    engines = Engines(StepRunner(bench.database.writer, bench.registry, Budget()), bench.spark)
    step = PlannedStep(
        id="step_1",
        operation="spatial_join",
        arguments={
            "source": "data.countries",
            "other": "data.airports",
            "aggregates": [{"function": "count"}],
        },
        title="Airports of countries",
    )
    made = await engines.run(step, {}, "airports_verified", _silent, asked="verify")
    assert made.receipt.engine == "PostGIS"
    assert made.receipt.spark_sql is not None
    said = made.receipt.notes[-1]
    assert said.startswith(
        f"Verified: Apache Spark 3.5.5, Apache Sedona 1.7.1 makes the same {made.rows} rows"
    )
    assert await _results(bench, "airports_verified_on_spark") == 0
    other = PlannedStep(
        id="step_1", operation="hull", arguments={"source": "data.countries"}, title="Hull of countries"
    )
    refused = await engines.run(other, {}, "hull_verified", _silent, asked="verify")
    assert refused.receipt.notes[-1].startswith("Not verified on Spark: hull does not run on Spark")


async def test_what_spark_cannot_do_is_refused_with_the_reason(bench: SparkBench) -> None:
    with pytest.raises(InvalidQuestion, match="simplify does not run on Spark: borders that areas share"):
        await bench.run_on_spark("simplify", source="data.countries", tolerance="10 km")
    with pytest.raises(InvalidQuestion, match="hull does not run on Spark: it is not ported"):
        await bench.run_on_spark("hull", source="data.countries")
    await _many(bench)
    with pytest.raises(InvalidQuestion, match="measured for points only"):
        await bench.run_on_spark("cluster", source="data.many", distance="1 km", minimum=2)
    with pytest.raises(UnknownColumn, match="has no column 'nowhere'"):
        await bench.run_on_spark("top", source="data.airports", by="nowhere")
    alone = Engines(StepRunner(bench.database.writer, bench.registry, Budget()))
    with pytest.raises(InvalidQuestion, match="No Spark is configured"):
        await alone.run(PAIRS, {}, "unasked", _silent, asked="spark")


async def test_a_result_of_too_many_rows_leaves_nothing(
    bench: SparkBench, cluster: LocalCluster, tmp_path: Path
) -> None:
    runner = bench.spark_with(cluster.url, tmp_path, Budget(rows=100))
    step = PlannedStep(
        id="step_1", operation="filter", arguments={"source": "data.airports", "filter": "id > 0"}
    )
    with pytest.raises(TooExpensive, match="more than 100 rows"):
        await runner.run(step, {}, "too_many_rows", _silent)
    assert await _results(bench, "too_many_rows") == 0
    assert _left_in(tmp_path) == []


async def test_stop_ends_a_step_before_it_is_computed(
    bench: SparkBench, cluster: LocalCluster, tmp_path: Path
) -> None:
    await _many(bench)
    runner = bench.spark_with(cluster.url, tmp_path)
    computing = asyncio.Event()
    told: list[Progress] = []

    async def tell(progress: Progress) -> None:
        told.append(progress)
        if progress.phase == "computing" and progress.percent is not None:
            computing.set()

    running = asyncio.create_task(runner.run(PAIRS, {}, "pairs_stopped", tell))
    async with asyncio.timeout(PATIENCE):
        await computing.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert told[-1].phase == "computing"
    assert told[-1].percent != 100
    assert await _results(bench, "pairs_stopped") == 0
    assert _left_in(tmp_path) == []
    assert not [each for each in told if each.percent is not None and not 0 <= each.percent <= 100]


async def test_a_lost_executor_costs_nothing_but_time(
    bench: SparkBench, cluster: LocalCluster, tmp_path: Path
) -> None:
    await _many(bench)
    await bench.make("CREATE TABLE data.some AS SELECT * FROM data.many WHERE id <= 60")
    arguments = {**PAIRS.arguments, "source": "data.some"}
    step = PlannedStep(id="step_1", operation="spatial_join", arguments=arguments, title="Pairs")
    killed: list[int] = []

    async def tell(progress: Progress) -> None:
        if progress.phase == "computing" and progress.percent is not None and not killed:
            killed.append(_executor_of(cluster.processes[1].pid))
            os.kill(killed[0], signal.SIGKILL)

    made = await bench.spark_with(cluster.url, tmp_path).run(step, {}, "pairs_executor_lost", tell)
    assert killed
    rows = await bench.rows(made.table.id)
    assert list(rows["count"]) == [3000] * 60
    assert _left_in(tmp_path) == []


def _executor_of(worker: int) -> int:
    """The process of the executor that a worker has started."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # Behind the name, which is in parentheses: state, parent.
            if int(status.read_text().rpartition(")")[2].split()[1]) == worker and (
                "CoarseGrainedExecutorBackend" in status.with_name("cmdline").read_text()
            ):
                return int(status.parent.name)
    raise AssertionError("the worker has no executor")


async def test_a_lost_driver_ends_what_it_did_with_the_reason(
    bench: SparkBench, last_cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step, and the overviews of a lake table, whose sample stays."""
    from server.gis.spark.cells import CellsOnSpark
    from server.gis.spark.client import SparkClient
    from server.gis.spark.errors import SparkUnavailable

    monkeypatch.setattr(build, "USUAL_CAPS", TileCaps(20, 20))
    await _many(bench)
    lake = Lake(bench.database.owner, LakeStorage([tmp_path]), sample_rows=500)
    report = await lake.add("half_read", str(datasets.hive(tmp_path / "half_read", 1000)))
    await bench.registry.refresh(patience=5)
    table, rows = bench.registry.get(report.table), tmp_path / "rows"
    state = await DataVersions(bench.database.owner).of(table, 0)
    store = OverviewStore(bench.database.owner)
    computing = asyncio.Event()

    async def tell(progress: Any) -> None:
        if progress.phase == "computing":
            computing.set()

    processes = list(last_cluster.processes)
    runner = bench.spark_with(last_cluster.url, rows)
    running = asyncio.create_task(runner.run(PAIRS, {}, "pairs_lost", tell))
    async with asyncio.timeout(PATIENCE):
        await computing.wait()
    client = SparkClient(last_cluster.url)
    cells = CellsOnSpark(bench.database.owner, client, rows, SECONDS, LakeStorage([tmp_path]))
    work = OverviewWork(OverviewBuilder(store, 0.5, 10**12, cells), store, 1000)
    async with bench.database.owner_session(work.session) as session:
        building = asyncio.create_task(work.run(session, table, state, 1.0))
        await until(lambda: len(_left_in(rows)) == 2)
        last_cluster.processes[-1].kill()
        for task in (running, building):
            with pytest.raises(SparkUnavailable, match=r"driver went away|cannot be reached"):
                async with asyncio.timeout(PATIENCE):
                    await task
    last_cluster.stop()
    assert await _results(bench, "pairs_lost") == 0
    assert await store.row(state.relid, fresh=True) is None
    assert await work.is_due(table, state, 1.0, fresh=True)
    assert _left_in(rows) == []
    assert all(process.returncode is not None for process in processes)
    await lake.remove(report.table)


async def test_a_step_may_take_longer_than_a_transaction_may_be_idle(
    bench: SparkBench, cluster: LocalCluster, samples_url: str
) -> None:
    from server.gis.spark.runner import SparkOptions, SparkRunner

    async with bench.database.owner.begin() as connection:
        writer = await connection.scalar(text("SELECT quote_ident(geoagent.role_name('writer'))"))
        await connection.execute(text(f"ALTER ROLE {writer} SET idle_in_transaction_session_timeout = 200"))
    step = PlannedStep(
        id="step_1",
        operation="summarise",
        arguments={"source": "data.airports", "by": ["country"]},
        title="Airports",
    )
    try:
        async with await Database.connect(Settings(database_url=samples_url)) as database:
            with temporary_folder("spark-idle") as folder:
                options = SparkOptions(cluster.url, folder, 120.0)
                runner = SparkRunner(database.writer, bench.registry, Budget(), options)
                made = await runner.run(step, {}, "longer_than_idle", _silent)
    finally:
        async with bench.database.owner.begin() as connection:
            await connection.execute(
                text(f"ALTER ROLE {writer} SET idle_in_transaction_session_timeout = 60000")
            )
    assert made.rows > 100


def test_spark_connect_is_reached_from_this_machine_only(cluster: LocalCluster) -> None:
    port = int(cluster.url.rpartition(":")[2])
    listening = [
        bytes.fromhex(line.split()[1].split(":")[0])
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
    ]
    assert len(listening) == 1
    # 127.0.0.1, as the kernel writes it, or the same as IPv6 writes IPv4.
    assert listening[0][-4:] == bytes((1, 0, 0, 127))


def test_a_session_that_is_collected_leaves_the_threads_of_the_others(cluster: LocalCluster) -> None:
    """They would end in the thread that collects it; if that is one of theirs, no statement ever ran again."""
    from pyspark.sql.connect.client.reattach import ExecutePlanResponseReattachableIterator as Statement

    from server.gis.spark.client import connected

    session = connected(cluster.url)
    session.sql("SELECT 1").collect()
    threads = Statement._release_thread_pool
    assert threads is not None
    del session
    gc.collect()
    assert Statement._release_thread_pool is threads


def test_small_jobs_that_come_first_do_not_count_as_the_whole_statement() -> None:
    """Zones are sent to all workers by a job of their own; the points are read by the next one."""
    from server.gis.spark.client import share_of

    zones = {"numTasks": 3, "numCompletedTasks": 2}
    points = {"numTasks": 22, "numCompletedTasks": 7}
    assert share_of([], read=0, rows=1000) is None
    assert share_of([zones], read=10, rows=1000) == 0.01
    assert share_of([{**zones, "numCompletedTasks": 3}], read=10, rows=1000) is None
    assert share_of([{**zones, "numCompletedTasks": 3}, points], read=500, rows=1000) == 0.4


@pytest.mark.parametrize(
    "message",
    [
        "(java.lang.IllegalStateException) Cannot call methods on a stopped SparkContext.",
        '(java.lang.NullPointerException) Cannot invoke "org.apache.spark.SparkEnv.conf()" because the return value of'
        ' "org.apache.spark.SparkEnv$.get()" is null',
        "status = StatusCode.UNAVAILABLE",
    ],
)
def test_what_a_driver_answers_while_it_stops_means_that_it_went_away(message: str) -> None:
    from pyspark.errors.exceptions.connect import SparkConnectGrpcException

    from server.gis.spark.client import fault_of

    fault = fault_of(SparkConnectGrpcException(message))
    assert "driver went away" in str(fault)
