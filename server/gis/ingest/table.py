"""A table from Arrow columns: names and types that PostgreSQL takes, and rows as CSV for COPY."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from server.gis.ingest.limits import CannotLoad

LONGEST_NAME = 63
"""Bytes of a name in PostgreSQL."""
MOST_COLUMNS = 1500
SYSTEM = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})
KEYS = ("id", "fid", "gid", "ogc_fid", "objectid")


@dataclass
class TablePlan:
    """What the table is to be. `geometry` is the name of its geometry column, `key` of an added key column."""

    schema: str
    name: str
    columns: list[tuple[str, str]]
    """Names and SQL types, in the order of the file."""
    geometry: str | None
    renamed: dict[str, str] = field(default_factory=dict)
    """New names to those in the file, where they differ."""

    @property
    def relation(self) -> str:
        return f"{quoted(self.schema)}.{quoted(self.name)}"

    def create(self) -> str:
        """The geometry without a type for now: that is known when all rows are there."""
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in self.columns)
        return f"CREATE TABLE {self.relation} ({columns})"

    def key_candidates(self) -> list[str]:
        """Columns that may turn out to be a key, likeliest first."""
        whole = {
            name.lower(): name for name, kind in self.columns if kind in ("smallint", "integer", "bigint")
        }
        return [whole[name] for name in KEYS if name in whole]

    def free_name(self, *wanted: str) -> str:
        taken = {name.lower() for name, _ in self.columns}
        name = next((each for each in wanted if each not in taken), wanted[0])
        while name in taken:
            name += "_"
        return name


def planned(schema: str, name: str, fields: pa.Schema, geometry: str | None) -> TablePlan:
    """Raises CannotLoad for names that no table can have."""
    if not name.strip() or "\0" in name:
        raise CannotLoad("The table needs a name.")
    if len(name.encode()) > LONGEST_NAME:
        raise CannotLoad(f"The table's name is too long: {name[:40]!r}… has more than {LONGEST_NAME} bytes.")
    if len(fields) > MOST_COLUMNS:
        raise CannotLoad(f"The file has {len(fields)} columns; a table has at most {MOST_COLUMNS}.")
    columns: list[tuple[str, str]] = []
    renamed: dict[str, str] = {}
    for each in fields:
        taken = {known for known, _ in columns}
        fitting = fitting_name(each.name, taken)
        if fitting != each.name:
            renamed[fitting] = each.name
        columns.append((fitting, "geometry" if each.name == geometry else sql_type(each.type)))
    names = dict(zip(fields.names, (known for known, _ in columns), strict=True))
    return TablePlan(schema, name, columns, names[geometry] if geometry is not None else None, renamed)


def fitting_name(name: str, taken: set[str]) -> str:
    """The name as PostgreSQL can have it, and once."""
    clean = name.replace("\0", "") or "column"
    if clean in SYSTEM:
        clean += "_"
    clean = _cut(clean, LONGEST_NAME)
    number = 2
    while clean in taken:
        clean = f"{_cut(name, LONGEST_NAME - 5)}_{number}"
        number += 1
    return clean


def sql_type(kind: pa.DataType) -> str:
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
    """The batch as CSV for COPY (empty is NULL, quoted is a value), and how many NUL characters were left out."""
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


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _printable(column: pa.Array, geometry: bool) -> tuple[pa.Array, int]:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if _is_binary(kind):
        prefix = "" if geometry else "\\x"
        values = [None if value is None else prefix + value.hex() for value in column.to_pylist()]
        return pa.array(values, pa.string()), 0
    if pa.types.is_nested(kind):
        values = [None if value is None else _json(value) for value in column.to_pylist()]
        return _without_nul(pa.array(values, pa.string()))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _without_nul(column)
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return column.cast(pa.timestamp("us", kind.tz), safe=False), 0
    if sql_type(kind) == "text":
        return column.cast(pa.string()), 0
    return column, 0


def _without_nul(column: pa.Array) -> tuple[pa.Array, int]:
    """PostgreSQL has no NUL in texts."""
    found = pc.sum(pc.count_substring(column, "\0")).as_py() or 0
    return (pc.replace_substring(column, "\0", "") if found else column), found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str).replace("\\u0000", "")


def _cut(name: str, size: int) -> str:
    return name.encode()[:size].decode(errors="ignore")


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
