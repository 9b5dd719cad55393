"""Which cells of a table's overviews have changed since they were built, noted by triggers of the table.

Only tables of the schema `data` have them: tables elsewhere are other programs', and are not touched. The triggers note
cells of the finest band that any table can have; a statement that changes very many rows, or all, notes a cell that is
null, which means the whole table.
"""

from __future__ import annotations

import asyncpg

from agents.domain import Table
from server.gis.expressions.identifiers import is_geography, sql_name
from server.gis.overviews import bands
from server.gis.overviews.ladder import SCHEMA, ZOOMS
from server.gis.overviews.placing import Placing
from server.gis.profiles.versions import TableState

WATCHED_SCHEMA = "data"
FINEST = bands.cells_of(ZOOMS[-1])
"""Cells along the world's edge in which changes are noted."""
MAX_ROWS = 20_000
"""Of one statement; with more, all of the table counts as changed."""
WAIT_MS = 2_000
"""For writers of the table, when triggers are made: others that write must not queue behind this for long."""
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


async def watch(session: asyncpg.Connection, table: Table, state: TableState, placing: Placing) -> str:
    """Note changes of the table from now on. Returns the mark of its columns and its file, with which `mark_of` is
    compared later; empty where changes are not noted."""
    column = table.column(table.geometry_column or "")
    function = _function(table, state.relid, placing)
    if (
        table.schema_name != WATCHED_SCHEMA
        or column is None
        or is_geography(column)
        or function.count(_TAG) != 2
        or not await session.fetchval(_CAN_BE_WATCHED, state.relid, column.name)
    ):
        return ""
    try:
        async with session.transaction():
            await session.execute(f"SET LOCAL lock_timeout = {WAIT_MS}")
            await session.execute(f"CREATE TABLE IF NOT EXISTS {name_of(state.relid)} (x int, y int)")
            await session.execute(function)
            if not await session.fetchval(_IS_WATCHED, state.relid):
                for event, rows in _ROWS.items():
                    await session.execute(f"DROP TRIGGER IF EXISTS geoagent_{event} ON {sql_name(table)}")
                    await session.execute(
                        f"CREATE TRIGGER geoagent_{event} AFTER {event} ON {sql_name(table)} {rows}"
                        f" FOR EACH STATEMENT EXECUTE FUNCTION {SCHEMA}.mark{state.relid}()"
                    )
                    # Also for sessions that replay changes.
                    await session.execute(
                        f"ALTER TABLE {sql_name(table)} ENABLE ALWAYS TRIGGER geoagent_{event}"
                    )
    except (asyncpg.LockNotAvailableError, asyncpg.InsufficientPrivilegeError):
        return ""
    return await mark_of(session, state.relid)


async def mark_of(session: asyncpg.Connection, relid: int) -> str:
    """Of the columns of a table and the file with its rows; empty where changes are not noted any more."""
    return str(await session.fetchval(_MARK, relid) or "")


async def forget(session: asyncpg.Connection, relid: int) -> None:
    """Drop what is left of a dropped table."""
    await session.execute(f"DROP FUNCTION IF EXISTS {SCHEMA}.mark{relid}()")
    await session.execute(f"DROP TABLE IF EXISTS {name_of(relid)}")


def _function(table: Table, relid: int, placing: Placing) -> str:
    """Notes the cells of the rows that a statement added or removed. A fault in it must fail nobody's statement, nor
    may a missing table of cells, which leads to a full pass."""
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
    return f"""CREATE OR REPLACE FUNCTION {SCHEMA}.mark{relid}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
      SET search_path FROM CURRENT AS {_TAG}
      BEGIN
        BEGIN
          {noted}
          IF TG_OP = 'TRUNCATE' THEN INSERT INTO {cells} VALUES (NULL, NULL); END IF;
        EXCEPTION
          WHEN undefined_table THEN NULL;
          WHEN OTHERS THEN INSERT INTO {cells} VALUES (NULL, NULL);
        END;
        RETURN NULL;
      END {_TAG}"""  # noqa: S608 - expressions and names of the registry


INDEXED = """NOT EXISTS (SELECT FROM pg_inherits WHERE c.oid IN (inhparent, inhrelid))
  AND EXISTS (SELECT FROM pg_index AS i JOIN pg_class AS o ON o.oid = i.indexrelid JOIN pg_am AS m ON m.oid = o.relam
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
    WHERE i.indrelid = c.oid AND m.amname = 'gist' AND i.indpred IS NULL AND i.indisvalid AND a.attname = $2)"""
"""Whether an index finds the rows of a table `c` by their geometries ($2), all in one file."""
_CAN_BE_WATCHED = f"""SELECT c.relkind = 'r'
  AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgname LIKE 'geoagent\\_%' AND tgenabled = 'D')
  AND NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = c.oid)
  AND {INDEXED}
  FROM pg_class AS c WHERE c.oid = $1"""  # noqa: S608 - a constant
"""Not where somebody has disabled the triggers, nor where logical replication writes, which runs none. Changed cells
are found again by the index of the geometries."""
_IS_WATCHED = f"""SELECT count(*) = {len(_ROWS)} FROM pg_trigger
  WHERE tgrelid = $1 AND tgname LIKE 'geoagent\\_%' AND tgenabled IN ('O', 'A')"""  # noqa: S608 - a constant
_MARK = f"""SELECT md5(concat_ws(' ', pg_relation_filenode(oid), (SELECT string_agg(
    concat_ws(' ', attname, atttypid, atttypmod), ',' ORDER BY attnum)
    FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped),
    (SELECT string_agg(xmin::text, ',' ORDER BY tgname) FROM pg_trigger
     WHERE tgrelid = $1 AND tgname LIKE 'geoagent\\_%')))
  FROM pg_class WHERE oid = $1 AND ({_IS_WATCHED})"""  # noqa: S608 - a constant
"""Triggers that were disabled for a while are other versions of their rows (xmin)."""
