"""The registry is what PostgreSQL holds and the reader may read, a moment after it changes, and nothing else."""

from __future__ import annotations

import tracemalloc

import pytest
from sqlalchemy.exc import DBAPIError

from server.database.engines import Database
from server.gis.catalog import probe
from server.gis.catalog.registry import Registry
from server.gis.errors import UnknownTable
from tests.integration.gis.registry.conftest import appears, column_comment, run
from tests.support.looking import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

ODD = 'naïve"quote'


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
    await until(lambda: column_comment(registry.get("data.fresh"), "colour") == "as painted")
    await run(database, "ALTER TABLE data.fresh RENAME TO stale")
    await appears(registry, "data.stale")
    await until(lambda: all(table.id != "data.fresh" for table in registry.tables()))
    await run(database, "DROP TABLE data.stale")
    await until(lambda: all(table.id != "data.stale" for table in registry.tables()))


async def test_subscribers_get_the_changed_tables(database: Database, registry: Registry) -> None:
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


async def test_the_extent_of_a_large_partitioned_table_is_that_of_its_partitions(
    database: Database, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostGIS cannot estimate it from the index of the whole."""
    monkeypatch.setattr(probe, "MAX_MEASURED_ROWS", 10)
    monkeypatch.setattr(probe, "MAX_COUNTED_ROWS", 10)
    await run(
        database,
        "CREATE TABLE data.shares (id int, geom geometry(Point, 4326)) PARTITION BY RANGE (id)",
        "CREATE TABLE data.shares_1 PARTITION OF data.shares FOR VALUES FROM (0) TO (30)",
        "CREATE TABLE data.shares_2 PARTITION OF data.shares FOR VALUES FROM (30) TO (60)",
        "CREATE TABLE data.shares_3 PARTITION OF data.shares FOR VALUES FROM (60) TO (90)",
        "INSERT INTO data.shares SELECT n, ST_SetSRID(ST_MakePoint(n, 1), 4326) FROM generate_series(1, 50) n",
        "CREATE INDEX ON data.shares USING gist (geom)",
        "ANALYZE data.shares",
    )
    await appears(registry, "data.shares")
    assert registry.get("data.shares").bounds == pytest.approx((1, 1, 50, 1), abs=1e-5)


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


async def test_numbers_beyond_the_greatest_double_leave_the_list_of_tables_readable(
    database: Database, registry: Registry
) -> None:
    """JSON has no infinity: no browser could read the list of all tables."""
    await run(
        database, "CREATE TABLE data.atoms AS SELECT 1 AS id, 10::numeric ^ 400 AS n UNION ALL SELECT 2, 5"
    )
    await appears(registry, "data.atoms")
    column = await until(
        lambda: next((c for c in registry.get("data.atoms").columns if c.samples and c.name == "n"), None)
    )
    assert (column.minimum, column.maximum) == (5, 5)


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


async def test_a_range_is_given_only_if_the_statistics_cover_all_values(
    database: Database, registry: Registry
) -> None:
    await run(
        database,
        "CREATE TABLE data.few (id int, twice int, loaded date)",
        "INSERT INTO data.few VALUES (1, 3, '2024-01-01'), (2, 3, '2024-01-02'), (2, 4, '2024-01-02'),"
        " (NULL, 4, NULL)",
        "ANALYZE data.few",
    )
    await registry.refresh()
    await registry.settle()
    ranges = {each.name: (each.minimum, each.maximum) for each in registry.get("data.few").columns}
    assert ranges["twice"] == (3, 4)
    assert ranges["id"] in ((None, None), (1, 2)), "1 is not a common value of the planner's statistics"
    assert ranges["loaded"] in ((None, None), ("2024-01-01", "2024-01-02"))


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


async def test_the_extent_of_a_large_view_is_not_read_from_all_of_its_rows(
    database: Database, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "MAX_MEASURED_ROWS", 25_000)
    rows = "SELECT n AS id, ST_SetSRID(ST_MakePoint(n % 90, 1), 4326) AS geom FROM generate_series(1, 30000) AS n"
    await run(
        database,
        f"CREATE TABLE data.numbered AS {rows}",
        "ANALYZE data.numbered",
        "CREATE VIEW data.all_numbered AS SELECT * FROM data.numbered",
        "CREATE VIEW data.some_numbered AS SELECT * FROM data.numbered WHERE id <= 100",
    )
    await appears(registry, "data.all_numbered")
    await registry.settle()
    assert registry.get("data.all_numbered").bounds is None
    assert registry.get("data.all_numbered").row_estimate == pytest.approx(30_000, rel=0.1)
    assert registry.get("data.some_numbered").bounds == (0, 1, 89, 1)


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


async def test_long_texts_in_hundreds_of_columns_are_sampled_by_their_beginnings(
    database: Database, registry: Registry
) -> None:
    columns = ", ".join(f"repeat('{n} ', 10000) AS c{n}" for n in range(130))
    tracemalloc.start()
    try:
        await run(database, f"CREATE VIEW data.lengthy AS SELECT {columns} FROM generate_series(1, 20)")
        await appears(registry, "data.lengthy")
        await registry.settle()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    last = registry.get("data.lengthy").column("c129")
    assert last is not None
    assert last.samples[0].startswith("129 129 ")
    assert peak < 30_000_000, "the texts have 100 MB"
