"""Tables of about a million rows, made by PostgreSQL in seconds, for what only shows on large ones.

`data.many` are points at random on land as large as a small country, `data.plots` squares edge to edge over it, each
with a group (`block`, a hundred to the block) and a number; both have spatial indexes and statistics."""

from __future__ import annotations

import asyncpg

ROWS = 1_000_000

_MANY = """
    CREATE TABLE data.many AS SELECT i AS id, 'point ' || i AS name, (abs(hashint4(i + 7)) % 100000) / 10.0 AS value,
        ST_SetSRID(ST_MakePoint(8 + (abs(hashint4(i + 1)) % 1000000) * 0.0000004,
            48 + (abs(hashint4(i + 2)) % 1000000) * 0.0000003), 4326)::geometry(Point, 4326) AS geom
    FROM generate_series(0, {rows} - 1) AS i
"""
_PLOTS = """
    CREATE TABLE data.plots AS SELECT i AS id, (i / 1000 / 10) * 100 + (i % 1000) / 10 AS block,
        (abs(hashint4(i + 7)) % 100000) / 10.0 AS value,
        ST_MakeEnvelope(8 + (i % 1000) * 0.0004, 48 + (i / 1000) * 0.0003, 8.0004 + (i % 1000) * 0.0004,
            48.0003 + (i / 1000) * 0.0003, 4326)::geometry(Polygon, 4326) AS geom
    FROM generate_series(0, {rows} - 1) AS i
"""
TABLES = {"many": _MANY, "plots": _PLOTS}


async def make(connection: asyncpg.Connection, *names: str, rows: int = ROWS) -> None:
    """Anew, whatever was there."""
    for name in names:
        await connection.execute(f"DROP TABLE IF EXISTS data.{name}")
        await connection.execute(TABLES[name].format(rows=rows))
        await connection.execute(f"CREATE INDEX ON data.{name} USING gist (geom)")
        await connection.execute(f"VACUUM ANALYZE data.{name}")
