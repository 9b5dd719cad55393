"""Files of text as they come: types of columns, quotes, encodings, decimal commas and coordinates of CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.database.engines import Database
from server.gis.ingest import CannotLoad, IngestLimits, load_file
from tests.integration.exchange.test_ingest import frame, rows, text


async def test_types_of_csv_columns_are_found(database: Database, tmp_path: Path) -> None:
    path = text(
        tmp_path / "types.csv",
        "whole;part;code;yes;day;moment;mixed;nothing;x;y\n"
        "1;1.5;007;true;2020-02-29;2020-02-29T10:00:00Z;1;;1;2\n-2;1e3;042;FALSE;2021-01-01;2021-01-01 11:30;b;;3;4\n",
    )
    await load_file(database, path)
    found = await rows(
        database,
        "SELECT column_name::text, data_type::text FROM information_schema.columns WHERE table_name = 'types'",
    )
    assert dict(tuple(row) for row in found) == {
        "id": "bigint", "whole": "bigint", "part": "double precision", "code": "text", "yes": "boolean",
        "day": "date", "moment": "timestamp with time zone", "mixed": "text", "nothing": "text",
        "x": "double precision", "y": "double precision", "geom": "USER-DEFINED",
    }  # fmt: skip
    ((code, nothing),) = await rows(database, "SELECT code, nothing FROM data.types WHERE whole = 1")
    assert (code, nothing) == ("007", None)


async def test_times_without_a_zone_get_none(database: Database, tmp_path: Path) -> None:
    path = text(tmp_path / "shifts.csv", "began,x,y\n2020-02-29 10:00,1,2\n2021-01-01T11:30:05.5,3,4\n,5,6\n")
    await load_file(database, path)
    found = await rows(database, "SELECT began::text, pg_typeof(began)::text FROM data.shifts ORDER BY began")
    kind = "timestamp without time zone"
    expected = [("2020-02-29 10:00:00", kind), ("2021-01-01 11:30:05.5", kind), (None, kind)]
    assert [tuple(row) for row in found] == expected


@pytest.mark.parametrize(
    ("name", "content", "types"),
    [
        (
            "some_in_quotes",
            'code,n,flag,day,note,place\n"12",1,"true","2020-01-01","a ""b"", c",x\n"7",2,"false","2020-01-02","d",\n',
            {"code": "text", "n": "bigint", "flag": "text", "day": "date", "note": "text", "place": "text"},
        ),
        ("all_in_quotes", '"code","n"\n"12","1.5"\n"7","2"\n', {"code": "bigint", "n": "double precision"}),
        ("partly", 'code;n\n"12";1\n7;2\n', {"code": "bigint", "n": "bigint"}),
        ("lines", 'code,n\n"1\n2",1\n"3",2\n', {"code": "text", "n": "bigint"}),
        (
            "quoted_places",
            'lon,lat,n\n"1.5","2",1\n',
            {"lon": "double precision", "lat": "double precision", "n": "bigint"},
        ),
    ],
)
async def test_columns_in_quotes_stay_text_where_others_are_not(
    database: Database, tmp_path: Path, name: str, content: str, types: dict[str, str]
) -> None:
    await load_file(database, text(tmp_path / f"{name}.csv", content))
    found = await rows(
        database,
        "SELECT column_name::text, data_type::text FROM information_schema.columns "
        f"WHERE table_name = '{name}' AND column_name NOT IN ('id', 'geom')",
    )
    assert {str(column): str(kind) for column, kind in found} == types


async def test_a_file_of_nothing_but_quotes_says_what_it_was_read_as(
    database: Database, tmp_path: Path
) -> None:
    content = '"code","n","name","day"\n"12","1.5","a","2020-01-01"\n"7","2","b","2020-01-02"\n'
    path = text(tmp_path / "codes.csv", content)
    report = await load_file(database, path, "codes_typed")
    (remark,) = report.remarks
    assert "All values of codes.csv are in quotes" in remark
    assert "Read as numbers or true and false: code, n." in remark
    report = await load_file(database, path, "codes_kept", limits=IngestLimits(quoted_text=True))
    assert not report.remarks
    found = await rows(database, "SELECT code, n, name, day::text FROM data.codes_kept ORDER BY id")
    assert tuple(found[0]) == ("12", "1.5", "a", "2020-01-01")


async def test_rows_that_do_not_fit_are_skipped_and_told(database: Database, tmp_path: Path) -> None:
    path = text(
        tmp_path / "bad.csv",
        "name,lon,lat\ngood,1,2\nno number,here,3\nfar away,1000,3\ntoo,many,values,here\nnowhere,,\nshort,1\n",
    )
    report = await load_file(database, path)
    assert (report.rows, report.skipped) == (2, 4)
    assert report.problems == [
        "line 3: 'here', '3' are not coordinates",
        "line 4: longitude 1000 and latitude 3 are not on earth",
        "line 5: 4 values, and the header has 3",
        "line 7: 2 values, and the header has 3",
    ]


async def test_csv_with_wkt_takes_it_for_the_geometry(database: Database, tmp_path: Path) -> None:
    path = text(
        tmp_path / "wkt.csv",
        'a,WKT\n1,"POLYGON((0 0, 1 0, 1 1, 0 0))"\n2,"MULTIPOLYGON(((5 5, 6 5, 6 6, 5 5)))"\n3,\n4,POLYGON((0 0\n',
    )
    report = await load_file(database, path)
    assert (report.rows, report.skipped, report.geometry_type, report.srid) == (3, 1, "MULTIPOLYGON", 4326)
    assert "names no reference system" in " ".join(report.remarks)


async def test_csv_without_geometry_becomes_a_plain_table(database: Database, tmp_path: Path) -> None:
    report = await load_file(database, text(tmp_path / "plain.csv", "a,b\n1,x\n"))
    assert (report.rows, report.srid, report.geometry_type) == (1, None, None)


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        ("cp1252", "name,lon,lat\nMünchen,1,2\n".encode("cp1252")),
        ("utf-8", b"\xef\xbb\xbfname,lon,lat\nM\xc3\xbcnchen,1,2\n"),
        ("utf-16", "name\tlon\tlat\r\nMünchen\t1\t2\r\n".encode("utf-16")),
    ],
)
async def test_texts_of_other_encodings_are_understood(
    database: Database, tmp_path: Path, encoding: str, content: bytes
) -> None:
    name = f"encoded {encoding}"
    report = await load_file(database, text(tmp_path / "e.csv", content), name)
    assert await rows(database, f'SELECT name FROM data."{name}"') == [("München",)]
    assert any(encoding in remark for remark in report.remarks) == (encoding != "utf-8")


@pytest.mark.parametrize("written", ["iso-8859-1", "utf-8"])
async def test_a_shapefile_without_the_name_of_its_encoding_is_understood(
    database: Database, tmp_path: Path, written: str
) -> None:
    frame(25832).to_file(tmp_path / f"{written}.shp", encoding=written)
    for part in (".cpg", ".prj"):
        (tmp_path / f"{written}{part}").unlink()
    report = await load_file(database, tmp_path / f"{written}.shp", srid=25832)
    assert ("ü",) in await rows(database, f'SELECT code FROM data."{report.table.removeprefix("data.")}"')
    assert ("Texts were read as cp1252." in report.remarks) == (written == "iso-8859-1")


async def test_the_encoding_of_a_shapefile_can_be_said(database: Database, tmp_path: Path) -> None:
    frame(25832).to_file(tmp_path / "said.shp", encoding="iso-8859-1")
    (tmp_path / "said.cpg").unlink()
    await load_file(database, tmp_path / "said.shp", encoding="iso-8859-1")
    assert ("ü",) in await rows(database, "SELECT code FROM data.said")


async def test_coordinates_in_metres_need_only_the_number_of_their_system(
    database: Database, tmp_path: Path
) -> None:
    path = text(tmp_path / "stations.csv", "name,easting,northing\na,530000,180000\nb,530100.5,180200\nc,,\n")
    with pytest.raises(CannotLoad, match="Give its EPSG code as srid"):
        await load_file(database, path)
    report = await load_file(database, path, srid=27700)
    assert (report.rows, report.skipped, report.srid, report.geometry_type) == (3, 0, 27700, "POINT")
    wanted = [("a", 530000.0, 180000.0), ("b", 530100.5, 180200.0), ("c", None, None)]
    assert await rows(database, "SELECT name, ST_X(geom), ST_Y(geom) FROM data.stations") == wanted


@pytest.mark.parametrize(("second", "srid"), [("SRID=3035", 3035), ("SRID=2154", None), ("", None)])
async def test_wkt_that_names_its_reference_system_is_in_it(
    database: Database, tmp_path: Path, second: str, srid: int | None
) -> None:
    wkt = "SRID=3035;POINT(4300000 3000000)", f"{second};POINT(4300100 3000000)".lstrip(";")
    path = text(tmp_path / f"ewkt{len(second)}{srid}.csv", f"name,geom\na,{wkt[0]}\nb,{wkt[1]}\n")
    if srid is None:
        with pytest.raises(CannotLoad, match="Give its EPSG code as srid"):
            await load_file(database, path)
    else:
        assert (await load_file(database, path)).srid == srid


async def test_numbers_with_decimal_commas_are_numbers_where_semicolons_separate_values(
    database: Database, tmp_path: Path
) -> None:
    lines = "code;x;y;hauteur;rang\n01001;650000,5;6860000,25;10,75;1\n01002;650100;6860050;-3;2,5\n"
    path = text(tmp_path / "communes.csv", lines.encode("cp1252"))
    report = await load_file(database, path, srid=2154)
    assert "Numbers of communes.csv with a decimal comma: hauteur, rang." in report.remarks
    wanted = [("01001", 650000.5, 10.75, 1.0, 650000.5), ("01002", 650100.0, -3.0, 2.5, 650100.0)]
    found = await rows(database, "SELECT code, x, hauteur, rang, ST_X(geom) FROM data.communes")
    assert found == wanted
    plain = text(tmp_path / "tabbed.csv", 'name\tamount\na\t"1,234"\nb\t"12,345"\n')
    await load_file(database, plain)
    assert await rows(database, "SELECT amount FROM data.tabbed") == [("1,234",), ("12,345",)]


async def test_thousands_with_dots_and_dates_with_the_day_first_are_understood(
    database: Database, tmp_path: Path
) -> None:
    lines = ["bau;kosten;beginn;version;fehler", "Brücke;1.234.567,50;31.12.2023;1.2.2023;31.12.2023"]
    lines += ["Steg;99,9;1.2.2024;10.11.2023;32.12.2023", "Tunnel;2.000;;3.4.2023;1.2.2024"]
    await load_file(database, text(tmp_path / "bauten.csv", "\n".join(lines)))
    found = await rows(database, "SELECT kosten, beginn::text, fehler FROM data.bauten ORDER BY id")
    assert found == [
        (1234567.5, "2023-12-31", "31.12.2023"), (99.9, "2024-02-01", "32.12.2023"), (2000, None, "1.2.2024")
    ]  # fmt: skip


async def test_long_codes_keep_all_their_digits(database: Database, tmp_path: Path) -> None:
    parcels = ["12053400100123000001", "12053400100123000002"]
    posts = ["1750000000000000001", str(2**63 - 1)]
    lines = [
        f"{parcel},{post},{area}"
        for parcel, post, area in zip(parcels, posts, ("1.5", "1" * 20), strict=True)
    ]
    report = await load_file(
        database, text(tmp_path / "parcels.csv", "\n".join(["parcel,post,area", *lines]))
    )
    assert report.remarks == [
        "Whole numbers of parcels.csv that are longer than a number may be were kept as texts: parcel."
    ]
    found = await rows(database, "SELECT parcel, post, pg_typeof(area)::text FROM data.parcels ORDER BY id")
    assert found == [
        (parcel, int(post), "double precision") for parcel, post in zip(parcels, posts, strict=True)
    ]


async def test_coordinates_are_found_by_usual_names(database: Database, tmp_path: Path) -> None:
    names = ("stop_lat,stop_lon", "decimalLatitude,decimalLongitude", "Latitude (WGS84),Longitude (WGS84)")
    for number, header in enumerate((*names, "Breitengrad,Längengrad")):
        report = await load_file(database, text(tmp_path / f"stops_{number}.csv", f"{header}\n1,2\n"))
        assert report.geometry_type == "POINT", header
        assert await rows(database, f"SELECT ST_AsText(geom) FROM data.stops_{number}") == [("POINT(2 1)",)]
    # The first are names, in Latin and written out.
    for number, header in enumerate(("name_lat,name_long", "lat_deg,lon")):
        report = await load_file(database, text(tmp_path / f"others_{number}.csv", f"{header}\n1,2\n"))
        assert report.geometry_type is None, header


async def test_of_two_pairs_of_coordinates_none_is_preferred(database: Database, tmp_path: Path) -> None:
    path = text(tmp_path / "trips.csv", "start_lat,start_lng,end_lat,end_lng\n1,2,3,4\n")
    assert (await load_file(database, path)).geometry_type is None


async def test_coordinates_may_be_degrees_minutes_and_seconds(database: Database, tmp_path: Path) -> None:
    lines = [
        "lat,lon",
        '48°12\'30""N,16°22\'30""E',
        "S 33° 30.5',151.25° E",
        "-12.5°,0.5W",
        "48°75'N,16°E",
        "north,1",
    ]
    quoted = [",".join(f'"{value}"' for value in line.split(",")) for line in lines]
    report = await load_file(database, text(tmp_path / "camps.csv", "\n".join(quoted)))
    assert report.skipped == 2
    found = await rows(database, "SELECT ST_X(geom), ST_Y(geom), lat FROM data.camps ORDER BY id")
    expected = [(16.375, 48.208333, 48.208333), (151.25, -33.508333, -33.508333), (-0.5, -12.5, -12.5)]
    assert [tuple(row) for row in found] == [pytest.approx(row, abs=1e-6) for row in expected]


async def test_an_encoding_can_be_said(database: Database, tmp_path: Path) -> None:
    path = text(tmp_path / "greek.csv", "name,lon,lat\nΑθήνα,1,2\n".encode("iso-8859-7"))
    await load_file(database, path, encoding="iso-8859-7")
    assert await rows(database, "SELECT name FROM data.greek") == [("Αθήνα",)]
