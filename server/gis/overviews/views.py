"""Decides which views may have overviews: those that show everyone the same rows at any time.

Overviews are read with the rights of their own tables, and are built again only when rows of the view's tables change.
So a view must not ask who reads it or when, and PostgreSQL must not hide rows of its tables from anyone.
"""

from __future__ import annotations

import re

import asyncpg

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
CALLED = re.compile(r'(\w+)"?\s*\(')
_OF_SESSION = re.compile(r"\b(CURRENT_[A-Z]+|SESSION_USER|USER|LOCALTIME(STAMP)?)\b")


async def fault_of_view(session: asyncpg.Connection, relid: int) -> str | None:
    """Why a view has no overviews; None where it may have them."""
    parts = await session.fetch(_PARTS, relid)
    if any(part["by_row"] for part in parts):
        return "the view shows different rows to different roles"
    text = "\n".join(part["definition"] for part in parts)
    if _OF_SESSION.search(text) or await session.fetchval(_CHANGING, list(set(CALLED.findall(text)))):
        return "the rows of the view may depend on who reads them or when"
    return None
