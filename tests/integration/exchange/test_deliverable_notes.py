"""What a format cannot hold is refused, or reported in the notes of the file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pandas
import pyogrio
import pytest
import pytest_asyncio

from server.database.engines import Database
from server.gis.errors import GisError
from tests.integration.exchange.deliverables import TABLES, frame, made
from tests.integration.tiles.drawing import Atlas


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def atlas(database: Database) -> Atlas:
    made = Atlas(database)
    await made.execute(*TABLES)
    return made


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
    counted = "1 of 2 features of poles is far outside of the area of use of EPSG:2154"
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


async def test_sheets_have_names_that_excel_takes(atlas: Atlas, tmp_path: Path) -> None:
    long = "Towns and villages of the whole [northern] region"
    items = [{"source": "data.budget", "name": f"{long} {number}"} for number in (1, 2)]
    path, report = await made(atlas, tmp_path, *items, format="xlsx", file_name="two")
    assert [name for name, _ in pyogrio.list_layers(path)] == [
        "Towns and villages of the whole",
        "Towns and villages of the who_2",
    ]
    assert report.notes[0] == f"The sheet of {long} 1 is called Towns and villages of the whole."


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


async def test_values_that_a_format_cannot_hold_are_counted(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.archive (id int PRIMARY KEY, parcel numeric(20, 0), serial bigint, day date, "
        "seen timestamptz, note text, geometry text, geom geometry(Geometry, 4326))",
        "INSERT INTO data.archive VALUES (1, 12345678901234567891, 9007199254740993, '0044-03-15 BC', 'infinity', "
        "E'a\\x01b', 'g', 'SRID=4326;POINT(1 2)'), (2, 2.5, 2, '1815-06-18', '2024-03-31 00:30+02', "
        "repeat('x', 40000), NULL, ST_Segmentize('SRID=4326;LINESTRING(0 0, 90 0)'::geometry, 0.01))",
    )
    digits = "Numbers of archive that are rounded to {} digits: {}. Use csv, or cast them to text."
    dates = (
        "Dates of archive that are empty, because they are infinite or before the year 1: 1 value of day, 1 value of "
        "seen."
    )
    order = (
        "Rows of archive are in the order of the spatial index that FlatGeobuf has, not in that of the table."
    )
    for kind in ("gpkg", "fgb", "parquet"):
        path, report = await made(atlas, tmp_path, "data.archive", format=kind)
        noted = {digits.format(17, "1 value of parcel"), dates, *([order] if kind == "fgb" else [])}
        assert set(report.notes) == noted, kind
        found = frame(path, kind).sort_values("id")
        assert [value is None or value != value for value in found["day"]] == [True, False]
        assert pandas.isna(found["seen"].iloc[0])
    path, report = await made(atlas, tmp_path, "data.archive", format="xlsx")
    assert set(report.notes) == {
        digits.format(15, "1 value of parcel, 1 value of serial"),
        dates,
        "Dates of archive before 1900, which Excel does not show: 1 value of day. Use csv.",
        "Control characters of archive are left out, which xlsx has no place for: 1 value of note.",
        "Texts of archive that are cut, because a cell of Excel holds 32,767 characters: 1 value of note. Use csv.",
        "Texts of archive that are left out, because a cell of Excel holds 32,767 characters: 1 value of geometry_. "
        "Use csv.",
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


async def test_kml_stays_xml_whatever_a_text_holds(atlas: Atlas, tmp_path: Path) -> None:
    await atlas.execute(
        "CREATE TABLE data.snippets AS SELECT n AS id, text, ST_Point(n, n, 4326) AS geom"
        " FROM unnest(ARRAY['a]]>b', '<![CDATA[a]]>b', '& <b>', 'plain']) WITH ORDINALITY AS each(text, n)"
    )
    path, report = await made(atlas, tmp_path, "data.snippets", format="kml")
    assert list(frame(path, "kml")["text"]) == ["a]] >b", "<![CDATA[a]] >b", "& <b>", "plain"]
    assert report.notes == (
        "“]]>” in texts of snippets is written as “]] >”, which kml has no place for: 2 values of text.",
    )
