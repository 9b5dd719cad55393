"""Shapes whose coordinates are not on the earth are refused with a reason. Edges around the earth get points where they
are bent; those of absurd shapes would get them without end, until the statement is stopped as too expensive."""

from __future__ import annotations

import pytest

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

CAP = "POLYGON((-180 60, 180 60, 180 90, -180 90, -180 60))"


@pytest.mark.parametrize(
    "shape",
    [
        "POLYGON((-180 60, 180 60, 180 1e9, -180 1e9, -180 60))",
        "POLYGON((-1e9 60, 1e9 60, 1e9 80, -1e9 80, -1e9 60))",
        "LINESTRING(-180 1e11, 180 -1e11)",
    ],
)
async def test_a_shape_that_is_not_on_the_earth_is_refused_for_that(bench: Bench, shape: str) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.absurd",
        "CREATE TABLE data.absurd (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        f"INSERT INTO data.absurd VALUES (1, 'SRID=4326;{shape}'), (2, 'SRID=4326;{CAP}')",
    )
    with pytest.raises(InvalidQuestion, match="outside of the earth"):
        await bench.run("reproject", source="data.absurd", srid=3413, outside="keep")
    alone = await bench.run("filter", source="data.absurd", filter="id = 2")
    cap = await bench.run("reproject", source=alone.table, srid=3413)
    assert cap.rows.geom.iloc[0].area > 3e13, "an edge around the earth gets its points"
