"""The database and what reads it: the registry of tables, questions, profiles and notes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.ports import TableRegistry
from server import postgres, samples
from server.assembly.models import embedding_model, searched_by_meaning
from server.database import migrate
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.query.data import PostgisData
from server.large_tables import LargeTables
from server.notes import Notes
from server.settings import Settings
from server.spark.engine import spark_client

if TYPE_CHECKING:
    from server.gis.spark.client import SparkClient


@dataclass(frozen=True)
class DataParts:
    """The parts that use the database. `data` reads all tables of the registry."""

    database: Database
    registry: Registry
    large: LargeTables
    data: PostgisData
    notes: Notes
    spark: SparkClient | None

    def reading(self, tables: TableRegistry) -> PostgisData:
        """A data source that reads only these tables."""
        return _reading(self.database, tables, self.large)


def _reading(database: Database, tables: TableRegistry, large: LargeTables) -> PostgisData:
    return PostgisData(
        database.reader,
        tables,
        large_rows=large.rows,
        profile_of=large.profile_of,
        files=large.lake_files,
    )


@asynccontextmanager
async def opened_data(settings: Settings) -> AsyncIterator[DataParts]:
    """Starts PostgreSQL where that is asked for, migrates the schema, and follows the tables. Raises SparkProblem."""
    embedder = embedding_model(settings)
    spark = spark_client(settings)
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(postgres.ensure(settings))
        await migrate.upgrade(url, settings.exposed_schemas)
        database = await stack.enter_async_context(await Database.connect(settings, url))
        if settings.samples:
            await samples.load(database)
        registry = Registry(database.reader, settings.exposed_schemas, database.listen)
        await registry.start()
        stack.push_async_callback(registry.stop)
        await stack.enter_async_context(searched_by_meaning(embedder, registry, database))
        large = LargeTables(database, settings, spark)
        data = _reading(database, registry, large)
        yield DataParts(database, registry, large, data, Notes(database.owner), spark)
