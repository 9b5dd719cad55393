"""Both engines agree on what is awkward: mixed and empty shapes, lines, the antimeridian, poles, other systems."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio
import shapely

from tests.integration.spark.conftest import SparkBench
from tests.integration.spark.test_both_engines import DEGREES, assert_alike, make_tables

DEEP = 1e-5
"""Of coordinates that come from a projected system: GeoTools instead of PROJ, about a metre."""


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def tables(bench: SparkBench) -> None:
    await make_tables(bench)
    await make_awkward_tables(bench)


async def make_awkward_tables(bench: SparkBench) -> None:
    """Mixed and empty shapes, long lines, the antimeridian, the pole, projected systems, and no rows."""
    shapes = (
        "POINT(7 47)", "POINT EMPTY", "MULTIPOINT(7 47, 8 48)", "LINESTRING(6 46, 9 49)",
        "MULTILINESTRING((6 46, 7 47), (8 48, 9 49))", "POLYGON((6 46, 8 46, 8 48, 6 48, 6 46),(6.5 46.5, 7 46.5, 7 47,"
        " 6.5 47, 6.5 46.5))", "MULTIPOLYGON(((9 49, 10 49, 10 50, 9 49)), ((6 46, 6.2 46, 6.2 46.2, 6 46)))",
        "GEOMETRYCOLLECTION(POINT(7 47), LINESTRING(6 46, 7 46))", "POLYGON EMPTY", "GEOMETRYCOLLECTION EMPTY",
    )  # fmt: skip
    mixed = [f"({n}, 'k{n % 3}', ST_GeomFromText('{shape}', 4326))" for n, shape in enumerate(shapes)]
    await bench.make(
        "CREATE TABLE data.mixed (id int PRIMARY KEY, kind text, geom geometry(Geometry, 4326))",
        f"INSERT INTO data.mixed VALUES {', '.join(mixed)}, (99, NULL, NULL)",
        "CREATE TABLE data.ways AS SELECT n AS id, 'w' || n % 4 AS kind, ST_SetSRID(ST_MakeLine("
        "ST_MakePoint(5 + n * 0.1, 46), ST_MakePoint(6 + n * 0.05, 49 - n * 0.02)), 4326)"
        "::geometry(LineString, 4326) AS geom FROM generate_series(1, 40) AS n",
        "CREATE TABLE data.dateline AS SELECT n AS id, n * 1.5 AS value, ST_SetSRID(ST_MakePoint("
        "CASE WHEN n % 2 = 0 THEN 180 - n * 0.01 ELSE -180 + n * 0.01 END, -20 + n * 0.003), 4326)"
        "::geometry(Point, 4326) AS geom FROM generate_series(0, 60) AS n",
        "CREATE TABLE data.arctic AS SELECT n AS id, ST_SetSRID(ST_MakePoint(-180 + n * 9, 89.5 + n * 0.01), 4326)"
        "::geometry(Point, 4326) AS geom FROM generate_series(0, 39) AS n",
        "CREATE TABLE data.northern AS SELECT id, ST_Translate(geom, 0, 22)::geometry(Point, 4326) AS geom"
        " FROM data.dots WHERE id < 12",
        "CREATE TABLE data.globe AS SELECT n AS id, ST_SetSRID(ST_MakePoint(mod(n * 137.5 + n * n * 0.01, 360) - 180,"
        " degrees(asin(n / 100.0 - 1))), 4326)::geometry(Point, 4326) AS geom FROM generate_series(0, 200) AS n",
        "CREATE TABLE data.around AS SELECT * FROM data.globe WHERE id % 4 = 0",
        "CREATE TABLE data.lands AS SELECT id, geom FROM data.countries WHERE ST_NPoints(geom) < 250",
        "CREATE TABLE data.plots AS SELECT id, value, ST_Expand(geom, 0.01 + n * 0.01)::geometry(Polygon, 4326) AS geom"
        " FROM data.dots WHERE id < 120",
        "CREATE TABLE data.few AS SELECT * FROM data.dots WHERE id < 3",
        "CREATE TABLE data.tracks AS SELECT n AS id, ST_SetSRID(ST_MakeLine(ARRAY(SELECT ST_MakePoint(7 + n * 0.01"
        " + m * 0.003 * sin(m + n), 46 + m * 0.002 + 0.003 * cos(m * n)) FROM generate_series(0, 60) AS m)), 4326)"
        "::geometry(LineString, 4326) AS geom FROM generate_series(1, 12) AS n",
        "CREATE TABLE data.islands (id int, geom geometry(MultiPolygon, 4326))",
        "INSERT INTO data.islands VALUES (1, ST_GeomFromText('MULTIPOLYGON(((179.5 -21, 180 -21, 180 -19, 179.5 -19,"
        " 179.5 -21)), ((-180 -21, -179.7 -21, -179.7 -19, -180 -19, -180 -21)))', 4326)), (2, NULL)",
        "CREATE TABLE data.metric AS SELECT id, kind, value, ST_Transform(geom, 25832)::geometry(Point, 25832) AS geom"
        " FROM data.dots WHERE NOT ST_IsEmpty(geom)",
        "CREATE TABLE data.metric_zones AS SELECT id, name, ST_Transform(geom, 25832)::geometry(Polygon, 25832) AS geom"
        " FROM data.zones WHERE id < 100",
        "CREATE TABLE data.caps (id int, geom geometry(Geometry, 4326))",
        "INSERT INTO data.caps SELECT n, ST_GeomFromText(shape, 4326) FROM unnest(ARRAY["
        "'POLYGON((-180 -90, 180 -90, 180 -70, 90 -65, 0 -72, -90 -68, -180 -70, -180 -90),"
        " (10 -80, 20 -80, 20 -78, 10 -78, 10 -80))', 'POLYGON((10 -70, 20 -70, 20 -65, 10 -70))',"
        " 'MULTILINESTRING((-179 -75, 179 -75), (0 -66, 5 -67))', 'LINESTRING(-180 -74, 180 -74)', 'POINT(3 -80)',"
        " 'POLYGON EMPTY', NULL]) WITH ORDINALITY AS each(shape, n)",
        "CREATE TABLE data.nothing (id int, kind text, value float8, geom geometry(Point, 4326))",
    )


COUNT = [{"function": "count"}, {"function": "mean", "column": "value"}]
CASES: list[tuple[str, dict[str, Any], list[str], float]] = [
    ("select_by_location", {"source": "data.mixed", "other": "data.zones", "invert": True}, ["id"], 0),
    (
        "select_by_location",
        {"source": "data.mixed", "other": "data.zones", "predicate": "shares_interior"}, ["id"], 0,
    ),
    ("measure", {"source": "data.mixed", "measures": ["area", "perimeter", "length"]}, ["id"], 0),
    ("clip", {"source": "data.mixed", "mask": "data.zones"}, ["id"], DEGREES),
    ("difference", {"source": "data.mixed", "other": "data.metric_zones"}, ["id"], DEEP),
    ("dissolve", {"source": "data.mixed", "by": ["kind"]}, ["kind"], DEGREES),
    ("reproject", {"source": "data.mixed", "srid": 3857}, ["id"], 0.05),
    ("reproject", {"source": "data.caps", "srid": 3031, "outside": "keep"}, ["id"], 0.05),
    ("reproject", {"source": "data.zones", "srid": 3035}, ["id"], 0.05),
    ("merge", {"sources": ["data.mixed", "data.metric"]}, ["from_table", "id"], DEEP),
    ("centroid", {"source": "data.zones", "inside": True}, ["id"], DEGREES),
    (
        "spatial_join",
        {"source": "data.dateline", "other": "data.dateline", "predicate": "within_distance", "distance": "30 km"},
        ["id"], 0,
    ),
    (
        "select_by_location",
        {"source": "data.dateline", "other": "data.islands", "predicate": "within"}, ["id"], 0,
    ),
    (
        "spatial_join",
        {"source": "data.arctic", "other": "data.arctic", "predicate": "within_distance", "distance": "60 km"},
        ["id"], 0,
    ),
    (
        "spatial_join",
        {"source": "data.globe", "other": "data.globe", "predicate": "within_distance", "distance": "4000 km"},
        ["id"], 0,
    ),
    ("spatial_join", {"source": "data.zones", "other": "data.metric", "aggregates": COUNT}, ["id"], 0),
    (
        "spatial_join",
        {"source": "data.metric", "other": "data.dots", "predicate": "within_distance", "distance": "15 km"},
        ["id"], 0,
    ),
    (
        "intersection",
        {"source": "data.metric_zones", "other": "data.countries"}, ["metric_zones_id", "countries_id"], 0.05,
    ),
    ("spatial_join", {"source": "data.zones", "other": "data.nothing", "aggregates": COUNT}, ["id"], 0),
    ("dissolve", {"source": "data.nothing"}, [], 0),
    ("clip", {"source": "data.zones", "mask": "data.islands"}, ["id"], 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("operation", "arguments", "key", "tolerance"),
    CASES,
    ids=[f"{n}-{case[0]}-{case[1].get('source', 'several')}" for n, case in enumerate(CASES)],
)
async def test_both_engines_agree(
    bench: SparkBench, operation: str, arguments: dict[str, Any], key: list[str], tolerance: float
) -> None:
    one, two = await bench.both(operation, **arguments)
    assert_alike(one, two, key, degrees=tolerance or DEGREES, relative=1e-8)


FIGURES = [{"function": name, "column": "value"} for name in ("count", "mean", "median", "sum")]


@pytest.mark.parametrize(
    "arguments",
    [
        {"source": "data.dots", "size": "50 km", "aggregates": FIGURES, "density": True},
        {"source": "data.metric", "size": "20 km", "shape": "square"},
        {"source": "data.dateline", "size": "30 km"},
        {"source": "data.airports", "size": "200 km", "shape": "square"},
    ],
    ids=["around the data", "projected", "antimeridian", "world"],
)
async def test_points_are_counted_in_the_same_cells(bench: SparkBench, arguments: dict[str, Any]) -> None:
    one, two = await bench.both("grid", **arguments)
    for rows in (one, two):
        rows["place"] = [shapely.to_wkt(shapely.centroid(cell), 3) for cell in rows.geom]
    assert_alike(one, two, ["place"])


NEAREST: list[tuple[dict[str, Any], list[str]]] = [
    ({"source": "data.dots", "target": "data.dots", "k": 2, "within": "40 km"}, ["id", "near_id"]),
    ({"source": "data.dateline", "target": "data.dateline", "within": "30 km"}, ["id"]),
]


@pytest.mark.parametrize(("arguments", "key"), NEAREST, ids=["itself", "antimeridian"])
async def test_the_nearest_within_a_distance_are_the_same(
    bench: SparkBench, arguments: dict[str, Any], key: list[str]
) -> None:
    one, two = await bench.both("nearest", **arguments)
    assert_alike(one, two, key)


async def test_repairs_are_noted_to_be_those_of_another_library(bench: SparkBench) -> None:
    one, two = await bench.both("make_valid", source="data.zones")
    assert list(two["was_wrong"].dropna()) == ["Self-intersection at or near point (6.5, 46.5)"]
    assert_alike(one.drop(columns="was_wrong"), two.drop(columns="was_wrong"), ["id"])
    assert any("repaired by JTS" in note for note in bench.notes)


async def test_edges_of_a_projected_system_are_noted_to_be_measured_as_geodesics(bench: SparkBench) -> None:
    one, two = await bench.both("measure", source="data.metric_zones", measures=["area"])
    assert_alike(one, two, ["id"], relative=1e-4)  # edges of 100 km
    assert any("along geodesics between their corners" in note for note in bench.notes)
