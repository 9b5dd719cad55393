"""In which reference system files are written, read back by the programs that people would read them with."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import AsyncIterator
from pathlib import Path

import geopandas
import pyogrio
import pytest
import pytest_asyncio
import shapely
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from server.database.engines import Database
from server.http import errors, exports
from server.transfers.spool import Spool
from tests.integration.exchange.test_export import ATLAS, Client, exported, read
from tests.integration.tiles.drawing import Atlas

FILES = ("gpkg", "fgb", "parquet")
PARIS = shapely.Point(652_469.02, 6_862_035.26)
"""In EPSG:2154."""


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def some_tables(database: Database) -> None:
    await Atlas(database).execute(
        "CREATE TABLE data.lambert (id int PRIMARY KEY, geom geometry(Point, 2154))",
        f"INSERT INTO data.lambert VALUES (1, ST_SetSRID('{PARIS.wkt}'::geometry, 2154))",
        "CREATE TABLE data.degrees AS SELECT 1 AS id, ST_Transform(geom, 4326)::geometry(Point, 4326) AS geom"
        " FROM data.lambert",
        "CREATE TABLE data.far AS SELECT 2 AS id, 'SRID=4326;POINT(3 -90)'::geometry(Point, 4326) AS geom"
        " UNION ALL SELECT id, geom FROM data.degrees UNION ALL SELECT 3, NULL",
        "CREATE TABLE data.caps AS SELECT 1 AS id,"
        " 'SRID=4326;POLYGON((-180 80,180 80,180 90,-180 90,-180 80))'::geometry(Polygon, 4326) AS geom",
        "CREATE TABLE data.world AS SELECT 1 AS id,"
        " 'SRID=4326;POLYGON((-180 -80,180 -80,180 80,-180 80,-180 -80))'::geometry(Polygon, 4326) AS geom",
        "CREATE TABLE data.pacific AS SELECT 1 + west / 179 AS id, ST_Transform(ST_ShiftLongitude(ST_MakeEnvelope(west,"
        " -18, west + 2, -16, 4326)), 3832)::geometry(Polygon, 3832) AS geom FROM (VALUES (177), (179)) AS each(west)",
        "CREATE TABLE data.parcels (id int PRIMARY KEY, geom geometry(Polygon, 2154))",
        "INSERT INTO data.parcels SELECT 1, ST_Reverse(ST_Buffer(geom, 10)) FROM data.lambert",
    )


@pytest_asyncio.fixture(loop_scope="session")
async def client(database: Database) -> AsyncIterator[Client]:
    atlas = Atlas(database)
    app = web.Application(middlewares=[errors.faults])
    app[ATLAS] = atlas
    spool = Spool(1_000_000_000)
    app.add_routes(exports.routes(database.reader, atlas.registry, atlas.layers, spool))
    async with TestClient(TestServer(app)) as opened:
        yield opened
    spool.close()


@pytest.mark.parametrize("kind", FILES)
async def test_files_are_in_the_reference_system_of_the_layer(
    client: Client, tmp_path: Path, kind: str
) -> None:
    headers, body = await exported(client, kind, "data.lambert")
    frame = read(kind, body, tmp_path)
    assert frame.crs is not None
    assert frame.crs.to_epsg() == 2154
    assert frame.geometry[0].equals_exact(PARIS, 1e-6)
    assert headers["Content-Crs"] == "<http://www.opengis.net/def/crs/EPSG/0/2154>"
    if kind != "parquet":
        assert pyogrio.read_info(tmp_path / f"x.{kind}")["crs"] == "EPSG:2154"


@pytest.mark.parametrize("kind", [*FILES, "geojson"])
@pytest.mark.parametrize("table", ["data.lambert", "data.degrees"])
async def test_files_are_in_any_reference_system_that_is_asked_for(
    client: Client, tmp_path: Path, kind: str, table: str
) -> None:
    _, body = await exported(client, kind, table, query="?crs=EPSG:3857")
    frame = read(kind, body, tmp_path)
    assert frame.crs is not None
    assert frame.crs.to_epsg() == 3857
    expected = geopandas.GeoSeries([PARIS], crs=2154).to_crs(3857)[0]
    assert frame.geometry[0].distance(expected) < 0.01


async def test_a_polar_cap_keeps_its_area_in_a_polar_projection(client: Client, tmp_path: Path) -> None:
    """Both ends of its edge from 180° W to 180° E are the same place there."""
    _, body = await exported(client, "gpkg", "data.caps", query="?crs=EPSG:3413")
    (cap,) = read("gpkg", body, tmp_path).geometry
    (edge,) = geopandas.GeoSeries([shapely.Point(0, 80)], crs=4326).to_crs(3413)
    assert cap.area == pytest.approx(math.pi * edge.distance(shapely.Point(0, 0)) ** 2, rel=1e-3)
    assert cap.is_valid


@pytest.mark.parametrize("kind", ["geojson", "gpkg"])
async def test_a_file_of_which_some_shapes_are_cut_holds_one_type(
    client: Client, tmp_path: Path, kind: str
) -> None:
    _, body = await exported(client, kind, "data.pacific", query="?crs=EPSG:4326")
    frame = read(kind, body, tmp_path)
    assert set(frame.geometry.geom_type) == {"MultiPolygon"}
    assert shapely.area(frame.geometry).tolist() == pytest.approx([4, 4])


async def test_an_edge_around_the_earth_stays_one_edge_where_it_is_one(
    client: Client, tmp_path: Path
) -> None:
    _, body = await exported(client, "gpkg", "data.world", query="?crs=EPSG:3857")
    (world,) = read("gpkg", body, tmp_path).geometry
    assert len(world.exterior.coords) == 5


async def test_geojson_is_in_longitude_and_latitude_unless_asked(client: Client) -> None:
    _, body = await exported(client, "geojson", "data.parcels")
    document = json.loads(body)
    assert "crs" not in document
    ring = document["features"][0]["geometry"]["coordinates"][0]
    assert shapely.LinearRing(ring).is_ccw, "RFC 7946 has exterior rings counterclockwise"
    assert 2 < ring[0][0] < 3
    _, body = await exported(client, "geojson", "data.parcels", query="?crs=2154")
    document = json.loads(body)
    assert document["crs"] == {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::2154"}}
    assert "crs" not in document["features"][0]["geometry"]


async def test_csv_has_coordinates_of_the_layer_as_columns_or_as_text(client: Client) -> None:
    async def first(query: str, table: str = "data.lambert") -> dict[str, str]:
        _, body = await exported(client, "csv", table, query=query)
        return next(csv.DictReader(io.StringIO(body.decode())))

    assert await first("") == {"id": "1", "x": str(PARIS.x), "y": str(PARIS.y)}
    assert (await first("?geometry=wkt"))["geometry"] == f"POINT({PARIS.x} {PARIS.y})"
    assert list(await first("?crs=OGC:CRS84")) == ["id", "longitude", "latitude"]
    assert shapely.from_wkt((await first("", "data.parcels"))["geometry"]).area > 300


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("?crs=EPSG:999999", "not known"),
        ("?crs=mars", "names no coordinate reference system"),
        ("?geometry=xml", "`wkt` or `xy`"),
        ("?geometry=xy", "Only points"),
        ("?crs=EPSG:2154&outside=keep", "`drop` or `null`"),
    ],
)
async def test_what_cannot_be_written_is_refused(client: Client, query: str, says: str) -> None:
    await exported(client, "csv", "data.parcels")
    answer = await client.get(f"/api/maps/m/layers/a/export.csv{query}")
    assert answer.status == 400
    assert says in (await answer.json())["error"]["message"]


@pytest.mark.parametrize("kind", ["csv", "gpkg"])
async def test_shapes_that_a_system_has_no_coordinates_for_are_refused_or_left_out(
    client: Client, tmp_path: Path, kind: str
) -> None:
    _, body = await exported(client, "geojson", "data.far", query="?crs=EPSG:2154&outside=drop")
    assert sorted(each["properties"]["id"] for each in json.loads(body)["features"]) == [1, 3]
    answer = await client.get(f"/api/maps/m/layers/a/export.{kind}?crs=EPSG:2154")
    assert answer.status == 400
    assert "outside of what the reference system covers" in (await answer.json())["error"]["message"]
    _, body = await exported(client, "geojson", "data.far", query="?crs=EPSG:2154&outside=null")
    shapes = {each["properties"]["id"]: each["geometry"] for each in json.loads(body)["features"]}
    assert (shapes[1] is not None, shapes[2], shapes[3]) == (True, None, None)
