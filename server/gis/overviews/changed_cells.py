"""Which cells of a table's overviews have changed since they were built, noted by triggers of the table.

Only tables of some schemas have them, as a setting says: tables elsewhere are other programs', and are not touched. The
triggers note cells of the finest band that any table can have; a statement that changes very many rows, or all, notes a
cell that is null, which means the whole table.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import is_geography
from server.gis.overviews import bands
from server.gis.overviews.finding import INDEXED, TREE
from server.gis.overviews.ladder import SCHEMA, ZOOMS
from server.gis.overviews.placing import Placing
from server.gis.profiles.versions import TableState

WATCHED_SCHEMAS = ("data",)
"""Schemas whose tables are watched by default."""
FINEST = bands.cells_of(ZOOMS[-1])
"""Cells along the world's edge in which changes are noted."""
MAX_ROWS = 20_000
"""Changed rows of one statement that are noted; with more, the whole table counts as changed."""
WAIT_MS = 2_000
"""Time to wait for writers of the table when triggers are made: others that write must not queue behind this for
long."""
_TAG = "$geoagent$"
_ROWS = {
    "insert": "REFERENCING NEW TABLE AS added",
    "update": "REFERENCING OLD TABLE AS removed NEW TABLE AS added",
    "delete": "REFERENCING OLD TABLE AS removed",
    "truncate": "",
}


def name_of(relid: int) -> str:
    """The table of changed cells."""
    return f"{SCHEMA}.d{relid}"


async def watch(
    session: asyncpg.Connection,
    table: Table,
    state: TableState,
    placing: Placing,
    schemas: Collection[str] = WATCHED_SCHEMAS,
) -> str:
    """Note changes of the table from now on, if it is in one of the schemas. Returns the mark of its columns and its
    file, with which `mark_of` is compared later; empty where changes are not noted."""
    column = table.column(table.geometry_column or "")
    function = _function(table, state.relid, placing)
    if (
        table.schema_name not in schemas
        or column is None
        or is_geography(column)
        or function.count(_TAG) != 2
        or not await session.fetchval(_CAN_BE_WATCHED, state.relid, column.name, list(schemas))
    ):
        return ""
    try:
        async with session.transaction():
            await session.execute(f"SET LOCAL lock_timeout = {WAIT_MS}")
            await session.execute(f"CREATE TABLE IF NOT EXISTS {name_of(state.relid)} (x int, y int)")
            await session.execute(function)
            if not await session.fetchval(_IS_WATCHED, state.relid, _called(state.relid)):
                for part in await session.fetch(_PARTS, state.relid):
                    name = f"{quoted(part['schema'])}.{quoted(part['name'])}"
                    await _make_triggers(session, name, state.relid)
    except (asyncpg.LockNotAvailableError, asyncpg.InsufficientPrivilegeError):
        return ""
    return await mark_of(session, state.relid)


async def unwatch(session: asyncpg.Connection, relid: int) -> None:
    """Drop the triggers of a table whose schema the setting does not name any more."""
    with suppress(asyncpg.LockNotAvailableError):
        async with session.transaction():
            await session.execute(f"SET LOCAL lock_timeout = {WAIT_MS}")
            await forget(session, relid)


async def _make_triggers(session: asyncpg.Connection, name: str, relid: int) -> None:
    """Make the triggers of a table or partition: a statement that names it runs no triggers of another."""
    for event, rows in _ROWS.items():
        await session.execute(f"DROP TRIGGER IF EXISTS geoagent_{event} ON {name}")
        await session.execute(
            f"CREATE TRIGGER geoagent_{event} AFTER {event} ON {name} {rows}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {_called(relid)}()"
        )
        # Also for sessions that replay changes.
        await session.execute(f"ALTER TABLE ONLY {name} ENABLE ALWAYS TRIGGER geoagent_{event}")


async def mark_of(session: asyncpg.Connection, relid: int) -> str:
    """Identifies the columns of a table and its parts and the files with their rows; empty if changes are not noted any
    more."""
    return str(await session.fetchval(_MARK, relid, _called(relid)) or "")


async def forget(session: asyncpg.Connection, relid: int) -> None:
    """Drop what is left of a dropped table, with the triggers of what was a part of it."""
    await session.execute(f"DROP FUNCTION IF EXISTS {_called(relid)}() CASCADE")
    await session.execute(f"DROP TABLE IF EXISTS {name_of(relid)}")


def _called(relid: int) -> str:
    """The function that triggers call."""
    return f"{SCHEMA}.mark{relid}"


def _function(table: Table, relid: int, placing: Placing) -> str:
    """Notes the cells of the rows that a statement added or removed. A fault in it must not fail the statement, nor
    may a missing table of cells, which leads to a full pass. From version 15 on, PostgreSQL publishes its
    counters of changes with the transaction then, and not up to ten seconds later."""
    cells, (beside, x, y) = name_of(relid), bands.placed(table, placing)
    noted = "".join(
        f"""IF TG_OP IN ('{event}', 'UPDATE') THEN
          IF (SELECT count(*) FROM (SELECT FROM {rows} LIMIT {MAX_ROWS + 1}) AS few) > {MAX_ROWS} THEN
            INSERT INTO {cells} VALUES (NULL, NULL);
          ELSE
            INSERT INTO {cells} SELECT DISTINCT floor({x} * {FINEST})::int, floor({y} * {FINEST})::int
              FROM {rows} AS t{beside} WHERE {placing.is_placed};
          END IF;
        END IF;
        """  # noqa: S608 - expressions and names of the registry
        for event, rows in (("INSERT", "added"), ("DELETE", "removed"))
    )
    return f"""CREATE OR REPLACE FUNCTION {_called(relid)}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
      SET search_path FROM CURRENT AS {_TAG}
      BEGIN
        BEGIN
          {noted}
          IF TG_OP = 'TRUNCATE' THEN INSERT INTO {cells} VALUES (NULL, NULL); END IF;
        EXCEPTION
          WHEN undefined_table THEN NULL;
          WHEN OTHERS THEN INSERT INTO {cells} VALUES (NULL, NULL);
        END;
        IF to_regproc('pg_stat_force_next_flush') IS NOT NULL THEN PERFORM pg_stat_force_next_flush(); END IF;
        RETURN NULL;
      END {_TAG}"""  # noqa: S608 - expressions and names of the registry


_PARTS = f"""{TREE} SELECT nspname AS schema, relname AS name FROM part JOIN pg_class AS c ON c.oid = part.oid
  JOIN pg_namespace AS n ON n.oid = relnamespace ORDER BY c.oid"""  # noqa: S608 - a constant
_CAN_BE_WATCHED = f"""{TREE} SELECT {INDEXED} AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid)
  AND NOT EXISTS (SELECT FROM part JOIN pg_class AS m ON m.oid = part.oid JOIN pg_namespace AS n
    ON n.oid = m.relnamespace WHERE n.nspname <> ALL ($3::text[]))
  AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM part) AND tgname LIKE 'geoagent\\_%'
    AND tgenabled = 'D')
  AND NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid IN (SELECT oid FROM part))
  FROM pg_class AS c WHERE c.oid = $1"""  # noqa: S608 - a constant
"""False if the triggers were disabled, if logical replication writes, which runs none, and for a table that can be read
or written through another. Changed cells are found again by the index of the geometries."""
_ARE_WATCHED = f"""(SELECT count(*) = {len(_ROWS)} * (SELECT count(*) FROM part) FROM pg_trigger
  WHERE tgrelid IN (SELECT oid FROM part) AND tgname LIKE 'geoagent\\_%' AND tgenabled IN ('O', 'A')
    AND tgfoid = to_regproc($2))"""  # noqa: S608 - a constant
_IS_WATCHED = f"{TREE} SELECT {_ARE_WATCHED}"
_MARK = f"""{TREE} SELECT md5(string_agg(concat_ws(' ', c.oid, pg_relation_filenode(c.oid), (SELECT string_agg(
    concat_ws(' ', attname, atttypid, atttypmod), ',' ORDER BY attnum)
    FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
    (SELECT string_agg(xmin::text, ',' ORDER BY tgname) FROM pg_trigger
     WHERE tgrelid = c.oid AND tgname LIKE 'geoagent\\_%')), ';' ORDER BY c.oid))
  FROM part JOIN pg_class AS c ON c.oid = part.oid HAVING {_ARE_WATCHED}"""  # noqa: S608 - as above
"""Triggers that were disabled for a while are other versions of their rows (xmin)."""
