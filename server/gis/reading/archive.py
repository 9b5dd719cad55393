"""Finds the data sets of an upload; archives are unpacked within limits and only into their folder.

Every file is opened under a generated name, because GDAL interprets `;`, `!` and `/vsi` in names."""

from __future__ import annotations

import lzma
import re
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from agents.worded import Template
from server.gis.reading.data_set import DataSet
from server.gis.reading.limits import MB, IngestLimits
from server.gis.reading.notes import TooLarge, Unreadable

EMPTY = Template("file_empty", "{file} is empty.")
TOO_LARGE = Template("file_too_large", "{file} has {size}; at most {most} are loaded.")
NOTHING_INSIDE = Template(
    "file_nothing_inside", "{file} has nothing in it that can be loaded. What can: {formats}."
)
UNKNOWN_KIND = Template(
    "file_unknown_kind", "{file} is not of a kind that can be loaded. These are: {formats}."
)
PART_OF_SHAPEFILE = Template(
    "file_part_of_shapefile",
    "{file} is only a part of a Shapefile. Zip it with its .shx, .dbf and .prj files.",
)
MANY_ENTRIES = Template("file_many_entries", "{file} has {n} entries; at most {most} are unpacked.")
SAME_ENTRIES = Template("file_same_entries", "{file} has several entries {entry} in one folder.")
BAD_ARCHIVE = Template(
    "file_bad_archive", "{file} is not an archive that can be read: it is damaged or of another kind."
)
ENCRYPTED = Template("file_encrypted", "{file} is encrypted. Upload it without a password.")
NAMELESS_ENTRY = Template("file_nameless_entry", "{file} has an entry without a name.")
ESCAPING_ENTRY = Template("file_escaping_entry", "{file} has an entry that would leave its folder: {entry}.")
LINK_ENTRY = Template("file_link_entry", "{file} has a symbolic link: {entry}. Put the file itself in it.")
ARCHIVE_BOMB = Template(
    "file_archive_bomb", "{file} unpacks to more than is allowed for an archive of its size."
)

DATA_SETS = (
    ".geojson", ".json", ".geojsonl", ".geojsons", ".ndjson", ".gpkg", ".fgb", ".shp", ".kml", ".gpx", ".csv", ".tsv",
    ".parquet", ".geoparquet", ".xlsx",
)  # fmt: skip
COMPANIONS = (".shx", ".dbf", ".prj", ".cpg", ".qix", ".sbn", ".sbx", ".csvt")
ARCHIVES = (".zip", ".kmz", ".shz")
GEODATABASE = ".gdb"
"""Suffix of the folder that is a File Geodatabase."""
SUPPORTED_FORMATS = (
    "GeoJSON, GeoPackage, FlatGeobuf, Shapefile (zipped), File Geodatabase (zipped), KML, GPX, CSV, Excel (.xlsx) "
    "and GeoParquet"
)
READ_CHUNK_BYTES = 1024 * 1024
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, EOFError, OSError)
"""Raised for an archive that is damaged or packed in an unknown way."""


def data_sets(path: Path, name: str, folder: Path, limits: IngestLimits) -> list[DataSet]:
    """What to read: the upload itself, or the data sets of an archive, unpacked into `folder`. Raises Unreadable or
    TooLarge."""
    size = path.stat().st_size
    if size == 0:
        raise Unreadable(EMPTY(file=name))
    if size > limits.bytes:
        raise TooLarge(TOO_LARGE(file=name, size=_mb(size), most=_mb(limits.bytes)))
    if is_archive(path, name):
        files = unpacked(path, name, folder, limits)
        if not files:
            raise Unreadable(NOTHING_INSIDE(file=name, formats=SUPPORTED_FORMATS))
        return files
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in DATA_SETS:
        raise Unreadable(UNKNOWN_KIND(file=name, formats=SUPPORTED_FORMATS))
    return [_plainly_named(path, name, suffix, folder)]


def is_archive(path: Path, name: str) -> bool:
    """Whether the file must be unpacked, judged by suffix and content."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix in ARCHIVES or (suffix not in DATA_SETS and zipfile.is_zipfile(path))


def _plainly_named(path: Path, name: str, suffix: str, folder: Path) -> DataSet:
    plain = folder / f"data{suffix}"
    if suffix == ".shp":
        beside = [each for each in path.parent.glob("*") if each.stem == path.stem]
        parts = {each.suffix.lower(): each for each in beside if each.suffix.lower() in COMPANIONS}
        if ".dbf" not in parts:
            raise Unreadable(PART_OF_SHAPEFILE(file=name))
        for part, file in parts.items():
            plain.with_suffix(part).symlink_to(file.resolve())
    plain.symlink_to(path.resolve())
    return DataSet(plain, name, PurePosixPath(name).stem)


def unpacked(path: Path, name: str, folder: Path, limits: IngestLimits) -> list[DataSet]:
    """The data sets of an archive, unpacked into `folder`. Sizes are measured, not taken from headers. Raises
    Unreadable or TooLarge."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
            if len(entries) > limits.entries:
                raise TooLarge(MANY_ENTRIES(file=name, n=len(entries), most=limits.entries))
            left = limits.expanded(path.stat().st_size, limits.unpacked)
            files: dict[Path, PurePosixPath] = {}
            stems: dict[str, str] = {}
            for entry in entries:
                inside = _inside(entry, name)
                target = _target(inside, folder, stems)
                if target is None:
                    continue
                if target.exists():
                    raise Unreadable(SAME_ENTRIES(file=name, entry=repr(inside.name)))
                target.parent.mkdir(exist_ok=True)
                left -= _unpack(archive, entry, target, left, name)
                if target.parent.suffix == GEODATABASE:
                    files[target.parent] = inside.parent
                elif target.suffix in DATA_SETS and not _is_hidden(inside):
                    files[target] = inside
            return _labelled(files)
    except DAMAGED as error:
        raise Unreadable(BAD_ARCHIVE(file=name)) from error
    except RuntimeError as error:
        raise Unreadable(ENCRYPTED(file=name)) from error


def _target(inside: PurePosixPath, folder: Path, stems: dict[str, str]) -> Path | None:
    """Where an entry is unpacked to, under a generated name; None for entries that are not data."""
    if inside.parent.suffix.lower() == GEODATABASE and not _is_hidden(inside):
        # GDAL opens the files of a geodatabase by the names that its format gives them.
        if re.fullmatch(r"\w[\w.]*", inside.name, re.ASCII) is None:
            return None
        stem = stems.setdefault(str(inside.parent), f"data{len(stems)}")
        return folder / f"{stem}{GEODATABASE}" / inside.name
    suffix = inside.suffix.lower()
    if suffix not in DATA_SETS + COMPANIONS:
        return None
    # The parts of a Shapefile keep a common stem.
    stem = stems.setdefault(str(inside.with_suffix("")), f"data{len(stems)}")
    return folder / f"{stem}{suffix}"


def _is_hidden(inside: PurePosixPath) -> bool:
    return "__MACOSX" in inside.parts or inside.name.startswith(".")


def _labelled(files: dict[Path, PurePosixPath]) -> list[DataSet]:
    """The data sets, labelled by their names; by their paths in the archive where names are not unique."""
    stems = [inside.stem for inside in files.values()]
    return [
        DataSet(path, inside.name, inside.stem if stems.count(inside.stem) == 1 else str(inside))
        for path, inside in files.items()
    ]


def _inside(entry: zipfile.ZipInfo, archive: str) -> PurePosixPath:
    """The entry's path. Raises Unreadable if it would leave the folder."""
    name = PurePosixPath(entry.filename.replace("\\", "/"))
    if not name.parts:
        raise Unreadable(NAMELESS_ENTRY(file=archive))
    if name.is_absolute() or ".." in name.parts or ":" in name.parts[0] or "\0" in entry.filename:
        raise Unreadable(ESCAPING_ENTRY(file=archive, entry=repr(entry.filename[:80])))
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise Unreadable(LINK_ENTRY(file=archive, entry=repr(entry.filename[:80])))
    return name


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, left: int, name: str) -> int:
    """Unpack an entry; returns the bytes written. Raises TooLarge beyond `left`."""
    written = 0
    with archive.open(entry) as source, target.open("xb") as file:
        while piece := source.read(READ_CHUNK_BYTES):
            written += len(piece)
            if written > left:
                raise TooLarge(ARCHIVE_BOMB(file=name))
            file.write(piece)
    return written


def _mb(size: int) -> str:
    return f"{size / MB:,.0f} MB"
