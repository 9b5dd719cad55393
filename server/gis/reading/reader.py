"""Reads one file and writes it to standard output as an Arrow stream. Runs as a process of its own.

`python -m server.gis.reading.reader '{"path": ..., "notes": ...}'`: GDAL knows only the formats that `process` left
it, has no credentials and no network, and when a broken file crashes it, the server lives on. What there is to say
of the rows is written to the notes file at the end. Exit code 3: the message on standard error is for the person.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyogrio
import shapely

from server.gis.reading.csv_rows import sheet
from server.gis.reading.notes import REFUSED, Layout, Notes, Unreadable

BATCH = 20_000
KML_FIELDS = {
    "timestamp", "begin", "end", "altitudeMode", "tessellate", "extrude", "visibility", "drawOrder", "icon", "id",
    "description", "snippet",
}  # fmt: skip
"""Fields that GDAL adds to every KML file, whether anything is in them or not."""

KML_FLAGS = {"tessellate", "extrude", "visibility"}
"""Of these, which say nothing of the data even when filled."""

Rows = tuple[pa.Schema, Iterator[pa.RecordBatch]]


def main() -> int:
    order: dict[str, Any] = json.loads(sys.argv[1])
    notes = Notes()
    try:
        schema, batches = rows_of(Path(order["path"]), order.get("layer"), order.get("encoding"), notes)
        with pa.ipc.new_stream(sys.stdout.buffer, schema) as stream:
            for batch in batches:
                stream.write_batch(batch)
    except Unreadable as error:
        sys.stderr.write(str(error))
        return REFUSED
    Path(order["notes"]).write_text(json.dumps(asdict(notes)), encoding="utf-8")
    return 0


def rows_of(path: Path, layer: str | None, encoding: str | None, notes: Notes) -> Rows:
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        found = sheet(path, encoding)
        return found.schema(), found.batches(notes)
    if suffix in (".parquet", ".geoparquet"):
        return _parquet(path, notes)
    return _ogr(path, layer, encoding)


def _ogr(path: Path, layer: str | None, encoding: str | None) -> Rows:
    try:
        layer = _chosen_layer(path, layer)
        options: dict[str, Any] = {
            "layer": layer,
            "encoding": encoding,
            "force_2d": False,
            "batch_size": BATCH,
        }
        if path.suffix.lower() == ".kml":
            options["columns"] = _filled_fields(path, layer)
        with pyogrio.open_arrow(path, use_pyarrow=True, **options) as (meta, reader):
            first_schema = reader.schema
            geometry = meta["geometry_name"] or ("wkb_geometry" if meta["geometry_type"] else None)
    except pyogrio.errors.DataSourceError as error:
        raise Unreadable(
            f"{path.name} cannot be read as {path.suffix[1:].lower()}: {_short(error)}"
        ) from error
    names = [
        geometry_name(geometry, first_schema) if name == geometry else name for name in first_schema.names
    ]
    layout = Layout(
        geometry=names[first_schema.names.index(geometry)] if geometry in first_schema.names else None,
        crs=meta["crs"],
        encoding=meta.get("encoding"),
    )
    fields = [
        field.with_name(name).with_metadata(None) for field, name in zip(first_schema, names, strict=True)
    ]
    schema = pa.schema(fields, metadata=layout.metadata())
    return schema, _ogr_batches(path, options, schema)


def _ogr_batches(path: Path, options: dict[str, Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    try:
        with pyogrio.open_arrow(path, use_pyarrow=True, **options) as (_, reader):
            for batch in reader:
                yield pa.record_batch(batch.columns, schema=schema)
    except (
        pyogrio.errors.DataSourceError,
        pyogrio.errors.DataLayerError,
        pyogrio.errors.FeatureError,
    ) as error:
        raise Unreadable(f"{path.name} is damaged: {_short(error)}") from error
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise Unreadable(
            f"{path.name} cannot be read to its end: {_short(error)} If its texts have another encoding, say which."
        ) from error


def geometry_name(name: str | None, schema: pa.Schema) -> str:
    """The file's own name of its geometry, or `geom` where GDAL made one up."""
    taken = {each.lower() for each in schema.names if each != name}
    wanted = "geom" if name in (None, "", "wkb_geometry", "_ogr_geometry_") else str(name)
    while wanted.lower() in taken:
        wanted += "_"
    return wanted


def _chosen_layer(path: Path, wanted: str | None) -> str:
    layers = [str(name) for name, _ in pyogrio.list_layers(path)]
    if wanted is not None:
        if wanted not in layers:
            raise Unreadable(f"{path.name} has no layer {wanted!r}. It has: {', '.join(layers)}.")
        return wanted
    shaped = [str(name) for name, kind in pyogrio.list_layers(path) if kind is not None] or layers
    if not shaped:
        raise Unreadable(f"{path.name} has no layers in it.")
    if len(shaped) > 1:
        raise Unreadable(f"{path.name} has several layers: {', '.join(shaped)}. Say which one to load.")
    return shaped[0]


def _filled_fields(path: Path, layer: str) -> list[str]:
    """All fields but those that GDAL made up and nothing is in."""
    fields = [str(name) for name in pyogrio.read_info(path, layer=layer)["fields"]]
    doubtful = [name for name in fields if name in KML_FIELDS]
    if not doubtful:
        return fields
    _, table = pyogrio.read_arrow(path, layer=layer, columns=doubtful, read_geometry=False)
    empty = {name for name in doubtful if name in KML_FLAGS or _is_empty(table[name])}
    return [name for name in fields if name not in empty]


def _is_empty(column: pa.ChunkedArray) -> bool:
    return all(value in (None, "") for value in pc.unique(column).to_pylist())


def _parquet(path: Path, notes: Notes) -> Rows:
    """GeoParquet 1.x with WKB; without its metadata, a column of WKB by its usual names; else a plain table."""
    try:
        file = pq.ParquetFile(path)
        schema = file.schema_arrow
    except (pa.ArrowException, OSError) as error:
        raise Unreadable(f"{path.name} cannot be read as Parquet: {_short(error)}") from error
    twice = sorted({name for name in schema.names if schema.names.count(name) > 1})
    if twice:
        raise Unreadable(f"{path.name} has several columns of the name {', '.join(map(repr, twice))}.")
    geometry, crs = _geoparquet(path, schema)
    layout = Layout(geometry=geometry, crs=crs)
    fields = [field.with_metadata(None) for field in schema]
    if geometry is not None:
        index = schema.get_field_index(geometry)
        fields[index] = pa.field(geometry, pa.binary())
    target = pa.schema(fields, metadata=layout.metadata())
    return target, _parquet_batches(file, path, target, geometry, notes)


def _parquet_batches(
    file: pq.ParquetFile, path: Path, schema: pa.Schema, geometry: str | None, notes: Notes
) -> Iterator[pa.RecordBatch]:
    row = 0
    try:
        for batch in file.iter_batches(BATCH):
            arrays = [
                array.cast(pa.binary()) if field.name == geometry else array
                for array, field in zip(batch.columns, schema, strict=True)
            ]
            made = pa.record_batch(arrays, schema=schema)
            yield made if geometry is None else _without_broken(made, geometry, row, notes)
            row += len(batch)
    except (pa.ArrowException, OSError) as error:
        raise Unreadable(f"{path.name} is damaged: {_short(error)}") from error


def _without_broken(batch: pa.RecordBatch, geometry: str, offset: int, notes: Notes) -> pa.RecordBatch:
    values = batch.column(geometry)
    parsed = shapely.from_wkb(values.to_numpy(zero_copy_only=False), on_invalid="ignore")
    broken = shapely.is_missing(parsed) & ~np.asarray(values.is_null())
    for index in np.flatnonzero(broken):
        notes.skip(f"row {offset + int(index) + 1}: its geometry is no WKB")
    return batch.filter(pa.array(~broken)) if broken.any() else batch


def _geoparquet(path: Path, schema: pa.Schema) -> tuple[str | None, str | None]:
    """The geometry column and its reference system."""
    described = (schema.metadata or {}).get(b"geo")
    if described is None:
        named = [
            field.name
            for field in schema
            if field.name.lower() in ("geometry", "geom", "wkb", "wkb_geometry") and _is_binary(field.type)
        ]
        return (named[0] if named else None), None
    try:
        document = json.loads(described)
        name = document["primary_column"]
        column = document["columns"][name]
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"{path.name} has GeoParquet metadata that is damaged.") from error
    if column.get("encoding") != "WKB":
        raise Unreadable(
            f"{path.name} has its geometries as {column.get('encoding')!r}; only WKB is read. Write it anew as WKB."
        )
    if schema.get_field_index(name) < 0:
        raise Unreadable(f"{path.name} has no column {name!r}, which its metadata names as its geometry.")
    return name, _crs_of(column)


def _crs_of(column: dict[str, Any]) -> str | None:
    """Without `crs` it is OGC:CRS84; null is unknown; else PROJJSON, which names its code."""
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


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return (text[:200] or type(error).__name__).rstrip(".") + "."


if __name__ == "__main__":
    sys.exit(main())
