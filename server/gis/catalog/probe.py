"""Reads from tables what the catalogue does not contain, within limits: geometry type and SRID if the column
declares none, the extent, row counts of views, and samples of tables that were never analysed.

The registry calls `complete` for new and changed entries. A table that fails or takes too long keeps the
catalogue's values; a probe never raises."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects.postgresql import JSONB, array
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Bounds, Column, Table
from server.database.quoting import quoted
from server.gis.catalog.entries import MAX_SAMPLE_CHARS, Entry, samples
from server.gis.catalog.probe_limits import MAX_COUNTED_ROWS, MAX_MEASURED_ROWS, PROBE_TIMEOUT_S
from server.gis.errors import DataUnavailable, GisError
from server.gis.expressions import extents
from server.gis.expressions.declared_types import common_type
from server.gis.expressions.identifiers import WGS84, geometry_of, is_geography, lonlat_of, relation, sql_name
from server.gis.statements.guard import Guard, Query, Record, explained, limit

log = structlog.get_logger(__name__)

SHAPE_ROWS = 2_000
SAMPLE_ROWS = 200
TABLES_PER_STATEMENT = 40
SAMPLED_KINDS = ("text", "integer", "number", "boolean", "date", "timestamp")


async def complete(engine: AsyncEngine, found: Sequence[Entry]) -> list[Entry]:
    """The same entries in the same order, with the probed values."""
    probe = _Probe(Guard(engine, PROBE_TIMEOUT_S, cost=2_000_000.0))
    shaped = [entry if entry.empty else await probe.shaped(entry) for entry in found]
    unknown = [entry.table for entry in shaped if not entry.empty and entry.table.bounds is None]
    boxes = await probe.extents(unknown)
    return [
        replace(entry, table=entry.table.model_copy(update={"bounds": boxes[entry.table.id]}))
        if entry.table.id in boxes
        else entry
        for entry in shaped
    ]


class _Probe:
    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def shaped(self, entry: Entry) -> Entry:
        table = entry.table
        if not entry.analyzed:
            table = table if table.lake is not None else await self._counted(table)
            table = await self._sampled(table)
        if table.geometry_column and (table.geometry_type in (None, "GEOMETRY") or not table.srid):
            table = await self._typed(table)
        return entry if table is entry.table else replace(entry, table=table)

    async def _counted(self, table: Table) -> Table:
        """The exact count for small tables, the planner's estimate for views and large tables."""
        some = (
            sa.select(sa.literal(1)).select_from(relation(table)).limit(MAX_COUNTED_ROWS + 1).subquery("some")
        )
        rows = await self._ask(sa.select(sa.func.count()).select_from(some), table)
        if rows and rows[0][0] <= MAX_COUNTED_ROWS:
            return table.model_copy(update={"row_estimate": rows[0][0]})
        if table.row_estimate > MAX_COUNTED_ROWS:
            return table
        return table.model_copy(update={"row_estimate": await self._planned(table) or table.row_estimate})

    async def _planned(self, table: Table) -> int:
        statement = sa.select(sa.literal(1)).select_from(relation(table))
        try:
            async with self._guard.engine.connect() as connection:
                await limit(connection, PROBE_TIMEOUT_S)
                return int((await explained(connection, statement))["Plan Rows"])
        except (SQLAlchemyError, OSError):
            return 0

    async def _sampled(self, table: Table) -> Table:
        columns = [column for column in table.columns if column.kind in SAMPLED_KINDS]
        if not columns:
            return table
        source = relation(table)
        texts = [_start_of(source.c[column.name], column) for column in columns]
        # An array, because a function takes at most 100 arguments.
        packed = sa.select(sa.func.to_jsonb(array(texts), type_=JSONB)).limit(SAMPLE_ROWS)
        rows = await self._ask(packed, table)
        if not rows:
            return table
        by_name = {column.name: [row[0][place] for row in rows] for place, column in enumerate(columns)}
        whole = len(rows) < SAMPLE_ROWS
        filled = tuple(
            _filled(column, by_name[column.name], whole) if column.name in by_name else column
            for column in table.columns
        )
        return table.model_copy(update={"columns": filled})

    async def _typed(self, table: Table) -> Table:
        geometry = geometry_of(table)
        some = (
            sa.select(geometry.label("geometry"))
            .where(geometry.is_not(None), sa.func.ST_IsEmpty(geometry).is_(False))
            .limit(SHAPE_ROWS)
            .subquery("some")
        )
        kind, srid = sa.func.GeometryType(some.c.geometry), sa.func.ST_SRID(some.c.geometry)
        statement = (
            sa.select(kind, srid, sa.func.count()).group_by(kind, srid).order_by(sa.func.count().desc())
        )
        rows = await self._ask(statement.limit(50), table)
        if not rows:
            return table
        # Rows in another system than the first would be drawn and exported at a wrong place.
        srid_found = table.srid or (rows[0][1] if len({row[1] for row in rows}) == 1 else 0)
        return table.model_copy(
            update={"geometry_type": common_type([row[0] for row in rows]), "srid": srid_found}
        )

    async def extents(self, tables: Sequence[Table]) -> dict[str, Bounds]:
        spatial = [table for table in tables if table.geometry_column]
        small = [
            table for table in spatial if table.row_estimate <= MAX_COUNTED_ROWS and "view" not in table.kind
        ]
        found: dict[str, Bounds] = {}
        plain = [table for table in small if table.srid in (0, WGS84)]
        for start in range(0, len(plain), TABLES_PER_STATEMENT):
            found |= await self._boxed(plain[start : start + TABLES_PER_STATEMENT])
        others = [table for table in small if table.id not in found]
        for start in range(0, len(others), TABLES_PER_STATEMENT):
            found |= await self._measured(others[start : start + TABLES_PER_STATEMENT])
        for table in spatial:
            if table.id not in found and table not in small:
                box = await self._extent(table)
                if box is not None:
                    found[table.id] = box
        for table in small:
            if extents.spans_the_world(found.get(table.id)):
                found[table.id] = await self._turned(table, found[table.id])
        return found

    async def _boxed(self, tables: Sequence[Table]) -> dict[str, Bounds]:
        """The extents of several small EPSG:4326 tables, with one statement written as text: compiling it with
        SQLAlchemy would take most of a minute for 10,000 tables. Empty if it fails."""
        statement = sa.text(" UNION ALL ".join(_box_sql(table, place) for place, table in enumerate(tables)))
        as_query = cast("Query", statement)  # executed as it is; only the cost check needs a Select
        try:
            rows = await self._guard.rows(as_query, "tables", gate=False)
        except GisError:
            return {}
        return _bounds_of(tables, rows)

    async def _measured(self, tables: Sequence[Table]) -> dict[str, Bounds]:
        """The exact extents of several small tables in one statement; if it fails, in halves."""
        statements = [_measure(table).add_columns(sa.literal(place)) for place, table in enumerate(tables)]
        try:
            rows = await self._guard.rows(
                sa.select(sa.union_all(*statements).subquery("extents")), "tables", gate=False
            )
        except DataUnavailable:
            return {}
        except GisError:
            if len(tables) == 1:
                return {}
            half = len(tables) // 2
            return await self._measured(tables[:half]) | await self._measured(tables[half:])
        return _bounds_of(tables, rows)

    async def _extent(self, table: Table) -> Bounds | None:
        column = table.column(table.geometry_column or "")
        if table.kind in ("table", "materialized view") and column is not None and not is_geography(column):
            names = {"schema": table.schema_name, "name": table.name, "column_": column.name}
            boxed = sa.text(_ESTIMATED).bindparams(**names).columns(sa.column("box")).subquery("estimated")
            rows = await self._ask(sa.select(*extents.box_columns(boxed.c.box, table.srid)), table)
            if rows and (found := extents.bounds(rows[0])) is not None:
                return found
        if table.row_estimate > MAX_MEASURED_ROWS:
            return None
        rows = await self._ask(_measure(table), table)
        found = extents.bounds(rows[0]) if rows else None
        if found is not None and table.row_estimate <= MAX_COUNTED_ROWS and extents.spans_the_world(found):
            return await self._turned(table, found)
        return found

    async def _turned(self, table: Table, found: Bounds) -> Bounds:
        source = sa.select().select_from(relation(table))
        turned = extents.parts_of(source, lonlat_of(table), table.geometry_type)
        rows = await self._ask(turned, table)
        return extents.across(found, rows[0]) if rows else found

    async def _ask(self, statement: Query, table: Table) -> Sequence[Record]:
        """The rows, or none if the table cannot be read within the limits."""
        try:
            return await self._guard.rows(statement, table.id)
        except GisError as error:
            log.debug("a probe was skipped", table=table.id, reason=error.message)
            return ()


_ESTIMATED = """
SELECT CASE WHEN bool_and(box IS NOT NULL OR is_empty) THEN ST_Extent(CAST(box AS geometry)) END AS box FROM (
  SELECT pg_relation_size(c.oid) = 0 AS is_empty, CASE WHEN pg_relation_size(c.oid) > 0
    THEN ST_EstimatedExtent(CAST(n.nspname AS text), CAST(c.relname AS text), CAST(:column_ AS text)) END AS box
  FROM (SELECT CAST(format('%I.%I', CAST(:schema AS text), CAST(:name AS text)) AS regclass) AS oid) AS asked
  CROSS JOIN LATERAL (
    SELECT asked.oid WHERE NOT EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = asked.oid)
    UNION ALL SELECT relid FROM pg_partition_tree(asked.oid) WHERE isleaf
      AND EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = asked.oid)
  ) AS part
  JOIN pg_class AS c ON c.oid = part.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace
) AS boxes
"""
"""By the index or the statistics of a table, or of its partitions: PostGIS fails for a partitioned table that has an
index."""


def _box_sql(table: Table, place: int) -> str:
    """The statement for west, south, east, north and `place` of a table. Names are quoted; colons are escaped because
    they would mark a parameter."""
    column = quoted(table.geometry_column or "").replace(":", r"\:")
    source = sql_name(table).replace(":", r"\:")
    return (
        f"SELECT ST_XMin(box), ST_YMin(box), ST_XMax(box), ST_YMax(box), {place} FROM"  # noqa: S608 - quoted names only
        f" (SELECT ST_Extent(CAST({column} AS geometry)) AS box FROM {source}) AS extent"
    )


def _bounds_of(tables: Sequence[Table], rows: Iterable[Record]) -> dict[str, Bounds]:
    """Bounds by table; the last value of a row is the index of its table."""
    boxes = {tables[row[4]].id: extents.bounds(row) for row in rows}
    return {name: box for name, box in boxes.items() if box is not None}


def _measure(table: Table) -> Query:
    return extents.extent_of(sa.select().select_from(relation(table)), geometry_of(table), table.srid)


def _start_of(value: sa.ColumnElement[Any], column: Column) -> sa.ColumnElement[str]:
    """The part of a value that a sample shows: a text may have megabytes."""
    text = sa.cast(value, sa.Text)
    return sa.func.left(text, MAX_SAMPLE_CHARS + 1, type_=sa.Text()) if column.kind == "text" else text


def _filled(column: Column, values: Sequence[str | None], whole: bool) -> Column:
    """The column with samples, and with its range if `values` is complete."""
    present = [value for value in values if value is not None]
    common = [value for value, _count in Counter(present).most_common(5)]
    update: dict[str, Any] = {"samples": samples(common)}
    if whole and present and column.kind in ("integer", "number"):
        # As a double, `numeric` beyond the greatest one is infinite, which JSON cannot hold.
        numbers = [number for value in present if math.isfinite(number := float(value))]
        if numbers:
            update |= {"minimum": min(numbers), "maximum": max(numbers)}
    if whole and present and column.kind in ("date", "timestamp"):
        update |= {"minimum": min(present), "maximum": max(present)}
    return column.model_copy(update=update)
