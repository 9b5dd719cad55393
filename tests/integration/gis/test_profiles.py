"""Table profiles: exact, kept with their version, computed by one of several servers, gone with their table."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping

import asyncpg
import pytest
import pytest_asyncio
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import StyleSpec, Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.overviews.summaries import Need
from server.gis.profiles import worker as worker_module
from server.gis.profiles.estimates import EstimatedStatistics, estimated_rows
from server.gis.profiles.measure import measured
from server.gis.profiles.profile import ProfileStore, TableProfile
from server.gis.profiles.versions import DataVersions, TableState
from server.gis.profiles.worker import ProfileWorker
from server.gis.styles import compute_style
from server.settings import Settings
from tests.support.looking import until
from tests.support.postmaster import postmaster

ROWS = 40_000
FLUSH = "SELECT pg_stat_force_next_flush()"
"""Publishes the counters when the transaction ends."""
MADE = f"""
    DROP TABLE IF EXISTS data.pings;
    CREATE TABLE data.pings AS SELECT n AS id, n % 7 AS kind, nullif(n, 5)::float8 AS value, 'name ' || n % 3 AS name,
        ST_SetSRID(ST_MakePoint(n % 360 - 180, n % 170 - 85), 4326)::geometry(Point, 4326) AS geom
    FROM generate_series(1, {ROWS}) AS n;
    ANALYZE data.pings;
"""


@pytest_asyncio.fixture(loop_scope="session")
async def pings(database: Database) -> AsyncIterator[Table]:
    await execute(database, *MADE.split(";\n"), FLUSH)
    yield await table(database, "data.pings")


async def execute(database: Database, *statements: str) -> None:
    async with database.owner.begin() as connection:
        for statement in filter(str.strip, statements):
            await connection.exec_driver_sql(statement)


async def table(database: Database, name: str) -> Table:
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh(patience=30)
    return registry.get(name)


async def test_a_profile_is_exact(database: Database, pings: Table) -> None:
    found = await measured(database.profiler, pings, "v")
    assert (found.rows, found.geometry_types) == (ROWS, {"POINT": ROWS})
    assert found.is_sound
    assert found.is_valid
    assert found.is_on_earth
    assert found.vertices == 1
    assert found.bounds == (-180, -85, 179, 84)
    value = found.columns["value"]
    assert (value.nulls, value.minimum, value.maximum) == (1, 1, ROWS)
    assert value.sketch[len(value.sketch) // 2] == pytest.approx(ROWS / 2, rel=0.01)
    assert dict(found.columns["name"].top) == {"name 0": 13_333, "name 1": 13_334, "name 2": 13_333}
    assert found.columns["kind"].distinct == 7


@pytest.mark.parametrize(
    ("shape", "is_sound", "is_valid", "is_on_earth"),
    [
        ("POLYGON((0 0, 1 0, 1 1, 0 0))", True, True, True),
        ("POLYGON((0 0, 1 1, 1 0, 0 1, 0 0))", True, False, True),
        ("POLYGON((170 0, 190 0, 190 1, 170 0))", True, True, False),
        ("POLYGON((0 0, 1 0, 1e300 1, 0 0))", False, False, False),
        ("GEOMETRYCOLLECTION(POINT(1 1), POINT EMPTY)", False, False, False),
        ("POINT EMPTY", True, True, True),
    ],
)
async def test_a_profile_tells_what_postgis_may_be_given(
    database: Database, shape: str, is_sound: bool, is_valid: bool, is_on_earth: bool
) -> None:
    await execute(
        database,
        "DROP TABLE IF EXISTS data.shapes",
        "CREATE TABLE data.shapes (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        f"INSERT INTO data.shapes VALUES (1, ST_GeomFromText('{shape}', 4326)), (2, NULL)",
    )
    found = await measured(database.profiler, await table(database, "data.shapes"), "v")
    assert (found.is_sound, found.is_valid, found.is_on_earth) == (is_sound, is_valid, is_on_earth)
    assert found.rows == 2


async def test_estimates_come_close_without_statistics(database: Database, pings: Table) -> None:
    await execute(database, "INSERT INTO data.pings SELECT * FROM data.pings")
    state = await DataVersions(database.owner).of(pings)
    assert await estimated_rows(database.reader, pings, state) == pytest.approx(2 * ROWS, rel=0.05)


async def test_estimates_come_close_after_many_edits(database: Database, pings: Table) -> None:
    await execute(
        database,
        "ALTER TABLE data.pings SET (autovacuum_enabled = off)",
        f"UPDATE data.pings SET kind = kind + 1 WHERE id <= {ROWS // 4}",
        f"DELETE FROM data.pings WHERE id > {ROWS * 3 // 4}",
    )
    state = await DataVersions(database.owner).of(pings)
    assert await estimated_rows(database.reader, pings, state) == pytest.approx(ROWS * 3 / 4, rel=0.05)


async def test_the_profile_of_dates_has_the_first_and_the_last(database: Database) -> None:
    await execute(
        database,
        "DROP TABLE IF EXISTS data.days",
        "CREATE TABLE data.days (id int PRIMARY KEY, day date, at timestamp)",
        "INSERT INTO data.days VALUES (1, '2024-02-29', NULL), (2, '1999-12-31', NULL), (3, 'infinity', NULL)",
    )
    found = await measured(database.profiler, await table(database, "data.days"), "v")
    day, at = found.columns["day"], found.columns["at"]
    assert (day.earliest, day.latest, day.nulls) == ("1999-12-31", "2024-02-29", 0)
    assert (at.earliest, at.latest, at.nulls) == (None, None, 3)


async def test_a_style_from_a_sample_is_close_to_the_exact_one(database: Database, pings: Table) -> None:
    state = await DataVersions(database.owner).of(pings)
    spec = StyleSpec(kind="graduated", column="value")

    def sample(column: object) -> EstimatedStatistics:
        return EstimatedStatistics(database.reader, pings, state, None, column)  # type: ignore[arg-type]

    _, exact = await compute_style(database.reader, pings, None, spec)
    _, estimated = await compute_style(database.reader, pings, None, spec, sample)
    for entry, other in zip(exact.entries[:5], estimated.entries[:5], strict=True):
        assert other.count == pytest.approx(entry.count, rel=0.2)


async def test_the_version_changes_with_rows_and_columns_and_with_nothing_else(
    database: Database, pings: Table
) -> None:
    versions = DataVersions(database.owner)
    seen = [(await versions.of(pings, 0)).version]
    await execute(database, "ANALYZE data.pings", "CREATE INDEX ON data.pings (kind)")
    assert (await versions.of(pings, 0)).version == seen[0]
    for statement in (
        "INSERT INTO data.pings (id) VALUES (0)",
        "UPDATE data.pings SET kind = 8 WHERE id = 0",
        "DELETE FROM data.pings WHERE id = 0",
        "TRUNCATE data.pings",
        "ALTER TABLE data.pings ADD COLUMN more text",
    ):
        await execute(database, statement, FLUSH)
        seen.append(await until(lambda: newer(versions, pings, seen)))
    assert len(set(seen)) == len(seen)


async def test_a_version_never_comes_again_after_the_counters_were_reset(
    database: Database, pings: Table
) -> None:
    versions, seen = DataVersions(database.owner), list[str]()
    for row in (1, 2, 3):
        await execute(database, "SELECT pg_stat_reset()")
        await execute(database, f"UPDATE data.pings SET kind = 8 WHERE id = {row}", FLUSH)
        seen.append(await until(lambda: after_a_change(database, versions, pings)))
    assert len(set(seen)) == len(seen)


async def test_a_version_never_comes_again_after_a_crash_of_postgresql() -> None:
    seen: list[str] = []
    with postmaster() as (cluster, postgis):
        settings = Settings(database_url=postgis.url(await asyncio.to_thread(postgis.migrated)))
        async with await Database.connect(settings) as database:
            await execute(
                database, "CREATE SCHEMA IF NOT EXISTS data", "CREATE TABLE data.two (id int, kind int)"
            )
            await execute(database, "INSERT INTO data.two VALUES (1, 0), (2, 0)")
        for row in (1, 2):
            with cluster.away():
                pass
            async with await Database.connect(settings) as database:
                await execute(database, f"UPDATE data.two SET kind = 8 WHERE id = {row}", FLUSH)
                two, versions = await table(database, "data.two"), DataVersions(database.owner)
                seen.append(await until(functools.partial(after_a_change, database, versions, two)))
    assert seen[0] != seen[1]


async def after_a_change(database: Database, versions: DataVersions, of: Table) -> str | None:
    """The version, once the counters know of one change."""
    async with database.owner.begin() as connection:
        counted = await connection.exec_driver_sql(f"SELECT pg_stat_get_tuples_updated('{of.id}'::regclass)")
    return (await versions.of(of, 0)).version if counted.scalar_one() == 1 else None


async def newer(versions: DataVersions, of: Table, seen: list[str]) -> str | None:
    found = (await versions.of(of, 0)).version
    return None if found in seen else found


async def test_a_profile_is_measured_again_after_each_kind_of_change(
    database: Database, pings: Table
) -> None:
    versions, store = DataVersions(database.owner), ProfileStore(database.owner)
    worker = ProfileWorker(database, versions, store, share=1)

    async def current() -> TableProfile | None:
        worker.want([pings])  # as at each check of the tables of open maps
        return await store.current(await versions.of(pings, 0))

    worker.start()
    try:
        before = await until(current)
        assert before.rows == ROWS
        for statement, rows, least in (
            ("INSERT INTO data.pings (id, value) VALUES (0, -1)", ROWS + 1, -1),
            ("UPDATE data.pings SET value = -2 WHERE id = 0", ROWS + 1, -2),
            ("DELETE FROM data.pings WHERE id = 0", ROWS, 1),
            ("ALTER TABLE data.pings ALTER COLUMN value TYPE int", ROWS, 1),
            ("TRUNCATE data.pings", 0, None),
        ):
            await execute(database, statement, FLUSH)
            found = await until(functools.partial(other, current, before))
            assert (found.rows, found.columns["value"].minimum) == (rows, least), statement
            before = found
    finally:
        await worker.close()


async def other(
    current: Callable[[], Awaitable[TableProfile | None]], before: TableProfile
) -> TableProfile | None:
    """The profile of the data as it is now, once there is one."""
    found = await current()
    return None if found == before else found


async def test_one_of_two_servers_measures_and_both_know_it(database: Database, pings: Table) -> None:
    versions = DataVersions(database.owner)
    stores = [ProfileStore(database.owner) for _ in range(2)]
    workers = [ProfileWorker(database, versions, store, share=1) for store in stores]
    for worker in workers:
        worker.want([pings])
        worker.start()
    try:
        state = await versions.of(pings)
        for store in stores:
            found = await until(lambda store=store: store.current(state))
            assert found.rows == ROWS
        assert sum(worker.measured for worker in workers) == 1
    finally:
        await asyncio.gather(*(worker.close() for worker in workers))
    # As after a restart.
    again = await ProfileStore(database.owner).current(state)
    assert again is not None
    assert again.rows == ROWS
    # By these the profile holds for older rows when others have changed.
    assert again.layout == state.layout != ""
    assert again.complete_before is not None
    assert again.geometry_column == pings.geometry_column


class Builds:
    """An `OverviewJob` that notes the order of the tables, and lets something happen after the first."""

    session: Mapping[str, str] = {}

    def __init__(self, after_first: Callable[[], None]) -> None:
        self.done: list[str] = []
        self._after_first = after_first
        self._built: set[int] = set()

    async def is_due(
        self, table: Table, state: TableState, share: float, needs: Collection[Need] = ()
    ) -> bool:
        return state.relid not in self._built

    async def outdated(self) -> list[int]:
        return []

    async def drop(self, session: object, relid: int) -> None:
        raise AssertionError("no table was dropped")

    async def run(
        self,
        session: asyncpg.Connection,
        table: Table,
        state: TableState,
        share: float,
        needs: Collection[Need] = (),
    ) -> bool:
        self._built.add(state.relid)
        self.done.append(table.name)
        if len(self.done) == 1:
            self._after_first()
        return True


async def test_a_table_that_is_opened_later_does_not_wait_for_all_that_were_opened_before(
    database: Database, pings: Table
) -> None:
    copies = [f"pings_{number}" for number in range(3)]
    await execute(database, *(f"CREATE TABLE data.{name} AS SELECT * FROM data.pings" for name in copies))
    large = [await table(database, f"data.{name}") for name in copies]
    await execute(
        database, "DELETE FROM data.pings WHERE id > 100", "CREATE TABLE data.few AS TABLE data.pings"
    )
    few = await table(database, "data.few")
    builds = Builds(lambda: worker.want([*large, few]))
    worker = ProfileWorker(database, DataVersions(database.owner), ProfileStore(database.owner), 1, builds)
    worker.want(large)
    worker.start()
    try:
        await until(lambda: len(builds.done) == 4)
        assert builds.done[1] == "few"
    finally:
        await worker.close()
        await execute(database, "DROP TABLE data.few", *(f"DROP TABLE data.{name}" for name in copies))


async def test_a_table_that_cannot_be_measured_does_not_keep_larger_ones_from_it(
    database: Database, pings: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    await execute(database, "CREATE TABLE data.few AS SELECT * FROM data.pings WHERE id <= 100")
    few = await table(database, "data.few")

    async def failing(
        reader: AsyncEngine, of: Table, version: str, layout: Callable[[], Awaitable[str]]
    ) -> TableProfile:
        if of.name == "few":
            raise OverflowError("date value out of range")
        return await measured(reader, of, version, layout)

    monkeypatch.setattr(worker_module, "measured", failing)
    versions, store = DataVersions(database.owner), ProfileStore(database.owner)
    worker = ProfileWorker(database, versions, store, share=1)
    worker.want([few, pings])
    worker.start()
    try:
        state = await versions.of(pings)
        assert (await until(lambda: store.current(state))).rows == ROWS
        row = await store.row((await versions.of(few)).relid, fresh=True)
        assert row is not None
        assert (row.profile, row.error) == (None, "date value out of range")
        assert (worker.failed, worker.measured) == (1, 1)
    finally:
        await worker.close()
        await execute(database, "DROP TABLE data.few")


async def test_a_profile_is_removed_with_its_table(database: Database, pings: Table) -> None:
    store = ProfileStore(database.owner)
    state = await DataVersions(database.owner).of(pings)
    await store.write(state.relid, state.version, await measured(database.profiler, pings, "v"), None, 0.1)
    await execute(database, "DROP TABLE data.pings")
    await store.sweep()
    assert await ProfileStore(database.owner).row(state.relid) is None
