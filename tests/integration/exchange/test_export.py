"""Exports, read back by the programs that people would read them with."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import geopandas
import pyarrow.parquet as pq
import pytest
import pytest_asyncio
import shapely
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from agents.domain import Cql2
from server.database.engines import Database
from server.gis.errors import TooExpensive
from server.gis.export.files import write_file
from server.gis.export.layers import csv_lines, harmless
from server.gis.export.source import Source
from server.http import errors, exports
from server.transfers.spool import Spool
from tests.integration.tiles.drawing import Atlas, bare_layer

Client = TestClient[web.Request, web.Application]
ATLAS = web.AppKey("atlas", Atlas)
FORMATS = ("geojson", "csv", "gpkg", "fgb", "parquet")


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def some_tables(database: Database) -> None:
    await Atlas(database).execute(
        'CREATE TABLE data.sites (id int PRIMARY KEY, "select" text, "Name" text, name text, n numeric(10,2), '
        "f float8, big bigint, flag bool, day date, at timestamptz, j jsonb, u uuid, raw bytea, tags text[], "
        "geom geometry(Point, 25832))",
        """INSERT INTO data.sites SELECT n, 's' || n, CASE n WHEN 3 THEN '=1+1' ELSE 'ümläut, "q"' END,
            CASE WHEN n % 2 = 0 THEN NULL ELSE 'x' END, n / 3.0, CASE n WHEN 5 THEN 'NaN'::float8 ELSE n / 7.0 END,
            9007199254740993, n % 2 = 0, '2020-02-29', '2020-02-29 12:00:00+02', '{"a": [1, null]}',
            '00000000-0000-0000-0000-000000000001', '\\x0001', '{a,"b c"}',
            CASE n WHEN 7 THEN NULL ELSE ST_Transform(ST_SetSRID(ST_MakePoint(9 + n / 1000.0, 50), 4326), 25832) END
            FROM generate_series(1, 2500) n""",
        "CREATE TABLE data.shapes (key text PRIMARY KEY, geom geometry)",
        "INSERT INTO data.shapes VALUES ('p', 'SRID=4326;POINT Z (1 2 3)'), "
        "('c', 'SRID=4326;CURVEPOLYGON(CIRCULARSTRING(0 0, 10 10, 20 0, 10 -10, 0 0))'), "
        "('m', 'SRID=4326;MULTILINESTRING((0 0, 1 1), (2 2, 3 3))'), ('e', 'SRID=4326;POLYGON EMPTY'), "
        "('t', 'SRID=4326;TIN(((0 0 0, 1 0 0, 0 1 0, 0 0 0)))'), ('=n', NULL)",
        'CREATE TABLE data."näme ""q""/x" (fid int, geometry text, longitude int, geom geometry(Polygon, 4326))',
        'INSERT INTO data."näme ""q""/x" VALUES (1, \'g\', 5, ST_MakeEnvelope(0, 0, 1, 1, 4326))',
        "CREATE TABLE data.peaks AS SELECT 1 AS id, ST_SetSRID(ST_MakePoint(1, 2, 3), 4326)::geometry(PointZ, 4326) g",
        "CREATE TABLE data.nothing (id int PRIMARY KEY, geom geometry(Point, 4326))",
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
    assert spool.used == 0
    spool.close()


async def exported(
    client: Client,
    kind: str,
    table: str,
    filter: Cql2 | None = None,
    name: str | None = None,
    query: str = "",
) -> tuple[dict[str, str], bytes]:
    atlas: Atlas = client.app[ATLAS]
    entry = await atlas.table(table)
    atlas.layers.known["m", "a", 1] = bare_layer(entry, filter=filter, name=name or entry.name)
    answer = await client.get(f"/api/maps/m/layers/a/export.{kind}{query}")
    assert answer.status == 200, await answer.text()
    return dict(answer.headers), await answer.read()


def read(kind: str, body: bytes, folder: Path) -> geopandas.GeoDataFrame:
    path = folder / f"x.{kind}"
    path.write_bytes(body)
    return geopandas.read_parquet(path) if kind == "parquet" else geopandas.read_file(path)


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "csv"])
async def test_geopandas_reads_back_every_row_at_its_place(client: Client, tmp_path: Path, kind: str) -> None:
    _, body = await exported(client, kind, "data.sites")
    frame = read(kind, body, tmp_path)
    assert len(frame) == 2500
    assert frame.crs is not None
    assert frame.crs.equals("EPSG:4326" if kind == "geojson" else "EPSG:25832", ignore_axis_order=True)
    frame = frame.to_crs(4326)
    frame = frame.set_index("id") if "id" in frame.columns else frame
    row = frame.loc[3]
    assert (row["select"], row["Name"], row["name_" if kind in ("gpkg", "fgb") else "name"]) == (
        "s3",
        "=1+1",
        "x",
    )
    assert row.geometry.distance(shapely.Point(9.003, 50)) < 1e-8
    assert frame.loc[7].geometry is None
    assert float(row["n"]) == 1.0
    assert int(row["big"]) == 9007199254740993
    assert str(row["day"]).startswith("2020-02-29")
    assert str(row["at"]).startswith("2020-02-29 10:00:00")


@pytest.mark.parametrize("kind", FORMATS)
async def test_only_rows_that_pass_the_filter_are_exported(client: Client, tmp_path: Path, kind: str) -> None:
    filter = {"op": "<=", "args": [{"property": "id"}, 10]}
    _, body = await exported(client, kind, "data.sites", filter)
    if kind == "csv":
        assert len(list(csv.DictReader(io.StringIO(body.decode())))) == 10
    else:
        assert len(read(kind, body, tmp_path)) == 10


@pytest.mark.parametrize("kind", FORMATS)
async def test_a_layer_without_rows_is_a_valid_file(client: Client, tmp_path: Path, kind: str) -> None:
    _, body = await exported(client, kind, "data.nothing")
    if kind == "csv":
        assert body == b"id,longitude,latitude\r\n"
    else:
        assert len(read(kind, body, tmp_path)) == 0


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "csv"])
async def test_geometries_of_all_kinds_survive(client: Client, tmp_path: Path, kind: str) -> None:
    _, body = await exported(client, kind, "data.shapes")
    frame = read(kind, body, tmp_path).set_index("key")
    assert frame.loc["p"].geometry.has_z or kind == "fgb", "FlatGeobuf has heights only where all have"
    assert frame.loc["m"].geometry.geom_type == "MultiLineString"
    assert frame.loc["c"].geometry.area == pytest.approx(314, rel=0.01)
    assert frame.loc["t"].geometry.area == pytest.approx(0.5)
    assert frame.loc["=n"].geometry is None


@pytest.mark.parametrize("kind", ["geojson", "gpkg", "fgb", "parquet"])
async def test_heights_of_a_column_that_declares_them_survive(
    client: Client, tmp_path: Path, kind: str
) -> None:
    _, body = await exported(client, kind, "data.peaks")
    assert read(kind, body, tmp_path).geometry[0].z == 3


@pytest.mark.parametrize("kind", FORMATS)
async def test_names_that_are_awful_survive(client: Client, tmp_path: Path, kind: str) -> None:
    headers, body = await exported(client, kind, 'data."näme ""q""/x"')
    assert 'filename="name _q_x.' in headers["Content-Disposition"]
    assert "/" not in headers["Content-Disposition"].split("filename*=")[0]
    if kind == "csv":
        (row,) = csv.DictReader(io.StringIO(body.decode()))
        assert (row["geometry"], row["longitude"], row["geometry_"][:7]) == ("g", "5", "POLYGON")
        return
    frame = read(kind, body, tmp_path)
    assert shapely.area(frame.geometry.values).tolist() == [1.0]
    if kind in ("fgb", "parquet"):
        assert frame["longitude"].tolist() == [5]


async def test_csv_has_coordinates_and_never_a_formula(client: Client) -> None:
    headers, body = await exported(client, "csv", "data.sites", query="?crs=EPSG:4326")
    assert headers["Content-Type"].startswith("text/csv; charset=utf-8")
    rows = list(csv.DictReader(io.StringIO(body.decode())))
    third = rows[2]
    assert third["Name"] == "'=1+1"
    assert rows[0]["Name"] == 'ümläut, "q"'
    assert float(third["longitude"]) == pytest.approx(9.003)
    assert third["raw"] == "AAE="
    assert rows[6]["longitude"] == ""


def test_numbers_below_zero_are_no_formulas() -> None:
    assert harmless(-5) == -5
    assert [harmless(text) for text in ("-x", "+x", "@x", "=x", "\tx", "x", "")] == [
        "'-x", "'+x", "'@x", "'=x", "'\tx", "x", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["＝1+1", "＋1", "－1", "＠SUM(1)", "﹦1", "\n=1", "\r=1", "\ufeff=1", "\u200b=1", " =1", "\x00=1"],
)
def test_formulas_are_disarmed_in_every_form(text: str) -> None:
    assert harmless(text).startswith("'")
    assert harmless(text).replace("'", "") == text


@pytest.mark.parametrize("separator", [";", "|", "\t", "\r", "\n"])
@pytest.mark.parametrize(
    "formula",
    [
        "=1+1",
        "＝1+1",
        "-2+3+cmd|' /C calc'!A0",
        '"=1+1',
        ' ""=1+1";',
        "\u200b=1",
        "\ufeff@x",
        "\x01=1",
        "+5*6",
    ],
)
def test_formulas_are_disarmed_behind_what_other_settings_take_for_the_end_of_a_cell(
    separator: str, formula: str
) -> None:
    written = csv_lines([["1", harmless(f"a{separator}{formula}"), "z"]]).decode().replace("\r", "\n")
    delimiter = separator if separator in ";|\t" else ";"
    cells = [cell for row in csv.reader(io.StringIO(written), delimiter=delimiter) for cell in row]
    visible = ["".join(sign for sign in cell if unicodedata.category(sign)[0] not in "ZC") for cell in cells]
    assert not any(cell.startswith(("=", "＝", "@", "+", "-")) for cell in visible), cells


@pytest.mark.parametrize("text", ["a;-5;+1.5", "from -5 to -2", "1|-2|3", "a = b", "x@example.org", "a;b=c"])
def test_what_no_spreadsheet_executes_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text


async def test_no_formula_hides_behind_another_separator(client: Client, database: Database) -> None:
    await Atlas(database).execute(
        "CREATE TABLE data.separators AS SELECT 1 AS id, 'a;=1+1' AS semicolon, E'a\\t=1+1' AS tab, '＝1+1' AS wide,"
        " 'SRID=4326;POINT(1 2)'::geometry(Point, 4326) AS geom"
    )
    _, body = await exported(client, "csv", "data.separators")
    assert b'"a;\'=1+1","a\t\'=1+1",' in body
    for delimiter in ",;\t":
        for row in csv.reader(io.StringIO(body.decode()), delimiter=delimiter):
            assert not any(cell.startswith(("=", "＝")) for cell in row)


async def test_geojson_is_what_its_standard_says(client: Client) -> None:
    headers, body = await exported(client, "geojson", "data.sites", name="Sites")
    assert headers["Content-Crs"] == "<http://www.opengis.net/def/crs/OGC/1.3/CRS84>"
    document: dict[str, Any] = json.loads(body)
    assert (document["type"], document["name"]) == ("FeatureCollection", "Sites")
    assert "crs" not in document
    features = {feature["id"]: feature for feature in document["features"]}
    assert features[5]["properties"]["f"] is None
    assert features[5]["properties"]["j"] == {"a": [1, None]}
    assert features[5]["properties"]["tags"] == ["a", "b c"]
    assert features[7]["geometry"] is None


async def test_geoparquet_metadata_is_valid(client: Client, tmp_path: Path) -> None:
    _, body = await exported(client, "parquet", "data.shapes")
    path = tmp_path / "x.parquet"
    path.write_bytes(body)
    geo = json.loads(pq.ParquetFile(path).metadata.metadata[b"geo"])
    assert (geo["version"], geo["primary_column"]) == ("1.1.0", "geometry")
    column = geo["columns"]["geometry"]
    assert column["encoding"] == "WKB"
    assert set(column["geometry_types"]) == {"Point Z", "Polygon", "MultiLineString", "MultiPolygon Z"}
    assert column["bbox"][0] <= 0
    assert column["bbox"][2] >= 20


async def test_a_file_too_large_is_refused_before_it_is_written(database: Database, tmp_path: Path) -> None:
    atlas = Atlas(database)
    source = Source(database.reader, await atlas.table("data.sites"))
    with pytest.raises(TooExpensive, match="2,500 rows are too many"):
        await write_file(source, "gpkg", "x", tmp_path / "x.gpkg", most_rows=100)
    assert not (tmp_path / "x.gpkg").exists()


@pytest.mark.parametrize("path", ["/api/maps/m/layers/a/export.exe", "/api/maps/m/layers/zz/export.csv"])
async def test_what_is_not_there_is_refused(client: Client, path: str) -> None:
    answer = await client.get(path)
    assert answer.status == 404
    assert (await answer.json())["error"]["message"]


async def test_a_table_that_is_gone_is_an_answer_and_no_broken_file(
    client: Client, database: Database
) -> None:
    atlas: Atlas = client.app[ATLAS]
    await atlas.execute("CREATE TABLE data.fleeting (id int PRIMARY KEY, geom geometry(Point, 4326))")
    entry = await atlas.table("data.fleeting")
    atlas.layers.known["m", "a", 1] = bare_layer(entry)
    await atlas.execute("DROP TABLE data.fleeting")
    for kind in FORMATS:
        answer = await client.get(f"/api/maps/m/layers/a/export.{kind}")
        assert answer.status == 404, kind
        assert (await answer.json())["error"]["code"] == "unknown_table"
