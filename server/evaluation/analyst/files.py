"""Reads exported files with other programs than those that wrote them: pyogrio, pyarrow, csv and json."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyogrio
import shapely

TYPES = (
    ("boolean", pa.types.is_boolean),
    ("integer", pa.types.is_integer),
    ("number", lambda kind: pa.types.is_floating(kind) or pa.types.is_decimal(kind)),
    ("date", pa.types.is_date),
    ("timestamp", pa.types.is_timestamp),
)


@dataclass(frozen=True)
class Content:
    """One layer, sheet or list of records of a file."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]
    types: Mapping[str, str] = field(default_factory=dict)
    crs: str | None = None
    shapes: Sequence[shapely.Geometry | None] = ()


@dataclass(frozen=True)
class ReadFile:
    """A delivered file as it was read back."""

    contents: tuple[Content, ...]
    members: Mapping[str, Any] = field(default_factory=dict)
    entries: tuple[str, ...] = ()
    """The names of the files in a zip."""


def read_file(path: Path, folder: Path) -> ReadFile:
    """Everything in the file; a zip is unpacked into `folder`. Raises what the libraries raise."""
    suffix = path.suffix.lower()
    if suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
            entries = tuple(archive.namelist())
        inside = [folder / entry for entry in sorted(entries)]
        parts = [
            read_file(each, folder)
            for each in inside
            if each.suffix.lower() not in (".dbf", ".shx", ".prj", ".cpg")
        ]
        return ReadFile(tuple(one for part in parts for one in part.contents), entries=entries)
    if suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as text:
            reader = csv.DictReader(text)
            rows = list(reader)
        return ReadFile((Content(path.stem, tuple(reader.fieldnames or ()), rows),))
    if suffix in (".json", ".geojson", ".geojsonl"):
        return _json(path)
    if suffix == ".parquet":
        return ReadFile((_parquet(path),))
    return ReadFile(tuple(_ogr(path, str(name)) for name, _ in pyogrio.list_layers(path)))


def _ogr(path: Path, layer: str) -> Content:
    meta, table = pyogrio.read_arrow(path, layer=layer)
    geometry = meta["geometry_name"] or ("wkb_geometry" if meta["geometry_type"] else None)
    return _content(layer, table, geometry, meta["crs"])


def _parquet(path: Path) -> Content:
    table = pq.read_table(path)
    described = json.loads((pq.read_metadata(path).metadata or {}).get(b"geo", b"{}"))
    geometry = described.get("primary_column")
    identifier = (described.get("columns", {}).get(geometry, {}).get("crs") or {}).get("id", {})
    crs = f"{identifier.get('authority')}:{identifier.get('code')}" if identifier else None
    return _content(path.stem, table, geometry, crs)


def _content(name: str, table: pa.Table, geometry: str | None, crs: str | None) -> Content:
    columns = [each for each in table.schema.names if each != geometry]
    shapes = () if geometry is None else tuple(shapely.from_wkb(table[geometry].to_pylist()))
    types = {each: _type(table.schema.field(each).type) for each in columns}
    rows = table.select(columns).to_pylist() if columns else [{} for _ in shapes]
    return Content(name, tuple(columns), rows, types, crs, shapes)


def _type(kind: pa.DataType) -> str:
    return next((name for name, fits in TYPES if fits(kind)), "text")


def _json(path: Path) -> ReadFile:
    text = path.read_text("utf-8")
    if path.suffix == ".geojsonl":
        document: Any = {
            "features": [json.loads(line.strip("\x1e")) for line in text.splitlines() if line.strip("\x1e ")]
        }
    else:
        document = json.loads(text)
    if isinstance(document, list):
        return ReadFile((_records(path.stem, document),))
    if "features" in document:
        features = document["features"]
        records = [feature["properties"] or {} for feature in features]
        shapes = tuple(
            None if feature["geometry"] is None else shapely.from_geojson(json.dumps(feature["geometry"]))
            for feature in features
        )
        crs = document.get("crs", {}).get("properties", {}).get("name", "EPSG:4326")
        content = _records(path.stem, records)
        return ReadFile(
            (Content(content.name, content.columns, records, content.types, crs, shapes),), document
        )
    lists = {name: value for name, value in document.items() if isinstance(value, list)}
    return ReadFile(tuple(_records(name, value) for name, value in lists.items()), document)


def _records(name: str, records: Sequence[Mapping[str, Any]]) -> Content:
    columns = tuple(dict.fromkeys(column for record in records for column in record))
    types = {
        column: _json_type([record[column] for record in records if record.get(column) is not None])
        for column in columns
    }
    return Content(name, columns, records, types)


def _json_type(values: Sequence[Any]) -> str:
    for name, kinds in (("boolean", bool), ("integer", int), ("number", int | float)):
        if values and all(isinstance(value, kinds) for value in values):
            return name
    return "text"
