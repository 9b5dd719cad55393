"""The tables of overviews in the database: how much room they take, and how they are indexed,
replaced and dropped."""

from __future__ import annotations

from collections.abc import Iterable

import asyncpg

from server.database.quoting import quoted
from server.gis.overviews.ladder import SCHEMA, Band

_SIZE = (
    "SELECT coalesce(sum(pg_total_relation_size(name::regclass)), 0)::bigint FROM unnest($1::text[]) AS name"
)
_USED = f"""SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
  WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind = 'r'"""  # noqa: S608 - a constant
_OWN = f"SELECT relname FROM pg_class WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind = 'r' AND relname ~ $1"  # noqa: S608


async def size_of(session: asyncpg.Connection, bands: Iterable[Band]) -> int:
    """Size of the bands in bytes."""
    return int(await session.fetchval(_SIZE, [f"{SCHEMA}.{quoted(band.name)}" for band in bands]))


async def size_of_all(session: asyncpg.Connection) -> int:
    """Size of the overviews of all tables in bytes."""
    return int(await session.fetchval(_USED))


async def drop_tables(session: asyncpg.Connection, relid: int, *marks: str, keep: bool = False) -> None:
    """Drop the overviews of a table: those of the marked builds, all others (`keep`), or all."""
    for row in await session.fetch(_OWN, f"^[fow]{relid}_"):
        is_marked = any(mark in row["relname"] for mark in marks)
        if is_marked != keep or not marks:
            await session.execute(f"DROP TABLE IF EXISTS {SCHEMA}.{quoted(row['relname'])}")


async def replace_table(session: asyncpg.Connection, name: str, made: str) -> None:
    """Put the table `made` in the place of another one."""
    await session.execute(f"DROP TABLE {name}")
    await session.execute(f"ALTER TABLE {made} RENAME TO {name.rpartition('.')[2]}")


async def index_band(session: asyncpg.Connection, name: str, geometry: str) -> int:
    """Make a band ready to be read. The number of its rows."""
    band = f"{SCHEMA}.{quoted(name)}"
    await session.execute(f"CREATE INDEX ON {band} USING gist ({geometry})")
    await session.execute(f"ANALYZE {band}")
    return int(await session.fetchval(f"SELECT count(*) FROM {band}"))  # noqa: S608 - our own name
