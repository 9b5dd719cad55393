"""Files of several layers, and Excel workbooks: one layer, each as a table, or all as one."""

from __future__ import annotations

import datetime
import json
import zipfile
from pathlib import Path
from typing import Any

import geopandas
import pandas
import pyogrio
import pytest
import shapely

from server.database.engines import Database
from server.gis.ingest import CannotLoad, IngestLimits, layer_names, load_file, table_for
from server.gis.ingest.limits import ChooseLayer, FileTooLarge
from tests.integration.exchange.test_ingest import archive, exists, rows, text
from tests.integration.exchange.test_uploads import Client, client, form, registry

__all__ = ["client", "registry"]


def places(value: Any, crs: int = 4326) -> geopandas.GeoDataFrame:
    return geopandas.GeoDataFrame({"value": [value]}, geometry=[shapely.Point(10, 50)], crs=4326).to_crs(crs)


def package(path: Path, second_crs: int = 4326) -> Path:
    """Two layers of points and a table without geometry."""
    places(1).to_file(path, layer="first", driver="GPKG")
    places("two", second_crs).rename(columns={"value": "other"}).assign(value=2.5).to_file(
        path, layer="second", driver="GPKG"
    )
    pyogrio.write_dataframe(pandas.DataFrame({"code": [7]}), path, layer="codes", driver="GPKG")
    return path


def workbook(path: Path, **sheets: dict[str, list[Any]]) -> Path:
    for number, (name, columns) in enumerate(sheets.items()):
        pyogrio.write_dataframe(pandas.DataFrame(columns), path, layer=name, driver="XLSX", append=number > 0)
    return path


def contents(folder: Path, inside: str) -> dict[str, bytes]:
    """The files of a folder, as entries of an archive."""
    return {f"{inside}/{file.name}": file.read_bytes() for file in folder.iterdir()}


async def test_all_layers_are_named_also_those_without_geometry(database: Database, tmp_path: Path) -> None:
    path = package(tmp_path / "town.gpkg")
    assert await layer_names(path) == ["first", "second", "codes"]
    with pytest.raises(ChooseLayer) as refused:
        await load_file(database, path)
    assert refused.value.details["layers"] == ["first", "second"]
    report = await load_file(database, path, "town codes", layer="codes")
    assert (report.rows, report.geometry_type) == (1, None)


async def test_layers_become_one_table_that_says_which_a_row_is_from(
    database: Database, tmp_path: Path
) -> None:
    report = await load_file(database, package(tmp_path / "town.gpkg"), "united", unite=True)
    assert (report.rows, report.geometry_type, report.srid) == (2, "POINT", 4326)
    assert any("2 layers were united: first, second" in remark for remark in report.remarks)
    assert any("without geometry were not loaded: codes" in remark for remark in report.remarks)
    found = await rows(database, "SELECT layer, value, other FROM data.united ORDER BY layer")
    assert [tuple(row) for row in found] == [("first", 1.0, None), ("second", 2.5, "two")]


async def test_layers_in_different_reference_systems_are_not_united(
    database: Database, tmp_path: Path
) -> None:
    path = package(tmp_path / "mixed.gpkg", 25832)
    with pytest.raises(CannotLoad, match=r"EPSG:25832.*EPSG:4326.*Load each"):
        await load_file(database, path, unite=True)
    assert not await exists(database, "mixed")


async def test_a_zip_of_shapefiles_has_each_as_a_layer(database: Database, tmp_path: Path) -> None:
    for number, name in enumerate(("roads", "rivers")):
        places(number).to_file(tmp_path / f"{name}.shp")
    path = archive(tmp_path / "delivery.zip", contents(tmp_path, "delivery"))
    assert sorted(await layer_names(path)) == ["rivers", "roads"]
    report = await load_file(database, path, "delivered", unite=True)
    assert report.rows == 2
    found = await rows(database, "SELECT layer FROM data.delivered ORDER BY value")
    assert [name for (name,) in found] == ["roads", "rivers"]


async def test_files_of_one_name_in_two_folders_are_distinguished(tmp_path: Path) -> None:
    content = b"lon,lat\n1,2\n"
    path = archive(tmp_path / "years.zip", {"2020/sites.csv": content, "2021/sites.csv": content})
    assert await layer_names(path) == ["2020/sites.csv", "2021/sites.csv"]
    assert table_for("years", "2020/sites.csv") == "years_2020_sites.csv"


async def test_a_file_geodatabase_is_read_from_its_zip(database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "town.gdb"
    for layer in ("parcels", "trees"):
        places(1.5).to_file(folder, driver="OpenFileGDB", layer=layer)
    path = archive(tmp_path / "town.zip", contents(folder, "delivery/town.gdb"))
    assert await layer_names(path) == ["parcels", "trees"]
    report = await load_file(database, path, "parcels", layer="parcels")
    assert (report.rows, report.geometry_type, report.srid) == (1, "POINT", 4326)


async def test_folders_of_a_kml_file_are_united_by_their_names(database: Database, tmp_path: Path) -> None:
    point = "<Placemark><name>{0}</name><Point><coordinates>8,47</coordinates></Point></Placemark>"
    folders = "".join(
        f"<Folder><name>{name}</name>{point.format(name[:1])}</Folder>" for name in ("huts", "peaks")
    )
    path = text(
        tmp_path / "tour.kml",
        f'<kml xmlns="http://www.opengis.net/kml/2.2"><Document>{folders}</Document></kml>',
    )
    report = await load_file(database, path, "tour", unite=True)
    assert report.rows == 2
    found = await rows(database, 'SELECT layer, "Name" FROM data.tour ORDER BY layer')
    assert [tuple(row) for row in found] == [("huts", "h"), ("peaks", "p")]


async def test_a_gps_track_has_the_layers_and_columns_that_are_filled(
    database: Database, tmp_path: Path
) -> None:
    point = '<{0} lat="46.5" lon="{1}"><ele>3454</ele><time>2024-06-01T08:00:00Z</time>{2}</{0}>'
    track = "".join(point.format("trkpt", place, "") for place in ("7.9", "7.95"))
    path = text(
        tmp_path / "hike.gpx",
        '<?xml version="1.0"?><gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">'
        f"{point.format('wpt', '7.9', '<name>Jungfraujoch</name>')}"
        f"<trk><name>Hike</name><trkseg>{track}</trkseg></trk></gpx>",
    )
    with pytest.raises(ChooseLayer, match="several layers: waypoints, tracks, track_points"):
        await load_file(database, path)
    report = await load_file(database, path, "stops", layer="waypoints")
    assert report.columns == ["ele", "time", "name", "geom"]
    found = await rows(database, "SELECT name, ele, ST_AsText(geom) FROM data.stops")
    assert [tuple(row) for row in found] == [("Jungfraujoch", 3454, "POINT(7.9 46.5)")]
    report = await load_file(database, path, "hike", layer="tracks")
    assert (report.rows, report.geometry_type) == (1, "MULTILINESTRING")


async def test_a_workbook_becomes_a_table_with_its_types(database: Database, tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "shops.xlsx",
        Shops={
            "code": ["007", "012"],
            "opened": [datetime.date(2020, 1, 31), datetime.date(2021, 2, 1)],
            "sales": [1.5, 2.0],
            "staff": [3, 4],
            "lon": [8.5, 9.0],
            "lat": [47.0, 48.0],
        },
    )
    report = await load_file(database, path)
    assert (report.table, report.rows, report.geometry_type, report.srid) == ("data.shops", 2, "POINT", 4326)
    (first, _) = await rows(
        database,
        "SELECT code, sales, staff, ST_X(geom), pg_typeof(sales)::text FROM data.shops ORDER BY code",
    )
    assert tuple(first) == ("007", 1.5, 3, 8.5, "double precision")


async def test_the_first_row_names_the_columns_even_if_all_cells_are_text(
    database: Database, tmp_path: Path
) -> None:
    path = workbook(tmp_path / "texts.xlsx", Sheet1={"name": ["x", "y"], "kind": ["a", "b"]})
    report = await load_file(database, path)
    assert (report.rows, report.columns, report.geometry_type) == (2, ["name", "kind"], None)


async def test_a_sheet_is_chosen_and_sheets_are_united(database: Database, tmp_path: Path) -> None:
    path = workbook(tmp_path / "years.xlsx", **{"2020": {"n": [1]}, "2021": {"n": [2, 3]}})
    with pytest.raises(ChooseLayer) as refused:
        await load_file(database, path)
    assert refused.value.details["layers"] == ["2020", "2021"]
    assert (await load_file(database, path, "year 2021", layer="2021")).rows == 2
    await load_file(database, path, "all years", unite=True)
    found = await rows(database, 'SELECT layer, sum(n) FROM data."all years" GROUP BY 1 ORDER BY 1')
    assert [(name, int(total)) for name, total in found] == [("2020", 1), ("2021", 5)]


async def test_rows_of_a_sheet_that_are_nowhere_are_reported_by_their_number(
    database: Database, tmp_path: Path
) -> None:
    path = workbook(
        tmp_path / "odd.xlsx", S={"n": [1, 2, 3], "lon": [8.0, 9.0, 10.0], "lat": [47.0, 470.0, 48.0]}
    )
    report = await load_file(database, path)
    assert (report.rows, report.skipped) == (2, 1)
    assert report.problems == ["row 3: longitude 9 and latitude 470 are not on earth"]


async def test_coordinates_of_a_sheet_may_be_in_metres(database: Database, tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "wells.xlsx", S={"n": [1, 2], "x": [530000.0, 530100.0], "y": [180000.0, 180200.0]}
    )
    with pytest.raises(CannotLoad, match="Give its EPSG code as srid"):
        await load_file(database, path)
    report = await load_file(database, path, srid=27700)
    assert (report.rows, report.srid, report.geometry_type) == (2, 27700, "POINT")


async def test_what_is_no_workbook_or_a_bomb_is_refused(database: Database, tmp_path: Path) -> None:
    with pytest.raises(CannotLoad, match="cannot be read as Excel"):
        await load_file(database, text(tmp_path / "old.xlsx", b"\xd0\xcf\x11\xe0"))
    with pytest.raises(CannotLoad, match="not an Excel workbook"):
        await load_file(database, archive(tmp_path / "other.xlsx", {"a.txt": b"hello"}))
    good = workbook(tmp_path / "good.xlsx", S={"n": [1]})
    with zipfile.ZipFile(good, "a", zipfile.ZIP_DEFLATED) as package:
        package.writestr("xl/more.xml", b"0" * 3_000_000)
    with pytest.raises(FileTooLarge, match="unpacks to more"):
        await load_file(database, good, limits=IngestLimits(unpacked=1_000_000))
    with pytest.raises(CannotLoad, match=r"not of a kind.*Excel"):
        await load_file(database, text(tmp_path / "older.xls", b"\xd0\xcf\x11\xe0"))


async def test_all_layers_are_uploaded_at_once(client: Client, tmp_path: Path) -> None:
    content = package(tmp_path / "town.gpkg").read_bytes()
    answer = await client.post("/api/uploads", data=form(content, "town.gpkg", layers="each", table="up"))
    report = await answer.json()
    assert answer.status == 201, report
    assert [(each["table"], each["rows"]) for each in report["tables"]] == [
        ("data.up_first", 1), ("data.up_second", 1), ("data.up_codes", 1),
    ]  # fmt: skip
    assert report["failed"] == []
    # Once more: each name is taken, and nothing is left half.
    answer = await client.post("/api/uploads", data=form(content, "town.gpkg", layers="each", table="up"))
    assert (answer.status, (await answer.json())["error"]["code"]) == (409, "conflict")


async def test_one_bad_layer_does_not_keep_the_others_from_being_loaded(
    client: Client, tmp_path: Path
) -> None:
    good = {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [1, 2]}}
    content = json.dumps({"type": "FeatureCollection", "features": [good]})
    path = archive(tmp_path / "two.zip", {"good.geojson": content.encode(), "bad.csv": b"lon,lat\nx,y\n"})
    answer = await client.post("/api/uploads", data=form(path.read_bytes(), "two.zip", layers="each"))
    report = await answer.json()
    assert [each["table"] for each in report["tables"]] == ["data.two_good"]
    ((fault),) = report["failed"]
    assert (fault["layer"], fault["code"]) == ("bad", "invalid_payload")
    assert "1 row was not usable" in fault["message"]


@pytest.mark.parametrize("fields", [{"layers": "some"}, {"layers": "each", "layer": "first"}])
async def test_a_wrong_choice_of_layers_is_refused(client: Client, fields: dict[str, str]) -> None:
    answer = await client.post("/api/uploads", data=form(**fields))
    assert (answer.status, (await answer.json())["error"]["code"]) == (400, "invalid_payload")
