"""Counts the rows of a result by class, for operations that classify: how many are hot, how many cold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnClause, column, func, select, table
from sqlalchemy.ext.asyncio import AsyncConnection

from server.gis.analysis.storage import SCHEMA
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.base import Step

Breakdown = Mapping[str, int]


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
