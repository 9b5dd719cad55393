"""Selects samples of views, of which PostgreSQL reads only some pages of the largest table."""

from __future__ import annotations

from dataclasses import dataclass

import asyncpg
from sqlglot import exp

from server.gis.overviews.views import CALLED
from server.gis.sql.dialect import InvalidSql, read, write

MAX_DEPTH = 8
"""Greatest depth of views of views."""
_OTHER_PARTS = ("with_", "distinct", "group", "having", "limit", "offset", "windows", "laterals")
_OTHER_CALLS = (
    "SELECT EXISTS (SELECT FROM pg_proc WHERE proname = ANY($1::text[]) AND (prokind <> 'f' OR proretset))"
)
_RELATION = """SELECT oid::bigint AS oid, relkind::text AS relkind,
  has_table_privilege(oid, 'SELECT') AND NOT relrowsecurity AS is_open,
  CASE WHEN relkind = 'v' THEN 1e18 ELSE reltuples END::float8 AS rows
  FROM pg_class WHERE oid = to_regclass($1)"""
"""Views within a view are assumed to be the largest."""


async def sampled_view(
    connection: asyncpg.Connection, relid: int, percent: float, depth: int = 0
) -> str | None:
    """Selects the rows of a view for which PostgreSQL reads only some pages of its largest table, with the rights of
    the connection. None where it would be other rows than the view has, as of groups, or they may not be read."""
    definition = await connection.fetchval("SELECT pg_get_viewdef($1::bigint::oid)", relid)
    calls = list(set(CALLED.findall(definition or "")))
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
