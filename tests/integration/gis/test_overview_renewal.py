"""Of tables with triggers, only the parts of overviews are renewed whose rows have changed."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
import pytest

from agents.domain import Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.overviews import build, changed_cells
from server.gis.overviews.build import OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.ladder import SCHEMA, WEIGHT, Ladder, OverviewRow, OverviewStore
from server.gis.overviews.summaries import Summary
from server.gis.profiles.versions import DataVersions, TableState
from server.gis.profiles.worker import ProfileWorker
from tests.integration.gis.test_overviews import MANY, built, check, looked_at, worker
from tests.support.looking import until

__all__ = ["worker"]

SYSTEMS = {
    4326: ("i % 89 * 0.2247", "40 + i / 89 * 0.111"),
    3857: ("i % 89 * 22472", "5e6 + i / 89 * 11111"),
    2154: ("300000 + i % 89 * 6741", "6300000 + i / 89 * 6667"),
}
"""A lattice, so that tiles are as full in each run."""
SHAPES = {
    "Point": "ST_MakePoint(x, y)",
    "Polygon": "ST_MakeEnvelope(x, y, x + {size} * (i % 7), y + {size})",
    "LineString": "ST_MakeLine(ST_MakePoint(x, y), ST_MakePoint(x + {size} * (i % 9), y))",
}
CHANGES = (
    "INSERT INTO data.things (name, value, geom) SELECT 'new', 7, geom FROM data.things WHERE id % 190 = 0",
    "UPDATE data.things SET value = value + 1 WHERE id BETWEEN 100 AND 120",
    "UPDATE data.things SET geom = (SELECT geom FROM data.things WHERE id = 1) WHERE id BETWEEN 200 AND 202",
    "DELETE FROM data.things WHERE id BETWEEN 300 AND 330",
    "UPDATE data.things SET geom = NULL WHERE id = 400",
)
ROWS = 4_000
VALUES = Summary(column="value", filter='{"op": "<", "args": [{"property": "value"}, 50]}')


@pytest.fixture(autouse=True)
def full_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "USUAL_CAPS", TileCaps(20, 20))


async def grown(session: asyncpg.Connection, kind: str, srid: int) -> None:
    x, y = SYSTEMS[srid]
    shape = SHAPES[kind].format(size=0.05 if srid == 4326 else 5000)
    await session.execute(
        f"CREATE TABLE data.things (id serial PRIMARY KEY, name text, value int, geom geometry({kind}, {srid}))"
    )
    await session.execute(
        f"INSERT INTO data.things (name, value, geom) SELECT 'n' || i, i % 100, ST_SetSRID({shape}, {srid})"
        f" FROM (SELECT i, {x} AS x, {y} AS y FROM generate_series(1, {ROWS}) AS i) AS s"
    )
    await session.execute("CREATE INDEX ON data.things USING gist (geom)")


async def renew(
    database: Database, session: asyncpg.Connection, summed: Sequence[Summary] = ()
) -> tuple[Table, TableState, Ladder | None]:
    await session.execute("SELECT pg_stat_force_next_flush()")
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    done = await OverviewBuilder(store, 0.5, MANY).renew(session, table, state, summed)
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    return table, state, row.ladder if done and row.data_version == state.version else None


async def content(session: asyncpg.Connection, ladder: Ladder) -> list[list[tuple[object, ...]]]:
    """Of each band, what is drawn of each cell."""
    summed = ', "@n0", "@sum0", "@min0", "@max0"' if ladder.summaries else ""
    return [
        [
            tuple(row)
            for row in await session.fetch(
                f'SELECT "@x", "@y", "{WEIGHT}", id, value, ST_AsText(ST_SnapToGrid(geom, 0.01)){summed}'
                f" FROM {SCHEMA}.{band.name} ORDER BY 1, 2"
            )
        ]
        for band in ladder.bands
    ]


@pytest.mark.parametrize(("kind", "srid"), [("Point", 4326), ("Polygon", 3857), ("LineString", 2154)])
async def test_renewed_parts_are_as_if_all_were_built_again(
    database: Database, session: asyncpg.Connection, kind: str, srid: int
) -> None:
    await grown(session, kind, srid)
    table, state = await looked_at(database)
    builder = OverviewBuilder(OverviewStore(database.owner), 0.5, MANY)
    assert await builder.build(session, table, state, [VALUES])
    for change in CHANGES:
        await session.execute(change)
        _, state, ladder = await renew(database, session, [VALUES])
        assert ladder is not None, change
        await check(session, ladder, await session.fetchval("SELECT count(*) FROM data.things"))
    assert ladder is not None
    assert ladder.unplaced == 1
    parts = await content(session, ladder)
    await builder.build(session, table, state, [VALUES])
    row = await OverviewStore(database.owner).row(state.relid, fresh=True)
    assert row is not None
    assert row.ladder is not None
    assert row.ladder.cells == ladder.cells
    whole = await content(session, row.ladder)
    if kind == "Point":
        assert parts == whole
    else:  # Shapes of coarser bands were simplified once more.
        assert [[row[:5] for row in band] for band in parts] == [[row[:5] for row in band] for band in whole]
        assert parts[-1] == whole[-1]


@pytest.mark.parametrize(
    "change",
    [
        "TRUNCATE data.things",
        "UPDATE data.things SET value = 1",
        "UPDATE data.things SET geom = (SELECT geom FROM data.things WHERE id = 1) WHERE id < 40",
        "ALTER TABLE data.things ADD COLUMN more text DEFAULT 'x'",
        "ALTER TABLE data.things DISABLE TRIGGER geoagent_insert",
        "ALTER TABLE data.things DISABLE TRIGGER USER; UPDATE data.things SET value = 5 WHERE id = 7;"
        "ALTER TABLE data.things ENABLE TRIGGER USER",
        "DROP TRIGGER geoagent_delete ON data.things",
        "DROP TABLE {cells}; UPDATE data.things SET value = 5 WHERE id = 7",
    ],
)
async def test_what_cannot_be_renewed_in_parts_is_built_again(
    database: Database, session: asyncpg.Connection, change: str
) -> None:
    await grown(session, "Point", 4326)
    await built(database, session)
    _, state = await looked_at(database)
    await session.execute(change.format(cells=changed_cells.name_of(state.relid)))
    _, _, ladder = await renew(database, session)
    assert ladder is None
    if not change.startswith("TRUNCATE"):
        whole, rows = await built(database, session)
        assert whole is not None
        await check(session, whole, rows)


async def test_the_worker_renews_the_parts_of_a_table_that_changed(
    database: Database, session: asyncpg.Connection, worker: ProfileWorker
) -> None:
    await grown(session, "Point", 4326)
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)

    async def up_to_date() -> OverviewRow | None:
        worker.want([table])  # as at each poll of the follower: what was read just now is not read again
        row = await store.row(state.relid, fresh=True)
        current = await DataVersions(database.owner).of(table, 0)
        return row if row is not None and row.data_version == current.version else None

    first = await until(up_to_date, pause=0.5)
    await session.execute("UPDATE data.things SET name = 'other' WHERE id = 7")
    await session.execute("SELECT pg_stat_force_next_flush()")
    second = await until(up_to_date, pause=0.5)
    assert second.build > first.build, "maps that show it ask for their tiles again"
    assert second.ladder.bands[-1].name == first.ladder.bands[-1].name
    assert await session.fetchval(
        f"SELECT count(*) FROM {SCHEMA}.{second.ladder.bands[-1].name} WHERE name = 'other'"
    )


async def test_changes_that_a_session_replays_are_noted(
    database: Database, session: asyncpg.Connection
) -> None:
    await grown(session, "Point", 4326)
    await built(database, session)
    await session.execute("SET session_replication_role = replica")
    await session.execute("DELETE FROM data.things WHERE id = 7")
    await session.execute("RESET session_replication_role")
    _, _, ladder = await renew(database, session)
    assert ladder is not None
    assert ladder.rows == ROWS - 1


async def test_a_fault_of_the_trigger_fails_no_statement(
    database: Database, session: asyncpg.Connection
) -> None:
    await grown(session, "Point", 4326)
    await built(database, session)
    await session.execute("INSERT INTO data.things (geom) VALUES (ST_SetSRID(ST_MakePoint('NaN', 1), 4326))")
    _, _, ladder = await renew(database, session)
    assert ladder is not None
    assert ladder.unplaced == 1


async def test_tables_of_other_schemas_get_triggers_only_where_the_setting_says_so(
    database: Database, session: asyncpg.Connection
) -> None:
    await grown(session, "Point", 4326)
    await session.execute("ALTER TABLE data.things SET SCHEMA public")
    store = OverviewStore(database.owner)
    usual = OverviewBuilder(store, 0.5, MANY)
    allowed = OverviewBuilder(store, 0.5, MANY, watched=("data", "public"))
    triggers = (
        "SELECT count(*) FROM pg_trigger WHERE tgrelid = 'public.things'::regclass AND NOT tgisinternal"
    )
    try:
        registry = Registry(database.reader, ("public",), None)
        await registry.refresh(patience=30)
        table = registry.get("public.things")

        async def state() -> TableState:
            await session.execute("SELECT pg_stat_force_next_flush()")
            return await DataVersions(database.owner).of(table, 0)

        await usual.build(session, table, await state())
        assert await session.fetchval(triggers) == 0
        await session.execute("DELETE FROM public.things WHERE id = 7")
        assert not await usual.renew(session, table, await state(), ())
        await allowed.build(session, table, await state())
        assert await session.fetchval(triggers) == 4
        await session.execute("DELETE FROM public.things WHERE id = 8")
        assert await allowed.renew(session, table, await state(), ())
        row = await store.row((await state()).relid, fresh=True)
        assert row is not None
        assert row.ladder is not None
        await check(session, row.ladder, ROWS - 2)
        # Of a server whose setting names the schema no more.
        await usual.build(session, table, await state())
        assert await session.fetchval(triggers) == 0
    finally:
        await session.execute("DROP TABLE public.things")


async def test_nothing_is_left_of_a_dropped_table(database: Database, session: asyncpg.Connection) -> None:
    await grown(session, "Point", 4326)
    await built(database, session)
    _, state = await looked_at(database)
    await session.execute("DROP TABLE data.things")
    await OverviewBuilder(OverviewStore(database.owner), 0.5, MANY).drop(session, state.relid)
    assert await session.fetchval("SELECT to_regclass($1)", changed_cells.name_of(state.relid)) is None
    assert await session.fetchval("SELECT to_regproc($1)", f"{SCHEMA}.mark{state.relid}") is None
