"""Which names the columns of tables on maps had, so that layers follow a column to another name, also if it was
renamed while no server was running."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Table
from server.database.engines import single_reads
from server.gis.expressions.identifiers import sql_name

_RENAMED = sa.text(
    "SELECT n.name, a.attname AS present FROM geoagent.column_name AS n"
    " JOIN pg_attribute AS a ON a.attrelid = n.relid AND a.attnum = n.number"
    " WHERE n.relid = to_regclass(:table) AND NOT a.attisdropped AND a.attname <> n.name"
)
_KEEP = sa.text(
    "INSERT INTO geoagent.column_name (relid, name, number)"
    " SELECT attrelid, attname, attnum FROM pg_attribute AS a"
    " WHERE attrelid = to_regclass(:table) AND attnum > 0 AND NOT attisdropped AND NOT EXISTS"
    " (SELECT FROM geoagent.column_name AS n WHERE (n.relid, n.name, n.number) = (attrelid, attname, attnum))"
    " ON CONFLICT (relid, name) DO UPDATE SET number = EXCLUDED.number"
)
_FORGET = sa.text(
    "DELETE FROM geoagent.column_name AS n WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = n.relid)"
)


class ColumnNames:
    """Kept in the database for all servers, by the number that a column has in PostgreSQL for as long as it exists."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def keep(self, table: Table) -> None:
        """Note the names that the columns have now. Those of dropped tables are removed once there are new ones."""
        async with single_reads(self._engine) as connection:
            kept = await connection.execute(_KEEP, {"table": sql_name(table)})
            if kept.rowcount:
                await connection.execute(_FORGET)

    async def renamed(self, table: Table) -> Mapping[str, str]:
        """The present names of columns by those that they had when they were noted."""
        async with single_reads(self._engine) as connection:
            found = await connection.execute(_RENAMED, {"table": sql_name(table)})
            return {row.name: row.present for row in found}
