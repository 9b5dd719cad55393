"""Nearest neighbours, hot spots, clusters, centres, simplified lines and grids of areas are those of PostGIS."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio
import shapely

from server.gis.errors import InvalidQuestion
from tests.integration.spark.conftest import SparkBench
from tests.integration.spark.test_awkward_data import make_awkward_tables
from tests.integration.spark.test_both_engines import assert_alike, make_tables


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def tables(bench: SparkBench) -> None:
    await make_tables(bench)
    await make_awkward_tables(bench)


NEAREST: list[dict[str, Any]] = [
    {"source": "data.globe", "target": "data.globe", "k": 3},
    {"source": "data.arctic", "target": "data.arctic", "k": 2},
    {"source": "data.dots", "target": "data.few", "k": 5},
    {"source": "data.dots", "target": "data.ways", "k": 2},
    {"source": "data.dots", "target": "data.zones", "k": 3},
    {"source": "data.around", "target": "data.lands", "k": 2},
    {"source": "data.dateline", "target": "data.islands"},
    {"source": "data.arctic", "target": "data.caps", "k": 3},
    {"source": "data.mixed", "target": "data.dots", "k": 2},
]


@pytest.mark.parametrize("arguments", NEAREST, ids=lambda each: "-".join(map(str, each.values())))
async def test_the_nearest_are_the_same(bench: SparkBench, arguments: dict[str, Any]) -> None:
    one, two = await bench.both("nearest", **arguments)
    assert_alike(one, two, ["id", "near_id"])


NEAREST_SHAPES: list[dict[str, Any]] = [
    {"source": "data.zones", "target": "data.ways"},
    {"source": "data.caps", "target": "data.caps", "k": 2},
]


@pytest.mark.parametrize("arguments", NEAREST_SHAPES, ids=lambda each: "-".join(map(str, each.values())))
async def test_the_nearest_lines_and_areas_of_lines_and_areas_are_as_far(
    bench: SparkBench, arguments: dict[str, Any]
) -> None:
    """Of those that meet, any may be taken."""
    one, two = (rows.sort_values(["id", "distance_m"]) for rows in await bench.both("nearest", **arguments))
    assert list(one.id) == list(two.id)
    assert list(one.distance_m) == pytest.approx(list(two.distance_m), rel=1e-9, nan_ok=True)
    apart = one.distance_m.to_numpy() > 0
    assert list(one.near_id[apart]) == list(two.near_id[apart])


JOINED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("spatial_join", {"source": "data.ways", "other": "data.dots"}, ["id"]),
    ("spatial_join", {"source": "data.zones", "other": "data.ways", "rows": "all"}, ["id", "ways_id"]),
]


@pytest.mark.parametrize(("operation", "arguments", "key"), JOINED, ids=lambda each: str(each)[:60])
async def test_what_is_within_a_distance_of_lines_and_areas_is_the_same(
    bench: SparkBench, operation: str, arguments: dict[str, Any], key: list[str]
) -> None:
    near = {"predicate": "within_distance", "distance": "10 km"}
    one, two = await bench.both(operation, **arguments, **near)
    assert_alike(one, two, key)


HOT: list[dict[str, Any]] = [
    {"source": "data.dots", "column": "value", "distance": "60 km"},
    {"source": "data.plots", "column": "value", "k": 6},
]


@pytest.mark.parametrize("arguments", HOT, ids=["distance", "nearest of areas"])
async def test_hot_spots_are_the_same(bench: SparkBench, arguments: dict[str, Any]) -> None:
    one, two = await bench.both("hot_spots", **arguments)
    assert_alike(one, two, ["id"])


async def test_lines_are_simplified_the_same(bench: SparkBench) -> None:
    one, two = await bench.both("simplify", source="data.tracks", tolerance="500 m")
    assert_alike(one, two, ["id"])
    with pytest.raises(InvalidQuestion, match="borders that areas share"):
        await bench.run_on_spark("simplify", source="data.zones", tolerance="500 m")


async def test_centres_of_areas_are_the_same(bench: SparkBench) -> None:
    one, two = await bench.both("centroid", source="data.countries")
    assert_alike(one, two, ["id"])


async def test_areas_are_counted_in_the_cells_of_their_centres(bench: SparkBench) -> None:
    one, two = await bench.both("grid", source="data.countries", size="900 km", shape="square", empty=True)
    for rows in (one, two):
        rows["place"] = [shapely.to_wkt(shapely.centroid(cell), 3) for cell in rows.geom]
    assert_alike(one, two, ["place"])


@pytest.mark.parametrize(
    ("source", "distance", "clusters"), [("data.dots", "25 km", 3), ("data.dateline", "5 km", 1)]
)
async def test_clusters_have_the_same_members(
    bench: SparkBench, source: str, distance: str, clusters: int
) -> None:
    one, two = await bench.both("cluster", source=source, distance=distance, minimum=4)
    assert _by_least_member(one) == _by_least_member(two)
    assert one.cluster.nunique() >= clusters


def _by_least_member(rows: Any) -> dict[int, int | None]:
    """Numbers of clusters are arbitrary."""
    least = rows.dropna(subset="cluster").groupby("cluster").id.min().to_dict()
    return {row.id: least.get(row.cluster) for row in rows.itertuples()}


async def test_k_means_is_refused_on_spark(bench: SparkBench) -> None:
    with pytest.raises(InvalidQuestion, match="k-means begins with other centres"):
        await bench.run_on_spark("cluster", source="data.dots", method="kmeans", k=3)
