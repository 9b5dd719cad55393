"""Notes of a receipt that say how many: counted in the rows that were stored."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnClause, column, table
from sqlalchemy.ext.asyncio import AsyncConnection

from server.gis.analysis.storage import SCHEMA
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.base import GEOMETRY, Step


async def counted_notes(connection: AsyncConnection, name: str, step: Step) -> tuple[str, ...]:
    """The notes of `step.counted`; none where it counts nothing. Prepared tables are still there."""
    if step.counted is None:
        return ()
    columns: list[ColumnClause[Any]] = [column(GEOMETRY)] if step.geometry_type else []
    stored = table(exact(name), *columns, schema=SCHEMA)
    numbers = (await connection.execute(step.counted.select(stored))).one()
    return tuple(step.counted.notes(*map(int, numbers)))
