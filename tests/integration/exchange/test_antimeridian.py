"""What crosses the antimeridian, or surrounds a pole, is in parts where a file is in longitude and latitude."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import geopandas
import pyogrio
import pytest
import pytest_asyncio
import shapely

from server.database.engines import Database
from tests.integration.exchange.deliverables import made
from tests.integration.tiles.drawing import Atlas

FORMATS = ("geojson", "geojsonl", "kml", "gpkg", "fgb")
LONLAT = {"crs": "EPSG:4326"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def atlas(database: Database) -> AsyncIterator[Atlas]:
    atlas = Atlas(database)
    await atlas.execute(
        "CREATE TABLE data.pacific (name text PRIMARY KEY, geom geometry(Polygon, 3832))",
        "INSERT INTO data.pacific SELECT name, ST_Transform(ST_ShiftLongitude(ST_Segmentize("
        "ST_MakeEnvelope(west, -20, west + 20, -10, 4326), 0.5)), 3832) FROM (VALUES ('Fiji', 170), ('Guam', 140),"
        " ('Tonga', 180)) AS each(name, west)",
        "CREATE TABLE data.routes (name text PRIMARY KEY, geom geometry(LineString, 3832))",
        "INSERT INTO data.routes VALUES ('north', ST_MakeLine(ST_Transform('SRID=4326;POINT(170 40)'::geometry, 3832),"
        " ST_Transform('SRID=4326;POINT(-170 40)'::geometry, 3832)))",
        "CREATE TABLE data.caps (name text PRIMARY KEY, geom geometry(Polygon, 3031))",
        "INSERT INTO data.caps SELECT 'pole', ST_MakeEnvelope(-500000, -500000, 500000, 500000, 3031) "
        "UNION ALL SELECT 'coast', ST_MakeEnvelope(1000000, 1000000, 1100000, 1100000, 3031)",
        "CREATE TABLE data.oceans (name text PRIMARY KEY, geom geometry(Polygon, 3857))",
        "INSERT INTO data.oceans VALUES ('most',"
        " ST_Transform(ST_MakeEnvelope(-180, -60, 170, 60, 4326), 3857))",
        "CREATE TABLE data.beyond (name text PRIMARY KEY, geom geometry(Geometry, 4326))",
        "INSERT INTO data.beyond VALUES ('area', ST_MakeEnvelope(170, 0, 190, 10, 4326)),"
        " ('point', 'SRID=4326;POINT(185 5)'), ('plain', ST_MakeEnvelope(0, 0, 10, 10, 4326))",
    )
    return atlas


def read(path: Path) -> geopandas.GeoDataFrame:
    frame = pyogrio.read_dataframe(path)
    return frame.set_index("Name" if "Name" in frame else "name")


@pytest.mark.parametrize("kind", FORMATS)
async def test_areas_across_the_antimeridian_have_a_part_on_each_side(
    atlas: Atlas, tmp_path: Path, kind: str
) -> None:
    path, report = await made(atlas, tmp_path, "data.pacific", format=kind, **LONLAT)
    shapes = shapely.force_2d(read(path).geometry)
    sides = shapely.box(170, -20, 180, -10) | shapely.box(-180, -20, -170, -10)
    assert shapes["Fiji"].symmetric_difference(sides).area < 1e-6
    assert [round(shapes[name].area, 6) for name in ("Guam", "Tonga")] == [200, 200]
    assert report.notes[0] == (
        "2 shapes of pacific reach the antimeridian or surround a pole, and are cut there."
    )
    if kind in ("gpkg", "fgb"):
        assert pyogrio.read_info(path)["geometry_type"] == "MultiPolygon"
        assert set(shapely.get_type_id(shapes)) == {6}


async def test_lines_end_at_the_antimeridian(atlas: Atlas, tmp_path: Path) -> None:
    path, _ = await made(atlas, tmp_path, "data.routes", format="geojson")
    (route,) = read(path).geometry
    assert route.equals(shapely.from_wkt("MULTILINESTRING((170 40, 180 40), (-180 40, -170 40))"))


async def test_a_cap_around_a_pole_reaches_it_and_keeps_its_area(atlas: Atlas, tmp_path: Path) -> None:
    path, report = await made(atlas, tmp_path, "data.caps", format="geojson")
    shapes = read(path).geometry
    assert shapes.is_valid.all()
    assert shapes["pole"].bounds == pytest.approx((-180, -90, 180, -83.5), abs=0.1)
    back = geopandas.GeoSeries([shapely.segmentize(shapes["pole"], 0.5)], crs=4326).to_crs(3031)[0]
    assert back.area == pytest.approx(1e12, rel=2e-4)
    assert report.notes[0].startswith("1 shape of caps reaches the antimeridian or surrounds a pole")
    _, plain = await made(atlas, tmp_path, "data.caps", format="gpkg")
    assert not plain.notes


async def test_an_area_that_is_wider_than_half_of_the_world_stays_whole(atlas: Atlas, tmp_path: Path) -> None:
    path, report = await made(atlas, tmp_path, "data.oceans", format="geojson")
    assert read(path).geometry["most"].bounds == pytest.approx((-180, -60, 170, 60))
    assert not report.notes


@pytest.mark.parametrize("kind", ["geojson", "kml"])
async def test_longitudes_beyond_180_are_on_the_other_side(atlas: Atlas, tmp_path: Path, kind: str) -> None:
    path, _ = await made(atlas, tmp_path, "data.beyond", format=kind)
    shapes = shapely.force_2d(read(path).geometry)
    assert shapes["point"].equals(shapely.Point(-175, 5))
    assert shapes["plain"].equals(shapely.box(0, 0, 10, 10))
    assert shapes["area"].equals(shapely.box(170, 0, 180, 10) | shapely.box(-180, 0, -170, 10))


@pytest.mark.parametrize("crs", ["EPSG:3857", "EPSG:3832"])
async def test_longitudes_beyond_180_do_not_run_around_the_world_in_other_systems(
    atlas: Atlas, tmp_path: Path, crs: str
) -> None:
    """In a system around the Pacific they are drawn where they are, in one piece."""
    await atlas.execute(
        "CREATE TABLE IF NOT EXISTS data.flights (name text PRIMARY KEY, geom geometry(LineString, 4326))",
        "INSERT INTO data.flights VALUES ('far', 'SRID=4326;LINESTRING(170 40, 190 40)'),"
        " ('near', 'SRID=4326;LINESTRING(0 0, 10 10)') ON CONFLICT DO NOTHING",
    )
    path, report = await made(atlas, tmp_path, "data.flights", format="gpkg", crs=crs)
    shapes = read(path).geometry
    whole = crs == "EPSG:3832"
    assert shapely.get_num_geometries(shapes["far"]) == (1 if whole else 2)
    assert shapes["far"].length == pytest.approx(20 * 111_319.49, rel=1e-4)
    assert [note for note in report.notes if "antimeridian" in note] == (
        []
        if whole
        else ["1 shape of flights reaches the antimeridian or surrounds a pole, and is cut there."]
    )


async def test_points_in_metres_are_not_said_to_be_cut(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.trees AS SELECT 1 AS id, ST_Point(600000, 6800000, 2154)::geometry(Point, 2154) AS geom"
    )
    path, report = await made(atlas, tmp_path, "data.trees", format="geojson")
    assert not report.notes
    assert pyogrio.read_dataframe(path).geometry[0].distance(shapely.Point(1.6513, 48.2926)) < 0.01


@pytest.mark.parametrize("decimals", [1, 3])
async def test_rounded_shapes_are_of_the_type_that_the_file_declares(
    atlas: Atlas, tmp_path: Path, decimals: int
) -> None:
    await atlas.execute(
        f"CREATE TABLE data.rounded{decimals} AS SELECT 1 AS id, ST_Multi(ST_MakeEnvelope(0, 0, 10, 10, 2154))::"
        "geometry(MultiPolygon, 2154) AS geom",
        f"CREATE TABLE data.waist{decimals} AS SELECT 1 AS id, ST_GeomFromText('POLYGON((0 0, 4 0, 5 1.99, 6 0, 10 0,"
        " 10 4, 6 4, 5 2.01, 4 4, 0 4, 0 0))', 2154)::geometry(Polygon, 2154) AS geom",
    )
    for table, wanted in (
        ("rounded", "MultiPolygon"),
        ("waist", "MultiPolygon" if decimals == 1 else "Polygon"),
    ):
        path, _ = await made(atlas, tmp_path, f"data.{table}{decimals}", format="gpkg", precision=decimals)
        (shape,) = pyogrio.read_dataframe(path).geometry
        assert (pyogrio.read_info(path)["geometry_type"], shape.geom_type) == (wanted, wanted)
