"""`geoagent load`, `tables`, `migrate`, `database-url`: on the database, with or without a running server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from server import logs, migrate, postgres
from server.database import Database
from server.settings import Settings


@asynccontextmanager
async def opened() -> AsyncIterator[Database]:
    """The database that a server with the same settings would use, migrated."""
    settings = Settings()
    logs.set_up(settings.log_level)
    async with postgres.ensure(settings) as url:
        await migrate.upgrade(url, settings.exposed_schemas)
        async with await Database.connect(settings, url) as database:
            yield database


def load_into(
    file: Path, table: str | None, layer: str | None, srid: int | None, encoding: str | None
) -> None:
    from server.gis.ingest import load_file

    async def run() -> None:
        async with opened() as database:
            report = await load_file(database, file, table, layer=layer, srid=srid, encoding=encoding)
            print(f"{report.table}: {report.rows:,} rows in {report.seconds:.1f} s")
            for line in (*report.remarks, *report.problems):
                print(f"  {line}", file=sys.stderr)

    asyncio.run(run())


def list_tables(words: str | None, as_json: bool) -> None:
    from server.gis.registry import Registry

    async def run() -> None:
        async with opened() as database:
            registry = Registry(database.reader, Settings().exposed_schemas)
            await registry.refresh(patience=5)
            found = await registry.search(words) if words else registry.tables()
            if as_json:
                print("[" + ",\n".join(table.model_dump_json() for table in found) + "]")
                return
            for table in found:
                kind = (table.geometry_type or "no geometry").lower()
                comment = (table.comment or "").partition("\n")[0][:80]
                print(f"{table.id:<32} {kind:<18} {table.row_estimate:>12,}  {comment}")

    asyncio.run(run())


def migrate_database() -> None:
    async def run() -> None:
        async with opened():
            print("The database is up to date.")

    asyncio.run(run())


def print_url() -> None:
    async def run() -> None:
        async with postgres.ensure(Settings()) as url:
            print(url)

    asyncio.run(run())
