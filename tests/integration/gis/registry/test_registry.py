"""The registry is what PostgreSQL holds and the reader may read, a moment after it changes, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from agents.domain import Table
from server.database.engines import Database
from server.gis.catalog import entries as catalog
from server.gis.catalog.readable_tables import ReadableTables
from server.gis.catalog.registry import Registry
from server.gis.errors import UnknownTable
from tests.support.looking import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

ODD = 'naïve"quote'


async def run(database: Database, *statements: str) -> None:
    for statement in statements:
        async with database.owner.begin() as connection:
            await connection.exec_driver_sql(statement)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def registry(database: Database) -> AsyncIterator[Registry]:
    """Told by LISTEN; the poll is as good as off, so that what is seen soon was heard."""
    known = Registry(database.reader, listen=database.listen, poll_seconds=60)
    await known.start()
    yield known
    await known.stop()


async def appears(registry: Registry, table_id: str) -> Table:
    await until(lambda: any(table.id == table_id for table in registry.tables()))
    return registry.get(table_id)


async def test_an_entry_says_all_that_the_catalogue_and_the_statistics_know(
    database: Database, registry: Registry
) -> None:
    await run(
        database,
        "CREATE TABLE data.peaks (code int, id bigint PRIMARY KEY, name varchar(40) NOT NULL, height numeric(6,1),"
        " first_climbed date, tags text[], geom geometry(PointZ, 3857))",
        "COMMENT ON TABLE data.peaks IS 'Mountains'",
        "COMMENT ON COLUMN data.peaks.height IS 'metres above sea'",
        "INSERT INTO data.peaks SELECT n, n, (ARRAY['Alp', 'Berg', 'Alp'])[1 + n % 3], n / 2.0,"
        " date '1900-01-01' + n, '{a}', ST_Transform(ST_SetSRID(ST_MakePoint(n / 10.0, 45, 0), 4326), 3857)"
        " FROM generate_series(0, 99) n",
        "ANALYZE data.peaks",
    )
    await registry.refresh()
    await until(lambda: registry.get("data.peaks").row_estimate == 100)
    table = registry.get("data.peaks")
    assert (table.kind, table.comment, table.key) == ("table", "Mountains", ("id",))
    assert (table.geometry_column, table.geometry_type, table.srid) == ("geom", "POINT", 3857)
    assert table.bounds == pytest.approx((0, 45, 9.9, 45), abs=1e-6)
    assert [column.name for column in table.columns] == [
        "code", "id", "name", "height", "first_climbed", "tags", "geom",
    ]  # fmt: skip
    assert [column.kind for column in table.columns] == [
        "integer", "integer", "text", "number", "date", "other", "geometry",
    ]  # fmt: skip
    height, name, climbed = (table.column(each) for each in ("height", "name", "first_climbed"))
    assert height is not None
    assert name is not None
    assert climbed is not None
    assert (height.sql_type, height.comment, height.minimum, height.maximum) == (
        "numeric(6,1)", "metres above sea", 0.0, 49.5,
    )  # fmt: skip
    assert name.samples[:2] == ("Alp", "Berg")
    assert not name.nullable
    assert (climbed.minimum, climbed.maximum) == ("1900-01-01", "1900-04-10")


async def test_a_new_table_a_changed_one_and_a_dropped_one_are_known_at_once(
    database: Database, registry: Registry
) -> None:
    before = registry.version
    await run(database, "CREATE TABLE data.fresh (id int PRIMARY KEY, geom geometry(Point, 4326))")
    await appears(registry, "data.fresh")
    assert registry.version > before
    await run(database, "ALTER TABLE data.fresh ADD COLUMN colour text")
    await until(lambda: registry.get("data.fresh").column("colour") is not None)
    await run(database, "COMMENT ON COLUMN data.fresh.colour IS 'as painted'")
    await until(lambda: _comment(registry.get("data.fresh"), "colour") == "as painted")
    await run(database, "ALTER TABLE data.fresh RENAME TO stale")
    await appears(registry, "data.stale")
    await until(lambda: all(table.id != "data.fresh" for table in registry.tables()))
    await run(database, "DROP TABLE data.stale")
    await until(lambda: all(table.id != "data.stale" for table in registry.tables()))


def _comment(table: Table, name: str) -> str | None:
    column = table.column(name)
    return column.comment if column else None


async def test_subscribers_are_told_which_tables_changed(database: Database, registry: Registry) -> None:
    told: list[frozenset[str]] = []
    end = registry.on_change(told.append)
    await run(database, "CREATE TABLE data.announced (id int)")
    await until(lambda: any("data.announced" in each for each in told))
    end()
    seen = len(told)
    await run(database, "DROP TABLE data.announced")
    await until(lambda: all(table.id != "data.announced" for table in registry.tables()))
    assert len(told) == seen


async def test_what_the_reader_may_not_read_does_not_exist(database: Database, registry: Registry) -> None:
    reader = await _scalar(database, "SELECT geoagent.role_name('reader')")
    await run(
        database,
        "CREATE TABLE data.hidden (id int)",
        "CREATE TABLE data.partly (id int, open text, secret text)",
        f'REVOKE SELECT ON data.hidden, data.partly FROM "{reader}"',
        f'GRANT SELECT (id, open) ON data.partly TO "{reader}"',
        "CREATE SCHEMA elsewhere",
        "CREATE TABLE elsewhere.unexposed (id int)",
    )
    await appears(registry, "data.partly")
    await until(lambda: [column.name for column in registry.get("data.partly").columns] == ["id", "open"])
    await registry.refresh()
    ids = {table.id for table in registry.tables()}
    assert ids.isdisjoint({"data.hidden", "elsewhere.unexposed", "public.spatial_ref_sys", "geoagent.secret"})
    assert not any(table_id.startswith("geoagent.") for table_id in ids)


async def _scalar(database: Database, statement: str) -> str:
    async with database.owner.connect() as connection:
        return str((await connection.exec_driver_sql(statement)).scalar_one())


async def test_views_materialized_views_and_partitioned_tables_are_entries_and_partitions_are_not(
    database: Database, registry: Registry
) -> None:
    await run(
        database,
        "CREATE TABLE data.parts (id int, geom geometry(Point, 4326)) PARTITION BY RANGE (id)",
        "CREATE TABLE data.parts_1 PARTITION OF data.parts FOR VALUES FROM (0) TO (100)",
        "INSERT INTO data.parts SELECT n, ST_SetSRID(ST_MakePoint(n, 1), 4326) FROM generate_series(1, 50) n",
        "CREATE VIEW data.seen AS SELECT id, ST_Transform(geom, 3857) AS shape FROM data.parts",
        "CREATE MATERIALIZED VIEW data.frozen AS SELECT * FROM data.parts WHERE id < 10",
    )
    await appears(registry, "data.frozen")
    await registry.refresh()
    await until(lambda: registry.get("data.seen").srid == 3857)
    seen, frozen, parts = (registry.get(f"data.{each}") for each in ("seen", "frozen", "parts"))
    assert (seen.kind, seen.geometry_column, seen.geometry_type) == ("view", "shape", "POINT")
    assert seen.row_estimate == 50
    assert seen.bounds == pytest.approx((1, 1, 50, 1), abs=1e-6)
    assert (frozen.kind, frozen.row_estimate) == ("materialized view", 9)
    assert (parts.kind, parts.row_estimate) == ("table", 50)
    with pytest.raises(UnknownTable):
        registry.get("data.parts_1")


async def test_a_foreign_table_is_an_entry(database: Database, registry: Registry, database_url: str) -> None:
    try:
        await run(database, "CREATE EXTENSION postgres_fdw")
    except DBAPIError:
        pytest.skip("this PostgreSQL has no postgres_fdw")
    reader = await _scalar(database, "SELECT geoagent.role_name('reader')")
    await run(
        database,
        "CREATE SERVER nowhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1')",
        f'CREATE USER MAPPING FOR "{reader}" SERVER nowhere',
        "CREATE FOREIGN TABLE data.remote (id int, geom geometry(Point, 4326)) SERVER nowhere",
    )
    table = await appears(registry, "data.remote")
    assert (table.kind, table.geometry_type, table.srid) == ("foreign table", "POINT", 4326)


async def test_type_srid_and_samples_come_from_the_rows_where_nothing_is_declared(database: Database) -> None:
    await run(database, "CREATE TABLE data.loose (name text, size int, shape geometry)")
    polling = Registry(database.reader, poll_seconds=0.05)
    await polling.start()
    try:
        assert (polling.get("data.loose").geometry_type, polling.get("data.loose").srid) == (None, 0)
        await run(
            database,
            "INSERT INTO data.loose SELECT 'lake', n, ST_SetSRID(ST_MakeEnvelope(n, 10, n + 1, 11), 4326)"
            " FROM generate_series(1, 5) n UNION ALL"
            " SELECT 'pond', 9, ST_Multi(ST_SetSRID(ST_MakeEnvelope(0, 0, 1, 1), 4326))",
        )
        await until(lambda: polling.get("data.loose").bounds == (0, 0, 6, 11))
        table = polling.get("data.loose")
    finally:
        await polling.stop()
    assert (table.geometry_type, table.srid, table.geometry_family) == ("MULTIPOLYGON", 4326, "polygon")
    assert table.row_estimate == 6
    name, size = table.column("name"), table.column("size")
    assert name is not None
    assert size is not None
    assert name.samples == ("lake", "pond")
    assert (size.minimum, size.maximum) == (1, 9)


async def test_a_view_that_fails_or_dawdles_hinders_no_other_table(
    database: Database, registry: Registry
) -> None:
    await run(
        database,
        "CREATE VIEW data.broken AS SELECT 1 / (random() * 0)::int AS id, ST_SetSRID(ST_MakePoint(1, 1), 4326) AS g",
        "CREATE VIEW data.slow AS SELECT pg_sleep(60)::text AS id, ST_SetSRID(ST_MakePoint(1, 1), 4326) AS g",
        "CREATE TABLE data.healthy (id int)",
    )
    await appears(registry, "data.healthy")
    assert (await appears(registry, "data.broken")).geometry_column == "g"
    assert (await appears(registry, "data.slow")).geometry_column == "g"
    await run(database, "DROP VIEW data.broken", "DROP VIEW data.slow")


@pytest.mark.parametrize("schema", ["Odd Schema", "a.b", ODD])
async def test_any_name_is_a_name(database: Database, schema: str) -> None:
    quoted, table_name = _quoted(schema), _quoted("select")
    reader = await _scalar(database, "SELECT geoagent.role_name('reader')")
    await run(
        database,
        f"CREATE SCHEMA {quoted}",
        f'CREATE TABLE {quoted}.{table_name} ("order" int PRIMARY KEY, {_quoted(ODD)} text, "My Geom" geometry)',
        f"INSERT INTO {quoted}.{table_name} VALUES (1, 'x', ST_SetSRID(ST_MakePoint(3, 4), 4326))",
        f'GRANT USAGE ON SCHEMA {quoted} TO "{reader}"',
        f'GRANT SELECT ON {quoted}.{table_name} TO "{reader}"',
    )
    registry = Registry(database.reader, schemas=(schema,))
    await registry.refresh(patience=10)
    (table,) = registry.tables()
    assert table.id == {"Odd Schema": "Odd Schema.select", "a.b": '"a.b".select'}.get(
        schema, '"naïve""quote".select'
    )
    assert registry.get(table.id) == table == registry.get("select")
    assert table.key == ("order",)
    assert (table.geometry_type, table.srid, table.bounds) == ("POINT", 4326, (3, 4, 3, 4))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


async def test_bounds_cross_the_antimeridian_where_the_data_do(
    database: Database, registry: Registry
) -> None:
    await run(
        database,
        "CREATE TABLE data.islands (id int, geom geometry(MultiPolygon, 4326))",
        "INSERT INTO data.islands VALUES (1, ST_Collect(ST_MakeEnvelope(177, -19, 180, -16, 4326),"
        " ST_MakeEnvelope(-180, -18, -178, -15, 4326)))",
        "CREATE TABLE data.world AS SELECT n AS id, ST_SetSRID(ST_MakePoint(n, 0), 4326)::geometry(Point, 4326)"
        " AS geom FROM generate_series(-170, 170, 10) n",
        "CREATE TABLE data.globe (id int, place geography(Point))",
        "INSERT INTO data.globe VALUES (1, ST_MakePoint(8, 47)::geography)",
    )
    await appears(registry, "data.globe")
    await registry.refresh()
    await until(lambda: registry.get("data.globe").bounds is not None)
    assert registry.get("data.islands").bounds == (177, -19, -178, -15)
    assert registry.get("data.world").bounds == (-170, 0, 170, 0)
    globe = registry.get("data.globe")
    assert (globe.bounds, globe.srid, globe.geometry_type) == ((8, 47, 8, 47), 4326, "POINT")


async def test_names_that_are_not_quite_right_find_their_table_or_the_nearest(
    database: Database, registry: Registry
) -> None:
    await run(
        database,
        'CREATE TABLE data."Rivers" (id int)',
        "CREATE TABLE analysis.twin (id int)",
        "CREATE TABLE data.twin (id int)",
    )
    await appears(registry, "data.twin")
    assert registry.get("rivers").id == "data.Rivers"
    assert registry.get("DATA.RIVERS").id == "data.Rivers"
    with pytest.raises(UnknownTable, match=r"several tables: analysis\.twin, data\.twin"):
        registry.get("twin")
    with pytest.raises(UnknownTable, match=r"data\.Rivers"):
        registry.get("data.rivrs")


async def test_fresh_statistics_are_noticed_without_any_notification(database: Database) -> None:
    await run(database, "CREATE TABLE data.growing (id int PRIMARY KEY, kind text)")
    polling = Registry(database.reader, poll_seconds=0.1)
    await polling.start()
    try:
        await run(
            database,
            "INSERT INTO data.growing SELECT n, 'tree' FROM generate_series(1, 300) n",
            "ANALYZE data.growing",
        )
        await until(lambda: polling.get("data.growing").row_estimate == 300)
        kind = polling.get("data.growing").column("kind")
        assert kind is not None
        assert kind.samples == ("tree",)
        await run(database, "CREATE TABLE data.unheard (id int)")
        await appears(polling, "data.unheard")
    finally:
        await polling.stop()


async def test_where_looks_are_expensive_they_wait_until_counters_of_the_database_move(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def note(name: str) -> None:
        read = getattr(catalog, name)

        async def noted(*arguments: Any) -> Any:
            calls.append(name)
            return await read(*arguments)

        monkeypatch.setattr(catalog, name, noted)

    async def run_apart(*statements: str) -> None:
        """In a session that ends: PostgreSQL counts what it did at once."""
        async with database.owner_session({}) as session:
            for statement in statements:
                await session.execute(statement)

    note("marks")
    note("change_counters")
    monkeypatch.setattr("server.gis.catalog.registry.EXPENSIVE_LOOK_S", 0.0)
    polling = Registry(database.reader, poll_seconds=0.02)
    await polling.start()
    try:
        await until(lambda: calls[-20:] == 20 * ["change_counters"])
        await run_apart("CREATE TABLE data.counted (id int)", "COMMENT ON TABLE data.counted IS 'Once'")
        await appears(polling, "data.counted")
        await run_apart("COMMENT ON TABLE data.counted IS 'Twice'")
        await until(lambda: polling.get("data.counted").comment == "Twice")
        rows = "INSERT INTO data.counted SELECT generate_series(1, 300)"
        await run_apart(rows, "ANALYZE data.counted", rows, "ANALYZE data.counted")
        await until(lambda: polling.get("data.counted").row_estimate == 600)
        await run_apart("DROP TABLE data.counted")
        await until(lambda: polling.find("data.counted") is None)
    finally:
        await polling.stop()


async def test_the_registry_is_right_again_after_its_connections_were_cut(
    database: Database, registry: Registry
) -> None:
    async with database.owner.connect() as connection:
        await connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    await run(database, "CREATE TABLE data.afterwards (id int)")
    await appears(registry, "data.afterwards")
    await run(database, "CREATE TABLE data.heard_again (id int)")
    await appears(registry, "data.heard_again")


async def test_a_refresh_reads_only_what_changed(
    database: Database, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    await registry.refresh()
    await registry.settle()
    asked: list[list[int] | None] = []
    read = catalog.entries

    async def counting(engine: object, schemas: object, oids: list[int] | None = None) -> object:
        asked.append(oids)
        return await read(database.reader, ("data", "analysis", "public"), oids)

    async with database.owner.connect() as connection:
        began = await connection.scalar(text("SELECT clock_timestamp()"))
    monkeypatch.setattr(catalog, "entries", counting)
    await registry.refresh()
    await run(database, "CREATE TABLE data.one_more (id int)")
    await appears(registry, "data.one_more")
    async with database.owner.connect() as connection:
        made = await connection.scalar(text("SELECT CAST('data.one_more'::regclass AS bigint)"))
        analysed = await connection.scalars(
            text("SELECT relid::bigint FROM pg_stat_user_tables WHERE last_autoanalyze >= :began"),
            {"began": began},
        )
        # PostgreSQL may have analysed tables of earlier tests by itself: those have changed, too.
        changed = {made, *analysed}
    assert made in {oid for oids in asked for oid in oids or ()}
    assert all(oids is not None and changed.issuperset(oids) for oids in asked)


async def test_a_view_whose_geometry_nothing_said_is_looked_at_again(database: Database) -> None:
    await run(
        database,
        "CREATE TABLE data.source (id int, geom geometry)",
        "CREATE VIEW data.looking AS SELECT id, ST_Centroid(geom) AS geom FROM data.source",
    )
    polling = Registry(database.reader, poll_seconds=0.05)
    await polling.start()
    try:
        assert polling.get("data.looking").geometry_type is None
        await run(database, "INSERT INTO data.source VALUES (1, ST_SetSRID(ST_MakePoint(1, 2), 4326))")
        await until(lambda: polling.get("data.looking").geometry_type == "POINT")
        assert polling.get("data.looking").bounds == (1, 2, 1, 2)
    finally:
        await polling.stop()


async def test_a_look_at_one_table_reads_no_other(database: Database) -> None:
    known = Registry(database.reader, poll_seconds=3600)
    await known.refresh()
    await run(
        database,
        "CREATE TABLE data.looked_at (id int)",
        "CREATE TABLE data.not_looked_at (id int)",
        "DROP TABLE IF EXISTS data.never_there",
    )
    await known.refresh(only=("data", "looked_at"))
    ids = {table.id for table in known.tables()}
    assert "data.looked_at" in ids
    assert "data.not_looked_at" not in ids
    await known.refresh(only=("data", "never_there"))
    assert {table.id for table in known.tables()} == ids
    await known.refresh()
    assert "data.not_looked_at" in {table.id for table in known.tables()}


async def test_extents_of_tables_with_any_names_are_measured(database: Database, registry: Registry) -> None:
    await run(
        database,
        'CREATE TABLE data."a:b%s ""c" ("the:geom" geometry(Point, 4326))',
        """INSERT INTO data."a:b%s ""c" SELECT ST_SetSRID(ST_MakePoint(n, n + 1), 4326) FROM generate_series(1, 3) n""",
    )
    await registry.refresh(patience=20)
    (table,) = await until(
        lambda: [each for each in registry.tables() if each.name == 'a:b%s "c' and each.bounds]
    )
    assert table.bounds == (1.0, 2.0, 3.0, 4.0)


async def test_tables_are_found_by_the_words_they_have_now(database: Database, registry: Registry) -> None:
    await run(
        database,
        "CREATE TABLE data.renamed_later (id int)",
        "COMMENT ON TABLE data.renamed_later IS 'Gullies'",
    )
    await registry.refresh()
    await until(lambda: registry.get("data.renamed_later").comment == "Gullies")
    assert [table.id for table in await registry.search("gully")] == ["data.renamed_later"]
    await run(database, "COMMENT ON TABLE data.renamed_later IS 'Ravines'")
    await until(lambda: registry.get("data.renamed_later").comment == "Ravines")
    assert await registry.search("gully") == []
    assert [table.id for table in await registry.search("ravine")] == ["data.renamed_later"]


async def test_what_notifications_name_is_read_without_a_look_at_all_tables(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a look takes a second where there are 10,000 tables."""
    known = Registry(database.reader, listen=database.listen, poll_seconds=3600)
    await known.start()
    await known.settle()

    async def refused(*_: object) -> dict[int, str]:
        raise AssertionError("all tables were looked at")

    monkeypatch.setattr(catalog, "marks", refused)
    try:
        await run(database, "CREATE TABLE data.named (id int)")
        await appears(known, "data.named")
        await run(database, "ALTER TABLE data.named ADD PRIMARY KEY (id)")
        await until(lambda: known.get("data.named").key == ("id",))
        await run(database, "COMMENT ON COLUMN data.named.id IS 'its number'")
        await until(lambda: _comment(known.get("data.named"), "id") == "its number")
        await run(database, "ALTER TABLE data.named RENAME COLUMN id TO number")
        await until(lambda: known.get("data.named").key == ("number",))
        await run(database, 'ALTER TABLE data.named RENAME TO "Re.named"')
        await appears(known, 'data."Re.named"')
        assert known.find("data.named") is None
        await run(database, 'DROP TABLE data."Re.named"')
        await until(lambda: known.find('data."Re.named"') is None)
    finally:
        await known.stop()


async def test_a_table_that_is_dropped_while_it_is_probed_goes_again(database: Database) -> None:
    known = Registry(database.reader, poll_seconds=3600)
    await known.refresh()
    await run(database, "CREATE TABLE data.short_lived AS SELECT pg_sleep(0)::text AS nothing")
    await known.refresh(patience=0, only=("data", "short_lived"))
    await run(database, "DROP TABLE data.short_lived")
    await known.refresh(only=("data", "short_lived"))
    await known.settle()
    assert known.find("data.short_lived") is None


async def test_what_every_map_may_read_is_the_same_object_until_it_changes(database: Database) -> None:
    # Otherwise PostgreSQL may analyse a table at any moment, whose number of rows then changes.
    await run(database, "ANALYZE")
    known = Registry(database.reader, poll_seconds=3600)
    await known.refresh()
    shared = known.shared()
    async with database.writer.begin() as connection:
        await connection.exec_driver_sql("CREATE TABLE analysis.of_one_map (id int)")
    await known.refresh()
    of_the_map = ReadableTables(known, ["analysis.of_one_map"])
    assert known.shared() is shared
    assert of_the_map.shared() is ReadableTables(known).tables() is shared
    assert [table.id for table in of_the_map.tables()] == sorted(
        ["analysis.of_one_map", *(table.id for table in shared)]
    )
    await run(database, "CREATE TABLE data.of_everybody (id int)")
    await known.refresh()
    assert {table.id for table in known.shared()} == {"data.of_everybody", *(table.id for table in shared)}
