"""Whether a table's coordinates may leave the earth, read off its spatial index."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
import structlog

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.indexed_extents import indexed_extent

log = structlog.get_logger(__name__)

_EXTENT = indexed_extent("$1", "$2", "$3")


async def beyond_earth(connection: asyncpg.Connection, table: Table) -> bool:
    """Whether coordinates may leave -180 to 180 and -90 to 90."""
    if table.kind not in ("table", "materialized view"):
        return True
    names = (table.schema_name, table.name, table.geometry_column)
    try:
        row: Sequence[float | None] | None = await connection.fetchrow(_EXTENT, *names)
    except asyncpg.PostgresError:
        log.debug("no estimated extent", table=table.id, column=quoted(table.geometry_column or ""))
        return True
    if row is None:
        return True
    west, south, east, north = row
    if west is None or south is None or east is None or north is None:
        return True
    return west < -180.001 or east > 180.001 or south < -90 or north > 90
