"""Columns of Parquet files as PostgreSQL and Spark have them: the same values, of types that mean the same.

The expressions for Spark agree with those of tables that are copied to it (`server.gis.spark.staging`)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection

import pyarrow as pa
from pydantic import BaseModel, ConfigDict

from server.gis.expressions.identifiers import base_type
from server.gis.ingest.table import fitting_name
from server.gis.reading.copy_rows import sql_type

RANGED = (
    "smallint", "integer", "bigint", "real", "double precision", "numeric", "date", "timestamp", "timestamptz",
)  # fmt: skip


class LakeColumn(BaseModel):
    """`source` is its name in the files, `name` in PostGIS and in Spark's view."""

    model_config = ConfigDict(frozen=True)

    name: str
    source: str
    sql: str
    """The type in PostgreSQL."""
    arrow: str
    """The type in the files."""
    is_geometry: bool = False
    is_partition: bool = False
    """Its values are in the names of folders."""

    @property
    def is_ranged(self) -> bool:
        """Whether the statistics of the files say its least and greatest value."""
        return not self.is_partition and self.sql.partition("(")[0] in RANGED

    @property
    def is_nanoseconds(self) -> bool:
        """Whether times have nanoseconds, which PostgreSQL cannot keep."""
        return self.arrow.startswith("timestamp[ns")


def column_of(
    field: pa.Field, taken: Collection[str], *, is_geometry: bool = False, sql: str | None = None
) -> LakeColumn | None:
    """The column of a field of the files; None for a type that Spark cannot read."""
    if not is_geometry and not _is_readable(field.type):
        return None
    return LakeColumn(
        name=fitting_name(field.name, set(taken)),
        source=field.name,
        sql="geometry" if is_geometry else sql or sql_type(field.type),
        arrow=str(field.type),
        is_geometry=is_geometry,
    )


def partition_type(values: Collection[str]) -> str:
    """The type of a column whose values are in the names of folders."""
    if values and all(re.fullmatch(r"-?(0|[1-9]\d{0,17})", value) for value in values):
        return "bigint"
    if values and all(map(_is_date, values)):
        return "date"
    return "text"


def _is_date(value: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value)) and bool(datetime.date.fromisoformat(value))
    except ValueError:
        return False


def _is_readable(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_readable(kind.value_type)
    if pa.types.is_decimal(kind):
        return bool(kind.precision <= 38)
    return not (
        pa.types.is_time(kind)
        or pa.types.is_duration(kind)
        or pa.types.is_float16(kind)
        or pa.types.is_null(kind)
    )


def spark_value(column: LakeColumn, quoted: str) -> str:
    """The Spark expression for a column other than the geometry; `quoted` names it in the files."""
    kind = base_type(column.sql)
    if column.arrow in ("string", "large_string") and kind in ("jsonb", "bytea"):
        return f"CAST({quoted} AS STRING)"
    if column.is_nanoseconds:
        return f"timestamp_micros({quoted} DIV 1000)"
    if kind.startswith("timestamp"):
        return f"CAST({quoted} AS TIMESTAMP)"
    if kind == "jsonb":
        return f"to_json({quoted})"
    if kind == "bytea":
        return f"concat('\\\\x', lower(hex({quoted})))"
    return f"CAST({quoted} AS {_SPARK_TYPES.get(kind, 'STRING')})"


_SPARK_TYPES = {
    "smallint": "SMALLINT", "integer": "INT", "bigint": "BIGINT", "real": "FLOAT", "double precision": "DOUBLE",
    "numeric": "DOUBLE", "boolean": "BOOLEAN", "date": "DATE",
}  # fmt: skip
