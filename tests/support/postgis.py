"""A real private PostGIS for tests: one cluster a session, databases copied from templates in a blink.

The cluster is made by GeoAgent's own `server.postgres`, in a temporary folder, without fsync, and stops
with pytest however that ends. Nothing global is read: not DATABASE_URL, not GEOAGENT_HOME."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import psutil

from server import samples
from server.database import migrate
from server.database.engines import Database
from server.postgres import packages, say
from server.postgres.cluster import PrivateCluster
from server.postgres.homes import homes
from server.settings import Settings
from tests.support.children import temporary_folder
from tests.support.looking import until

FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    # Tables that are made and filled in one transaction, such as results, are not written to the log as well.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "128MB",
    # Each connection would load PostGIS and its libraries again.
    "shared_preload_libraries": "postgis-3",
    # Statistics change when a test says so, and not beside it.
    "autovacuum": "off",
}
MEMORY = Path("/dev/shm")
MEMORY_NEEDED = 8 * 2**30
"""Bytes that must be free; the cluster of one process takes half a gigabyte at most."""
MOST_ROWS_DELETED = """
    DELETE FROM data.cities WHERE population < 50000 AND name <> 'Ulm';
    DELETE FROM data.airports WHERE id % 3 > 0 AND name NOT LIKE '%Berlin%';
"""
MOST_AIRPORTS_DELETED = "DELETE FROM data.airports WHERE id % 30 > 0 AND name NOT LIKE '%Berlin%'"
FILE_COPY_SINCE = 15
"""The first major version of PostgreSQL in which the way to copy a template can be chosen; before it copied files."""


@contextmanager
def temporary_home(place: Path | None = None) -> Iterator[Path]:
    """A place for a cluster that its owner can reach; gone afterwards, and with it all that still runs there."""
    with temporary_folder("test", place) as folder:
        yield folder / "home"


def roomy_memory() -> Path | None:
    """A folder in memory, where there is plenty: tests make, copy and drop files of databases all the time."""
    if not os.access(MEMORY, os.W_OK):
        return None
    free = min(psutil.virtual_memory().available, shutil.disk_usage(MEMORY).free)
    return MEMORY if free > MEMORY_NEEDED else None


@contextmanager
def private_cluster(home: Path, configuration: dict[str, str] = FAST) -> Iterator[PrivateCluster]:
    """A cluster that runs until the block ends. PostGIS is fetched first where the machine has none."""
    unpacked = homes(None).unpacked
    packages.require(unpacked, say)
    cluster = PrivateCluster(home, unpacked, configuration)
    cluster.acquire()
    try:
        yield cluster
    finally:
        cluster.release()


class Postgis:
    """The cluster of this test session, and its databases."""

    def __init__(self, cluster: PrivateCluster) -> None:
        self._cluster = cluster
        self._numbers = itertools.count(1)
        self._templates: dict[str, str] = {}

    def url(self, database: str) -> str:
        return self._cluster.url(database)

    def log(self) -> str:
        """What PostgreSQL wrote so far."""
        return (self._cluster.home / "postgres.log").read_text()

    def create(self, template: str = "template0") -> str:
        """A new database; its name. `template0` has nothing in it, not even PostGIS."""
        name = f"test_{next(self._numbers)}"
        self._create(name, template)
        return name

    def migrated(self) -> str:
        """A database as a server finds it at its first start, without samples."""
        return self._copy("migrated", "template0", None)

    def with_samples(self) -> str:
        """A migrated database with countries, cities and airports."""
        self._template("migrated", "template0", None)
        return self._copy("with_samples", "migrated", _load_samples)

    def with_fewer_samples(self) -> str:
        """A database with all countries, the larger cities and each third airport."""
        self._template("migrated", "template0", None)
        self._template("with_samples", "migrated", _load_samples)
        return self._copy("with_fewer_samples", "with_samples", lambda url: _delete(url, MOST_ROWS_DELETED))

    def with_fewest_samples(self) -> str:
        """A database with all countries, the larger cities and each thirtieth airport."""
        self._template("migrated", "template0", None)
        self._template("with_samples", "migrated", _load_samples)
        self._template("with_fewer_samples", "with_samples", lambda url: _delete(url, MOST_ROWS_DELETED))
        return self._copy(
            "with_fewest_samples", "with_fewer_samples", lambda url: _delete(url, MOST_AIRPORTS_DELETED)
        )

    def drop(self, name: str) -> None:
        """Drop a database and its roles, once the statements that still run in it have ended.

        FORCE ends sessions, but waits for them for five seconds only: PostGIS does not stop in the middle of a shape.
        """

        async def is_dropped() -> bool:
            async with self._connection("postgres") as connection:
                try:
                    await connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
                except asyncpg.ObjectInUseError:
                    return False
            return True

        run_apart(until(is_dropped))
        roles = ", ".join(f'"{name}_{role}"' for role in ("reader", "writer", "loader"))
        self.execute(f"DROP ROLE IF EXISTS {roles}")

    def execute(self, *statements: str, database: str = "postgres") -> None:
        async def run() -> None:
            async with self._connection(database) as connection:
                for statement in statements:
                    await connection.execute(statement)

        run_apart(run())

    def _create(self, name: str, template: str) -> None:
        async def run() -> None:
            async with self._connection("postgres") as connection:
                # Without fsync, copying files costs a third of writing all pages to the log.
                strategy = (
                    "STRATEGY FILE_COPY" if connection.get_server_version().major >= FILE_COPY_SINCE else ""
                )
                await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {strategy}')

        run_apart(run())

    @asynccontextmanager
    async def _connection(self, database: str) -> AsyncIterator[asyncpg.Connection]:
        connection = await asyncpg.connect(self.url(database))
        try:
            yield connection
        finally:
            await connection.close()

    def _copy(self, template: str, base: str, fill: Callable[[str], Awaitable[None]] | None) -> str:
        name = self.create(self._template(template, base, fill))
        run_apart(migrate.upgrade(self.url(name)))  # roles belong to a database by name
        return name

    def _template(self, name: str, base: str, fill: Callable[[str], Awaitable[None]] | None) -> str:
        """A database that is only copied: nobody may be connected to it."""
        if name not in self._templates:

            async def make() -> None:
                await migrate.upgrade(self.url(name))
                if fill is not None:
                    await fill(self.url(name))

            self._create(name, base)
            run_apart(make())
            self._templates[name] = name
        return name


def run_apart(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end on a loop of its own in a thread of its own, wherever this is called from."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


async def _load_samples(url: str) -> None:
    async with await Database.connect(Settings(database_url=url)) as database:
        await samples.load(database)


async def _delete(url: str, statements: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statements)
    await connection.execute("VACUUM (FULL, ANALYZE)")
    await connection.close()
