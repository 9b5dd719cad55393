"""What is stored of overviews: their tables, how much room these take, how they are indexed, replaced and dropped; and
the notes in `geoagent.overview` of the session that builds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import asyncpg

from server.database.quoting import quoted
from server.gis.overviews.ladder import SCHEMA, WEIGHT, Band, FilteredLadder, Ladder
from server.gis.overviews.steps import Steps
from server.gis.profiles.versions import TableState

_SIZE = (
    "SELECT coalesce(sum(pg_total_relation_size(name::regclass)), 0)::bigint FROM unnest($1::text[]) AS name"
)
_USED = f"""SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
  WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind = 'r'"""  # noqa: S608 - a constant
_OWN = f"SELECT relname FROM pg_class WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind = 'r' AND relname ~ $1"  # noqa: S608
_NOTE = """INSERT INTO geoagent.overview (relid, next_version, next_steps) VALUES ($1, $2, $3::jsonb)
  ON CONFLICT (relid) DO UPDATE SET next_version = $2, next_steps = $3::jsonb, error = NULL, tried_at = now()"""
_FAIL = """INSERT INTO geoagent.overview (relid, next_version, error, seconds) VALUES ($1, $2, $3, $4)
  ON CONFLICT (relid) DO UPDATE SET next_version = $2, next_steps = NULL, error = $3, seconds = $4, tried_at = now()"""
_FINISH = """INSERT INTO geoagent.overview (relid, build, data_version, document, built_at, seconds)
  VALUES ($1, $2, $3, $4::jsonb, now(), $5)
  ON CONFLICT (relid) DO UPDATE SET build = $2, data_version = $3, document = $4::jsonb, built_at = now(), seconds = $5,
    next_version = NULL, next_steps = NULL, error = NULL, tried_at = now()"""
_FINISH_FILTERED = "UPDATE geoagent.overview SET build = $2, filtered = $3::jsonb WHERE relid = $1"


async def size_of(session: asyncpg.Connection, bands: Iterable[Band]) -> int:
    """Size of the bands in bytes."""
    return int(await session.fetchval(_SIZE, [f"{SCHEMA}.{quoted(band.name)}" for band in bands]))


async def weight_of(session: asyncpg.Connection, band: str) -> int:
    """The number of rows that the representatives in the table of a band stand for."""
    return int(
        await session.fetchval(f'SELECT coalesce(sum("{WEIGHT}"), 0)::bigint FROM {SCHEMA}.{quoted(band)}')  # noqa: S608
    )


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


async def note(session: asyncpg.Connection, state: TableState, steps: Steps) -> None:
    """Note what is done, so that a build that is stopped can go on."""
    if steps.rows_of is None:
        await session.execute(_NOTE, state.relid, state.version, json.dumps(steps.noted))


async def fail(session: asyncpg.Connection, state: TableState, error: str, seconds: float = 0) -> None:
    """Remember why there are no overviews of this version of the data, and what it took to find out."""
    await session.execute(_FAIL, state.relid, state.version, error, seconds)


async def finish(
    session: asyncpg.Connection, state: TableState, build: int, ladder: Ladder | None, seconds: float
) -> None:
    """Draw from these bands from now on; without a ladder from the table."""
    document = None if ladder is None else ladder.model_dump_json()
    await session.execute(_FINISH, state.relid, build, state.version, document, seconds)


async def finish_filtered(
    session: asyncpg.Connection,
    state: TableState,
    build: int,
    kept: Mapping[str, FilteredLadder],
    made: Mapping[str, Ladder],
    seconds: float,
) -> None:
    """Draw rows that pass a filter from what was `made` for it. `build` is a new number: the addresses of tiles name
    it."""
    now = await session.fetchval("SELECT extract(epoch FROM now())::float8")
    filtered = dict(kept)
    for name, ladder in made.items():
        filtered[name] = FilteredLadder(
            ladder=ladder, data_version=state.version, built_at=now, seconds=seconds
        )
    document = json.dumps({name: each.model_dump(mode="json") for name, each in filtered.items()})
    await session.execute(_FINISH_FILTERED, state.relid, build, document)
