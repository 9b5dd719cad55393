"""Arrow batches as CSV for COPY, with PostgreSQL types and limits on the sizes of values and rows."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from agents.worded import Template, formatted
from server.gis.reading.limits import MB, IngestLimits
from server.gis.reading.notes import TooLarge

ITS_GEOMETRY = Template("file_its_geometry", "its geometry")
VALUE_OF = Template("file_value_of", "the value of {column}")
VALUE_TOO_LARGE = Template(
    "file_value_too_large", "Row {row}: {what} has {size} MB; at most {most} MB are loaded."
)
ROW_TOO_LARGE = Template("file_row_too_large", "A row has more than {most} MB, which is not loaded.")

FRAME_BYTES = 4 * MB
"""About how many bytes of rows are converted and sent at once."""


def check_sizes(batch: pa.RecordBatch, geometry: str | None, first_row: int, limits: IngestLimits) -> None:
    """Raise TooLarge for a value above the limits."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        most = limits.geometry_bytes if name == geometry else limits.value_bytes
        row, size = _longest(column)
        if size > most:
            what = ITS_GEOMETRY() if name == geometry else VALUE_OF(column=repr(name[:60]))
            raise TooLarge(
                VALUE_TOO_LARGE(
                    row=str(first_row + row + 1),
                    what=what,
                    size=formatted(size / MB, ",.1f"),
                    most=formatted(most / MB, ",.0f"),
                )
            )


def slices(batch: pa.RecordBatch, limits: IngestLimits) -> Iterator[pa.RecordBatch]:
    """The batch in parts of about `FRAME_BYTES`, at least one row each. Raises TooLarge for a row above the limit."""
    for decoded in _decoded(batch):
        rows = max(1, len(decoded) * FRAME_BYTES // max(1, decoded.nbytes))
        for start in range(0, len(decoded), rows):
            part = decoded.slice(start, rows)
            if len(part) == 1 and part.nbytes > limits.row_bytes:
                raise TooLarge(ROW_TOO_LARGE(most=limits.row_bytes // MB))
            yield part


def _decoded(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch without dictionaries, in parts: a dictionary with one long text can represent a copy for every row."""
    longest = sum(
        _longest(column.dictionary)[1] for column in batch.columns if pa.types.is_dictionary(column.type)
    )
    rows = len(batch) if longest == 0 else max(1, FRAME_BYTES // longest)
    for start in range(0, len(batch), max(1, rows)):
        part = batch.slice(start, rows)
        arrays = [
            column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
            for column in part.columns
        ]
        yield pa.record_batch(arrays, names=[str(index) for index in range(len(arrays))])


def sql_type(kind: pa.DataType) -> str:
    """The PostgreSQL type of an Arrow type."""
    for is_kind, sql in _TYPES:
        if is_kind(kind):
            return sql
    if pa.types.is_dictionary(kind):
        return sql_type(kind.value_type)
    if pa.types.is_decimal(kind):
        return f"numeric({max(kind.precision, kind.scale)},{max(kind.scale, 0)})"
    if pa.types.is_timestamp(kind):
        return "timestamptz" if kind.tz else "timestamp"
    if pa.types.is_nested(kind):
        return "jsonb"
    return "text"


def copy_rows(batch: pa.RecordBatch, geometry: int | None) -> tuple[bytes, int]:
    """The batch as CSV for COPY (empty is NULL, quoted is a value), and the number of NUL characters removed."""
    arrays, dropped = [], 0
    for index, column in enumerate(batch.columns):
        array, nuls = _printable(column, index == geometry)
        arrays.append(array)
        dropped += nuls
    buffer = io.BytesIO()
    names = [str(index) for index in range(len(arrays))]
    options = pa_csv.WriteOptions(include_header=False, quoting_style="all_valid")
    pa_csv.write_csv(pa.table(arrays, names=names), buffer, options)
    return buffer.getvalue(), dropped


def as_texts(column: pa.ChunkedArray) -> pa.Array:
    """The values of a column as PostgreSQL reads them from texts; NUL characters are removed."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return _printable(column.combine_chunks(), False)[0].cast(pa.string())


def _printable(column: pa.Array, geometry: bool) -> tuple[pa.Array, int]:
    kind = column.type
    if _is_binary(kind):
        prefix = "" if geometry else "\\x"
        values = [None if value is None else prefix + value.hex() for value in column.to_pylist()]
        return pa.array(values, pa.string()), 0
    if pa.types.is_nested(kind):
        values = [None if value is None else _json(value) for value in column.to_pylist()]
        return _without_nul(pa.array(values, pa.string()))
    if _is_text(kind):
        return _without_nul(column)
    if pa.types.is_timestamp(kind) and (kind.tz or kind.unit == "ns"):
        # An instant is the same in UTC, and the zone of a file may be unknown here.
        zone = "UTC" if kind.tz else None
        return column.cast(pa.timestamp("us" if kind.unit == "ns" else kind.unit, zone), safe=False), 0
    if sql_type(kind) == "text":
        return column.cast(pa.string()), 0
    return column, 0


def _without_nul(column: pa.Array) -> tuple[pa.Array, int]:
    """The texts without NUL characters, which PostgreSQL cannot store, and their number."""
    found = pc.sum(pc.count_substring(column, "\0")).as_py() or 0
    return (pc.replace_substring(column, "\0", "") if found else column), found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str).replace("\\u0000", "")


def _longest(column: pa.Array) -> tuple[int, int]:
    """Index and size in bytes of the longest value; only for texts, binary, lists and structures."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return 0, _longest(column.dictionary)[1]
    if len(column) == 0 or not (_is_text(kind) or _is_binary(kind) or pa.types.is_nested(kind)):
        return 0, 0
    if pa.types.is_nested(kind):
        sizes = [column.slice(index, 1).nbytes for index in range(len(column))]
        size = max(sizes)
        return sizes.index(size), size
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        column = column.cast(pa.large_binary())
    lengths = pc.fill_null(pc.binary_length(column), 0)
    size = pc.max(lengths).as_py()
    return pc.index(lengths, size).as_py(), size


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_binary(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_fixed_size_binary(kind)
        or pa.types.is_binary_view(kind)
    )


_TYPES: Sequence[tuple[Callable[[pa.DataType], bool], str]] = (
    (pa.types.is_boolean, "boolean"),
    (
        lambda kind: bool(pa.types.is_int8(kind) or pa.types.is_int16(kind) or pa.types.is_uint8(kind)),
        "smallint",
    ),
    (lambda kind: bool(pa.types.is_int32(kind) or pa.types.is_uint16(kind)), "integer"),
    (lambda kind: bool(pa.types.is_int64(kind) or pa.types.is_uint32(kind)), "bigint"),
    (pa.types.is_uint64, "numeric(20,0)"),
    (lambda kind: bool(pa.types.is_float16(kind) or pa.types.is_float32(kind)), "real"),
    (pa.types.is_float64, "double precision"),
    (pa.types.is_date, "date"),
    (pa.types.is_time, "time"),
    (_is_binary, "bytea"),
)
