"""Rows of a table that an index finds in boxes, also where partitions or tables that inherit from it hold them."""

from __future__ import annotations

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import sql_name
from server.gis.overviews import bands

MAX_PARTS = 200
"""Partitions, or tables that inherit, with the table itself. Each box is searched in the index of each."""
TREE = """WITH RECURSIVE part AS (
  SELECT $1::oid AS oid UNION SELECT inhrelid FROM part JOIN pg_inherits ON inhparent = part.oid)"""
"""A table with its partitions and the tables that inherit from it."""
INDEXED = f"""(SELECT count(*) <= {MAX_PARTS} AND bool_and(m.relkind = 'p' OR (m.relkind IN ('r', 'm')
    AND EXISTS (SELECT FROM pg_index AS i JOIN pg_class AS o ON o.oid = i.indexrelid JOIN pg_am AS a ON a.oid = o.relam
      JOIN pg_attribute AS f ON f.attrelid = m.oid AND f.attnum = i.indkey[0]
      WHERE i.indrelid = m.oid AND a.amname = 'gist' AND i.indpred IS NULL AND i.indisvalid AND f.attname = $2)))
  FROM part JOIN pg_class AS m ON m.oid = part.oid)"""  # noqa: S608 - a constant
"""Whether indexes find all rows of a TREE by their geometries ($2)."""
_PARTS = f"""{TREE} SELECT n.nspname AS schema, c.relname AS name FROM part JOIN pg_class AS c ON c.oid = part.oid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind <> 'p' ORDER BY c.oid"""  # noqa: S608 - a constant
_COLUMNS = (
    "SELECT attname FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
)


async def find_rows(
    session: asyncpg.Connection, table: Table, relid: int, boxes: str, tested: str = "true"
) -> None:
    """Make the temporary table `near` of the rows of the table that lie in a `box` of the table `boxes` and pass a test
    of the row `t`."""
    geometry = bands.geometry(table)
    columns = ", ".join(quoted(row["attname"]) for row in await session.fetch(_COLUMNS, relid))
    await session.execute("DROP TABLE IF EXISTS pg_temp.near")
    await session.execute(
        f"CREATE TEMPORARY TABLE near ON COMMIT DROP AS SELECT {columns} FROM {sql_name(table)} WITH NO DATA"  # noqa: S608
    )
    for part in await session.fetch(_PARTS, relid):
        name = f"ONLY {quoted(part['schema'])}.{quoted(part['name'])}"
        await session.execute(
            f"""INSERT INTO near SELECT {columns} FROM {name} WHERE ctid = ANY (ARRAY(
            SELECT t.ctid FROM {boxes} JOIN {name} AS t ON t.{geometry} && {boxes}.box WHERE {tested}))"""  # noqa: S608
        )
