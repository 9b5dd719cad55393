"""Reads one file and writes its rows to standard output in COPY's format. Runs as a separate process.

`python -m server.gis.reading.reader '{"path": ..., "folder": ..., "limits": ...}'`: GDAL has only the drivers that
`ingest.process` allows, no credentials and no network, and memory, time and output are limited, so that a broken or
hostile file does no harm. A report on the rows is written to the notes file at the end. With exit codes 3 to 6, a
line on standard error explains the refusal (`refuse`)."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from agents.worded import Template, packed
from server.gis.reading.archive import data_sets
from server.gis.reading.copy_rows import check_sizes, copy_rows, slices, sql_type
from server.gis.reading.geometry_faults import count_faults
from server.gis.reading.layers import chosen_layer, layers_of, offered_layers, rows_of, united_rows
from server.gis.reading.limits import IngestLimits
from server.gis.reading.notes import (
    MEMORY,
    REFUSAL,
    REFUSED_AS_TOO_LARGE,
    SMALLER,
    Extent,
    Layout,
    Notes,
    SeveralLayers,
    TooLarge,
    Unreadable,
)
from server.gis.reading.parquet_rows import Rows
from server.gis.reading.vertices import bounded_shapes

MANY_ROWS = Template("file_many_rows", "The file has more than {most} rows.")

MAX_MESSAGE_CHARS = 20_000
FRAME_LENGTH = struct.Struct(">Q")
"""The number of bytes of a frame, sent before it."""


def main() -> int:
    """Read the file that the first argument describes; returns the exit code."""
    order: dict[str, Any] = json.loads(sys.argv[1])
    limits = IngestLimits(**order["limits"])
    folder, notes = Path(order["folder"]), Notes()
    try:
        schema, batches = rows_for(order, folder, notes, limits)
        send(sys.stdout.buffer, schema, batches, notes, limits)
    except Unreadable as error:
        inside, message = str(folder), error.message
        refuse(message.replace(inside, "") if inside in message else message, error.layers)
        return error.exit_code
    except MemoryError:
        refuse(MEMORY(file=order["name"], smaller=SMALLER))
        return REFUSED_AS_TOO_LARGE
    (folder / order["notes"]).write_text(json.dumps(notes.to_json()), encoding="utf-8")
    return 0


def rows_for(order: dict[str, Any], folder: Path, notes: Notes, limits: IngestLimits) -> Rows:
    """The rows that are wanted of the file. Raises Unreadable, also where only the names of its layers are wanted."""
    name, encoding = order["name"], order.get("encoding")
    found = layers_of(data_sets(Path(order["path"]), name, folder, limits), name, limits)
    wanted: Extent = order.get("extent", "one")
    if wanted == "names":
        raise SeveralLayers(name, [layer.name for layer in offered_layers(found, name)])
    if wanted == "united":
        return united_rows(found, name, encoding, notes, limits.quoted_text)
    return rows_of(chosen_layer(found, name, order.get("layer"), notes), encoding, notes, limits.quoted_text)


def refuse(message: str, layers: Sequence[str] = ()) -> None:
    """Write the reason for refusing the file, and the layers to choose from, to standard error."""
    short = message if len(message) <= MAX_MESSAGE_CHARS else message[:MAX_MESSAGE_CHARS]
    refusal = {"message": packed(short), "layers": layers}
    sys.stderr.write(f"\n{REFUSAL}{json.dumps(refusal)}\n")


def send(
    out: BinaryIO, schema: pa.Schema, batches: Iterator[pa.RecordBatch], notes: Notes, limits: IngestLimits
) -> None:
    """Write one line of JSON with columns and layout, then frames of CSV rows, each preceded by its length.
    Raises TooLarge."""
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
                raise TooLarge(MANY_ROWS(most=limits.rows))
            out.write(FRAME_LENGTH.pack(len(rows)) + rows)
    out.flush()


if __name__ == "__main__":
    sys.exit(main())
