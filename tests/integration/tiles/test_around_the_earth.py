"""Tiles where the flat map ends: the antimeridian, the poles, and every point in exactly the tiles it should be in."""

from __future__ import annotations

import pytest
import shapely

from tests.integration.tiles.drawing import Atlas
from tests.integration.tiles.test_tiles import place


async def test_every_point_of_the_world_is_in_exactly_the_tiles_it_should_be(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.grid (id serial PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.grid (geom) SELECT ST_SetSRID(ST_MakePoint(x, y), 4326) "
        "FROM generate_series(-180, 180, 20) x, generate_series(-80, 80, 20) y",
    )
    await atlas.layer("data.grid")
    for z in (0, 1, 2, 3):
        seen: set[int] = set()
        for x in range(2**z):
            for y in range(2**z):
                for feature in (await atlas.tile(z, x, y)).get("features", []):
                    assert feature.id is not None
                    assert -64 <= feature.shape.x <= 4160
                    seen.add(feature.id)
        assert len(seen) == 19 * 9


async def test_a_polygon_beyond_the_antimeridian_shows_on_both_sides(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.fiji (id int PRIMARY KEY, geom geometry(Polygon, 4326))",
        "INSERT INTO data.fiji VALUES (1, ST_MakeEnvelope(170, -20, 190, -10, 4326)), "
        "(2, ST_MakeEnvelope(-190, 10, -170, 20, 4326))",
        "CREATE INDEX ON data.fiji USING gist (geom)",
        "ANALYZE data.fiji",
    )
    await atlas.layer("data.fiji")
    ten_degrees = 4096 / 9
    for x, edge in ((0, 0), (3, 4096)):
        shown = [feature.shape.bounds for y in (1, 2) for feature in (await atlas.tile(2, x, y))["features"]]
        assert len(shown) == 2
        for left, _, right, _ in shown:
            assert sorted(abs(side - edge) for side in (left, right)) == pytest.approx(
                [0, ten_degrees], abs=1
            )
    whole = (await atlas.tile(0, 0, 0))["features"]
    assert all(feature.shape.area < 4096 * 4096 / 100 for feature in whole), "no streaks across the map"
    assert {feature.id for feature in whole} == {1, 2}
    assert (await atlas.tile(2, 1, 1)) == {}


async def test_geographies_cross_the_antimeridian_the_short_way(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.geog (id int PRIMARY KEY, geog geography(Polygon, 4326))",
        "INSERT INTO data.geog VALUES (1, 'POLYGON((175 -20, -175 -20, -175 -10, 175 -10, 175 -20))'), "
        "(2, 'POLYGON((1 1, 9 1, 9 9, 1 9, 1 1))')",
        "CREATE INDEX ON data.geog USING gist (geog)",
        "ANALYZE data.geog",
    )
    await atlas.layer("data.geog")
    whole = {feature.id: feature.shape for feature in (await atlas.tile(0, 0, 0))["features"]}
    assert set(whole) == {1, 2}
    assert whole[1].area < 4096 * 4096 / 500
    for z in (2, 4, 7):
        last = 2**z - 1
        row = place(176, -15, z)[0].y
        for x in (0, last):
            found = await atlas.tile(z, x, row)
            assert [feature.id for feature in found.get("features", [])] == [1], (z, x, row)
        tile = place(5, 5, z)[0]
        assert [feature.id for feature in (await atlas.tile(z, tile.x, tile.y))["features"]] == [2]


async def test_projected_data_that_crosses_the_antimeridian_does_not_streak(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.nztm (id int PRIMARY KEY, geom geometry(Polygon, 2193))",
        "INSERT INTO data.nztm SELECT 1, ST_Transform(ST_Segmentize("
        "ST_MakeEnvelope(176, -44, 184, -40, 4326), 1), 2193)",
    )
    await atlas.layer("data.nztm")
    (feature,) = (await atlas.tile(0, 0, 0))["features"]
    assert feature.shape.area == pytest.approx(8 / 360 * 4096 * 62, rel=0.15)
    row = place(177, -42, 3)[0].y
    assert [f.id for x in (0, 7) for f in (await atlas.tile(3, x, row))["features"]] == [1, 1]


async def test_polar_data_is_drawn_where_it_is(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.polar (id int PRIMARY KEY, geom geometry(Geometry, 3031))",
        "INSERT INTO data.polar SELECT n, ST_Transform(ST_SetSRID(ST_MakePoint(n * 30 - 179, -75), 4326), 3031) "
        "FROM generate_series(0, 11) n",
        "INSERT INTO data.polar VALUES (99, ST_SetSRID(ST_MakePoint(0, 0), 3031)), "
        "(98, ST_SetSRID(ST_MakePoint(1e8, 1e8), 3031))",
    )
    await atlas.layer("data.polar")
    assert {f.id for f in (await atlas.tile(0, 0, 0))["features"]} == set(range(12))
    for z in (1, 3, 6):
        for n in range(12):
            tile, across, down = place(n * 30 - 179, -75, z)
            found = {f.id: f.shape for f in (await atlas.tile(z, tile.x, tile.y))["features"]}
            assert found[n].distance(shapely.Point(across, down)) <= 1


async def test_what_goes_around_a_pole_fills_the_map_up_to_it(atlas: Atlas) -> None:
    """A circle around each pole, as coordinate systems of the poles have it: on this map, a band."""
    await atlas.execute(
        "CREATE TABLE data.south (id int PRIMARY KEY, geom geometry(Polygon, 3031))",
        "INSERT INTO data.south VALUES (1, ST_Buffer(ST_SetSRID(ST_MakePoint(0, 0), 3031), 2.2e6, 64))",
        "CREATE TABLE data.north (id int PRIMARY KEY, geom geometry(Polygon, 3413))",
        "INSERT INTO data.north VALUES (1, ST_Difference("
        "ST_Buffer(ST_SetSRID(ST_MakePoint(0, 0), 3413), 2.2e6, 64), "
        "ST_Buffer(ST_SetSRID(ST_MakePoint(0, 0), 3413), 1.5e6, 64)))",
    )
    await atlas.layer("data.south", layer_id="s")
    await atlas.layer("data.north", layer_id="n")
    (south,) = (await atlas.tile(0, 0, 0, "s"))["features"]
    left, top, right, bottom = south.shape.bounds
    assert (left, right) == pytest.approx((0, 4096), abs=1)
    assert bottom >= 4096
    assert south.shape.area == pytest.approx(4096 * (bottom - top), rel=0.01)
    (north,) = (await atlas.tile(0, 0, 0, "n"))["features"]
    left, top, right, bottom = north.shape.bounds
    assert (left, right) == pytest.approx((0, 4096), abs=1)
    assert top > 300, "the hole at the pole stays a hole"
    assert north.shape.area == pytest.approx(4096 * (bottom - top), rel=0.03)
    for x in range(8):
        assert (await atlas.tile(3, x, 7, "s"))["features"][0].shape.bounds[2] >= 4096
