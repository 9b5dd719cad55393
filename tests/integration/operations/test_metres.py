"""Lengths, areas and distances are true anywhere on the earth, and never degrees."""

from __future__ import annotations

import math

import pytest
from pyproj import Geod
from shapely.geometry import Point

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

FEWER_ROWS = True

GEOD = Geod(ellps="WGS84")


@pytest.mark.reference("buffer")
@pytest.mark.parametrize(("longitude", "latitude"), [(0, 0), (10, 60), (-75, -45), (25, 80), (179.95, 10)])
async def test_a_buffer_of_a_point_is_a_circle_in_metres(
    bench: Bench, longitude: float, latitude: float
) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.spot",
        "CREATE TABLE data.spot (id int PRIMARY KEY, geom geometry(Point, 4326))",
        f"INSERT INTO data.spot VALUES (1, ST_SetSRID(ST_MakePoint({longitude}, {latitude}), 4326))",
    )
    answer = await bench.run("buffer", source="data.spot", distance="20 km")
    shape = answer.rows.geom[0]
    radii = [
        GEOD.inv(longitude, latitude, x, y)[2]
        for part in shape.geoms
        for x, y in part.exterior.coords
        if abs(abs(x) - 180) > 1e-9
    ]
    assert min(radii) > 20_000 * 0.998
    assert max(radii) < 20_000 * 1.002
    assert shape.bounds[0] >= -180
    assert shape.bounds[2] <= 180
    area = sum(abs(GEOD.geometry_area_perimeter(part)[0]) for part in shape.geoms)
    assert area == pytest.approx(math.pi * 20_000**2, rel=0.005)


async def test_a_long_line_is_buffered_truly_along_all_of_it(bench: Bench) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.way",
        "CREATE TABLE data.way (id int PRIMARY KEY, geom geometry(LineString, 4326))",
        "INSERT INTO data.way VALUES (1, ST_GeomFromText('LINESTRING(10 40, 10 65)', 4326))",
    )
    shape = (await bench.run("buffer", source="data.way", distance="10 km")).rows.geom[0]
    for latitude in (41, 48.3, 55, 64):
        for azimuth in (90, 270):
            inside = GEOD.fwd(10, latitude, azimuth, 9_900)
            outside = GEOD.fwd(10, latitude, azimuth, 10_100)
            assert shape.covers(Point(inside[:2]))
            assert not shape.covers(Point(outside[:2]))


async def test_a_buffer_that_reaches_a_pole_is_refused_with_advice(bench: Bench) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.pole",
        "CREATE TABLE data.pole (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.pole VALUES (1, ST_SetSRID(ST_MakePoint(0, 89.9), 4326))",
    )
    with pytest.raises(InvalidQuestion, match="pole"):
        await bench.run("buffer", source="data.pole", distance="50 km")


@pytest.mark.reference("measure")
async def test_measures_agree_with_geographiclib(bench: Bench) -> None:
    answer = await bench.run(
        "measure", source="data.countries", measures=["area", "perimeter", "compactness"]
    )
    assert len(answer.rows) > 200
    for row in answer.rows.itertuples():
        area = perimeter = 0.0
        for part in row.geom.geoms:
            area += abs(GEOD.geometry_area_perimeter(part)[0])
            perimeter += sum(GEOD.line_length(*ring.xy) for ring in (part.exterior, *part.interiors))
        assert row.area_m2 == pytest.approx(area, rel=1e-6, abs=100)
        assert row.perimeter_m == pytest.approx(perimeter, rel=1e-6, abs=1)
        assert row.compactness == pytest.approx(4 * math.pi * area / perimeter**2, rel=1e-4)


@pytest.mark.reference("nearest")
async def test_nearest_is_nearest_on_the_spheroid_even_across_the_antimeridian(bench: Bench) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.here, data.there",
        "CREATE TABLE data.here (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "CREATE TABLE data.there (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.here SELECT 1, ST_SetSRID(ST_MakePoint(179.9, 0), 4326)",
        "INSERT INTO data.here SELECT 2, ST_SetSRID(ST_MakePoint(0, 80), 4326)",
        "INSERT INTO data.here VALUES (3, NULL), (4, ST_SetSRID('POINT EMPTY'::geometry, 4326))",
        "INSERT INTO data.there SELECT 1, ST_SetSRID(ST_MakePoint(-179.9, 0), 4326)",
        # Ten degrees east at 80 north are 194 km, two degrees south are 223 km.
        "INSERT INTO data.there SELECT 2, ST_SetSRID(ST_MakePoint(10, 80), 4326)",
        "INSERT INTO data.there SELECT 3, ST_SetSRID(ST_MakePoint(0, 78), 4326)",
    )
    rows = (await bench.run("nearest", source="data.here", target="data.there")).rows
    found = {row.id: (row.near_id, row.distance_m) for row in rows.itertuples()}
    assert found[1] == (1, pytest.approx(GEOD.inv(179.9, 0, -179.9, 0)[2], abs=0.01))
    assert found[2] == (2, pytest.approx(GEOD.inv(0, 80, 10, 80)[2], abs=0.01))
    assert math.isnan(found[3][0])
    assert math.isnan(found[4][0])


async def test_nearest_in_the_same_table_is_never_the_feature_itself(bench: Bench) -> None:
    rows = (await bench.run("nearest", source="data.here", target="data.here", k=2)).rows
    rows = rows[rows.near_id.notna()]
    assert len(rows) == 2
    assert all(rows.id != rows.near_id)


async def test_farthest_large_cities_from_airports_agree_with_a_scan_of_all_pairs(bench: Bench) -> None:
    large = await bench.run("filter", source="data.cities", filter="population > 3000000")
    near = await bench.run("nearest", source=large.table, target="data.airports")
    airports = (await bench.run("sample", source="data.airports", n=100_000)).rows
    longitudes = [point.x for point in airports.geom]
    latitudes = [point.y for point in airports.geom]
    for row in list(near.rows.itertuples())[:10]:
        n = len(longitudes)
        distances = GEOD.inv([row.geom.x] * n, [row.geom.y] * n, longitudes, latitudes)[2]
        assert row.distance_m == pytest.approx(min(distances), abs=0.01)


@pytest.mark.reference("distance_from_point")
async def test_distances_from_a_point_are_geodesic(bench: Bench) -> None:
    """To the nearest part of each shape, in any reference system, also across the antimeridian."""
    await bench.make(
        "DROP TABLE IF EXISTS data.around",
        "CREATE TABLE data.around (name text PRIMARY KEY, distance_m real, geom geometry(Geometry, 4326))",
        """INSERT INTO data.around VALUES ('near', 1, ST_Point(179.9, 0, 4326)),
        ('beyond', 2, ST_Point(-179.9, 0, 4326)),
        ('pole', 3, ST_Point(0, 90, 4326)), ('covering', 4, ST_MakeEnvelope(179, -1, 179.95, 1, 4326)),
        ('none', 5, NULL), ('empty', 6, ST_GeomFromText('POINT EMPTY', 4326))""",
        "DROP TABLE IF EXISTS data.projected",
        "CREATE TABLE data.projected (name text PRIMARY KEY, geom geometry(Point, 3857))",
        "INSERT INTO data.projected SELECT name, ST_Transform(geom, 3857) FROM data.around"
        " WHERE name IN ('near', 'beyond')",
    )
    at = {"longitude": 179.91, "latitude": 0.0}
    rows = (await bench.run("distance_from_point", source="data.around", **at)).rows
    found = dict(zip(rows.name, rows.distance_m_2, strict=True))
    for name, place in {"near": (179.9, 0), "beyond": (-179.9, 0), "pole": (0, 90)}.items():
        assert found[name] == pytest.approx(GEOD.inv(179.91, 0, *place)[2], abs=0.01)
    assert found["covering"] == 0
    assert math.isnan(found["none"])
    assert math.isnan(found["empty"])
    projected = (await bench.run("distance_from_point", source="data.projected", **at)).rows
    again = dict(zip(projected.name, projected.distance_m, strict=True))
    assert again == pytest.approx({name: found[name] for name in ("near", "beyond")}, abs=0.01)


@pytest.mark.parametrize("place", [{"longitude": 181, "latitude": 0}, {"longitude": 0, "latitude": -91}])
async def test_a_point_that_is_not_on_earth_is_refused(bench: Bench, place: dict[str, float]) -> None:
    with pytest.raises(InvalidQuestion):
        await bench.run("distance_from_point", source="data.cities", **place)


async def test_a_table_without_a_reference_system_is_refused(bench: Bench) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.nowhere",
        "CREATE TABLE data.nowhere (id int PRIMARY KEY, geom geometry(Point))",
        "INSERT INTO data.nowhere VALUES (1, ST_MakePoint(1, 2))",
    )
    with pytest.raises(InvalidQuestion, match="SRID 0"):
        await bench.run("buffer", source="data.nowhere", distance="1 km")


async def test_degrees_are_no_length(bench: Bench) -> None:
    with pytest.raises(InvalidQuestion, match="Degrees are not a length"):
        await bench.run("buffer", source="data.cities", distance="0.5 degrees")
