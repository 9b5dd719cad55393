"""Sample tables with everything beside them that an attack could be after."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import pytest_asyncio

from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.settings import OWN_SCHEMAS

PREY = (
    "CREATE SCHEMA vault",
    "CREATE TABLE vault.salaries (who text, pay int, geom geometry)",
    "INSERT INTO vault.salaries VALUES ('ann', 11)",
    "CREATE SEQUENCE data.attacked_seq",
    # As careless owners make them: run with the owner's rights, and callable by everybody.
    "CREATE FUNCTION public.wipe() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS"
    " 'WITH gone AS (DELETE FROM data.cities RETURNING 1) SELECT count(*) FROM gone'",
    "CREATE FUNCTION public.drain(data.cities) RETURNS bigint LANGUAGE sql SECURITY DEFINER AS"
    " 'WITH gone AS (DELETE FROM data.cities RETURNING 1) SELECT count(*) FROM gone'",
)


@dataclass
class Place:
    """`owner` is a connection with all rights, for looking at what became of things."""

    database: Database
    registry: Registry
    owner: asyncpg.Connection

    async def traces(self) -> dict[str, object]:
        """What an attack would have changed."""
        questions = {
            "cities": "SELECT count(*) FROM data.cities",
            "tables": "SELECT array_agg(oid::regclass::text ORDER BY oid) FROM pg_class WHERE relkind IN ('r', 'v')",
            "sequence": "SELECT last_value || is_called::text FROM data.attacked_seq",
            "large objects": "SELECT count(*) FROM pg_largeobject_metadata",
            "advisory locks": "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid IN (4711, 4712)",
            "superusers": "SELECT array_agg(rolname ORDER BY 1) FROM pg_roles WHERE rolsuper",
            "sessions": "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'geoagent sql'",
        }
        return {name: await self.owner.fetchval(question) for name, question in questions.items()}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def place(samples: Database) -> AsyncIterator[Place]:
    owner = await asyncpg.connect(samples.url)
    for statement in PREY:
        await owner.execute(statement)
    if await owner.fetchval("SELECT count(*) FROM pg_available_extensions WHERE name = 'dblink'"):
        await owner.execute("CREATE EXTENSION dblink")
    registry = Registry(samples.reader, OWN_SCHEMAS, samples.listen)
    await registry.start()
    yield Place(samples, registry, owner)
    await registry.stop()
    await owner.close()
