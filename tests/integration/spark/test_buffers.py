"""Buffers are those of PostGIS: across the antimeridian and in the far north, of lines and areas, and inward.

Areas around lines and areas are compared by how far places of one are from the other: outlines would not do, because
where two parts of a union nearly touch, a metre decides whether there is a gap of a kilometre in length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import pytest_asyncio
import shapely
from geopandas import GeoDataFrame, GeoSeries

from server.gis.analysis.budget import Budget
from server.gis.analysis.engines import Engines
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepRunner
from server.gis.analysis.watch import Progress
from tests.integration.spark.conftest import SparkBench
from tests.integration.spark.test_awkward_data import make_awkward_tables
from tests.integration.spark.test_both_engines import assert_alike, make_tables

DEGREES = 1e-9
"""Of outlines around points."""
SHARE = 0.01
"""Of the distance: what the corners may matter that JTS leaves out of lines and areas before it buffers them."""
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
    _assert_same_places(_shapes(one, "id"), _shapes(two, "id"), 20_000)
    assert any("less than a hundredth of the distance" in note for note in bench.notes)


async def test_united_buffers_cover_the_same_places(bench: SparkBench) -> None:
    one, two = await bench.both("buffer", source="data.ways", distance="3 km", dissolve=True)
    _assert_same_places(_shapes(one, "features"), _shapes(two, "features"), 3_000)


async def test_strips_inside_of_borders_cover_the_same_places(bench: SparkBench) -> None:
    zones = _shapes((await bench.run("make_valid", source="data.zones")).rows, "id")
    strips = []
    for rows in await bench.both("buffer", source="data.zones", distance="-2 km"):
        left = _shapes(rows, "id")
        strips.append({n: zone.difference(left[n]) if left[n] else zone for n, zone in zones.items()})
    _assert_same_places(strips[0], strips[1], 2_000)


async def test_buffers_are_verified_by_the_places_that_they_cover(bench: SparkBench) -> None:
    engines = Engines(StepRunner(bench.database.writer, bench.registry, Budget()), bench.spark)
    step = PlannedStep(
        id="step_1", operation="buffer", arguments={"source": "data.ways", "distance": "3 km"}, title="Around"
    )
    made = await engines.run(step, {}, "ways_verified", _silent, asked="verify")
    said = made.receipt.notes[-1]
    assert said.startswith("Verified: Apache Spark 3.5.5, Apache Sedona 1.7.1 makes the same 40 rows")
    assert "areas within 30 m" in said


async def _silent(_progress: Progress) -> None:
    pass


def _shapes(rows: GeoDataFrame, key: str) -> dict[int, Any]:
    """By their key, in metres."""
    shapes = GeoSeries(list(rows.geom), crs=4326).to_crs(METRIC)
    return dict(zip(rows[key], shapes, strict=True))


def _assert_same_places(one: Mapping[int, Any], two: Mapping[int, Any], metres: float) -> None:
    assert one.keys() == two.keys()
    for name, area in one.items():
        other = two[name]
        if area is None or area.is_empty:
            assert other is None or other.is_empty, name
        else:
            assert max(_farthest(area, other), _farthest(other, area)) <= SHARE * metres, name


def _farthest(area: Any, other: Any) -> float:
    """How far places of an area are from another one, at most."""
    beyond = shapely.points(shapely.get_coordinates(shapely.difference(area, other)))
    return float(max(shapely.distance(beyond, other), default=0.0))
