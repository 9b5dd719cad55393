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

from agents.exports import ExportItem, ExportRequest
from server.database.engines import Database
from server.gis.errors import GisError
from server.gis.export.deliverable import resolved, wanted_of, write
from server.gis.export.source import CannotExport
from server.gis.ingest.load import load_file
from tests.integration.exchange.deliverables import TABLES, frame, made
from tests.integration.tiles.drawing import Atlas

SHAPED = ("gpkg", "geojson", "geojsonl", "fgb", "parquet", "shp", "kml")
ALL = (*SHAPED, "csv", "xlsx", "json")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def atlas(database: Database) -> Atlas:
    made = Atlas(database)
    await made.execute(*TABLES)
    return made


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
    with pytest.raises(GisError, match="not an encoding of text"):
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


async def test_files_hold_rows_without_a_place_where_all_have_a_shape(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.sparse (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.sparse VALUES (1, 'SRID=4326;POINT(3 47)'), (2, 'SRID=4326;POINT EMPTY')",
        "CREATE TABLE data.wide (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.wide VALUES (1, 'SRID=4326;POINT(3 47)'), (2, 'SRID=4326;POINT(170 -40)')",
    )
    for table in ("data.sparse", "data.wide"):
        for kind in set(SHAPED) - {"kml"}:
            path, _ = await made(
                atlas, tmp_path, table, format=kind, file_name=table[5:], crs="EPSG:2154", outside="null"
            )
            frame = pyogrio.read_dataframe(path) if kind != "parquet" else geopandas.read_parquet(path)
            drawn = [shape is not None and not shape.is_empty for shape in frame.geometry]
            assert (len(frame), sum(drawn)) == (2, 1), (table, kind)


async def test_geographies_are_written_to_every_format(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.spots (id int PRIMARY KEY, place geography(Point, 4326))",
        "INSERT INTO data.spots VALUES (1, 'SRID=4326;POINT(3 47)'), (2, NULL)",
    )
    for kind in SHAPED:
        path, _ = await made(atlas, tmp_path, "data.spots", format=kind)
        frame = pyogrio.read_dataframe(path) if kind != "parquet" else geopandas.read_parquet(path)
        drawn = [shape for shape in frame.geometry if shape is not None and not shape.is_empty]
        assert [(shape.x, shape.y) for shape in drawn] == [(3, 47)], kind


async def test_a_layer_may_be_called_by_signs(atlas: Atlas, tmp_path: Path) -> None:
    for number, name in enumerate(("#1 (copy)", "'t Zand", "%")):
        item = {"source": "data.towns", "name": name}
        path, _ = await made(atlas, tmp_path, item, format="gpkg", file_name=f"signs_{number}")
        assert [layer for layer, _ in pyogrio.list_layers(path)] == [f"_{name}"]


async def test_what_a_format_has_no_place_for_is_refused_with_a_reason(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.beyond (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        "INSERT INTO data.beyond VALUES (1, 'SRID=4326;POINT(8 47)'), (2, 'SRID=4326;POINT(10 95)')",
        "CREATE TABLE data.collected (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        "INSERT INTO data.collected VALUES (1, 'SRID=4326;GEOMETRYCOLLECTION(POINT(1 1), LINESTRING(0 0, 1 0))')",
    )
    with pytest.raises(CannotExport, match="beyond cannot be written as kml, which has no place for"):
        await made(atlas, tmp_path, "data.beyond", format="kml")
    for kind in (None, "single", "multi"):
        with pytest.raises(
            CannotExport, match="collected holds GEOMETRYCOLLECTION; a Shapefile holds one kind"
        ):
            await made(atlas, tmp_path, "data.collected", format="shp", kind=kind)


async def test_heights_of_points_are_a_column_beside_x_and_y(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.peaks (id int PRIMARY KEY, geom geometry(PointZ, 25832))",
        "INSERT INTO data.peaks VALUES (1, ST_GeomFromEWKT('SRID=25832;POINT Z(600000 5300000 2962.12)'))",
    )
    path, _ = await made(atlas, tmp_path, "data.peaks", format="csv", precision=1)
    assert path.read_text("utf-8-sig").splitlines() == ["id,x,y,z", "1,600000,5300000,2962.1"]


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        (
            ["region", "name AS town", "*"],
            "region,town,id,population_of_the_town,population_of_the_region,founded",
        ),
        (["*", "name AS town"], "id,town,population_of_the_town,population_of_the_region,region,founded"),
        (
            ["region", "*", "name AS town"],
            "region,id,town,population_of_the_town,population_of_the_region,founded",
        ),
    ],
)
async def test_columns_named_before_all_others_come_first(
    atlas: Atlas, tmp_path: Path, columns: list[str], wanted: str
) -> None:
    path, _ = await made(
        atlas, tmp_path, {"source": "data.towns", "columns": columns}, format="csv", geometry="none"
    )
    assert path.read_text().splitlines()[0] == wanted
