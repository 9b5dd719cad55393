"""Files of people as they come: of every format, awful, broken and hostile."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import geopandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
import sqlalchemy as sa

from agents.domain import StyleSpec
from server.database.engines import Database
from server.gis.export.columns import usual_columns
from server.gis.export.files import write_file
from server.gis.export.source import Source
from server.gis.ingest import CannotLoad, TableExists, load_file
from tests.integration.tiles.drawing import Atlas

Write = Callable[[geopandas.GeoDataFrame, Path], None]

FORMATS: dict[str, Write] = {
    "geojson": lambda frame, path: frame.to_file(path, driver="GeoJSON"),
    "geojsonl": lambda frame, path: frame.to_file(path, driver="GeoJSONSeq", RS="YES"),
    "ndjson": lambda frame, path: frame.to_file(path, driver="GeoJSONSeq"),
    "gpkg": lambda frame, path: frame.to_file(path, driver="GPKG"),
    "fgb": lambda frame, path: frame.to_file(path, driver="FlatGeobuf", SPATIAL_INDEX="NO"),
    "shp": lambda frame, path: frame.to_file(path, encoding="utf-8"),
    "kml": lambda frame, path: frame.to_file(path, driver="KML"),
    "parquet": lambda frame, path: frame.to_parquet(path),
}


def frame(crs: int | None = 4326) -> geopandas.GeoDataFrame:
    found = geopandas.GeoDataFrame(
        {"code": ["a", "ü", None], "height": [1.5, None, -3], "number": [1, 2, 3]},
        geometry=[shapely.Point(10, 50), shapely.Point(11, 51), shapely.Point(12, 52)],
        crs=4326,
    )
    return found.to_crs(crs) if crs else found.set_crs(None, allow_override=True)


async def rows(database: Database, query: str) -> Sequence[Any]:
    async with database.owner.connect() as connection:
        return (await connection.exec_driver_sql(query)).all()


async def exists(database: Database, name: str) -> bool:
    async with database.owner.connect() as connection:
        query = sa.text("SELECT count(*) FROM pg_tables WHERE schemaname = 'data' AND tablename = :name")
        return bool((await connection.execute(query, {"name": name})).scalar_one())


def text(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("kind", FORMATS)
async def test_every_format_becomes_a_table(database: Database, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"places.{kind}"
    FORMATS[kind](frame(), path)
    report = await load_file(database, path, f"from {kind}")
    assert (report.rows, report.skipped, report.srid, report.geometry_type) == (3, 0, 4326, "POINT")
    found = await rows(
        database,
        f"SELECT round(ST_X(g)::numeric, 6), code, number::int FROM (SELECT *, {report.columns[-1]} AS g "
        f'FROM data."from {kind}") t ORDER BY 1',
    )
    assert [(float(x), code or None, number) for x, code, number in found] == [
        (10, "a", 1), (11, "ü", 2), (12, None, 3),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind not in ("kml", "geojsonl", "ndjson")])
async def test_the_reference_system_is_kept(database: Database, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"utm.{kind}"
    FORMATS[kind](frame(25832), path)
    report = await load_file(database, path, f"utm {kind}")
    assert report.srid == 25832
    (row,) = await rows(
        database, f'SELECT min(ST_X(ST_Transform({report.columns[-1]}, 4326))) FROM data."utm {kind}"'
    )
    assert row[0] == pytest.approx(10)


async def test_a_new_table_has_key_index_comment_statistics_and_readers(
    database: Database, tmp_path: Path
) -> None:
    path = text(tmp_path / "Züge.csv", "name,lon,lat\nx,1,2\ny,3,4\n")
    report = await load_file(database, path)
    assert report.table == "data.Züge"
    ((comment,),) = await rows(database, "SELECT obj_description('data.\"Züge\"'::regclass)")
    assert comment.startswith("2 rows loaded from Züge.csv on 20")
    indexes = await rows(database, "SELECT indexdef FROM pg_indexes WHERE tablename = 'Züge' ORDER BY 1")
    assert any("gist (geom)" in index for (index,) in indexes)
    assert any("(id)" in index for (index,) in indexes)
    ((tuples,),) = await rows(
        database, "SELECT reltuples FROM pg_class WHERE oid = 'data.\"Züge\"'::regclass"
    )
    assert tuples == 2
    async with database.reader.connect() as reader:
        assert (await reader.exec_driver_sql('SELECT count(*) FROM data."Züge"')).scalar_one() == 2


async def test_a_loaded_table_can_be_drawn_at_once(database: Database, tmp_path: Path) -> None:
    atlas = Atlas(database)
    await load_file(database, text(tmp_path / "x.csv", "v,lon,lat\n1,1,2\n2,3,4\n"), 'drawn "at" once')
    table = await atlas.table('data."drawn ""at"" once"')
    layer = await atlas.layer(table.id, StyleSpec(kind="graduated", column="v"))
    assert [entry.count for entry in layer.legend.entries] == [1, 1]
    assert {feature.id for feature in (await atlas.tile(0, 0, 0))["features"]} == {1, 2}


async def test_unusual_column_names_are_kept_or_their_change_is_reported(
    database: Database, tmp_path: Path
) -> None:
    long = "n" * 70
    path = text(
        tmp_path / "names.csv",
        f'select,"a ""b""",ctid,A b,%s :x $1,{long}1,{long}2,,lon,lat\n1,2,3,4,5,6,7,8,9,10\n',
    )
    report = await load_file(database, path)
    (row,) = await rows(database, "SELECT * FROM data.names")
    names = list(row._mapping)
    assert names[:5] == ["select", 'a "b"', "ctid_", "A b", "%s :x $1"]
    assert names[5] == long[:63]
    assert names[6] == long[:58] + "_2"
    assert names[7] == "column_8"
    assert "Column 'ctid' is named 'ctid_'." in report.remarks


async def test_a_name_of_postgresqls_own_is_again_that_of_the_column_in_files(
    database: Database, tmp_path: Path
) -> None:
    await load_file(database, text(tmp_path / "boxes.csv", "name,xmin,lon,lat\na,1,3,4\n"))
    table = await Atlas(database).table("data.boxes")
    assert [label for _, label in usual_columns(table)] == ["name", "xmin", "lon", "lat"]


@pytest.mark.parametrize(
    "name", ["select", "My Table", 'naïve"quote', "a.b", "%s", ":x", "$1", "'; DROP SCHEMA data; --"]
)
async def test_the_name_of_the_table_is_kept_as_it_is(database: Database, tmp_path: Path, name: str) -> None:
    await load_file(database, text(tmp_path / "x.csv", "lon,lat\n1,2\n"), name)
    assert await exists(database, name)


async def test_a_name_that_is_taken_is_refused_and_the_table_stays(
    database: Database, tmp_path: Path
) -> None:
    await load_file(database, text(tmp_path / "once.csv", "lon,lat\n1,2\n"))
    with pytest.raises(TableExists, match="already"):
        await load_file(database, text(tmp_path / "once.csv", "lon,lat\n3,4\n5,6\n"))
    assert len(await rows(database, "SELECT * FROM data.once")) == 1


async def test_polygons_and_multipolygons_become_multipolygons(database: Database, tmp_path: Path) -> None:
    box = shapely.box(0, 0, 1, 1)
    mixed = geopandas.GeoDataFrame({"a": [1, 2]}, geometry=[box, shapely.MultiPolygon([box])], crs=4326)
    mixed.to_file(tmp_path / "areas.gpkg")
    assert (await load_file(database, tmp_path / "areas.gpkg")).geometry_type == "MULTIPOLYGON"


async def test_invalid_polygons_are_loaded_and_told(database: Database, tmp_path: Path) -> None:
    bow = shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1), (0, 0)])
    geopandas.GeoDataFrame({"a": [1]}, geometry=[bow], crs=4326).to_file(tmp_path / "bow.gpkg")
    report = await load_file(database, tmp_path / "bow.gpkg")
    assert "1 polygon is not valid" in " ".join(report.remarks)


async def test_without_a_reference_system_only_degrees_are_believed(
    database: Database, tmp_path: Path
) -> None:
    degrees = frame(None)
    degrees.to_file(tmp_path / "degrees.shp")
    (tmp_path / "degrees.prj").unlink(missing_ok=True)
    report = await load_file(database, tmp_path / "degrees.shp")
    assert report.srid == 4326
    assert "assumed to be EPSG:4326" in " ".join(report.remarks)
    metres = frame(25832)
    metres.to_file(tmp_path / "metres.shp")
    (tmp_path / "metres.prj").unlink()
    with pytest.raises(CannotLoad, match="Give its EPSG code"):
        await load_file(database, tmp_path / "metres.shp")
    assert not await exists(database, "metres")
    assert (await load_file(database, tmp_path / "metres.shp", srid=25832)).srid == 25832


async def test_metres_in_geojson_are_not_taken_for_degrees(database: Database, tmp_path: Path) -> None:
    feature = (
        '{{"type": "Feature", "properties": {{"n": 1}}, "geometry": {{"type": "Point", "coordinates": {}}}}}'
    )
    document = '{{"type": "FeatureCollection", "features": [{}]}}'
    leeds = [feature.format(place) for place in ([430000, 433000], [431000, 434000])]
    path = text(tmp_path / "leeds.geojson", document.format(",".join(leeds)))
    with pytest.raises(CannotLoad, match=r"most of them cannot be\. Give the EPSG code"):
        await load_file(database, path)
    assert (await load_file(database, path, srid=27700)).srid == 27700
    # One mistake among degrees, and the world from 0 to 360, are no reason to refuse a file.
    degrees = [feature.format(place) for place in ([359, 89], [8, 47], [430000, 433000])]
    path = text(tmp_path / "around.geojson", document.format(",".join(degrees)))
    assert (await load_file(database, path)).srid == 4326


async def test_a_reference_system_without_a_number_is_transformed(database: Database, tmp_path: Path) -> None:
    own = "+proj=tmerc +lat_0=49.123 +lon_0=10.456 +x_0=1000 +y_0=2000 +datum=WGS84 +units=m"
    frame().to_crs(own).to_file(tmp_path / "own.gpkg")
    report = await load_file(database, tmp_path / "own.gpkg")
    assert report.srid == 4326
    assert "transformed" in " ".join(report.remarks)
    ((x,),) = await rows(database, "SELECT min(ST_X(geom)) FROM data.own")
    assert x == pytest.approx(10)


async def test_parquet_keeps_its_types(database: Database, tmp_path: Path) -> None:
    table = pa.table(
        {
            "tiny": pa.array([1], pa.int8()), "big": pa.array([2**63], pa.uint64()),
            "price": pa.array([1.25]).cast(pa.decimal128(10, 2)),
            "list": pa.array([[1, None]]), "nul": pa.array(["a\0b"]), "kind": pa.array(["x"]).dictionary_encode(),
            "raw": pa.array([b"\x00\xff"]), "at": pa.array([1], pa.timestamp("ns", "UTC")),
            "geometry": pa.array([shapely.to_wkb(shapely.Point(1, 2))]),
        }
    )  # fmt: skip
    pq.write_table(table, tmp_path / "typed.parquet")
    report = await load_file(database, tmp_path / "typed.parquet")
    assert (report.srid, report.geometry_type) == (4326, "POINT")
    ((big, price, found, nul, raw),) = await rows(
        database, "SELECT big, price, list::text, nul, raw FROM data.typed"
    )
    assert (int(big), str(price), found, nul, raw) == (2**63, "1.25", "[1, null]", "ab", b"\x00\xff")
    assert "1 NUL character was left out" in " ".join(report.remarks)


async def test_geometries_that_are_no_wkb_are_skipped_and_told(database: Database, tmp_path: Path) -> None:
    table = pa.table(
        {"a": [1, 2, 3], "geometry": pa.array([shapely.to_wkb(shapely.Point(1, 2)), b"nonsense", None])}
    )
    pq.write_table(table, tmp_path / "broken.parquet")
    report = await load_file(database, tmp_path / "broken.parquet")
    assert (report.rows, report.skipped, report.problems) == (2, 1, ["row 2: its geometry is not WKB"])


async def test_what_was_exported_can_be_loaded_again(database: Database, tmp_path: Path) -> None:
    atlas = Atlas(database)
    await load_file(database, text(tmp_path / "trip.csv", "name,v,lon,lat\nä,1.5,1,2\nb,,3,4\n"), "trip")
    source = Source(database.reader, await atlas.table("data.trip"))
    for kind in ("gpkg", "fgb", "parquet"):
        await write_file(source, kind, "trip", tmp_path / f"trip.{kind}")
        report = await load_file(database, tmp_path / f"trip.{kind}", f"trip {kind}")
        assert (report.rows, report.srid) == (2, 4326)
        # Files hold neither the keys that loading added nor, in FlatGeobuf, the order of the rows.
        held = "SELECT name, v, lon, lat, ST_AsText({}) FROM data.{} ORDER BY name"
        again = held.format("geometry" if kind == "parquet" else "geom", f'"trip {kind}"')
        assert await rows(database, again) == await rows(database, held.format("geom", "trip"))


async def test_one_of_several_layers_can_be_chosen(database: Database, tmp_path: Path) -> None:
    for name in ("first", "second"):
        frame().to_file(tmp_path / "two.gpkg", layer=name, driver="GPKG")
    with pytest.raises(CannotLoad, match="several layers: first, second"):
        await load_file(database, tmp_path / "two.gpkg")
    with pytest.raises(CannotLoad, match="no layer 'third'"):
        await load_file(database, tmp_path / "two.gpkg", layer="third")
    assert (await load_file(database, tmp_path / "two.gpkg", layer="second")).rows == 3


def archive(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in entries.items():
            made.writestr(name, content)
    return path


async def test_a_zipped_shapefile_is_found_in_its_folder(database: Database, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    frame(25832).to_file(tmp_path / "in" / "sites.shp", encoding="utf-8")
    entries = {f"a folder/{file.name}": file.read_bytes() for file in (tmp_path / "in").iterdir()}
    entries["__MACOSX/._sites.shp"] = b"junk"
    report = await load_file(database, archive(tmp_path / "zipped sites.zip", entries))
    assert (report.table, report.rows, report.srid) == ("data.zipped sites", 3, 25832)


async def test_columns_of_coordinates_in_parquet_become_points(database: Database, tmp_path: Path) -> None:
    table = pa.table({"lat": [1.5, None, 95.0, None], "lon": [2.5, None, 3.0, 4.0], "n": [1, 2, 3, 4]})
    pq.write_table(table, tmp_path / "sensors.parquet")
    report = await load_file(database, tmp_path / "sensors.parquet")
    assert (report.rows, report.skipped, report.geometry_type, report.srid) == (2, 2, "POINT", 4326)
    assert report.problems == ["row 3: 3.0, 95.0 is not a place", "row 4: 4.0, nan is not a place"]
    found = await rows(database, "SELECT n, lat, ST_AsText(geom) FROM data.sensors ORDER BY n")
    assert found == [(1, 1.5, "POINT(2.5 1.5)"), (2, None, None)]
    pq.write_table(pa.table({"x": [430000], "y": [433000]}), tmp_path / "grid.parquet")
    with pytest.raises(CannotLoad, match="Give its EPSG code"):
        await load_file(database, tmp_path / "grid.parquet")
    assert (await load_file(database, tmp_path / "grid.parquet", srid=27700)).srid == 27700
    pq.write_table(pa.table({"x": ["a"], "y": ["b"]}), tmp_path / "texts.parquet")
    assert (await load_file(database, tmp_path / "texts.parquet")).geometry_type is None
