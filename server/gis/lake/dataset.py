"""What the metadata of a dataset of Parquet files say: columns, geometry, reference system, extent, rows, ranges.

Only the footers of files are read. GeoParquet 1.0 and 1.1 with WKB, and Parquet without geometry. All files must have
the same columns; folders named `key=value` (Hive) add columns."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict

from agents.worded import Template
from server.gis.errors import NONE, listed
from server.gis.lake.columns import LakeColumn, column_of, partition_type
from server.gis.lake.errors import NoLakeTable
from server.gis.lake.ranges import Box, Ranges, meeting, united
from server.gis.lake.remote.addresses import is_address
from server.gis.lake.states import FileState
from server.gis.reading.parquet_rows import geoparquet_column

OTHER_TYPE = Template(
    "lake_other_type", "Column {column} has type {type} in {first}, and {other_type} in {other}."
)
NO_ROWS = Template("lake_no_rows", "{dataset} has no rows.")
SAME_NAMES = Template("lake_same_names", "{file} has several columns of the name {names}.")
OTHER_COLUMNS = Template("lake_other_columns", "{file} and {first} differ in their columns: {names}.")
NO_COLUMNS = Template("lake_no_columns", "No column of the files can be read.")
OTHER_FOLDERS = Template(
    "lake_other_folders",
    "Folders of {dataset} are named by different columns: {names}, and {others} of {file}.",
)
NOT_PARQUET = Template("lake_not_parquet", "{file} cannot be read as Parquet: {why}")


FOOTERS_AT_ONCE = 8
KEY = "fid"
"""The key of the table that holds the sample, and of the results of analyses."""
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class LakeFile(BaseModel):
    """A file of a dataset; `path` is relative to the dataset's root, empty where the dataset is one file, and absolute
    (or an address) where STAC items name it."""

    model_config = ConfigDict(frozen=True)

    path: str
    rows: int
    bytes: int
    changed_ns: int
    box: Box | None = None
    """In the reference system of the dataset."""
    parts: dict[str, str | None] = {}
    """Values of the columns that the names of its folders add."""

    def may_meet(self, box: Box) -> bool:
        """Whether any shape of the file may be in a box."""
        return self.box is None or bool(len(meeting(np.array([self.box]), box)))

    @property
    def state(self) -> FileState:
        """The state of the file when it was registered."""
        return FileState(self.bytes, self.changed_ns)


@dataclass(frozen=True)
class FoundFile:
    """A file that belongs to a dataset; `path` as of a LakeFile, `box` is of the STAC item that names it, in longitude
    and latitude."""

    path: str
    location: str
    """Its absolute path or address."""
    state: FileState
    box: Box | None = None

    @property
    def name(self) -> str:
        """The name of the file without its folder."""
        return self.location.rpartition("/")[2]


@dataclass(frozen=True)
class FoundDataset:
    """The files of a dataset, before any is read; the other values as of a Dataset."""

    root: str
    files: Sequence[FoundFile]
    items_changed_ns: int | None = None
    address: str | None = None


class GeometryFacts(BaseModel):
    """The geometry column of a dataset, as its metadata describe it."""

    model_config = ConfigDict(frozen=True)

    name: str
    """The name of the column in the files."""
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
    """Absolute path or address of the folder, or of the file; of the file of STAC items, where these name the files."""
    address: str | None = None
    """Where the files were copied from, if they were."""
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
        """Rows of all files."""
        return sum(file.rows for file in self.files)

    @property
    def bytes(self) -> int:
        """Bytes of all files."""
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

    def location_of(self, file: LakeFile) -> str:
        """The absolute path or the address of a file."""
        if not file.path or file.path.startswith("/") or is_address(file.path):
            return file.path or self.root
        return f"{self.root}/{file.path}"

    @property
    def stored(self) -> list[str]:
        """The columns that the files have, by their names there."""
        return [column.source for column in self.columns if not column.is_partition]

    def column(self, name: str) -> LakeColumn | None:
        """The column with exactly this name, or None."""
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True)
class _Footer:
    file: LakeFile
    schema: pa.Schema
    ranges: Ranges


def read_dataset(found: FoundDataset, footer_of: Callable[[FoundFile], pq.FileMetaData]) -> Dataset:
    """The dataset, by the metadata of all its files. Raises NoLakeTable, which names the file and the fault."""
    first = found.files[0]
    schema = _schema(first, footer_of)
    geometry = _geometry(schema, first.name)
    with ThreadPoolExecutor(FOOTERS_AT_ONCE) as pool:
        footers = list(pool.map(lambda file: _footer(file, footer_of, geometry, found), found.files))
    for footer in footers[1:]:
        _check_same(schema, footer.schema, footer.file.path, first.name)
    keys = list(footers[0].file.parts)
    root = found.root.rpartition("/")[2]
    for footer in footers:
        if list(footer.file.parts) != keys:
            raise NoLakeTable(
                OTHER_FOLDERS(
                    dataset=str(root),
                    names=listed(keys) or NONE(),
                    others=listed(list(footer.file.parts)) or NONE(),
                    file=footer.file.path,
                )
            )
    columns, remarks = _columns(schema, geometry, keys, footers)
    if not any(footer.file.rows for footer in footers):
        raise NoLakeTable(NO_ROWS(dataset=str(root)))
    ranges = Ranges.of_all([footer.ranges for footer in footers if footer.file.rows])
    return Dataset(
        root=found.root,
        address=found.address,
        items_changed_ns=found.items_changed_ns,
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


def _schema(file: FoundFile, footer_of: Callable[[FoundFile], pq.FileMetaData]) -> pa.Schema:
    schema = _metadata(file, footer_of).schema.to_arrow_schema()
    twice = sorted({name for name in schema.names if schema.names.count(name) > 1})
    if twice:
        raise NoLakeTable(SAME_NAMES(file=file.name, names=listed(twice)))
    return schema


def _metadata(file: FoundFile, footer_of: Callable[[FoundFile], pq.FileMetaData]) -> pq.FileMetaData:
    try:
        return footer_of(file)
    except (pa.ArrowException, OSError) as error:
        raise NoLakeTable(NOT_PARQUET(file=file.name, why=str(error)[:200])) from error


def _geometry(schema: pa.Schema, name: str) -> GeometryFacts | None:
    found = geoparquet_column(schema, name, NoLakeTable)
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
    file: FoundFile,
    footer_of: Callable[[FoundFile], pq.FileMetaData],
    geometry: GeometryFacts | None,
    found: FoundDataset,
) -> _Footer:
    metadata = _metadata(file, footer_of)
    schema = metadata.schema.to_arrow_schema()
    ranges = Ranges.of_groups(metadata)
    box = _box(schema, ranges, geometry, file.name)
    is_named = found.items_changed_ns is not None
    if is_named and box is None and geometry is not None and geometry.is_lonlat:
        box = file.box
    lake_file = LakeFile(
        path=file.path,
        rows=metadata.num_rows,
        bytes=file.state.bytes,
        changed_ns=file.state.changed_ns,
        box=box,
        parts={} if is_named else _parts(file.path),
    )
    return _Footer(lake_file, schema, ranges)


def _box(schema: pa.Schema, ranges: Ranges, geometry: GeometryFacts | None, name: str) -> Box | None:
    """The box of a file, by its own statement, else by the statistics of its covering column."""
    if geometry is None:
        return None
    found = geoparquet_column(schema, name, NoLakeTable)
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


def _check_same(first: pa.Schema, other: pa.Schema, path: str, name_of_first: str) -> None:
    if dict(zip(first.names, first.types, strict=True)) == dict(zip(other.names, other.types, strict=True)):
        return
    missing = sorted({*first.names} ^ {*other.names})
    if missing:
        raise NoLakeTable(OTHER_COLUMNS(file=path, first=name_of_first, names=listed(missing)))
    name = next(name for name in first.names if first.field(name).type != other.field(name).type)
    raise NoLakeTable(
        OTHER_TYPE(
            column=repr(name),
            type=str(first.field(name).type),
            first=name_of_first,
            other_type=str(other.field(name).type),
            other=path,
        )
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
        raise NoLakeTable(NO_COLUMNS())
    return tuple(columns), remarks


def plain_type(name: str) -> tuple[str, bool]:
    """`MULTIPOLYGON` of `MultiPolygon Z`, and whether it has heights."""
    found = re.fullmatch(r"([A-Za-z]+)( (?:Z|M|ZM))?", name)
    return (found[1].upper(), found[2] is not None) if found else ("GEOMETRY", True)
