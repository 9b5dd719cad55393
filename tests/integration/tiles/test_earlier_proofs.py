"""A profile spares the rows that it knows from being tested for each tile, also after others have changed."""

from __future__ import annotations

import io
from dataclasses import replace

import asyncpg
import pytest

from agents.domain import StyleSpec, Table
from server.database.engines import Database
from server.database.quoting import quoted
from server.gis.profiles import measure
from server.gis.profiles.measure import measured
from server.gis.profiles.profile import ProfileStore
from server.gis.profiles.proof import MAX_TRANSACTIONS, UNPROVEN, Proven, proof_from
from server.gis.profiles.versions import DataVersions
from server.gis.tiles.grid import Tile
from server.gis.tiles.projection import SearchBoxes, read_crs
from server.gis.tiles.service import TileService
from server.gis.tiles.statement import LayerStatements
from tests.integration.tiles.drawing import Atlas, decoded

ROWS = 60
TILE = Tile.at(14, 8604, 5678)
AREA = "ST_Buffer(ST_SetSRID(ST_MakePoint(9.06 + {n} * 0.0001, 48.24), 4326), 0.0008, 3)"
BOW_TIE = (
    "ST_SetSRID('POLYGON((9.06 48.24, 9.062 48.242, 9.062 48.24, 9.06 48.242, 9.06 48.24))'::geometry, 4326)"
)
FLUSH = "SELECT pg_stat_force_next_flush()"
"""Publishes the counters of changed rows when the transaction ends."""
TESTS = "SELECT coalesce(sum(calls), 0)::int FROM pg_stat_xact_user_functions WHERE funcname = 'st_isvalid'"


async def make(database: Database, atlas: Atlas, *more: str, kind: str = "Polygon") -> Table:
    shape = AREA.format(n="n") if kind == "Polygon" else f"ST_Multi({AREA.format(n='n')})"
    await atlas.execute(
        "DROP TABLE IF EXISTS data.areas CASCADE",
        f"CREATE TABLE data.areas (id int PRIMARY KEY, geom geometry({kind}, 4326))",
        f"INSERT INTO data.areas SELECT n, {shape} FROM generate_series(1, {ROWS}) AS n",
        *more,
        "CREATE INDEX ON data.areas USING gist (geom)",
        "ANALYZE data.areas",
        FLUSH,
    )
    table = await atlas.table("data.areas")
    await profile(database, table)
    return table


async def profile(database: Database, table: Table, version: str = "") -> None:
    """`version`: as the server knew the table before it measured it."""
    versions = DataVersions(database.owner)
    state = await versions.of(table)
    version = version or state.version

    async def layout() -> str:
        return (await versions.of(table, max_age=0)).layout

    found = await measured(database.profiler, table, version, layout)
    await ProfileStore(database.owner).write(state.relid, version, found, None, 0.1)


async def proof_now(database: Database, table: Table) -> Proven | None:
    state = await DataVersions(database.owner).of(table)
    row = await ProfileStore(database.owner).row(state.relid)
    return None if row is None else proof_from(row, state, table)


async def reader_of(database: Database) -> str:
    async with database.reader.connect() as connection:
        return quoted((await connection.exec_driver_sql("SELECT current_user")).scalar_one())


async def draw(
    database: Database, atlas: Atlas, proof: Proven, name: str = "data.areas", label: str | None = None
) -> tuple[dict[int | None, bytes], int]:
    """The shapes of a tile, and how many were tested for it."""
    layer, table = await atlas.layer(name, StyleSpec(label=label)), await atlas.table(name)
    connection = await asyncpg.connect(database.url)
    try:
        crs, boxes = await read_crs(connection, table.srid, table.id), SearchBoxes()
        box = await boxes.of(connection, crs, TILE)
        assert box is not None
        statement = LayerStatements(table, layer, crs, None, False, proof).at(TILE.z, mapped=True)
        arguments = statement.arguments(crs, TILE, box, boxes.affine(crs, TILE))
        async with connection.transaction():
            await connection.execute("SET LOCAL track_functions = 'all'")
            row = await connection.fetchrow(statement.text, *arguments)
            tests = await connection.fetchval(TESTS)
    finally:
        await connection.close()
    features = decoded(row["tile"])["features"]
    assert len(features) == row["shown"]
    return {each.id: each.shape.normalize().wkb for each in features}, tests


async def test_only_the_few_rows_with_invalid_shapes_are_tested(database: Database, atlas: Atlas) -> None:
    table = await make(database, atlas, f"INSERT INTO data.areas VALUES (900, {BOW_TIE})")
    proof = await proof_now(database, table)
    assert proof is not None
    assert (proof.is_valid, proof.invalid, proof.before) == (True, (900,), None)
    careful, careful_tests = await draw(database, atlas, UNPROVEN)
    found, tests = await draw(database, atlas, proof)
    assert (careful_tests, tests) == (ROWS + 1, 1)
    assert found == careful


async def test_more_rows_with_invalid_shapes_are_not_listed(
    database: Database, atlas: Atlas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "MAX_INVALID_ROWS", 1)
    table = await make(database, atlas, f"INSERT INTO data.areas VALUES (900, {BOW_TIE}), (901, {BOW_TIE})")
    proof = await proof_now(database, table)
    assert proof is not None
    assert (proof.is_valid, proof.invalid) == (False, ())


@pytest.mark.parametrize("kind", ["Polygon", "MultiPolygon"])
async def test_of_a_table_that_has_changed_only_the_newer_rows_are_tested(
    database: Database, atlas: Atlas, kind: str
) -> None:
    table = await make(database, atlas, kind=kind)
    bow_tie = BOW_TIE if kind == "Polygon" else f"ST_Multi({BOW_TIE})"
    await atlas.execute(
        f"INSERT INTO data.areas VALUES (900, {bow_tie})",
        "UPDATE data.areas SET geom = ST_Translate(geom, 0.0001, 0) WHERE id IN (1, 2)",
        "DELETE FROM data.areas WHERE id = 3",
        FLUSH,
    )
    proof = await proof_now(database, table)
    assert proof is not None
    assert proof.is_sound
    assert proof.is_valid
    assert not proof.is_on_earth
    assert proof.before is not None
    careful, _ = await draw(database, atlas, UNPROVEN)
    found, tests = await draw(database, atlas, proof)
    assert tests == 3
    assert found == careful
    assert len(found) == ROWS


@pytest.mark.parametrize("far", ["1e300", "'NaN'", "'Infinity'"])
async def test_a_newer_row_that_is_nowhere_is_not_drawn(database: Database, atlas: Atlas, far: str) -> None:
    table = await make(database, atlas)
    corners = ((9.06, "48.24"), (9.062, f"{far}::float8"), (9.062, "48.24"), (9.06, "48.24"))
    points = ", ".join(f"ST_MakePoint({x}, {y})" for x, y in corners)
    await atlas.execute(
        f"INSERT INTO data.areas VALUES (900, ST_SetSRID(ST_MakePolygon(ST_MakeLine(ARRAY[{points}])), 4326))",
        FLUSH,
    )
    proof = await proof_now(database, table)
    assert proof is not None
    assert proof.before is not None
    found, _ = await draw(database, atlas, proof)
    assert found.keys() == set(range(1, ROWS + 1))


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE data.areas ADD COLUMN note text",
        "ALTER TABLE data.areas RENAME COLUMN geom TO shape",
        "TRUNCATE data.areas",
        "CREATE TABLE data.more_areas () INHERITS (data.areas)",
    ],
)
async def test_an_earlier_proof_ends_with_the_columns_and_the_files_of_the_table(
    database: Database, atlas: Atlas, change: str
) -> None:
    table = await make(database, atlas)
    await atlas.execute("UPDATE data.areas SET id = id + 1000", FLUSH)
    assert await proof_now(database, table) is not None
    await atlas.execute(change, FLUSH)
    assert await proof_now(database, table) is None


@pytest.mark.parametrize("kind", ["", "MATERIALIZED"])
async def test_rows_of_a_view_do_not_tell_when_they_were_written(
    database: Database, atlas: Atlas, kind: str
) -> None:
    await make(database, atlas)
    await atlas.execute(f"CREATE {kind} VIEW data.seen_areas AS SELECT * FROM data.areas", FLUSH)
    view = await atlas.table("data.seen_areas")
    await profile(database, view)
    assert await proof_now(database, view) is not None
    await atlas.execute("DELETE FROM data.areas WHERE id = 1", FLUSH)
    if kind:
        # Its rows are new ones, in a new file.
        await atlas.execute("REFRESH MATERIALIZED VIEW data.seen_areas", FLUSH)
    assert await proof_now(database, view) is None


async def test_rows_that_were_written_but_not_committed_when_the_table_was_measured_are_tested(
    database: Database, atlas: Atlas
) -> None:
    table = await make(database, atlas)
    writing = await asyncpg.connect(database.url)
    try:
        transaction = writing.transaction()
        await transaction.start()
        await writing.execute(f"INSERT INTO data.areas VALUES (900, {BOW_TIE})")
        async with writing.transaction():
            await writing.execute(f"INSERT INTO data.areas VALUES (901, {BOW_TIE})")
        # Transactions that begin later and end earlier.
        await atlas.execute("UPDATE data.areas SET geom = ST_Translate(geom, 0.0001, 0) WHERE id = 1", FLUSH)
        await profile(database, table)
        await transaction.commit()
        await writing.execute(FLUSH)
    finally:
        await writing.close()
    proof = await proof_now(database, table)
    assert proof is not None
    assert proof.before is not None
    careful, _ = await draw(database, atlas, UNPROVEN)
    found, tests = await draw(database, atlas, proof)
    assert tests == 3
    assert found == careful
    assert found.keys() >= {900, 901}


async def test_freezing_rows_does_not_make_newer_ones_older(database: Database, atlas: Atlas) -> None:
    table = await make(database, atlas)
    await atlas.execute(f"INSERT INTO data.areas VALUES (900, {BOW_TIE})", FLUSH)
    connection = await asyncpg.connect(database.url)
    try:
        await connection.execute("VACUUM (FREEZE, INDEX_CLEANUP ON) data.areas")
    finally:
        await connection.close()
    proof = await proof_now(database, table)
    assert proof is not None
    careful, _ = await draw(database, atlas, UNPROVEN)
    found, tests = await draw(database, atlas, proof)
    assert tests == 1
    assert found == careful


async def test_a_table_that_was_loaded_again_has_no_earlier_proof(database: Database, atlas: Atlas) -> None:
    table = await make(database, atlas)
    connection = await asyncpg.connect(database.url)
    try:
        kept = await connection.fetch("SELECT id, geom::text FROM data.areas")
        async with connection.transaction():
            await connection.execute("TRUNCATE data.areas")
            rows = "\n".join(f"{row['id']}\t{row['geom']}" for row in kept).encode()
            await connection.copy_to_table("areas", schema_name="data", source=io.BytesIO(rows), freeze=True)
        await connection.execute(FLUSH)
    finally:
        await connection.close()
    assert await proof_now(database, table) is None


PARTS = (
    "DROP TABLE IF EXISTS data.parts, data.later_part CASCADE",
    "CREATE TABLE data.parts (id int PRIMARY KEY, geom geometry(Polygon, 4326)) PARTITION BY RANGE (id)",
    "CREATE TABLE data.part_1 PARTITION OF data.parts FOR VALUES FROM (0) TO (30)",
    "CREATE TABLE data.part_2 PARTITION OF data.parts FOR VALUES FROM (30) TO (1000)",
    "CREATE TABLE data.later_part (id int PRIMARY KEY, geom geometry(Polygon, 4326))",
    f"INSERT INTO data.later_part VALUES (1000, {BOW_TIE})",
    f"INSERT INTO data.parts SELECT n, {AREA.format(n='n')} FROM generate_series(1, {ROWS}) AS n",
    FLUSH,
)


async def test_rows_of_partitions_tell_when_they_were_written(database: Database, atlas: Atlas) -> None:
    await atlas.execute(*PARTS)
    table = await atlas.table("data.parts")
    await profile(database, table)
    await atlas.execute(
        f"INSERT INTO data.parts VALUES (900, {BOW_TIE})",
        "UPDATE data.parts SET id = id + 40 WHERE id = 29",
        FLUSH,
    )
    proof = await proof_now(database, table)
    assert proof is not None
    assert proof.before is not None
    careful, _ = await draw(database, atlas, UNPROVEN, "data.parts")
    found, tests = await draw(database, atlas, proof, "data.parts")
    assert tests == 2
    assert found == careful
    await atlas.execute(
        "ALTER TABLE data.parts ATTACH PARTITION data.later_part FOR VALUES FROM (1000) TO (2000)"
    )
    assert await proof_now(database, table) is None


async def test_a_partition_that_was_away_while_the_table_was_measured_ends_the_proof(
    database: Database, atlas: Atlas
) -> None:
    attach = "ALTER TABLE data.parts ATTACH PARTITION data.later_part FOR VALUES FROM (1000) TO (2000)"
    await atlas.execute(*PARTS, attach)
    table = await atlas.table("data.parts")
    state = await DataVersions(database.owner).of(table)
    await atlas.execute("ALTER TABLE data.parts DETACH PARTITION data.later_part")
    await profile(database, table, state.version)
    await atlas.execute(attach, "DELETE FROM data.parts WHERE id = 1", FLUSH)
    assert await proof_now(database, table) is None


@pytest.mark.parametrize(
    "kind",
    [
        "CREATE TABLE data.more_areas () INHERITS (data.areas)",
        "REVOKE SELECT ON data.areas FROM {reader}; GRANT SELECT (id, geom) ON data.areas TO {reader}",
    ],
)
async def test_no_earlier_proof_where_rows_may_not_name_their_transaction(
    database: Database, atlas: Atlas, kind: str
) -> None:
    await make(database, atlas)
    await atlas.execute(*kind.format(reader=await reader_of(database)).split("; "))
    table = await atlas.table("data.areas")
    await profile(database, table)
    await atlas.execute("DELETE FROM data.areas WHERE id = 1", FLUSH)
    assert await proof_now(database, table) is None


async def test_rows_that_a_policy_hid_when_the_table_was_measured_are_not_proven(
    database: Database, atlas: Atlas
) -> None:
    table = await make(database, atlas, f"INSERT INTO data.areas VALUES (900, {BOW_TIE})")
    await atlas.execute(
        "ALTER TABLE data.areas ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY few_areas ON data.areas USING (id < 900)",
    )
    await profile(database, table)
    assert await proof_now(database, table) is None
    await atlas.execute("ALTER TABLE data.areas DISABLE ROW LEVEL SECURITY")
    assert await proof_now(database, table) is None
    await atlas.execute("DELETE FROM data.areas WHERE id = 1", FLUSH)
    assert await proof_now(database, table) is None


async def test_tiles_are_drawn_after_the_reader_lost_the_right_to_know_who_wrote_a_row(
    database: Database, atlas: Atlas
) -> None:
    table = await make(database, atlas)
    await atlas.execute("DELETE FROM data.areas WHERE id = 1", FLUSH)
    await atlas.layer("data.areas")
    proof = await proof_now(database, table)
    assert proof is not None
    assert proof.before is not None

    async def prove(_table: Table) -> Proven:
        return proof

    reader = await reader_of(database)
    await atlas.execute(
        f"REVOKE SELECT ON data.areas FROM {reader}", f"GRANT SELECT (id, geom) ON data.areas TO {reader}"
    )
    service = TileService(database.tile_pool, atlas.registry, atlas.layers, prove=prove)
    try:
        assert (await service.tile("m", "a", 1, TILE)).shown == ROWS - 1
    finally:
        await service.close()


async def test_an_empty_part_that_came_later_does_not_crash_the_search_for_a_point_on_a_shape(
    database: Database, atlas: Atlas
) -> None:
    table = await make(database, atlas, kind="MultiPolygon")
    empty = "ST_SetSRID('MULTIPOLYGON(((9.06 48.24, 9.07 48.24, 9.07 48.25, 9.06 48.24)), EMPTY)'::geometry, 4326)"
    await atlas.execute(f"INSERT INTO data.areas VALUES (900, {empty})", FLUSH)
    proof = await proof_now(database, table)
    assert proof is not None
    assert proof.before is not None
    careful, _ = await draw(database, atlas, UNPROVEN, label="id")
    found, _ = await draw(database, atlas, proof, label="id")
    assert found == careful
    assert 900 in found


def test_ages_are_compared_without_the_epoch() -> None:
    later = Proven(before=3 * 2**32 + 77)
    assert later.newer("t") == "age(t.xmin) <= age('77'::xid)"
    assert UNPROVEN.newer("t") == ""


async def test_an_earlier_proof_ends_before_numbers_of_transactions_come_again(
    database: Database, atlas: Atlas
) -> None:
    table = await make(database, atlas)
    await atlas.execute("DELETE FROM data.areas WHERE id = 1", FLUSH)
    state = await DataVersions(database.owner).of(table)
    row = await ProfileStore(database.owner).row(state.relid)
    assert row is not None
    assert row.profile is not None
    assert proof_from(row, state, table) is not None
    later = replace(row, next_transaction=row.next_transaction + MAX_TRANSACTIONS)
    assert proof_from(later, state, table) is None
    assert proof_from(row, replace(state, by_row=True), table) is None
    other = row.profile.model_copy(update={"geometry_column": "outline"})
    assert proof_from(replace(row, profile=other), state, table) is None
