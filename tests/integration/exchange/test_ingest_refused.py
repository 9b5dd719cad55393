"""Files that are not taken: hostile archives, what cannot be read, what is too large. Each says why."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path

import pyogrio
import pytest

from server.database.engines import Database
from server.gis.ingest import CannotLoad, IngestLimits, load_file
from server.gis.ingest.limits import ChooseLayer, FileTooLarge
from server.gis.reading.archive import is_archive
from tests.integration.exchange.test_ingest import archive, exists, frame, text

CSV = b"lon,lat\n1,2\n"


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"../../escape.csv": CSV}, "leave its folder"),
        ({"/etc/escape.csv": CSV}, "leave its folder"),
        ({"..\\escape.csv": CSV}, "leave its folder"),
        ({"C:/escape.csv": CSV}, "leave its folder"),
        ({"a.csv": CSV, "b.csv": CSV}, "several layers: a, b"),
        ({"readme.txt": b"hello"}, "nothing in it"),
        ({"inner.zip": b"PK"}, "nothing in it"),
        ({f"{n}.txt": b"" for n in range(60)}, "60 entries"),
        ({"big.csv": b"0" * 3_000_000}, "more than is allowed"),
    ],
)
async def test_hostile_and_unclear_archives_are_refused(
    database: Database, tmp_path: Path, entries: dict[str, bytes], says: str
) -> None:
    limits = IngestLimits(entries=50, unpacked=1_000_000)
    with pytest.raises(CannotLoad, match=says):
        await load_file(database, archive(tmp_path / "x.zip", entries), limits=limits)
    assert not (tmp_path.parent / "escape.csv").exists()


async def test_symbolic_links_in_archives_are_refused(database: Database, tmp_path: Path) -> None:
    link = zipfile.ZipInfo("passwords.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as made:
        made.writestr(link, "/etc/passwd")
    with pytest.raises(CannotLoad, match="symbolic link"):
        await load_file(database, tmp_path / "link.zip")


async def test_the_list_of_layers_is_complete_among_messages_of_libraries(
    database: Database, tmp_path: Path
) -> None:
    names = ["short", *(f"{number:0>150}" for number in range(30))]
    for name in names:
        frame().to_file(tmp_path / "many.gpkg", layer=name, driver="GPKG")
    with pytest.raises(ChooseLayer) as refused:
        await load_file(database, tmp_path / "many.gpkg")
    assert list(refused.value.details["layers"]) == names
    assert "Warning" not in str(refused.value)


def test_an_archive_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    made = archive(tmp_path / "x", {"a.csv": CSV})
    assert is_archive(made, "a.bin")
    assert not is_archive(made, "a.geojson")
    assert not is_archive(text(tmp_path / "y", b"not an archive"), "a.bin")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.geojson", b"", "is empty"),
        ("nothing.geojson", b'{"type": "FeatureCollection", "features": []}', "no rows"),
        ("cut.geojson", b'{"type": "FeatureCollection", "features": [{"type": "Feat', "cannot be read"),
        ("text.gpkg", b"this is no GeoPackage", "cannot be read"),
        ("text.fgb", b"fgb?", "cannot be read"),
        ("text.parquet", b"PAR1 and no more", "cannot be read as Parquet"),
        ("text.zip", b"PK\x03\x04 no", "not an archive"),
        ("program.exe", b"MZ", "not of a kind"),
        ("alone.shp", b"\x00\x00\x27\x0a", "only a part of a Shapefile"),
        ("header.csv", b"lon,lat\n", "no rows"),
        ("twice.csv", b"a,b,a,lon,lat\n1,2,3,4,5\n", "several columns of the name 'a'"),
        ("blank.csv", b"\n\n", "no header"),
        ("binary.csv", b"\0\0\0\0", "not a text|no header|several"),
        ("allbad.csv", b"lon,lat\nx,y\n", "1 row was not usable"),
        ("quote.csv", b'a,lon,lat\n"never ends,1,2\n', "no rows|cannot be read|not usable"),
    ],
)
async def test_files_that_cannot_be_loaded_say_why_and_change_nothing(
    database: Database, tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    with pytest.raises(CannotLoad, match=says):
        await load_file(database, text(tmp_path / name, content))
    assert not await exists(database, Path(name).stem)


async def test_a_file_cannot_have_the_server_read_another_one(database: Database, tmp_path: Path) -> None:
    """GDAL guesses formats by content: a virtual data set names any file or address it likes."""
    secret = text(tmp_path / "secret.csv", "password\nhunter2\n")
    layer = f'<OGRVRTLayer name="secret"><SrcDataSource>{secret}</SrcDataSource></OGRVRTLayer>'
    vrt = f"<OGRVRTDataSource>{layer}</OGRVRTDataSource>"
    pipeline = json.dumps(
        {"type": "gdal_streamed_alg", "command_line": f"gdal vector pipeline read {secret}"}
    )
    for name, content in (("a.kml", vrt), ("b.geojson", vrt), ("c.geojson", pipeline), ("d.gpkg", vrt)):
        with pytest.raises(CannotLoad):
            await load_file(database, text(tmp_path / name, content))
    assert "OGR_VRT" in pyogrio.list_drivers(), "the driver is there, and the reader does not have it"


async def test_limits_hold(database: Database, tmp_path: Path) -> None:
    path = text(tmp_path / "many.csv", "lon,lat\n" + "1,2\n" * 5000)
    with pytest.raises(FileTooLarge, match="at most"):
        await load_file(database, path, limits=IngestLimits(bytes=1000))
    with pytest.raises(FileTooLarge, match="more than 100 rows"):
        await load_file(database, path, limits=IngestLimits(rows=100))
    assert not await exists(database, "many")


@pytest.mark.parametrize("name", ["", "  ", "n" * 64, "a\0b"])
async def test_names_that_no_table_can_have_are_refused(
    database: Database, tmp_path: Path, name: str
) -> None:
    with pytest.raises(CannotLoad, match="name"):
        await load_file(database, text(tmp_path / "x.csv", "lon,lat\n1,2\n"), name)
