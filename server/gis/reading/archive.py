"""Finds the one data set of an upload; archives are unpacked within limits and only into their folder.

Every file is opened under a generated name, because GDAL interprets `;`, `!` and `/vsi` in names.
"""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from server.gis.reading.data_set import DataSet
from server.gis.reading.limits import MB, IngestLimits
from server.gis.reading.notes import TooLarge, Unreadable

DATA_SETS = (".geojson", ".json", ".gpkg", ".fgb", ".shp", ".kml", ".csv", ".tsv", ".parquet", ".geoparquet")
COMPANIONS = (".shx", ".dbf", ".prj", ".cpg", ".qix", ".sbn", ".sbx", ".csvt")
ARCHIVES = (".zip", ".kmz", ".shz")
KNOWN = "GeoJSON, GeoPackage, FlatGeobuf, Shapefile (zipped), KML, CSV and GeoParquet"
READ_CHUNK_BYTES = 1024 * 1024
MAX_NAMES_LISTED = 30
"""Names in a message."""


def data_set(path: Path, name: str, folder: Path, limits: IngestLimits) -> DataSet:
    """The file to read: the upload itself, or the only data set of an archive, unpacked into `folder`. Raises
    Unreadable or TooLarge.
    """
    size = path.stat().st_size
    if size == 0:
        raise Unreadable(f"{name} is empty.")
    if size > limits.bytes:
        raise TooLarge(f"{name} has {_mb(size)}; at most {_mb(limits.bytes)} are loaded.")
    if is_archive(path, name):
        return _only(unpacked(path, name, folder, limits), name)
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in DATA_SETS:
        raise Unreadable(f"{name} is not of a kind that can be loaded. These are: {KNOWN}.")
    return _plainly_named(path, name, suffix, folder)


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
            raise Unreadable(
                f"{name} is only a part of a Shapefile. Zip it with its .shx, .dbf and .prj files."
            )
        for part, file in parts.items():
            plain.with_suffix(part).symlink_to(file.resolve())
    plain.symlink_to(path.resolve())
    return DataSet(plain, name)


def unpacked(path: Path, name: str, folder: Path, limits: IngestLimits) -> list[DataSet]:
    """The files of an archive that may be data, unpacked into `folder`. Sizes are measured, not taken from
    headers. Raises Unreadable or TooLarge.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > limits.entries:
                raise TooLarge(f"{name} has {len(entries)} entries; at most {limits.entries} are unpacked.")
            left = limits.expanded(path.stat().st_size, limits.unpacked)
            files: list[DataSet] = []
            stems: dict[str, str] = {}
            for entry in entries:
                inside = _inside(entry, name)
                suffix = inside.suffix.lower()
                if suffix not in DATA_SETS + COMPANIONS:
                    continue
                # The parts of a Shapefile keep a common stem.
                stem = stems.setdefault(str(inside.with_suffix("")), f"data{len(stems)}")
                target = folder / f"{stem}{suffix}"
                if target.exists():
                    raise Unreadable(f"{name} has several entries {inside.name!r} in one folder.")
                left -= _unpack(archive, entry, target, left, name)
                if suffix in DATA_SETS and "__MACOSX" not in inside.parts and not inside.name.startswith("."):
                    files.append(DataSet(target, inside.name))
            return files
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise Unreadable(
            f"{name} is no archive that can be read: it is damaged or of another kind."
        ) from error
    except RuntimeError as error:
        raise Unreadable(f"{name} is encrypted. Upload it without a password.") from error


def _inside(entry: zipfile.ZipInfo, archive: str) -> PurePosixPath:
    """The entry's path. Raises Unreadable if it would leave the folder."""
    name = PurePosixPath(entry.filename.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or ":" in name.parts[0] or "\0" in entry.filename:
        raise Unreadable(f"{archive} has an entry that would leave its folder: {entry.filename[:80]!r}.")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise Unreadable(
            f"{archive} has a symbolic link: {entry.filename[:80]!r}. Put the file itself in it."
        )
    return name


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, left: int, name: str) -> int:
    """Unpack an entry; returns the bytes written. Raises TooLarge beyond `left`."""
    written = 0
    with archive.open(entry) as source, target.open("xb") as file:
        while piece := source.read(READ_CHUNK_BYTES):
            written += len(piece)
            if written > left:
                raise TooLarge(f"{name} unpacks to more than is allowed for an archive of its size.")
            file.write(piece)
    return written


def _only(found: Iterable[DataSet], archive: str) -> DataSet:
    files = list(found)
    if not files:
        raise Unreadable(f"{archive} has nothing in it that can be loaded. What can: {KNOWN}.")
    if len(files) > 1:
        names = sorted(file.name for file in files)
        more = f" and {len(names) - MAX_NAMES_LISTED} more" if len(names) > MAX_NAMES_LISTED else ""
        raise Unreadable(
            f"{archive} has several data sets: {', '.join(names[:MAX_NAMES_LISTED])}{more}. Load them one by one."
        )
    return files[0]


def _mb(size: int) -> str:
    return f"{size / MB:,.0f} MB"
