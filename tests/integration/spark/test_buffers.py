"""Buffers of points are those of PostGIS, across the antimeridian and in the far north, too."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio

from server.gis.errors import InvalidQuestion
from tests.integration.spark.conftest import SparkBench
from tests.integration.spark.test_awkward_data import make_awkward_tables
from tests.integration.spark.test_both_engines import assert_alike, make_tables

DEGREES = 2e-6
"""Of outlines: transformations by GeoTools and by PROJ."""


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def tables(bench: SparkBench) -> None:
    await make_tables(bench)
    await make_awkward_tables(bench)


@pytest.mark.parametrize(
    "arguments",
    [
        {"source": "data.dots", "distance": "5 km"},
        {"source": "data.dateline", "distance": "2 km"},
        {"source": "data.few", "distance_column": "value"},
        {"source": "data.northern", "distance": "40 km"},
    ],
    ids=["with empty ones", "antimeridian", "by a column", "north"],
)
async def test_buffers_of_points_are_the_same(bench: SparkBench, arguments: dict[str, Any]) -> None:
    one, two = await bench.both("buffer", **arguments)
    assert_alike(one, two, ["id"], degrees=DEGREES)


async def test_other_buffers_are_refused(bench: SparkBench) -> None:
    with pytest.raises(InvalidQuestion, match="buffers of lines and areas are not ported"):
        await bench.run_on_spark("buffer", source="data.zones", distance="1 km")
    with pytest.raises(InvalidQuestion, match="in a step of their own"):
        await bench.run_on_spark("buffer", source="data.dots", distance="1 km", dissolve=True)
