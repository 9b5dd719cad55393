"""What a table needs cleaned, counted in PostGIS, estimated from a sample, or taken from its profile."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from agents.domain import Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.profiles.measure import measured
from server.gis.query import quality
from server.gis.query.data import PostgisData
from server.gis.statements.guard import Guard
from server.http import tables
from server.notes import Notes

TABLE = "data.untidy"
ROWS = """
    CREATE TABLE data.untidy (parcel text, owner text, note text, geom geometry(Geometry, 25832));
    INSERT INTO data.untidy
        SELECT 'p' || n, 'somebody', 'x', ST_MakeEnvelope(n, 0, n + 1, 1, 25832) FROM generate_series(1, 40) AS n;
    UPDATE data.untidy SET note = NULL WHERE parcel IN ('p1', 'p2', 'p3');
    UPDATE data.untidy SET note = '  ' WHERE parcel = 'p4';
    UPDATE data.untidy SET parcel = 'p6' WHERE parcel = 'p5';
    UPDATE data.untidy SET geom = NULL WHERE parcel = 'p7';
    UPDATE data.untidy SET geom = ST_GeomFromText('POLYGON EMPTY', 25832) WHERE parcel = 'p8';
    UPDATE data.untidy SET geom = ST_GeomFromText('POLYGON((0 0, 1 1, 1 0, 0 1, 0 0))', 25832) WHERE parcel = 'p9';
    UPDATE data.untidy SET geom = ST_Multi(geom) WHERE parcel = 'p10';
    UPDATE data.untidy SET geom = (SELECT geom FROM data.untidy WHERE parcel = 'p12') WHERE parcel = 'p11';
    ANALYZE data.untidy;
"""
SHAPES = {"types": {"POLYGON": 38, "MULTIPOLYGON": 1}, "missing": 1, "empty": 1, "invalid": 1}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def untidy(database: Database) -> Table:
    async with database.owner.begin() as connection:
        for statement in ROWS.split(";\n"):
            if statement.strip():
                await connection.exec_driver_sql(statement)
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh()
    return registry.get(TABLE)


async def test_a_small_table_is_counted_exactly(database: Database, untidy: Table) -> None:
    found = await quality.table_quality(Guard(database.reader), untidy, None)
    assert found == {
        "exact": True,
        "rows": 40,
        "nulls": {"note": 3},
        "empty_texts": {"note": 1},
        "geometries": {**SHAPES, "duplicates": 1},
        "duplicate_keys": {"parcel": 1},
    }


async def test_a_large_table_is_estimated_from_a_sample_and_says_so(
    database: Database, untidy: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quality, "COUNTED_ROWS", 10)
    found = await quality.table_quality(Guard(database.reader), untidy, None)
    assert (found["exact"], found["sampled"], found["nulls"]) == (False, 40, {"note": 3})
    assert found["geometries"] == SHAPES, "duplicates of a sample would tell nothing"
    large = untidy.model_copy(update={"row_estimate": 4000})
    monkeypatch.setattr(quality, "SAMPLED_ROWS", 4000)
    scaled = await quality.table_quality(Guard(database.reader), large, None)
    assert scaled["geometries"]["invalid"] == 100


async def test_a_large_view_is_estimated_too(
    database: Database, untidy: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quality, "COUNTED_ROWS", 10)
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql("CREATE VIEW data.untidy_view AS SELECT * FROM data.untidy")
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh()
    view = registry.get("data.untidy_view").model_copy(update={"row_estimate": 40})
    found = await quality.table_quality(Guard(database.reader), view, None)
    assert (found["exact"], found["geometries"]["invalid"]) == (False, 1)


async def test_what_was_measured_of_a_large_table_is_exact(
    database: Database, untidy: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quality, "COUNTED_ROWS", 10)
    profile = await measured(database.reader, untidy, "v1")
    found = await quality.table_quality(Guard(database.reader), untidy, profile)
    assert (found["exact"], found["rows"], found["nulls"]) == (True, 40, {"note": 3})
    assert found["geometries"] == SHAPES


async def test_repeated_values_of_a_column_that_looks_like_a_key_are_reported_in_any_number(
    database: Database,
) -> None:
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql(
            "CREATE TABLE data.sheet AS SELECT v AS id, v AS kind, n AS row FROM unnest(ARRAY[1, 2, 2, 2])"
            " WITH ORDINALITY AS given (v, n)"
        )
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh()
    found = await PostgisData(database.reader, registry).quality("data.sheet")
    assert found["duplicate_keys"] == {"id": 2}


async def test_a_table_without_geometry_has_no_geometries_to_clean(database: Database) -> None:
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql(
            "CREATE TABLE data.codes AS SELECT n AS code FROM generate_series(1, 3) n"
        )
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh()
    found = await PostgisData(database.reader, registry).quality("data.codes")
    assert found == {"exact": True, "rows": 3, "nulls": {}, "empty_texts": {}, "duplicate_keys": {}}


async def test_the_quality_is_told_over_http(database: Database, untidy: Table) -> None:
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh(patience=10)

    async def readable(_map_id: str | None) -> Any:
        return registry

    app = web.Application()
    app.add_routes(
        tables.routes(
            readable, readable, database.reader, Notes(database.owner), partial(PostgisData, database.reader)
        )
    )
    async with TestClient(TestServer(app)) as client:
        answer = await client.get(f"/api/tables/{TABLE}/quality")
        found = await answer.json()
    assert (found["table"], found["geometries"]["invalid"]) == (TABLE, 1)
    assert (found["bounds"]["crs"], found["bounds"]["exact"]) == ("EPSG:25832", True)
