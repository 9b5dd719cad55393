"""Notes of a receipt that say how many: counted in the rows that were stored."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnClause, column, table
from sqlalchemy.ext.asyncio import AsyncConnection

from server.database.quoting import quoted
from server.gis.analysis.storage import SCHEMA
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.base import GEOMETRY, Step


async def counted(connection: AsyncConnection, name: str, step: Step) -> tuple[Step, tuple[str, ...]]:
    """The step as it stays, and the notes of `step.counted`. Columns that were stored to be counted are dropped.

    Prepared tables are still there.
    """
    if step.counted is None:
        return step, ()
    columns: list[ColumnClause[Any]] = [column(GEOMETRY)] if step.geometry_type else []
    stored = table(exact(name), *columns, schema=SCHEMA)
    numbers = (await connection.execute(step.counted.select(stored))).one()
    for each in step.counted.temporary_columns:
        await connection.exec_driver_sql(f"ALTER TABLE {quoted(SCHEMA, name)} DROP COLUMN {quoted(each)}")
    return step.without_counting(), tuple(step.counted.notes(*map(int, numbers)))
