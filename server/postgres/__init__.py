"""The PostGIS that GeoAgent works on: DATABASE_URL if it is set, else a private cluster, made when first needed.

`ensure(settings)` is all that the rest of the server uses. What it raises (`DatabaseProblem`) is meant to be shown.
Nothing big is imported at the top: the supervisor of the cluster is a module of this package, and stays small."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from server.postgres.packages import Report
from server.postgres.problem import DatabaseProblem

if TYPE_CHECKING:
    from server.postgres.cluster import PrivateCluster
    from server.settings import Settings

__all__ = ["DatabaseProblem", "Report", "ensure", "say"]

REVIVAL_CHECK_INTERVAL_S = 2.0


def say(message: str) -> None:
    """Progress for the user, on standard error; standard output has only the line with GeoAgent's address."""
    print(message, file=sys.stderr, flush=True)


@asynccontextmanager
async def ensure(settings: Settings, report: Report = say) -> AsyncIterator[str]:
    """The URL of a PostGIS for as long as the context lasts. A private cluster stops when its last user leaves."""
    if settings.database_url is not None:
        from server.postgres import external

        yield await external.check(settings.database_url.get_secret_value())
        return
    cluster = await asyncio.to_thread(_acquired, settings.home, report)
    guard = asyncio.create_task(_keep_alive(cluster))
    try:
        await _ensure_database(cluster)
        yield cluster.url()
    finally:
        guard.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await guard
        await asyncio.to_thread(cluster.release)


def _acquired(chosen_home: Path | None, report: Report) -> PrivateCluster:
    from server.postgres import packages

    if sys.platform == "win32":
        raise DatabaseProblem(packages.HOW_TO_GET_POSTGIS.format(why=""))
    from server.postgres.cluster import PrivateCluster, one_at_a_time
    from server.postgres.homes import homes

    where = homes(chosen_home)
    with one_at_a_time(where.unpacked.parent):
        packages.require(where.unpacked, report)
    cluster = PrivateCluster(where.cluster, where.unpacked)
    cluster.acquire()
    return cluster


async def _ensure_database(cluster: PrivateCluster) -> None:
    import asyncpg

    from server.postgres.cluster import DATABASE

    connection = await asyncpg.connect(cluster.url("postgres"))
    try:
        if not await connection.fetchval("SELECT count(*) FROM pg_database WHERE datname = $1", DATABASE):
            with contextlib.suppress(asyncpg.DuplicateDatabaseError, asyncpg.UniqueViolationError):
                await connection.execute(f'CREATE DATABASE "{DATABASE}"')
    finally:
        await connection.close()


async def _keep_alive(cluster: PrivateCluster) -> None:
    """Start another supervisor where the first was killed. A failure is logged, and the start is tried again."""
    while True:
        await asyncio.sleep(REVIVAL_CHECK_INTERVAL_S)
        import structlog  # not at the top: the import is slow, and short commands do not need it

        log = structlog.get_logger(__name__)
        try:
            if await asyncio.to_thread(cluster.revive):
                log.warning("the private PostgreSQL had lost its supervisor and was started again")
        except (DatabaseProblem, OSError) as error:
            log.error("the private PostgreSQL cannot be started", reason=str(error))
