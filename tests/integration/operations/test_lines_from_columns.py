"""Lines between columns of coordinates lie on pyproj's geodesics."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pyproj import Geod
from shapely import get_coordinates

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

GEOD = Geod(ellps="WGS84")
WAYS = {
    "Paris to New York": (2.55, 49.0, -73.78, 40.64),
    "Tokyo to Los Angeles": (139.78, 35.55, -118.41, 33.94),
    "Sydney to Santiago": (151.18, -33.95, -70.79, -33.39),
    "along the equator": (10.0, 0.0, 20.0, 0.0),
}
ENDS = {"from_x": "west", "from_y": "south", "to_x": "east", "to_y": "north"}


@pytest.fixture(scope="module", autouse=True)
async def _flights(bench: Bench) -> None:
    values = ", ".join(f"('{name}', {', '.join(map(str, ends))})" for name, ends in WAYS.items())
    await bench.make(
        "CREATE TABLE data.flights (name text PRIMARY KEY, west float, south float, east float, north float)",
        f"INSERT INTO data.flights VALUES {values}, ('nowhere', 1, 2, NULL, 4), ('a round', 5, 6, 5, 6)",
    )


@pytest.mark.reference("lines_from_columns")
async def test_lines_are_geodesics_with_their_lengths(bench: Bench) -> None:
    rows = (await bench.run("lines_from_columns", source="data.flights", **ENDS)).rows.set_index("name")
    for name, ends in WAYS.items():
        line, wanted = rows.geom[name], GEOD.inv(*ends)[2]
        parts = [get_coordinates(part) for part in line.geoms]
        assert parts[0][0] == pytest.approx(ends[:2])
        assert parts[-1][-1] == pytest.approx(ends[2:])
        lengths = [GEOD.inv(*here, *there)[2] for part in parts for here, there in pairwise(part)]
        assert max(lengths) < 51_000
        # No detour: together they are as long as the way, also across the antimeridian.
        assert sum(lengths) == pytest.approx(wanted, rel=1e-4)
        assert rows.length_m[name] == pytest.approx(wanted, abs=0.01)
    for name in ("Tokyo to Los Angeles", "Sydney to Santiago"):
        assert len(rows.geom[name].geoms) == 2
        assert rows.geom[name].bounds[0] == -180
        assert rows.geom[name].bounds[2] == 180


async def test_rows_without_a_way_have_no_line(bench: Bench) -> None:
    answer = await bench.run("lines_from_columns", source="data.flights", **ENDS)
    rows = answer.rows.set_index("name")
    assert rows.geom["nowhere"] is None
    assert rows.geom["a round"] is None
    assert len(rows) == len(WAYS) + 2


async def test_ends_that_are_no_degrees_are_refused(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.moves (id int PRIMARY KEY, west float, south float, east float, north float)",
        "INSERT INTO data.moves VALUES (1, 10, 50, 500000, 4649776)",
    )
    with pytest.raises(InvalidQuestion, match="not longitudes and latitudes"):
        await bench.run("lines_from_columns", source="data.moves", **ENDS)
