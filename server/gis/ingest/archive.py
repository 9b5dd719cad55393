"""From an upload to the one data set in it: archives are unpacked within limits and nowhere but into their folder."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from server.gis.errors import listed
from server.gis.ingest.limits import CannotLoad, FileTooLarge, IngestLimits

DATA_SETS = (".geojson", ".json", ".gpkg", ".fgb", ".shp", ".kml", ".csv", ".tsv", ".parquet", ".geoparquet")
COMPANIONS = (".shx", ".dbf", ".prj", ".cpg", ".qix", ".sbn", ".sbx", ".csvt")
ARCHIVES = (".zip", ".kmz", ".shz")
KNOWN = "GeoJSON, GeoPackage, FlatGeobuf, Shapefile (zipped), KML, CSV and GeoParquet"
PIECE = 1024 * 1024


def data_set(path: Path, folder: Path, limits: IngestLimits) -> Path:
    """The file to read: the given one, or the only data set of an archive, unpacked into `folder`."""
    size = path.stat().st_size
    if size == 0:
        raise CannotLoad(f"{path.name} is empty.")
    if size > limits.bytes:
        raise FileTooLarge(f"{path.name} has {_mb(size)}; at most {_mb(limits.bytes)} are loaded.")
    suffix = path.suffix.lower()
    if suffix in ARCHIVES or (zipfile.is_zipfile(path) and suffix not in DATA_SETS):
        return _only(unpacked(path, folder, limits), path.name)
    if suffix not in DATA_SETS:
        raise CannotLoad(f"{path.name} is not of a kind that can be loaded. These are: {KNOWN}.")
    if suffix == ".shp" and not path.with_suffix(".dbf").exists():
        raise CannotLoad(
            f"{path.name} is only a part of a Shapefile. Zip it with its .shx, .dbf and .prj files."
        )
    return path


def unpacked(path: Path, folder: Path, limits: IngestLimits) -> list[Path]:
    """The files of an archive that may be data, in `folder`. Sizes are measured, not believed."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > limits.entries:
                raise FileTooLarge(
                    f"{path.name} has {len(entries)} entries; at most {limits.entries} are unpacked."
                )
            left = limits.unpacked
            files = []
            for entry in entries:
                target = folder / _inside(entry, path.name)
                if target.suffix.lower() not in DATA_SETS + COMPANIONS:
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                left -= _unpack(archive, entry, target, left, path.name)
                files.append(target)
            return files
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise CannotLoad(
            f"{path.name} is no archive that can be read: it is damaged or of another kind."
        ) from error
    except RuntimeError as error:
        raise CannotLoad(f"{path.name} is encrypted. Upload it without a password.") from error


def _inside(entry: zipfile.ZipInfo, archive: str) -> PurePosixPath:
    """The entry's path, which must stay within the folder that it is unpacked to."""
    name = PurePosixPath(entry.filename.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or ":" in name.parts[0] or "\0" in entry.filename:
        raise CannotLoad(f"{archive} has an entry that would leave its folder: {entry.filename[:80]!r}.")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise CannotLoad(
            f"{archive} has a symbolic link: {entry.filename[:80]!r}. Put the file itself in it."
        )
    return name


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, left: int, name: str) -> int:
    """Bytes written; never more than are left."""
    written = 0
    with archive.open(entry) as source, target.open("xb") as file:
        while piece := source.read(PIECE):
            written += len(piece)
            if written > left:
                raise FileTooLarge(f"{name} unpacks to more than is allowed.")
            file.write(piece)
    return written


def _only(files: Iterable[Path], archive: str) -> Path:
    found = [
        file
        for file in files
        if file.suffix.lower() in DATA_SETS and "__MACOSX" not in file.parts and not file.name.startswith(".")
    ]
    if not found:
        raise CannotLoad(f"{archive} has nothing in it that can be loaded. What can: {KNOWN}.")
    if len(found) > 1:
        names = sorted(file.name for file in found)
        raise CannotLoad(f"{archive} has several data sets: {listed(names)}. Load them one by one.")
    return found[0]


def _mb(size: int) -> str:
    return f"{size / 1024 / 1024:,.0f} MB"
