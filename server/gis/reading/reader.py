"""Reads one file and writes its rows to standard output in COPY's format. Runs as a process of its own.

`python -m server.gis.reading.reader '{"path": ..., "folder": ..., "limits": ...}'`: GDAL has only the drivers
that `ingest.process` allows, no credentials and no network, and memory, time and output are limited, so that a
broken or hostile file harms nobody else. A report on the rows is written to the notes file at the end. With
exit codes 3 to 6, a line on standard error explains the refusal (`refuse`).
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyogrio

from server.gis.reading.archive import data_set
from server.gis.reading.copy_rows import check_sizes, copy_rows, slices, sql_type
from server.gis.reading.csv_rows import sheet
from server.gis.reading.data_set import DataSet
from server.gis.reading.geometry_faults import count_faults
from server.gis.reading.geopackage import check_layer, computed_layers
from server.gis.reading.limits import IngestLimits
from server.gis.reading.notes import (
    REFUSAL,
    REFUSED_AS_TOO_LARGE,
    SMALLER,
    Layout,
    Notes,
    SeveralLayers,
    TooLarge,
    Unreadable,
    summary,
)
from server.gis.reading.parquet_rows import Rows, parquet_rows
from server.gis.reading.vertices import bounded_shapes

BATCH_ROWS = 1000
MAX_MESSAGE_CHARS = 20_000
MAX_LAYERS_OFFERED = 100
"""Of one file, from which one can be chosen."""
MAX_LAYER_NAME_CHARS = 200
"""Characters; layers of longer names are not offered."""
FRAME_LENGTH = struct.Struct(">Q")
"""Before each frame: how many bytes it has."""
KML_FIELDS = {
    "timestamp", "begin", "end", "altitudeMode", "tessellate", "extrude", "visibility", "drawOrder", "icon", "id",
    "description", "snippet",
}  # fmt: skip
"""Fields that GDAL adds to every KML file, whether anything is in them or not."""

KML_FLAGS = {"tessellate", "extrude", "visibility"}
"""Of these, which say nothing of the data even when filled."""


def main() -> int:
    """Read the file that the first argument describes; returns the exit code."""
    order: dict[str, Any] = json.loads(sys.argv[1])
    limits = IngestLimits(**order["limits"])
    folder, notes = Path(order["folder"]), Notes()
    try:
        found = data_set(Path(order["path"]), order["name"], folder, limits)
        schema, batches = rows_of(found, order.get("layer"), order.get("encoding"), notes)
        send(sys.stdout.buffer, schema, batches, notes, limits)
    except Unreadable as error:
        refuse(str(error).replace(str(folder), ""), error.layers)
        return error.exit_code
    except MemoryError:
        refuse(f"{order['name']} needs more memory to be read than is allowed. {SMALLER}")
        return REFUSED_AS_TOO_LARGE
    (folder / order["notes"]).write_text(json.dumps(asdict(notes)), encoding="utf-8")
    return 0


def refuse(message: str, layers: Sequence[str] = ()) -> None:
    """Write the reason for refusing the file, and the layers to choose from, to standard error."""
    refusal = {"message": message[:MAX_MESSAGE_CHARS], "layers": layers}
    sys.stderr.write(f"\n{REFUSAL}{json.dumps(refusal)}\n")


def send(
    out: BinaryIO, schema: pa.Schema, batches: Iterator[pa.RecordBatch], notes: Notes, limits: IngestLimits
) -> None:
    """Write one line of JSON with columns and layout, then frames of CSV rows, each preceded by its length.
    Raises TooLarge.
    """
    layout = Layout.of(schema.metadata)
    fields = [(name, sql_type(kind)) for name, kind in zip(schema.names, schema.types, strict=True)]
    out.write(json.dumps({"fields": fields, "layout": vars(layout)}).encode() + b"\n")
    geometry = None if layout.geometry is None else schema.get_field_index(layout.geometry)
    for batch in batches:
        check_sizes(batch, layout.geometry, notes.rows, limits)
        for part in slices(batch, limits):
            if geometry is not None:
                part = bounded_shapes(part, geometry, notes, limits)
                count_faults(part.column(geometry), notes)
            rows, nul = copy_rows(part, geometry)
            notes.nul += nul
            notes.rows += len(part)
            if notes.rows > limits.rows:
                raise TooLarge(f"The file has more than {limits.rows} rows.")
            out.write(FRAME_LENGTH.pack(len(rows)) + rows)
    out.flush()


def rows_of(found: DataSet, layer: str | None, encoding: str | None, notes: Notes) -> Rows:
    """The schema and the rows of a data set in any supported format. Raises Unreadable."""
    suffix = found.path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        table = sheet(found.path, found.name, encoding)
        return table.schema(), table.batches(notes)
    if suffix in (".parquet", ".geoparquet"):
        return parquet_rows(found, notes)
    return _ogr(found, layer, encoding)


def _ogr(found: DataSet, layer: str | None, encoding: str | None) -> Rows:
    path = found.path
    try:
        layer = _chosen_layer(found, layer)
        options: dict[str, Any] = {
            "layer": layer,
            "encoding": encoding,
            "force_2d": False,
            "batch_size": BATCH_ROWS,
        }
        if path.suffix.lower() == ".kml":
            options["columns"] = _filled_fields(path, layer)
        with pyogrio.open_arrow(path, use_pyarrow=True, **options) as (meta, reader):
            first_schema = reader.schema
            geometry = meta["geometry_name"] or ("wkb_geometry" if meta["geometry_type"] else None)
    except pyogrio.errors.DataSourceError as error:
        raise Unreadable(
            f"{found.name} cannot be read as {path.suffix[1:].lower()}: {summary(error, found)}"
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
    return schema, _ogr_batches(found, options, schema)


def _ogr_batches(found: DataSet, options: dict[str, Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    try:
        with pyogrio.open_arrow(found.path, use_pyarrow=True, **options) as (_, reader):
            for batch in reader:
                yield pa.record_batch(batch.columns, schema=schema)
    except MemoryError:
        raise
    except (
        pyogrio.errors.DataSourceError,
        pyogrio.errors.DataLayerError,
        pyogrio.errors.FeatureError,
    ) as error:
        raise Unreadable(f"{found.name} is damaged: {summary(error, found)}") from error
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise Unreadable(
            f"{found.name} cannot be read to its end: {summary(error, found)} "
            "If its texts have another encoding, say which."
        ) from error


def geometry_name(name: str | None, schema: pa.Schema) -> str:
    """The file's own name of its geometry column, or `geom` if GDAL generated one."""
    taken = {each.lower() for each in schema.names if each != name}
    wanted = "geom" if name in (None, "", "wkb_geometry", "_ogr_geometry_") else str(name)
    while wanted.lower() in taken:
        wanted += "_"
    return wanted


def _chosen_layer(found: DataSet, wanted: str | None) -> str:
    computed = computed_layers(found.path, found.name) if found.path.suffix.lower() == ".gpkg" else set()
    known = [(str(name), kind) for name, kind in pyogrio.list_layers(found.path)]
    layers = [name for name, _ in known]
    if wanted is not None:
        # A file that is one layer has no name inside; people name it as the file.
        if wanted not in layers and not (len(layers) == 1 and wanted == Path(found.name).stem):
            raise Unreadable(f"{found.name} has no layer {wanted!r}. It has: {', '.join(layers)}.")
        chosen = wanted if wanted in layers else layers[0]
        check_layer(chosen, computed, found.name)
        return chosen
    shaped = [name for name, kind in known if kind is not None] or layers
    if not shaped:
        raise Unreadable(f"{found.name} has no layers in it.")
    stored = [name for name in shaped if name not in computed]
    if not stored:
        check_layer(shaped[0], computed, found.name)
    if len(stored) > 1:
        short = [name for name in stored if len(name) <= MAX_LAYER_NAME_CHARS]
        raise SeveralLayers(found.name, short[:MAX_LAYERS_OFFERED])
    return stored[0]


def _filled_fields(path: Path, layer: str) -> list[str]:
    """All fields except those that GDAL adds and that are empty."""
    fields = [str(name) for name in pyogrio.read_info(path, layer=layer)["fields"]]
    doubtful = [name for name in fields if name in KML_FIELDS]
    if not doubtful:
        return fields
    _, table = pyogrio.read_arrow(path, layer=layer, columns=doubtful, read_geometry=False)
    empty = {name for name in doubtful if name in KML_FLAGS or _is_empty(table[name])}
    return [name for name in fields if name not in empty]


def _is_empty(column: pa.ChunkedArray) -> bool:
    return all(value in (None, "") for value in pc.unique(column).to_pylist())


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return (text[:200] or type(error).__name__).rstrip(".") + "."


if __name__ == "__main__":
    sys.exit(main())
