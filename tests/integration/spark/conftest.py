"""A bench that runs operations in PostGIS and on Spark over the same tables."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest_asyncio
from geopandas import GeoDataFrame

from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.catalog.registry import Registry
from server.gis.lake.storage import LakeStorage
from server.settings import OWN_SCHEMAS
from server.spark.cluster import LocalCluster
from tests.integration.operations.conftest import Answer, Bench
from tests.support.children import temporary_folder

if TYPE_CHECKING:
    from server.gis.spark.runner import SparkRunner

_numbers = count(1)
SECONDS = 300.0
"""Of one step, on a machine that runs other tests, too."""


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
        """The rows by PostGIS and by Spark, which compute at the same time."""
        one, two = await asyncio.gather(
            self.run(operation, **arguments), self.run_on_spark(operation, **arguments)
        )
        assert "Apache Sedona" in two.receipt.engine
        self.notes = two.receipt.notes
        return one.rows, two.rows


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bench(samples: Database, cluster: LocalCluster) -> AsyncIterator[SparkBench]:
    from server.gis.spark.runner import SparkOptions, SparkRunner

    registry = Registry(samples.reader, OWN_SCHEMAS, samples.listen)
    await registry.start()
    with temporary_folder("spark-rows") as folder:
        lake = LakeStorage([Path(tempfile.gettempdir())])
        options = SparkOptions(cluster.url, folder, SECONDS, lake)
        runner = SparkRunner(samples.writer, registry, Budget(), options)
        yield SparkBench(samples, registry, runner)
    await registry.stop()
