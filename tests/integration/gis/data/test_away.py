"""The database goes away and comes back: a clear fault in between, everything as before afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from server.database import backends
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.errors import DataUnavailable
from server.gis.query.data import PostgisData
from server.gis.statements import guard
from server.settings import Settings
from tests.support.cable import Cable, cable
from tests.support.looking import until

pytestmark = pytest.mark.asyncio(loop_scope="session")


@dataclass
class Setting:
    cable: Cable
    far: Database
    near: Database
    registry: Registry
    data: PostgisData


@pytest_asyncio.fixture(loop_scope="session")
async def setting(samples: Database, samples_url: str) -> AsyncIterator[Setting]:
    """`far` is connected through a cable, `near` is not."""
    async with cable(samples_url) as wire, await Database.connect(Settings(database_url=wire.url)) as far:
        registry = Registry(far.reader, listen=far.listen, poll_seconds=0.2)
        await registry.start()
        try:
            yield Setting(wire, far, samples, registry, PostgisData(far.reader, registry))
        finally:
            await registry.stop()


async def test_questions_fail_clearly_while_the_database_is_away_and_work_again_after(
    setting: Setting,
) -> None:
    before = await setting.data.count("airports")
    await setting.cable.pull()
    for question in (
        setting.data.count("airports"),
        setting.data.stats("airports", "elevation_m"),
        setting.data.query("airports"),
        setting.data.find_place("Paris"),
        setting.registry.refresh(),
    ):
        with pytest.raises(DataUnavailable, match="cannot be reached"):
            await question
    assert len(setting.registry.tables()) == 3
    await setting.cable.plug()
    assert await setting.data.count("airports") == before
    assert (await setting.data.find_place("Paris")).places[0].table == "data.cities"


async def test_a_question_under_way_when_the_database_goes_fails_clearly(setting: Setting) -> None:
    async with setting.near.owner.begin() as connection:
        await connection.exec_driver_sql("CREATE VIEW data.slow AS SELECT pg_sleep(30)::text AS id")
    await until(lambda: any(table.id == "data.slow" for table in setting.registry.tables()))
    question = asyncio.create_task(setting.data.count("data.slow", "id = 'x'"))
    await until(lambda: sleeps(setting))
    await setting.cable.pull()
    with pytest.raises(DataUnavailable):
        await question
    await setting.cable.plug()
    async with setting.near.owner.begin() as connection:
        # PostgreSQL itself would notice only at the end that nobody waits any more.
        await connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        )
        await connection.exec_driver_sql("DROP VIEW data.slow")


async def sleeps(setting: Setting) -> bool:
    async with setting.near.owner.connect() as connection:
        found = await connection.exec_driver_sql(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
        )
        return bool(found.scalar_one())


async def test_a_cut_before_the_question_costs_a_new_connection_not_the_answer(setting: Setting) -> None:
    await setting.data.count("airports")
    await setting.cable.pull()
    await setting.cable.plug()
    assert await setting.data.count("countries") > 200


async def test_a_network_that_swallows_everything_is_noticed(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "CONNECTION_GRACE_S", 0.5)
    monkeypatch.setattr(guard, "LANE_WAIT_S", 0)
    monkeypatch.setattr(backends, "ANSWER_TIMEOUT_S", 0.5)
    hasty = PostgisData(setting.far.reader, setting.registry, seconds=0.5)
    await hasty.count("airports")
    setting.cable.silent = True
    with pytest.raises(DataUnavailable):
        await hasty.count("airports")
    await setting.cable.pull()
    setting.cable.silent = False
    await setting.cable.plug()
    assert await hasty.count("airports") > 0


async def test_what_changed_while_it_was_away_is_known_afterwards(setting: Setting) -> None:
    await setting.cable.pull()
    async with setting.near.owner.begin() as connection:
        await connection.exec_driver_sql("CREATE TABLE data.meanwhile (id int)")
    await asyncio.sleep(0.5)
    assert all(table.id != "data.meanwhile" for table in setting.registry.tables())
    await setting.cable.plug()
    await until(lambda: any(table.id == "data.meanwhile" for table in setting.registry.tables()))
    async with setting.near.owner.begin() as connection:
        await connection.exec_driver_sql("DROP TABLE data.meanwhile")
