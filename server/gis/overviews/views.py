"""Decides which views may have overviews: those that show everyone the same rows at any time; and samples views.

Overviews are read with the rights of their own tables, and are built again only when rows of the view's tables change.
So a view must not ask who reads it or when, and PostgreSQL must not hide rows of its tables from anyone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import asyncpg
from sqlglot import exp

from server.gis.sql.dialect import InvalidSql, read, write

_PARTS = """
WITH RECURSIVE part AS (
  SELECT $1::oid AS oid, 0 AS depth
  UNION
  SELECT d.refobjid, part.depth + 1
  FROM part JOIN pg_rewrite AS r ON r.ev_class = part.oid
  JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class
  WHERE part.depth < 16
)
SELECT DISTINCT c.oid,
  c.relrowsecurity OR coalesce(c.reloptions::text ~ 'security_invoker=(true|on|1|yes)', false) AS by_row,
  CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) ELSE '' END AS definition
FROM part JOIN pg_class AS c ON c.oid = part.oid
"""
_CHANGING = "SELECT EXISTS (SELECT FROM pg_proc WHERE proname = ANY($1::text[]) AND provolatile <> 'i')"
_CALLED = re.compile(r'(\w+)"?\s*\(')
_OF_SESSION = re.compile(r"\b(CURRENT_[A-Z]+|SESSION_USER|USER|LOCALTIME(STAMP)?)\b")


async def fault_of_view(session: asyncpg.Connection, relid: int) -> str | None:
    """Why a view has no overviews; None where it may have them."""
    parts = await session.fetch(_PARTS, relid)
    if any(part["by_row"] for part in parts):
        return "the view shows different rows to different roles"
    text = "\n".join(part["definition"] for part in parts)
    if _OF_SESSION.search(text) or await session.fetchval(_CHANGING, list(set(_CALLED.findall(text)))):
        return "the rows of the view may depend on who reads them or when"
    return None


MAX_DEPTH = 8
"""Of views of views."""
_OTHER_PARTS = ("with_", "distinct", "group", "having", "limit", "offset", "windows", "laterals")
_OTHER_CALLS = (
    "SELECT EXISTS (SELECT FROM pg_proc WHERE proname = ANY($1::text[]) AND (prokind <> 'f' OR proretset))"
)
_RELATION = """SELECT oid::bigint AS oid, relkind::text AS relkind,
  has_table_privilege(oid, 'SELECT') AND NOT relrowsecurity AS is_open,
  CASE WHEN relkind = 'v' THEN 1e18 ELSE reltuples END::float8 AS rows
  FROM pg_class WHERE oid = to_regclass($1)"""
"""Views within a view are taken for the largest."""


async def sampled_view(
    connection: asyncpg.Connection, relid: int, percent: float, depth: int = 0
) -> str | None:
    """Selects the rows of a view for which PostgreSQL reads only some pages of its largest table, with the rights of
    the connection. None where it would be other rows than the view has, as of groups, or they may not be read."""
    definition = await connection.fetchval("SELECT pg_get_viewdef($1::bigint::oid)", relid)
    calls = list(set(_CALLED.findall(definition or "")))
    if not definition or depth > MAX_DEPTH or await connection.fetchval(_OTHER_CALLS, calls):
        return None
    try:
        (query,) = read(definition.rstrip("; \n"))
        is_sampled = await _Sample(connection, percent, depth).take(query)
        text = write(query)
        await connection.execute(f"EXPLAIN {text}")
    except (InvalidSql, ValueError, asyncpg.PostgresError):
        return None
    return text if is_sampled else None


@dataclass(frozen=True)
class _Sample:
    connection: asyncpg.Connection
    percent: float
    depth: int

    async def take(self, query: exp.Expr) -> bool:
        """Let a query, or each part of a UNION ALL, read some pages only of its largest table. False where that cannot
        be."""
        if type(query) is exp.Union and not query.args.get("distinct"):
            return await self.take(query.left) and await self.take(query.right)
        if type(query) is not exp.Select or any(query.args.get(part) for part in _OTHER_PARTS):
            return False
        if any(join.side in ("RIGHT", "FULL") for join in query.find_all(exp.Join)):
            return False
        source = query.args.get("from_")
        joined = [] if source is None else _joined(source.this, query.args.get("joins"))
        largest: tuple[asyncpg.Record, exp.Table] | None = None
        for table in query.find_all(exp.Table):
            name = exp.Table(this=table.this, db=table.args.get("db"))
            found = await self.connection.fetchrow(_RELATION, write(name))
            if found is None or not found["is_open"]:
                return False
            is_larger = largest is None or found["rows"] > largest[0]["rows"]
            if is_larger and any(table is each for each in joined):
                largest = (found, table)
        return largest is not None and await self._thin(*largest)

    async def _thin(self, found: asyncpg.Record, table: exp.Table) -> bool:
        if found["relkind"] == "v":
            text = await sampled_view(self.connection, found["oid"], self.percent, self.depth + 1)
            if text is not None:
                name = table.args.get("alias") or exp.TableAlias(this=table.this.copy())
                table.replace(exp.Subquery(this=read(text)[0], alias=name))
            return text is not None
        sampled = read(f"SELECT 1 FROM t TABLESAMPLE SYSTEM ({self.percent}) REPEATABLE (1)")[0]  # noqa: S608 - a number
        table.set("sample", sampled.args["from_"].this.args["sample"])
        return found["relkind"] in ("r", "m", "p")


def _joined(source: exp.Expr, joins: list[exp.Join] | None) -> list[exp.Table]:
    """Tables of which each row of the result has a row."""
    found = []
    if isinstance(source, exp.Table):
        found = [source, *_each(source.args.get("joins"))]
    elif isinstance(source, exp.Subquery) and isinstance(source.this, exp.Table | exp.Subquery):
        found = [*_joined(source.this, None), *_each(source.args.get("joins"))]
    return found + _each(joins)


def _each(joins: list[exp.Join] | None) -> list[exp.Table]:
    return [table for join in joins or () if not join.side for table in _joined(join.this, None)]
