"""Fixtures for every test: a real PostGIS of this session, and fresh databases in it.

`database` is empty but for GeoAgent's own schemas, `samples` holds countries, cities and airports; both are
new for each test module, so a module may change them as it likes. All asyncio tests share one event loop.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any

import hypothesis
import pytest
import pytest_asyncio
from xdist.scheduler import LoadFileScheduling

from server.database.engines import Database
from server.postgres import packages, say
from server.postgres.cluster import PrivateCluster
from server.postgres.homes import homes
from server.settings import Settings
from tests.support.postgis import FAST, Postgis, temporary_home

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

BROWSER = "tests/browser/"
BROWSERS = 2
"""Workers with a browser: more of them, drawing without a GPU, starve each other."""
FOREIGN = (
    "DATABASE_URL",
    "HOST",
    "PORT",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "PYTHONDONTWRITEBYTECODE",  # each of the many processes that tests start would compile everything again
)


class FewBrowsers(LoadFileScheduling):  # type: ignore[misc]
    """One worker runs a file; `BROWSERS` workers share the files that need a browser, each as many tests."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self._groups: dict[str, str] = {}
        self._tests: Counter[str] = Counter()

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        if file not in self._groups:
            self._groups[file] = self._smallest_group() if file.startswith(BROWSER) else file
        group = self._groups[file]
        self._tests[group] += 1
        return group

    def _smallest_group(self) -> str:
        """Of the files that were split before: tests come in the order of their files."""
        return min((f"{BROWSER}{number}" for number in range(BROWSERS)), key=lambda group: self._tests[group])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FewBrowsers:
    return FewBrowsers(config, log)


@pytest.fixture(scope="session", autouse=True)
def own_environment() -> Iterator[None]:
    """What a developer has set for a server of their own must not reach the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name in FOREIGN or name.startswith("GEOAGENT_"):
                patch.delenv(name)
        yield


@pytest.fixture(scope="session")
def postgis() -> Iterator[Postgis]:
    unpacked = homes(None).unpacked
    packages.require(unpacked, say)
    with temporary_home() as home:
        cluster = PrivateCluster(home, unpacked, FAST)
        cluster.acquire()
        try:
            yield Postgis(cluster)
        finally:
            cluster.release()


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


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def database(database_url: str) -> AsyncIterator[Database]:
    async with await Database.connect(Settings(database_url=database_url)) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def samples(samples_url: str) -> AsyncIterator[Database]:
    async with await Database.connect(Settings(database_url=samples_url)) as opened:
        yield opened
