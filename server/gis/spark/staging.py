"""Rows from PostGIS to Spark and back, as Parquet in a folder that the server and all of Spark's machines see.

Spark so needs no access to the database, and no password of it. Geometries travel as EWKB, times as microseconds in
UTC, whole numbers and floats as they are, `numeric` as double precision, all other types as PostgreSQL writes them."""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import asyncpg
import pyarrow as pa
from pyarrow import csv, parquet
from sqlalchemy import ColumnElement, FromClause, Text, cast, func, literal_column, select
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Column, Table
from server.database.engines import driver_of
from server.gis.expressions.identifiers import base_type, geometry_of
from server.gis.expressions.literal_sql import literal_sql
from server.gis.spark import fault_texts as texts
from server.gis.spark.errors import SparkFailed
from server.gis.spark.names import ROW, backticked
from server.gis.spark.views import FilesView, as_pattern

GROUP_ROWS = 100_000
"""Rows of a row group: what one task of Spark reads at least."""
BLOCK_BYTES = 8 * 1024**2

_KINDS: Mapping[str, pa.DataType] = {
    "smallint": pa.int16(), "integer": pa.int32(), "bigint": pa.int64(), "real": pa.float32(),
    "double precision": pa.float64(), "numeric": pa.float64(), "boolean": pa.bool_(),
}  # fmt: skip

_SPARK_TYPES: Mapping[pa.DataType, str] = {
    pa.int16(): "SMALLINT", pa.int32(): "INT", pa.int64(): "BIGINT", pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE", pa.bool_(): "BOOLEAN", pa.string(): "STRING",
}  # fmt: skip


async def stage(connection: AsyncConnection, table: Table, rows: FromClause, file: Path) -> FilesView:
    """Write the rows of a table as one Parquet file, each with a unique number in the column `ROW`."""
    statement = select(
        *(_outward(table, column, rows).label(f"c{number}") for number, column in enumerate(table.columns)),
        func.row_number().over().label(ROW),
    ).select_from(rows)
    plain = file.with_suffix(".csv")
    try:
        driver = await driver_of(connection)
        with plain.open("wb") as output:
            await driver.copy_from_query(literal_sql(statement), output=output, format="csv")
        count = await asyncio.to_thread(_to_parquet, plain, file, table)
    finally:
        plain.unlink(missing_ok=True)
    # Columns under their names, with types that Spark computes with.
    columns = [
        f"{_inward(column, f'c{number}')} AS {backticked(column.name)}"
        for number, column in enumerate(table.columns)
    ]
    schema = ", ".join(f"{name} {_SPARK_TYPES[type_]}" for name, type_ in _schema(table).items())
    return FilesView([as_pattern(str(file))], None, [*columns, ROW], None, count, schema)


async def load(
    driver: asyncpg.Connection, folder: Path, schema: str, name: str, columns: Sequence[str]
) -> int:
    """Append what Spark wrote to a table, in the order of its rows; how many there are."""
    files = await asyncio.to_thread(lambda: sorted(folder.glob("part-*.parquet")))
    rows = 0
    for file in files:
        copied = await driver.copy_to_table(
            name, schema_name=schema, columns=list(columns), source=_pieces(file), format="csv"
        )
        rows += int(copied.split()[-1])
    return rows


@asynccontextmanager
async def scratch(folder: Path) -> AsyncIterator[Path]:
    """A new folder in the folder for rows on their way, which goes with the block. Raises SparkFailed."""
    made = folder / f"step-{secrets.token_hex(8)}"
    try:
        await asyncio.to_thread(made.mkdir, parents=True)
    except OSError as error:
        raise SparkFailed(texts.FOLDER(why=str(error.strerror))) from error
    try:
        yield made
    finally:
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, made, ignore_errors=True))


def outgoing_rows(select: str, types: Mapping[str, str]) -> str:
    """The statement with its columns as COPY takes them for the declared types."""
    columns = ", ".join(outgoing(name, declared) for name, declared in types.items())
    return f"SELECT {columns} FROM ({select}) AS made"  # noqa: S608 - quoted names, translated statement


def outgoing(name: str, declared: str) -> str:
    """A column of Spark's result as text or number that PostgreSQL's COPY takes for the declared type."""
    column = backticked(name)
    kind = base_type(declared)
    if kind == "geometry":
        return f"{_ewkb(column, declared)} AS {column}"
    if kind.startswith(("timestamp", "date")):
        return f"CAST({column} AS STRING) AS {column}"
    return column


def _ewkb(column: str, declared: str) -> str:
    """Hexadecimal digits with the reference system that the column declares, which Sedona loses of empty shapes."""
    system = re.search(r",(\d+)\)", declared)
    if system is None:
        return f"hex(ST_AsEWKB({column}))"
    srid = int(system[1])
    number = srid.to_bytes(4, "little").hex().upper()
    nothing = "".join(
        f" WHEN ST_IsEmpty({column}) AND ST_GeometryType({column}) = 'ST_{name}' THEN '{code}000020{number}00000000'"
        for name, code in (("Polygon", "0103"), ("MultiPolygon", "0106"))
    )
    return f"CASE{nothing} ELSE hex(ST_AsEWKB(ST_SetSRID({column}, {srid}))) END"


async def count_rows(folder: Path) -> int:
    """Rows that Spark wrote, from the footers of its files."""
    return await asyncio.to_thread(
        lambda: sum(parquet.ParquetFile(file).metadata.num_rows for file in folder.glob("part-*.parquet"))
    )


async def _pieces(file: Path) -> AsyncIterator[bytes]:
    batches = await asyncio.to_thread(_batches, file)
    while (piece := await asyncio.to_thread(next, batches, None)) is not None:
        yield piece


def _batches(file: Path) -> Iterator[bytes]:
    with parquet.ParquetFile(file) as opened:
        for batch in opened.iter_batches(batch_size=20_000):
            written = BytesIO()
            # Texts are quoted and nulls are not, which is how PostgreSQL distinguishes an empty text from null.
            csv.write_csv(batch, written, csv.WriteOptions(include_header=False))
            yield written.getvalue()


def _to_parquet(plain: Path, file: Path, table: Table) -> int:
    schema = pa.schema(list(_schema(table).items()))
    rows = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer, plain.open("rb") as source:
        for batch in _read(source, schema):
            writer.write_table(pa.Table.from_batches([batch], schema), row_group_size=GROUP_ROWS)
            rows += batch.num_rows
    return rows


def _read(source: BinaryIO, schema: pa.Schema) -> Iterator[Any]:
    if not source.seek(0, 2):
        return
    source.seek(0)
    yield from csv.open_csv(
        source,
        csv.ReadOptions(column_names=schema.names, block_size=BLOCK_BYTES),
        csv.ParseOptions(newlines_in_values=True),
        csv.ConvertOptions(
            column_types=schema,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            true_values=["t"],
            false_values=["f"],
        ),
    )


def _schema(table: Table) -> Mapping[str, pa.DataType]:
    """The columns of the file."""
    return {
        **{f"c{number}": _arrow_type(column) for number, column in enumerate(table.columns)},
        ROW: pa.int64(),
    }


def _arrow_type(column: Column) -> pa.DataType:
    kind = base_type(column.sql_type)
    if kind.startswith("timestamp"):
        return pa.int64()
    if kind == "date":
        return pa.int32()
    return _KINDS.get(kind, pa.string())


def _outward(table: Table, column: Column, rows: FromClause) -> ColumnElement[Any]:
    """The column in the COPY from PostgreSQL."""
    value: ColumnElement[Any] = rows.c[column.name]
    kind = base_type(column.sql_type)
    if column.kind == "geometry":
        shape = geometry_of(table, column.name, rows)
        return func.encode(func.ST_AsEWKB(func.ST_CurveToLine(shape)), "hex")
    if kind.startswith("timestamp"):
        return literal_column(f"(extract(epoch FROM {literal_sql(value)}) * 1000000)::bigint")
    if kind == "date":
        return literal_column(f"({literal_sql(value)} - DATE '1970-01-01')")
    return value if kind in _KINDS or kind == "text" else cast(value, Text())


def _inward(column: Column, name: str) -> str:
    """The same in Spark."""
    kind = base_type(column.sql_type)
    if column.kind == "geometry":
        return f"ST_GeomFromEWKB(unhex({name}))"
    if kind.startswith("timestamp"):
        return f"timestamp_micros({name})"
    if kind == "date":
        return f"date_from_unix_date({name})"
    return name
