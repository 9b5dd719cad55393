"""Fixtures for every test: a real PostGIS of this session, and fresh databases in it.

`database` is empty but for GeoAgent's own schemas, `samples` holds countries, cities and airports; both are
new for each test module, so a module may change them as it likes. All asyncio tests share one event loop."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from typing import Any

import hypothesis
import psutil
import pytest
import pytest_asyncio
import structlog
import uvloop
from xdist.scheduler import LoadFileScheduling

from server.database.engines import Database
from server.gis.ingest import process
from server.http.health import front_door
from server.settings import Settings
from tests.support import forked_readers
from tests.support.forking import Forks
from tests.support.postgis import Postgis, private_cluster, roomy_memory, temporary_home
from tests.support.server import Child
from tests.support.spark import cluster as cluster
from tests.support.spark import last_cluster as last_cluster

gc.disable()  # until the tests are collected
asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())  # the loop that `geoagent serve` uses

# How long an example takes says how busy the machine is. The same examples in each run, so that a change is not held
# up by a fault that it did not make; `GEOAGENT_RANDOM_TESTS=1` looks for new ones.
hypothesis.settings.register_profile(
    "geoagent",
    deadline=None,
    derandomize=os.environ.get("GEOAGENT_RANDOM_TESTS") != "1",
    # A module's server or database serves all examples of a test.
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture],
)
hypothesis.settings.load_profile("geoagent")

SPARK = "tests/integration/spark/"
ON_SPARK = (SPARK, "tests/browser/test_on_spark.py")
"""Tests that share one Spark, in one worker."""
LONGEST = (
    SPARK,
    "tests/evals/",
    "tests/integration/analysis/",
    "tests/integration/load/",
    "tests/browser/",
    "tests/integration/",
)
"""Folders in the order in which their tests are run; all others follow."""
FOREIGN = (
    "DATABASE_URL",
    "HOST",
    "PORT",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "PYTHONDONTWRITEBYTECODE",  # each of the many processes that tests start would compile everything again
)


WORKERS_PER_CORE = 2
"""Tests wait for servers, pages and Spark. With three, tests of layers that follow their tables failed beside other
work."""
MEMORY_OF_WORKER = 2 * 2**30
"""Bytes for a worker, its PostgreSQL, its servers and its browser."""


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """One worker runs a file. Another one runs all files of Spark, because its cluster has four JVMs."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return SPARK if file.startswith(ON_SPARK) else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """The number of workers for `-n auto`."""
    fitting = psutil.virtual_memory().available // MEMORY_OF_WORKER
    return max(2, min(WORKERS_PER_CORE * len(os.sched_getaffinity(0)), fitting))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, so that no worker is left with one of them at the end; what breaks Spark last."""
    items.sort(key=lambda item: [not item.nodeid.startswith(folder) for folder in LONGEST])
    items.sort(key=lambda item: "last_cluster" in getattr(item, "fixturenames", ()))


def pytest_collection_finish() -> None:
    """Garbage collection begins here. It leaves out what imports and the collection of tests made, and is rare, as in
    `geoagent serve`: it was a sixth of the processor time of tests with a server."""
    gc.freeze()  # with what collection left unused: to look for these tens of MB would take each process a second
    gc.enable()
    gc.set_threshold(20_000, 20, 50)


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure() -> None:
    """One look at what the tests left: pytest would take five, each of the whole heap."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_environment() -> Iterator[None]:
    """What a developer has set for a server of their own must not reach the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name in FOREIGN or name.startswith("GEOAGENT_"):
                patch.delenv(name)
        yield


@pytest.fixture(scope="session", autouse=True)
def plain_tracebacks() -> None:
    """Logged exceptions look as in the server's log. structlog's own way of drawing one takes half a second."""
    before = structlog.get_config()["processors"]
    drawn = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*before[:-1], drawn])


@pytest.fixture(scope="session", autouse=True)
def forked_processes() -> Iterator[None]:
    """Servers in processes of their own, and readers of files, do not import what another one of this session has
    imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Child, "is_forked", True)
        patch.setattr(process, "start_process", forked_readers.start)
        yield
    Forks.end()


@pytest.fixture(scope="session", autouse=True)
def no_health_processes() -> Iterator[None]:
    """Servers in this process start none of their own for health checks; those in processes of their own do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(front_door, "health_process", lambda *_: nullcontext())
        yield


@pytest.fixture(scope="session")
def postgis() -> Iterator[Postgis]:
    with temporary_home(roomy_memory()) as home, private_cluster(home) as cluster:
        yield Postgis(cluster)


@pytest.fixture(scope="module")
def database_url(postgis: Postgis) -> Iterator[str]:
    """A migrated database of this module, without samples."""
    name = postgis.migrated()
    yield postgis.url(name)
    postgis.drop(name)


@pytest.fixture(scope="module")
def samples_url(postgis: Postgis) -> Iterator[str]:
    """A migrated database of this module, with samples."""
    name = postgis.with_samples()
    yield postgis.url(name)
    postgis.drop(name)


@pytest.fixture(scope="module")
def fewer_samples_url(postgis: Postgis) -> Iterator[str]:
    """A migrated database of this module, with a third of the samples: less to compute and to draw."""
    name = postgis.with_fewer_samples()
    yield postgis.url(name)
    postgis.drop(name)


@pytest.fixture(scope="module")
def fewest_samples_url(postgis: Postgis) -> Iterator[str]:
    """A migrated database of this module, with few airports: for pages that only show that they are there."""
    name = postgis.with_fewest_samples()
    yield postgis.url(name)
    postgis.drop(name)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def database(database_url: str) -> AsyncIterator[Database]:
    async with await Database.connect(Settings(database_url=database_url)) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def samples(samples_url: str) -> AsyncIterator[Database]:
    async with await Database.connect(Settings(database_url=samples_url)) as opened:
        yield opened
