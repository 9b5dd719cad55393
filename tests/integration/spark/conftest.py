"""A real standalone Spark with two workers, and a bench that runs operations on both engines over the same tables."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from geopandas import GeoDataFrame

from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.catalog.registry import Registry
from server.gis.lake.paths import LakePaths
from server.settings import OWN_SCHEMAS
from server.spark.cluster import ClusterSize, LocalCluster
from server.spark.jars import default_folder, installed
from server.spark.problem import SparkProblem
from tests.integration.operations.conftest import Answer, Bench
from tests.support.children import temporary_folder

if TYPE_CHECKING:
    from server.gis.spark.runner import SparkRunner

_numbers = count(1)
SECONDS = 300.0
"""Of one step, on a machine that runs other tests, too."""
SMALL = ClusterSize(workers=2, cores=1, worker_megabytes=512, driver_megabytes=640)

SHORT_LIVED = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""Of JVMs that run a few small steps: compiling Java to its fastest form, and checking the bytecode of thousands of
classes, would take longer than the steps."""
SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.extraJavaOptions": SHORT_LIVED,
    "spark.executor.extraJavaOptions": SHORT_LIVED,
}


def jars() -> Path:
    """Where the jars are. Skips where Spark was not installed, which `make test` does."""
    pytest.importorskip("pyspark", reason="Spark is not installed: tools/spark.sh")
    folder = default_folder()
    try:
        installed(folder)
    except SparkProblem as problem:
        pytest.skip(str(problem))
    return folder


@pytest.fixture(scope="session")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(SMALL, jars(), settings=SETTINGS) as running:
        yield running


@dataclass
class SparkBench(Bench):
    """`run` computes in PostGIS, `run_on_spark` on Spark."""

    spark: SparkRunner
    notes: Sequence[str] = ()
    """Of the last receipt of `both` from Spark."""

    async def run_on_spark(self, operation: str, **arguments: Any) -> Answer:
        told = []

        async def tell(progress: Any) -> None:
            told.append(progress)

        step = PlannedStep(id="step_1", operation=operation, arguments=arguments, title=f"test {operation}")
        result = await self.spark.run(step, {}, f"spark_{operation}_{next(_numbers)}", tell)
        rows = await self.rows(result.table.id)
        assert len(rows) == result.rows
        return Answer(result.table.id, rows, result.receipt, told)

    def spark_with(self, url: str, folder: Path, budget: Budget | None = None) -> SparkRunner:
        """Another runner over the same tables."""
        from server.gis.spark.runner import SparkOptions, SparkRunner

        return SparkRunner(
            self.database.writer, self.registry, budget or Budget(), SparkOptions(url, folder, SECONDS)
        )

    async def both(self, operation: str, **arguments: Any) -> tuple[GeoDataFrame, GeoDataFrame]:
        """The rows by PostGIS and by Spark."""
        one = await self.run(operation, **arguments)
        two = await self.run_on_spark(operation, **arguments)
        assert "Apache Sedona" in two.receipt.engine
        self.notes = two.receipt.notes
        return one.rows, two.rows


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bench(samples: Database, cluster: LocalCluster) -> AsyncIterator[SparkBench]:
    from server.gis.spark.runner import SparkOptions, SparkRunner

    registry = Registry(samples.reader, OWN_SCHEMAS, samples.listen)
    await registry.start()
    with temporary_folder("spark-rows") as folder:
        lake = LakePaths([Path(tempfile.gettempdir())])
        options = SparkOptions(cluster.url, folder, SECONDS, lake)
        runner = SparkRunner(samples.writer, registry, Budget(), options)
        yield SparkBench(samples, registry, runner)
    await registry.stop()
