"""When the registry looks again, what it then reads, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from server.database.engines import Database
from server.gis.catalog import entries as catalog
from server.gis.catalog.readable_tables import ReadableTables
from server.gis.catalog.registry import Registry
from tests.integration.gis.registry.conftest import appears, column_comment, run
from tests.support.looking import until

pytestmark = pytest.mark.asyncio(loop_scope="session")


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
    monkeypatch.setattr("server.gis.catalog.registry.EXPENSIVE_CHECK_S", 0.0)
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
    asked: list[list[int]] = []
    read = catalog.entries

    async def counting(engine: object, schemas: object, oids: list[int]) -> object:
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
    assert made in {oid for oids in asked for oid in oids}
    assert all(changed.issuperset(oids) for oids in asked)


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
        await until(lambda: column_comment(known.get("data.named"), "id") == "its number")
        await run(database, "ALTER TABLE data.named RENAME COLUMN id TO number")
        await until(lambda: known.get("data.named").key == ("number",))
        await run(database, 'ALTER TABLE data.named RENAME TO "Re.named"')
        await appears(known, 'data."Re.named"')
        assert known.find("data.named") is None
        await run(database, 'DROP TABLE data."Re.named"')
        await until(lambda: known.find('data."Re.named"') is None)
    finally:
        await known.stop()


async def test_foreign_keys_of_one_column_are_known(database: Database) -> None:
    known = Registry(database.reader, poll_seconds=3600)
    await run(
        database,
        "CREATE TABLE data.linked_lines (no int PRIMARY KEY, part int, UNIQUE (no, part))",
        "CREATE TABLE data.linked_stops (id int, line int REFERENCES data.linked_lines, part int,"
        " FOREIGN KEY (line, part) REFERENCES data.linked_lines (no, part))",
    )
    await known.refresh()
    assert known.get("data.linked_stops").references == (("line", "data.linked_lines", "no"),)
    await run(database, "ALTER TABLE data.linked_stops DROP CONSTRAINT linked_stops_line_fkey")
    await known.refresh()
    assert known.get("data.linked_stops").references == ()


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
