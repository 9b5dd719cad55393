"""PostGIS and Sedona agree: the same rows, equal counts and texts, measures and shapes within a stated tolerance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from geopandas import GeoDataFrame
from shapely.geometry.base import BaseGeometry

from tests.integration.spark.conftest import SparkBench

RELATIVE = 1e-9
"""Of figures."""
DEGREES = 1e-7
"""Of coordinates: about a centimetre."""


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def tables(bench: SparkBench) -> None:
    await make_tables(bench)


async def make_tables(bench: SparkBench) -> None:
    """Fixed rows with what is awkward (null, empty, NaN, invalid, holes), and random ones from a seed."""
    random = np.random.default_rng(20260101)
    points = [
        f"({n}, {['NULL', chr(39) + 'a' + chr(39), chr(39) + 'B b' + chr(39)][n % 3]}, {value:.6f},"
        f" {n % 7}, ST_SetSRID(ST_MakePoint({x:.7f}, {y:.7f}), 4326))"
        for n, (x, y, value) in enumerate(
            zip(
                random.uniform(5, 12, 400),
                random.uniform(45, 52, 400),
                random.normal(100, 30, 400),
                strict=True,
            )
        )
    ]
    boxes = []
    for n, (x, y) in enumerate(zip(random.uniform(5, 11, 40), random.uniform(45, 51, 40), strict=True)):
        size = float(random.uniform(0.3, 1.2))
        hole = (
            f"ST_Difference(ST_MakeEnvelope({x}, {y}, {x + size}, {y + size}, 4326),"
            f" ST_MakeEnvelope({x + size / 3}, {y + size / 3}, {x + size / 2}, {y + size / 2}, 4326))"
        )
        boxes.append(f"({n}, 'zone {n % 5}', {hole})")
    await bench.make(
        "CREATE TABLE data.dots (id int PRIMARY KEY, kind text, value double precision, n int,"
        " geom geometry(Point, 4326))",
        f"INSERT INTO data.dots VALUES {', '.join(points)}",
        "INSERT INTO data.dots VALUES (1000, '', 'NaN', NULL, NULL), (1001, 'line\nbreak', NULL, 3,"
        " ST_SetSRID('POINT EMPTY'::geometry, 4326))",
        "CREATE TABLE data.zones (id int PRIMARY KEY, name text, geom geometry(Polygon, 4326))",
        f"INSERT INTO data.zones VALUES {', '.join(boxes)}",
        "INSERT INTO data.zones VALUES (100, 'bow', ST_SetSRID('POLYGON((6 46,7 47,7 46,6 47,6 46))'::geometry, 4326))",
        "CREATE TABLE data.moments (code text, at timestamptz, day date, amount numeric(10,2), flag boolean)",
        "INSERT INTO data.moments VALUES ('A', '2024-05-01 10:00+02', '2024-05-01', 1.10, true),"
        " ('b ', '1969-12-31 23:59:59.5Z', '0099-02-03', -2.25, false), (NULL, NULL, NULL, NULL, NULL)",
    )


def assert_alike(
    one: GeoDataFrame, two: GeoDataFrame, key: list[str], degrees: float = DEGREES, relative: float = RELATIVE
) -> None:
    """The same columns, and the same rows by their key."""
    assert list(one.columns) == list(two.columns)
    assert len(one) == len(two)
    left, right = _by_key(one, key), _by_key(two, key)
    assert left.keys() == right.keys()
    for name, row in left.items():
        for column, value in row.items():
            if column != "fid":
                assert _same(value, right[name][column], degrees, relative), (
                    name,
                    column,
                    value,
                    right[name][column],
                )


def _by_key(rows: GeoDataFrame, key: list[str]) -> dict[Any, dict[str, Any]]:
    records = rows.to_dict("records")
    keyed = {tuple(_plain(row[each]) for each in key): row for row in records}
    assert len(keyed) == len(records)
    return keyed


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _same(one: Any, two: Any, degrees: float, relative: float) -> bool:
    if isinstance(one, BaseGeometry) and isinstance(two, BaseGeometry):
        if one.is_empty or two.is_empty:
            return one.is_empty and two.is_empty
        return one.geom_type == two.geom_type and bool(one.hausdorff_distance(two) <= degrees)
    if isinstance(one, float) and isinstance(two, float):
        return math.isclose(one, two, rel_tol=relative, abs_tol=1e-9) or (math.isnan(one) and math.isnan(two))
    return bool(one == two) or (_missing(one) and _missing(two))


def _missing(value: Any) -> bool:
    return value is None or value != value


AGGREGATES = [
    {"function": name, "column": "value"} for name in ("sum", "mean", "median", "p90", "min", "max", "stddev")
] + [{"function": "count"}, {"function": "distinct", "column": "n"}]

TIMES = [
    {"function": "max", "column": "at"},
    {"function": "per_day", "column": "at"},
    {"function": "per_year", "column": "day"},
]

SAME_ROWS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("filter", {"source": "data.dots", "filter": "kind LIKE 'B%' OR n IN (1, 2) OR kind IS NULL"}, ["id"]),
    (
        "filter",
        {"source": "data.dots", "filter": "S_INTERSECTS(geom, POLYGON((6 46, 9 46, 9 49, 6 46)))"},
        ["id"],
    ),
    ("filter", {"source": "data.moments", "filter": "day < DATE('2000-01-01')"}, ["code"]),
    (
        "calculate",
        {"source": "data.dots", "name": "x", "expression": "round(value / (n - 3), 2) + ln(n) % 2"},
        ["id"],
    ),
    (
        "calculate",
        {"source": "data.moments", "name": "x", "expression": "round(amount * 1.5, 1) ^ 2"},
        ["code"],
    ),
    ("summarise", {"source": "data.dots", "by": ["kind"], "aggregates": AGGREGATES}, ["kind"]),
    ("summarise", {"source": "data.moments", "by": ["flag"], "aggregates": TIMES}, ["flag"]),
    ("sort", {"source": "data.dots", "by": "value"}, ["id"]),
    ("top", {"source": "data.dots", "by": "value", "n": 2, "per": ["kind"], "smallest": True}, ["id"]),
    ("top", {"source": "data.dots", "by": "n", "n": 2, "per": ["kind"], "ties": True}, ["id"]),
    (
        "join_by_attribute",
        {"source": "data.dots", "other": "data.moments", "key": "kind", "other_key": "code"},
        ["id"],
    ),
    (
        "select_by_location",
        {"source": "data.dots", "other": "data.zones", "predicate": "within", "invert": True},
        ["id"],
    ),
    ("spatial_join", {"source": "data.zones", "other": "data.dots", "aggregates": AGGREGATES}, ["id"]),
    ("spatial_join", {"source": "data.dots", "other": "data.zones", "rows": "all"}, ["id", "zones_id"]),
    ("dissolve", {"source": "data.zones", "by": ["name"]}, ["name"]),
    (
        "measure",
        {"source": "data.countries", "measures": ["area", "perimeter", "length", "compactness"]},
        ["id"],
    ),
    ("reproject", {"source": "data.dots", "srid": 32632, "outside": "keep"}, ["id"]),
    ("points_from_columns", {"source": "data.dots", "x": "n", "y": "n"}, ["id"]),
]


@pytest.mark.parametrize(
    ("operation", "arguments", "key"), SAME_ROWS, ids=lambda each: each if isinstance(each, str) else ""
)
async def test_both_engines_give_the_same_rows(
    bench: SparkBench, operation: str, arguments: dict[str, Any], key: list[str]
) -> None:
    one, two = await bench.both(operation, **arguments)
    assert_alike(one, two, key, degrees=0.05 if operation == "reproject" else DEGREES)


async def test_samples_on_spark_are_the_same_each_time(bench: SparkBench) -> None:
    one = await bench.run_on_spark("sample", source="data.dots", n=20, seed=3)
    two = await bench.run_on_spark("sample", source="data.dots", n=20, seed=3)
    assert list(one.rows.id) == list(two.rows.id)
    assert len(set(one.rows.id)) == 20
