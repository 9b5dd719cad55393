"""Filters by place and by the less common types, on real tables: projections, geography, indexes, odd text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.domain import Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.errors import InvalidFilter
from server.gis.expressions.identifiers import relation
from server.gis.filters import compile_filter, normalize
from server.gis.filters.writing import to_text

pytestmark = pytest.mark.asyncio(loop_scope="session")

SETUP = (
    "CREATE TABLE data.lonlat AS SELECT n AS id, ST_SetSRID(ST_MakePoint(n % 360 - 180, n / 360 * 5 - 85), 4326)"
    "::geometry(Point, 4326) AS geom FROM generate_series(0, 11519) n",
    "CREATE TABLE data.mercator AS SELECT id, ST_Transform(geom, 3857)::geometry(Point, 3857) AS geom FROM data.lonlat",
    "CREATE TABLE data.polar AS SELECT id, ST_Transform(geom, 3995)::geometry(Point, 3995) AS geom FROM data.lonlat"
    " WHERE ST_Y(geom) > 60",
    "CREATE TABLE data.earth AS SELECT id, geom::geography(Point, 4326) AS geom FROM data.lonlat",
    "CREATE TABLE data.unknown AS SELECT id, ST_SetSRID(geom, 0)::geometry(Point) AS geom FROM data.lonlat",
    *(f"CREATE INDEX ON data.{each} USING gist (geom)" for each in ("lonlat", "mercator", "polar", "earth")),
    "CREATE EXTENSION IF NOT EXISTS citext SCHEMA public",
    "CREATE TYPE data.rank AS ENUM ('low', 'high')",
    "CREATE TABLE data.types (id int, rank data.rank, code uuid, name char(5), facts json, address inet, naps interval,"
    " wake time, weights float8[], reals real[],"
    " labels varchar(9)[], ranks data.rank[], loud citext, ids bigint[], stamps timestamp, \"a%b:c $1 \\ 'x'\" text)",
    "INSERT INTO data.types VALUES (1, 'low', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'ab', '[\"x\"]', '10.0.0.1',"
    " '1 hour', '06:30', '{1.5,2}', '{0.1}', '{a}', '{low}', 'LOUD', '{9007199254740993}', '2020-01-01 12:00', 'yes')",
    "INSERT INTO data.types (id) VALUES (2)",
    "CREATE TABLE data.shapes (id int, geom geometry(Geometry, 4326))",
    "INSERT INTO data.shapes VALUES (1, 'SRID=4326;POINT(1 2)'), (2, 'SRID=4326;POLYGON((0 0, 2 2, 2 0, 0 2, 0 0))'),"
    " (3, 'SRID=4326;MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0)))'), (4, 'SRID=4326;POLYGON EMPTY'), (5, NULL),"
    " (6, ST_SetSRID(ST_MakePoint('NaN', 1), 4326))",
    "ANALYZE",
)  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def registry(database: Database) -> AsyncIterator[Registry]:
    for statement in SETUP:
        async with database.owner.begin() as connection:
            await connection.exec_driver_sql(statement)
    known = Registry(database.reader)
    await known.refresh(patience=20)
    yield known


async def passing(database: Database, table: Table, wanted: Any) -> set[int]:
    condition = compile_filter(table, wanted)
    assert condition is not None
    async with database.reader.connect() as connection:
        return set((await connection.execute(sa.select(relation(table).c.id).where(condition))).scalars())


SHAPES = {
    "a box": {"bbox": [-10, 62, 20, 78]},
    "a box across the antimeridian": {"bbox": [170, 62, -170, 78]},
    "the world": {"bbox": [-180, -90, 180, 90]},
    "a polygon": {"type": "Polygon", "coordinates": [[[-10, 61], [40, 61], [20, 79], [-10, 61]]]},
    "a polygon drawn beyond 180": {
        "type": "Polygon", "coordinates": [[[171, 61.5], [189, 61.5], [189, 76], [171, 76], [171, 61.5]]],
    },
    "a polygon that crosses itself": {
        "type": "Polygon", "coordinates": [[[0, 62], [10, 78], [10, 62], [0, 78], [0, 62]]],
    },
    "a feature": {
        "type": "Feature", "properties": {},
        "geometry": {"type": "Polygon", "coordinates": [[[1, 62], [9, 62], [9, 77], [1, 77], [1, 62]]]},
    },
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["mercator", "polar", "earth", "unknown"])
async def test_a_place_means_the_same_in_every_coordinate_system(
    database: Database, registry: Registry, name: str, shape: str
) -> None:
    wanted = {"op": "s_intersects", "args": [{"property": "geom"}, SHAPES[shape]]}
    expected = await passing(database, registry.get("lonlat"), wanted)
    if name == "polar":
        expected &= await passing(database, registry.get("polar"), "id >= 0")
    assert expected
    assert await passing(database, registry.get(name), wanted) == expected


@pytest.mark.parametrize("name", ["lonlat", "mercator", "polar"])
async def test_the_spatial_index_serves(database: Database, registry: Registry, name: str) -> None:
    table = registry.get(name)
    for wanted in (
        {"op": "s_intersects", "args": [{"property": "geom"}, {"bbox": [0, 70, 3, 72]}]},
        {
            "op": "s_dwithin",
            "args": [{"property": "geom"}, {"type": "Point", "coordinates": [5, 70]}, 50_000],
        },
    ):
        condition = compile_filter(table, wanted)
        assert condition is not None
        statement = sa.select(relation(table).c.id).where(condition)
        text = str(
            statement.compile(database.reader.sync_engine, compile_kwargs={"render_postcompile": True})
        )
        compiled = statement.compile(dialect=database.reader.dialect)
        async with database.reader.connect() as connection:
            rows = await connection.exec_driver_sql(
                f"EXPLAIN {text}", tuple(compiled.params[each] for each in compiled.positiontup or ())
            )
            plan = "\n".join(row[0] for row in rows)
        assert "Index" in plan, plan


@pytest.mark.parametrize("name", ["lonlat", "mercator", "polar", "earth", "unknown"])
async def test_a_distance_is_in_metres_on_the_ground(
    database: Database, registry: Registry, name: str
) -> None:
    async with database.owner.connect() as connection:
        rows = await connection.exec_driver_sql(
            "SELECT id FROM data.lonlat WHERE ST_DWithin(geom::geography, ST_MakePoint(178, 65)::geography, 200000)"
        )
        expected = set(rows.scalars())
    wanted = {
        "op": "s_dwithin",
        "args": [{"property": "geom"}, {"type": "Point", "coordinates": [178, 65]}, 200_000],
    }
    assert len(expected) > 3
    assert await passing(database, registry.get(name), wanted) == expected


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("rank = 'low'", {1}),
        ("rank LIKE 'l%'", {1}),
        ("rank IN ('low', 'other')", {1}),
        ("code = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", {1}),
        ("name = 'ab'", {1}),
        ("name LIKE 'ab%'", {1}),
        ("A_CONTAINS(facts, ('x'))", {1}),
        ("A_CONTAINS(facts, ('y'))", set()),
        ("address = '10.0.0.1/32'", {1}),
        ("wake = '06:30:00'", {1}),
        ("naps = '01:00:00'", {1}),
        ("A_OVERLAPS(weights, (2, 3))", {1}),
        ("A_CONTAINS(reals, (0.1))", {1}),
        ("A_CONTAINS(labels, ('a'))", {1}),
        ("A_OVERLAPS(ranks, ('low', 'high'))", {1}),
        ("loud = 'Loud' AND loud LIKE 'lo%' AND loud IN ('loud') AND casei(loud) = 'loud'", {1}),
        ("loud = 'quiet'", set()),
        ("A_CONTAINS(ids, (9007199254740993))", {1}),
        ("A_CONTAINEDBY(ids, (9007199254740993, 5))", {1}),
        ("stamps = DATE('2020-01-01')", {1}),
        (
            "stamps < TIMESTAMP('2020-01-01T12:00:01Z') AND stamps > TIMESTAMP('2020-01-01T13:00:00+02:00')",
            {1},
        ),
        ({"op": "=", "args": [{"property": "a%b:c $1 \\ 'x'"}, "yes"]}, {1}),
        ("rank IS NULL", {2}),
        ("NOT (rank = 'low' OR weights IS NOT NULL)", set()),
    ],
)
async def test_less_common_types_are_compared_as_they_are(
    database: Database, registry: Registry, wanted: Any, found: set[int]
) -> None:
    assert await passing(database, registry.get("types"), wanted) == found


async def test_a_uuid_that_is_none_is_refused(registry: Registry) -> None:
    with pytest.raises(InvalidFilter, match="is a UUID, 'x' is not"):
        compile_filter(registry.get("types"), "code = 'x'")


@settings(max_examples=150)
@given(value=st.text(max_size=30), name=st.sampled_from(["a%b:c $1 \\ 'x'", "rank", "name"]))
async def test_any_text_is_only_a_value(
    database: Database, registry: Registry, value: str, name: str
) -> None:
    for op in ("=", "<>", "like", "in"):
        wanted = {"op": op, "args": [{"property": name}, [value] if op == "in" else value]}
        try:
            found = await passing(database, registry.get("types"), wanted)
        except InvalidFilter:
            assert (
                "\x00" in value or any("\ud800" <= each <= "\udfff" for each in value) or value.endswith("\\")
            )
            return
        assert found <= {1}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("geometry_type(geom) = 'MultiPolygon'", {3}),
        ("GEOMETRY_TYPE(geom) IN ('polygon', 'multipolygon')", {2, 3, 4}),
        ("GeometryType(geom) <> 'POINT'", {2, 3, 4}),
        ("is_valid(geom)", {1, 3, 4}),
        ("NOT is_valid(geom)", {2, 6}),
        ("is_valid(geom) = false", {2, 6}),
        ("is_empty(geom)", {4}),
        ("geom IS NULL OR ST_IsEmpty(geom)", {4, 5}),
        ({"op": "is_valid", "args": [{"property": "geom"}]}, {1, 3, 4}),
    ],
)
async def test_facts_of_geometries_are_conditions(
    database: Database, registry: Registry, wanted: Any, found: set[int]
) -> None:
    table = registry.get("shapes")
    assert await passing(database, table, wanted) == found
    written = to_text(normalize(table, wanted) or {})
    assert await passing(database, table, written) == found


async def test_facts_of_geometries_are_found_of_geographies(database: Database, registry: Registry) -> None:
    assert len(await passing(database, registry.get("earth"), "geometry_type(geom) = 'Point'")) == 11520
    assert await passing(database, registry.get("earth"), "is_empty(geom) OR NOT is_valid(geom)") == set()


async def test_facts_are_of_geometries_only(registry: Registry) -> None:
    with pytest.raises(InvalidFilter, match="takes the geometry column of the table"):
        compile_filter(registry.get("shapes"), "is_valid(id)")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("month(stamps) = 1", {1}),
        ("weekday(stamps) = 3", {1}),
        ("weekday(stamps) IN (6, 7)", set()),
        ("NOT (weekday(stamps) IN (6, 7))", {1}),
        ("year(stamps) = 2020 AND hour(stamps) BETWEEN 12 AND 13", {1}),
        ({"op": "in", "args": [{"op": "weekday", "args": [{"property": "stamps"}]}, [3, 4]]}, {1}),
    ],
)
async def test_parts_of_dates_are_compared(
    database: Database, registry: Registry, wanted: Any, found: set[int]
) -> None:
    table = registry.get("types")
    assert await passing(database, table, wanted) == found
    written = to_text(normalize(table, wanted) or {})
    assert await passing(database, table, written) == found


async def test_parts_are_of_dates_only(registry: Registry) -> None:
    with pytest.raises(InvalidFilter, match="take dates and times"):
        compile_filter(registry.get("types"), "month(name) = 1")
