"""Measures a table exactly: one pass over the geometries, and one for each column that a style can show."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Column, Table
from server.gis.expressions import extents
from server.gis.expressions.declared_types import declared_type
from server.gis.expressions.geometry_checks import unsound_and_invalid
from server.gis.expressions.identifiers import Expression, geometry_of, lonlat_of, relation, sql_name
from server.gis.profiles.profile import ColumnProfile, TableProfile
from server.gis.styles.attributes import tile_value
from server.gis.styles.statistics import ColumnStatistics
from server.gis.tiles.columns import feature_key

TOP_VALUES = 24
"""Most frequent values that are kept of a column: as many as a categorical style can colour."""
MAX_COLUMNS = 60
"""Further columns are not measured: each measurement reads the whole table."""
MAX_INVALID_ROWS = 1_000
"""Tiles test the rows with invalid geometries, and no others, if there are no more than so many."""
_NUMBERS = ("integer", "number")


async def measured(
    reader: AsyncEngine, table: Table, version: str, layout: Callable[[], Awaitable[str]] | None = None
) -> TableProfile:
    """The profile of the table as it is now. `layout` reads that of its state, which does not change while a
    transaction reads the table. Raises SQLAlchemyError or GisError."""
    shapes = await _shapes(reader, table, layout) if table.geometry_column is not None else {}
    rows = shapes.pop("rows", None)
    if rows is None:
        async with reader.connect() as connection:
            rows = await connection.scalar(sa.select(sa.func.count()).select_from(relation(table)))
    columns = {}
    for column in table.columns[:MAX_COLUMNS]:
        if column.kind != "geometry" and tile_value(table, column) is not None:
            columns[column.name] = await _column(reader, table, column)
    return TableProfile(data_version=version, rows=rows, columns=columns, **shapes)


async def _column(reader: AsyncEngine, table: Table, column: Column) -> ColumnProfile:
    statistics = ColumnStatistics(reader, table, None, column)
    found = await statistics.frequencies(TOP_VALUES)
    top = tuple(
        (value, count) for value, count in found.top if not isinstance(value, str) or len(value) <= 200
    )
    distinct = len(found.top) + found.other_values
    if column.kind in ("date", "timestamp"):
        earliest, latest = await _period(reader, table, column)
        return ColumnProfile(nulls=found.nulls, earliest=earliest, latest=latest, top=top, distinct=distinct)
    if column.kind not in _NUMBERS:
        return ColumnProfile(nulls=found.nulls, top=top, distinct=distinct)
    spread = await statistics.distribution()
    return ColumnProfile(
        nulls=spread.nulls,
        minimum=spread.minimum,
        maximum=spread.maximum,
        sketch=spread.sample,
        top=top,
        distinct=distinct,
    )


async def _period(reader: AsyncEngine, table: Table, column: Column) -> tuple[str | None, str | None]:
    """The first and the last date or time; infinite ones are left out."""
    value = relation(table).c[column.name]
    is_finite = sa.func.isfinite(value)
    query = sa.select(
        sa.cast(sa.func.min(value).filter(is_finite), sa.Text),
        sa.cast(sa.func.max(value).filter(is_finite), sa.Text),
    )
    async with reader.connect() as connection:
        row = (await connection.execute(query)).one()
    return row[0], row[1]


async def _shapes(
    reader: AsyncEngine, table: Table, layout: Callable[[], Awaitable[str]] | None
) -> dict[str, Any]:
    geometry = geometry_of(table)
    is_unsound, is_invalid = unsound_and_invalid(geometry, declared_type(table)[0])
    name = sa.func.GeometryType(geometry).label("type")
    query = (
        sa.select(
            name,
            sa.func.count(),
            sa.func.bool_or(is_unsound),
            sa.func.count().filter(is_invalid),
            sa.func.sum(sa.func.ST_NPoints(geometry)),
            *_edges(geometry),
            sa.func.count().filter(sa.func.ST_IsEmpty(geometry)),
            _complete_before(table),
        )
        .select_from(relation(table))
        .group_by(name)
    )
    async with reader.connect() as connection:
        found = (await connection.execute(query)).all()
        # In the same transaction, whose lock keeps the columns and partitions that were read.
        known = await layout() if layout is not None else ""
    before = found[0][10] if found and known else None
    drawn = [row for row in found if row[0] is not None]
    sound = not any(row[2] for row in drawn)
    counts = {row[0]: row[1] for row in drawn}
    rows = sum(row[1] for row in found)
    vertices = sum(row[4] or 0 for row in drawn) / max(1, sum(counts.values()))
    invalid = sum(row[3] for row in drawn)
    key = feature_key(table)
    is_listed = before is not None and 0 < invalid <= MAX_INVALID_ROWS
    return {
        "rows": rows,
        "geometry_types": counts,
        "is_sound": sound,
        "is_valid": not invalid,
        "empty_geometries": sum(row[9] for row in drawn),
        "invalid_geometries": invalid,
        **(await _invalid_rows(reader, table, key.name, is_invalid) if key and is_listed else {}),
        "complete_before": before,
        "layout": known,
        "geometry_column": table.geometry_column,
        "is_on_earth": sound and all(_on_earth(row[5:9]) for row in drawn),
        "vertices": float(vertices),
        "bounds": await _bounds(reader, table) if sound else None,
    }


def _complete_before(table: Table) -> Expression:
    """The earliest transaction of which a statement may not see all rows yet; NULL where the reader may select only
    some columns, which do not include the transaction that wrote a row."""
    earliest = sa.func.pg_snapshot_xmin(sa.func.pg_current_snapshot())
    may_select = sa.func.has_table_privilege(sql_name(table), "SELECT")
    return sa.case((may_select, sa.cast(sa.cast(earliest, sa.Text), sa.BigInteger)))


async def _invalid_rows(
    reader: AsyncEngine, table: Table, key: str, is_invalid: Expression
) -> dict[str, Any]:
    """The keys of the rows with invalid geometries, in the table a moment later: rows that were written meanwhile are
    tested because they are newer."""
    query = sa.select(relation(table).c[key]).where(is_invalid).limit(MAX_INVALID_ROWS + 1)
    async with reader.connect() as connection:
        found = sorted((await connection.execute(query)).scalars())
    return {"invalid_rows": found, "invalid_key": key} if len(found) <= MAX_INVALID_ROWS else {}


def _edges(geometry: Expression) -> list[Expression]:
    return [
        sa.func.min(sa.func.ST_XMin(geometry)),
        sa.func.min(sa.func.ST_YMin(geometry)),
        sa.func.max(sa.func.ST_XMax(geometry)),
        sa.func.max(sa.func.ST_YMax(geometry)),
    ]


def _on_earth(edges: Any) -> bool:
    if any(edge is None for edge in edges):
        return True
    west, south, east, north = edges
    return all(map(math.isfinite, edges)) and west >= -180 and south >= -90 and east <= 180 and north <= 90


async def _bounds(reader: AsyncEngine, table: Table) -> Any:
    source: sa.Select[tuple[()]] = sa.select().select_from(relation(table))
    async with reader.connect() as connection:
        found = extents.bounds(
            (
                await connection.execute(extents.extent_of(source, geometry_of(table), table.srid))
            ).one_or_none()
        )
        if found is not None and extents.spans_the_world(found):
            turned = (
                await connection.execute(extents.parts_of(source, lonlat_of(table), table.geometry_type))
            ).one_or_none()
            return extents.across(found, turned)
    return found
