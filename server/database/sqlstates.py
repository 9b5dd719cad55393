"""PostgreSQL's codes of errors (https://www.postgresql.org/docs/current/errcodes-appendix.html)."""

from __future__ import annotations

LOCK_NOT_AVAILABLE = "55P03"
DEADLOCK = "40P01"
QUERY_CANCELED = "57014"
INSUFFICIENT_PRIVILEGE = "42501"
DUPLICATE_TABLE = "42P07"
UNDEFINED_TABLE, UNDEFINED_SCHEMA, UNDEFINED_COLUMN = "42P01", "3F000", "42703"
INTERNAL_ERROR = "XX000"
"""Most errors of PostGIS."""


def sqlstate(error: object) -> str:
    """The code of an error of asyncpg, also where SQLAlchemy has wrapped it; empty if it has none."""
    return str(getattr(getattr(error, "orig", error), "sqlstate", None) or "")
