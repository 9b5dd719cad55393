"""Files of several tables, read back by GeoPandas, pyogrio and the standard library."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import geopandas
import numpy
import pandas
import pyogrio
import pyproj
import pytest
import pytest_asyncio
import shapely
from pydantic import ValidationError

from agents.exports import ExportItem, ExportReport, ExportRequest
from server.database.engines import Database
from server.gis.errors import GisError
from server.gis.export.deliverable import resolved, wanted_of, write
from server.gis.ingest.load import load_file
from tests.integration.tiles.drawing import Atlas

SHAPED = ("gpkg", "geojson", "geojsonl", "fgb", "parquet", "shp", "kml")
ALL = (*SHAPED, "csv", "xlsx", "json")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def atlas(database: Database) -> Atlas:
    made = Atlas(database)
    await made.execute(
        "CREATE TABLE data.towns (id int PRIMARY KEY, name text, population_of_the_town int, "
        "population_of_the_region bigint, region text, founded date, geom geometry(Point, 2154))",
        "INSERT INTO data.towns SELECT n, CASE n WHEN 3 THEN 'Œuilly €' ELSE 'Town ' || n END, n * 1000, n * 5000, "
        "CASE WHEN n <= 3 THEN 'north' ELSE 'south' END, date '1200-01-01' + n, "
        "ST_SetSRID(ST_MakePoint(652469.123456 + n, 6862035.654321), 2154) FROM generate_series(1, 5) n",
        "CREATE TABLE data.fields (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        "INSERT INTO data.fields VALUES (1, 'SRID=4326;POLYGON((0 0, 1 0, 1 1, 0 0))'), "
        "(2, 'SRID=4326;MULTIPOLYGON(((2 0, 3 0, 3 1, 2 0)), ((4 0, 5 0, 5 1, 4 0)))'), (3, NULL)",
        "CREATE TABLE data.mixed AS SELECT 1 AS id, 'SRID=4326;POINT(1 2)'::geometry AS geom "
        "UNION ALL SELECT 2, 'SRID=4326;LINESTRING(0 0, 1 1)'",
        "CREATE TABLE data.budget (year int, amount numeric(10, 2), note text)",
        "INSERT INTO data.budget VALUES (2020, 1.5, '=1+1'), (2021, NULL, 'x')",
        "CREATE TABLE analysis.nearest_towns_a1b2c3 AS SELECT 'a' AS name, 7 AS n, "
        "'SRID=4326;POINT(1 2)'::geometry(Point, 4326) AS geom, 1::bigint AS fid",
        "ALTER TABLE analysis.nearest_towns_a1b2c3 ADD PRIMARY KEY (fid)",
    )
    return made


async def made(atlas: Atlas, folder: Path, *items: Any, **request: Any) -> tuple[Path, ExportReport]:
    asked = ExportRequest.model_validate(
        {
            "items": [item if isinstance(item, dict) else {"source": item} for item in items],
            "format": "gpkg",
            **request,
        }
    )
    await atlas.registry.refresh(patience=30)
    wanted = [wanted_of(item, atlas.registry.get(item.source)) for item in asked.items]
    parts = await resolved(atlas.database.reader, asked, wanted)
    return await write(asked, parts, folder)


def frame(path: Path, kind: str) -> Any:
    if kind == "parquet":
        return geopandas.read_parquet(path)
    if kind == "json":
        return pandas.DataFrame(json.loads(path.read_text()))
    if kind == "csv":
        return pandas.read_csv(path)
    return pyogrio.read_dataframe(path)


@pytest.mark.parametrize("kind", ALL)
async def test_every_format_is_read_back_by_another_program(atlas: Atlas, tmp_path: Path, kind: str) -> None:
    path, report = await made(atlas, tmp_path, "data.towns", format=kind, file_name="Towns of 2024")
    assert path.name == ("Towns of 2024.zip" if kind == "shp" else f"Towns of 2024.{kind}")
    assert report.bytes == path.stat().st_size
    assert report.layers[0].rows == 5
    found = frame(path, kind)
    assert len(found) == 5
    if kind == "fgb":  # its spatial index puts rows in another order
        found = found.sort_values("id", ignore_index=True)
    named = found["Name" if kind == "kml" else "name"]
    assert list(named)[2] == "Œuilly €"
    if kind in SHAPED:
        lonlat = kind in ("geojson", "geojsonl", "kml")
        assert found.crs.to_epsg() == (4326 if lonlat else 2154)
        first = found.to_crs(2154).geometry.iloc[0]
        assert shapely.force_2d(first).distance(shapely.Point(652470.123456, 6862035.654321)) < 1e-3


async def test_a_geopackage_holds_several_layers_and_tables(atlas: Atlas, tmp_path: Path) -> None:
    path, report = await made(
        atlas,
        tmp_path,
        {"source": "data.towns", "name": "places", "columns": ["population_of_the_town AS people", "name"]},
        "data.budget",
        "analysis.nearest_towns_a1b2c3",
        crs="EPSG:3857",
    )
    layers = dict(pyogrio.list_layers(path))
    assert layers == {"places": "Point", "budget": None, "nearest_towns": "Point"}
    assert list(pyogrio.read_info(path, layer="places")["fields"]) == ["people", "name"]
    assert list(pyogrio.read_info(path, layer="nearest_towns")["fields"]) == ["name", "n"], "without our fid"
    assert pyogrio.read_info(path, layer="places")["crs"] == "EPSG:3857"
    assert pyogrio.read_info(path, layer="nearest_towns")["crs"] == "EPSG:3857"
    budget = pyogrio.read_dataframe(path, layer="budget")
    assert list(budget["note"]) == ["=1+1", "x"]
    assert [layer.name for layer in report.layers] == ["places", "budget", "nearest_towns"]


async def test_single_and_multi_parts_become_one_type(atlas: Atlas, tmp_path: Path) -> None:
    path, report = await made(atlas, tmp_path, "data.fields")
    assert pyogrio.read_info(path)["geometry_type"] == "MultiPolygon"
    assert report.layers[0].geometry == "MultiPolygon"
    assert list(pyogrio.read_dataframe(path).geometry.geom_type.dropna()) == ["MultiPolygon", "MultiPolygon"]
    (tmp_path / "single").mkdir()
    path, report = await made(atlas, tmp_path / "single", "data.fields", kind="single")
    single = pyogrio.read_dataframe(path)
    assert pyogrio.read_info(path)["geometry_type"] == "Polygon"
    assert list(single.geometry.geom_type.dropna()) == ["Polygon", "Polygon", "Polygon"]
    assert list(single["id"]) == [1, 2, 2, 3]
    assert report.layers[0].rows == 4


@pytest.mark.parametrize("kind", ["geojson", "json", "csv", "gpkg"])
async def test_parts_of_shapes_are_rows_of_their_own(atlas: Atlas, tmp_path: Path, kind: str) -> None:
    path, _ = await made(atlas, tmp_path, "data.fields", format=kind, kind="single")
    assert len(frame(path, kind)) == 4


@pytest.mark.parametrize("kind", ["geojson", "geojsonl", "json", "gpkg"])
async def test_lines_keep_their_direction_heights_and_missing_shapes(
    atlas: Atlas, tmp_path: Path, kind: str
) -> None:
    await atlas.execute(
        "CREATE TABLE IF NOT EXISTS data.one_way (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        "TRUNCATE data.one_way",
        "INSERT INTO data.one_way VALUES (1, 'SRID=4326;LINESTRING(3 0, 2 1, 1 5)'),"
        " (2, 'SRID=4326;MULTILINESTRING((3 0, 2 1), (9 9, 8 8))'),"
        " (3, 'SRID=4326;GEOMETRYCOLLECTION(LINESTRING(3 0, 2 1), POLYGON((0 0, 0 1, 1 1, 0 0)))'), (4, NULL)",
    )
    path, _ = await made(atlas, tmp_path, "data.one_way", format=kind)
    if kind == "gpkg":
        found = [shape and shapely.geometry.mapping(shape) for shape in pyogrio.read_dataframe(path).geometry]
    elif kind == "json":
        found = [each["geometry"] for each in json.loads(path.read_text())]
    else:
        text = path.read_text()
        lines = text.replace("\x1e", "").splitlines() if kind == "geojsonl" else []
        features = [json.loads(line) for line in lines] or json.loads(text)["features"]
        found = [each["geometry"] for each in features]
    first, second, third, fourth = found
    assert [list(each) for each in first["coordinates"]] == [[3, 0], [2, 1], [1, 5]]
    assert [list(each[0]) for each in second["coordinates"]] == [[3, 0], [9, 9]]
    assert list(third["geometries"][0]["coordinates"][0]) == [3, 0]
    assert fourth is None
    if kind.startswith("geojson"):
        assert shapely.LinearRing(third["geometries"][1]["coordinates"][0]).is_ccw


async def test_rows_without_a_group_are_grouped_with_those_of_an_empty_text(
    atlas: Atlas, tmp_path: Path
) -> None:
    await atlas.execute(
        "CREATE TABLE data.grouped AS SELECT * FROM (VALUES (1, 'a'), (2, NULL), (3, '')) AS t (n, kind)"
    )
    path, _ = await made(atlas, tmp_path, "data.grouped", format="json", group_by="kind")
    pairs = json.loads(path.read_text(), object_pairs_hook=list)
    groups = {name: [dict(each)["n"] for each in rows] for name, rows in pairs}
    assert len(groups) == len(pairs)
    assert (groups["a"], sorted(groups[""])) == ([1], [2, 3])


@pytest.mark.parametrize(
    ("kind", "lost"),
    [
        ("fgb", "Heights (Z) and Measures (M) of measured are left out"),
        ("geojson", "Measures (M) of measured are left out"),
        ("json", "Measures (M) of measured are left out"),
        ("gpkg", None),
        ("parquet", None),
        ("csv", None),
    ],
)
async def test_coordinates_that_a_format_has_no_place_for_are_reported(
    atlas: Atlas, tmp_path: Path, kind: str, lost: str | None
) -> None:
    await atlas.execute(
        "CREATE TABLE IF NOT EXISTS data.measured (id int PRIMARY KEY, geom geometry(GeometryZM, 4326))",
        "INSERT INTO data.measured VALUES (1, 'SRID=4326;POINT ZM(1 2 3 4)'),"
        " (2, 'SRID=4326;LINESTRING ZM(1 2 3 4, 5 6 7 8)') ON CONFLICT DO NOTHING",
    )
    _, report = await made(atlas, tmp_path, "data.measured", format=kind)
    assert any(note.startswith(lost) for note in report.notes) if lost else report.notes == ()


async def test_shapes_far_outside_of_a_system_are_counted_and_left_out_when_asked(
    atlas: Atlas, tmp_path: Path
) -> None:
    await atlas.execute(
        "CREATE TABLE data.poles (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.poles VALUES (1, 'SRID=4326;POINT(3 47)'), (2, 'SRID=4326;POINT(3 -90)'), (3, NULL)",
        "CREATE TABLE data.abroad AS SELECT 1 AS id, 'SRID=4326;POINT(3 47)'::geometry(Point, 4326) AS geom"
        " UNION ALL SELECT 2, 'SRID=4326;POINT(140 36)'",
    )
    counted = "1 of 2 features of poles are far outside of the area of use of EPSG:2154"
    with pytest.raises(GisError, match=f"{counted} .* not all of them can be transformed.*outside: drop"):
        await made(atlas, tmp_path, "data.poles", crs="EPSG:2154")
    path, report = await made(atlas, tmp_path, "data.poles", crs="EPSG:2154", outside="drop")
    assert sorted(pyogrio.read_dataframe(path)["id"]) == [1, 3]
    assert report.layers[0].rows == 2
    assert any(note.startswith(counted) and note.endswith("they are left out.") for note in report.notes)
    path, report = await made(atlas, tmp_path, "data.poles", crs="EPSG:2154", outside="null")
    frame = pyogrio.read_dataframe(path).set_index("id")
    assert list(frame.geometry.notna().sort_index()) == [True, False, False]
    _, report = await made(atlas, tmp_path, "data.abroad", crs="EPSG:2154")
    assert report.layers[0].rows == 2
    assert any("1 of 2 features of abroad" in note and "outside: null" in note for note in report.notes)
    _, report = await made(atlas, tmp_path, "data.abroad", crs="EPSG:3857")
    assert report.notes == ()


async def test_shapefiles_tell_the_names_that_they_cut(atlas: Atlas, tmp_path: Path) -> None:
    path, report = await made(atlas, tmp_path, "data.towns", format="shp")
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == [f"towns.{each}" for each in ("cpg", "dbf", "prj", "shp", "shx")]
        assert archive.read("towns.cpg") == b"UTF-8"
    assert list(frame(path, "shp").columns)[2:4] == ["population", "populati_1"]
    assert "population_of_the_region as populati_1" in report.notes[0]
    assert report.layers[0].columns[3] == "populati_1"


async def test_a_shapefile_has_one_kind_of_shapes(atlas: Atlas, tmp_path: Path) -> None:
    with pytest.raises(GisError, match="holds LINESTRING, POINT; a Shapefile holds one kind"):
        await made(atlas, tmp_path, "data.mixed", format="shp")


async def test_formats_of_one_layer_are_zipped(atlas: Atlas, tmp_path: Path) -> None:
    path, _ = await made(
        atlas, tmp_path, "data.towns", "data.fields", {"source": "data.budget", "format": "csv"}, format="fgb",
        file_name="delivery.zip",
    )  # fmt: skip
    assert path.name == "delivery.zip"
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == ["budget.csv", "fields.fgb", "towns.fgb"]
    assert os.listdir(tmp_path) == ["delivery.zip"]


async def test_a_workbook_has_a_sheet_for_each_table(atlas: Atlas, tmp_path: Path) -> None:
    path, _ = await made(atlas, tmp_path, "data.towns", "data.budget", format="xlsx", crs="EPSG:4326")
    assert [name for name, _ in pyogrio.list_layers(path)] == ["towns", "budget"]
    towns = pyogrio.read_dataframe(path, layer="towns")
    assert list(towns.columns)[-2:] == ["longitude", "latitude"]
    assert towns["longitude"][0] == pytest.approx(2.35, abs=0.05)
    assert list(pyogrio.read_dataframe(path, layer="budget")["note"]) == ["=1+1", "x"]


async def test_sheets_have_names_that_excel_takes(atlas: Atlas, tmp_path: Path) -> None:
    long = "Towns and villages of the whole [northern] region"
    items = [{"source": "data.budget", "name": f"{long} {number}"} for number in (1, 2)]
    path, report = await made(atlas, tmp_path, *items, format="xlsx", file_name="two")
    assert [name for name, _ in pyogrio.list_layers(path)] == [
        "Towns and villages of the whole",
        "Towns and villages of the who_2",
    ]
    assert report.notes[0] == f"The sheet of {long} 1 is called Towns and villages of the whole."


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
async def test_places_of_points_are_columns_in_the_system_that_was_asked_for(
    atlas: Atlas, tmp_path: Path, kind: str
) -> None:
    async def places(**request: Any) -> Any:
        path, _ = await made(atlas, tmp_path, "data.towns", format=kind, file_name="places", **request)
        return frame(path, kind).iloc[:, -2:]

    own = await places()
    assert list(own.columns) == ["x", "y"]
    assert own.x.tolist() == [652469.123456 + n for n in range(1, 6)]
    assert set(own.y) == {6862035.654321}
    zone = await places(crs="EPSG:32631")
    assert list(zone.columns) == ["x", "y"]
    transformer = pyproj.Transformer.from_crs(2154, 32631, always_xy=True)
    assert numpy.allclose(zone, numpy.transpose(transformer.transform(own.x, own.y)), rtol=0, atol=1e-3)
    degrees = await places(crs="EPSG:4326", precision=4)
    assert list(degrees.columns) == ["longitude", "latitude"]
    to_degrees = pyproj.Transformer.from_crs(2154, 4326, always_xy=True)
    expected = numpy.round(numpy.transpose(to_degrees.transform(own.x, own.y)), 4)
    assert numpy.allclose(degrees, expected, rtol=0, atol=1e-9)


async def test_csv_is_in_the_encoding_that_was_asked_for(atlas: Atlas, tmp_path: Path) -> None:
    path, _ = await made(
        atlas, tmp_path, "data.towns", format="csv", encoding="windows-1252", geometry="none"
    )
    rows = list(csv.DictReader(io.StringIO(path.read_text("windows-1252"))))
    assert rows[2]["name"] == "Œuilly €"
    assert "x" not in rows[0]
    with pytest.raises(GisError, match="iso-8859-1 has no character 'Œ'"):
        await made(atlas, tmp_path, "data.towns", format="csv", encoding="iso-8859-1")
    with pytest.raises(GisError, match="no encoding of text"):
        await made(atlas, tmp_path, "data.towns", format="csv", encoding="base64")
    with pytest.raises(GisError, match="There is no encoding 'klingon'"):
        await made(atlas, tmp_path, "data.towns", format="csv", encoding="klingon")


async def test_json_records_are_grouped_and_counted(atlas: Atlas, tmp_path: Path) -> None:
    path, _ = await made(
        atlas,
        tmp_path,
        {"source": "data.towns", "columns": ["name", "region AS part"]},
        format="json",
        geometry="xy",
        precision=1,
        group_by="part",
        members={"count": "{count}", "note": "Lambert-93"},
    )
    document = json.loads(path.read_text())
    assert {key: document[key] for key in ("count", "note")} == {"count": 5, "note": "Lambert-93"}
    assert {key: len(rows) for key, rows in document["records"].items()} == {"north": 3, "south": 2}
    assert document["records"]["north"][0] == {
        "name": "Town 1",
        "part": "north",
        "x": 652470.1,
        "y": 6862035.7,
    }
    (tmp_path / "b").mkdir()
    named = {"source": "data.towns", "columns": ["name"]}
    path, _ = await made(atlas, tmp_path / "b", named, format="json", geometry="none", group_by="region")
    assert json.loads(path.read_text())["south"] == [{"name": "Town 4"}, {"name": "Town 5"}]
    path, _ = await made(atlas, tmp_path / "b", "data.budget", format="json")
    assert json.loads(path.read_text())[1] == {"year": 2021, "amount": None, "note": "x"}


async def test_geojson_has_further_members_and_few_decimals(atlas: Atlas, tmp_path: Path) -> None:
    path, _ = await made(
        atlas,
        tmp_path,
        "data.towns",
        format="geojson",
        precision=3,
        members={"total": "{count}", "by": {"a": 1}},
    )
    document = json.loads(path.read_text())
    assert (document["total"], document["by"]) == (5, {"a": 1})
    for feature in document["features"]:
        assert all(value == round(value, 3) for value in feature["geometry"]["coordinates"])
    with pytest.raises(ValidationError, match="has a meaning of its own"):
        ExportRequest(items=(ExportItem(source="a"),), format="geojson", members={"features": []})


async def test_a_text_sequence_has_a_feature_a_line(atlas: Atlas, tmp_path: Path) -> None:
    path, _ = await made(atlas, tmp_path, "data.towns", format="geojsonl")
    lines = path.read_text().removesuffix("\n").split("\n")
    assert len(lines) == 5
    assert all(line.startswith("\x1e") and json.loads(line[1:])["type"] == "Feature" for line in lines)


async def test_rows_pass_the_filter_and_progress_counts_them(atlas: Atlas, tmp_path: Path) -> None:
    request = ExportRequest(
        items=(ExportItem(source="data.towns", filter="region = 'north'"),), format="csv", file_name="x"
    )
    await atlas.registry.refresh(patience=30)
    layer_filter = {"op": ">", "args": [{"property": "id"}, 1]}
    wanted = [wanted_of(request.items[0], atlas.registry.get("data.towns"), layer_filter, "layer")]
    told: list[tuple[int, int]] = []
    parts = await resolved(atlas.database.reader, request, wanted)
    path, _ = await write(request, parts, tmp_path, lambda done, total: told.append((done, total)))
    assert list(pandas.read_csv(path)["id"]) == [2, 3]
    assert told[-1] == (2, 2)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (
            {"items": [{"source": "data.budget"}], "format": "geojson"},
            "holds geometries, and data.budget has none",
        ),
        ({"items": [{"source": "data.towns", "columns": ["nam"]}], "format": "csv"}, "name"),
        (
            {"items": [{"source": "data.towns", "columns": ["id AS a", "name AS a"]}], "format": "csv"},
            "Two columns",
        ),
        ({"items": [{"source": "data.towns"}], "format": "kml", "crs": "EPSG:2154"}, "KML is always"),
        ({"items": [{"source": "data.fields"}], "format": "csv", "geometry": "xy"}, "Only points"),
        ({"items": [{"source": "data.budget"}], "format": "json", "group_by": "x"}, "has no column 'x'"),
    ],
)
async def test_what_a_format_cannot_hold_is_refused(
    atlas: Atlas, tmp_path: Path, request_: dict[str, Any], says: str
) -> None:
    items = request_.pop("items")
    with pytest.raises(GisError, match=says):
        await made(atlas, tmp_path, *items, **request_)


async def test_a_key_that_loading_added_is_left_out_unless_it_is_asked_for(
    atlas: Atlas, tmp_path: Path
) -> None:
    for name, header in (("keyless", "species"), ("numbered", "id,species")):
        file = tmp_path / f"{name}.csv"
        rows = "7,oak\n8,elm\n" if name == "numbered" else "oak\noak\n"
        file.write_text(f"{header}\n{rows}")
        await load_file(atlas.database, file, name)
    path, _ = await made(atlas, tmp_path, "data.keyless", format="csv", file_name="out")
    assert list(pandas.read_csv(path).columns) == ["species"]
    asked = {"source": "data.keyless", "columns": ["id", "species"]}
    path, _ = await made(atlas, tmp_path, asked, format="csv", file_name="asked")
    assert list(pandas.read_csv(path).columns) == ["id", "species"]
    path, _ = await made(atlas, tmp_path, "data.numbered", format="csv", file_name="own")
    assert pandas.read_csv(path).id.tolist() == [7, 8]


async def test_a_shapefile_has_the_encoding_that_was_asked_for_or_is_refused(
    atlas: Atlas, tmp_path: Path
) -> None:
    path, _ = await made(atlas, tmp_path, "data.towns", format="shp", encoding="windows-1252")
    with zipfile.ZipFile(path) as files:
        assert files.read("towns.cpg") == b"WINDOWS-1252"
        assert "Œuilly €".encode("windows-1252") in files.read("towns.dbf")
    assert list(pyogrio.read_dataframe(path)["name"])[2] == "Œuilly €"
    with pytest.raises(GisError, match="iso-8859-1 has no character 'Œ'"):
        await made(atlas, tmp_path, "data.towns", format="shp", encoding="iso-8859-1", file_name="latin")


async def test_texts_that_a_shapefile_cuts_are_reported(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.essays AS SELECT n AS id, repeat('ü', n * 60) AS essay, 'short' AS title, "
        "'SRID=4326;POINT(1 2)'::geometry(Point, 4326) AS geom FROM generate_series(1, 4) n"
    )
    path, report = await made(atlas, tmp_path, "data.essays", format="shp")
    assert [len(text) for text in pyogrio.read_dataframe(path)["essay"]] == [60, 120, 127, 127]
    assert report.notes == ("Texts of essays that are cut, because a Shapefile holds 254 bytes: 2 of essay.",)
    _, whole = await made(atlas, tmp_path, "data.essays", format="gpkg")
    assert whole.notes == ()


async def test_empty_shapes_and_awful_names_are_written_to_every_format(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        'CREATE TABLE data.odd (id int PRIMARY KEY, "Name" text, name text, "it\'s" text, '
        "geom geometry(Polygon, 25832))",
        "INSERT INTO data.odd VALUES (1, 'Haus \"A\"', '北京', E'a\nb', "
        "'SRID=25832;POLYGON((500000 5400000, 500100 5400000, 500100 5400100, 500000 5400000))'), "
        "(2, 'مدينة', '', NULL, 'SRID=25832;POLYGON EMPTY'), (3, NULL, NULL, '=1', NULL)",
    )
    for kind in SHAPED:
        path, report = await made(atlas, tmp_path, "data.odd", format=kind)
        frame = pyogrio.read_dataframe(path) if kind != "parquet" else geopandas.read_parquet(path)
        assert len(frame) == report.layers[0].rows == 3, kind
        assert sum(shape is not None and not shape.is_empty for shape in frame.geometry) == 1, kind
        texts = frame[report.layers[0].columns[2]]
        assert texts.iloc[0] == "北京", kind


async def test_heights_of_points_are_a_column_beside_x_and_y(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.peaks (id int PRIMARY KEY, geom geometry(PointZ, 25832))",
        "INSERT INTO data.peaks VALUES (1, ST_GeomFromEWKT('SRID=25832;POINT Z(600000 5300000 2962.12)'))",
    )
    path, _ = await made(atlas, tmp_path, "data.peaks", format="csv", precision=1)
    assert path.read_text("utf-8-sig").splitlines() == ["id,x,y,z", "1,600000,5300000,2962.1"]


async def test_shapes_that_longitudes_cannot_hold_are_reported(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.ice (id int PRIMARY KEY, geom geometry(Polygon, 3031))",
        "INSERT INTO data.ice SELECT 1, ST_MakeEnvelope(-500000, -500000, 500000, 500000, 3031) "
        "UNION ALL SELECT 2, ST_MakeEnvelope(1000000, 1000000, 1100000, 1100000, 3031)",
    )
    _, report = await made(atlas, tmp_path, "data.ice", format="geojson")
    (note,) = report.notes
    assert "jump within 1 shape of ice" in note
    _, report = await made(atlas, tmp_path, "data.ice", format="gpkg")
    assert not report.notes


async def test_values_that_a_format_cannot_hold_are_counted(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.archive (id int PRIMARY KEY, parcel numeric(20, 0), serial bigint, day date, "
        "seen timestamptz, note text, geometry text, geom geometry(Geometry, 4326))",
        "INSERT INTO data.archive VALUES (1, 12345678901234567891, 9007199254740993, '0044-03-15 BC', 'infinity', "
        "E'a\\x01b', 'g', 'SRID=4326;POINT(1 2)'), (2, 2.5, 2, '1815-06-18', '2024-03-31 00:30+02', "
        "repeat('x', 40000), NULL, ST_Segmentize('SRID=4326;LINESTRING(0 0, 90 0)'::geometry, 0.01))",
    )
    digits = "Numbers of archive that are rounded to {} digits: {}. Take csv, or cast them to text."
    dates = (
        "Dates of archive that are empty, because they are infinite or before the year 1: 1 value of day, 1 value of "
        "seen."
    )
    for kind in ("gpkg", "fgb", "parquet"):
        path, report = await made(atlas, tmp_path, "data.archive", format=kind)
        assert set(report.notes) == {digits.format(17, "1 value of parcel"), dates}, kind
        found = frame(path, kind).sort_values("id")
        assert [value is None or value != value for value in found["day"]] == [True, False]
        assert pandas.isna(found["seen"].iloc[0])
    path, report = await made(atlas, tmp_path, "data.archive", format="xlsx")
    assert set(report.notes) == {
        digits.format(15, "1 value of parcel, 1 value of serial"),
        dates,
        "Dates of archive before 1900, which Excel does not show: 1 value of day. Take csv.",
        "Control characters of archive are left out, which xlsx has no place for: 1 value of note.",
        "Texts of archive that are cut, because a cell of Excel holds 32,767 characters: 1 value of note. Take csv.",
        "Texts of archive that are left out, because a cell of Excel holds 32,767 characters: 1 value of geometry_. "
        "Take csv.",
        "Times of archive are in UTC, because Excel has no time zones: seen.",
    }
    sheet = frame(path, "xlsx")
    assert [len(note) for note in sheet["note"]] == [2, 32_767]
    assert pandas.isna(sheet["geometry_"][1])
    path, report = await made(atlas, tmp_path, "data.archive", format="json")
    records = json.loads(path.read_text())
    assert (records[0]["geometry"], records[0]["geometry_"]["type"]) == ("g", "Point")
    assert (records[0]["parcel"], report.notes) == (12345678901234567891, ())


async def test_columns_of_kml_are_no_elements_of_its_own(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        'CREATE TABLE data.signs (id int PRIMARY KEY, visibility int, icon text, "begin" text, "a&b""c" text, '
        "note text, geom geometry(Point, 4326))",
        "INSERT INTO data.signs VALUES (1, 0, 'stop', 'dawn', 'd', E'e\\x02f', 'SRID=4326;POINT(1 2)')",
    )
    path, report = await made(atlas, tmp_path, "data.signs", format="kml")
    (row,) = pyogrio.read_dataframe(path).to_dict("records")
    found = [row[name] for name in ("visibility_", "icon_", "begin_", "a_b_c", "note")]
    assert (found, row["visibility"]) == ([0, "stop", "dawn", "d", "ef"], -1)
    assert report.notes[0].startswith(
        "Columns of signs that are renamed, because KML has elements of these names"
    )
