"""Exact statistics of one column, in one or two statements. Measures that do not apply to a type are left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from agents.domain import Column, Table
from server.gis.expressions.identifiers import Expression, base_type, column_of, geometry_of
from server.gis.query.values import plain, shortened
from server.gis.statements.guard import Guard

MAX_TOP_VALUES = 10
MAX_COUNTED_VALUES = 30
"""A number or date column with at most this many distinct values is also counted by value."""


async def column_statistics(
    guard: Guard, table: Table, column: Column, passing: sa.Select[tuple[()]]
) -> Mapping[str, Any]:
    """The statistics of a column over `passing`, a selection of rows without columns."""
    value = column_of(table, column.name)
    kind = column.kind
    measures: dict[str, Any] = {"count": sa.func.count(), "nulls": sa.func.count() - sa.func.count(value)}
    if kind in ("integer", "number"):
        measures |= _of_numbers(column, value)
    elif kind in ("date", "timestamp"):
        measures |= _of_instants(value)
    elif kind == "text":
        text = sa.cast(value, sa.Text)
        measures |= {"distinct": sa.func.count(text.distinct())}
        measures |= {"minimum": shortened(sa.func.min(text)), "maximum": shortened(sa.func.max(text))}
    elif kind == "boolean":
        measures |= {"distinct": sa.func.count(value.distinct())}
    row = await guard.row(
        passing.add_columns(*(each.label(name) for name, each in measures.items())), table.id
    )
    found = {name: plain(each) for name, each in zip(measures, row or (), strict=False)}
    if found.get("not_finite") == 0:
        del found["not_finite"]
    grouped = _grouped(table, column, value, found)
    if grouped is not None:
        found["top"] = await _most_common(guard, table, grouped, passing)
    return found


def _of_numbers(column: Column, value: Expression) -> dict[str, Any]:
    """NaN and infinities are counted separately: a single one would make the mean meaningless."""
    declared = base_type(column.sql_type)
    if column.kind == "integer":
        finite, extra = value, {}
    else:
        odd = sa.cast(value, sa.Text).in_(("NaN", "Infinity", "-Infinity"))
        finite = sa.case((odd, None), else_=value)
        extra = {"not_finite": sa.func.count().filter(odd)}
    total = sa.func.sum(finite)
    median = sa.func.percentile_cont(0.5).within_group(sa.cast(finite, sa.Double))
    mean = sa.func.avg(finite if declared != "real" else sa.cast(finite, sa.Double))
    return {
        **extra,
        "distinct": sa.func.count(finite.distinct()),
        "minimum": sa.func.min(finite),
        "maximum": sa.func.max(finite),
        "mean": mean,
        "median": median,
        "sum": total,
    }


def _of_instants(value: Expression) -> dict[str, Any]:
    median = sa.func.percentile_disc(0.5).within_group(value)
    return {
        "distinct": sa.func.count(value.distinct()),
        "minimum": sa.func.to_jsonb(sa.func.min(value), type_=JSONB()),
        "maximum": sa.func.to_jsonb(sa.func.max(value), type_=JSONB()),
        "median": sa.func.to_jsonb(median, type_=JSONB()),
    }


def _grouped(table: Table, column: Column, value: Expression, found: Mapping[str, Any]) -> Expression | None:
    """The expression to count by value, or None for types and columns where that is not useful."""
    if column.kind == "geometry":
        return sa.func.GeometryType(geometry_of(table, column.name), type_=sa.Text())
    if column.kind == "text":
        return sa.cast(value, sa.Text)
    few = int(found.get("distinct") or 0) <= MAX_COUNTED_VALUES
    if column.kind == "boolean" or (few and column.kind in ("integer", "number", "date", "timestamp")):
        return value
    return None


async def _most_common(
    guard: Guard, table: Table, grouped: Expression, passing: sa.Select[tuple[()]]
) -> list[dict[str, Any]]:
    number, is_text = sa.func.count(), isinstance(grouped.type, sa.Text)
    statement = (
        passing.add_columns(
            sa.func.to_jsonb(shortened(grouped) if is_text else grouped, type_=JSONB()), number
        )
        .where(grouped.is_not(None))
        .group_by(grouped)
        .order_by(number.desc(), grouped)
        .limit(MAX_TOP_VALUES)
    )
    return [{"value": plain(row[0]), "count": row[1]} for row in await guard.rows(statement, table.id)]
