"""Operations that need a plane: their shapes are laid flat together, and each row must get its own back."""

from __future__ import annotations

import numpy as np
import pytest
import pytest_asyncio
import shapely
from pyproj import Geod, Proj

from tests.integration.operations.conftest import Bench

ROWS = 457
SEED = 11


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def scattered(bench: Bench) -> str:
    """Points around Ulm, more than go into one call; each seventh row has none, each eleventh an empty one."""
    dice = np.random.default_rng(SEED)
    places = dice.normal((10.0, 48.4), 0.3, (ROWS, 2))
    values = []
    for number, (longitude, latitude) in enumerate(places):
        shape = f"'SRID=4326;POINT({longitude:.9f} {latitude:.9f})'"
        shape = "NULL" if number % 7 == 3 else "'SRID=4326;POINT EMPTY'" if number % 11 == 5 else shape
        values.append(f"({number}, {longitude:.9f}, {latitude:.9f}, {number % 5}, {shape})")
    await bench.make(
        "DROP TABLE IF EXISTS data.scattered",
        'CREATE TABLE data.scattered (id int PRIMARY KEY, x float8, y float8, "flat" int, geom geometry(Point, 4326))',
        f"INSERT INTO data.scattered VALUES {', '.join(values)}",
    )
    return "data.scattered"


def there() -> list[int]:
    return [number for number in range(ROWS) if number % 7 != 3 and number % 11 != 5]


async def test_each_point_gets_the_voronoi_cell_that_it_lies_in(bench: Bench, scattered: str) -> None:
    rows = (await bench.run("voronoi", source=scattered)).rows
    assert sorted(rows["id"]) == there()
    assert all(cell.covers(shapely.Point(x, y)) for cell, x, y in zip(rows.geom, rows.x, rows.y, strict=True))
    assert len({cell.wkb for cell in rows.geom}) == len(rows)
    assert set(rows["flat"]) == {0, 1, 2, 3, 4}


@pytest.mark.reference("delaunay")
async def test_delaunay_triangles_are_those_of_geos_in_the_plane(bench: Bench, scattered: str) -> None:
    rows = (await bench.run("delaunay", source=scattered)).rows
    points = (await bench.run("filter", source=scattered, filter="id >= 0")).rows.set_index("id").loc[there()]
    plane = Proj(proj="aeqd", lat_0=points.y.mean(), lon_0=points.x.mean(), datum="WGS84")
    flat = shapely.multipoints(np.stack(plane(points.x.to_numpy(), points.y.to_numpy()), axis=1))
    assert len(rows) == len(shapely.delaunay_triangles(flat).geoms)


@pytest.mark.reference("cluster")
async def test_dbscan_joins_what_is_near_on_the_earth(bench: Bench, scattered: str) -> None:
    """With clusters of one, DBSCAN gives the parts of the graph of all pairs within the distance."""
    metres = 2_000.0
    rows = (await bench.run("cluster", source=scattered, distance=f"{metres} m", minimum=1)).rows
    assert sorted(rows["id"]) == there()
    found: dict[int, set[int]] = {}
    for number, cluster in zip(rows["id"], rows["cluster"], strict=True):
        found.setdefault(cluster, set()).add(number)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, joined(rows, metres)))
    assert all(
        np.allclose((shape.x, shape.y), (x, y)) for shape, x, y in zip(rows.geom, rows.x, rows.y, strict=True)
    )


def joined(rows, metres: float) -> list[set[int]]:
    """Rows that are linked by steps of at most so many metres, on the spheroid."""
    geod = Geod(ellps="WGS84")
    left, groups = set(range(len(rows))), []
    x, y, numbers = rows.x.to_numpy(), rows.y.to_numpy(), rows["id"].to_numpy()
    while left:
        group = frontier = {left.pop()}
        while frontier:
            others = np.array(sorted(left), dtype=int)
            near = set()
            for one in frontier:
                size = len(others)
                _, _, away = geod.inv(np.full(size, x[one]), np.full(size, y[one]), x[others], y[others])
                near |= set(others[np.asarray(away) <= metres].tolist())
            left -= near
            group, frontier = group | near, near
        groups.append({int(numbers[each]) for each in group})
    return groups
