"""Files that are damaged, or made to confuse: refused in words for their sender, and no fault in the server's log."""

from __future__ import annotations

import io
import lzma
import random
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
import structlog

from server.database.engines import Database
from server.gis.ingest import CannotLoad, IngestLimits, load_file
from server.gis.ingest.limits import TooManyVertices
from tests.integration.exchange.test_ingest import archive, exists, frame, rows, text

CSV = b"lon,lat\n" + b"1,2\n" * 2000
CENTRAL = b"PK\x01\x02"
"""Where the directory of an archive begins."""
CURVE = struct.pack("<BII6d", 1, 8, 3, 0, 0, 1, 1, 2, 0)
"""An arc, as WKB."""
NOT_UTF8 = pa.Array.from_buffers(
    pa.string(), 1, [None, pa.py_buffer(struct.pack("<ii", 0, 2)), pa.py_buffer(b"\xff\xfe")]
)


def zipped(path: Path, method: int, spoil: slice = slice(50, 60)) -> Path:
    """An archive whose only entry is damaged."""
    with zipfile.ZipFile(path, "w", method) as made:
        made.writestr("a.csv", CSV)
    content = bytearray(path.read_bytes())
    content[spoil] = bytes(255 - byte for byte in content[spoil])
    return text(path, bytes(content))


def nameless(path: Path) -> Path:
    """An archive with an entry whose name has no characters."""
    content = bytearray(archive(path, {"Q": CSV}).read_bytes())
    content[26:30] = struct.pack("<HH", 0, 1)
    place = content.find(CENTRAL)
    content[place + 28 : place + 32] = struct.pack("<HH", 0, 1)
    return text(path, bytes(content))


def inner_archive(path: Path) -> Path:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as made:
        made.writestr("a.csv", CSV)
    return archive(path, {"inner.zip": inner.getvalue()})


def geopackage(path: Path) -> Path:
    frame().to_file(path, driver="GPKG", layer="places")
    return path


def spoiled_catalogue(path: Path) -> Path:
    """A GeoPackage whose list of tables is not a text."""
    connection = sqlite3.connect(geopackage(path))
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = CAST(x'ff00ff' AS TEXT) WHERE name = 'places'")
    connection.commit()
    connection.close()
    return path


def cut(path: Path, size: int) -> Path:
    return text(path, path.read_bytes()[:size])


def scattered(path: Path) -> Path:
    """Two hundred bytes of a GeoPackage are others."""
    dice = random.Random(3)
    content = bytearray(geopackage(path).read_bytes())
    for _ in range(200):
        content[dice.randrange(100, len(content))] = dice.randrange(256)
    return text(path, bytes(content))


def parquet(path: Path, columns: dict[str, object], geo: bytes | None = None) -> Path:
    table = pa.table(columns)
    pq.write_table(table if geo is None else table.replace_schema_metadata({b"geo": geo}), path)
    return path


def geoparquet(path: Path, shapes: list[bytes]) -> Path:
    described = (
        b'{"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB"}}}'
    )
    return parquet(path, {"geometry": shapes}, described)


DAMAGED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a deflated entry": (
        lambda at: zipped(at / "a.zip", zipfile.ZIP_DEFLATED),
        "not an archive that can be read",
    ),
    "an LZMA entry": (
        lambda at: zipped(at / "b.zip", zipfile.ZIP_LZMA, slice(60, 80)),
        "not an archive that can",
    ),
    "a bzip2 entry": (lambda at: zipped(at / "c.zip", zipfile.ZIP_BZIP2), "not an archive that can be read"),
    "an entry without a name": (lambda at: nameless(at / "d.zip"), "without a name"),
    "an entry that is a dot": (lambda at: archive(at / "e.zip", {".": CSV}), "without a name"),
    "an archive in an archive": (lambda at: inner_archive(at / "f.zip"), "nothing in it"),
    "a list of tables that is not a text": (lambda at: spoiled_catalogue(at / "g.gpkg"), "damaged"),
    "half of a GeoPackage": (lambda at: cut(geopackage(at / "h.gpkg"), 40_000), "damaged"),
    "scattered bytes": (lambda at: scattered(at / "i.gpkg"), "damaged"),
    "a File Geodatabase of garbage": (
        lambda at: archive(at / "j.zip", {"x.gdb/a00000001.gdbtable": b"\3\0\0\0garbage" * 100}),
        "part of it is damaged",
    ),
    "texts that are not UTF-8": (
        lambda at: parquet(at / "k.parquet", {"lon": [1.0], "lat": [2.0], "t": NOT_UTF8}),
        "not valid UTF-8",
    ),
    "a reference system that nobody knows": (
        lambda at: parquet(
            at / "l.parquet",
            {"geometry": [shapely.Point(1, 2).wkb]},
            b'{"primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB", "crs": {"x": 1}}}}',
        ),
        "EPSG code",
    ),
    "geometries that are garbage": (
        lambda at: geoparquet(at / "m.parquet", [b"\1\2\3"]),
        "no WKB|not usable",
    ),
    "entities that grow": (
        lambda at: text(
            at / "n.kml",
            '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
            '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>&b;</name></Document></kml>',
        ),
        "cannot be read as kml",
    ),
    "nothing but a magic number": (
        lambda at: text(at / "o.gpkg", b"SQLite format 3\0" + bytes(4096)),
        "damaged",
    ),
    "pictures": (lambda at: text(at / "p.xlsx", b"\x89PNG\r\n\x1a\n" + bytes(99)), "cannot be read as Excel"),
}


@pytest.mark.parametrize("kind", DAMAGED)
async def test_damaged_files_are_refused_in_words_and_are_no_fault_of_the_server(
    database: Database, tmp_path: Path, kind: str
) -> None:
    make, says = DAMAGED[kind]
    path = make(tmp_path)
    with structlog.testing.capture_logs() as logged, pytest.raises(CannotLoad, match=says) as refused:
        await load_file(database, path, "damaged")
    assert [entry for entry in logged if entry["log_level"] == "error"] == []
    assert "/" not in str(refused.value).replace("</", "").partition("What can")[0]
    assert not await exists(database, "damaged")


async def test_damaged_parts_of_a_workbook_are_reported(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("xl/workbook.xml", b"<x/>" * 1000)
    content = bytearray(path.read_bytes())
    content[70:90] = bytes(255 - byte for byte in content[70:90])
    with (
        pytest.raises((lzma.LZMAError, zipfile.BadZipFile)),
        zipfile.ZipFile(text(path, bytes(content))) as spoilt,
    ):
        spoilt.read("xl/workbook.xml")
    with pytest.raises(CannotLoad, match="cannot be read as Excel"):
        await load_file(database, path, "damaged")


async def test_a_shapefile_without_its_index_is_loaded(database: Database, tmp_path: Path) -> None:
    frame().to_file(tmp_path / "s.shp")
    parts = {f"s.{part}": (tmp_path / f"s.{part}").read_bytes() for part in ("shp", "dbf", "prj")}
    report = await load_file(database, archive(tmp_path / "without_index.zip", parts))
    assert report.rows == 3
    assert len(await rows(database, "SELECT 1 FROM data.without_index WHERE geom IS NOT NULL")) == 3


async def test_curves_are_loaded_as_they_are(database: Database, tmp_path: Path) -> None:
    path = geoparquet(tmp_path / "curves.parquet", [CURVE, shapely.Point(1, 2).wkb, b"\1\2\3"])
    report = await load_file(database, path)
    assert (report.rows, report.skipped) == (2, 1)
    found = await rows(database, "SELECT GeometryType(geometry) FROM data.curves ORDER BY 1")
    assert [kind for (kind,) in found] == ["CIRCULARSTRING", "POINT"]


async def test_curves_count_for_the_limit_of_vertices(database: Database, tmp_path: Path) -> None:
    arc = struct.pack("<BII", 1, 8, 1001) + struct.pack("<dd", 1, 2) * 1001
    path = geoparquet(tmp_path / "arcs.parquet", [arc])
    with pytest.raises(TooManyVertices):
        await load_file(database, path, limits=IngestLimits(vertices=1000))
    with pytest.raises(CannotLoad, match="cannot be cut"):
        await load_file(database, path, limits=IngestLimits(vertices=1000, subdivide=True))


async def test_instants_of_an_unknown_zone_are_loaded(database: Database, tmp_path: Path) -> None:
    times = pa.array([0], pa.timestamp("us", "Nowhere/Land"))
    await load_file(database, parquet(tmp_path / "zone.parquet", {"lon": [1.0], "lat": [2.0], "at": times}))
    ((seconds,),) = await rows(database, "SELECT extract(epoch FROM at)::int FROM data.zone")
    assert seconds == 0
