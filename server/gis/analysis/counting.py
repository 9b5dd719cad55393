"""What is counted in the rows that were stored: for notes of the receipt, how many rows each class has (how many are
hot, how many cold), and which columns vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnClause, column, exists, func, select, table
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.analysis.storage import SCHEMA
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.base import GEOMETRY, Step

Breakdown = Mapping[str, int]


async def counted(connection: AsyncConnection, name: str, step: Step) -> tuple[Step, tuple[str, ...]]:
    """The step as it stays, and the notes of `step.counted`. Columns that were stored to be counted are dropped.

    Prepared tables are still there."""
    if step.counted is None:
        return step, ()
    columns: list[ColumnClause[Any]] = [column(GEOMETRY)] if step.geometry_type else []
    stored = table(exact(name), *columns, schema=SCHEMA)
    numbers = (await connection.execute(step.counted.select(stored))).one()
    for each in step.counted.temporary_columns:
        await connection.exec_driver_sql(f"ALTER TABLE {quoted(SCHEMA, name)} DROP COLUMN {quoted(each)}")
    return step.without_counting(), tuple(step.counted.notes(*map(int, numbers)))


async def breakdown(connection: AsyncConnection, name: str, step: Step) -> Breakdown:
    """Rows by class, in the order of the classes; empty where the step has none. Classes without rows are left out."""
    style = step.style or {}
    classes = [str(each["value"]) for each in style.get("values", ())]
    if not classes:
        return {}
    shown: ColumnClause[Any] = column(exact(style["column"]))
    statement = select(shown, func.count()).select_from(table(exact(name), schema=SCHEMA)).group_by(shown)
    counts = {str(value): int(count) for value, count in await connection.execute(statement)}
    return {value: counts[value] for value in classes if value in counts}


async def varying(connection: AsyncConnection, result: Table, columns: Sequence[str]) -> list[str]:
    """The columns of a result that have at least two different values."""
    rows = table(
        exact(result.name), *(column(exact(name)) for name in columns), schema=exact(result.schema_name)
    )
    first = {name: select(rows.c[name]).where(rows.c[name].is_not(None)).limit(1) for name in columns}
    others = [
        exists().where(rows.c[name] != value.scalar_subquery()).label(f"v{number}")
        for number, (name, value) in enumerate(first.items())
    ]
    found = (await connection.execute(select(*others))).one() if others else ()
    return [name for name, varies in zip(columns, found, strict=True) if varies]
