"""Coordinates in answers: exact, in the table's own reference system, and labelled."""

from __future__ import annotations

import pyproj
import pytest
import pytest_asyncio
import shapely

from server.database.engines import Database
from server.gis.profiles.measure import measured
from server.gis.query.data import PostgisData
from server.http.rows import bounds_geometry
from tests.integration.tiles.drawing import Atlas

FIRST, SECOND = (430_000.123, 1_120_000.456), (530_000.789, 180_000.321)
"""In EPSG:27700, far apart, so that north is turned by degrees between them."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def data(database: Database) -> PostgisData:
    atlas = Atlas(database)
    await atlas.execute(
        "CREATE TABLE data.british (id int PRIMARY KEY, geom geometry(Point, 27700))",
        f"INSERT INTO data.british VALUES (1, ST_SetSRID(ST_MakePoint{FIRST}, 27700)),"
        f" (2, ST_SetSRID(ST_MakePoint{SECOND}, 27700)), (3, NULL)",
        "CREATE TABLE data.pacific (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.pacific VALUES (1, 'SRID=4326;POINT(179 -17)'), (2, 'SRID=4326;POINT(-179 -16)')",
        "CREATE TABLE data.bare (id int PRIMARY KEY, geom geometry(Point, 27700))",
    )
    for table in ("data.british", "data.pacific", "data.bare"):
        await atlas.table(table)
    return PostgisData(database.reader, atlas.registry)


async def test_bounds_are_exact_in_both_systems_and_labelled(data: PostgisData) -> None:
    found = await data.bounds("data.british")
    assert found["bounds"] == {
        "crs": "EPSG:27700",
        "box": [FIRST[0], SECOND[1], SECOND[0], FIRST[1]],
        "exact": True,
    }
    to_lonlat = pyproj.Transformer.from_crs(27700, 4326, always_xy=True)
    places = [to_lonlat.transform(*point) for point in (FIRST, SECOND)]
    wanted = [
        min(x for x, _ in places), min(y for _, y in places), max(x for x, _ in places), max(y for _, y in places)
    ]  # fmt: skip
    assert (found["bounds_lonlat"]["crs"], found["bounds_lonlat"]["exact"]) == ("EPSG:4326", True)
    assert found["bounds_lonlat"]["box"] == pytest.approx(wanted, abs=5e-5)


async def test_bounds_across_the_antimeridian_stay_narrow(data: PostgisData) -> None:
    assert await data.bounds("data.pacific") == {
        "bounds": {"crs": "EPSG:4326", "box": [179.0, -17.0, -179.0, -16.0], "exact": True}
    }


async def test_bounds_of_areas_follow_their_curved_edges_and_reach_the_pole_inside(
    database: Database,
) -> None:
    atlas = Atlas(database)
    await atlas.execute(
        "CREATE TABLE data.cap (id int PRIMARY KEY, geom geometry(Polygon, 5041))",
        "INSERT INTO data.cap VALUES (1, ST_MakeEnvelope(1000000, 1000000, 3000000, 3000000, 5041))",
        "CREATE TABLE data.ring (id int PRIMARY KEY, geom geometry(Geometry, 5041))",
        "INSERT INTO data.ring SELECT 1, ST_Difference(ST_MakeEnvelope(1000000, 1000000, 3000000, 3000000, 5041), "
        "ST_MakeEnvelope(1500000, 1500000, 2500000, 2500000, 5041))",
        "CREATE TABLE data.wide (id int PRIMARY KEY, geom geometry(MultiPolygon, 3035))",
        "INSERT INTO data.wide VALUES (1, ST_Multi(ST_MakeEnvelope(2500000, 1500000, 6500000, 5000000, 3035)))",
    )
    for table in ("data.cap", "data.ring", "data.wide"):
        await atlas.table(table)
    data = PostgisData(database.reader, atlas.registry)
    cap = (await data.bounds("data.cap"))["bounds_lonlat"]
    assert cap["box"] == pytest.approx([-180, 77.312, 180, 90], abs=1e-3)
    ring = (await data.bounds("data.ring"))["bounds_lonlat"]["box"]
    assert (ring[1], ring[3]) == pytest.approx((77.312, 85.5), abs=0.05)
    to_lonlat = pyproj.Transformer.from_crs(3035, 4326, always_xy=True)
    wide = (await data.bounds("data.wide"))["bounds_lonlat"]["box"]
    wanted = to_lonlat.transform_bounds(2_500_000, 1_500_000, 6_500_000, 5_000_000, densify_pts=500)
    assert wide == pytest.approx(wanted, abs=1e-3)


async def test_bounds_of_areas_across_the_antimeridian_stay_narrow_in_a_projected_table(
    database: Database,
) -> None:
    atlas = Atlas(database)
    await atlas.execute(
        "CREATE TABLE data.fisheries (id int PRIMARY KEY, geom geometry(Polygon, 3832))",
        "INSERT INTO data.fisheries SELECT n, ST_Transform(ST_ShiftLongitude(ST_Segmentize(ST_MakeEnvelope("
        "170 + n * 5, -20, 180 + n * 5, -10, 4326), 0.5)), 3832) FROM generate_series(0, 2) n",
        "CREATE TABLE data.oceans (id int PRIMARY KEY, geom geometry(Polygon, 3857))",
        "INSERT INTO data.oceans VALUES (1, ST_Transform(ST_MakeEnvelope(-180, -60, 170, 60, 4326), 3857))",
    )
    fisheries, oceans = await atlas.table("data.fisheries"), await atlas.table("data.oceans")
    data = PostgisData(database.reader, atlas.registry)
    narrow = pytest.approx((170, -20, -170, -10), abs=1e-6)
    assert tuple((await data.bounds("data.fisheries"))["bounds_lonlat"]["box"]) == narrow
    assert fisheries.bounds == narrow
    wide = pytest.approx((-180, -60, 170, 60), abs=1e-6)
    assert tuple((await data.bounds("data.oceans"))["bounds_lonlat"]["box"]) == wide
    assert oceans.bounds == wide


async def test_a_table_without_geometries_has_no_bounds(data: PostgisData) -> None:
    assert await data.bounds("data.bare") == {}


async def test_geometries_keep_their_coordinates_and_say_in_which_system(data: PostgisData) -> None:
    own = await data.query("data.british", ["id", "geom"], sort="id")
    assert own["geometry_crs"] == {"geom": "EPSG:27700"}
    assert own["rows"][0]["geom"] == {"type": "Point", "coordinates": list(FIRST)}
    lonlat = await data.query("data.british", ["geom"], sort="id", lonlat=True)
    assert lonlat["geometry_crs"] == {"geom": "EPSG:4326"}
    assert -3 < lonlat["rows"][0]["geom"]["coordinates"][0] < 0
    assert "geometry_crs" not in await data.query("data.british")


@pytest.mark.parametrize("kind", ["Point", "MultiPoint"])
async def test_many_features_around_the_world_have_bounds_at_once(database: Database, kind: str) -> None:
    name = f"data.around_{kind.lower()}"
    shape = "ST_SetSRID(ST_MakePoint(-170 + n * 0.0034, n % 80), 4326)"
    shape = f"ST_Multi({shape})" if kind == "MultiPoint" else shape
    atlas = Atlas(database)
    await atlas.execute(
        f"CREATE TABLE {name} AS SELECT n AS id, {shape}::geometry({kind}, 4326) AS geom"
        " FROM generate_series(0, 99999) AS n",
        f"ANALYZE {name}",
    )
    await atlas.table(name)
    data = PostgisData(database.reader, atlas.registry)
    assert await data.extent(name) == pytest.approx((-170, 0, 169.9966, 79), abs=0.01)
    assert (await data.bounds(name))["bounds"]["exact"] is True


@pytest.mark.parametrize(
    ("srid", "south", "north", "wanted"),
    [
        (3413, 41, 89.8, (-180, 41, 180, 89.8)),
        (3031, -89, -60, (-180, -89, 180, -60)),
        # Beside the pole, and beside the antimeridian.
        (3413, 70, 80, (-90, 70, 0, 80)),
    ],
)
async def test_the_catalogue_profile_and_extent_of_a_polar_table_hold_its_points(
    database: Database, srid: int, south: float, north: float, wanted: tuple[float, float, float, float]
) -> None:
    west, _, east, _ = wanted
    place = f"ST_MakePoint({west} + ({east} - {west}) * n / 72, {south} + ({north} - {south}) * m / 20.0)"
    atlas = Atlas(database)
    await atlas.execute(
        "DROP TABLE IF EXISTS data.polar",
        f"CREATE TABLE data.polar (id serial PRIMARY KEY, geom geometry(Point, {srid}))",
        f"INSERT INTO data.polar (geom) SELECT ST_Transform(ST_SetSRID({place}, 4326), {srid})"
        " FROM generate_series(0, 72) AS n, generate_series(0, 20) AS m",
    )
    table = await atlas.table("data.polar")
    data = PostgisData(database.reader, atlas.registry)
    profile = await measured(database.reader, table, "now")
    for found in (table.bounds, await data.extent("data.polar"), profile.bounds):
        assert found is not None
        # The corners of a box in the table's system are farther from the pole than the points.
        assert shapely.box(*found).buffer(1e-6).covers(shapely.box(*wanted))
        assert shapely.box(*found).area < 2.5 * shapely.box(*wanted).area
        assert await data.count("data.polar", within=bounds_geometry(found)) == 73 * 21
