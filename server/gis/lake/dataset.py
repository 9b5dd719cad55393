"""What the metadata of a dataset of Parquet files say: columns, geometry, reference system, extent, rows, ranges.

Only the footers of files are read. GeoParquet 1.0 and 1.1 with WKB, and Parquet without geometry. All files must have
the same columns; folders named `key=value` (Hive) add columns.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict

from server.gis.errors import listed
from server.gis.lake.columns import LakeColumn, column_of, partition_type
from server.gis.lake.errors import NoLakeTable
from server.gis.lake.ranges import Box, Ranges, united
from server.gis.reading.parquet_rows import geoparquet_column

FOOTERS_AT_ONCE = 8
KEY = "fid"
"""The key of the table that holds the sample, and of the results of analyses."""
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class LakeFile(BaseModel):
    """A file of a dataset; `path` is relative to the dataset's root, empty where the dataset is one file, and absolute
    where STAC items name it."""

    model_config = ConfigDict(frozen=True)

    path: str
    rows: int
    bytes: int
    changed_ns: int
    box: Box | None = None
    """In the reference system of the dataset."""
    parts: dict[str, str | None] = {}
    """Values of the columns that the names of its folders add."""


class GeometryFacts(BaseModel):
    """The geometry column of a dataset, as its metadata describe it."""

    model_config = ConfigDict(frozen=True)

    name: str
    """Of the column in the files."""
    crs: str | None
    """`EPSG:25832` or PROJJSON; None where the files do not say it."""
    types: tuple[str, ...] = ()
    """`Polygon`, `MultiPolygon Z` ...; empty where the files do not say it."""
    covering: dict[str, tuple[str, ...]] = {}
    """Where `xmin`, `ymin`, `xmax` and `ymax` of each row are: paths to columns."""

    @property
    def is_lonlat(self) -> bool:
        """Whether coordinates are known to be longitudes and latitudes of WGS 84."""
        return self.crs == "EPSG:4326"


class Dataset(BaseModel):
    """A dataset as it was found; the document of `geoagent_lake.dataset`."""

    model_config = ConfigDict(frozen=True)

    root: str
    """Absolute path of the folder, or of the file; of the file of STAC items, where these name the files."""
    address: str | None = None
    """Where the files were copied from."""
    items_changed_ns: int | None = None
    """When the file of STAC items was changed that names the files, if one does."""
    files: tuple[LakeFile, ...]
    columns: tuple[LakeColumn, ...]
    geometry: GeometryFacts | None
    remarks: tuple[str, ...] = ()
    ranges: dict[str, tuple[float | str, float | str]] = {}
    srid: int = 0
    """Known once it is registered, as is what follows."""
    geometry_type: str | None = None

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)

    @property
    def version(self) -> str:
        """Changes when a file is added, removed or written again."""
        known = [[file.path, file.bytes, file.changed_ns] for file in self.files]
        return hashlib.sha256(json.dumps([self.root, known]).encode()).hexdigest()[:12]

    @property
    def box(self) -> Box | None:
        """The extent in the dataset's reference system, if each file with rows states its own."""
        return united([file.box for file in self.files if file.rows])

    def path_of(self, file: LakeFile) -> Path:
        return Path(self.root, file.path) if file.path else Path(self.root)

    def column(self, name: str) -> LakeColumn | None:
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True)
class _Footer:
    file: LakeFile
    schema: pa.Schema
    ranges: Ranges


def read_dataset(
    root: Path, files: Sequence[Path], items: Mapping[Path, Box | None] | None = None
) -> Dataset:
    """Raises NoLakeTable with the file and what is wrong with it. `items` are the boxes of STAC items, in longitude and
    latitude, by the files that they name: these need not lie below the root, which is the file of the items."""
    first = _schema(files[0])
    geometry = _geometry(first, files[0])
    with ThreadPoolExecutor(FOOTERS_AT_ONCE) as pool:
        footers = list(pool.map(lambda file: _footer(root, file, geometry, items), files))
    for footer in footers[1:]:
        _check_same(first, footer.schema, footer.file.path, files[0])
    keys = list(footers[0].file.parts)
    for footer in footers:
        if list(footer.file.parts) != keys:
            raise NoLakeTable(
                f"Folders of {root.name} are named by different columns: {listed(keys) or 'none'}, and "
                f"{listed(list(footer.file.parts)) or 'none'} of {footer.file.path}."
            )
    columns, remarks = _columns(first, geometry, keys, footers)
    if not any(footer.file.rows for footer in footers):
        raise NoLakeTable(f"{root.name} has no rows.")
    ranges = Ranges.of_all([footer.ranges for footer in footers if footer.file.rows])
    return Dataset(
        root=str(root),
        items_changed_ns=None if items is None else root.stat().st_mtime_ns,
        files=tuple(footer.file for footer in footers),
        columns=columns,
        geometry=geometry,
        remarks=tuple(remarks),
        ranges={
            column.name: ranges.values[column.source]
            for column in columns
            if column.source in ranges.values and column.is_ranged
        },
    )


def _schema(file: Path) -> pa.Schema:
    try:
        schema = pq.read_schema(file)
    except (pa.ArrowException, OSError) as error:
        raise NoLakeTable(f"{file.name} cannot be read as Parquet: {str(error)[:200]}") from error
    twice = sorted({name for name in schema.names if schema.names.count(name) > 1})
    if twice:
        raise NoLakeTable(f"{file.name} has several columns of the name {listed(twice)}.")
    return schema


def _geometry(schema: pa.Schema, file: Path) -> GeometryFacts | None:
    found = geoparquet_column(schema, file.name, NoLakeTable)
    if found is None:
        return None
    described = found.described.get("covering")
    boxes = described.get("bbox") if isinstance(described, dict) else None
    covering = {}
    if isinstance(boxes, dict) and {"xmin", "ymin", "xmax", "ymax"} <= boxes.keys():
        covering = {side: tuple(map(str, boxes[side])) for side in ("xmin", "ymin", "xmax", "ymax")}
    types = found.described.get("geometry_types")
    return GeometryFacts(
        name=found.name,
        crs=found.crs,
        types=tuple(sorted(map(str, types))) if isinstance(types, list) else (),
        covering=covering,
    )


def _footer(
    root: Path, path: Path, geometry: GeometryFacts | None, items: Mapping[Path, Box | None] | None
) -> _Footer:
    try:
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
        state = path.stat()
    except (pa.ArrowException, OSError) as error:
        raise NoLakeTable(f"{path.name} cannot be read as Parquet: {str(error)[:200]}") from error
    ranges = Ranges.of_groups(metadata)
    box = _box(schema, ranges, geometry, path)
    if items is not None:
        relative, parts = str(path), {}
        if box is None and geometry is not None and geometry.is_lonlat:
            box = items[path]
    else:
        relative = "" if path == root else path.relative_to(root).as_posix()
        parts = _parts(relative)
    file = LakeFile(
        path=relative,
        rows=metadata.num_rows,
        bytes=state.st_size,
        changed_ns=state.st_mtime_ns,
        box=box,
        parts=parts,
    )
    return _Footer(file, schema, ranges)


def _box(schema: pa.Schema, ranges: Ranges, geometry: GeometryFacts | None, path: Path) -> Box | None:
    """From the file's own statement, else from the statistics of its covering column."""
    if geometry is None:
        return None
    found = geoparquet_column(schema, path.name, NoLakeTable)
    stated = found.described.get("bbox") if found is not None else None
    if isinstance(stated, list) and len(stated) in (4, 6) and all(isinstance(v, int | float) for v in stated):
        half = len(stated) // 2
        return stated[0], stated[1], stated[half], stated[half + 1]
    sides = {side: ranges.values.get(".".join(path)) for side, path in geometry.covering.items()}
    west, south, east, north = (sides.get(side) for side in ("xmin", "ymin", "xmax", "ymax"))
    if west is None or south is None or east is None or north is None:
        return None
    return float(west[0]), float(south[0]), float(east[1]), float(north[1])


def _parts(relative: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for folder in relative.split("/")[:-1]:
        name, equals, value = folder.partition("=")
        if equals and name:
            found[unquote(name)] = None if value == NO_VALUE else unquote(value)
    return found


def _check_same(first: pa.Schema, other: pa.Schema, path: str, file: Path) -> None:
    if dict(zip(first.names, first.types, strict=True)) == dict(zip(other.names, other.types, strict=True)):
        return
    missing = sorted({*first.names} ^ {*other.names})
    if missing:
        raise NoLakeTable(f"{path} and {file.name} differ in their columns: {listed(missing)}.")
    name = next(name for name in first.names if first.field(name).type != other.field(name).type)
    raise NoLakeTable(
        f"Column {name!r} has type {first.field(name).type} in {file.name}, and {other.field(name).type} in {path}."
    )


def _columns(
    schema: pa.Schema, geometry: GeometryFacts | None, keys: Sequence[str], footers: Sequence[_Footer]
) -> tuple[tuple[LakeColumn, ...], list[str]]:
    """All columns that both PostGIS and Spark can have, in the order of the files; the others are named in remarks."""
    hidden = {path[0] for path in geometry.covering.values()} if geometry is not None else set()
    columns: list[LakeColumn] = []
    remarks = []
    taken = {KEY}
    for field in schema:
        if field.name in hidden or field.name in keys:
            continue
        is_geometry = geometry is not None and field.name == geometry.name
        column = column_of(field, taken, is_geometry=is_geometry)
        if column is None:
            remarks.append(f"Column {field.name!r} of type {field.type} is left out: Spark cannot read it.")
            continue
        if column.name != field.name:
            remarks.append(f"Column {field.name!r} is named {column.name!r}.")
        taken.add(column.name)
        columns.append(column)
    for key in keys:
        values = {footer.file.parts[key] for footer in footers}
        column = column_of(
            pa.field(key, pa.string()), taken, sql=partition_type({v for v in values if v is not None})
        )
        assert column is not None  # noqa: S101 - of a text
        taken.add(column.name)
        columns.append(column.model_copy(update={"is_partition": True}))
    if not columns:
        raise NoLakeTable("No column of the files can be read.")
    return tuple(columns), remarks


def plain_type(name: str) -> tuple[str, bool]:
    """`MULTIPOLYGON` of `MultiPolygon Z`, and whether it has heights."""
    found = re.fullmatch(r"([A-Za-z]+)( (?:Z|M|ZM))?", name)
    return (found[1].upper(), found[2] is not None) if found else ("GEOMETRY", True)
