"""The version of a table's data, which changes when its rows or columns do.

It is computed from PostgreSQL's counters of inserted, updated and deleted rows, the table's file (which TRUNCATE and
a rewrite replace) and its columns, for a table, its partitions and the tables of a view, of the transaction that wrote
a view's definition, and of whether PostgreSQL shows different rows to different roles. Counters begin again when they
are reset, and after a crash of PostgreSQL; the times of both are part of the version, so that it never comes again. All
servers on a database compute the same version, without triggers on users' tables and without reading a row.

PostgreSQL publishes the counters when a transaction ends, but at most once a second for each connection; the second of
two quick transactions of a connection that stays open shows up to ten seconds later, except in tables whose changed
cells are noted (server.gis.overviews.changed_cells)."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa
import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Table
from server.database.engines import single_reads

log = structlog.get_logger(__name__)

MAX_AGE_S = 2.0
"""Versions, profiles and overviews that were read less than this ago are not read again; another server may have
written newer ones."""
MAX_TABLES = 10_000
"""Number of profiles, and of states of overviews, that are remembered for that time."""

_STATES = sa.text("""
WITH RECURSIVE part AS (
  SELECT c.oid AS asked, c.oid AS relid, 0 AS depth
  FROM unnest(CAST(:schemas AS text[]), CAST(:names AS text[])) AS wanted (schema, name)
  JOIN pg_namespace AS n ON n.nspname = wanted.schema
  JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = wanted.name
  UNION
  SELECT part.asked, next.oid, part.depth + 1
  FROM part CROSS JOIN LATERAL (
    SELECT inhrelid FROM pg_inherits WHERE inhparent = part.relid
    UNION ALL
    SELECT d.refobjid FROM pg_rewrite AS r
    JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
      AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class
    WHERE r.ev_class = part.relid AND (SELECT relkind FROM pg_class WHERE oid = part.relid) = 'v'
  ) AS next (oid)
  WHERE part.depth < 16
), locked AS MATERIALIZED (
  SELECT relation FROM pg_locks WHERE locktype = 'relation' AND mode = 'AccessExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
), counted AS MATERIALIZED (
  SELECT concat_ws(' ', '', extract(epoch FROM pg_stat_get_db_stat_reset_time(oid)),
    extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time())) AS since
  FROM pg_database WHERE datname = current_database()
), relation AS (
  SELECT DISTINCT part.asked, c.oid, c.relkind, c.relam, c.reltuples, c.relpages,
    CASE WHEN c.relkind NOT IN ('r', 'm') THEN 0
      WHEN c.oid IN (SELECT relation FROM locked) THEN c.relpages * 8192::bigint
      ELSE pg_relation_size(c.oid) END AS bytes
  FROM part JOIN pg_class AS c ON c.oid = part.relid
)
SELECT asked, n.nspname AS schema, c.relname AS name, CAST(c.relkind AS text) AS relkind,
  md5(string_agg(concat_ws(' ', r.oid, pg_relation_filenode(r.oid), pg_stat_get_tuples_inserted(r.oid),
    pg_stat_get_tuples_updated(r.oid), pg_stat_get_tuples_deleted(r.oid),
    (SELECT string_agg(attname || ' ' || atttypid || ' ' || atttypmod, ',' ORDER BY attnum)
     FROM pg_attribute WHERE attrelid = r.oid AND attnum > 0 AND NOT attisdropped),
    (SELECT string_agg(CAST(w.xmin AS text), ',' ORDER BY w.oid) FROM pg_rewrite AS w
     WHERE w.ev_class = r.oid AND r.relkind = 'v')), ';' ORDER BY r.oid) || (SELECT since FROM counted)
    || CASE WHEN c.relrowsecurity THEN ' by row' ELSE '' END) AS mark,
  CASE WHEN (c.relkind <> 'r' OR count(*) = 1) AND NOT c.relrowsecurity
    AND bool_and(r.relkind = 'p' OR r.relam = (SELECT oid FROM pg_am WHERE amname = 'heap'))
  THEN md5(string_agg(concat_ws(' ', r.oid, pg_relation_filenode(r.oid),
    (SELECT string_agg(concat_ws(' ', attnum, attname, atttypid, atttypmod), ',' ORDER BY attnum)
     FROM pg_attribute WHERE attrelid = r.oid AND attnum > 0 AND NOT attisdropped)), ';' ORDER BY r.oid)
    || (SELECT since FROM counted)) END AS layout,
  bool_or(r.relkind = 'f') AS foreign,
  current_setting('track_counts')::boolean AS counts,
  (SELECT build FROM geoagent.overview AS o WHERE o.relid = asked AND o.document IS NOT NULL) AS overviews,
  c.relrowsecurity AS by_row,
  sum(r.bytes) AS bytes,
  sum(CASE WHEN r.reltuples >= 0 AND r.relpages > 0 THEN r.reltuples / r.relpages * r.bytes / 8192
           ELSE r.bytes / 100.0 END) FILTER (WHERE r.relkind IN ('r', 'm')) AS rows
FROM relation AS r JOIN pg_class AS c ON c.oid = r.asked JOIN pg_namespace AS n ON n.oid = c.relnamespace
GROUP BY asked, n.nspname, c.relname, c.relkind, c.relrowsecurity
""")
"""Without statistics of the planner, a row is taken to be 100 bytes. The size of a locked table is that of the
last VACUUM or ANALYZE: asking for it would wait for the lock, and all tables of the question with it."""


@dataclass(frozen=True, slots=True)
class TableState:
    """A table as it was in one read of the catalogue."""

    relid: int
    version: str
    """Empty if changes of the rows cannot be detected: of foreign tables, and where PostgreSQL does not count."""
    rows: int
    """Estimated from the size of the table; 0 for a view over nothing but foreign tables."""
    bytes: int
    can_be_sampled: bool
    """Whether PostgreSQL can read some of its pages only."""
    overviews: int = 0
    """The build of its overviews that is in use; 0 without any."""
    by_row: bool = False
    """Whether PostgreSQL shows different rows to different roles."""
    is_view: bool = False
    layout: str = ""
    """Changes with the columns, the files and the partitions of the table, but not when rows are written. Empty where
    rows do not name the transaction that wrote them (views, foreign tables, extensions' storage and what they derive
    from a table by inheritance), and where roles see different rows."""

    @property
    def is_unfollowed(self) -> bool:
        """Whether the table is there, but changes of its rows cannot be detected."""
        return bool(self.relid) and not self.version

    @property
    def tag(self) -> str:
        """What tiles are drawn from: changes with the data, and with the overviews."""
        return f"{self.version}.{self.overviews}" if self.version and self.overviews else self.version


UNKNOWN = TableState(0, "", 0, 0, False)


class DataVersions:
    """The states of tables that were asked for, each read again when it is older than MAX_AGE_S."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._known: dict[tuple[str, str], tuple[TableState, float]] = {}
        self._is_warned = False

    async def read(self, tables: Iterable[Table], max_age: float = MAX_AGE_S) -> dict[str, TableState]:
        """The state of each table that exists, by its id."""
        now = time.monotonic()
        wanted = {(table.schema_name, table.name): table.id for table in tables}
        old = [name for name in wanted if name not in self._known or self._known[name][1] < now - max_age]
        if old:
            await self._read(old, now)
        return {wanted[name]: self._known[name][0] for name in wanted if name in self._known}

    async def of(self, table: Table, max_age: float = MAX_AGE_S) -> TableState:
        """UNKNOWN where the table does not exist."""
        return (await self.read([table], max_age)).get(table.id, UNKNOWN)

    def known(self, schema: str, name: str) -> TableState:
        """The state as last read; UNKNOWN before the first read."""
        known = self._known.get((schema, name))
        return known[0] if known else UNKNOWN

    async def _read(self, names: list[tuple[str, str]], now: float) -> None:
        asked = {"schemas": [schema for schema, _ in names], "names": [name for _, name in names]}
        async with single_reads(self._engine) as connection:
            rows = (await connection.execute(_STATES, asked)).all()
        for name in names:
            self._known.pop(name, None)
        if not self._is_warned and any(not row.counts for row in rows):
            self._is_warned = True
            log.warning("maps do not follow their tables, because track_counts is off")
        for row in rows:
            state = TableState(
                row.asked,
                "" if row.foreign or not row.counts else row.mark[:12],
                round(row.rows or 0),
                int(row.bytes or 0),
                row.relkind in ("r", "m", "p") and not row.foreign,
                row.overviews or 0,
                row.by_row,
                row.relkind == "v",
                (row.layout or "")[:12],
            )
            self._known[row.schema, row.name] = (state, now)
