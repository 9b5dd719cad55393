"""Overviews: the weights of each band are the rows of the table, whatever lies in it and whatever happens to it."""

from __future__ import annotations

import asyncio
import errno
import random
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.domain import Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.errors import DataBusy
from server.gis.overviews import build
from server.gis.overviews import work as work_module
from server.gis.overviews.build import OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.ladder import SCHEMA, WEIGHT, Ladder, OverviewStore
from server.gis.overviews.work import OverviewWork
from server.gis.profiles.profile import ProfileStore
from server.gis.profiles.versions import DataVersions, TableState
from server.gis.profiles.worker import ProfileWorker
from tests.integration.gis.conftest import drop_things
from tests.support.looking import until

MANY = 10**12
SHAPES = {
    "point": "ST_MakePoint({x}, {y})",
    "line": "ST_MakeLine(ST_MakePoint({x}, {y}), ST_MakePoint({x} + {size}, {y} + {size} / 2))",
    "polygon": "ST_MakeEnvelope({x}, {y}, {x} + {size}, {y} + {size})",
    "none": "NULL::geometry",
    "empty": "ST_GeomFromText('POINT EMPTY')",
    "collection": "ST_Collect(ST_MakePoint({x}, {y}), ST_MakePoint({x} + {size}, {y}))",
}
HELD: dict[int | str, Callable[[float, float], tuple[float, float]]] = {
    4326: lambda x, y: (x, y),
    "geography": lambda x, y: (x, y),
    3857: lambda x, y: (x, max(-89.0, min(84.0, y))),
    25832: lambda x, y: (6 + abs(x) % 6, 47 + abs(y) % 8),
    3031: lambda x, y: (x, -90 + abs(y) / 3),
    3995: lambda x, y: (x, 90 - 5.1 - abs(y) / 3),
    3832: lambda x, y: (150 + x % 60, max(-84.0, min(84.0, y))),
}
"""Places on the earth as a reference system holds them: the south pole, around the north pole, at the antimeridian."""
DECLARED = {"point": "Point", "line": "LineString", "polygon": "Polygon"}


@pytest.fixture(autouse=True)
def full_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles are full with few rows, so that small tables have overviews."""
    monkeypatch.setattr(build, "USUAL_CAPS", TileCaps(20, 20))


async def looked_at(database: Database, name: str = "data.things") -> tuple[Table, TableState]:
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh(patience=30)
    table = registry.get(name)
    return table, await DataVersions(database.owner).of(table, 0)


async def built(
    database: Database, session: asyncpg.Connection, share: float = 0.5
) -> tuple[Ladder | None, int]:
    """The ladder of the table, and how many rows it has now."""
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    await OverviewBuilder(store, share, MANY).build(session, table, state)
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    return row.ladder, await session.fetchval("SELECT count(*) FROM data.things")


async def check(session: asyncpg.Connection, ladder: Ladder, rows: int) -> None:
    assert ladder.rows + ladder.unplaced == rows
    assert ladder.bands
    for band in ladder.bands:
        weights, least, placed = await session.fetchrow(
            f'SELECT sum("{WEIGHT}")::bigint, min("{WEIGHT}"), bool_and(NOT ST_IsEmpty(geom)) FROM {SCHEMA}.{band.name}'
        )
        assert (weights, least >= 1, placed) == (ladder.rows, True, True)


rows_of_a_table = st.lists(
    st.tuples(
        st.sampled_from([-180.0, -179.9999, 179.9999, 180.0, 0.0, 8.0, 8.0001, 190.0, -200.0])
        | st.floats(-180, 180),
        st.sampled_from([-90.0, 90.0, 85.06, -85.06, 0.0, 48.0]) | st.floats(-90, 90),
        st.sampled_from([0.0001, 0.1, 5.0]),
        st.integers(1, 60),
    ),
    min_size=1,
    max_size=8,
)
SYSTEMS_AND_KINDS = [(srid, kinds) for srid in HELD for kinds in (("point",), tuple(SHAPES))]


@pytest.mark.parametrize(("srid", "kinds"), [*SYSTEMS_AND_KINDS, (4326, ("line",)), (4326, ("polygon",))])
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(groups=rows_of_a_table, seed=st.integers(0, 1000))
async def test_the_weights_of_each_band_are_the_rows(
    database: Database,
    session: asyncpg.Connection,
    kinds: Sequence[str],
    srid: int | str,
    groups: list[Any],
    seed: int,
) -> None:
    dice = random.Random(seed)
    declared = DECLARED.get(kinds[0], "Geometry") if len(kinds) == 1 else "Geometry"
    column = f"geography({declared}, 4326)" if srid == "geography" else f"geometry({declared}, {srid})"
    await drop_things(database, session)
    await session.execute(f"CREATE TABLE data.things (id serial, name text, geom {column})")
    for x, y, size, count in groups:
        x, y = HELD[srid](x, y)  # what a reference system cannot hold cannot be stored either
        made = SHAPES[dice.choice(kinds)].format(x=f"({x} + n * 1e-6)", y=f"({y})", size=size)
        stored = f"ST_SetSRID({made}, 4326)"
        stored = f"{stored}::geography" if srid == "geography" else f"ST_Transform({stored}, {srid})"
        await session.execute(
            f"INSERT INTO data.things (name, geom) SELECT 'thing', {stored} FROM generate_series(1, {count * 5}) AS n"
        )
    ladder, rows = await built(database, session)
    if ladder is not None:
        await check(session, ladder, rows)


async def grown(session: asyncpg.Connection, rows: int = 3000) -> None:
    await session.execute(
        f"""CREATE TABLE data.things (id serial PRIMARY KEY, value int, geom geometry(Point, 4326));
        INSERT INTO data.things (value, geom) SELECT n, ST_SetSRID(ST_MakePoint(n % 300 - 150, n % 100 - 50), 4326)
        FROM generate_series(1, {rows}) AS n; ANALYZE data.things"""
    )


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO data.things (geom) SELECT geom FROM data.things LIMIT 500",
        "UPDATE data.things SET geom = ST_SetSRID(ST_MakePoint(1, 1), 4326) WHERE id % 2 = 0",
        "DELETE FROM data.things WHERE id % 3 = 0",
        "ALTER TABLE data.things ADD COLUMN more text DEFAULT 'x'",
    ],
)
async def test_overviews_are_built_again_when_the_table_changes(
    database: Database, session: asyncpg.Connection, change: str
) -> None:
    await grown(session)
    first, rows = await built(database, session)
    assert first is not None
    await check(session, first, rows)
    await session.execute(change)
    await session.execute("SELECT pg_stat_force_next_flush()")
    second, rows = await built(database, session)
    assert second is not None
    await check(session, second, rows)
    assert {band.name for band in first.bands}.isdisjoint(band.name for band in second.bands)


async def tables_of(session: asyncpg.Connection) -> list[str]:
    found = await session.fetch(
        f"SELECT relname FROM pg_class WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind = 'r'"
    )
    return [row[0] for row in found]


@pytest_asyncio.fixture(loop_scope="session")
async def worker(database: Database) -> AsyncIterator[ProfileWorker]:
    """Builds overviews of the tables that it is told to want."""
    store = OverviewStore(database.owner)
    work = OverviewWork(OverviewBuilder(store, 0.5, MANY), store, 1000)
    made = ProfileWorker(database, DataVersions(database.owner), ProfileStore(database.owner), 1, work)
    made.start()
    yield made
    await made.close()


async def test_other_tables_do_not_wait_until_replaced_overviews_are_dropped(
    database: Database, session: asyncpg.Connection, worker: ProfileWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_module, "DROP_AFTER_S", 10**6)
    for name in ("things", "others"):
        await session.execute(
            f"""DROP TABLE IF EXISTS data.{name}; CREATE TABLE data.{name} (geom geometry(Point, 3857));
            INSERT INTO data.{name} SELECT ST_SetSRID(ST_MakePoint(n, n), 3857) FROM generate_series(1, 3000) AS n;
            ANALYZE data.{name}"""
        )
    tables = [(await looked_at(database, f"data.{name}"))[0] for name in ("things", "others")]
    worker.want(tables)
    await until(lambda: worker.built == 2)
    for name in ("things", "others"):
        await session.execute(f"DELETE FROM data.{name} WHERE ST_X(geom) < 30")
    await session.execute("SELECT pg_stat_force_next_flush()")

    def both_again() -> bool:
        worker.want(tables)
        return worker.built == 4

    await until(both_again)


def failing_builds(monkeypatch: pytest.MonkeyPatch, fault: Exception, times: int) -> list[str]:
    """Builds of `data.things` fail this often. Returns the tables that are built, in order, as they are."""
    build, tried = OverviewBuilder.build, list[str]()

    async def failing(self: OverviewBuilder, session: asyncpg.Connection, table: Table, *rest: Any) -> bool:
        tried.append(table.id)
        if table.id == "data.things" and tried.count(table.id) <= times:
            raise fault
        return await build(self, session, table, *rest)

    monkeypatch.setattr(OverviewBuilder, "build", failing)
    return tried


@pytest.mark.parametrize(
    "fault",
    [
        OverflowError("date value out of range"),
        OSError(errno.ENOSPC, "No space left on device"),
        PermissionError("not allowed"),
        TimeoutError("too long"),
    ],
    ids=lambda fault: type(fault).__name__,
)
async def test_a_build_that_fails_unexpectedly_is_recorded_and_the_next_table_gets_its_turn(
    database: Database,
    session: asyncpg.Connection,
    worker: ProfileWorker,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
) -> None:
    await grown(session)
    await session.execute(
        "DROP TABLE IF EXISTS data.others; CREATE TABLE data.others AS"
        " SELECT things.* FROM data.things, generate_series(1, 2); ANALYZE data.others"
    )
    tables = [(await looked_at(database, name)) for name in ("data.things", "data.others")]
    (things, (_, others)) = tables[0][1], tables[1]
    tried = failing_builds(monkeypatch, fault, 100)
    store = OverviewStore(database.owner)

    async def next_is_built() -> bool:
        worker.want([table for table, _ in tables])
        row = await store.row(others.relid, fresh=True)
        return row is not None and row.ladder is not None

    await until(next_is_built)
    row = await store.row(things.relid, fresh=True)
    assert row is not None
    assert row.error == str(fault)
    assert tried == ["data.things", "data.others"], "the same data is not tried again"
    await session.execute("DROP TABLE data.others")


@pytest.mark.parametrize(
    "fault", [DataBusy("Busy.", 3), ConnectionRefusedError("refused")], ids=lambda fault: type(fault).__name__
)
async def test_a_build_that_met_a_busy_database_is_tried_again(
    database: Database,
    session: asyncpg.Connection,
    worker: ProfileWorker,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
) -> None:
    await grown(session)
    table, state = await looked_at(database)
    tried = failing_builds(monkeypatch, fault, 1)
    store = OverviewStore(database.owner)

    async def is_built() -> bool:
        worker.want([table])
        row = await store.row(state.relid, fresh=True)
        return row is not None and row.ladder is not None

    await until(is_built)
    assert tried == ["data.things"] * 2


async def test_overviews_go_with_their_table(
    database: Database, session: asyncpg.Connection, worker: ProfileWorker
) -> None:
    await grown(session)
    await built(database, session)
    assert await tables_of(session)
    await session.execute("TRUNCATE data.things; SELECT pg_stat_force_next_flush()")
    ladder, _ = await built(database, session)
    assert ladder is None
    await session.execute("DROP TABLE data.things")
    await grown(session)
    await built(database, session)
    await session.execute("DROP TABLE data.things")
    worker.want([])  # What every check of the open maps calls, also where they show other tables.

    async def is_forgotten() -> bool:
        return bool(await session.fetchval("SELECT count(*) = 0 FROM geoagent.overview"))

    await until(is_forgotten)
    assert await tables_of(session) == []


async def test_overviews_of_earlier_versions_are_built_again(
    database: Database, session: asyncpg.Connection, worker: ProfileWorker
) -> None:
    await grown(session)
    await built(database, session)
    table, state = await looked_at(database)
    await session.execute(
        """UPDATE geoagent.overview SET document = document - 'summaries', tried_at = now() - interval '1 hour'"""
    )
    worker.want([table])
    store = OverviewStore(database.owner)

    async def again() -> Ladder | None:
        row = await store.row(state.relid, fresh=True)
        return row.ladder if row is not None and row.build == 2 else None

    assert (await until(again)).summaries == ()


async def test_a_build_that_was_stopped_goes_on_where_it_was(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await grown(session)
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    builder = OverviewBuilder(store, 0.9, MANY)
    made = []
    whole = OverviewBuilder._band

    async def only_two(self: OverviewBuilder, *given: Any) -> None:
        if len(made) == 1:
            raise asyncio.CancelledError
        await whole(self, *given)
        made.append(given)

    monkeypatch.setattr(OverviewBuilder, "_band", only_two)
    with pytest.raises(asyncio.CancelledError):
        await builder.build(session, table, state)
    monkeypatch.setattr(OverviewBuilder, "_band", whole)
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    assert row.next_steps is not None
    done = row.next_steps["done"][0]["name"]
    before = await session.fetchval(f"SELECT '{SCHEMA}.{done}'::regclass::oid")
    # As after a restart.
    store = OverviewStore(database.owner)
    assert await OverviewBuilder(store, 0.9, MANY).build(session, table, state)
    ladder = (await store.row(state.relid, fresh=True)).ladder  # type: ignore[union-attr]
    assert ladder is not None
    assert before == await session.fetchval(f"SELECT '{SCHEMA}.{done}'::regclass::oid")
    await check(session, ladder, 3000)


async def test_one_of_two_servers_builds(database: Database, session: asyncpg.Connection) -> None:
    await grown(session)
    table, state = await looked_at(database)
    versions = DataVersions(database.owner)
    stores = [OverviewStore(database.owner) for _ in range(2)]
    workers = [
        ProfileWorker(
            database,
            versions,
            ProfileStore(database.owner),
            1,
            OverviewWork(OverviewBuilder(store, 0.5, MANY), store, 1000),
        )
        for store in stores
    ]
    for worker in workers:
        worker.want([table])
        worker.start()
    try:
        for store in stores:
            found = await until(lambda store=store: store.ladder(state))
            assert found[0].rows == 3000
        query = "SELECT build FROM geoagent.overview WHERE relid = $1"
        assert await session.fetchval(query, state.relid) == 1
    finally:
        await asyncio.gather(*(worker.close() for worker in workers))


async def test_the_overviews_that_a_data_version_names_are_found_at_once(
    database: Database, session: asyncpg.Connection
) -> None:
    """Tiles whose address names the overviews must not be drawn from a sample: browsers never ask for them again."""
    await grown(session)
    table, state = await looked_at(database)
    drawing = OverviewStore(database.owner)
    assert await drawing.ladder(state) is None
    await OverviewBuilder(OverviewStore(database.owner), 0.5, MANY).build(session, table, state)
    _, state = await looked_at(database)
    assert state.overviews == 1
    assert await drawing.ladder(state) is not None
