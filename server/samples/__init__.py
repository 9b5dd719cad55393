"""Sample data: countries, cities and airports of the world, loaded into `data` when it has none of them.

Real, with attribution (ATTRIBUTION.md), and commented, table by table and column by column, so that people
and models know what a number means. `load` is called at the start of the server; it is one transaction, so
a start that was killed in the middle leaves nothing behind."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

import asyncpg

from server.database.engines import Database
from server.database.quoting import quoted_text

if TYPE_CHECKING:
    from server.samples.sources import Sample

LOCK = 0x5A3B1E5
TABLES = ("countries", "cities", "airports")


async def load(database: Database) -> bool:
    """Load all samples unless one of their tables is there; whether it did."""
    connection = await asyncpg.connect(database.url)
    try:
        await connection.set_type_codec(
            "geometry",
            schema=await _home_of_postgis(connection),
            encoder=bytes,
            decoder=bytes,
            format="binary",
        )
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
            if await _has_any(connection):
                return False
            from server.samples.sources import SAMPLES  # reads the data: only for the first start

            for sample in SAMPLES:
                await _create(connection, sample)
            await _note(connection, SAMPLES)
        for sample in SAMPLES:
            await connection.execute(f'ANALYZE data."{sample.table}"')
        await connection.execute("NOTIFY geoagent_ddl, 'samples'")
    finally:
        await connection.close()
    return True


async def _home_of_postgis(connection: asyncpg.Connection) -> str:
    home = await connection.fetchval(
        "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'postgis'"
    )
    return str(home)


async def _has_any(connection: asyncpg.Connection) -> bool:
    count = await connection.fetchval(
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'data'::regnamespace AND relname = ANY($1)",
        list(TABLES),
    )
    return bool(count)


async def _create(connection: asyncpg.Connection, sample: Sample) -> None:
    table = f'data."{sample.table}"'
    columns = ", ".join(f'"{column.name}" {column.sql_type}' for column in sample.columns)
    await connection.execute(f"CREATE TABLE {table} ({columns})")
    await connection.copy_records_to_table(
        sample.table,
        schema_name="data",
        columns=[column.name for column in sample.columns],
        records=sample.records(),
    )
    await connection.execute(f"ALTER TABLE {table} ADD PRIMARY KEY (id)")
    for index in sample.indexes:
        await connection.execute(f"CREATE INDEX ON {table} {index}")
    await connection.execute(f"COMMENT ON TABLE {table} IS {quoted_text(sample.comment)}")
    for column in sample.columns:
        await connection.execute(
            f'COMMENT ON COLUMN {table}."{column.name}" IS {quoted_text(column.comment)}'
        )


async def _note(connection: asyncpg.Connection, samples: Sequence[Sample]) -> None:
    """What models should know about the data beyond the comments, for the info store."""
    for sample in samples:
        body = (files(__name__) / "notes" / f"{sample.table}.md").read_text("utf-8")
        title = body.partition("\n")[0].removeprefix("# ")
        await connection.execute(
            "INSERT INTO geoagent.info_note (id, title, body, tables) VALUES ($1, $2, $3, $4) "
            "ON CONFLICT (id) DO UPDATE "
            "SET title = excluded.title, body = excluded.body, tables = excluded.tables",
            f"samples/{sample.table}",
            title,
            body,
            [f"data.{sample.table}"],
        )
