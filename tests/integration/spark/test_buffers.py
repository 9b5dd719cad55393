"""Buffers are those of PostGIS: across the antimeridian and in the far north, of lines and areas, and inward.

Areas around lines and areas are compared by how far places of one are from the other: outlines would not do, because
where two parts of a union nearly touch, a metre decides whether there is a gap of a kilometre in length.
"""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio
import shapely
from geopandas import GeoDataFrame

from tests.integration.spark.conftest import SparkBench
from tests.integration.spark.test_awkward_data import make_awkward_tables
from tests.integration.spark.test_both_engines import assert_alike, make_tables

DEGREES = 1e-9
"""Of outlines around points."""
SHARE = 0.01
"""Of the distance, by which JTS and GEOS simplify what they buffer: each leaves out other corners."""
METRIC = 32632
"""The UTM zone around the lines and areas of these tests."""


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def tables(bench: SparkBench) -> None:
    await make_tables(bench)
    await make_awkward_tables(bench)


@pytest.mark.parametrize(
    "arguments",
    [
        {"source": "data.dateline", "distance": "2 km"},
        {"source": "data.few", "distance_column": "value"},
        {"source": "data.northern", "distance": "40 km"},
    ],
    ids=["antimeridian", "by a column", "north"],
)
async def test_buffers_of_points_are_the_same(bench: SparkBench, arguments: dict[str, Any]) -> None:
    one, two = await bench.both("buffer", **arguments)
    assert_alike(one, two, ["id"], degrees=DEGREES)


async def test_buffers_of_any_shape_cover_the_same_places(bench: SparkBench) -> None:
    one, two = await bench.both("buffer", source="data.mixed", distance="20 km")
    _assert_same_places(one, two, "id", 20_000)
    assert any("less than a hundredth of the distance" in note for note in bench.notes)


async def test_united_buffers_cover_the_same_places(bench: SparkBench) -> None:
    one, two = await bench.both("buffer", source="data.ways", distance="3 km", dissolve=True)
    _assert_same_places(one, two, "features", 3_000)


async def test_strips_inside_of_borders_cover_the_same_places(bench: SparkBench) -> None:
    zones = (await bench.run("make_valid", source="data.zones")).rows.set_index("id").geometry
    both = await bench.both("buffer", source="data.zones", distance="-2 km")
    for rows in both:
        left = rows.set_index("id").geometry
        rows.geometry = [
            zones[n] if left[n] is None else shapely.difference(zones[n], left[n]) for n in rows.id
        ]
    _assert_same_places(*both, "id", 2_000)


def _assert_same_places(one: GeoDataFrame, two: GeoDataFrame, key: str, metres: float) -> None:
    assert list(one.columns) == list(two.columns)
    left, right = (rows.set_index(key).geometry.to_crs(METRIC).sort_index() for rows in (one, two))
    assert list(left.index) == list(right.index)
    for name in left.index:
        a, b = left[name], right[name]
        if a is None or a.is_empty:
            assert b is None or b.is_empty, name
        else:
            assert max(_farthest(a, b), _farthest(b, a)) <= SHARE * metres, name


def _farthest(area: Any, other: Any) -> float:
    """How far places of an area are from another one, at most."""
    beyond = shapely.points(shapely.get_coordinates(shapely.difference(area, other)))
    return float(max(shapely.distance(beyond, other), default=0.0))
