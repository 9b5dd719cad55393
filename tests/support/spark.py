"""A real standalone Spark with two workers, one for all tests of a process that need it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.spark.cluster import ClusterSize, LocalCluster
from server.spark.jars import default_folder, installed
from server.spark.problem import SparkProblem

SMALL = ClusterSize(workers=2, cores=1, worker_megabytes=512, driver_megabytes=640)

SHORT_LIVED = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
    " -XX:ReservedCodeCacheSize=192m"
)
"""Of JVMs that run a few small steps: compiling Java to its fastest form, and checking the bytecode of thousands of
classes, would take longer than the steps. In the usual 48 MB for compiled code, they search for what to discard."""
SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    # A check of how far a step is lists all that Spark remembers.
    "spark.ui.retainedJobs": "40",
    "spark.ui.retainedStages": "80",
    "spark.sql.ui.retainedExecutions": "20",
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


@pytest.fixture
def last_cluster(cluster: LocalCluster) -> LocalCluster:
    """The same one, for a test that may break it: such tests come after all others."""
    return cluster
