"""Planning a step reads no more rows than its decisions need."""

from __future__ import annotations

from typing import Any

import pytest

from server.gis.analysis.runner import SAMPLED_TARGET
from server.gis.errors import TooExpensive
from server.gis.operations import dissolve, distance_matrix
from server.gis.operations.support.base import Source, Workspace
from server.gis.operations.support.geometry import uniting
from tests.integration.operations.conftest import Bench
from tests.support.statements import statements

FEWER_ROWS = True

FEW = 100


@pytest.mark.parametrize(("more", "is_small"), [(0, True), (1, False)])
async def test_a_view_of_more_rows_than_estimated_is_not_united_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, more: int, is_small: bool
) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.growing CASCADE",
        "CREATE TABLE data.growing (id int PRIMARY KEY, geom geometry(Point, 4326))",
        f"INSERT INTO data.growing SELECT i, ST_Point(9 + i / 1e4, 48, 4326) FROM generate_series(1, {FEW}) AS i",
        "CREATE VIEW data.seen AS SELECT * FROM data.growing",
    )
    async with bench.database.owner.begin() as connection:
        await connection.exec_driver_sql(
            f"INSERT INTO data.growing SELECT {FEW} + i, ST_Point(10, 48, 4326) FROM generate_series(1, {more}) AS i"
        )
    found: list[bool] = []

    async def noted(source: Source, workspace: Workspace) -> bool:
        found.append(await uniting.are_small(source, workspace))
        return found[-1]

    monkeypatch.setattr(uniting, "MAX_SMALL_ROWS", FEW)
    monkeypatch.setattr(dissolve, "are_small", noted)
    (row,) = (await bench.run("dissolve", source="data.seen")).rows.itertuples()
    assert len(row.geom.geoms) == FEW + more
    assert found == [is_small]


async def test_too_many_pairs_are_refused_before_shapes_are_transformed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.make(
        "CREATE TABLE data.depots (id int PRIMARY KEY, geom geometry(Point, 3857))",
        "INSERT INTO data.depots SELECT i, ST_SetSRID(ST_MakePoint(1e6 + i, 6e6), 3857)"
        " FROM generate_series(1, 3) AS i",
    )
    arguments = {"source": "data.depots", "other": "data.depots", "name": "id", "other_name": "id"}
    assert len((await bench.run("distance_matrix", **arguments)).rows) == 9
    monkeypatch.setattr(distance_matrix, "MAX_PAIRS", 8)
    with (
        statements(bench.database.writer, "depots") as sent,
        pytest.raises(TooExpensive, match="3 origins and 3 destinations make 9 pairs; at most 8"),
    ):
        await bench.run("distance_matrix", **arguments)
    assert sent
    assert not [statement for statement, _ in sent if "ST_Transform" in statement]


@pytest.mark.parametrize("source", ["data.cities", "data.countries"])
async def test_the_extent_is_not_read_where_no_shape_can_be_outside_of_the_area_of_use(
    bench: Bench, source: str
) -> None:
    """EPSG:8857 covers the earth, and ends at 180° W and 180° E."""
    with statements(bench.database.writer, source.removeprefix("data.")) as sent:
        answer = await bench.run("reproject", source=source, srid=8857)
    assert answer.receipt.srid == 8857
    assert not [statement for statement, _ in sent if "ST_Extent" in statement]


def _reads_of_all_rows(sent: list[tuple[str, Any]]) -> list[str]:
    """What was asked about the shapes of all rows before the step itself."""
    return [
        text for text, _ in sent if text.startswith("SELECT") and ("ST_X(" in text or "ST_Extent(" in text)
    ]


async def test_the_extent_is_found_where_shapes_are_checked(bench: Bench) -> None:
    """A UTM zone is chosen by it."""
    await bench.make(
        "CREATE TABLE data.unindexed (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.unindexed VALUES (1, ST_Point(9, 48, 4326)), (2, ST_Point(9.1, 48, 4326))",
    )
    with statements(bench.database.writer, "unindexed") as sent:
        await bench.run("grid", source="data.unindexed", size="1 km")
    (read,) = _reads_of_all_rows(sent)
    assert "abs(ST_X(" in read
    assert "ST_Extent(" in read


async def test_points_with_a_spatial_index_are_not_read_to_check_them(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.moorings (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.moorings VALUES (1, ST_Point(9, 48, 4326)), (2, ST_Point(9.1, 48, 4326))",
        "CREATE INDEX ON data.moorings USING gist (geom)",
    )
    with statements(bench.database.writer, "moorings") as sent:
        await bench.run("grid", source="data.moorings", size="1 km")
        await bench.run("hull", source="data.moorings", by="id")
    assert sent
    assert not _reads_of_all_rows(sent)


@pytest.mark.parametrize("wrong", ["float8 'NaN'", "float8 'Infinity'", "1e13"])
async def test_an_index_of_points_shows_that_some_are_nowhere(bench: Bench, wrong: str) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.astray",
        "CREATE TABLE data.astray (id int PRIMARY KEY, geom geometry(Point, 4326))",
        f"INSERT INTO data.astray SELECT i, ST_SetSRID(ST_MakePoint(9, CASE i WHEN 700 THEN {wrong} ELSE 48 END), 4326)"
        " FROM generate_series(1, 1000) AS i",
        "CREATE INDEX ON data.astray USING gist (geom)",
    )
    answer = await bench.run("grid", source="data.astray", size="1 km")
    assert list(answer.rows["count"]) == [999]
    assert any("1 row of data.astray has coordinates" in note for note in answer.receipt.notes)


COLUMN = "geometry(Point, 4326)"
INDEX = "CREATE INDEX ON data.partly USING gist"
RENAME = "ALTER TABLE data.partly RENAME"


@pytest.mark.parametrize(
    "preparation",
    [
        f"{INDEX} (geom) WHERE id < 3",
        f"{INDEX} (geom); {INDEX} (geom) WHERE id < 3",
        f"{INDEX} (geom); CREATE TABLE data.heir () INHERITS (data.partly)",
        f"CREATE EXTENSION IF NOT EXISTS btree_gist; {INDEX} (id, geom) WHERE id < 3; {INDEX} (geom)",
        f"{INDEX} (geom gist_geometry_ops_nd); ANALYZE data.partly",
        f"{RENAME} geom TO shape; {INDEX} (shape); {RENAME} shape TO geom; ANALYZE data.partly",
        f"{RENAME} geom TO shape; {INDEX} (shape); {RENAME} shape TO geom; ANALYZE data.partly;"
        " INSERT INTO data.partly SELECT 1001, geom FROM data.partly WHERE id = 700",
        f"{RENAME} geom TO shape; ALTER TABLE data.partly ADD geom {COLUMN} DEFAULT ST_Point(9, 48, 4326);"
        f" {INDEX} (shape); {INDEX} (geom); {RENAME} geom TO other; {RENAME} shape TO geom; {RENAME} other TO shape",
    ],
    ids=[
        "partial",
        "also_partial",
        "heir",
        "second_of_partial",
        "nd",
        "renamed",
        "renamed_and_added",
        "swapped",
    ],
)
async def test_an_index_of_some_rows_proves_nothing(bench: Bench, preparation: str) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.partly CASCADE",
        f"CREATE TABLE data.partly (id int PRIMARY KEY, geom {COLUMN})",
        "INSERT INTO data.partly SELECT i,"
        " ST_SetSRID(ST_MakePoint(9, CASE i WHEN 700 THEN float8 'NaN' ELSE 48 END), 4326)"
        " FROM generate_series(1, 1000) AS i",
        *preparation.split("; "),
    )
    with statements(bench.database.writer, "partly") as sent:
        answer = await bench.run("grid", source="data.partly", size="1 km")
    assert _reads_of_all_rows(sent)
    assert any("data.partly ha" in note and "not numbers" in note for note in answer.receipt.notes)


async def test_the_projection_is_chosen_by_where_points_are_now(bench: Bench) -> None:
    """The index still contains the place that a point has left."""
    await bench.make(
        "CREATE TABLE data.returned (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.returned VALUES (1, ST_Point(9, 48, 4326)), (2, ST_Point(0, 0, 4326))",
        "CREATE INDEX ON data.returned USING gist (geom)",
        "UPDATE data.returned SET geom = ST_Point(9.1, 48, 4326) WHERE id = 2",
    )
    answer = await bench.run("grid", source="data.returned", size="1 km")
    assert any("UTM zone 32N" in each for each in answer.receipt.notes)


async def test_statistics_of_a_result_are_of_a_small_sample(bench: Bench) -> None:
    """PostgreSQL reads 300 rows for each part of a histogram."""
    await bench.make("CREATE TABLE data.readings AS SELECT i AS value FROM generate_series(1, 1000) AS i")
    answer = await bench.run("calculate", source="data.readings", name="twice", expression="value * 2")
    async with bench.database.owner.connect() as connection:
        found = await connection.exec_driver_sql(
            "SELECT attname, array_length(histogram_bounds::text::text[], 1) AS bounds FROM pg_stats"
            f" WHERE schemaname || '.' || tablename = '{answer.table}'"
        )
        bounds = {row.attname: row.bounds for row in found}
    assert bounds == dict.fromkeys(("value", "twice", "fid"), SAMPLED_TARGET + 1)


async def test_large_shapes_of_results_are_compressed_quickly(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.winding AS SELECT 1 AS id, ST_MakeLine(ST_Point(9, 48 + i % 2, 4326) ORDER BY i)"
        "::geometry(LineString, 4326) AS geom FROM generate_series(1, 1000) AS i"
    )
    answer = await bench.run("smooth", source="data.winding", iterations=1)
    async with bench.database.owner.connect() as connection:
        method = await connection.exec_driver_sql(f"SELECT pg_column_compression(geom) FROM {answer.table}")
        assert method.scalar_one() == "lz4"
