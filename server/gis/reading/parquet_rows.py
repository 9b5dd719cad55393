"""Parquet files as Arrow batches: GeoParquet 1.x with WKB, a column of WKB with a usual name, columns of coordinates,
or a plain table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

from agents.worded import Template
from server.gis.reading.data_set import DataSet
from server.gis.reading.geometry_faults import shapes_of
from server.gis.reading.notes import DAMAGED, Layout, Notes, Unreadable, check_names, summary
from server.gis.reading.places import coordinate_columns, geometry_column, points_of

BAD_PARQUET = Template("file_bad_parquet", "{file} cannot be read as Parquet: {why}")
NO_WKB = Template(
    "file_no_wkb", "{file} has its geometries as {encoding}; only WKB is read. Write it again as WKB."
)
NO_GEOMETRY_COLUMN = Template(
    "file_no_geometry_column", "{file} has no column {column}, which its metadata names as its geometry."
)
BAD_METADATA = Template("file_bad_metadata", "{file} has GeoParquet metadata that is damaged.")
ROW_NOWHERE = Template("file_row_nowhere", "row {row}: {x}, {y} is not a place")
ROW_NO_WKB = Template("file_row_no_wkb", "row {row}: its geometry is not WKB")

BATCH_ROWS = 1000
"""Few, because a page of some kilobytes can become many megabytes."""

Rows = tuple[pa.Schema, Iterator[pa.RecordBatch]]
"""Columns, with the layout as metadata, and the rows."""


@dataclass(frozen=True)
class GeoParquetColumn:
    """A geometry column; `described` is its entry in the metadata, empty if the file has no metadata."""

    name: str
    crs: str | None
    """`EPSG:25832` or PROJJSON; None where it is unknown."""
    described: dict[str, Any]


def parquet_rows(found: DataSet, notes: Notes) -> Rows:
    """The rows of a Parquet file. Raises Unreadable."""
    try:
        file = pq.ParquetFile(found.path)
        schema = file.schema_arrow
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise Unreadable(BAD_PARQUET(file=found.name, why=summary(error, found))) from error
    check_names(found.name, schema.names)
    described = geoparquet_column(schema, found.name, Unreadable)
    pair = coordinate_columns(schema.names) if described is None else ()
    if pair and all(_is_number(schema.types[index]) for index in pair):
        return _placed_rows(file, found, pair, notes)
    geometry = None if described is None else described.name
    layout = Layout(geometry=geometry, crs=None if described is None else described.crs)
    fields = [field.with_metadata(None) for field in schema]
    if geometry is not None:
        index = schema.get_field_index(geometry)
        fields[index] = pa.field(geometry, pa.binary())
    target = pa.schema(fields, metadata=layout.metadata())
    return target, _parquet_batches(file, found, target, geometry, notes)


def _placed_rows(file: pq.ParquetFile, found: DataSet, pair: tuple[int, ...], notes: Notes) -> Rows:
    """The rows with points from two columns."""
    schema = file.schema_arrow
    names = [schema.names[index] for index in pair]
    elsewhere = seen = 0
    for batch in _batches(file, found, names):
        _, is_degrees, is_whole = points_of(*(_numbers(batch.column(name)) for name in names))
        seen += int(is_whole.sum())
        elsewhere += int((is_whole & ~is_degrees).sum())
    is_lonlat = elsewhere * 2 <= seen
    geometry = geometry_column(schema.names)
    layout = Layout(geometry, "EPSG:4326" if is_lonlat else None, assumed=is_lonlat)
    fields = [*(field.with_metadata(None) for field in schema), pa.field(geometry, pa.binary())]
    target = pa.schema(fields, metadata=layout.metadata())
    return target, _placed_batches(file, found, target, pair, is_lonlat, notes)


def _placed_batches(
    file: pq.ParquetFile,
    found: DataSet,
    schema: pa.Schema,
    pair: tuple[int, ...],
    is_lonlat: bool,
    notes: Notes,
) -> Iterator[pa.RecordBatch]:
    row = 0
    for batch in _batches(file, found):
        x, y = (_numbers(batch.column(index)) for index in pair)
        shapes, is_degrees, is_whole = points_of(x, y)
        is_empty = np.isnan(x) & np.isnan(y)
        is_bad = ~is_empty & (~is_whole | ~is_degrees if is_lonlat else ~is_whole)
        for index in np.flatnonzero(is_bad):
            notes.skip(ROW_NOWHERE(row=str(row + int(index) + 1), x=str(x[index]), y=str(y[index])))
        made = pa.record_batch([*batch.columns, pa.array(shapes, pa.binary())], schema=schema)
        yield made.filter(pa.array(~is_bad)) if is_bad.any() else made
        row += len(batch)


def _batches(
    file: pq.ParquetFile, found: DataSet, names: list[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows in batches. Raises Unreadable."""
    try:
        yield from file.iter_batches(BATCH_ROWS, columns=names)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise Unreadable(DAMAGED(file=found.name, why=summary(error, found))) from error


def _numbers(column: pa.Array) -> np.ndarray:
    """The values of a column as floating-point numbers, NaN for null."""
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=float)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind))


def _parquet_batches(
    file: pq.ParquetFile, found: DataSet, schema: pa.Schema, geometry: str | None, notes: Notes
) -> Iterator[pa.RecordBatch]:
    row = 0
    for batch in _batches(file, found):
        try:
            arrays = [
                array.cast(pa.binary()) if field.name == geometry else array
                for array, field in zip(batch.columns, schema, strict=True)
            ]
        except pa.ArrowException as error:
            raise Unreadable(DAMAGED(file=found.name, why=summary(error, found))) from error
        made = pa.record_batch(arrays, schema=schema)
        yield made if geometry is None else _without_broken(made, geometry, row, notes)
        row += len(batch)


def _without_broken(batch: pa.RecordBatch, geometry: str, offset: int, notes: Notes) -> pa.RecordBatch:
    values = batch.column(geometry)
    shapes = shapes_of(values)
    broken = shapely.is_missing(shapes.known) & ~shapes.curved & ~np.asarray(values.is_null())
    for index in np.flatnonzero(broken):
        notes.skip(ROW_NO_WKB(row=str(offset + int(index) + 1)))
    return batch.filter(pa.array(~broken)) if broken.any() else batch


def geoparquet_column(schema: pa.Schema, file: str, fault: type[Exception]) -> GeoParquetColumn | None:
    """The primary geometry column; None without one. Raises `fault` with a message for users."""
    described = (schema.metadata or {}).get(b"geo")
    if described is None:
        named = [
            field.name
            for field in schema
            if field.name.lower() in ("geometry", "geom", "wkb", "wkb_geometry") and _is_binary(field.type)
        ]
        return GeoParquetColumn(named[0], None, {}) if named else None
    try:
        document = json.loads(described)
        name = document["primary_column"]
        column = document["columns"][name]
    except (ValueError, KeyError, TypeError) as error:
        raise fault(BAD_METADATA(file=file)) from error
    if column.get("encoding") != "WKB":
        raise fault(NO_WKB(file=file, encoding=repr(column.get("encoding"))))
    if schema.get_field_index(name) < 0:
        raise fault(NO_GEOMETRY_COLUMN(file=file, column=repr(name)))
    return GeoParquetColumn(name, _crs_of(column), column)


def _crs_of(column: dict[str, Any]) -> str | None:
    """The CRS of a GeoParquet column: OGC:CRS84 if omitted, unknown if null, else PROJJSON, which usually names
    its code."""
    if "crs" not in column:
        return "EPSG:4326"
    crs = column["crs"]
    if not isinstance(crs, dict):
        return None
    identifier = crs.get("id") or {}
    if identifier.get("authority") == "OGC" and identifier.get("code") == "CRS84":
        return "EPSG:4326"
    if "code" in identifier:
        return f"{identifier.get('authority', 'EPSG')}:{identifier['code']}"
    return json.dumps(crs)


def _is_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))
