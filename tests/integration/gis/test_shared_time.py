"""Work on large tables in the background keeps to its share of the time and of the disk, and is tried again."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest

from server.cli.profiles import _PROFILES, described
from server.database.engines import Database
from server.gis.overviews.build import OverviewBuilder
from server.gis.overviews.ladder import OverviewStore
from server.gis.overviews.stored import fail
from server.gis.overviews.work import MOST_FAILING, NO_ROOM_S, OverviewWork
from server.gis.profiles import worker as worker_module
from server.gis.profiles.measure import measured
from server.gis.profiles.metrics import ProfileMetrics
from server.gis.profiles.profile import ProfileStore
from server.gis.profiles.versions import DataVersions
from server.gis.profiles.worker import ProfileWorker
from tests.integration.gis.test_overviews import MANY, full_tiles, grown, looked_at
from tests.support.looking import until

__all__ = ["full_tiles"]

SHARE = 0.25


async def test_it_rests_after_each_piece_of_work(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await grown(session)
    table, _ = await looked_at(database)
    pieces: list[tuple[float, float]] = []

    def noted(work: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def run(*given: Any, **named: Any) -> Any:
            begun = time.monotonic()
            try:
                return await work(*given, **named)
            finally:
                pieces.append((begun, time.monotonic()))

        return run

    monkeypatch.setattr(worker_module, "measured", noted(measured))
    monkeypatch.setattr(OverviewBuilder, "build", noted(OverviewBuilder.build))
    store = OverviewStore(database.owner)
    work = OverviewWork(OverviewBuilder(store, 0.5, MANY), store, 1000)
    worker = ProfileWorker(database, DataVersions(database.owner), ProfileStore(database.owner), SHARE, work)
    worker.start()
    try:
        worker.want([table])
        await until(lambda: worker.measured == 1)
        counted = {family.name: family.samples[0].value for family in ProfileMetrics(worker).collect()}
    finally:
        await worker.close()
    (begun, ended), (next_begun, _) = pieces
    assert counted.pop("geoagent_profile_seconds") > 0
    assert counted == {
        "geoagent_profiles_measured": 1,
        "geoagent_profiles_failed": 0,
        "geoagent_overviews_built": 1,
        "geoagent_profiled_tables": 1,
    }
    assert next_begun - ended >= (ended - begun) * (1 / SHARE - 1)


async def test_overviews_without_room_are_built_once_there_is_some(
    database: Database, session: asyncpg.Connection
) -> None:
    await grown(session)
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    full = OverviewWork(OverviewBuilder(store, 0.5, space=1), store, 1000)
    assert not await full.run(session, table, state, 1)
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    assert (row.ladder, row.error) == (None, "no room is left for overviews (GEOAGENT_OVERVIEW_SPACE)")
    assert described((await session.fetch(_PROFILES))[0]).endswith(
        "is not measured yet; no overviews (no room is left for overviews (GEOAGENT_OVERVIEW_SPACE))"
    )
    roomy = OverviewWork(OverviewBuilder(store, 0.5, MANY), store, 1000)
    assert not await roomy.is_due(table, state, 1, fresh=True), "it was tried just now"
    await _age(session, NO_ROOM_S + 1)
    assert await roomy.run(session, table, state, 1)


async def test_a_build_that_took_long_to_fail_waits_longer(
    database: Database, session: asyncpg.Connection
) -> None:
    await grown(session)
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    builder = OverviewBuilder(store, 0.5, MANY)
    await fail(session, state, "canceling statement due to statement timeout", seconds=1800)
    work = OverviewWork(builder, store, 1000)
    await _age(session, 1800 / MOST_FAILING - 60)
    assert not await work.is_due(table, state, 1, fresh=True)
    await _age(session, 1800 / MOST_FAILING + 60)
    assert await work.is_due(table, state, 1, fresh=True)


async def _age(session: asyncpg.Connection, seconds: float) -> None:
    """As if the last build had been tried so long ago."""
    await session.execute(
        "UPDATE geoagent.overview SET tried_at = now() - make_interval(secs => $1)", float(seconds)
    )


async def test_each_transaction_of_a_connection_that_stays_open_is_seen(
    database: Database, session: asyncpg.Connection
) -> None:
    await grown(session)
    await session.execute("CREATE INDEX ON data.things USING gist (geom)")
    table, state = await looked_at(database)
    await OverviewBuilder(OverviewStore(database.owner), 0.5, MANY).build(session, table, state)
    writer = await asyncpg.connect(database.url)
    try:
        seen = {(await looked_at(database))[1].version}
        for value in range(5):
            await writer.execute("UPDATE data.things SET value = $1 WHERE id = 7", value)
            seen.add((await looked_at(database))[1].version)
    finally:
        await writer.close()
    assert len(seen) == 6
